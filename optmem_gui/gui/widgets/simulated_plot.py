"""The simulated course of a run: what is alive, stacked, over the allocations and frees of its phases."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import numpy as np
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from optmem_gui.core.simulating import CATEGORIES, SimulatedPoint, SimulationReport
from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.gui.i18n import component_name, stage_name
from optmem_gui.gui.widgets.curve import CurveItem
from optmem_gui.gui.widgets.curve_style import CURVES, curve_name
from optmem_gui.gui.widgets.memory_plot import MemoryPlot
from optmem_gui.gui.widgets.plot_marks import Marks, Span, Spot
from optmem_gui.gui.widgets.readout import Entry
from optmem_gui.gui.widgets.stacked_area import StackedArea


class SimulatedPlot(MemoryPlot):
    """Stacked areas over events, with a line for what the caching allocator holds."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._report: SimulationReport | None = None
        self._shown: tuple[SimulationReport, int | None, SizeUnit] | None = None
        self._seen: tuple[str, ...] = ()
        self.area = StackedArea()
        self.reserved = CurveItem(CURVES["reserved"])
        self.add(self.area)
        self.add(self.reserved)
        self.bottom.hide()
        self.box.setMouseEnabled(x=True, y=False)

    def show_report(self, report: SimulationReport, usable_bytes: int | None, unit: SizeUnit) -> None:
        """Show a run.

        Args:
            report: What the trace found.
            usable_bytes: What the GPU can give, None where none is chosen.
            unit: Unit of the sizes.
        """
        if self._shown is not None and self._shown[0] is report and self._shown[1:] == (usable_bytes, unit):
            return
        other = report is not self._report
        self._report, self._shown = report, (report, usable_bytes, unit)
        points = report.points
        parts = np.array([point.parts for point in points], dtype=np.float64).reshape(-1, len(CATEGORIES))
        held = np.array([point.reserved_bytes for point in points], dtype=np.float64)
        totals = parts.sum(axis=1)
        highest = max(report.peak_reserved_bytes, report.peak_bytes, int(totals.max(initial=0)))
        scale = self.set_scale(self.highest_of(highest, usable_bytes), unit)
        x = np.array([point.event for point in points], dtype=np.float64)
        present = [place for place in range(len(CATEGORIES)) if parts[:, place].any()]
        self._seen = tuple(CATEGORIES[place] for place in present)
        self.area.set_data(x, [(CATEGORIES[place], parts[:, place] / scale) for place in present])
        self.reserved.set_data(x, held / scale)
        self.set_points(x, totals / scale)
        usable = ""
        if usable_bytes is not None:
            usable = str(self.tr("usable {size}")).format(size=format_bytes(usable_bytes, unit))
        self.set_marks(
            Marks(
                spans=tuple(_spans(points)),
                groups=tuple(self._steps(points)),
                capacity=None if usable_bytes is None else usable_bytes / scale,
                capacity_label=usable,
                peak=self._peak_spot(report, scale, unit),
            )
        )
        if other:
            self.show_all()

    def show_all(self) -> None:
        """Take the zoom back."""
        points = self._report.points if self._report is not None else ()
        if points:
            self.box.setXRange(points[0].event, max(points[-1].event, points[0].event + 1), padding=0)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Take the zoom back."""
        super().mouseDoubleClickEvent(event)
        self.show_all()

    def _steps(self, points: tuple[SimulatedPoint, ...]) -> Iterator[Span]:
        for step, members in groupby(points, key=lambda point: point.step):
            places = [point.event for point in members]
            if step:
                name = str(self.tr("step {number}")).format(number=step)
                yield Span(name, places[0], places[-1])

    def _peak_spot(self, report: SimulationReport, scale: int, unit: SizeUnit) -> Spot | None:
        point = peak_point(report)
        if point is None:
            return None
        label = str(self.tr("peak {size}")).format(size=format_bytes(report.peak_bytes, unit))
        return Spot(point.event, report.peak_bytes / scale, label)

    def read_out(self, unit: SizeUnit) -> tuple[str, tuple[Entry, ...]]:
        """What is alive at the cursor, at the peak without one: a title and a line for each category."""
        report = self._report
        if report is None or not report.points:
            return "", ()
        at_cursor = self.cursor_index
        point = report.points[at_cursor] if at_cursor >= 0 else peak_point(report) or report.points[-1]
        size = format_bytes(sum(point.parts), unit)
        phase = stage_name(point.phase)
        if at_cursor < 0:
            title = str(self.tr("Peak, {phase}: {size}")).format(phase=phase, size=size)
        elif point.step:
            title = str(self.tr("step {step}, {phase}: {size}")).format(
                step=point.step, phase=phase, size=size
            )
        else:
            title = str(self.tr("{phase}: {size}")).format(phase=phase, size=size)
        entries = [
            Entry(CURVES["reserved"], curve_name("reserved"), format_bytes(point.reserved_bytes, unit))
        ]
        for name in reversed(self._seen):
            part = point.parts[CATEGORIES.index(name)]
            tip = str(self.tr("{count} bytes")).format(count=format_count(part))
            entries.append(Entry(name, component_name(name), format_bytes(part, unit) if part else "-", tip))
        return title, tuple(entries)


def peak_point(report: SimulationReport) -> SimulatedPoint | None:
    """The point of the peak of the steady step; the nearest one where the course was thinned around it."""
    return min(report.points, key=lambda point: abs(point.event - report.peak_event), default=None)


def _spans(points: tuple[SimulatedPoint, ...]) -> Iterator[Span]:
    """Phases from where they begin to where the next one does."""
    keyed = [list(members) for _, members in groupby(points, key=lambda point: (point.step, point.phase))]
    for number, members in enumerate(keyed):
        after = keyed[number + 1][0] if number + 1 < len(keyed) else members[-1]
        yield Span(stage_name(members[0].phase), members[0].event, after.event)
