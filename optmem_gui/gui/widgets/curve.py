"""Curves of a live plot, thinned to pixels, with dashes that cost next to nothing.

Qt takes 100 ms for a dashed line of 1,000 points that is wider than one pixel. Here a dash is a choice of
segments by their place on the axis, and Qt draws separate plain lines, which takes it 1 ms.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from pyqtgraph.Qt.internals import PrimitiveArray
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QPainter, QPen, QTransform
from PySide6.QtWidgets import QWidget

from optmem_gui.gui.theme import is_dark
from optmem_gui.gui.widgets.curve_style import CurveStyle
from optmem_gui.gui.widgets.stacked_area import Floats, thinned

STEEP = 4.0
"""Segments that rise or fall by more pixels are always drawn: a peak must not vanish in a gap."""


def dashed(x: Floats, y: Floats, dash: tuple[int, ...]) -> tuple[Floats, Floats, np.ndarray[Any, Any]]:
    """Cut a curve at the ends of its dashes.

    Args:
        x: Places in pixels, ascending.
        y: Heights in pixels.
        dash: Pixels that are drawn, left out, drawn ...

    Returns:
        The points, the cuts among them, and which of the segments between them are drawn.
    """
    period = sum(dash)
    ends = np.cumsum(dash)
    first, last = np.floor(x[0] / period), np.ceil(x[-1] / period)
    cuts = (np.arange(first, last)[:, None] * period + ends[None, :]).ravel()
    cuts = cuts[(cuts > x[0]) & (cuts < x[-1])]
    place = np.searchsorted(x, cuts, side="right")
    before, after = place - 1, place
    share = (cuts - x[before]) / (x[after] - x[before])
    heights = y[before] + share * (y[after] - y[before])
    x, y = np.insert(x, place, cuts), np.insert(y, place, heights)
    middle = (x[:-1] + x[1:]) / 2 % period
    drawn = np.searchsorted(ends, middle, side="right") % 2 == 0
    return x, y, drawn | (np.abs(np.diff(y)) > STEEP)


class CurveItem(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no types
    """One curve. Values change as often as a run delivers them; painting costs the pixels, not the points."""

    def __init__(self, style: CurveStyle) -> None:
        super().__init__()
        self._style = style
        self._x: Floats = np.zeros(0)
        self._y: Floats = np.zeros(0)
        self._lines = PrimitiveArray(QLineF, 4)
        self._pixels: tuple[tuple[float, ...], Floats, Floats] | None = None

    def set_data(self, x: Floats, y: Floats) -> None:
        """Show other values; ``x`` ascends."""
        self.prepareGeometryChange()
        self._x, self._y = x, y
        self._pixels = None
        self.informViewBoundsChanged()
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802  # Qt's name
        """Extent in data units."""
        if not self._x.size:
            return QRectF()
        low, high = float(self._y.min()), float(self._y.max())
        return QRectF(float(self._x[0]), low, float(self._x[-1] - self._x[0]), high - low)

    def _in_pixels(self, place: QTransform) -> tuple[Floats, Floats]:
        """The points where they are drawn, thinned; kept, because a cursor repaints what did not change."""
        key = (place.m11(), place.dx(), place.m22(), place.dy())
        if self._pixels is not None and self._pixels[0] == key:
            return self._pixels[1:]
        x = self._x * place.m11() + place.dx()
        y = self._y * place.m22() + place.dy()
        if x.size > 2 * (x[-1] - x[0]):
            kept = thinned(np.floor(x).astype(np.int64), y)
            x, y = x[kept], y[kept]
        self._pixels = (key, x, y)
        return x, y

    def paint(self, painter: QPainter, option: Any, widget: QWidget | None = None) -> None:  # noqa: ANN401  # untyped
        """Draw the segments that are not in a gap."""
        del option
        if self._x.size < 2:
            return
        place = painter.worldTransform()
        x, y = self._in_pixels(place)
        drawn = np.ones(x.size - 1, dtype=np.bool_)
        if self._style.dash:
            x, y, drawn = dashed(x, y, self._style.dash)
        self._lines.resize(int(drawn.sum()))
        table = self._lines.ndarray()
        table[:, 0], table[:, 1] = x[:-1][drawn], y[:-1][drawn]
        table[:, 2], table[:, 3] = x[1:][drawn], y[1:][drawn]
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QPen(self._style.colour(is_dark(widget)), self._style.width))
        painter.drawLines(*self._lines.drawargs())
        painter.restore()
