"""The estimated course of one step: components stacked over its phases."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from PySide6.QtWidgets import QWidget

from optmem_gui.core.breakdown import COMPONENT_IDS, Breakdown, Moment
from optmem_gui.core.units import SizeUnit, format_bytes
from optmem_gui.gui.i18n import phase_name
from optmem_gui.gui.widgets.memory_plot import MemoryPlot
from optmem_gui.gui.widgets.plot_marks import Marks, Span, Spot
from optmem_gui.gui.widgets.stacked_area import StackedArea


class EstimatedPlot(MemoryPlot):
    """Stacked areas over a schematic axis: the order of the phases is true, their widths are not."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._breakdown: Breakdown | None = None
        self.area = StackedArea()
        self.add(self.area)
        self.bottom.hide()
        self.box.setXRange(0, 1, padding=0)

    @property
    def breakdown(self) -> Breakdown | None:
        """What it shows."""
        return self._breakdown

    def show_breakdown(self, breakdown: Breakdown, unit: SizeUnit) -> None:
        """Show another result."""
        self._breakdown = breakdown
        moments = breakdown.timeline
        usable = breakdown.fit.usable if breakdown.fit else None
        # Loading can be higher than the peak of a step, which is what the peak means.
        totals = [sum(moment.parts.values()) for moment in moments]
        highest = max([breakdown.peak_bytes, *totals])
        scale = self.set_scale(self.highest_of(highest, usable), unit)
        x = np.array([moment.at for moment in moments], dtype=np.float64)
        present = [name for name in COMPONENT_IDS if any(moment.parts.get(name) for moment in moments)]
        layers = [
            (name, np.array([moment.parts.get(name, 0) / scale for moment in moments], dtype=np.float64))
            for name in present
        ]
        self.area.set_data(x, layers)
        self.set_points(x, np.array([total / scale for total in totals], dtype=np.float64))
        self.set_marks(
            Marks(
                spans=_spans(moments),
                capacity=None if usable is None else usable / scale,
                capacity_label="" if usable is None else self._usable_label(usable, unit),
                peak=self._peak_spot(breakdown, scale, unit),
            )
        )

    def _usable_label(self, usable_bytes: int, unit: SizeUnit) -> str:
        return str(self.tr("usable {size}")).format(size=format_bytes(usable_bytes, unit))

    def _peak_spot(self, breakdown: Breakdown, scale: int, unit: SizeUnit) -> Spot | None:
        index = breakdown.peak_moment()
        if index is None:
            return None
        label = self.tr("peak {size}").format(size=format_bytes(breakdown.peak_bytes, unit))
        return Spot(breakdown.timeline[index].at, breakdown.peak_bytes / scale, label)


def _spans(moments: tuple[Moment, ...]) -> tuple[Span, ...]:
    """Phases where they begin and end; a moment between two phases belongs to both."""
    spans = []
    for phase, members in groupby(moments, key=lambda moment: moment.phase):
        places = [moment.at for moment in members]
        spans.append(Span(phase_name(phase), places[0], places[-1]))
    return tuple(spans)
