"""The parts of a report, one below the other on a sheet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPicture

from optmem_gui.gui.paper.bar import paint_bar
from optmem_gui.gui.paper.course import Course, paint_course
from optmem_gui.gui.paper.sheet import POINT, Sheet
from optmem_gui.gui.paper.table import paint_table
from optmem_gui.gui.theme import LIGHT
from optmem_gui.gui.widgets.labels import Sign, draw_sign
from optmem_gui.gui.widgets.stacked_bar import BarContent
from optmem_gui.report.estimate_report import Report
from optmem_gui.report.tables import Table

Part = Literal["bar", "breakdown", "course", "notes"]
PARTS: tuple[Part, ...] = ("bar", "breakdown", "course", "notes")
"""What a sheet can hold below the answer, in this order."""

_TONES: dict[Sign, str] = {"yes": LIGHT.good, "tight": LIGHT.caution, "no": LIGHT.bad, "none": LIGHT.muted}


@dataclass(frozen=True, slots=True)
class Content:
    """Everything that is drawn, with no word left to translate: a thread of its own can draw it.

    Attributes:
        report: Title, answer, facts, tables and notes.
        sign: The verdict.
        bar: The peak as a bar.
        course: One step.
        breakdown: The rows of the breakdown that are not 0, and the peak below them.
        ids: Components of these rows.
        course_title: Heading over the step.
        course_note: What is schematic about it.
        more: What stands where notes had to be left out, with ``{count}`` where their number goes.
    """

    report: Report
    sign: Sign
    bar: BarContent
    course: Course
    breakdown: Table
    ids: tuple[str, ...]
    course_title: str
    course_note: str
    more: str


@dataclass(frozen=True, slots=True)
class Looks:
    """Sizes, which give way where a page is short.

    Attributes:
        note_points: Size of the notes.
        table_points: Size of the breakdown.
        course_height: Height of the plot.
        note_count: Lines of notes at most, None for all.
    """

    note_points: float = 7.5
    table_points: float = 8.0
    course_height: float = 150 * POINT
    note_count: int | None = None


_SMALLER = (
    Looks(),
    Looks(7.0, 7.5, 130 * POINT),
    Looks(6.5, 7.0, 120 * POINT),
    Looks(6.0, 6.5, 105 * POINT),
    Looks(5.5, 6.0, 95 * POINT),
    Looks(5.0, 6.0, 85 * POINT),
)
"""What is tried until a page is long enough."""


def compose(sheet: Sheet, content: Content, parts: frozenset[Part], looks: Looks, top: float = 0.0) -> float:
    """Draw a sheet; returns where it ends."""
    place = _head(sheet, content, top)
    gap = 11 * POINT
    if "bar" in parts:
        place = paint_bar(sheet, content.bar, place + gap)
    if "breakdown" in parts:
        place = _title(sheet, content.report.sections[0].title, place + gap)
        points, rows = looks.table_points, content.breakdown
        place = paint_table(sheet, rows, place, points, ids=content.ids, total=True)
    if "course" in parts:
        place = _title(sheet, content.course_title, place + gap, content.course_note)
        place = paint_course(sheet, content.course, place, looks.course_height)
    if "notes" in parts:
        place = _notes(sheet, content, place + gap, looks)
    return place


def fitting(content: Content, parts: frozenset[Part], width: float, height: float) -> Looks:
    """The largest sizes at which everything fits; where nothing helps, notes are left out and counted."""
    for looks in _SMALLER:
        if height_of(content, parts, width, looks) <= height:
            return looks
    low, high = 0, sum(len(section.lines) for section in content.report.sections)
    while low < high:
        middle = (low + high + 1) // 2
        if height_of(content, parts, width, replace(_SMALLER[-1], note_count=middle)) <= height:
            low = middle
        else:
            high = middle - 1
    return replace(_SMALLER[-1], note_count=low)


def height_of(content: Content, parts: frozenset[Part], width: float, looks: Looks) -> float:
    """How long a sheet gets."""
    nowhere = QPicture()
    painter = QPainter(nowhere)
    try:
        return compose(Sheet(painter, width), content, parts, looks)
    finally:
        painter.end()


def _head(sheet: Sheet, content: Content, top: float) -> float:
    """Title, answer and facts."""
    report = content.report
    place = sheet.paragraph(top, report.title, 15, bold=True)
    place = sheet.paragraph(place + 3 * POINT, report.answer[0], 11.5, bold=True)
    for number, text in enumerate(report.answer[1:]):
        colour, indent = (_TONES[content.sign], 13 * POINT) if number == 0 else (LIGHT.muted, 0.0)
        points = 10.0 if number == 0 else 8.5
        if number == 0:
            _sign(sheet, content.sign, QRectF(sheet.left, place + 4 * POINT, 9 * POINT, 9 * POINT))
        height = sheet.text_height(text, sheet.width - indent, points)
        area = QRectF(sheet.left + indent, place + 2 * POINT, sheet.width - indent, height + POINT)
        sheet.write(area, text, points, colour=colour)
        place += height + 2 * POINT
    return _facts(sheet, report.facts, place + 5 * POINT)


def _facts(sheet: Sheet, facts: tuple[tuple[str, str], ...], top: float) -> float:
    """Name and value, two columns of them."""
    points, half = 8.0, sheet.width / 2
    names = max((sheet.text_width(name, points) for name, _ in facts), default=0.0) + 6 * POINT
    place = row_bottom = top
    for number, (name, value) in enumerate(facts):
        if number % 2 == 0:
            place = row_bottom
        left = sheet.left + (number % 2) * half
        room = half - names - 6 * POINT
        height = sheet.text_height(value, room, points)
        sheet.write(QRectF(left, place, names, height + POINT), name, points, colour=LIGHT.muted)
        sheet.write(QRectF(left + names, place, room, height + POINT), value, points)
        row_bottom = max(row_bottom, place + height + POINT)
    return row_bottom


def _sign(sheet: Sheet, sign: Sign, area: QRectF) -> None:
    """The verdict as a shape beside its sentence."""
    sheet.painter.save()
    sheet.painter.translate(area.topLeft())
    draw_sign(sheet.painter, sign, area.width(), dark=False)
    sheet.painter.restore()


def _title(sheet: Sheet, text: str, top: float, note: str = "") -> float:
    """A heading, and beside it in small letters what is to be known about the part."""
    bottom = sheet.paragraph(top, text, 9.5, bold=True)
    if note:
        left = sheet.text_width(text, 9.5, bold=True) + 8 * POINT
        area = QRectF(sheet.left + left, top + 2 * POINT, sheet.width - left, bottom - top)
        sheet.write(area, note, 7.0, colour=LIGHT.muted)
    return bottom + 2 * POINT


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of the notes: a heading, or a sentence under one."""

    text: str
    heading: bool = False


