"""The peak as a stacked bar on paper, with a legend, because a small part has no room for its name."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPen

from optmem_gui.gui.paper.sheet import POINT, Sheet, rectangle
from optmem_gui.gui.theme import LIGHT, component_style
from optmem_gui.gui.widgets.stacked_bar import OVERHEAD, BarContent, Segment

_HEIGHT = 22 * POINT
_SIZE = 8.0


def paint_bar(sheet: Sheet, content: BarContent, top: float) -> float:
    """Draw bar, capacity and legend; returns where they end."""
    drawn = [part for part in content.segments if part.bytes > 0]
    longest = max(sum(part.bytes for part in drawn), content.usable_bytes or 0, 1)
    scale = sheet.width / (1.03 * longest)
    bar = QRectF(sheet.left, top, sheet.width, _HEIGHT)
    sheet.painter.fillRect(bar, QColor(LIGHT.grid))
    areas, left = [], sheet.left
    for part in drawn:
        areas.append((part, QRectF(left, top, part.bytes * scale, _HEIGHT)))
        left += part.bytes * scale
    for part, area in areas:
        _paint_part(sheet, part, area)
    bottom = top + _HEIGHT
    if content.usable_bytes is not None:
        bottom = _paint_capacity(sheet, content, sheet.left + content.usable_bytes * scale, bar)
    for part, area in areas:  # last, so that the capacity does not cross a word out
        if part.id != OVERHEAD:
            _paint_label(sheet, part, area)
    return _paint_legend(sheet, drawn, bottom + 5 * POINT)


def _paint_part(sheet: Sheet, part: Segment, area: QRectF) -> None:
    if part.id == OVERHEAD:
        _paint_overhead(sheet, area)
        return
    sheet.fill(rectangle(area), component_style(part.id, dark=False))
    border = QRectF(area.right() - 0.5 * POINT, area.top(), 0.5 * POINT, area.height())
    sheet.painter.fillRect(border, QColor(LIGHT.card))


def _paint_label(sheet: Sheet, part: Segment, area: QRectF) -> None:
    """Name and size, the size alone, or nothing, as there is room."""
    style, line = component_style(part.id, dark=False), sheet.line_height(_SIZE)
    for text in (f"{part.name}  {part.size}", part.size):
        width = sheet.text_width(text, _SIZE, bold=True)
        if width + 8 * POINT > area.width():
            continue
        place = QRectF(area.left() + 4 * POINT, area.center().y() - line / 2, width + 2 * POINT, line)
        sheet.painter.fillRect(place.adjusted(-1.5 * POINT, 0, -0.5 * POINT, 0), style.colour)
        sheet.write(place, text, _SIZE, colour=style.text.name(), bold=True)
        return


def _paint_overhead(sheet: Sheet, area: QRectF) -> None:
    """A bound, not an amount allocated: outlined and hatched on the bare ground."""
    painter = sheet.painter
    painter.save()
    painter.setClipRect(area)
    painter.setPen(QPen(QColor(LIGHT.muted), 0.6 * POINT))
    place = area.left() - area.height()
    while place < area.right():
        painter.drawLine(QPointF(place, area.bottom()), QPointF(place + area.height(), area.top()))
        place += 4 * POINT
    painter.restore()
    painter.setPen(QPen(QColor(LIGHT.muted), 0.6 * POINT, Qt.PenStyle.DotLine))
    painter.setBrush(QBrush(Qt.BrushStyle.NoBrush))
    painter.drawRect(area)


def _paint_capacity(sheet: Sheet, content: BarContent, place: float, bar: QRectF) -> float:
    """The capacity as a line, its label where there is room; returns where the label ends."""
    line, gap = sheet.line_height(_SIZE), 3 * POINT
    below = bar.bottom() + line + POINT
    sheet.rule(
        QPointF(place, bar.top() - 2 * POINT), QPointF(place, below), LIGHT.text, 1.1, Qt.PenStyle.DashLine
    )
    width = sheet.text_width(content.usable_label, _SIZE) + POINT
    left = place - gap - width if place - gap - width > bar.left() else place + gap
    sheet.write(QRectF(left, bar.bottom() + POINT, width, line), content.usable_label, _SIZE)
    return below


def _paint_legend(sheet: Sheet, drawn: list[Segment], top: float) -> float:
    """Swatch, name and size of every part, as many in a row as fit."""
    line, side = sheet.line_height(_SIZE), 6 * POINT
    left, row = sheet.left, top
    for part in drawn:
        text = f"{part.name} {part.size}"
        needed = side + 3 * POINT + sheet.text_width(text, _SIZE) + 2 * POINT
        if left > sheet.left and left + needed > sheet.left + sheet.width:
            left, row = sheet.left, row + 1.15 * line
        paint_swatch(sheet, part.id, QRectF(left, row + (line - side) / 2, side, side))
        area = QRectF(left + side + 3 * POINT, row, needed, line)
        sheet.write(area, text, _SIZE, colour=LIGHT.muted)
        left += needed + 8 * POINT
    return row + line


def paint_swatch(sheet: Sheet, component_id: str, area: QRectF) -> None:
    """A small sample of a component."""
    if component_id == OVERHEAD:
        _paint_overhead(sheet, area)
        return
    sheet.fill(rectangle(area), component_style(component_id, dark=False))
    sheet.painter.setPen(QPen(QColor(LIGHT.muted), 0.4 * POINT))
    sheet.painter.setBrush(QBrush(Qt.BrushStyle.NoBrush))
    sheet.painter.drawRect(area)
