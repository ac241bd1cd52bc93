"""Blocks of device memory, and the pools that keep the free ones in best-fit order.

Source of every rule: c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.13 (``struct Block``, ``BlockPool``,
``round_size``, ``get_allocation_size``, ``should_split``); the constants stand in c10/core/AllocatorConfig.h.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

MIN_BLOCK_BYTES = 512
"""Every block is a multiple of it."""

SMALL_BYTES = 1 << 20
"""Largest request of the small pool; a rest of a large block is split off only where it is larger."""

SHARED_SEGMENT_BYTES = 20 << 20
"""Segment that large requests below the next size share, by default."""

MIN_OWN_SEGMENT_BYTES = 10 << 20
"""From this size on, a request gets a segment of its own size."""

SEGMENT_ROUNDING_BYTES = 2 << 20
"""Segments of their own are multiples of it."""

PoolId = tuple[int, int]
DEFAULT_POOL: PoolId = (0, 0)
"""What everything outside a graph's private pool belongs to."""


class Block:
    """A range of addresses that is handed out, or free, as a whole (``struct Block``).

    Attributes:
        address: Where it begins.
        size: Its bytes, rounded.
        requested: Bytes that were asked for.
        allocated: Whether it is in use by the program.
        awaiting: Whether it was freed while another stream may still use it.
        mapped: Whether memory stands behind the addresses; only parts of expandable segments lack it.
        previous: The block before it in its segment.
        next: The block after it in its segment.
        pool: Where it goes when it is freed.
        stream: The stream it was allocated for.
        base: Where its expandable segment begins; -1 in a segment of fixed size.
        age_base: The pool's search count when it became free, for garbage collection.
    """

    __slots__ = (
        "address",
        "age_base",
        "allocated",
        "awaiting",
        "base",
        "mapped",
        "next",
        "pool",
        "previous",
        "requested",
        "size",
        "stream",
    )

    def __init__(self, address: int, size: int, pool: Pool, stream: int, base: int = -1) -> None:
        self.address = address
        self.size = size
        self.pool = pool
        self.stream = stream
        self.base = base
        self.requested = 0
        self.allocated = False
        self.awaiting = False
        self.mapped = True
        self.previous: Block | None = None
        self.next: Block | None = None
        self.age_base = 0

    @property
    def free(self) -> bool:
        """Whether it can be handed out or merged."""
        return not (self.allocated or self.awaiting)

    @property
    def split(self) -> bool:
        """Whether its segment holds other blocks as well (``is_split``)."""
        return self.previous is not None or self.next is not None

    def insert_before(self, other: Block) -> None:
        """Take a place in the segment just before another block."""
        self.previous, self.next = other.previous, other
        if other.previous is not None:
            other.previous.next = self
        other.previous = self

    def insert_after(self, other: Block) -> None:
        """Take a place in the segment just after another block."""
        self.previous, self.next = other, other.next
        if other.next is not None:
            other.next.previous = self
        other.next = self


class Pool:
    """Free blocks of one kind: small or large, of one private pool or of none (``struct BlockPool``).

    Attributes:
        small: Whether it serves requests up to 1 MiB.
        owner: Which private pool it is part of.
        free: For each stream, sizes and addresses of the free blocks, smallest first: the best fit for a
            request is the first that is not smaller.
        at: The free blocks by address.
        unmapped: For each stream, addresses of ranges without memory behind them, lowest first.
        unmapped_at: Those ranges by address.
        searches: How often a block was looked for, the clock of garbage collection.
    """

    __slots__ = ("at", "free", "owner", "searches", "small", "unmapped", "unmapped_at")

    def __init__(self, *, small: bool, owner: PoolId = DEFAULT_POOL) -> None:
        self.small = small
        self.owner = owner
        self.free: dict[int, list[tuple[int, int]]] = {}
        self.at: dict[int, Block] = {}
        self.unmapped: dict[int, list[int]] = {}
        self.unmapped_at: dict[int, Block] = {}
        self.searches = 0

    def add(self, block: Block) -> None:
        """Keep a free block."""
        block.age_base = self.searches
        self.at[block.address] = block
        keys = self.free.get(block.stream)
        if keys is None:
            self.free[block.stream] = [(block.size, block.address)]
        else:
            insort(keys, (block.size, block.address))

    def remove(self, block: Block) -> None:
        """Take a free block out."""
        del self.at[block.address]
        keys = self.free[block.stream]
        del keys[bisect_left(keys, (block.size, block.address))]

    def add_unmapped(self, block: Block) -> None:
        """Keep a range without memory."""
        self.unmapped_at[block.address] = block
        insort(self.unmapped.setdefault(block.stream, []), block.address)

    def remove_unmapped(self, block: Block) -> None:
        """Take a range without memory out."""
        del self.unmapped_at[block.address]
        addresses = self.unmapped[block.stream]
        del addresses[bisect_left(addresses, block.address)]

    def blocks(self) -> Iterator[Block]:
        """Every free block by stream, size and address; the pool may change meanwhile."""
        for stream in sorted(self.free):
            for _, address in tuple(self.free[stream]):
                yield self.at[address]

    def unmapped_of(self, stream: int) -> Iterator[Block]:
        """Ranges of a stream without memory, lowest address first."""
        for address in self.unmapped.get(stream, ()):
            yield self.unmapped_at[address]


