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
from optmem_gui.worker.simulate.plain_memory import PlainMemory
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


def _allocator(target: SimulationTarget) -> CachingAllocator | PlainMemory:
    if target.device == "cpu":
        return PlainMemory()
    return CachingAllocator(parse_settings(target.allocator), target.capacity_bytes)


class _Replay:
    def __init__(self, tape: Tape, target: SimulationTarget) -> None:
        self.tape = tape
        self.allocator = _allocator(target)
        self.account = Account()
        self.held: dict[Block, int] = {}
        self.sizes: dict[Block, int] = {}
        self.parts = [0] * len(CATEGORIES)
        self.last_step = tape.marks[-1].step
        self.largest = [0] * len(CATEGORIES)
        self.peak = -1
        self.width = max(1, tape.end // _POINTS)

    def run(self) -> Account:
        """Every phase in turn; a device that is full ends the run."""
        ends = [*(mark.event for mark in self.tape.marks[1:]), self.tape.end]
        empties = set(self.tape.empties)
        for mark, end in zip(self.tape.marks, ends, strict=True):
            statistics = self.allocator.statistics
            statistics.reset_peaks()
            if mark.step == self.last_step:
                self.largest = [max(sizes) for sizes in zip(self.largest, self.parts, strict=True)]
            before, event = statistics.allocated, mark.event
            try:
                while event < end:
                    stop = min(end, event + self.width)
                    if empties.intersection(range(event, stop)):
                        stop = min(event + 1, stop)
                        if event in empties:
                            self.allocator.empty_cache()
                    event = self._stretch(mark, event, stop)
            except DeviceOutOfMemoryError:
                self.account.out_of_memory = True
                event = self.account.points[-1].event
            self._close(mark, before, event)
            if self.account.out_of_memory:
                break
        self._finish()
        return self.account

    def _stretch(self, mark: Mark, start: int, stop: int) -> int:
        """Events between two points of the timeline, of which the highest moment is kept."""
        malloc, free, statistics = self.allocator.malloc, self.allocator.free, self.allocator.statistics
        held, sizes, parts, largest, events = (
            self.held,
            self.sizes,
            self.parts,
            self.largest,
            self.tape.events,
        )
        steady = mark.step == self.last_step
        top = -1
        point: tuple[int, tuple[int, ...], int] | None = None
        try:
            for event in range(start, stop):
                block = events[event]
                place = _PLACE[block.category]
                before = statistics.allocated
                address = held.pop(block, None)
                if address is None:
                    held[block] = malloc(block.requested)
                    total = statistics.allocated
                    sizes[block] = total - before
                    parts[place] += total - before
                    if total > top:
                        top, point = total, (event + 1, tuple(parts), statistics.reserved)
                    if steady and parts[place] > largest[place]:
                        largest[place] = parts[place]
                else:
                    free(address)
                    parts[place] += statistics.allocated - before
        finally:
            if point is None:
                point = start, tuple(parts), statistics.reserved
            self.account.points.append(SimulatedPoint(point[0], mark.step, mark.phase, *point[1:]))
            if steady and top > self.peak:
                self.peak, self.account.peak_event, self.account.peak_phase = top, point[0], mark.phase
        return stop

    def _close(self, mark: Mark, before: int, end: int) -> None:
        statistics, account = self.allocator.statistics, self.account
        account.peak_reserved_bytes = max(account.peak_reserved_bytes, statistics.reserved_peak)
        account.phases.append(
            SimulatedPhase(
                step=mark.step,
                phase=mark.phase,
                start_bytes=before,
                allocated_bytes=statistics.allocated,
                peak_bytes=statistics.allocated_peak,
                reserved_bytes=statistics.reserved,
                peak_reserved_bytes=statistics.reserved_peak,
            )
        )
        account.points.append(
            SimulatedPoint(end, mark.step, mark.phase, tuple(self.parts), statistics.reserved)
        )

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
        alive: dict[Block, None] = {}
        for block in self.tape.events[:event]:
            if block in alive:
                del alive[block]
            else:
                alive[block] = None
        return {block: self.sizes[block] for block in alive}


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
