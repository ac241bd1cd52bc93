"""A measurement over time: what torch allocated, stacked by what it is, under what the driver shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from optmem_gui.core.units import SizeUnit, format_bytes
from optmem_gui.gui.i18n import listed
from optmem_gui.gui.widgets.curve import CurveItem
from optmem_gui.gui.widgets.curve_style import CURVES
from optmem_gui.gui.widgets.memory_plot import MemoryPlot
from optmem_gui.gui.widgets.plot_marks import Marks, Span, Spot
from optmem_gui.gui.widgets.recording import NO_SERIES, Recording, Series
from optmem_gui.gui.widgets.stacked_area import Floats, StackedArea


class MeasuredPlot(MemoryPlot):
    """Areas and lines over seconds, thinned to pixels and lines not smoothed: it can follow a live run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._recording = Recording()
        self._series: Mapping[str, Series] = {}
        self._stack: tuple[Floats, list[tuple[str, Floats]]] = (np.zeros(0), [])
        self.area = StackedArea()
        self.add(self.area)
        self._zoomed = False
        self._shown: tuple[int | None, SizeUnit] = (None, "GiB")
        self.box.setMouseEnabled(x=True, y=False)
        self.box.sigRangeChangedManually.connect(self._note_zoom)
        self._curves = {name: CurveItem(style) for name, style in CURVES.items()}
        for curve in self._curves.values():
            self.add(curve)

    @property
    def series(self) -> Mapping[str, Series]:
        """What is plotted, by id."""
        return self._series

    def show_samples(self, samples: Sequence[object], usable_bytes: int | None, unit: SizeUnit) -> None:
        """Show a run as far as it has come.

        Args:
            samples: :class:`Sample` and :class:`PhaseSample`, oldest first.
            usable_bytes: What the device it ran on can give, None when it is not known.
            unit: Unit of the sizes.
        """
        self._recording.feed(samples)
        self._show(usable_bytes, unit)

    def _show(self, usable_bytes: int | None, unit: SizeUnit) -> None:
        self._shown = (usable_bytes, unit)
        self._series = self._recording.series(fine=self._zoomed)
        highest = max((int(series.sizes.max()) for series in self._series.values()), default=0)
        scale = self.set_scale(self.highest_of(highest, usable_bytes), unit)
        self._stack = self._recording.stack()
        times, layers = self._stack
        self.area.set_data(times, [(component, sizes / scale) for component, sizes in layers])
        for name, curve in self._curves.items():
            series = self._series.get(name, NO_SERIES)
            curve.set_data(series.times, series.sizes / scale)
        if not self._zoomed:
            self._show_steps()
        if self.bottom.labelText != self.tr("seconds"):
            self.bottom.setLabel(self.tr("seconds"))
        self._show_marks(scale, usable_bytes, unit)

    def _show_steps(self) -> None:
        """From shortly before the first step: until then a run mostly waits for torch to be imported."""
        end = max((float(series.times[-1]) for series in self._series.values()), default=0.0)
        steps = self._recording.steps()
        start = max(0.0, steps[0][1].start - 0.25 * (end - steps[0][1].start)) if steps else 0.0
        self.box.setXRange(start, max(end, start + 1e-3), padding=0.01)

    def _note_zoom(self, *_axes: object) -> None:
        """A part of the run shows every point."""
        if not self._zoomed:
            self._zoomed = True
            self._show(*self._shown)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """Take the zoom back."""
        super().mouseDoubleClickEvent(event)
        self._zoomed = False
        self._show(*self._shown)

    def _show_marks(self, scale: int, usable_bytes: int | None, unit: SizeUnit) -> None:
        allocated = self._series.get("allocated")
        peak = None
        if allocated is not None:
            index = int(allocated.sizes.argmax())
            size = int(allocated.sizes[index])
            label = self.tr("peak {size}").format(size=format_bytes(size, unit))
            peak = Spot(float(allocated.times[index]), size / scale, label)
        longest = max(self._series.values(), key=lambda series: series.times.size, default=None)
        if longest is not None:
            self.set_points(longest.times, longest.sizes / scale)
        usable = ""
        if usable_bytes is not None:
            usable = self.tr("usable {size}").format(size=format_bytes(usable_bytes, unit))
        capacity = None if usable_bytes is None else usable_bytes / scale
        self.set_marks(Marks(self._recording.phases(), self._steps(), capacity, usable, peak))

    def _steps(self) -> tuple[Span, ...]:
        return tuple(
            Span(str(self.tr("step {number}")).format(number=number), span.start, span.end)
            for number, span in self._recording.steps()
        )

    def place_at(self, second: float) -> str:
        """Names of the step and the phase that ran at a moment, empty outside."""
        found = (
            next((span.name for span in spans if span.start <= second <= span.end), "")
            for spans in (self._steps(), self._recording.phases())
        )
        return listed(name for name in found if name)

    def parts_at(self, second: float | None) -> dict[str, int]:
        """Allocated bytes by component at a moment, at the largest one without any; empty where not known."""
        times, layers = self._stack
        if not times.size:
            return {}
        if second is None:
            index = int(np.sum([sizes for _, sizes in layers], axis=0).argmax())
        else:
            index = int(np.searchsorted(times, second, side="right")) - 1
        return {component: int(sizes[index]) for component, sizes in layers} if index >= 0 else {}

    def cursor_second(self) -> float | None:
        """Where the cursor stands."""
        return None if self.cursor_index < 0 else self.point(self.cursor_index)[0]
