"""The planner says what the estimate says, and the number of GPUs it names is the smallest that is enough."""

from __future__ import annotations

import heapq
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.architectures.presets import preset_ref
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.ground import Parts
from optmem_gui.core.model import ModelRef
from optmem_gui.core.parallel import ONE_GPU, Parallel
from optmem_gui.core.peaks import Ranks
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.planner import (
    NODE_GPUS,
    PlannedLayout,
    Planner,
    candidates,
    counts,
    engines_for,
    ranked,
)
from optmem_gui.core.sharding.whole_parameters import dealt
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine.gpu_table import find_gpu
from tests.examples import examples

H100, RTX_4090 = find_gpu("h100-80gb"), find_gpu("rtx-4090")

PRESETS = ("llama-3.1-8b", "mixtral-8x7b", "gpt2-xl", "qwen3-0.6b")


@cache
def _model(name: str) -> ModelRef:
    return synthetic_ref(7_000_000_000) if name == "synthetic" else preset_ref(name)


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """What people train: decoders and mixtures of experts, with what makes the worst rank another one."""
    precision = draw(st.sampled_from(("bf16", "bf16-master", "amp-bf16", "megatron-bf16", "fp32")))
    batch = draw(st.sampled_from((None, 1, 4)))
    return Scenario(
        _model(draw(st.sampled_from(("synthetic", *PRESETS)))),
        precision=precision,
        optimizer=draw(st.sampled_from(("torch.AdamW", "torch.SGD", "torch.Adafactor"))),
        batch=batch,
        sequence=None if batch is None else draw(st.sampled_from((512, 4096, 32768))),
        checkpointing=draw(st.sampled_from(("none", "full", "every-4"))),
        loss=draw(st.sampled_from(("full", "chunked"))),
        accumulate=draw(st.sampled_from((1, 8))),
        clip=draw(st.booleans()),
        set_to_none=draw(st.booleans()),
        keep_logits=draw(st.booleans()),
        parallel=replace(ONE_GPU, offload=draw(st.sampled_from(("none", "optimizer")))),
        gpu=H100.id,
    )


def _agrees(layout: PlannedLayout, scenario: Scenario) -> None:
    answer = compute(replace(scenario, parallel=layout.parallel), H100)
    assert answer.fit is not None
    assert layout.peak_bytes == answer.peak_bytes
    assert layout.peak_phase == answer.peak_phase
    assert (layout.process, layout.fits, layout.free_bytes) == (
        answer.process,
        answer.fit.fits,
        answer.fit.free,
    )
    if answer.ranks:
        row = answer.ranks[answer.rank]
        assert (layout.worst, layout.host_bytes) == (row.why, row.host_bytes)


@given(scenario=scenarios(), power=st.integers(0, 12), data=st.data())
@examples(60)
def test_planned_numbers_are_the_estimate(scenario: Scenario, power: int, data: st.DataObject) -> None:
    try:
        layouts = list(Planner(scenario, H100).layouts(1 << power))
    except UserError:
        with pytest.raises(UserError):
            compute(replace(scenario, parallel=next(candidates(scenario, 1 << power))), H100)
        return
    for _ in range(3):
        _agrees(data.draw(st.sampled_from(layouts)), scenario)


def test_a_planner_that_has_planned_before_says_the_same() -> None:
    scenario = Scenario(_model("llama-3.1-8b"), precision="bf16", batch=1, sequence=4096, accumulate=4)
    used = Planner(scenario, H100)
    for gpus in counts(512):
        assert list(used.layouts(gpus)) == list(Planner(scenario, H100).layouts(gpus))
    _agrees(next(used.layouts(1)), replace(scenario, gpu=H100.id))


def test_only_what_could_run_is_looked_at() -> None:
    scenario = Scenario(_model("mixtral-8x7b"), precision="bf16", batch=1, sequence=4096)
    found = list(candidates(scenario, 64))
    assert len(found) == len(set(found)) > 100
    assert all(layout.gpus == 64 and layout.tp <= NODE_GPUS for layout in found)
    assert {layout.ep for layout in found} == {1, 2, 4, 8}
    assert {layout.shard for layout in found} == set(engines_for(scenario))
    for layout in found:  # none of them is refused
        compute(replace(scenario, parallel=layout))


@pytest.mark.parametrize(
    ("precision", "engines"),
    [
        ("bf16", {"ddp", "zero-redundancy", "fsdp2"}),
        ("amp-bf16", {"ddp", "zero-redundancy", "fsdp2"}),
        ("bf16-master", {"ddp", "zero1", "zero2", "zero3"}),
        ("megatron-bf16", {"ddp", "megatron"}),
    ],
)
def test_engines_go_with_the_precision(precision: str, engines: set[str]) -> None:
    scenario = Scenario(synthetic_ref(1_000_000_000), precision=precision)
    assert {layout.parallel.shard for layout in Planner(scenario, H100).layouts(16)} == engines


def test_an_uneven_pipeline_is_looked_at() -> None:
    """Llama 3 405B has 126 layers and was trained on 16 stages (arXiv 2407.21783, table 4)."""
    scenario = Scenario(_model("llama-3.1-405b"), precision="megatron-bf16", batch=1, sequence=8192)
    trained = Parallel(gpus=8192, shard="megatron", tp=8, pp=16)
    assert trained in set(candidates(scenario, 8192))


