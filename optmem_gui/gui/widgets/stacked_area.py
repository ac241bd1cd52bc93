"""Stacked areas as one plot item: pyqtgraph's own fill between curves is slow and knows no hatch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPen
from PySide6.QtWidgets import QWidget

from optmem_gui.gui.theme import component_style, is_dark

Floats = npt.NDArray[np.float64]


def thinned(columns: npt.NDArray[np.int64], heights: Floats) -> npt.NDArray[np.int64]:
    """Indices that are enough to draw a curve: first, lowest, highest and last point of each pixel column.

    Args:
        columns: Pixel column of each point, ascending.
        heights: Height of each point.
    """
    starts = np.flatnonzero(np.diff(columns, prepend=columns[:1] - 1))
    counts = np.diff(starts, append=len(columns))
    kept = np.zeros(len(columns), dtype=np.bool_)
    kept[starts] = kept[starts + counts - 1] = True
    for extreme in (np.minimum, np.maximum):  # without sorting: a live plot does this at every frame
        reached = np.flatnonzero(heights == np.repeat(extreme.reduceat(heights, starts), counts))
        place = columns[reached]
        kept[reached[np.diff(place, prepend=place[:1] - 1) != 0]] = True
    return np.flatnonzero(kept)


class StackedArea(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no types
    """Components stacked over one axis, each with its colour and hatch.

    Hatches are drawn in pixels, not in data units, so that they stay even at any scale.
    """

    def __init__(self) -> None:
        super().__init__()
        self._ids: tuple[str, ...] = ()
        self._x: Floats = np.zeros(0)
        self._edges: Floats = np.zeros((1, 0))
        self._bounds = QRectF()

    def set_data(self, x: Floats, layers: Sequence[tuple[str, Floats]]) -> None:
        """Show other values.

        Args:
            x: Places on the axis, ascending.
            layers: Component ids with their heights at ``x``, from the bottom up.
        """
        self.prepareGeometryChange()
        self._ids = tuple(component_id for component_id, _ in layers)
        self._x = x
        self._edges = np.zeros((len(layers) + 1, len(x)))
        if layers:
            np.cumsum([heights for _, heights in layers], axis=0, out=self._edges[1:])
        top = float(self._edges[-1].max()) if x.size else 0.0
        left, right = (float(x[0]), float(x[-1])) if x.size else (0.0, 0.0)
        self._bounds = QRectF(left, 0.0, right - left, top)
        self.informViewBoundsChanged()
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802  # Qt's name
        """Extent in data units."""
        return self._bounds

    def paint(self, painter: QPainter, option: Any, widget: QWidget | None = None) -> None:  # noqa: ANN401  # untyped
        """Draw the areas from the bottom up."""
        del option
        if self._x.size < 2:
            return
        place = painter.worldTransform()
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        x = self._x * place.m11() + place.dx()
        edges = self._edges * place.m22() + place.dy()
        if x.size > 4 * (x[-1] - x[0]):
            kept = thinned(x.astype(np.int64), edges[-1])
            x, edges = x[kept], edges[:, kept]
        dark = is_dark(widget)
        around = np.concatenate((x, x[::-1]))
        for layer, component_id in enumerate(self._ids):
            style = component_style(component_id, dark)
            outline = np.concatenate((edges[layer + 1], edges[layer][::-1]))
            polygon = pg.functions.arrayToQPolygonF(around, outline)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(style.colour)
            painter.drawPolygon(polygon)
            if style.pattern != Qt.BrushStyle.SolidPattern:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # half the time, same look
                painter.setBrush(QBrush(style.ink, style.pattern))
                painter.drawPolygon(polygon)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # From the top down, so that where a layer is empty the edge has the colour of the one below.
        for layer in reversed(range(len(self._ids))):
            painter.setPen(QPen(component_style(self._ids[layer], dark).colour.darker(130), 1))
            painter.drawPolyline(pg.functions.arrayToQPolygonF(x, edges[layer + 1]))
        painter.restore()
