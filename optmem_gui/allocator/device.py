"""The device's side: segments that are taken from it and given back, within what it has."""

from __future__ import annotations

from typing import NamedTuple

from optmem_gui.allocator.config import AllocatorConfig
from optmem_gui.allocator.sizes import page_bytes
from optmem_gui.allocator.statistics import Statistics
from optmem_gui.core.blocks import DEFAULT_POOL, SEGMENT_ROUNDING_BYTES, Block, Pool

UNLIMITED_RANGE_BYTES = 1 << 41
"""Addresses of an expandable segment where the device's memory is not given."""

_FIRST_SEGMENT, _FIRST_RANGE = 0x7F00_0000_0000, 0x2000_0000_0000


class DeviceCall(NamedTuple):
    """What was asked of the device; names as in a recording.

    Attributes:
        action: ``segment_alloc``, ``segment_free``, ``segment_map`` or ``segment_unmap``.
        address: Where.
        size: Bytes.
        stream: The stream of its blocks.
    """

    action: str
    address: int
    size: int
    stream: int


class Addresses:
    """Where the driver puts segments. The addresses are invented, in rising order, and never used twice."""

    def __init__(self, first_segment: int = _FIRST_SEGMENT) -> None:
        self._segment = first_segment
        self._range = _FIRST_RANGE

    def segment(self, size: int) -> int:
        """Address of a new segment of fixed size."""
        address = self._segment
        self._segment += -(-size // SEGMENT_ROUNDING_BYTES) * SEGMENT_ROUNDING_BYTES
        return address

    def range(self, size: int) -> int:
        """Address of a new range for an expandable segment."""
        address = self._range
        self._range += size
        return address


class Device:
    """Memory that the allocator takes and gives back.

    Attributes:
        config: The allocator's settings.
        capacity_bytes: What the device hands out to this process; None without an end.
        limit_bytes: What ``memory_fraction`` leaves of it; None without one.
        statistics: Counters, shared with the allocator.
        addresses: Where new segments come to lie.
        segments: Segments of fixed size that are held: their bytes by address.
        calls: Everything that was asked of the device, in order.
    """

    def __init__(
        self, config: AllocatorConfig, capacity_bytes: int | None = None, addresses: Addresses | None = None
    ) -> None:
        self.config = config
        self.capacity_bytes = capacity_bytes
        fraction = config.memory_fraction
        self.limit_bytes = (
            None if fraction is None or capacity_bytes is None else int(fraction * capacity_bytes)
        )
        self._range_bytes = (
            UNLIMITED_RANGE_BYTES if capacity_bytes is None else capacity_bytes + capacity_bytes // 8
        )
        self.statistics = Statistics()
        self.addresses = Addresses() if addresses is None else addresses
        self.segments: dict[int, int] = {}
        self.calls: list[DeviceCall] = []

    def within_limit(self, size: int) -> bool:
        """Whether the memory fraction allows this much more (``alloc_block``)."""
        return self.limit_bytes is None or self.statistics.reserved + size <= self.limit_bytes

    def has_room(self, size: int) -> bool:
        """Whether the device has this much left."""
        return self.capacity_bytes is None or self.statistics.reserved + size <= self.capacity_bytes

    def new_segment(self, pool: Pool, size: int, stream: int) -> Block | None:
        """Take a segment of fixed size (``cudaMalloc``): one block that is in no pool; None without room."""
        if not self.has_room(size):
            return None
        address = self.addresses.segment(size)
        self.segments[address] = size
        self.statistics.grow(size, 1)
        self.calls.append(DeviceCall("segment_alloc", address, size, stream))
        return Block(address, size, pool, stream)

    def give_back(self, block: Block) -> None:
        """Give a segment that is one free block back (``release_block``)."""
        block.pool.remove(block)
        del self.segments[block.address]
        self.statistics.shrink(block.size, 1)
        self.calls.append(DeviceCall("segment_free", block.address, block.size, block.stream))

    def new_range(self, pool: Pool, size: int, stream: int) -> Block:
        """Reserve addresses for an expandable segment: 1 1/8 of the device's memory, none of it mapped.

        It is at least ``size`` bytes, which only matters for a device without an end.

        Source: ``find_expandable_block`` and ``ExpandableSegment``.
        """
        page = page_bytes(small=pool.small, config=self.config)
        range_bytes = -(-max(self._range_bytes, size) // page) * page
        base = self.addresses.range(range_bytes)
        block = Block(base, range_bytes, pool, stream, base)
        block.mapped = False
        pool.add_unmapped(block)
        return block

    def count_mapped(self, address: int, size: int, stream: int) -> None:
        """Pages were mapped."""
        self.statistics.grow(size, 0)
        self.calls.append(DeviceCall("segment_map", address, size, stream))

    def count_unmapped(self, address: int, size: int, stream: int) -> None:
        """Pages were unmapped."""
        self.statistics.shrink(size, 0)
        self.calls.append(DeviceCall("segment_unmap", address, size, stream))


def is_private(pool: Pool) -> bool:
    """Whether a pool belongs to a graph."""
    return pool.owner != DEFAULT_POOL
