"""The requests of a recording under other allocator settings."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

from optmem_gui.allocator.caching import CachingAllocator, DeviceOutOfMemoryError
from optmem_gui.allocator.config import AllocatorConfig
from optmem_gui.allocator.recorded_calls import complete_free, request_free
from optmem_gui.allocator.recording import Event, Recording
from optmem_gui.allocator.replay import Totals, totals
from optmem_gui.allocator.start import CHECK_EVERY, PAGE_BYTES, Before, Kind, never, undo

_RELEASES = ("segment_free", "segment_unmap")


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What the model comes to.

    Attributes:
        totals: Peaks and segments.
        retries: Times that the cache had to be emptied because the device had no room.
        ran_out_at: Index of the event that the device could not serve, -1 for a block that was there before
            the first; None where it served all.
    """

    totals: Totals
    retries: int
    ran_out_at: int | None


def what_if(
    recording: Recording,
    config: AllocatorConfig,
    capacity_bytes: int | None = None,
    check: Callable[[], None] = never,
) -> WhatIf:
    """Serve the same requests with other settings, from an empty device.

    What was there before the first event is allocated anew, in the order of its addresses, since other
    settings would have put it elsewhere; run it with the recorded settings too to have a fair comparison.
    Where the recording gave memory back to the device, the cache is emptied. A request that the recorded
    device refused is served and let go of at once.

    Args:
        recording: The requests.
        config: The settings.
        capacity_bytes: What the device hands out; None without an end.
        check: Called now and then; may raise to stop.
    """
    allocator = CachingAllocator(config, capacity_bytes)
    run = _Serving(allocator)
    before = undo(recording, check)
    index = -1
    try:
        run.begin(before)
        releasing = False
        for index, event in enumerate(recording.events):  # the index of the last one is needed
            if index % CHECK_EVERY == 0:
                check()
            if event.action in _RELEASES:
                if not releasing:
                    allocator.empty_cache()
                releasing = True
                continue
            releasing = False
            run.serve(event)
    except DeviceOutOfMemoryError:
        return WhatIf(totals(allocator), allocator.statistics.retries, index)
    return WhatIf(totals(allocator), allocator.statistics.retries, None)


class _Serving:
    """Requests on their way into an allocator that has addresses of its own."""

    def __init__(self, allocator: CachingAllocator) -> None:
        self.allocator = allocator
        self.placed: dict[int, int] = {}

    def begin(self, before: Before) -> None:
        """Allocate what was there before the first event."""
        kind_at = _Kinds(before)
        for address, block in sorted(before.live.items()):
            kind = kind_at(address)
            self.placed[address] = self.allocator.malloc(block.requested, kind.stream, kind.pool_id)
            if not block.allocated:
                request_free(self.allocator, self.placed[address])
        self.allocator.statistics.reset_peaks()

    def serve(self, event: Event) -> None:
        """One event."""
        if event.action == "alloc":
            self.placed[event.address] = self.allocator.malloc(event.size, event.stream, event.pool_id)
        elif event.action == "free_requested":
            request_free(self.allocator, self.placed.get(event.address, 0))
        elif event.action == "free_completed":  # emptying the cache has completed those that waited
            complete_free(self.allocator, self.placed.pop(event.address, 0))
        elif event.action == "oom":
            self.allocator.free(self.allocator.malloc(event.size, event.stream, event.pool_id))


class _Kinds:
    """What kind the segment of an address was of."""

    def __init__(self, before: Before) -> None:
        spans = [(address, size, kind) for address, (size, kind) in before.segments.items()]
        self._spans = sorted(spans)
        self._starts = [start for start, _, _ in self._spans]
        self._pages = before.pages

    def __call__(self, address: int) -> Kind:
        """The kind at an address."""
        index = bisect_right(self._starts, address) - 1
        if index >= 0 and address < self._spans[index][0] + self._spans[index][1]:
            return self._spans[index][2]
        return self._pages.get(address - address % PAGE_BYTES, Kind(0, small=False))
