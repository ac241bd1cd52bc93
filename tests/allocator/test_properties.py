"""What holds whatever a program does."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.allocator.caching import CachingAllocator
from optmem_gui.allocator.config import MIB, AllocatorConfig
from optmem_gui.allocator.state import segments_of
from optmem_gui.core.blocks import SMALL_BYTES
from tests.allocator.recorder import SIZES, Program
from tests.examples import examples

CONFIGS = (
    AllocatorConfig(),
    AllocatorConfig(expandable_segments=True),
    AllocatorConfig(max_split_bytes=20 * MIB),
    AllocatorConfig(roundup_divisions=(4,) * 16),
    AllocatorConfig(garbage_collection_threshold=0.5, memory_fraction=1.0),
    AllocatorConfig(expandable_segments=True, roundup_divisions=(8,) * 16),
)
STEP = st.one_of(
    st.tuples(st.just("alloc"), st.sampled_from(SIZES), st.sampled_from((0, 0, 0, 9))),
    st.tuples(st.just("alloc"), st.integers(1, 60 * MIB), st.just(0)),
    st.tuples(st.just("free"), st.integers(0, 1000), st.just(0)),
    st.tuples(st.just("empty"), st.just(0), st.just(0)),
)
PROGRAM = st.lists(STEP, max_size=60)
CAPACITY = st.sampled_from((None, 300 * MIB))


def run(steps: list[Any], config: AllocatorConfig, capacity_bytes: int | None = None) -> Program:
    """Run a program."""
    program = Program(config, capacity_bytes)
    for action, number, stream in steps:
        if action == "alloc":
            program.alloc(number, stream)
        elif action == "empty":
            program.empty_cache()
        elif program.live:
            program.free(sorted(program.live)[number % len(program.live)])
        check(program.allocator)
    return program


def check(allocator: CachingAllocator) -> None:
    """Sums, no overlap, nothing that should have been joined, peaks above what is there."""
    statistics = allocator.statistics
    segments = segments_of(allocator)
    blocks = [block for segment in segments for block in segment.blocks]
    assert statistics.allocated == sum(block.size for block in blocks if block.allocated)
    assert statistics.active == sum(block.size for block in blocks if block.allocated or block.awaiting)
    assert statistics.requested == sum(block.requested for block in blocks if block.allocated)
    assert statistics.reserved == sum(segment.size for segment in segments)
    assert statistics.allocated <= statistics.reserved <= statistics.reserved_peak
    assert statistics.allocated_peak >= statistics.allocated
    end = 0
    for segment in segments:
        assert segment.address >= end
        end = segment.address + segment.size
        assert sum(block.size for block in segment.blocks) == segment.size
        free = [not (block.allocated or block.awaiting) for block in segment.blocks]
        assert not any(first and second for first, second in pairwise(free))
        if not segment.small and not segment.expandable:
            assert all(b.size > SMALL_BYTES for b, f in zip(segment.blocks, free, strict=True) if f)
    split = [s for s in segments if not s.expandable and len(s.blocks) > 1]
    inactive = sum(b.size for s in split for b in s.blocks if not (b.allocated or b.awaiting))
    assert statistics.inactive_split == inactive
    assert statistics.segments == sum(not segment.expandable for segment in segments)
    capacity = allocator.device.capacity_bytes
    assert capacity is None or statistics.reserved <= capacity


@examples(150)
@given(PROGRAM, st.sampled_from(CONFIGS), CAPACITY)
def test_the_books_balance_after_every_step(
    steps: list[Any], config: AllocatorConfig, capacity: int | None
) -> None:
    program = run(steps, config, capacity)
    for address in sorted(program.live):
        program.free(address)
    check(program.allocator)
    if not config.expandable_segments:
        assert all(len(segment.blocks) == 1 for segment in program.state())
    program.allocator.empty_cache()
    assert program.allocator.statistics.reserved == 0
    assert program.allocator.device.segments == {}


@examples(60)
@given(PROGRAM)
def test_peaks_never_fall_and_reach_what_was_there(steps: list[Any]) -> None:
    program = Program()
    highest = 0
    for action, number, stream in steps:
        before = program.allocator.statistics.reserved_peak
        if action == "alloc":
            program.alloc(number, stream)
        elif program.live:
            program.free(sorted(program.live)[number % len(program.live)])
        highest = max(highest, program.allocator.statistics.reserved)
        assert program.allocator.statistics.reserved_peak >= before
    assert program.allocator.statistics.reserved_peak == highest


@examples(60)
@given(PROGRAM, st.sampled_from(CONFIGS))
def test_the_same_program_ends_the_same(steps: list[Any], config: AllocatorConfig) -> None:
    assert run(steps, config, 300 * MIB).state() == run(steps, config, 300 * MIB).state()
