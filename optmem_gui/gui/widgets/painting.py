"""Drawing shared by charts and tables: fills with their hatch, samples, text that is elided, not cut."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QWidget

from optmem_gui.gui.theme import ComponentStyle


def fill(painter: QPainter, area: QRectF, style: ComponentStyle) -> None:
    """Fill a rectangle with a component's colour and its hatch."""
    painter.fillRect(area, style.colour)
    if style.pattern != Qt.BrushStyle.SolidPattern:
        painter.fillRect(area, QBrush(style.ink, style.pattern))


def swatch(painter: QPainter, area: QRectF, style: ComponentStyle, outline: QColor) -> None:
    """A small sample of a component, outlined so that a pale one is seen on a pale ground."""
    fill(painter, area, style)
    painter.setPen(QPen(outline, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5))


def line_sample(painter: QPainter, area: QRectF, pen: QPen) -> None:
    """A small sample of a curve: its colour, width and dashes."""
    painter.setPen(pen)
    painter.drawLine(QPointF(area.left(), area.center().y()), QPointF(area.right(), area.center().y()))


def elided(text: str, metrics: QFontMetricsF, width: float, shortest: int = 3) -> str:
    """The text, elided to fit a width; empty where fewer than ``shortest`` letters would be left."""
    if metrics.horizontalAdvance(text) <= width:
        return text
    short = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
    return short if len(short) > shortest else ""


def em(widget: QWidget) -> float:
    """The widget's line height, the measure every other length is made of."""
    return QFontMetricsF(widget.font()).height()
