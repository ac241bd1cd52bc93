"""A measurement sorted for plotting, taken in piece by piece as it grows."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
import numpy.typing as npt

from optmem_gui.core.breakdown import COMPONENT_IDS
from optmem_gui.core.protocol import PhaseSample, Sample
from optmem_gui.gui.i18n import phase_name
from optmem_gui.gui.widgets.curve_style import CURVES
from optmem_gui.gui.widgets.plot_marks import Span
from optmem_gui.gui.widgets.stacked_area import Floats


@dataclass(frozen=True, slots=True)
class Series:
    """Sizes over time; a place where nothing is known is left out.

    Attributes:
        times: Seconds since the start, ascending.
        sizes: Bytes.
    """

    times: Floats
    sizes: Floats

    def at(self, second: float) -> float | None:
        """The last value up to a moment, None before the first."""
        index = int(np.searchsorted(self.times, second, side="right")) - 1
        return float(self.sizes[index]) if index >= 0 else None


_BLOCKS = 1500
"""A longer series is thinned to so many stretches: as many as a wide screen has pixels."""

NO_SERIES = Series(np.zeros(0), np.zeros(0))
"""What was not sampled."""


def extremes(sizes: Floats, block: int) -> npt.NDArray[np.int64]:
    """Indices of the first, lowest and highest of every so many sizes, and of what is left over."""
    whole = len(sizes) // block
    table = sizes[: whole * block].reshape(whole, block)
    starts = np.arange(whole) * block
    kept = np.zeros(len(sizes), dtype=np.bool_)
    for index in (0, table.argmin(axis=1), table.argmax(axis=1)):
        kept[starts + index] = True
    kept[whole * block :] = kept[-1:] = True
    return np.flatnonzero(kept)


@dataclass(slots=True)
class _Points:
    """One series as it grows; numbers packed, so that a minute at 1,000 a second is copied in no time."""

    clocks: array[int] = field(default_factory=lambda: array("q"))
    sizes: array[float] = field(default_factory=lambda: array("d"))

    def add(self, points: Iterable[tuple[int, int]]) -> None:
        for clock, size in points:
            self.clocks.append(clock)
            self.sizes.append(size)

    def since(self, start_ns: int, *, fine: bool) -> Series:
        clocks, sizes = np.array(self.clocks, np.int64), np.array(self.sizes, np.float64)
        if np.any(clocks[1:] < clocks[:-1]):
            order = np.argsort(clocks, kind="stable")
            clocks, sizes = clocks[order], sizes[order]
        if not fine and len(clocks) > _BLOCKS:
            kept = extremes(sizes, len(clocks) // _BLOCKS)
            clocks, sizes = clocks[kept], sizes[kept]
        return Series((clocks - start_ns) / 1e9, sizes)


class _Stack:
    """What is allocated, component by component, as it grows."""

    def __init__(self) -> None:
        self._clocks = array("q")
        self._sizes: dict[str, array[float]] = {}
        self._last: dict[str, int] = {}

    def add(self, phase: PhaseSample) -> None:
        """Both ends of a phase and every point between them; in one without allocations nothing changes."""
        if not (phase.parts or self._last):
            return
        self._put(phase.start_ns)
        for index, (clock, _) in enumerate(phase.points):
            self._last = {component: sizes[index] for component, sizes in phase.parts.items()}
            self._put(clock)
        self._put(phase.end_ns)

    def _put(self, clock: int) -> None:
        for component in self._last:
            if component not in self._sizes:
                self._sizes[component] = array("d", bytes(8 * len(self._clocks)))
        self._clocks.append(clock)
        for component, sizes in self._sizes.items():
            sizes.append(self._last.get(component, 0))

    def since(self, start_ns: int) -> tuple[Floats, list[tuple[str, Floats]]]:
        times = (np.array(self._clocks, np.int64) - start_ns) / 1e9
        known = [component for component in COMPONENT_IDS if component in self._sizes]
        return times, [(component, np.array(self._sizes[component], np.float64)) for component in known]


class Recording:
    """What was sampled so far. Feeding it the whole run again costs only what is new."""

    def __init__(self) -> None:
        self._start_over()

    def _start_over(self) -> None:
        self._fed_count = 0
        self._fed_last: object = None
        self._points: dict[str, _Points] = {name: _Points() for name in CURVES}
        self._phases: list[PhaseSample] = []
        self._stack = _Stack()
        self._start_ns: int | None = None

    def feed(self, samples: Sequence[object]) -> None:
        """Take in a run as far as it has come; another run starts it over.

        Args:
            samples: :class:`Sample` and :class:`PhaseSample` on one clock, oldest first of each kind.
        """
        known = self._fed_count
        if known and (len(samples) < known or samples[known - 1] is not self._fed_last):
            self._start_over()
            known = 0
        for sample in samples[known:]:
            if isinstance(sample, Sample):
                self._take_sample(sample)
            elif isinstance(sample, PhaseSample):
                self._take_phase(sample)
        self._fed_count, self._fed_last = len(samples), samples[-1] if samples else None

    def _take_sample(self, sample: Sample) -> None:
        self._begin(sample.clock_ns)
        readings = (
            ("device", sample.device_used_bytes),
            ("process", sample.process_bytes),
            ("rss", sample.rss_bytes),
        )
        for name, size in readings:
            if size is not None:
                self._points[name].add(((sample.clock_ns, size),))

    def _take_phase(self, phase: PhaseSample) -> None:
        self._begin(phase.start_ns)
        self._phases.append(phase)
        self._stack.add(phase)
        self._points["allocated"].add(_allocated_points(phase))
        if phase.reserved_bytes is not None:
            self._points["reserved"].add(((phase.end_ns, phase.reserved_bytes),))

    def _begin(self, clock_ns: int) -> None:
        if self._start_ns is None or clock_ns < self._start_ns:
            self._start_ns = clock_ns

    def series(self, *, fine: bool = True) -> dict[str, Series]:
        """Sizes over time by id, for what was sampled at all.

        Args:
            fine: Every point; otherwise as many as the whole run needs on a screen, extremes included.
        """
        start = self._start_ns or 0
        return {
            name: points.since(start, fine=fine) for name, points in self._points.items() if points.clocks
        }

    def stack(self) -> tuple[Floats, list[tuple[str, Floats]]]:
        """Seconds, and the allocated bytes of each component at them, from the bottom up.

        Empty where the single allocations of a run are not known.
        """
        return self._stack.since(self._start_ns or 0)

    def phases(self) -> tuple[Span, ...]:
        """When each phase ran; micro-batches that repeat a phase are joined."""
        keyed = groupby(self._phases, key=lambda sample: (sample.step, sample.phase))
        return tuple(self._span(phase_name(phase), list(members)) for (_, phase), members in keyed)

    def steps(self) -> tuple[tuple[int, Span], ...]:
        """When each step ran, by its number; loading is none."""
        numbered = groupby((phase for phase in self._phases if phase.step), key=lambda sample: sample.step)
        return tuple((step, self._span("", list(members))) for step, members in numbered)

    def _span(self, name: str, members: Sequence[PhaseSample]) -> Span:
        start_ns = self._start_ns or 0
        return Span(name, (members[0].start_ns - start_ns) / 1e9, (members[-1].end_ns - start_ns) / 1e9)


def _allocated_points(phase: PhaseSample) -> list[tuple[int, int]]:
    """The recorded course where there is one, else both ends and the peak, half-way, between them."""
    course = list(phase.points)
    if not course and phase.peak_bytes > max(phase.start_bytes, phase.allocated_bytes):
        course = [((phase.start_ns + phase.end_ns) // 2, phase.peak_bytes)]
    return [(phase.start_ns, phase.start_bytes), *course, (phase.end_ns, phase.allocated_bytes)]