def test_what_fits_and_splits_least_comes_first() -> None:
    scenario = Scenario(_model("llama-3.1-8b"), precision="bf16", batch=1, sequence=4096)
    layouts = ranked(Planner(scenario, RTX_4090).layouts(16))
    verdicts = [layout.fits for layout in layouts]
    assert verdicts == sorted(verdicts, key=("yes", "tight", "no").index)
    assert {"yes", "no"} <= set(verdicts)
    missed = [layout.free_bytes for layout in layouts if layout.fits == "no"]
    assert missed == sorted(missed, reverse=True)
    fitting = [layout.parallel for layout in layouts if layout.fits == "yes"]
    splits = [chosen.tp * chosen.pp * chosen.cp * chosen.ep for chosen in fitting]
    assert splits == sorted(splits)
    alike = [layout for layout in layouts if (layout.fits, layout.parallel.shard) == ("yes", "fsdp2")]
    best = [layout for layout in alike if layout.parallel.tp * layout.parallel.pp == splits[0]]
    assert [layout.free_bytes for layout in best] == sorted(
        (layout.free_bytes for layout in best), reverse=True
    )


@pytest.mark.parametrize(
    ("preset", "precision", "gpu"),
    [
        ("llama-3.1-8b", "bf16-master", RTX_4090),
        ("llama-3.1-8b", "bf16", RTX_4090),
        ("mixtral-8x7b", "bf16", H100),
        ("qwen3-0.6b", "fp32", RTX_4090),
    ],
)
def test_fewer_gpus_would_not_be_enough(preset: str, precision: str, gpu: object) -> None:
    assert gpu in (H100, RTX_4090)
    chosen = H100 if gpu == H100 else RTX_4090
    scenario = Scenario(
        _model(preset), precision=precision, batch=1, sequence=2048, checkpointing="full", gpu=chosen.id
    )
    tried = list(Planner(scenario, chosen).smallest())
    taken = tried[-1][0]
    assert taken.fits == "yes"
    for gpus in counts(taken.parallel.gpus // 2):
        for parallel in candidates(scenario, gpus):
            answer = compute(replace(scenario, parallel=parallel), chosen)
            assert answer.fit is not None
            assert answer.fit.fits != "yes"


def test_where_nothing_fits_every_number_was_tried() -> None:
    scenario = Scenario(_model("llama-3.1-405b"), precision="bf16", batch=1, sequence=8192)
    tried = list(Planner(scenario, RTX_4090).smallest(8))
    assert [layouts[0].parallel.gpus for layouts in tried] == [1, 2, 4, 8]
    assert all(layout.fits == "no" for layouts in tried for layout in layouts)


def test_what_no_layout_can_run_is_refused() -> None:
    scenario = Scenario(synthetic_ref(1_000_000_000), precision="fp32", optimizer="torch.Muon")
    with pytest.raises(UserError, match="Muon"):
        list(Planner(scenario, H100).layouts(4))


def test_an_engine_that_refuses_the_optimizer_is_left_out() -> None:
    """torch's Adafactor ends in an error on DTensors; DDP trains it."""
    scenario = Scenario(synthetic_ref(1_000_000_000), precision="bf16", optimizer="torch.Adafactor")
    assert "fsdp2" not in {layout.parallel.shard for layout in Planner(scenario, H100).layouts(8)}


def test_memory_falls_as_gpus_share_it() -> None:
    """Parameters, gradients and two moments in bf16: 8 bytes a parameter, shared by all ranks."""
    scenario = Scenario(synthetic_ref(7_000_000_000), precision="bf16")
    planner = Planner(scenario, H100)
    series = list(planner.by_count("fsdp2", 1024))
    assert [layout.parallel.gpus for layout in series] == list(counts(1024))
    assert series[0].peak_bytes == compute(scenario).peak_bytes
    sizes = [layout.peak_bytes for layout in series[1:]]
    assert sizes == sorted(sizes, reverse=True)
    assert len({layout.peak_bytes for layout in list(planner.by_count("ddp", 1024))[1:]}) == 1


@given(scenario=scenarios(), power=st.integers(1, 6), data=st.data())
@examples(40)
def test_the_moments_that_are_kept_hold_the_largest(
    scenario: Scenario, power: int, data: st.DataObject
) -> None:
    parallel = data.draw(st.sampled_from(list(candidates(scenario, 1 << power))))
    chosen = replace(scenario, parallel=parallel)
    kept = Ranks.among(Parts(scenario, H100, peaks_only=True), chosen)
    whole = Ranks.of(chosen, H100)
    assert [highest for _, highest in kept.grounds] == [highest for _, highest in whole.grounds]


@given(
    sizes=st.lists(st.tuples(st.integers(1, 50), st.integers(1, 9)), min_size=1, max_size=6),
    ranks=st.integers(1, 40),
)
def test_parameters_are_dealt_as_the_rule_says(sizes: list[tuple[int, int]], ranks: int) -> None:
    """The rule word by word: largest first (equals in order), each to the rank with the least so far."""
    heap = [(0, rank) for rank in range(min(ranks, sum(count for _, count in sizes)))]
    held = [[0] * len(sizes) for _ in heap]
    tensors = [(numel, kind) for kind, (numel, count) in enumerate(sizes) for _ in range(count)]
    for numel, kind in sorted(tensors, key=lambda tensor: -tensor[0]):
        load, rank = heapq.heappop(heap)
        held[rank][kind] += 1
        heapq.heappush(heap, (load + numel, rank))
    assert dealt(tuple(sizes), ranks) == tuple(map(tuple, held))