def merge(into: Block, other: Block | None) -> int:
    """Join a free neighbour to a free block (``try_merge_blocks``).

    Returns:
        Bytes that were joined; 0 where the neighbour is absent, in use, or differs in being mapped.
    """
    if other is None or other.allocated or other.awaiting or other.mapped is not into.mapped:
        return 0
    if other.mapped:
        other.pool.remove(other)
    else:
        other.pool.remove_unmapped(other)
    if into.previous is other:
        into.address = other.address
        into.previous = other.previous
        if other.previous is not None:
            other.previous.next = into
    else:
        into.next = other.next
        if other.next is not None:
            other.next.previous = into
    into.size += other.size
    return other.size


def whole_blocks(size_bytes: int) -> int:
    """The next multiple of 512 bytes: what a request takes where an end of its segment can be split off."""
    return -(-size_bytes // MIN_BLOCK_BYTES) * MIN_BLOCK_BYTES


def new_segment_bytes(block_bytes: int) -> int:
    """What is asked of the device for a large block, by default (``get_allocation_size``)."""
    if block_bytes < MIN_OWN_SEGMENT_BYTES:
        return SHARED_SEGMENT_BYTES
    return -(-block_bytes // SEGMENT_ROUNDING_BYTES) * SEGMENT_ROUNDING_BYTES


def rounded(size_bytes: int) -> int:
    """What a request takes when its segment is new.

    Requests are rounded up to 512 bytes. Above 1 MiB an end of up to 1 MiB that stays of a segment is not
    split off and counts as allocated: the whole of it for a request with a segment of its own, an equal
    share of it for those that share one. Which free block a later request finds depends on everything
    before it, so this is what to expect of many requests, and exact for the first ones; where their order is
    known, :mod:`optmem_gui.core.ends` follows it.
    """
    block = whole_blocks(size_bytes)
    if block <= SMALL_BYTES:
        return block
    segment = new_segment_bytes(block)
    sharing = segment // block
    end = segment - sharing * block
    return block + end // sharing // MIN_BLOCK_BYTES * MIN_BLOCK_BYTES if end <= SMALL_BYTES else block


class LargePool:
    """The large pool of one stream with PyTorch's default settings: how much more than asked blocks hold.

    Attributes:
        allocated: Bytes of the blocks in use.
        ends: Of these, bytes beyond the requests, rounded up to 512: rests that were not split off.
    """

    __slots__ = ("_at", "_keys", "_pool", "_top", "allocated", "ends")

    def __init__(self) -> None:
        self._pool = Pool(small=False)
        self._keys = self._pool.free.setdefault(0, [])
        self._at = self._pool.at
        self._top = self.allocated = self.ends = 0

    def take(self, block_bytes: int) -> Block:
        """A block for a request of more than 1 MiB: the smallest free one that holds it, or a new one."""
        keys, at = self._keys, self._at
        index = bisect_left(keys, (block_bytes,))
        try:
            block = at.pop(keys.pop(index)[1])
        except IndexError:
            block = Block(self._top, new_segment_bytes(block_bytes), self._pool, 0)
            self._top += block.size + 1  # segments do not touch
        rest_bytes = block.size - block_bytes
        if rest_bytes > SMALL_BYTES:
            front = Block(block.address, block_bytes, self._pool, 0)
            front.insert_before(block)
            block.address += block_bytes
            block.size = rest_bytes
            at[block.address] = block
            insort(keys, (rest_bytes, block.address))
            block = front
        else:
            self.ends += rest_bytes
        block.allocated = True
        block.requested = block_bytes
        self.allocated += block.size
        return block

    def give_back(self, block: Block) -> None:
        """A block is free again, joined with its free neighbours."""
        block.allocated = False
        self.allocated -= block.size
        self.ends -= block.size - block.requested
        for other in (block.previous, block.next):
            if other is not None and not other.allocated:
                merge(block, other)
        self._at[block.address] = block
        insort(self._keys, (block.size, block.address))
