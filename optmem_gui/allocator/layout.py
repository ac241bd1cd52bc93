"""An allocator filled with the blocks and segments that were there before a recording began."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from optmem_gui.allocator.caching import CachingAllocator
from optmem_gui.allocator.config import AllocatorConfig
from optmem_gui.allocator.device import UNLIMITED_RANGE_BYTES, Addresses
from optmem_gui.allocator.start import PAGE_BYTES, Before, Kind, live_size
from optmem_gui.core.blocks import MIN_BLOCK_BYTES, SMALL_BYTES, Block, Pool


@dataclass(slots=True)
class Filled:
    """An allocator as it was, and what is not certain about it.

    Attributes:
        allocator: The allocator.
        uncertain: Blocks that may end later than their rounded request does, by address: how many bytes later
            at most. The recording holds what was requested for them, not their size.
        contradictions: Blocks that do not fit where they should have been.
    """

    allocator: CachingAllocator
    uncertain: dict[int, int] = field(default_factory=dict)
    contradictions: int = 0


@dataclass(slots=True)
class _Filler:
    """Puts segments into an allocator."""

    filled: Filled
    before: Before
    extra: Mapping[int, int]
    addresses: list[int]

    @property
    def config(self) -> AllocatorConfig:
        return self.filled.allocator.config

    def fixed_segment(self, start: int, size: int, kind: Kind) -> None:
        """A segment of fixed size: its blocks, and free blocks between them."""
        allocator = self.filled.allocator
        allocator.device.segments[start] = size
        allocator.statistics.grow(size, 1)
        pool = allocator.pool(kind.pool_id, small=kind.small)
        blocks = self._blocks(start, start + size, pool, kind.stream, -1)
        if len(blocks) > 1:
            allocator.statistics.inactive_split += sum(block.size for block in blocks if block.free)

    def range(self, base: int, end: int, kind: Kind, pages: list[int]) -> None:
        """The range of an expandable segment: mapped pages with their blocks, and what is not mapped."""
        allocator = self.filled.allocator
        pool = allocator.pool(kind.pool_id, small=kind.small)
        last, at = None, base
        for start, stop in _runs(pages):
            if at < start:
                last = _append(last, _unmapped(at, start, pool, kind.stream, base))
            for block in self._blocks(start, stop, pool, kind.stream, base):
                if last is not None and last.next is not block:
                    block.insert_after(last)
                last = block
            allocator.statistics.grow(stop - start, 0)
            at = stop
        if at < end:
            _append(last, _unmapped(at, end, pool, kind.stream, base))

    def _blocks(self, start: int, end: int, pool: Pool, stream: int, base: int) -> list[Block]:
        """Blocks that fill the addresses from ``start`` to ``end``."""
        first, beyond = bisect_left(self.addresses, start), bisect_left(self.addresses, end)
        blocks: list[Block] = []
        at = start
        for index in range(first, beyond):
            address = self.addresses[index]
            limit = self.addresses[index + 1] if index + 1 < beyond else end
            if address < at or address + live_size(self.before.live[address], self.config) > limit:
                self.filled.contradictions += 1
                continue
            if at < address:
                blocks.append(self._free_block(at, address, pool, stream, base))
            block = self._live_block(address, limit, pool, stream, base)
            blocks.append(block)
            at = address + block.size
        if at < end:
            blocks.append(self._free_block(at, end, pool, stream, base))
        for before, after in pairwise(blocks):
            before.next, after.previous = after, before
        return blocks

    def _free_block(self, start: int, end: int, pool: Pool, stream: int, base: int) -> Block:
        block = Block(start, end - start, pool, stream, base)
        pool.add(block)
        return block

    def _live_block(self, address: int, limit: int, pool: Pool, stream: int, base: int) -> Block:
        """A block in use, with what it holds beyond its rounded request where that is known.

        The large pool leaves no free block of 1 MiB or less (``should_split``): a gap up to that size
        belongs to the block before it. After a wider gap it cannot be told, unless the extra is given.
        """
        live = self.before.live[address]
        size = live_size(live, self.config)
        gap = limit - address - size
        if live.size is None and not pool.small and base < 0:
            protected = self.config.max_split_bytes
            if gap <= SMALL_BYTES or (protected is not None and size >= protected):
                size += gap
            else:
                size += self.extra.get(address, 0)
                most = min(SMALL_BYTES, gap - SMALL_BYTES - MIN_BLOCK_BYTES)
                if most > 0:
                    self.filled.uncertain[address] = most
        block = Block(address, size, pool, stream, base)
        block.requested = live.requested
        block.allocated, block.awaiting = live.allocated, not live.allocated
        self.filled.allocator.blocks[address] = block
        statistics = self.filled.allocator.statistics
        statistics.hand_out(size, live.requested)
        if block.awaiting:
            statistics.allocated -= size
        return block


def fill(
    before: Before,
    config: AllocatorConfig,
    addresses: Addresses | None = None,
    extra: Mapping[int, int] | None = None,
) -> Filled:
    """An allocator as it was before the first event.

    Args:
        before: What was there.
        config: The settings it was recorded with.
        addresses: Where new segments will come to lie.
        extra: Bytes that blocks hold beyond their rounded request, by address, as far as later events showed.
    """
    filled = Filled(CachingAllocator(config, addresses=addresses))
    filler = _Filler(filled, before, extra or {}, sorted(before.live))
    for address in sorted(before.segments):
        filler.fixed_segment(address, *before.segments[address])
    bases = sorted(before.lowest.values())
    for kind, base in before.lowest.items():
        end = min([base + UNLIMITED_RANGE_BYTES, *(other for other in bases if other > base)])
        filler.range(base, end, kind, sorted(page for page, owner in before.pages.items() if owner == kind))
    missing = len(before.live) - len(filled.allocator.blocks)
    filled.contradictions = max(filled.contradictions, missing)
    filled.allocator.statistics.reset_peaks()
    return filled


def _runs(pages: list[int]) -> list[tuple[int, int]]:
    """Neighbouring pages joined: where each run begins and ends."""
    runs: list[tuple[int, int]] = []
    for page in pages:
        if runs and runs[-1][1] == page:
            runs[-1] = (runs[-1][0], page + PAGE_BYTES)
        else:
            runs.append((page, page + PAGE_BYTES))
    return runs


def _unmapped(start: int, end: int, pool: Pool, stream: int, base: int) -> Block:
    block = Block(start, end - start, pool, stream, base)
    block.mapped = False
    pool.add_unmapped(block)
    return block


def _append(last: Block | None, block: Block) -> Block:
    if last is not None:
        block.insert_after(last)
    return block
