"""The frame of every memory plot: bytes on the vertical axis, the theme's colours, no menu of pyqtgraph."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from optmem_gui.core.units import SizeUnit, scale_of
from optmem_gui.gui.theme import is_dark, scaled_font, shades
from optmem_gui.gui.widgets.painting import em
from optmem_gui.gui.widgets.plot_marks import Marks, PlotMarks
from optmem_gui.gui.widgets.stacked_area import Floats

FAR_ABOVE = 4
"""A capacity more than this many peaks up is named at the top edge instead of flattening the curve."""


class SizeAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Numbers with thousands separators, never in powers of ten."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:  # noqa: N802  # pyqtgraph's
        """As many decimals as the distance of the ticks needs."""
        step = spacing * scale
        places = max(0, -math.floor(math.log10(step))) if step > 0 else 0
        return [f"{value * scale:,.{places}f}" for value in values]


class MemoryPlot(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no types
    """Sizes over an axis, with a cursor that pointer and arrow keys move from point to point.

    A view box with axes of its own: pyqtgraph's PlotItem would build a hundred hidden widgets for its menu,
    which the start of the program pays for.

    Emits:
        cursor_moved: Index of the point under the cursor, -1 when it left.
    """

    cursor_moved = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scale_name = ""
        self._scale = 1
        self._highest = 1.0
        self._x: Floats = np.zeros(0)
        self._y: Floats = np.zeros(0)
        self._cursor = -1
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.box = pg.ViewBox(enableMenu=False, enableMouse=False)
        self.left, self.bottom = SizeAxis("left"), pg.AxisItem("bottom")
        grid = pg.GraphicsLayout()
        margin = em(self) / 2  # half of the highest and of the lowest number of the axis
        grid.layout.setContentsMargins(0, margin, 0, margin)
        grid.layout.setSpacing(0)
        for axis, row, column in ((self.left, 0, 0), (self.bottom, 1, 1)):
            axis.linkToView(self.box)
            grid.addItem(axis, row, column)
        grid.addItem(self.box, 0, 1)
        self.setCentralItem(grid)
        self.marks = PlotMarks()
        self.add(self.marks)
        self.scene().sigMouseMoved.connect(self._follow_pointer)
        self._apply_theme()

    def add(self, item: pg.GraphicsObject) -> None:
        """Put an item into the plot; the range follows the figures, not the items."""
        self.box.addItem(item, ignoreBounds=True)

    # Scale

    def set_scale(self, highest_bytes: int, unit: SizeUnit) -> int:
        """Choose the unit of the axis for values up to this, and return its bytes."""
        self.scale_name, self._scale = scale_of(highest_bytes, unit)
        self._highest = max(highest_bytes / self._scale, 1e-9)
        if self.left.labelText != self.scale_name:
            self.left.setLabel(self.scale_name)
        return self._scale

    @staticmethod
    def highest_of(peak_bytes: int, usable_bytes: int | None) -> int:
        """How high the axis has to reach: the capacity as well, unless it is far above everything."""
        if usable_bytes is None or usable_bytes > FAR_ABOVE * max(peak_bytes, 1):
            return peak_bytes
        return max(peak_bytes, usable_bytes)

    def _fit_range(self) -> None:
        """Leave room above the curve for the names of the phases."""
        line, height = em(self), max(1.0, self.box.height())
        room = min(0.5, (self.marks.rows_of_names + 1.6) * line / height)
        self.box.setYRange(0, self._highest / (1 - room), padding=0)

    def set_marks(self, marks: Marks) -> None:
        """Put up phases, capacity and peak."""
        self.marks.set_marks(marks)
        self._fit_range()

    # Cursor

    def set_points(self, x: Floats, y: Floats) -> None:
        """Points that the cursor can stand on; it keeps its index while that exists."""
        self._x, self._y = x, y
        if self._cursor >= x.size:
            self._move(-1)
        elif self._cursor >= 0:
            self.marks.set_cursor(self.point(self._cursor))

    @property
    def cursor_index(self) -> int:
        """Index of the point under the cursor, -1 without one."""
        return self._cursor

    def point(self, index: int) -> tuple[float, float]:
        """One of the points that the cursor can stand on."""
        return float(self._x[index]), float(self._y[index])

    def _follow_pointer(self, place: QPointF) -> None:
        box = self.box
        if not self._x.size or not box.sceneBoundingRect().contains(place):
            self._move(-1)
            return
        at = box.mapSceneToView(place).x()
        nearest = int(np.abs(self._x - at).argmin())
        if at > self._x[nearest]:  # two phases meet here: the pointer is in the later one
            nearest = int(np.searchsorted(self._x, self._x[nearest], side="right")) - 1
        self._move(nearest)

    def _move(self, index: int) -> None:
        if index == self._cursor:
            return
        self._cursor = index
        self.marks.set_cursor(None if index < 0 else self.point(index))
        self.cursor_moved.emit(index)

    # Events

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Without a pointer there is no cursor."""
        super().leaveEvent(event)
        self._move(-1)

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802  # Qt's name
        """Show that keys go here."""
        super().focusInEvent(event)
        self.marks.set_focused(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802  # Qt's name
        """Keys go elsewhere."""
        super().focusOutEvent(event)
        self.marks.set_focused(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """Arrow keys walk along the points, page keys faster; Escape takes the cursor away."""
        last = int(self._x.size) - 1
        stride = max(1, last // 20)
        places = {
            Qt.Key.Key_PageDown: min(self._cursor + stride, last),
            Qt.Key.Key_PageUp: max(self._cursor - stride, 0),
            Qt.Key.Key_Right: min(self._cursor + 1, last),
            Qt.Key.Key_Left: max(self._cursor - 1, 0),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
            Qt.Key.Key_Escape: -1,
        }
        place = places.get(Qt.Key(event.key()))
        if place is None or last < 0:
            super().keyPressEvent(event)
            return
        self._move(place)
        event.accept()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Keep the room for names."""
        super().resizeEvent(event)
        if hasattr(self, "marks"):  # the base class resizes itself while it is being built
            self._fit_range()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow a change of theme or font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and hasattr(self, "marks"):
            self._apply_theme()

    def _apply_theme(self) -> None:
        tone = shades(is_dark(self))
        self.setBackground(QColor(tone.card))
        for axis in (self.left, self.bottom):
            axis.setPen(QPen(QColor(tone.border), 1))
            axis.setTextPen(QColor(tone.muted))
            axis.setTickFont(scaled_font(self.font(), 0.9))
            axis.enableAutoSIPrefix(False)

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """Room for a picture, without forcing a window to grow."""
        line = round(em(self))
        return QSize(30 * line, 12 * line)

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """Still readable."""
        line = round(em(self))
        return QSize(14 * line, 6 * line)
