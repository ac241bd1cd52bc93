"""A tape through the caching allocator: phases, peaks, the timeline and what is alive at the peak."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from optmem_gui.allocator.caching import CachingAllocator, DeviceOutOfMemoryError
from optmem_gui.allocator.config import parse_settings
from optmem_gui.core.simulating import (
    CATEGORIES,
    AliveRow,
    SimulatedPhase,
    SimulatedPoint,
    SimulationTarget,
)
from optmem_gui.worker.simulate.tape import Block, Mark, Tape

_POINTS = 3000
_PLACE = {category: place for place, category in enumerate(CATEGORIES)}


@dataclass(slots=True)
class Account:
    """What a replay shows; the names are those of :class:`SimulationReport`."""

    phases: list[SimulatedPhase] = field(default_factory=list)
    points: list[SimulatedPoint] = field(default_factory=list)
    peak_bytes: int = 0
    peak_phase: str = ""
    peak_event: int = 0
    peak_reserved_bytes: int = 0
    largest: dict[str, int] = field(default_factory=dict)
    alive: tuple[AliveRow, ...] = ()
    out_of_memory: bool = False

    @property
    def categories(self) -> Mapping[str, int]:
        """Bytes in use at the peak by category."""
        sizes = dict.fromkeys(CATEGORIES, 0)
        for row in self.alive:
            sizes[row.category] += row.bytes
        return {category: size for category, size in sizes.items() if size}


@dataclass(slots=True)
class _Span:
    """A phase under way, or the stretch between two points."""

    mark: Mark
    start: int
    peak: int
    peak_reserved: int


def account(tape: Tape, target: SimulationTarget) -> Account:
    """Replay a tape.

    Raises:
        UserError: The target's allocator settings are not PyTorch's.
    """
    return _Replay(tape, target).run()


def highest_peak(tape: Tape, target: SimulationTarget) -> int:
    """Most in use in the last step where every uncertain buffer is as large as it can be."""
    allocator = _allocator(target)
    last = tape.marks[-1].step
    start = next(mark.event for mark in tape.marks if mark.step == last)
    held: dict[Block, int] = {}
    try:
        for event, block in enumerate(tape.events[: tape.end]):
            if event == start:
                allocator.statistics.reset_peaks()
            if block in held:
                allocator.free(held.pop(block))
            else:
                held[block] = allocator.malloc(block.most)
    except DeviceOutOfMemoryError as error:
        return error.allocated + error.size
    return allocator.statistics.allocated_peak


def _allocator(target: SimulationTarget) -> CachingAllocator:
    return CachingAllocator(parse_settings(target.allocator), target.capacity_bytes)


class _Replay:
    def __init__(self, tape: Tape, target: SimulationTarget) -> None:
        self.tape = tape
        self.allocator = _allocator(target)
        self.account = Account()
        self.held: dict[Block, int] = {}
        self.parts = [0] * len(CATEGORIES)
        self.last_step = tape.marks[-1].step
        self.largest = [0] * len(CATEGORIES)
        self.steady = False
        self.point: SimulatedPoint | None = None
        self.peak = -1
        self.at_peak: list[Block] = []

    def run(self) -> Account:
        """Every phase in turn, then once more up to the peak for what is alive there."""
        ends = [*(mark.event for mark in self.tape.marks[1:]), self.tape.end]
        empties = iter(self.tape.empties)
        next_empty = next(empties, -1)
        try:
            for mark, end in zip(self.tape.marks, ends, strict=True):
                span = self._open(mark)
                width = self._bucket_width(mark, end)
                for event in range(mark.event, end):
                    if event == next_empty:
                        self.allocator.empty_cache()
                        next_empty = next(empties, -1)
                    self._step(event, self.tape.events[event], span, width)
                self._close(span, end)
        except DeviceOutOfMemoryError:
            self.account.out_of_memory = True
            self._close(span, event)
        self._finish()
        return self.account

    def _bucket_width(self, mark: Mark, end: int) -> int:
        """Events that one point stands for, so that every phase has its share of the points."""
        return max(
            1, -(-(end - mark.event) * len(self.tape.marks) // (4 * _POINTS)), self.tape.end // _POINTS
        )

    def _open(self, mark: Mark) -> _Span:
        statistics = self.allocator.statistics
        statistics.reset_peaks()
        self.steady = mark.step == self.last_step
        if self.steady:
            self.largest = [max(sizes) for sizes in zip(self.largest, self.parts, strict=True)]
        return _Span(mark, statistics.allocated, statistics.allocated, statistics.reserved)

    def _step(self, event: int, block: Block, span: _Span, width: int) -> None:
        allocator, statistics = self.allocator, self.allocator.statistics
        before = statistics.allocated
        if block in self.held:
            allocator.free(self.held.pop(block))
        else:
            self.held[block] = allocator.malloc(block.requested)
        place = _PLACE[block.category]
        self.parts[place] += statistics.allocated - before
        total = statistics.allocated
        if self.steady and self.parts[place] > self.largest[place]:
            self.largest[place] = self.parts[place]
        span.peak = max(span.peak, total)
        if self.steady and total > self.peak:
            self.peak = total
            self.account.peak_event, self.account.peak_phase = event + 1, span.mark.phase
        self._draw(event, span, width, total)

    def _draw(self, event: int, span: _Span, width: int, total: int) -> None:
        """Keep the highest point of every bucket."""
        bucket = (event - span.mark.event) // width
        last = self.point
        if last is not None and self._bucket == (span.mark, bucket):
            if total <= self._total:
                return
            self.account.points.pop()
        self._bucket, self._total = (span.mark, bucket), total
        self.point = SimulatedPoint(
            event + 1, span.mark.step, span.mark.phase, tuple(self.parts), self.allocator.statistics.reserved
        )
        self.account.points.append(self.point)

    _bucket: tuple[Mark, int]
    _total: int

    def _close(self, span: _Span, end: int) -> None:
        statistics = self.allocator.statistics
        account, mark = self.account, span.mark
        account.peak_reserved_bytes = max(account.peak_reserved_bytes, statistics.reserved_peak)
        account.phases.append(
            SimulatedPhase(
                step=mark.step,
                phase=mark.phase,
                start_bytes=span.start,
                allocated_bytes=statistics.allocated,
                peak_bytes=statistics.allocated_peak,
                reserved_bytes=statistics.reserved,
                peak_reserved_bytes=statistics.reserved_peak,
            )
        )
        account.points.append(
            SimulatedPoint(end, mark.step, mark.phase, tuple(self.parts), statistics.reserved)
        )
        self.point = None

    def _finish(self) -> None:
        account = self.account
        if self.peak < 0:  # it ended before the last step
            top = max(account.phases, key=lambda phase: phase.peak_bytes)
            account.peak_bytes, account.peak_phase = top.peak_bytes, top.phase
            account.peak_event = max(account.points, key=lambda point: sum(point.parts)).event
        else:
            account.peak_bytes = self.peak
        sizes = zip(CATEGORIES, self.largest, strict=True)
        account.largest = {category: size for category, size in sizes if size}
        account.alive = tuple(_rows(self._alive_at(account.peak_event)))

    def _alive_at(self, event: int) -> dict[Block, int]:
        """Blocks in use after so many events, with their whole size."""
        allocator = CachingAllocator(self.allocator.config, self.allocator.device.capacity_bytes)
        held: dict[Block, int] = {}
        empties = set(self.tape.empties)
        for index, block in enumerate(self.tape.events[:event]):
            if index in empties:
                allocator.empty_cache()
            if block in held:
                allocator.free(held.pop(block))
            else:
                held[block] = allocator.malloc(block.requested)
        return {block: allocator.blocks[address].size if address else 0 for block, address in held.items()}


def _rows(alive: Mapping[Block, int]) -> Iterator[AliveRow]:
    """Equal blocks as one row, the largest first."""
    groups: dict[tuple[str, str, str, int, str], list[int]] = {}
    for block, size in alive.items():
        if not size:
            continue
        key = (block.category, block.module, block.op, block.step, block.phase)
        row = groups.setdefault(key, [0, 0, 0])
        row[0] += 1
        row[1] += size
        row[2] += block.requested
    ordered = sorted(groups.items(), key=lambda item: (-item[1][1], item[0]))
    for key, (count, size, requested) in ordered:
        yield AliveRow(*key, count=count, bytes=size, requested_bytes=requested)
