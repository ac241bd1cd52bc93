"""A recorded snapshot run through the allocator model: the same requests, and where the model puts them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from optmem_gui.allocator.caching import CachingAllocator, DeviceOutOfMemoryError
from optmem_gui.allocator.config import AllocatorConfig
from optmem_gui.allocator.layout import fill
from optmem_gui.allocator.observe import Observed, observe
from optmem_gui.allocator.recorded_calls import (
    RecordedAddresses,
    complete_free,
    free_segment,
    request_free,
    unmap,
)
from optmem_gui.allocator.recording import Event, RecordedSegment, Recording
from optmem_gui.allocator.start import CHECK_EVERY, Before, never, undo
from optmem_gui.allocator.state import segments_of
from optmem_gui.core.reasons import Reason


@dataclass(frozen=True, slots=True)
class Totals:
    """Bytes and segments of one run.

    Attributes:
        allocated_peak: Most bytes in use.
        reserved_peak: Most bytes held.
        reserved: Bytes held at the end.
        segments: Segments at the end; of an expandable one every mapped range, as a snapshot lists them.
    """

    allocated_peak: int
    reserved_peak: int
    reserved: int
    segments: int


@dataclass(frozen=True, slots=True)
class Replay:
    """A recording beside the model.

    Attributes:
        model: What the model came to.
        recorded: What was recorded.
        allocations: How many blocks were asked for.
        mismatches: How many of them the model put at another address.
        calls_missed: Recorded segments that the model could not give back, having something in them.
        start_known: Whether the state before the first event is known.
        start: Why, or why not.
        notes: What else to know.
        first_mismatch: Index of the first event at another address; None where there is none.
        allocated: Bytes in use in the model before the first event and after each.
        reserved: Bytes held in the model before the first event and after each.
    """

    model: Totals
    recorded: Totals
    allocations: int
    mismatches: int
    calls_missed: int
    start_known: bool
    start: Reason
    notes: tuple[Reason, ...]
    first_mismatch: int | None
    allocated: tuple[int, ...] = field(repr=False)
    reserved: tuple[int, ...] = field(repr=False)


def replay(recording: Recording, check: Callable[[], None] = never) -> Replay:
    """Replay a recording under the settings it was made with, and compare every address.

    Args:
        recording: The recording.
        check: Called now and then; may raise to stop.
    """
    config = AllocatorConfig() if recording.config is None else recording.config
    before = undo(recording, check)
    observed = observe(recording, before, config)
    addresses = RecordedAddresses()
    filled = fill(before, config, addresses, observed.extra)
    run = _Run(filled.allocator, addresses)
    for index, event in enumerate(recording.events):
        if index % CHECK_EVERY == 0:
            check()
        run.step(index, event)
    known, start, notes = _start(recording, before, observed)
    return Replay(
        model=totals(filled.allocator),
        recorded=_recorded(recording, observed),
        allocations=run.allocations,
        mismatches=run.mismatches,
        calls_missed=run.calls_missed,
        start_known=known,
        start=start,
        notes=notes,
        first_mismatch=run.first_mismatch,
        allocated=tuple(run.allocated),
        reserved=tuple(run.reserved),
    )


def segments_after(
    recording: Recording, event_index: int, check: Callable[[], None] = never
) -> tuple[RecordedSegment, ...]:
    """The segments as they stand in the model after an event.

    Args:
        recording: The recording.
        event_index: Which event; -1 for the state before the first.
        check: Called now and then; may raise to stop.
    """
    config = AllocatorConfig() if recording.config is None else recording.config
    before = undo(recording, check)
    addresses = RecordedAddresses()
    filled = fill(before, config, addresses, observe(recording, before, config).extra)
    run = _Run(filled.allocator, addresses)
    for index, event in enumerate(recording.events[: event_index + 1]):
        if index % CHECK_EVERY == 0:
            check()
        run.step(index, event)
    return segments_of(filled.allocator)


def totals(allocator: CachingAllocator) -> Totals:
    """What an allocator came to."""
    statistics = allocator.statistics
    return Totals(
        allocated_peak=statistics.allocated_peak,
        reserved_peak=statistics.reserved_peak,
        reserved=statistics.reserved,
        segments=len(segments_of(allocator)),
    )


def _recorded(recording: Recording, observed: Observed) -> Totals:
    return Totals(
        allocated_peak=observed.allocated_peak,
        reserved_peak=observed.reserved_peak,
        reserved=sum(segment.size for segment in recording.segments),
        segments=len(recording.segments),
    )


def _start(
    recording: Recording, before: Before, observed: Observed
) -> tuple[bool, Reason, tuple[Reason, ...]]:
    """Whether the state before the first event is known, why, and what else to know."""
    notes: list[Reason] = []
    if recording.config is None:
        notes.append(Reason("replay.start_no_settings"))
    if before.pages:
        notes.append(Reason("replay.start_layout"))
    contradictions = before.contradictions + observed.contradictions
    if contradictions:
        return False, Reason("replay.start_contradicts", {"count": contradictions}), tuple(notes)
    if observed.unsettled:
        values = {"count": len(observed.unsettled), "uncertain_bytes": sum(observed.unsettled.values())}
        return False, Reason("replay.start_block_sizes", values), tuple(notes)
    if observed.settled:
        return True, Reason("replay.start_settled", {"count": len(observed.settled)}), tuple(notes)
    return True, Reason("replay.start_known"), tuple(notes)


class _Run:
    """The model on its way through a recording."""

    def __init__(self, allocator: CachingAllocator, addresses: RecordedAddresses) -> None:
        self.allocator = allocator
        self.addresses = addresses
        self.placed = {address: address for address in allocator.blocks}
        self.allocations = self.mismatches = self.calls_missed = 0
        self.first_mismatch: int | None = None
        self.allocated = [allocator.statistics.allocated]
        self.reserved = [allocator.statistics.reserved]

    def step(self, index: int, event: Event) -> None:
        """Do to the model what the program did, and compare."""
        action = event.action
        if action == "alloc":
            self._alloc(index, event)
        elif action == "free_requested":
            request_free(self.allocator, self.placed.get(event.address, 0))
        elif action == "free_completed":
            complete_free(self.allocator, self.placed.pop(event.address, 0))
        else:
            self._device_call(event)
        self.allocated.append(self.allocator.statistics.allocated)
        self.reserved.append(self.allocator.statistics.reserved)

    def _alloc(self, index: int, event: Event) -> None:
        address = self.allocator.malloc(event.size, event.stream, event.pool_id)
        self.placed[event.address] = address
        self.addresses.mapped.clear()
        self.allocations += 1
        if address != event.address:
            self.mismatches += 1
            if self.first_mismatch is None:
                self.first_mismatch = index

    def _device_call(self, event: Event) -> None:
        if event.action == "segment_alloc":
            self.addresses.pending.append((event.address, event.size))
        elif event.action == "segment_map":
            self.addresses.mapped.append(event.address)
        elif event.action == "segment_free":
            self.calls_missed += not free_segment(self.allocator, event)
        elif event.action == "segment_unmap":
            self.calls_missed += not unmap(self.allocator, event)
        elif event.action == "oom":
            self._run_out(event)

    def _run_out(self, event: Event) -> None:
        """The device refused: so must the model when the device has no more than it had then."""
        device = self.allocator.device
        device.capacity_bytes = device.statistics.reserved + event.address
        try:
            self.allocator.malloc(event.size, event.stream)
        except DeviceOutOfMemoryError:
            pass
        else:
            self.calls_missed += 1
        device.capacity_bytes = None
