"""Blocks of device memory, and the pools that keep the free ones in best-fit order."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

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
