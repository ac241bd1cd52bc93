"""Follow a recording at its own addresses: its true peaks, and where blocks ended that it does not say.

A block of the large pool may hold up to 1 MiB beyond its request. For a block that was alive when the
recording began and was freed in it, nothing says how much. Later allocations do, since they begin where
that block ends, and since the smallest block that fits is taken:

* an allocation that begins inside what looked free shows that the block before it ends there;
* an allocation elsewhere, although what looked free fits better, shows that it was smaller than that.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from optmem_gui.allocator.config import AllocatorConfig
from optmem_gui.allocator.layout import Filled, fill
from optmem_gui.allocator.recorded_calls import (
    RecordedAddresses,
    complete_free,
    free_segment,
    map_range,
    request_free,
    unmap,
)
from optmem_gui.allocator.recording import Event, Recording
from optmem_gui.allocator.search import best_fit
from optmem_gui.allocator.sizes import SMALL_SEGMENT_BYTES, block_bytes, is_small
from optmem_gui.allocator.start import Before
from optmem_gui.core.blocks import MIN_BLOCK_BYTES, Block, Pool

_PASSES = 4
"""What is learned late in a recording bears on its beginning; the second pass starts with it."""


@dataclass(slots=True)
class Observed:
    """What a recording shows when it is followed.

    Attributes:
        extra: Bytes that blocks alive at the start hold beyond their rounded request, by address.
        settled: Blocks whose size was uncertain and followed from later events.
        unsettled: Those that nothing showed the end of, with the bytes that remain uncertain.
        allocated_peak: Most allocated.
        reserved_peak: Most reserved.
        contradictions: Events that do not fit what was there.
    """

    extra: dict[int, int] = field(default_factory=dict)
    settled: set[int] = field(default_factory=set)
    unsettled: dict[int, int] = field(default_factory=dict)
    allocated_peak: int = 0
    reserved_peak: int = 0
    contradictions: int = 0


def observe(recording: Recording, before: Before, config: AllocatorConfig) -> Observed:
    """Follow a recording until nothing new is learned."""
    extra: dict[int, int] = {}
    observed = Observed()
    for _ in range(_PASSES):
        addresses = RecordedAddresses()
        observed = _Follower(fill(before, config, addresses, extra), extra, addresses, recording).run()
        if observed.extra == extra:
            break
        extra = dict(observed.extra)
    return observed


class _Follower:
    """One pass over a recording."""

    def __init__(
        self, filled: Filled, extra: dict[int, int], addresses: RecordedAddresses, recording: Recording
    ) -> None:
        self.allocator = filled.allocator
        self.addresses = addresses
        self.recording = recording
        self.open = {address: most - extra.get(address, 0) for address, most in filled.uncertain.items()}
        self.order = sorted(self.open)
        self.seen = Observed(extra=dict(extra), contradictions=filled.contradictions)

    def run(self) -> Observed:
        """Follow every event."""
        steps = {
            "alloc": self._alloc,
            "free_requested": self._free_requested,
            "free_completed": self._free_completed,
            "segment_alloc": self._segment_alloc,
            "segment_free": self._segment_free,
            "segment_map": self._segment_map,
            "segment_unmap": self._segment_unmap,
        }
        for event in self.recording.events:
            step = steps.get(event.action)
            if step is not None and not step(event):
                self.seen.contradictions += 1
        self.seen.unsettled.update(self.open)
        statistics = self.allocator.statistics
        self.seen.allocated_peak = statistics.allocated_peak
        self.seen.reserved_peak = statistics.reserved_peak
        return self.seen

    def _alloc(self, event: Event) -> bool:
        size = block_bytes(event.size, self.allocator.config)
        pool = self.allocator.pool(event.pool_id, small=is_small(size))
        block = self._block_at(pool, event.address)
        if block is None or block.size < size:
            return False
        self._settle(block)
        self._shrink_better_fits(pool, block, size, event.stream)
        pool.remove(block)
        self.allocator.hand_out(block, size, event.size)
        return True

    def _block_at(self, pool: Pool, address: int) -> Block | None:
        """The free block that begins there, after the block before it was made as large as that shows."""
        block = pool.at.get(address)
        if block is not None or not self.order:
            return block
        before = self.allocator.blocks[self.order[bisect_left(self.order, address) - 1]]
        free = before.next
        if free is None or not free.free or not free.address < address < free.address + free.size:
            return None
        return free if self._enlarge_before(free, address - free.address) else None

    def _enlarge_before(self, free: Block, by: int) -> bool:
        """Let the block before a free one end later, where its size is uncertain."""
        block = free.previous
        if block is None or by > self.open.get(block.address, 0):
            return False
        free.pool.remove(free)
        free.address += by
        free.size -= by
        free.pool.add(free)
        block.size += by
        statistics = self.allocator.statistics
        statistics.inactive_split -= by
        statistics.hand_out(by, 0)
        self.open[block.address] -= by
        self.seen.extra[block.address] = self.seen.extra.get(block.address, 0) + by
        return True

    def _settle(self, block: Block) -> None:
        """An allocation begins where the block before it ends: that one's size is certain now."""
        if block.previous is not None and block.previous.address in self.open:
            self._close(block.previous.address)
            self.seen.settled.add(block.previous.address)

    def _close(self, address: int) -> int:
        """Nothing more can be learned of a block; what is uncertain about it still."""
        del self.order[bisect_left(self.order, address)]
        return self.open.pop(address)

    def _shrink_better_fits(self, pool: Pool, block: Block, size: int, stream: int) -> None:
        """What would have fitted better cannot have been that large."""
        while True:
            better = best_fit(pool, size, stream, self.allocator.config)
            if better is None or better is block:
                return
            if not self._enlarge_before(better, better.size - size + MIN_BLOCK_BYTES):
                return

    def _free_requested(self, event: Event) -> bool:
        return request_free(self.allocator, event.address)

    def _free_completed(self, event: Event) -> bool:
        if not complete_free(self.allocator, event.address):
            return False
        if event.address in self.open:  # too late to learn how large it was
            self.seen.unsettled[event.address] = self._close(event.address)
        return True

    def _segment_alloc(self, event: Event) -> bool:
        self.addresses.pending.append((event.address, event.size))
        pool = self.allocator.pool(event.pool_id, small=event.size == SMALL_SEGMENT_BYTES)
        block = self.allocator.device.new_segment(pool, event.size, event.stream)
        if block is None:
            return False
        pool.add(block)
        return True

    def _segment_free(self, event: Event) -> bool:
        return free_segment(self.allocator, event)

    def _segment_map(self, event: Event) -> bool:
        return map_range(self.allocator, self.addresses, event)

    def _segment_unmap(self, event: Event) -> bool:
        return unmap(self.allocator, event)
