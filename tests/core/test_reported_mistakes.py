"""Mistakes people reported of other estimates, each with the answer that is right.

The number in a test's name is only a count: what was reported stands in its docstring.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from optmem_gui.core.breakdown import Breakdown
from optmem_gui.core.dtypes import F32
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.model import ModelRef, ModelSpec, ParameterTensor, Role, Source, group_model
from optmem_gui.core.scenario import Lora, Options, Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.transformer import TransformerShape
from optmem_gui.core.units import GIB, format_bytes

BILLION = 10**9


def model_of(*shapes: tuple[int, ...]) -> ModelRef:
    tensors = tuple(
        ParameterTensor(f"layers.{index}.weight", shape, F32, Role.MLP) for index, shape in enumerate(shapes)
    )
    return group_model(ModelSpec("made up", Source.FILE, tensors))


def state_bytes(model: ModelRef, optimizer: str, options: Options = ()) -> int:
    """State of full-size tensors in fp32, scalars left out."""
    found = compute(Scenario(model, optimizer=optimizer, options=options, precision="fp32"))
    return found.component("optimizer_state").bytes // 4096 * 4096


def test_the_scheme_is_named_where_16_18_and_8_bytes_differ() -> None:
    """Papers disagree because some leave out 16-bit copies and some keep fp32 gradients."""
    reasons = {}
    for precision in ("amp-bf16", "fp16-master", "megatron-bf16", "bf16"):
        found = compute(Scenario(synthetic_ref(BILLION), optimizer="torch.Adam", precision=precision))
        reasons[precision] = str(found.component("weights").why)
    assert len(set(reasons.values())) == 4


def test_foreach_fused_and_loop_differ_in_the_step_only() -> None:
    """A release that made foreach the default raised peaks by one copy of the parameters."""
    base = Scenario(synthetic_ref(BILLION), precision="fp32")
    foreach = compute(base)
    fused = compute(replace(base, options=(("fused", True),)))
    loop = compute(replace(base, options=(("foreach", False),)))
    assert foreach.component("temporaries").bytes == 4 * BILLION
    assert fused.component("temporaries").bytes == 0
    # for-loop AdamW: at most three tensors' worth, and the largest tensor here is the embedding
    largest = max(group.numel for group in base.model.groups)
    assert 0 < loop.component("temporaries").bytes <= 3 * 4 * largest


def test_peak_is_a_maximum_over_phases_not_a_sum() -> None:
    """Activations are gone when the optimizer steps."""
    found = compute(Scenario(synthetic_ref(BILLION), precision="fp32", batch=8, sequence=1024))
    everything = sum(row.bytes for row in found.components)
    assert found.peak_bytes < everything
    assert found.phase("optimizer_step").parts.get("activations", 0) == 0


@pytest.mark.parametrize(
    ("optimizer", "options", "elements"),
    [
        ("torch.SGD", (), 0),
        ("torch.SGD", (("momentum", 0.9),), 4096 * 4096 + 4096),
        ("torch.AdamW", (), 2 * (4096 * 4096 + 4096)),
        ("torch.AdamW", (("amsgrad", True),), 3 * (4096 * 4096 + 4096)),
        ("torch.Adafactor", (), 4096 + 4096 + 4096),
    ],
)
def test_state_of_one_matrix_and_one_vector(optimizer: str, options: Options, elements: int) -> None:
    """Adafactor and Muon are often charged 4 bytes a parameter, or 8."""
    assert state_bytes(model_of((4096, 4096), (4096,)), optimizer, options) == 4 * elements


def test_muon_keeps_one_momentum_for_matrices_and_takes_nothing_else() -> None:
    """torch's Muon optimizes 2-D parameters only; a bias needs another optimizer."""
    assert state_bytes(model_of((4096, 4096)), "torch.Muon") == 4 * 4096 * 4096
    with pytest.raises(UserError):
        compute(Scenario(model_of((4096, 4096), (4096,)), optimizer="torch.Muon"))


def test_ten_thousand_tiny_tensors_are_mostly_rounding() -> None:
    """Step counters are 4 bytes each, but a block of 512 once they live on the GPU."""
    tiny = model_of(*[(3,)] * 10_000)
    host = compute(Scenario(tiny, precision="fp32"))
    fused = compute(Scenario(tiny, precision="fp32", options=(("fused", True),)))
    assert host.component("optimizer_state").host_bytes == 40_000
    assert fused.component("optimizer_state").host_bytes == 0
    # weight, gradient, two moments and the counter: five blocks of 512 B each tensor
    assert fused.phase("optimizer_step").bytes == 10_000 * 5 * 512
    assert fused.component("rounding").bytes > 0.9 * fused.peak_bytes


def logits_model(vocab: int) -> ModelRef:
    shape = TransformerShape(vocab, 1024, 2, 8, 8, 128, 4096)
    spec = synthetic_ref(BILLION)
    return replace(spec, architecture=shape)


def test_logits_of_a_large_vocabulary_are_listed() -> None:
    """8,192 tokens x 151,936 entries in fp32 are 4.64 GiB, once for every copy."""
    copy = 8192 * 151_936 * 4
    assert f"{copy / GIB:.3f}" == "4.637"
    found = compute(Scenario(logits_model(151_936), precision="bf16", batch=1, sequence=8192))
    fused = compute(Scenario(logits_model(151_936), precision="bf16", batch=1, sequence=8192, loss="fused"))
    assert found.peak_bytes - fused.peak_bytes > 2 * copy
    items = found.component("activations").details
    assert any(item.bytes >= copy // 2 and "vocabulary" in str(item.why) for item in items)


def peak(**changes: object) -> Breakdown:
    return compute(replace(Scenario(synthetic_ref(7 * BILLION), precision="bf16"), **changes))  # type: ignore[arg-type]  # any field


def test_lora_trains_little_but_holds_the_base() -> None:
    """A rival gives QLoRA more memory than LoRA, and LoRA more than is real."""
    full, lora = peak(), peak(lora=Lora(8))
    packed = peak(lora=Lora(8, base_dtype="nf4"))
    assert lora.parameters.trainable < full.parameters.trainable // 1000
    assert lora.component("weights").bytes >= 2 * 7 * BILLION
    assert lora.component("gradients").bytes == 4 * lora.parameters.trainable
    assert packed.peak_bytes < lora.peak_bytes < full.peak_bytes


def test_gib_and_gb_are_never_mixed_up() -> None:
    """4e9 bytes are 3.73 GiB and 4.00 GB."""
    assert format_bytes(4 * BILLION) == "3.73 GiB"
    assert format_bytes(4 * BILLION, "GB") == "4.00 GB"


@pytest.mark.parametrize("count", [1, 2, 999, 10**18])
def test_absurd_sizes_still_answer(count: int) -> None:
    """One parameter, and as many as nobody has."""
    found = compute(Scenario(synthetic_ref(count), precision="fp32"))
    assert found.component("weights").bytes == 4 * count
    assert found.peak_bytes >= 16 * count
