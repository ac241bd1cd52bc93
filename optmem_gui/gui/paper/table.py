"""A table on paper: columns as wide as they need, the last one takes the rest and breaks into lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt

from optmem_gui.gui.paper.bar import paint_swatch
from optmem_gui.gui.paper.sheet import POINT, Sheet
from optmem_gui.gui.theme import LIGHT
from optmem_gui.report.tables import Table

_GAP = 7 * POINT
_SIDE = 6 * POINT


@dataclass(frozen=True, slots=True)
class _Columns:
    """How the rows of one table are set: size of the text, width of each column, which are numbers."""

    points: float
    widths: tuple[float, ...]
    numeric: frozenset[int]
    indent: float


def paint_table(
    sheet: Sheet, table: Table, top: float, points: float, *, ids: Sequence[str] = (), total: bool = False
) -> float:
    """Draw a table; returns where it ends.

    Args:
        sheet: Where to draw.
        table: What to draw.
        top: Where it begins.
        points: Size of the text.
        ids: Components whose swatches stand before the rows; rows beyond them have none.
        total: The last row sums the others up.
    """
    indent = (_SIDE + 3 * POINT) if ids else 0.0
    columns = _Columns(points, _widths(sheet, table, points, indent), table.numeric, indent)
    line = sheet.line_height(points)
    place = _paint_row(sheet, columns, table.headers, top, colour=LIGHT.muted)
    _rule(sheet, place, LIGHT.muted)
    for number, row in enumerate(table.rows):
        last = total and number == len(table.rows) - 1
        if last:
            place += POINT
            _rule(sheet, place, LIGHT.muted)
        place += 1.5 * POINT
        if number < len(ids):
            area = QRectF(sheet.left, place + (line - _SIDE) / 2, _SIDE, _SIDE)
            paint_swatch(sheet, ids[number], area)
        place = _paint_row(sheet, columns, row, place, bold=last)
    _rule(sheet, place + POINT, LIGHT.border)
    return place + POINT


def _rule(sheet: Sheet, place: float, colour: str) -> None:
    start, end = QPointF(sheet.left, place), QPointF(sheet.left + sheet.width, place)
    sheet.rule(start, end, colour, 0.6, Qt.PenStyle.SolidLine)


def _widths(sheet: Sheet, table: Table, points: float, indent: float) -> tuple[float, ...]:
    lines = (table.headers, *table.rows)
    needed = [
        max(sheet.text_width(line[column], points, bold=True) for line in lines) + 0.5 * POINT
        for column in range(len(table.headers) - 1)
    ]
    needed[0] += indent
    rest = sheet.width - sum(needed) - _GAP * len(needed)
    return (*needed, max(rest, 0.2 * sheet.width))


def _paint_row(
    sheet: Sheet,
    columns: _Columns,
    cells: Sequence[str],
    top: float,
    *,
    colour: str = LIGHT.text,
    bold: bool = False,
) -> float:
    points = columns.points
    left, bottom = sheet.left, top + sheet.line_height(points)
    for column, (cell, width) in enumerate(zip(cells, columns.widths, strict=True)):
        inset = columns.indent if column == 0 else 0.0
        height = sheet.text_height(cell, width - inset, points, bold=bold)
        align = Qt.AlignmentFlag.AlignRight if column in columns.numeric else Qt.AlignmentFlag.AlignLeft
        area = QRectF(left + inset, top, width - inset, height)
        sheet.write(area, cell, points, colour=colour, bold=bold, align=align)
        left, bottom = left + width + _GAP, max(bottom, top + height)
    return bottom
