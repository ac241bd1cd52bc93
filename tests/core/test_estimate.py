"""The whole calculation, against counts worked out by hand and published ones."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.core.breakdown import COMPONENT_IDS, PHASE_IDS, Breakdown
from optmem_gui.core.dtypes import F32, INT64
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.model import BufferTensor, ModelSpec, ParameterTensor, Role, Source, group_model
from optmem_gui.core.precision import SCHEMES
from optmem_gui.core.scenario import Lora, Options, Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.texts import TEMPLATES
from tests.examples import examples

BILLION = 10**9


def estimate(
    param_count: int, optimizer: str = "torch.AdamW", precision: str = "fp32", options: Options = ()
) -> Breakdown:
    return compute(
        Scenario(synthetic_ref(param_count), optimizer=optimizer, precision=precision, options=options)
    )


def states(breakdown: Breakdown) -> int:
    """Weights + gradients + master weights + optimizer state on the device."""
    names = ("weights", "gradients", "master_weights", "optimizer_state")
    return sum(breakdown.component(name).bytes - breakdown.component(name).host_bytes for name in names)


def test_adamw_in_fp32_with_the_default_foreach() -> None:
    # 4 + 4 + 8 B a parameter, and foreach's list of intermediates: 4 B more during the step.
    found = estimate(BILLION)
    assert found.component("weights").bytes == 4 * BILLION
    assert found.component("gradients").bytes == 4 * BILLION
    state = found.component("optimizer_state")
    tensors = synthetic_ref(BILLION).tensor_count
    assert state.bytes == 8 * BILLION + 4 * tensors
    assert state.host_bytes == 4 * tensors
    assert state.at_peak == 8 * BILLION
    assert found.component("temporaries").bytes == 4 * BILLION
    assert found.peak_bytes == 20 * BILLION
    assert found.peak_phase == "optimizer_step"


def test_fused_adamw_needs_no_temporaries_but_its_step_counters_move_to_the_device() -> None:
    found = estimate(BILLION, options=(("fused", True),))
    assert found.component("temporaries").bytes == 0
    assert found.component("optimizer_state").host_bytes == 0
    # 157 counters of 4 B, one 512 B block each
    tensors = synthetic_ref(BILLION).tensor_count
    assert found.peak_bytes == 16 * BILLION + 512 * tensors


@pytest.mark.parametrize(("options", "each"), [((), 8), ((("momentum", 0.9),), 12)])
def test_sgd(options: Options, each: int) -> None:
    found = estimate(BILLION, "torch.SGD", options=options)
    assert found.peak_bytes == each * BILLION
    # Nothing is added at the step, so the end of backward ties with it, and the earlier phase is named.
    assert found.peak_phase == "backward"


@pytest.mark.parametrize(
    ("precision", "each"),
    [
        ("fp32", 16),
        ("bf16", 8),
        ("bf16-master", 16),
        ("megatron-bf16", 18),
        ("amp-bf16", 16),
        ("amp-fp16", 16),
    ],
)
def test_bytes_a_parameter_of_each_scheme(precision: str, each: int) -> None:
    assert states(estimate(BILLION, precision=precision)) == each * BILLION


def test_zero_paper_count_of_a_7_5b_model() -> None:
    # arXiv 1910.02054, section 3.1 and figure 1: 2 + 2 + 12 B a parameter, 120 GB.
    found = estimate(7_500_000_000, "torch.Adam", "fp16-master")
    sizes = [
        found.component(name).at_peak
        for name in ("weights", "gradients", "master_weights", "optimizer_state")
    ]
    assert sizes == [15 * BILLION, 15 * BILLION, 30 * BILLION, 60 * BILLION]
    assert states(found) == 120 * BILLION
    # the fp32 copy of the gradients made at the step, and foreach's list in fp32
    assert found.component("temporaries").bytes == 60 * BILLION


def test_vit_large_takes_20_bytes_a_parameter_at_the_step() -> None:
    # 304,326,632 parameters; torchvision users measured about 6 GB.
    found = estimate(304_326_632, "torch.Adam")
    exact = found.peak_bytes - found.component("rounding").at_peak
    assert exact == 20 * 304_326_632
    assert round(exact / BILLION, 2) == 6.09
    assert estimate(304_326_632, "torch.Adam", options=(("foreach", False),)).peak_bytes < exact


def test_amp_halves_neither_weights_nor_gradients_nor_state() -> None:
    plain, amp = estimate(BILLION), estimate(BILLION, precision="amp-bf16")
    for name in ("weights", "gradients", "optimizer_state"):
        assert amp.component(name).bytes == plain.component(name).bytes
    assert amp.component("autocast_copies").bytes > 0


def test_msamp_keeps_its_moments_in_fp8_and_fp16() -> None:
    # FP8-LM, arXiv 2310.18313: master 2 + gradient 1 + first moment 1 + second 2; weights in fp8 1.
    assert states(estimate(BILLION, "torch.Adam", "msamp-o2")) == 7 * BILLION


def test_transformer_engine_copies_are_gone_at_the_step() -> None:
    found = estimate(BILLION, precision="te-fp8")
    assert found.component("autocast_copies").bytes > 0
    assert found.phase("optimizer_step").parts.get("autocast_copies", 0) == 0


def test_parts_sum_to_the_peak_in_every_scheme() -> None:
    for precision in SCHEMES:
        found = estimate(124_439_808, precision=precision)
        assert sum(row.at_peak for row in found.components) == found.peak_bytes
        assert max(phase.bytes for phase in found.phases) == found.peak_bytes
        assert [phase.id for phase in found.phases] == list(PHASE_IDS)
        assert [row.id for row in found.components] == list(COMPONENT_IDS)


def test_what_exists_before_the_first_step_is_part_of_loading() -> None:
    # Adagrad fills its sums in the constructor; Megatron's gradient buffer is made with the model.
    plain = estimate(BILLION)
    assert plain.phase("load").bytes == 4 * BILLION
    assert estimate(BILLION, "torch.Adagrad").phase("load").bytes == 8 * BILLION
    loaded = estimate(BILLION, precision="megatron-bf16").phase("load")
    # bf16 weights of 21.75 MiB in segments of 22 MiB, 126.98 MiB in 128 MiB (1.02 MiB is split off)
    assert loaded.bytes == (2 + 4 + 4) * BILLION


def test_accumulation_puts_gradients_under_activations() -> None:
    base = Scenario(synthetic_ref(124_439_808), precision="fp32", batch=4, sequence=1024)
    once, twice = compute(base), compute(replace(base, accumulate=2))
    many = compute(replace(base, accumulate=8))
    assert once.phase("forward").parts.get("gradients", 0) == 0
    assert twice.phase("forward").parts["gradients"] == 4 * 124_439_808
    assert twice.peak_bytes > once.peak_bytes
    assert many.peak_bytes == twice.peak_bytes


def test_a_batch_adds_activations_and_workspace() -> None:
    bare = Scenario(synthetic_ref(124_439_808), precision="bf16")
    none, some = compute(bare), compute(replace(bare, batch=8, sequence=1024))
    assert none.component("activations").bytes == none.component("workspace").bytes == 0
    assert not none.component("activations").counted
    assert "assume.no_batch" in {reason.key for reason in none.assumptions}
    assert some.component("activations").bytes > 0
    assert some.component("workspace").bytes > 0
    assert some.peak_phase in ("forward", "backward")


def test_temporaries_say_where_they_are_largest() -> None:
    base = Scenario(synthetic_ref(124_439_808), precision="fp32", options=(("fused", True),))
    assert compute(base).component("temporaries").formula.key == "formula.temporaries"
    busy = compute(replace(base, batch=8, sequence=1024)).component("temporaries")
    assert busy.formula.key == "formula.temporaries_outside"
    assert busy.formula.values == {"bytes": busy.bytes, "step_bytes": 0}


def test_an_unknown_architecture_says_not_counted() -> None:
    spec = ModelSpec("blob", Source.FILE, (ParameterTensor("w", (1000, 1000), F32),))
    found = compute(Scenario(group_model(spec), batch=8, sequence=128))
    assert not found.component("activations").counted
    assert "assume.no_architecture" in {reason.key for reason in found.assumptions}


def test_batch_norm_buffers_follow_the_module_but_counters_do_not() -> None:
    spec = ModelSpec(
        "bn",
        Source.FILE,
        (
            ParameterTensor("bn.weight", (10,), F32, Role.NORM),
            ParameterTensor("bn.bias", (10,), F32, Role.NORM),
        ),
        (
            BufferTensor("bn.running_mean", (10,), F32),
            BufferTensor("bn.running_var", (10,), F32),
            BufferTensor("bn.num_batches_tracked", (), INT64),
        ),
    )
    model = group_model(spec)
    assert compute(Scenario(model, precision="fp32")).component("buffers").bytes == 10 * 4 * 2 + 8
    assert compute(Scenario(model, precision="bf16")).component("buffers").bytes == 10 * 2 * 2 + 8


def test_qlora_needs_no_more_than_lora_and_lora_no_more_than_all() -> None:
    base = Scenario(synthetic_ref(7_000_000_000), precision="bf16", batch=1, sequence=512)
    full = compute(base).peak_bytes
    lora = compute(replace(base, lora=Lora(8))).peak_bytes
    packed = compute(replace(base, lora=Lora(8, base_dtype="nf4"))).peak_bytes
    twice_packed = compute(replace(base, lora=Lora(8, base_dtype="nf4-dq"))).peak_bytes
    assert twice_packed <= packed <= lora <= full


def test_qlora_lists_base_upcast_and_adapters_apart() -> None:
    found = compute(Scenario(synthetic_ref(7_000_000_000), lora=Lora(8, base_dtype="nf4")))
    weights = found.component("weights")
    assert [line.why.key for line in weights.details] == [
        "detail.base_packed",
        "detail.upcast",
        "detail.adapters",
    ]
    assert sum(line.bytes for line in weights.details) == weights.bytes


@examples(60)
@given(
    count=st.integers(1, 10**12),
    precision=st.sampled_from(sorted(SCHEMES)),
    target=st.sampled_from(("cuda", "cpu")),
    clip=st.booleans(),
    keep=st.booleans(),
)
def test_whatever_is_typed_the_sums_hold(
    count: int, precision: str, target: str, clip: bool, keep: bool
) -> None:
    scenario = Scenario(
        synthetic_ref(count),
        precision=precision,
        target="cpu" if target == "cpu" else "cuda",
        clip=clip,
        set_to_none=not keep,
    )
    found = compute(scenario)
    assert sum(row.at_peak for row in found.components) == found.peak_bytes
    assert found.reserved.low >= found.peak_bytes
    assert found.reserved.low <= found.reserved.high <= found.process.high
    assert all(row.bytes >= 0 and row.at_peak >= 0 for row in found.components)
    for row in found.components:
        for reason in (row.formula, row.why, *(line.why for line in row.details)):
            assert str(reason)
            assert reason.key in TEMPLATES


def test_unknown_names_are_refused_in_one_line() -> None:
    for broken in (
        replace(Scenario(synthetic_ref(1000)), precision="fp7"),
        replace(Scenario(synthetic_ref(1000)), optimizer="torch.Adamm"),
        replace(Scenario(synthetic_ref(7_000_000_000)), lora=Lora(8, ("nothing",))),
        replace(Scenario(synthetic_ref(7_000_000_000)), lora=Lora(0)),
    ):
        with pytest.raises(UserError) as caught:
            compute(broken)
        assert "\n" not in str(caught.value)
