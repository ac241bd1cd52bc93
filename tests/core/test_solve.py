"""The largest value that fits is one that fits, and the next one does not."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.architectures.config import read_config
from optmem_gui.architectures.presets import preset_ref
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.model import ModelRef, group_model
from optmem_gui.core.parallel import ONE_GPU, Parallel
from optmem_gui.core.peaks import DOUBT_BYTES, PhasesAt
from optmem_gui.core.scenario import Attention, Lora, Loss, Scenario
from optmem_gui.core.solve import MOST, What, largest, solve
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine.gpu_table import load_gpus
from tests.examples import examples

GPU = load_gpus()["h100-80gb"]
ONE_B = Scenario(synthetic_ref(1_000_000_000), precision="bf16", batch=1, sequence=1024)


@given(
    slope=st.integers(1, 10**9),
    start=st.integers(0, 10**9),
    limit=st.integers(0, 10**12),
    bend=st.integers(0, 1000),
    most=st.integers(1, 10**7),
    first=st.integers(1, 10**7),
)
def test_the_answer_fits_and_the_next_does_not(
    slope: int, start: int, limit: int, bend: int, most: int, first: int
) -> None:
    calls = 0

    def size(value: int) -> tuple[int, int]:
        nonlocal calls
        calls += 1
        return start, start + slope * value + bend * value * value // 7

    found = largest(size, limit, most, start=first)
    used = calls
    assert found == 0 or max(size(found)) <= limit
    assert found == most or max(size(found + 1)) > limit
    assert used <= 60


@given(
    steps=st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=120),
    limit=st.integers(0, 3000),
    first=st.integers(1, 200),
)
def test_any_sizes_that_never_fall_give_what_a_scan_gives(
    steps: list[tuple[int, int]], limit: int, first: int
) -> None:
    sizes = list(zip(*(accumulate(part) for part in zip(*steps, strict=True)), strict=True))
    scanned = sum(max(size) <= limit for size in sizes)
    assert largest(lambda value: sizes[value - 1], limit, len(sizes), start=first) == scanned


@given(
    falls=st.lists(st.tuples(st.integers(2, 10**6), st.integers(0, 10**6)), max_size=6),
    limit=st.integers(0, 10**6),
    first=st.integers(1, 10**6),
)
def test_sizes_that_fall_end_the_search_too(falls: list[tuple[int, int]], limit: int, first: int) -> None:
    """As where what is counted ends: beyond it any number would seem to fit."""
    calls = 0

    def size(value: int) -> tuple[int]:
        nonlocal calls
        calls += 1
        return (value - sum(fall for place, fall in falls if value >= place),)

    found = largest(size, limit, start=first)
    assert calls <= 64 + 2 * 30
    assert found == 0 or max(size(found)) <= limit
    assert found == MOST or max(size(found + 1)) > limit


SMALL = Scenario(synthetic_ref(3_000_000), precision="amp-bf16", batch=2, sequence=64)


@examples(12)
@given(
    mib=st.integers(700, 900),
    what=st.sampled_from(["batch", "sequence"]),
    checkpointing=st.sampled_from(["none", "full", "every-2"]),
    attention=st.sampled_from(["flash", "eager"]),
    gpus=st.sampled_from([1, 4]),
    keep_logits=st.booleans(),
)
def test_the_estimate_agrees_on_both_sides(
    mib: int, what: What, checkpointing: str, attention: Attention, gpus: int, keep_logits: bool
) -> None:
    gpu = replace(GPU, total_mib=mib if gpus == 1 else mib + 1500, reserve_mib=0)
    scenario = replace(
        SMALL,
        checkpointing=checkpointing,
        attention=attention,
        keep_logits=keep_logits,
        parallel=replace(ONE_GPU, gpus=gpus, shard="fsdp2") if gpus > 1 else ONE_GPU,
    )
    found = solve(scenario, gpu, what)
    assert found.sure <= found.perhaps < MOST
    for value in {found.sure, found.sure + 1, found.perhaps, found.perhaps + 1} - {0}:
        chosen = replace(scenario, batch=value) if what == "batch" else replace(scenario, sequence=value)
        fit = compute(chosen, gpu).fit
        assert fit is not None
        expected = "yes" if value <= found.sure else "tight" if value <= found.perhaps else "no"
        assert fit.fits == expected


@examples(8)
@given(
    mib=st.integers(720, 1000),
    precision=st.sampled_from(["fp32", "amp-bf16", "bf16"]),
    checkpointing=st.sampled_from(["none", "full", "attention", "every-3"]),
    attention=st.sampled_from(["math", "eager"]),
    loss=st.sampled_from(["full", "chunked", "fused"]),
    parallel=st.sampled_from([ONE_GPU, Parallel(4, "fsdp2"), Parallel(4, "ddp", cp=2)]),
)
def test_the_largest_batch_is_what_trying_one_after_another_gives(
    mib: int, precision: str, checkpointing: str, attention: Attention, loss: Loss, parallel: Parallel
) -> None:
    gpu = replace(GPU, total_mib=mib if parallel == ONE_GPU else mib + 1500, reserve_mib=0)
    scenario = replace(
        SMALL,
        sequence=1000,
        precision=precision,
        checkpointing=checkpointing,
        attention=attention,
        loss=loss,
        parallel=parallel,
    )
    found = solve(scenario, gpu, "batch")
    verdicts: list[str] = []
    while not verdicts or verdicts[-1] != "no":
        fit = compute(replace(scenario, batch=len(verdicts) + 1), gpu).fit
        assert fit is not None
        verdicts.append(fit.fits)
    assert verdicts == ["yes"] * found.sure + ["tight"] * (found.perhaps - found.sure) + ["no"]


@pytest.mark.parametrize(("what", "most"), [("batch", 10), ("sequence", 24)])
def test_a_search_looks_at_few_sizes(monkeypatch: pytest.MonkeyPatch, what: What, most: int) -> None:
    looked_at = 0
    sizes = PhasesAt.__call__

    def counted(self: PhasesAt, batch: int, sequence: int) -> tuple[int, ...]:
        nonlocal looked_at
        looked_at += 1
        return sizes(self, batch, sequence)

    monkeypatch.setattr(PhasesAt, "__call__", counted)
    kernels: tuple[Attention, ...] = ("auto", "eager")
    for billions, checkpointing, attention in product((1, 7, 70), ("none", "full", "attention"), kernels):
        model = synthetic_ref(billions * 10**9)
        scenario = replace(
            ONE_B, model=model, checkpointing=checkpointing, attention=attention, optimizer="torch.SGD"
        )
        for gpu in (load_gpus()["b200"], GPU):
            looked_at = 0
            solve(scenario, gpu, what)
            assert looked_at <= most, (billions, checkpointing, attention, gpu.id)


@examples(25)
@given(
    billions=st.sampled_from([0.003, 0.124, 1, 7, 70]),
    batch=st.integers(1, 9),
    sequence=st.integers(1, 9000),
    checkpointing=st.sampled_from(["none", "attention", "full", "every-3", "every-7", "every-64"]),
    parallel=st.sampled_from(
        [ONE_GPU, Parallel(8, "fsdp2"), Parallel(8, "zero2"), Parallel(8, "ddp", pp=2, cp=2)]
    ),
)
def test_the_ends_of_the_course_hold_its_peak(
    billions: float, batch: int, sequence: int, checkpointing: str, parallel: Parallel
) -> None:
    scenario = Scenario(
        synthetic_ref(int(billions * 10**9)),
        batch=batch,
        sequence=sequence,
        checkpointing=checkpointing,
        parallel=parallel,
    )
    near = max(PhasesAt(replace(scenario, batch=1, sequence=8), GPU)(batch, sequence))
    exact = compute(scenario, GPU).peak_bytes
    assert near <= exact < near + DOUBT_BYTES


@pytest.mark.parametrize("what", ["batch", "sequence"])
def test_the_estimate_agrees(what: str) -> None:
    found = solve(ONE_B, GPU, "batch" if what == "batch" else "sequence")
    assert 0 < found.sure <= found.perhaps
    for value, fits in ((found.sure, ("yes",)), (found.sure + 1, ("tight", "no"))):
        chosen = replace(ONE_B, batch=value) if what == "batch" else replace(ONE_B, sequence=value)
        fit = compute(chosen, GPU).fit
        assert fit is not None
        assert fit.fits in fits
    last = replace(ONE_B, batch=found.perhaps) if what == "batch" else replace(ONE_B, sequence=found.perhaps)
    fit = compute(last, GPU).fit
    assert fit is not None
    assert fit.fits != "no"


def test_nothing_fits() -> None:
    large = replace(ONE_B, model=synthetic_ref(70_000_000_000))
    assert solve(large, GPU, "batch").perhaps == 0


def test_what_is_missing_is_said() -> None:
    with pytest.raises(UserError, match="sequence length"):
        solve(replace(ONE_B, sequence=None), GPU, "batch")
    with pytest.raises(UserError, match="batch"):
        solve(replace(ONE_B, batch=None), GPU, "sequence")
    bare = replace(ONE_B.model, architecture=None)
    with pytest.raises(UserError, match="architecture"):
        solve(replace(ONE_B, model=bare), GPU, "batch")


def _bert_of_64_positions() -> Scenario:
    config = {"model_type": "bert", "architectures": ["BertForMaskedLM"], "vocab_size": 128}
    sizes = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 160}
    spec = read_config({**config, **sizes, "max_position_embeddings": 64}, "config.json").model("test")
    assert spec is not None
    return replace(ONE_B, model=group_model(spec))


def test_nothing_is_looked_for_where_activations_are_not_counted() -> None:
    """Any batch would seem to fit."""
    adapted = replace(ONE_B, model=preset_ref("vit-b-16"), sequence=None, lora=Lora(8))
    with pytest.raises(UserError, match="adapters"):
        solve(adapted, GPU, "batch")
    with pytest.raises(UserError, match="64 positions"):
        solve(replace(_bert_of_64_positions(), sequence=65), GPU, "batch")


@pytest.mark.parametrize(
    ("model", "most"),
    [
        pytest.param(_bert_of_64_positions().model, 64, id="bert"),
        pytest.param(preset_ref("gpt2"), 1024, id="gpt2"),
        pytest.param(preset_ref("opt-125m"), 2048, id="opt: two rows of its table are no positions"),
    ],
)
def test_no_sequence_is_longer_than_the_positions_of_the_model(model: ModelRef, most: int) -> None:
    assert solve(replace(ONE_B, model=model), GPU, "sequence").sure == most
    assert solve(replace(ONE_B, model=model, sequence=most + 1), GPU, "sequence").sure == most


def test_a_sequence_beyond_the_positions_is_said() -> None:
    beyond = replace(ONE_B, model=preset_ref("gpt2"), sequence=1025)
    assert "warn.beyond_positions" in {reason.key for reason in compute(beyond, GPU).warnings}
    assert "warn.beyond_positions" not in {
        reason.key for reason in compute(replace(beyond, sequence=1024), GPU).warnings
    }
