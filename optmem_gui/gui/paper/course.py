"""The course of one step on paper: components stacked over its phases."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath, QPen, QPolygonF

from optmem_gui.core.breakdown import COMPONENT_IDS, Breakdown, Moment
from optmem_gui.core.units import SizeUnit, scale_of
from optmem_gui.gui.paper.sheet import POINT, Sheet
from optmem_gui.gui.theme import LIGHT, component_style

_SIZE = 7.5
_FAR_ABOVE = 2
"""A capacity more than this many peaks up is named at the top instead of flattening the curve."""


@dataclass(frozen=True, slots=True)
class Course:
    """What the plot shows.

    Attributes:
        breakdown: The estimate, with its timeline.
        unit: ``GiB`` or ``GB``.
        phase: Name of a phase.
        peak_label: Text at the peak.
        usable_label: Text at the capacity, empty without a GPU.
    """

    breakdown: Breakdown
    unit: SizeUnit
    phase: Callable[[str], str]
    peak_label: str
    usable_label: str = ""

    @property
    def highest_bytes(self) -> int:
        """Where the axis has to reach."""
        totals = [sum(moment.parts.values()) for moment in self.breakdown.timeline]
        highest = max([self.breakdown.peak_bytes, *totals, 1])
        fit = self.breakdown.fit
        near = fit is not None and fit.usable <= _FAR_ABOVE * highest
        return max(highest, fit.usable) if near and fit is not None else highest


@dataclass(frozen=True, slots=True)
class _Scale:
    """From moments and bytes to the sheet."""

    plot: QRectF
    top_bytes: float

    def x(self, at: float) -> float:
        return self.plot.left() + at * self.plot.width()

    def y(self, size_bytes: float) -> float:
        return self.plot.bottom() - size_bytes / self.top_bytes * self.plot.height()


def paint_course(sheet: Sheet, course: Course, top: float, height: float) -> float:
    """Draw the plot; returns where it ends."""
    line = sheet.line_height(_SIZE)
    names = 2.1 * line
    step, ticks = _ticks(course)
    unit_name, unit_bytes = scale_of(course.highest_bytes, course.unit)
    labels = [f"{tick / unit_bytes:,.{_places(step / unit_bytes)}f}" for tick in ticks]
    margin = max(sheet.text_width(text, _SIZE) for text in (*labels, unit_name)) + 4 * POINT
    plot = QRectF(sheet.left + margin, top + names, sheet.width - margin, height - names)
    scale = _Scale(plot, 1.06 * course.highest_bytes)
    for tick, text in zip(ticks, labels, strict=True):
        y = scale.y(tick)
        sheet.rule(
            QPointF(plot.left(), y), QPointF(plot.right(), y), LIGHT.border, 0.5, Qt.PenStyle.SolidLine
        )
        area = QRectF(sheet.left, y - line / 2, margin - 3 * POINT, line)
        sheet.write(area, text, _SIZE, colour=LIGHT.muted, align=Qt.AlignmentFlag.AlignRight)
    unit_area = QRectF(sheet.left, top + line, margin - 3 * POINT, line)
    sheet.write(unit_area, unit_name, _SIZE, colour=LIGHT.muted, align=Qt.AlignmentFlag.AlignRight)
    _paint_areas(sheet, course.breakdown.timeline, scale)
    _paint_phases(sheet, course, scale, top)
    _paint_capacity(sheet, course, scale)
    _paint_peak(sheet, course, scale)
    return plot.bottom() + 0.3 * line


def _ticks(course: Course) -> tuple[float, list[float]]:
    """Steps of 1, 2 or 5 in the unit, four to eight of them."""
    _, unit_bytes = scale_of(course.highest_bytes, course.unit)
    raw = course.highest_bytes / unit_bytes / 5
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw) * unit_bytes
    return step, [step * number for number in range(int(1.06 * course.highest_bytes / step) + 1)]


def _places(step: float) -> int:
    return max(0, -math.floor(math.log10(step) + 1e-9))


def _paint_areas(sheet: Sheet, moments: Sequence[Moment], scale: _Scale) -> None:
    """From the bottom up; the edges last, from the top down, so that an empty layer hides none below."""
    if len(moments) < 2:
        return
    present = [name for name in COMPONENT_IDS if any(moment.parts.get(name) for moment in moments)]
    below = [QPointF(scale.x(moment.at), scale.y(0)) for moment in moments]
    sums = [0] * len(moments)
    edges: list[tuple[str, list[QPointF]]] = []
    for name in present:
        sums = [total + moment.parts.get(name, 0) for total, moment in zip(sums, moments, strict=True)]
        above = [QPointF(scale.x(m.at), scale.y(total)) for m, total in zip(moments, sums, strict=True)]
        shape = QPainterPath()
        shape.addPolygon(QPolygonF([*above, *reversed(below)]))
        sheet.fill(shape, component_style(name, dark=False))
        edges.append((name, above))
        below = above
    for name, edge in reversed(edges):
        sheet.painter.setPen(QPen(component_style(name, dark=False).colour.darker(130), 0.6 * POINT))
        sheet.painter.drawPolyline(QPolygonF(edge))


def _paint_phases(sheet: Sheet, course: Course, scale: _Scale, top: float) -> None:
    """The names, in two lines where one is too narrow, and a dotted line at each start."""
    plot, line = scale.plot, sheet.line_height(_SIZE)
    for number, (phase, members) in enumerate(groupby(course.breakdown.timeline, key=lambda m: m.phase)):
        places = [moment.at for moment in members]
        left, right = scale.x(places[0]), scale.x(places[-1])
        if number:
            start, end = QPointF(left, top + line), QPointF(left, plot.bottom())
            sheet.rule(start, end, LIGHT.muted, 0.5, Qt.PenStyle.DotLine)
        _paint_name(sheet, course.phase(phase), QRectF(left, top, right - left, 2 * line))


def _paint_name(sheet: Sheet, name: str, area: QRectF) -> None:
    """A name in the middle of its phase, on the lower of two lines; smaller before it is left out."""
    line = sheet.line_height(_SIZE)
    for points in (_SIZE, 6.5, 5.5):
        longest = max((sheet.text_width(word, points) for word in name.split()), default=0.0)
        if longest + POINT > area.width():
            continue
        lower = sheet.text_width(name, points) <= area.width()
        place = area.adjusted(0, line if lower else 0, 0, 0)
        sheet.write(place, name, points, colour=LIGHT.muted, align=Qt.AlignmentFlag.AlignHCenter)
        return


def _paint_capacity(sheet: Sheet, course: Course, scale: _Scale) -> None:
    fit, line = course.breakdown.fit, sheet.line_height(_SIZE)
    if fit is None:
        return
    y = scale.y(fit.usable)
    seen = y >= scale.plot.top()
    if seen:
        start, end = QPointF(scale.plot.left(), y), QPointF(scale.plot.right(), y)
        sheet.rule(start, end, LIGHT.text, 1.0, Qt.PenStyle.DashLine)
    width = sheet.text_width(course.usable_label, _SIZE) + 4 * POINT
    top = y - 1.1 * line if seen and y - 1.1 * line > scale.plot.top() else max(y, scale.plot.top()) + POINT
    _patch(sheet, QRectF(scale.plot.right() - width, top, width, line), course.usable_label)


def _paint_peak(sheet: Sheet, course: Course, scale: _Scale) -> None:
    index = course.breakdown.peak_moment()
    if index is None:
        return
    moment, line = course.breakdown.timeline[index], sheet.line_height(_SIZE)
    spot = QPointF(scale.x(moment.at), scale.y(course.breakdown.peak_bytes))
    sheet.painter.setPen(QPen(Qt.GlobalColor.white, 0.8 * POINT))
    sheet.painter.setBrush(QColor(LIGHT.text))
    sheet.painter.drawEllipse(spot, 2.6 * POINT, 2.6 * POINT)
    width = sheet.text_width(course.peak_label, _SIZE, bold=True) + 4 * POINT
    left = spot.x() - width - 4 * POINT
    if left < scale.plot.left():
        left = min(spot.x() + 4 * POINT, scale.plot.right() - width)
    _patch(sheet, QRectF(left, spot.y() + 0.3 * line, width, line), course.peak_label, bold=True)


def _patch(sheet: Sheet, area: QRectF, text: str, *, bold: bool = False) -> None:
    """Text on a patch of white, readable on any area below it."""
    ground = QColor(LIGHT.card)
    ground.setAlphaF(0.85)
    sheet.painter.fillRect(area, ground)
    sheet.write(area, text, _SIZE, bold=bold, align=Qt.AlignmentFlag.AlignHCenter)
