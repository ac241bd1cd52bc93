"""Ends of segments: the small model of free blocks against the whole one, and by hand."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from optmem_gui.allocator.caching import CachingAllocator
from optmem_gui.core import ends
from optmem_gui.core.activations.course import Course
from optmem_gui.core.activations.memory import Memory
from optmem_gui.core.activations.plan import Plan
from optmem_gui.core.activations.playing import Passes
from optmem_gui.core.activations.requests import ENTRY, INPUT, MULTIPLIES, Requests
from optmem_gui.core.blocks import Block, LargePool, whole_blocks
from optmem_gui.core.ends import NO_ENDS, Ends, Run, Tensor, ends_of
from optmem_gui.core.estimate import compute
from optmem_gui.core.ground import grounds_of
from optmem_gui.core.layout import FEW_LAYERS
from optmem_gui.core.model import Source
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.played import ends_at
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import transformer_ref
from optmem_gui.core.transformer import TransformerShape
from optmem_gui.core.units import MIB
from optmem_gui.engine.gpu_table import find_gpu

SHAPE = TransformerShape(32_000, 1024, 6, 16, 4, 64, 2816, norm="rms")
GPU = find_gpu("h100-80gb")
KINDS = [
    {},
    {"checkpointing": "full"},
    {"checkpointing": "every-2"},
    {"checkpointing": "attention", "attention": "eager"},
    {"precision": "amp-bf16"},
    {"accumulate": 4},
    {"set_to_none": False},
    {"loss": "chunked"},
    {"loss": "fused"},
    {"keep_logits": True},
]


def scenario(**changes: object) -> Scenario:
    made = Scenario(
        transformer_ref("small", Source.CONFIG, SHAPE), precision="bf16", batch=3, sequence=700, gpu=GPU.id
    )
    return replace(made, **changes)  # type: ignore[arg-type]  # fields of different types


@pytest.mark.parametrize("seed", range(20))
def test_the_large_pool_is_the_allocators(seed: int) -> None:
    """Requests of 1 to 40 MiB, taken and given back by chance: the same bytes after each."""
    chance = random.Random(seed)  # noqa: S311  # sizes, no secrets
    pool, whole = LargePool(), CachingAllocator()
    held: list[tuple[Block, int]] = []
    for _ in range(400):
        if held and chance.random() < 0.48:
            block, address = held.pop(chance.randrange(len(held)))
            pool.give_back(block)
            whole.free(address)
        else:
            size = chance.choice((chance.randint(MIB + 1, 40 * MIB), chance.randint(2, 12) * MIB))
            held.append((pool.take(whole_blocks(size)), whole.malloc(size)))
        asked = sum(block.requested for block, _ in held)
        assert pool.allocated == whole.statistics.allocated == asked + pool.ends


def test_new_segments_by_hand() -> None:
    """11 MiB take a segment of 12 MiB whose last MiB stays; 10.5 MiB leave 1.5 MiB, which is split off.

    The next 1.25 MiB find those 1.5 MiB and keep 0.25 MiB of them.
    """
    tensors = tuple(Tensor((size,)) for size in (11 * MIB, 21 * MIB // 2, 5 * MIB // 4))
    assert ends_of(Run(None, tensors)).load == MIB + MIB // 4


def test_the_first_step_decides_for_all() -> None:
    """Two weights of 12 MiB leave nothing. Of new segments each gradient (11 MiB) and state keeps 1 MiB.

    Two states a tensor: nothing is free at the first step, so 4 MiB stay with them for good; the gradients
    keep 2 MiB while they are there. The list of 12 MiB that the step makes leaves nothing.
    """
    tensor = Tensor((12 * MIB,), gradient=11 * MIB, state=(11 * MIB, 11 * MIB), optimized=12 * MIB)
    found = ends_of(Run(None, (tensor, tensor), lists=1))
    assert found == Ends(
        load=0, forward=4 * MIB, backward=6 * MIB, ready=6 * MIB, step=6 * MIB, between=4 * MIB
    )


def test_small_requests_leave_nothing() -> None:
    assert ends_of(Run(None, (Tensor((MIB, 700)),) * 4)) == NO_ENDS


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_step_gives_back_what_it_takes(kind: dict[str, object]) -> None:
    """Once the gradients are freed, cuBLAS's two workspaces alone are in use."""
    (ground,) = grounds_of(scenario(**kind), GPU)
    assert isinstance(ground.plan, Plan)
    memory = Memory()
    passes = Passes(
        Course(ground.plan),
        memory,
        workspace_bytes=32 * MIB,
        logits_bytes=64 * MIB,
        added=False,
    )
    for _ in range(2):
        passes.forward()
        passes.backward()
        assert memory.asked_bytes > 128 * MIB
        passes.drop_logits()
        passes.drop_gradients()
        assert memory.asked_bytes == 64 * MIB


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_what_a_stage_takes_it_lets_go_or_keeps(kind: dict[str, object]) -> None:
    (ground,) = grounds_of(scenario(**kind), GPU)
    assert isinstance(ground.plan, Plan)
    course = Course(ground.plan)
    for stage in (course.layer(0), course.layer(1), course.loss):
        requests = stage.requests
        left = _left(requests)
        assert left == {*requests.kept, *requests.waiting, requests.gradient} - {ENTRY, -2}


def _left(requests: Requests) -> set[int]:
    """Places that are taken after forward and backward."""
    alive = {INPUT, ENTRY}
    for place, size in (*requests.forward, *((place, 0) for place in requests.cached), *requests.backward):
        if place == MULTIPLIES:
            continue
        if size > 0:
            assert place not in alive
            alive.add(place)
        else:
            alive.discard(place)
    return alive - {INPUT, ENTRY, requests.result}


def test_tensors_are_played_or_counted_as_new_segments_leave_them() -> None:
    """Played on one GPU in a model of few layers; not what an engine lays out, and not many layers."""
    deep = transformer_ref("deep", Source.CONFIG, replace(SHAPE, layers=FEW_LAYERS + 1))
    for made, played in (
        (scenario(), True),
        (scenario(parallel=Parallel(gpus=2, shard="zero2")), False),
        (scenario(model=deep), False),
    ):
        ground, *_ = grounds_of(made, GPU)
        assert ground.layout.new_segments is not played
        assert (ends_at(ground, find(made.optimizer), (), None).backward > 0) is played


def test_a_cpu_has_no_ends() -> None:
    made = replace(scenario(), target="cpu", gpu=None)
    assert "rounding" not in compute(made, None).phase("backward").parts


def test_an_edit_that_changes_no_request_plays_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    compute(scenario(), GPU)
    monkeypatch.setattr(ends, "_Player", None)
    compute(scenario(clip=True), GPU)
