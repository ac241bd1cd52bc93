"""What everything on paper is drawn with: lengths, fonts, text that breaks into lines, hatches."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPen,
    QTextLayout,
    QTextOption,
)

from optmem_gui.gui.theme import CJK_FAMILIES, LIGHT, ComponentStyle

POINT = 10.0
"""Units of the drawing in a point. Letters are set in whole units; fine ones keep them where they belong."""

_LATIN_FAMILIES = (
    "Inter",
    "Segoe UI",
    "Helvetica Neue",
    "Noto Sans",
    "Open Sans",
    "Liberation Sans",
    "Arial",
    "Nimbus Sans",
    "DejaVu Sans",
)
"""Families for Latin letters and figures. One of them comes before the CJK family: text copied from Qt's PDF
has lost the figures of Noto Sans CJK, since Qt finds no way back from their shaped glyphs to characters."""

_LINES: dict[Qt.BrushStyle, tuple[int, ...]] = {
    Qt.BrushStyle.BDiagPattern: (-1,),
    Qt.BrushStyle.FDiagPattern: (1,),
    Qt.BrushStyle.DiagCrossPattern: (-1, 1),
    Qt.BrushStyle.HorPattern: (0,),
    Qt.BrushStyle.VerPattern: (2,),
    Qt.BrushStyle.CrossPattern: (0, 2),
}
"""Directions of a hatch's lines: rising, falling, level, upright."""

_DOTS: dict[Qt.BrushStyle, float] = {
    Qt.BrushStyle.Dense2Pattern: 2.2,
    Qt.BrushStyle.Dense3Pattern: 2.8,
    Qt.BrushStyle.Dense4Pattern: 3.4,
    Qt.BrushStyle.Dense5Pattern: 4.2,
    Qt.BrushStyle.Dense6Pattern: 5.2,
    Qt.BrushStyle.Dense7Pattern: 6.6,
}
"""Distance of a hatch's dots, in points."""


def paper_families() -> list[str]:
    """Font families of a sheet: Latin letters first, then Chinese, then whatever the program itself uses."""
    known = {name.partition(" [")[0]: name for name in QFontDatabase.families()}  # some name their foundry
    named = [known[name] for name in (*_LATIN_FAMILIES, *CJK_FAMILIES) if name in known]
    return [*named, QFont().family()]


class Sheet:
    """A painter with the fonts and colours of paper. Lengths are in units of :data:`POINT` to a point.

    Args:
        painter: Draws in these units.
        width: Width of what is drawn, margins apart.
        left: Where it begins.
    """

    def __init__(self, painter: QPainter, width: float, left: float = 0.0) -> None:
        self.painter, self.width, self.left = painter, width, left
        self._families = paper_families()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)

    def font(self, points: float, *, bold: bool = False) -> QFont:
        """A font of this size, unhinted, so that letters stand the same at every scale."""
        font = QFont()
        font.setFamilies(self._families)
        font.setPixelSize(max(1, round(points * POINT)))
        font.setBold(bold)
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        font.setFeature(QFont.Tag("liga"), 0)  # copied text keeps its letters
        return font

    def line_height(self, points: float) -> float:
        """Height of a line of text."""
        return QFontMetricsF(self.font(points)).height()

    def text_width(self, text: str, points: float, *, bold: bool = False) -> float:
        """Width of a text in one line."""
        return QFontMetricsF(self.font(points, bold=bold)).horizontalAdvance(text)

    def text_height(self, text: str, width: float, points: float, *, bold: bool = False) -> float:
        """Height of a text broken into lines of a width."""
        return self._lay_out(text, width, self.font(points, bold=bold)).boundingRect().height()

    def write(
        self,
        area: QRectF,
        text: str,
        points: float,
        *,
        colour: str = LIGHT.text,
        bold: bool = False,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    ) -> None:
        """Text at the top of an area, broken into lines."""
        font = self.font(points, bold=bold)
        self.painter.setFont(font)
        self.painter.setPen(QColor(colour))
        self._lay_out(text, area.width(), font, align).draw(self.painter, area.topLeft())

    @staticmethod
    def _lay_out(
        text: str, width: float, font: QFont, align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft
    ) -> QTextLayout:
        """Lines that break between words, and inside one only where it is longer than a line."""
        layout = QTextLayout(text, font)
        option = QTextOption(align)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        top, line = 0.0, layout.createLine()
        while line.isValid():
            line.setLineWidth(width)
            line.setPosition(QPointF(0, top))
            top += line.height()
            line = layout.createLine()
        layout.endLayout()
        return layout

    def paragraph(
        self, top: float, text: str, points: float, *, colour: str = LIGHT.text, bold: bool = False
    ) -> float:
        """A text over the whole width; returns where it ends."""
        height = self.text_height(text, self.width, points, bold=bold)
        self.write(QRectF(self.left, top, self.width, height + POINT), text, points, colour=colour, bold=bold)
        return top + height

    def rule(self, start: QPointF, end: QPointF, colour: str, points: float, style: Qt.PenStyle) -> None:
        """A straight line."""
        self.painter.setPen(QPen(QColor(colour), points * POINT, style, Qt.PenCapStyle.FlatCap))
        self.painter.drawLine(start, end)

    def fill(self, shape: QPainterPath, style: ComponentStyle) -> None:
        """Fill a shape with a component's colour and its hatch, whose lines are lines at every scale."""
        self.painter.fillPath(shape, style.colour)
        if style.pattern == Qt.BrushStyle.SolidPattern or shape.isEmpty():
            return
        self.painter.save()
        self.painter.setClipPath(shape)
        if style.pattern in _DOTS:
            self._dots(shape.boundingRect(), style.ink, _DOTS[style.pattern] * POINT)
        for direction in _LINES.get(style.pattern, ()):
            self._lines(shape.boundingRect(), style.ink, direction)
        self.painter.restore()

    def _lines(self, area: QRectF, ink: QColor, direction: int) -> None:
        step, slanted = 5 * POINT, abs(direction) == 1
        self.painter.setPen(QPen(ink, 0.9 * POINT, c=Qt.PenCapStyle.FlatCap))
        if direction == 0:
            place = area.top() + step / 2
            while place < area.bottom():
                self.painter.drawLine(QPointF(area.left(), place), QPointF(area.right(), place))
                place += step
            return
        lean = area.height() if slanted else 0.0
        place = area.left() - lean
        while place < area.right() + lean:
            low, high = (place, place + lean) if direction == -1 else (place + lean, place)
            self.painter.drawLine(QPointF(low, area.bottom()), QPointF(high, area.top()))
            place += step * (1.4 if slanted else 1.0)

    def _dots(self, area: QRectF, ink: QColor, step: float) -> None:
        """Dashes as short as they are thick: a line a row instead of a shape a dot."""
        thick = 1.1 * POINT
        pen = QPen(ink, thick, c=Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([1, 2 * step / thick - 1])
        row, place = 0, area.top() + step / 2
        while place < area.bottom():
            pen.setDashOffset(step / thick if row % 2 else 0)
            self.painter.setPen(pen)
            self.painter.drawLine(QPointF(area.left(), place), QPointF(area.right(), place))
            place += step
            row += 1


def rectangle(area: QRectF) -> QPainterPath:
    """A rectangle as a shape to fill."""
    path = QPainterPath()
    path.addRect(area)
    return path