def _notes(sheet: Sheet, content: Content, top: float, looks: Looks) -> float:
    """Warnings, assumptions and proofs, flowing through two columns of the same height."""
    gap = 16 * POINT
    width = (sheet.width - gap) / 2
    first = Sheet(sheet.painter, width, sheet.left)
    second = Sheet(sheet.painter, width, sheet.left + width + gap)
    lines = _note_lines(content, looks.note_count)
    heights = [_note_height(first, line, looks.note_points) for line in lines]
    turn, used = 0, 0.0
    while turn < len(lines) and used + heights[turn] / 2 <= sum(heights) / 2:
        used += heights[turn]
        turn += 1
    if turn and turn < len(lines) and lines[turn - 1].heading:
        turn -= 1  # a heading goes with what it is over
    ends = [top]
    for column, part in ((first, lines[:turn]), (second, lines[turn:])):
        place = top
        for number, line in enumerate(part):
            place = _note(column, line, place, looks.note_points, first=number == 0)
        ends.append(place)
    return max(ends)


def _note_lines(content: Content, count: int | None) -> list[_Line]:
    """Headings and sentences; where not all have room, how many are missing stands last."""
    lines: list[_Line] = []
    left, missing = count, 0
    for section in content.report.sections:
        shown = section.lines if left is None else section.lines[:left]
        missing += len(section.lines) - len(shown)
        left = None if left is None else left - len(shown)
        if shown:
            lines += [_Line(section.title, heading=True), *map(_Line, shown)]
    return [*lines, _Line(content.more.format(count=missing))] if missing else lines


_INDENT = 7 * POINT
_HEADING = 9.5


def _note_height(sheet: Sheet, line: _Line, points: float) -> float:
    if line.heading:
        return sheet.line_height(_HEADING) + 7 * POINT
    return sheet.text_height(line.text, sheet.width - _INDENT, points) + 1.5 * POINT


def _note(sheet: Sheet, line: _Line, top: float, points: float, *, first: bool) -> float:
    if line.heading:
        place = top if first else top + 6 * POINT
        return sheet.paragraph(place, line.text, _HEADING, bold=True) + POINT
    height = sheet.text_height(line.text, sheet.width - _INDENT, points)
    dot = QPointF(sheet.left + 2 * POINT, top + sheet.line_height(points) / 2)
    sheet.painter.setPen(Qt.PenStyle.NoPen)
    sheet.painter.setBrush(QColor(LIGHT.muted))
    sheet.painter.drawEllipse(dot, 0.9 * POINT, 0.9 * POINT)
    area = QRectF(sheet.left + _INDENT, top, sheet.width - _INDENT, height)
    sheet.write(area, line.text, points)
    return top + height + 1.5 * POINT
