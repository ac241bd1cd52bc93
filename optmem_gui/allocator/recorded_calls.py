"""Doing to an allocator what a recording says was done with the device."""

from __future__ import annotations

from collections import deque

from optmem_gui.allocator.caching import CachingAllocator
from optmem_gui.allocator.device import Addresses
from optmem_gui.allocator.expandable import map_pages, unmap_range
from optmem_gui.allocator.recording import Event
from optmem_gui.allocator.sizes import SMALL_SEGMENT_BYTES

_INVENTED = 1 << 58
"""Above every address a recording can hold."""


class RecordedAddresses(Addresses):
    """Segments come to lie where the recording says, as far as it has one of the size.

    Attributes:
        pending: Addresses and sizes of recorded segments that were not asked for yet.
        mapped: Where pages were mapped since the last block was handed out.
        invented: How many segments had no recorded address.
    """

    def __init__(self) -> None:
        super().__init__(_INVENTED)
        self.pending: deque[tuple[int, int]] = deque()
        self.mapped: list[int] = []
        self.invented = 0

    def range(self, size: int) -> int:
        """Address of a new range: its first pages are those that the recording maps next."""
        return self.mapped[0] if self.mapped else super().range(size)

    def segment(self, size: int) -> int:
        """Address of a new segment."""
        for index, (address, recorded_size) in enumerate(self.pending):
            if recorded_size == size:
                del self.pending[index]
                return address
        self.invented += 1
        return super().segment(size)


def request_free(allocator: CachingAllocator, address: int) -> bool:
    """Let go of a block.

    Returns:
        Whether there is one in use.
    """
    block = allocator.blocks.get(address)
    if block is None or not block.allocated:
        return False
    allocator.free_requested(address)
    return True


def complete_free(allocator: CachingAllocator, address: int) -> bool:
    """Give a block that was let go of back to its pool.

    Returns:
        Whether there is one that waits.
    """
    block = allocator.blocks.get(address)
    if block is None or not block.awaiting:
        return False
    allocator.free_completed(address)
    return True


def free_segment(allocator: CachingAllocator, event: Event) -> bool:
    """Give the recorded segment back.

    Returns:
        Whether the allocator holds it as one free block.
    """
    pool = allocator.pool(event.pool_id, small=event.size == SMALL_SEGMENT_BYTES)
    block = pool.at.get(event.address)
    if block is None or block.split or block.base >= 0 or block.size != event.size:
        return False
    allocator.device.give_back(block)
    return True


def unmap(allocator: CachingAllocator, event: Event) -> bool:
    """Take the memory of the recorded range back.

    Returns:
        Whether the allocator holds the range inside one free block.
    """
    end = event.address + event.size
    for pool in allocator.pools:
        for block in pool.at.values():
            if block.base >= 0 and block.address <= event.address and end <= block.address + block.size:
                unmap_range(allocator.device, block, event.address, end)
                return True
    return False


def map_range(allocator: CachingAllocator, addresses: RecordedAddresses, event: Event) -> bool:
    """Put memory behind the recorded range, at the beginning of a new expandable segment where there is none.

    Returns:
        Whether the allocator holds a range without memory that begins there.
    """
    pool = allocator.pool(event.pool_id, small=event.size == SMALL_SEGMENT_BYTES)
    block = pool.unmapped_at.get(event.address)
    if block is None and not pool.unmapped.get(event.stream):
        addresses.mapped = [event.address]
        block = allocator.device.new_range(pool, event.size, event.stream)
    return block is not None and map_pages(allocator.device, block, event.size)
