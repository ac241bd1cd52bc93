"""What is written on a plot: phases, the capacity line, the peak and the cursor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QTransform
from PySide6.QtWidgets import QWidget

from optmem_gui.gui.theme import Shades, is_dark, shades
from optmem_gui.gui.widgets.painting import elided


@dataclass(frozen=True, slots=True)
class Span:
    """One phase on the axis."""

    name: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Spot:
    """A point with a label."""

    x: float
    y: float
    label: str


@dataclass(frozen=True, slots=True)
class Marks:
    """Everything that is written on a plot.

    Attributes:
        spans: Phases, with a line at each start.
        groups: What spans belong to (steps), named in a line above them.
        capacity: Height of the capacity line, None without one.
        capacity_label: Its label; shown at the top when the line is above the plot.
        peak: The largest point.
    """

    spans: tuple[Span, ...] = ()
    groups: tuple[Span, ...] = ()
    capacity: float | None = None
    capacity_label: str = ""
    peak: Spot | None = None


class PlotMarks(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no types
    """Draws marks over a plot, in pixels, so that text keeps its size and never leaves the view."""

    def __init__(self) -> None:
        super().__init__()
        self._marks = Marks()
        self._cursor: tuple[float, float] | None = None
        self._focused = False
        self.setZValue(10)

    def set_marks(self, marks: Marks) -> None:
        """Show other marks."""
        self._marks = marks
        self.update()

    def set_cursor(self, cursor: tuple[float, float] | None) -> None:
        """Put the cursor at a point of the curve, or take it away."""
        if cursor != self._cursor:
            self._cursor = cursor
            self.update()

    def set_focused(self, focused: bool) -> None:
        """Draw a frame while the plot has the keyboard."""
        self._focused = focused
        self.update()

    def boundingRect(self) -> QRectF:  # noqa: N802  # Qt's name
        """All that is visible."""
        return QRectF(self.viewRect())

    def viewTransformChanged(self) -> None:  # noqa: N802  # pyqtgraph's name
        """The visible part is this item's extent."""
        self.prepareGeometryChange()
        super().viewTransformChanged()

    def dataBounds(self, *_args: object, **_options: object) -> tuple[None, None]:  # noqa: N802  # pyqtgraph's
        """Marks do not stretch the axes."""
        return (None, None)

    def paint(self, painter: QPainter, option: Any, widget: QWidget | None = None) -> None:  # noqa: ANN401  # untyped
        """Draw lines first, words over them."""
        del option
        place = painter.worldTransform()
        view = place.mapRect(QRectF(self.viewRect()))
        tone = shades(is_dark(widget))
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if widget is not None:
            painter.setFont(widget.font())
        metrics = QFontMetricsF(painter.font())
        self._paint_spans(painter, place, view, metrics, tone)
        self._paint_capacity(painter, place, view, metrics, tone)
        if self._focused:
            painter.setPen(QPen(QColor(tone.accent), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(view.adjusted(1, 1, -1, -1))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_peak(painter, place, view, metrics, tone)
        self._paint_cursor(painter, place, view, tone)
        painter.restore()

    def _paint_spans(
        self, painter: QPainter, place: QTransform, view: QRectF, metrics: QFontMetricsF, tone: Shades
    ) -> None:
        """A line at each boundary; the name where enough of it fits to be told from the others."""
        line = metrics.height()
        top = view.top() + 0.2 * line
        faint = QColor(tone.muted)
        faint.setAlphaF(0.6)
        for row, spans in enumerate(self._rows()):
            for number, span in enumerate(spans):
                left = span.start * place.m11() + place.dx()
                right = span.end * place.m11() + place.dx()
                if number and spans is self._marks.spans:
                    painter.setPen(QPen(faint, 1, Qt.PenStyle.DotLine))
                    painter.drawLine(QPointF(left, view.top()), QPointF(left, view.bottom()))
                room = QRectF(left, top + row * line, right - left, line).intersected(view)
                name = elided(span.name, metrics, room.width() - 0.4 * line, shortest=5)
                painter.setPen(QColor(tone.muted))
                painter.drawText(room, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, name)

    def _rows(self) -> tuple[tuple[Span, ...], ...]:
        return (self._marks.groups, self._marks.spans) if self._marks.groups else (self._marks.spans,)

    @property
    def rows_of_names(self) -> int:
        """Lines of text at the top of the plot."""
        return len(self._rows())

    def _paint_capacity(
        self, painter: QPainter, place: QTransform, view: QRectF, metrics: QFontMetricsF, tone: Shades
    ) -> None:
        capacity = self._marks.capacity
        if capacity is None:
            return
        y = capacity * place.m22() + place.dy()
        names = self.rows_of_names * metrics.height()
        seen = y >= view.top() + names + 0.5 * metrics.height()
        if seen:
            painter.setPen(QPen(QColor(tone.text), 1.5, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(view.left(), y), QPointF(view.right(), y))
        label, box = self._marks.capacity_label, self._capacity_box(view, metrics, y if seen else None)
        if self._peak_box(place, view, metrics).intersects(box):
            box.moveLeft(view.left())
        self._write(painter, box, label, tone)

    def _capacity_box(self, view: QRectF, metrics: QFontMetricsF, y: float | None) -> QRectF:
        """On the line at the right end; under the names of the phases where the line is above the plot."""
        line = metrics.height()
        under = view.top() + self.rows_of_names * line + 0.3 * line
        width = metrics.horizontalAdvance(self._marks.capacity_label) + 0.6 * line
        top = under if y is None else max(under, y - 1.15 * line)
        return QRectF(view.right() - width, top, width, line)

    def _peak_box(self, place: QTransform, view: QRectF, metrics: QFontMetricsF) -> QRectF:
        """Beside the point, on the side where there is room; empty without a peak."""
        peak = self._marks.peak
        if peak is None:
            return QRectF()
        spot, line = place.map(QPointF(peak.x, peak.y)), metrics.height()
        # The label is bold: about a tenth wider than these metrics say.
        width, away = 1.1 * metrics.horizontalAdvance(peak.label) + 0.6 * line, 0.56 * line
        left = spot.x() - away - width
        if left < view.left():
            left = min(spot.x() + away, view.right() - width)
        return QRectF(left, spot.y() + 0.4 * line, width, line)

    def _paint_peak(
        self, painter: QPainter, place: QTransform, view: QRectF, metrics: QFontMetricsF, tone: Shades
    ) -> None:
        peak = self._marks.peak
        if peak is None:
            return
        radius = 0.28 * metrics.height()
        painter.setPen(QPen(QColor(tone.card), 1.5))
        painter.setBrush(QColor(tone.text))
        painter.drawEllipse(place.map(QPointF(peak.x, peak.y)), radius, radius)
        self._write(painter, self._peak_box(place, view, metrics), peak.label, tone, bold=True)

    @staticmethod
    def _write(painter: QPainter, box: QRectF, text: str, tone: Shades, *, bold: bool = False) -> None:
        """Text on a patch of the card's colour, readable on any area below it."""
        patch = QColor(tone.card)
        patch.setAlphaF(0.85)
        painter.fillRect(box, patch)
        painter.setPen(QColor(tone.text))
        plain, font = painter.font(), painter.font()
        font.setBold(bold)
        painter.setFont(font)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        painter.setFont(plain)

    def _paint_cursor(self, painter: QPainter, place: QTransform, view: QRectF, tone: Shades) -> None:
        if self._cursor is None:
            return
        spot = place.map(QPointF(*self._cursor))
        painter.setPen(QPen(QColor(tone.accent), 1))
        painter.drawLine(QPointF(spot.x(), view.top()), QPointF(spot.x(), view.bottom()))
        painter.setPen(QPen(QColor(tone.card), 1))
        painter.setBrush(QColor(tone.accent))
        painter.drawEllipse(spot, 4, 4)
