"""Expandable segments, worked out by hand: 20 MiB pages in the large pool, 2 MiB in the small one."""

from __future__ import annotations

import pytest

from optmem_gui.allocator.caching import CachingAllocator, DeviceOutOfMemoryError
from optmem_gui.allocator.config import MIB, AllocatorConfig
from optmem_gui.allocator.state import segments_of

CONFIG = AllocatorConfig(expandable_segments=True)


def test_a_segment_grows_by_pages() -> None:
    allocator = CachingAllocator(CONFIG)
    first, second = allocator.malloc(11 * MIB), allocator.malloc(11 * MIB)
    assert second == first + 11 * MIB  # 9 MiB of the first page and 2 of the next
    assert allocator.statistics.reserved == 40 * MIB
    calls = [(call.action, call.address - first, call.size) for call in allocator.device.calls]
    assert calls == [("segment_map", 0, 20 * MIB), ("segment_map", 20 * MIB, 20 * MIB)]
    assert len(segments_of(allocator)) == 1
    small = allocator.malloc(5)
    assert allocator.statistics.reserved == 42 * MIB
    for address in (first, second, small):
        allocator.free(address)
    assert allocator.statistics.inactive_split == 0  # not counted for expandable segments
    allocator.empty_cache()
    assert allocator.statistics.reserved == 0
    assert segments_of(allocator) == ()


def test_rests_from_512_bytes_on_are_split_off() -> None:
    allocator = CachingAllocator(CONFIG)
    first = allocator.malloc(20 * MIB - 512)
    assert allocator.statistics.allocated == 20 * MIB - 512
    assert allocator.malloc(1 * MIB + 1) == first + 20 * MIB - 512  # begins in the rest of 512 bytes


def test_only_whole_pages_inside_a_free_block_are_unmapped() -> None:
    allocator = CachingAllocator(CONFIG)
    a = allocator.malloc(15 * MIB)
    b = allocator.malloc(50 * MIB)  # 15 to 65 MiB: pages 1 and 2 are all its own
    c = allocator.malloc(15 * MIB)  # up to 80 MiB, the end of page 3
    assert allocator.statistics.reserved == 80 * MIB
    allocator.free(b)
    allocator.empty_cache()
    call = allocator.device.calls[-1]
    assert (call.action, call.address - a, call.size) == ("segment_unmap", 20 * MIB, 40 * MIB)
    assert allocator.statistics.reserved == 40 * MIB
    assert [(s.address - a, s.size) for s in segments_of(allocator)] == [(0, 20 * MIB), (60 * MIB, 20 * MIB)]
    # 45 MiB: free from 15 to 20, the hole of 40, free from 60 to 65: the lowest room, mapped again.
    assert allocator.malloc(45 * MIB) == a + 15 * MIB
    assert allocator.statistics.reserved == 80 * MIB
    allocator.free(c)


def test_the_end_of_the_segment_counts_as_large_as_it_can_grow() -> None:
    allocator = CachingAllocator(CONFIG)
    a = allocator.malloc(30 * MIB)
    allocator.malloc(5 * MIB)  # 5 MiB free at the end, which can grow
    allocator.free(a)
    # The end is the smaller block of the two that hold 4 MiB, but counts as large as the rest of the range.
    assert allocator.malloc(4 * MIB) == a


def test_streams_and_pools_have_segments_of_their_own() -> None:
    allocator = CachingAllocator(CONFIG)
    addresses = [allocator.malloc(2 * MIB), allocator.malloc(2 * MIB, stream=3), allocator.malloc(512)]
    addresses.append(allocator.malloc(2 * MIB, pool_id=(1, 0)))
    assert allocator.statistics.reserved == 62 * MIB
    assert len({segment.address for segment in segments_of(allocator)}) == 4


def test_what_was_mapped_before_the_device_refused_stays() -> None:
    allocator = CachingAllocator(CONFIG, capacity_bytes=100 * MIB)
    allocator.malloc(30 * MIB)
    with pytest.raises(DeviceOutOfMemoryError):
        allocator.malloc(90 * MIB)  # 10 MiB are free, 80 more need four pages, the device has three
    assert allocator.statistics.reserved == 40 * MIB
    allocator.malloc(70 * MIB)
    assert allocator.statistics.reserved == 100 * MIB


def test_free_pages_elsewhere_are_unmapped_when_the_device_refuses() -> None:
    allocator = CachingAllocator(CONFIG, capacity_bytes=100 * MIB)
    hole, kept = allocator.malloc(60 * MIB), allocator.malloc(20 * MIB)
    allocator.free(hole)
    assert allocator.malloc(40 * MIB, stream=1) != hole  # 80 mapped and 40 more: the hole must go first
    assert allocator.statistics.reserved == 60 * MIB
    assert allocator.statistics.retries == 1
    allocator.free(kept)


def test_once_switched_off_expandable_blocks_are_left_alone() -> None:
    allocator = CachingAllocator(CONFIG)
    grown = allocator.malloc(4 * MIB)
    allocator.free(grown)
    allocator.config = allocator.device.config = AllocatorConfig()
    fixed = allocator.malloc(4 * MIB)
    assert allocator.statistics.reserved == 40 * MIB
    allocator.free(fixed)
    assert allocator.malloc(5 * MIB) == fixed
