"""What is given back to the device, and what happens when it has nothing left; worked out by hand."""

from __future__ import annotations

import pytest

from optmem_gui.allocator.caching import CachingAllocator, DeviceOutOfMemoryError
from optmem_gui.allocator.config import MIB, AllocatorConfig


def test_a_refused_request_empties_the_cache_and_tries_again() -> None:
    allocator = CachingAllocator(capacity_bytes=16 * MIB)
    allocator.free(allocator.malloc(12 * MIB))
    allocator.malloc(14 * MIB)  # 12 cached and 14 are more than 16
    statistics = allocator.statistics
    assert (statistics.reserved, statistics.reserved_peak, statistics.retries) == (14 * MIB, 14 * MIB, 1)
    with pytest.raises(DeviceOutOfMemoryError) as refused:
        allocator.malloc(4 * MIB)
    assert (refused.value.size, refused.value.allocated, refused.value.reserved) == (4 * MIB, *[14 * MIB] * 2)
    assert (statistics.retries, statistics.out_of_memory) == (2, 1)


def test_a_graph_that_is_captured_gives_nothing_back() -> None:
    allocator = CachingAllocator(capacity_bytes=16 * MIB)
    allocator.free(allocator.malloc(12 * MIB))
    with pytest.raises(DeviceOutOfMemoryError):
        allocator.malloc(14 * MIB, pool_id=(1, 0))
    assert allocator.statistics.reserved == 12 * MIB
    assert allocator.statistics.retries == 0


def test_the_memory_fraction_counts_before_the_device_does() -> None:
    allocator = CachingAllocator(AllocatorConfig(memory_fraction=0.5), capacity_bytes=64 * MIB)
    allocator.malloc(30 * MIB)
    with pytest.raises(DeviceOutOfMemoryError):
        allocator.malloc(4 * MIB)  # 30 and a segment of 20 are more than 32


def test_segments_with_a_block_in_use_stay() -> None:
    allocator = CachingAllocator()
    kept = allocator.malloc(5 * MIB)
    allocator.free(allocator.malloc(5 * MIB))
    allocator.free(allocator.malloc(40 * MIB))
    small = allocator.malloc(100)
    allocator.free(small)
    allocator.empty_cache()
    assert allocator.statistics.reserved == 20 * MIB
    # The large pool goes first, then the small one.
    calls = [(call.action, call.size) for call in allocator.device.calls[-2:]]
    assert calls == [("segment_free", 40 * MIB), ("segment_free", 2 * MIB)]
    allocator.free(kept)


def freed(allocator: CachingAllocator) -> list[int]:
    """Sizes of the segments that were given back, in order."""
    return [call.size // MIB for call in allocator.device.calls if call.action == "segment_free"]


def test_only_as_many_oversize_blocks_go_as_are_needed() -> None:
    config = AllocatorConfig(max_split_bytes=50 * MIB)
    allocator = CachingAllocator(config, capacity_bytes=400 * MIB)
    for address in [allocator.malloc(size * MIB) for size in (60, 80, 100, 120)]:
        allocator.free(address)
    allocator.malloc(30 * MIB)  # 360 reserved; oversize blocks do not serve it
    assert freed(allocator) == []
    # 60 more would not fit (390 + 60 > 400), but the cached block of 60 serves them.
    allocator.malloc(60 * MIB)
    assert freed(allocator) == []
    # 40 more do not fit either: max(40, 50) = 50 are wanted, the smallest that has them is 80.
    allocator.malloc(40 * MIB)
    assert freed(allocator) == [80]
    # 170 more: no single one has them; the largest go first until 170 are reached: 120, then 100.
    allocator.malloc(170 * MIB)
    assert freed(allocator) == [80, 120, 100]
    assert allocator.statistics.retries == 0


def test_garbage_collection_gives_old_blocks_back() -> None:
    config = AllocatorConfig(garbage_collection_threshold=0.5, memory_fraction=1.0)
    allocator = CachingAllocator(config, capacity_bytes=200 * MIB)
    old, young = allocator.malloc(40 * MIB), allocator.malloc(44 * MIB)
    allocator.free(old)
    for _ in range(3):  # each search makes the one that is left over older
        allocator.free(allocator.malloc(30 * MIB, stream=1))
    allocator.free(young)
    # Threshold 100 MiB; reserved 40 + 44 + 30 = 114. A block of 50 MiB is in no pool, so 14 must go. Ages in
    # searches of the large pool: the search that fails counts as well, so 40 is 4 old, 30 is 1, 44 is 1; the
    # average is 2, and only the one of 40 is that old.
    allocator.malloc(50 * MIB)
    assert freed(allocator) == [40]
    assert allocator.statistics.reserved == 124 * MIB


def test_garbage_collection_needs_a_memory_fraction() -> None:
    config = AllocatorConfig(garbage_collection_threshold=0.1)
    allocator = CachingAllocator(config, capacity_bytes=200 * MIB)
    allocator.free(allocator.malloc(40 * MIB))
    allocator.malloc(50 * MIB)
    assert freed(allocator) == []
    assert allocator.statistics.reserved == 90 * MIB
