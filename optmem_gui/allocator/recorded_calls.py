"""Doing to an allocator what a recording says was done with the device."""

from __future__ import annotations

from collections import deque

from optmem_gui.allocator.blocks import DEFAULT_POOL, Block, Pool, PoolId
from optmem_gui.allocator.caching import CachingAllocator
from optmem_gui.allocator.device import Addresses
from optmem_gui.allocator.expandable import unmap_range
from optmem_gui.allocator.recording import Event, Recording


class RecordedAddresses(Addresses):
    """Segments come to lie where the recording says, as far as it has one of the size.

    Attributes:
        pending: Addresses and sizes of recorded segments that were not asked for yet.
        invented: How many segments had no recorded address.
    """

    def __init__(self) -> None:
        super().__init__()
        self.pending: deque[tuple[int, int]] = deque()
        self.invented = 0

    def segment(self, size: int) -> int:
        """Address of a new segment."""
        for index, (address, recorded_size) in enumerate(self.pending):
            if recorded_size == size:
                del self.pending[index]
                return address
        self.invented += 1
        return super().segment(size)


class PrivatePools:
    """Which private pool an address belongs to, as far as its segment outlived the recording."""

    def __init__(self, recording: Recording) -> None:
        self._segments = [
            (segment.address, segment.address + segment.size, segment.pool_id)
            for segment in recording.segments
            if segment.pool_id != DEFAULT_POOL
        ]

    def __call__(self, address: int) -> PoolId:
        """The pool of an address."""
        for start, end, pool_id in self._segments:
            if start <= address < end:
                return pool_id
        return DEFAULT_POOL


def free_segment(allocator: CachingAllocator, pool: Pool, event: Event) -> bool:
    """Give the recorded segment back.

    Returns:
        Whether the allocator holds it as one free block.
    """
    block = pool.at.get(event.address)
    if block is None or block.split or block.base >= 0 or block.size != event.size:
        return False
    allocator.device.give_back(block)
    return True


def unmap(allocator: CachingAllocator, pools: tuple[Pool, ...], event: Event) -> bool:
    """Take the memory of the recorded range back.

    Returns:
        Whether the allocator holds the range inside one free block.
    """
    end = event.address + event.size
    for pool in pools:
        for block in pool.at.values():
            if block.base >= 0 and block.address <= event.address and end <= block.address + block.size:
                unmap_range(allocator.device, block, event.address, end)
                return True
    return False


def unmapped_block(pools: tuple[Pool, ...], address: int) -> Block | None:
    """The range without memory that begins at an address."""
    return next((pool.unmapped_at[address] for pool in pools if address in pool.unmapped_at), None)
