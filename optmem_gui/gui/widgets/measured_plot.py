"""A measurement over time: what the driver shows, and what torch allocated and reserved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QWidget

from optmem_gui.core.protocol import PhaseSample, Sample
from optmem_gui.core.units import SizeUnit, format_bytes
from optmem_gui.gui.i18n import phase_name
from optmem_gui.gui.theme import is_dark
from optmem_gui.gui.widgets.memory_plot import MemoryPlot
from optmem_gui.gui.widgets.plot_marks import Marks, Span, Spot
from optmem_gui.gui.widgets.readout import Curve
from optmem_gui.gui.widgets.stacked_area import Floats

_DASH = Qt.PenStyle
CURVES: dict[str, Curve] = {
    "device": Curve("#58626d", "#a7b0ba", _DASH.DashLine),
    "process": Curve("#8a5200", "#f0b44c", _DASH.DashDotLine, 2.0),
    "rss": Curve("#6b5bab", "#a99be6", _DASH.DashDotLine, 2.0),
    "reserved": Curve("#146c31", "#69d391", _DASH.DotLine, 2.4),
    "allocated": Curve("#2563d9", "#79adff", _DASH.SolidLine, 2.0),
}
"""Series in the order they are listed; each has a dash of its own."""


def curve_name(series: str) -> str:
    """A series as the reader knows it, in the current language."""
    return {
        "device": QCoreApplication.translate("Curves", "device used"),
        "process": QCoreApplication.translate("Curves", "process used"),
        "rss": QCoreApplication.translate("Curves", "resident in host memory"),
        "reserved": QCoreApplication.translate("Curves", "torch reserved"),
        "allocated": QCoreApplication.translate("Curves", "torch allocated"),
    }[series]


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


def series_of(samples: Iterable[object]) -> tuple[dict[str, Series], tuple[Span, ...]]:
    """Sort what was sampled into series by id, and the phases with their steps as spans.

    Args:
        samples: :class:`Sample` and :class:`PhaseSample` on one clock, each in the order it came.
    """
    kept = list(samples)
    driver = [sample for sample in kept if isinstance(sample, Sample)]
    phases = [sample for sample in kept if isinstance(sample, PhaseSample)]
    if not driver and not phases:
        return {}, ()
    first = [driver[0].clock_ns] if driver else []
    start_ns = min([*first, *(phase.start_ns for phase in phases)])
    readings: dict[str, Callable[[Sample], int | None]] = {
        "device": lambda sample: sample.device_used_bytes,
        "process": lambda sample: sample.process_bytes,
        "rss": lambda sample: sample.rss_bytes,
    }
    points = {
        name: [(sample.clock_ns, size) for sample in driver if (size := read(sample)) is not None]
        for name, read in readings.items()
    }
    points["reserved"] = _reserved_points(phases)
    points["allocated"] = [point for phase in phases for point in _allocated_points(phase)]
    found = {name: _series(places, start_ns) for name, places in points.items() if places}
    return {name: found[name] for name in CURVES if name in found}, _spans(phases, start_ns)


def _series(points: Sequence[tuple[int, int]], start_ns: int) -> Series:
    ordered = sorted(points, key=lambda point: point[0])
    clock = np.array([(clock - start_ns) / 1e9 for clock, _ in ordered], dtype=np.float64)
    return Series(clock, np.array([size for _, size in ordered], dtype=np.float64))


def _allocated_points(phase: PhaseSample) -> list[tuple[int, int]]:
    """The recorded course where there is one, else both ends and the peak, half-way, between them."""
    course = list(phase.points)
    if not course and phase.peak_bytes > max(phase.start_bytes, phase.allocated_bytes):
        course = [((phase.start_ns + phase.end_ns) // 2, phase.peak_bytes)]
    return [(phase.start_ns, phase.start_bytes), *course, (phase.end_ns, phase.allocated_bytes)]


def _reserved_points(phases: Sequence[PhaseSample]) -> list[tuple[int, int]]:
    return [(phase.end_ns, phase.reserved_bytes) for phase in phases if phase.reserved_bytes is not None]


def _spans(phases: Sequence[PhaseSample], start_ns: int) -> tuple[Span, ...]:
    """One span a phase; micro-batches that repeat a phase are joined."""
    spans = []
    for (step, phase), group in groupby(phases, key=lambda sample: (sample.step, sample.phase)):
        members = list(group)
        begin, end = (members[0].start_ns - start_ns) / 1e9, (members[-1].end_ns - start_ns) / 1e9
        name = phase_name(phase) if step == 0 else f"{step} {phase_name(phase)}"
        spans.append(Span(name, begin, end))
    return tuple(spans)


class MeasuredPlot(MemoryPlot):
    """Lines over seconds. Drawn without smoothing and thinned to pixels, so that it can follow a live run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._series: dict[str, Series] = {}
        self._spans: tuple[Span, ...] = ()
        self._lines = {name: self._line(name) for name in CURVES}

    def _line(self, name: str) -> pg.PlotDataItem:
        line = pg.PlotDataItem(
            pen=CURVES[name].pen(is_dark(self)),
            antialias=False,
            skipFiniteCheck=True,
            autoDownsample=True,
            downsampleMethod="peak",
            clipToView=True,
        )
        self.addItem(line)
        return line

    @property
    def series(self) -> dict[str, Series]:
        """What is plotted, by id."""
        return self._series

    def show_samples(self, samples: Sequence[object], usable_bytes: int | None, unit: SizeUnit) -> None:
        """Show a run as far as it has come.

        Args:
            samples: :class:`Sample` and :class:`PhaseSample`, oldest first.
            usable_bytes: What the device it ran on can give, None when it is not known.
            unit: Unit of the sizes.
        """
        self._series, self._spans = series_of(samples)
        highest = max((int(series.sizes.max()) for series in self._series.values()), default=0)
        scale = self.set_scale(self.highest_of(highest, usable_bytes), unit)
        for name, line in self._lines.items():
            series = self._series.get(name)
            if series is None:
                line.clear()
            else:
                line.setData(series.times, series.sizes / scale)
        end = max((float(series.times[-1]) for series in self._series.values()), default=0.0)
        self.setXRange(0, max(end, 1e-3), padding=0.01)
        self.setLabel("bottom", self.tr("seconds"))
        self._show_marks(scale, usable_bytes, unit)

    def _show_marks(self, scale: int, usable_bytes: int | None, unit: SizeUnit) -> None:
        allocated = self._series.get("allocated")
        peak = None
        longest = max(self._series.values(), key=lambda series: series.times.size, default=None)
        if allocated is not None:
            index = int(allocated.sizes.argmax())
            size = int(allocated.sizes[index])
            label = self.tr("peak {size}").format(size=format_bytes(size, unit))
            peak = Spot(float(allocated.times[index]), size / scale, label)
        if longest is not None:
            self.set_points(longest.times, longest.sizes / scale)
        usable = ""
        if usable_bytes is not None:
            usable = self.tr("usable {size}").format(size=format_bytes(usable_bytes, unit))
        capacity = None if usable_bytes is None else usable_bytes / scale
        self.set_marks(Marks(self._spans, capacity, usable, peak))

    def span_at(self, second: float) -> str:
        """Name of the phase that ran at a moment, empty outside."""
        return next((span.name for span in self._spans if span.start <= second <= span.end), "")

    def cursor_second(self) -> float | None:
        """Where the cursor stands."""
        return None if self.cursor_index < 0 else self.point(self.cursor_index)[0]

    def _apply_theme(self) -> None:
        super()._apply_theme()
        for name, line in getattr(self, "_lines", {}).items():
            line.setPen(CURVES[name].pen(is_dark(self)))
