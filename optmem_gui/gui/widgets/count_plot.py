"""Memory against the number of GPUs: a curve an engine, the capacity across it."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtWidgets import QWidget

from optmem_gui.core.units import SizeUnit, format_count
from optmem_gui.gui.tasks.plan import Plan
from optmem_gui.gui.widgets.curve import CurveItem
from optmem_gui.gui.widgets.curve_style import CurveStyle
from optmem_gui.gui.widgets.memory_plot import MemoryPlot
from optmem_gui.gui.widgets.plot_marks import Marks

LEAST = "least"
"""The layout that needs the least, whatever it splits."""

STYLES: dict[str, CurveStyle] = {
    LEAST: CurveStyle("#2563d9", "#79adff", (), 3.0),
    "ddp": CurveStyle("#58626d", "#a7b0ba", (9, 4)),
    "zero-redundancy": CurveStyle("#8a5200", "#f0b44c", (9, 3, 2, 3)),
    "fsdp2": CurveStyle("#146c31", "#69d391", (3, 3)),
    "zero1": CurveStyle("#8a5200", "#f0b44c", (9, 3, 2, 3)),
    "zero2": CurveStyle("#6b5bab", "#a99be6", (5, 2, 5, 6)),
    "zero3": CurveStyle("#146c31", "#69d391", (3, 3)),
    "megatron": CurveStyle("#146c31", "#69d391", (3, 3)),
}
"""Curves by what they show; each dash is told from the others of one plan without colour."""

_TIMES_CAPACITY = 3
"""How far above the capacity the picture reaches; what lies above it does not fit anyway."""


def series_of(plan: Plan) -> dict[str, dict[int, int]]:
    """Peaks by number of GPUs, for the layout that needs the least and for each engine alone."""
    least = {
        gpus: min(layout.peak_bytes for layout in layouts) for gpus, layouts in plan.tried.items() if layouts
    }
    return {LEAST: least, **{name: dict(peaks) for name, peaks in plan.engines.items()}}


class CountPlot(MemoryPlot):
    """The number of GPUs doubles from tick to tick; the cursor stands on the numbers that were tried."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._curves = {name: CurveItem(style) for name, style in STYLES.items()}
        for curve in self._curves.values():
            self.add(curve)
        self.counts: tuple[int, ...] = ()

    def show_plan(self, plan: Plan, unit: SizeUnit, capacity_label: str) -> None:
        """Show what was tried so far."""
        series = series_of(plan)
        usable = plan.gpu.usable_bytes
        peaks = [peak for found in series.values() for peak in found.values()]
        highest = min(max(peaks, default=usable), _TIMES_CAPACITY * usable)
        scale = self.set_scale(max(highest, usable), unit)
        for name, curve in self._curves.items():
            found = sorted(series.get(name, {}).items())
            x = np.array([math.log2(gpus) for gpus, _ in found], dtype=np.float64)
            curve.set_data(x, np.array([peak / scale for _, peak in found], dtype=np.float64))
        self.counts = tuple(sorted(plan.tried))
        powers = [math.log2(gpus) for gpus in self.counts]
        ticks = [(power, format_count(gpus)) for power, gpus in zip(powers, self.counts, strict=True)]
        self.bottom.setTicks([ticks])
        least = [series[LEAST].get(gpus, 0) / scale for gpus in self.counts]
        self.set_marks(Marks(capacity=usable / scale, capacity_label=capacity_label))
        self.set_points(np.array(powers, dtype=np.float64), np.array(least, dtype=np.float64))
        self.box.setXRange(-0.2, max([1.0, *powers]) + 0.2, padding=0)
