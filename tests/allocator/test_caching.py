"""The allocator step by step, each figure worked out by hand from the rules of CUDACachingAllocator.cpp."""

from __future__ import annotations

import pytest

from optmem_gui.allocator.caching import CachingAllocator
from optmem_gui.allocator.config import MIB, AllocatorConfig
from optmem_gui.allocator.state import segments_of


def figures(allocator: CachingAllocator) -> tuple[int, int, int]:
    """Allocated, reserved, inactive split."""
    statistics = allocator.statistics
    return statistics.allocated, statistics.reserved, statistics.inactive_split


def test_small_requests_share_a_segment_of_2_mib() -> None:
    allocator = CachingAllocator()
    first = allocator.malloc(1)
    assert figures(allocator) == (512, 2 * MIB, 2 * MIB - 512)
    second = allocator.malloc(MIB)
    assert second == first + 512
    assert figures(allocator) == (512 + MIB, 2 * MIB, MIB - 512)
    third = allocator.malloc(MIB)  # the rest is 512 bytes short of it
    assert figures(allocator) == (512 + 2 * MIB, 4 * MIB, 2 * MIB - 512)
    for address in (first, second, third):
        allocator.free(address)
    assert figures(allocator) == (0, 4 * MIB, 0)
    assert allocator.statistics.allocated_peak == 512 + 2 * MIB
    allocator.empty_cache()
    assert figures(allocator) == (0, 0, 0)
    assert allocator.statistics.reserved_peak == 4 * MIB


def test_requests_up_to_10_mib_share_a_segment_of_20_mib() -> None:
    allocator = CachingAllocator()
    first = allocator.malloc(MIB + 1)
    assert figures(allocator) == (MIB + 512, 20 * MIB, 19 * MIB - 512)
    second = allocator.malloc(10 * MIB)  # fits in the rest
    assert second == first + MIB + 512
    assert figures(allocator) == (11 * MIB + 512, 20 * MIB, 9 * MIB - 512)
    # 11 MiB and 7 bytes: a segment of 12 MiB; 1 MiB less 512 would remain, so the block takes it all.
    third = allocator.malloc(11 * MIB + 7)
    assert figures(allocator) == (23 * MIB + 512, 32 * MIB, 9 * MIB - 512)
    assert allocator.statistics.requested == MIB + 1 + 10 * MIB + 11 * MIB + 7
    for address in (first, second, third):
        allocator.free(address)
    assert figures(allocator) == (0, 32 * MIB, 0)
    assert allocator.statistics.segments == 2


def test_the_smallest_block_that_fits_is_taken_and_the_lowest_of_equals() -> None:
    allocator = CachingAllocator()
    addresses = [allocator.malloc(size) for size in (30 * MIB, 20 * MIB, 20 * MIB, 24 * MIB)]
    for address in addresses:
        allocator.free(address)
    assert allocator.malloc(20 * MIB) == addresses[1]
    assert allocator.malloc(20 * MIB) == addresses[2]
    assert allocator.malloc(20 * MIB) == addresses[3]
    assert allocator.malloc(20 * MIB) == addresses[0]
    assert allocator.statistics.reserved == 94 * MIB


def test_neighbours_that_are_free_are_joined() -> None:
    allocator = CachingAllocator()
    a, b, c = (allocator.malloc(5 * MIB) for _ in range(3))
    allocator.free(a)
    allocator.free(c)  # joins the rest of 5 MiB
    assert figures(allocator) == (5 * MIB, 20 * MIB, 15 * MIB)
    assert [block.size for block in segments_of(allocator)[0].blocks] == [5 * MIB, 5 * MIB, 10 * MIB]
    allocator.free(b)
    assert figures(allocator) == (0, 20 * MIB, 0)
    assert [block.size for block in segments_of(allocator)[0].blocks] == [20 * MIB]


def test_streams_do_not_share_free_blocks() -> None:
    allocator = CachingAllocator()
    allocator.free(allocator.malloc(4 * MIB, stream=0))
    other = allocator.malloc(4 * MIB, stream=7)
    assert allocator.statistics.reserved == 40 * MIB
    allocator.free(other)
    assert allocator.malloc(4 * MIB, stream=7) == other


def test_a_block_that_another_stream_uses_is_active_until_that_is_done() -> None:
    allocator = CachingAllocator()
    address = allocator.malloc(4 * MIB)
    allocator.free_requested(address)
    statistics = allocator.statistics
    assert (statistics.allocated, statistics.active) == (0, 4 * MIB)
    assert allocator.malloc(4 * MIB) == address + 4 * MIB  # it cannot be taken yet
    assert segments_of(allocator)[0].blocks[0].awaiting
    allocator.free_completed(address)
    assert (statistics.allocated, statistics.active) == (4 * MIB, 4 * MIB)
    assert allocator.malloc(4 * MIB) == address


def test_emptying_the_cache_waits_for_streams() -> None:
    allocator = CachingAllocator()
    allocator.free_requested(allocator.malloc(12 * MIB))
    allocator.empty_cache()
    assert (allocator.statistics.active, allocator.statistics.reserved) == (0, 0)


def test_private_pools_keep_their_segments_until_their_graph_is_gone() -> None:
    allocator = CachingAllocator()
    allocator.free(allocator.malloc(4 * MIB))
    captured = allocator.malloc(4 * MIB, pool_id=(1, 0))  # cached memory outside the graph is not touched
    assert allocator.statistics.reserved == 40 * MIB
    assert {segment.pool_id for segment in segments_of(allocator)} == {(0, 0), (1, 0)}
    allocator.free(captured)
    allocator.empty_cache()
    assert allocator.statistics.reserved == 20 * MIB
    allocator.release_pool((1, 0))
    allocator.empty_cache()
    assert allocator.statistics.reserved == 0


def test_nothing_is_handed_out_for_0_bytes() -> None:
    allocator = CachingAllocator()
    assert allocator.malloc(0) == 0
    allocator.free(0)
    assert allocator.statistics.reserved == 0


def test_oversize_blocks_are_not_split_nor_given_to_smaller_requests() -> None:
    allocator = CachingAllocator(AllocatorConfig(max_split_bytes=64 * MIB))
    big = allocator.malloc(100 * MIB)
    allocator.free(big)
    allocator.malloc(30 * MIB)
    assert allocator.statistics.reserved == 130 * MIB
    assert allocator.malloc(81 * MIB) == big  # 19 MiB unused, less than the 20 MiB that are allowed
    assert allocator.statistics.allocated == 130 * MIB
    allocator.free(big)
    allocator.malloc(80 * MIB)  # 20 MiB would be unused
    assert allocator.statistics.reserved == 210 * MIB


@pytest.mark.parametrize("setting", [20 * MIB, 40 * MIB])
def test_the_segment_that_requests_share_can_be_set(setting: int) -> None:
    allocator = CachingAllocator(AllocatorConfig(large_segment_bytes=setting))
    allocator.malloc(2 * MIB)
    assert allocator.statistics.reserved == setting


def test_peaks_can_be_started_again() -> None:
    allocator = CachingAllocator()
    keep, drop = allocator.malloc(3 * MIB), allocator.malloc(30 * MIB)
    allocator.free(drop)
    allocator.statistics.reset_peaks()
    assert allocator.statistics.allocated_peak == 3 * MIB
    assert allocator.statistics.reserved_peak == 50 * MIB
    allocator.free(keep)
    assert allocator.statistics.as_dict()["allocated"] == 0
