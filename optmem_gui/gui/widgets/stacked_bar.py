"""The peak as one bar: components stacked against what the GPU can give."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetrics,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from optmem_gui.gui.theme import Shades, component_style, is_dark, scaled_font, shades
from optmem_gui.gui.widgets import painting

OVERHEAD = "process"
"""Id of the last segment: what the process takes beyond what is allocated at the peak."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One stretch of the bar.

    Attributes:
        id: Component id, or :data:`OVERHEAD`.
        name: Name on screen.
        bytes: Its length.
        size: ``bytes`` written out in the user's unit.
        tip: What it is and why, as rich text.
    """

    id: str
    name: str
    bytes: int
    size: str
    tip: str


@dataclass(frozen=True, slots=True)
class BarContent:
    """Everything the bar shows.

    Attributes:
        segments: Stretches in the order they are stacked; those of 0 bytes are not drawn.
        usable_bytes: What the GPU can give, None without a GPU.
        usable_label: Text at the capacity mark.
        zero_label: Text under the left end.
        sentence: The whole bar in one sentence, for screen readers.
    """

    segments: tuple[Segment, ...] = ()
    usable_bytes: int | None = None
    usable_label: str = ""
    zero_label: str = ""
    sentence: str = ""


class StackedBar(QWidget):
    """The stacked bar; arrow keys move between its segments, hovering explains them."""

    focused_segment = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content = BarContent()
        self._current = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_bar(self, content: BarContent) -> None:
        """Show other values; the segment with the focus keeps it while it exists."""
        if content == self._content:
            return
        held = self.current.id if self.current else None
        self._content = content
        self._current = next((i for i, part in enumerate(self.drawn) if part.id == held), -1)
        self.setAccessibleDescription(content.sentence)
        self.update()

    @property
    def content(self) -> BarContent:
        """What it shows."""
        return self._content

    @property
    def drawn(self) -> tuple[Segment, ...]:
        """Segments that take room."""
        return tuple(part for part in self._content.segments if part.bytes > 0)

    @property
    def current(self) -> Segment | None:
        """The segment that the arrow keys stand on."""
        return self.drawn[self._current] if 0 <= self._current < len(self.drawn) else None

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """Two lines of text for the bar, one and a half for what stands under it."""
        line = QFontMetrics(self.font()).height()
        return QSize(24 * line, round(3.6 * line))

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """As high as the hint, and still readable when narrow."""
        return QSize(12 * QFontMetrics(self.font()).height(), self.sizeHint().height())

    def bar_area(self) -> QRectF:
        """Where the bar itself is drawn, labels apart."""
        line = painting.em(self)
        return QRectF(2, 2, max(1.0, self.width() - 4.0), 1.9 * line)

    def segment_areas(self) -> list[tuple[Segment, QRectF]]:
        """Each drawn segment with its rectangle."""
        bar, full = self.bar_area(), self._full_bytes()
        areas, start = [], 0
        for part in self.drawn:
            left = bar.left() + bar.width() * (start / full)
            start += part.bytes
            right = bar.left() + bar.width() * (start / full)
            areas.append((part, QRectF(left, bar.top(), max(1.0, right - left), bar.height())))
        return areas

    def segment_at(self, place: QPointF) -> Segment | None:
        """The segment under a point."""
        return next((part for part, area in self.segment_areas() if area.contains(place)), None)

    def _full_bytes(self) -> int:
        content = self._content
        stacked = sum(part.bytes for part in content.segments)
        longest = max(stacked, content.usable_bytes or 0, 1)
        return longest + longest // 20

    # Events

    def event(self, event: QEvent) -> bool:
        """Explain what is under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            part = self.segment_at(QPointF(event.pos()))
            if part is None:
                QToolTip.hideText()
            else:
                QToolTip.showText(event.globalPos(), part.tip, self)
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """Move between segments."""
        last = len(self.drawn) - 1
        places = {
            Qt.Key.Key_Right: min(self._current + 1, last),
            Qt.Key.Key_Left: max(self._current - 1, 0),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        place = places.get(Qt.Key(event.key()))
        if place is None or last < 0:
            super().keyPressEvent(event)
            return
        self._stand_on(place)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802  # Qt's name
        """A click stands on the segment, as the arrow keys do."""
        part = self.segment_at(event.position())
        if part is not None:
            self._stand_on(self.drawn.index(part))

    def _stand_on(self, place: int) -> None:
        self._current = place
        part, area = self.segment_areas()[place]
        self.setAccessibleDescription(f"{part.name} {part.size}. {self._content.sentence}")
        corner = QPoint(round(area.left()), round(area.bottom()))
        QToolTip.showText(self.mapToGlobal(corner), part.tip, self)
        self.focused_segment.emit(part.id)
        self.update()

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Draw bar, labels and marks."""
        del event
        dark = is_dark(self)
        tone = shades(dark)
        painter = QPainter(self)
        bar = self.bar_area()
        painter.fillRect(bar, QColor(tone.grid))
        areas = self.segment_areas()
        for part, area in areas:
            if part.id == OVERHEAD:
                self._paint_overhead(painter, area, tone)
            else:
                painting.fill(painter, area, component_style(part.id, dark))
        for _, area in areas[1:]:
            painter.fillRect(QRectF(area.left() - 0.5, bar.top(), 1, bar.height()), QColor(tone.card))
        self._paint_marks(painter, bar, tone)
        self._paint_labels(painter, areas, dark)
        if self.hasFocus():
            self._paint_focus(painter, bar, tone)

    def _paint_labels(self, painter: QPainter, areas: list[tuple[Segment, QRectF]], dark: bool) -> None:
        """Over everything else, so that the capacity mark does not cross out a word."""
        painter.setFont(scaled_font(self.font(), 1.0, bold=True))
        metrics = QFontMetricsF(painter.font())
        line = metrics.height()
        for part, area in areas:
            label = "" if part.id == OVERHEAD else _segment_label(part, metrics, area.width() - 0.9 * line)
            if not label:
                continue
            style = component_style(part.id, dark)
            inner = area.adjusted(0.45 * line, 0, 0, 0)
            words = QRectF(inner.left() - 2, inner.center().y() - line / 2, 0, line)
            words.setWidth(metrics.horizontalAdvance(label) + 4)
            painter.save()
            painter.setClipRect(words)
            painting.fill(painter, area, style)
            painter.restore()
            painter.setPen(style.text)
            painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, label)

    @staticmethod
    def _paint_overhead(painter: QPainter, area: QRectF, tone: Shades) -> None:
        """Context and reserve: hatched and outlined, because it is a bound, not an amount allocated."""
        painter.fillRect(area, QBrush(QColor(tone.muted), Qt.BrushStyle.BDiagPattern))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(tone.muted), 1, Qt.PenStyle.DotLine))
        painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_marks(self, painter: QPainter, bar: QRectF, tone: Shades) -> None:
        painter.setFont(self.font())
        metrics = QFontMetricsF(self.font())
        line, align = metrics.height(), Qt.AlignmentFlag
        below = QRectF(bar.left(), bar.bottom() + 0.25 * line, bar.width(), 1.2 * line)
        zero_end = below.left() + metrics.horizontalAdvance(self._content.zero_label) + line
        usable = self._content.usable_bytes
        x = bar.right() if usable is None else bar.left() + bar.width() * (usable / self._full_bytes())
        if x > zero_end:
            painter.setPen(QColor(tone.muted))
            painter.drawText(below, align.AlignLeft | align.AlignTop, self._content.zero_label)
        if usable is None:
            return
        painter.setPen(QPen(QColor(tone.text), 2, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, bar.top() - 2), QPointF(x, below.bottom() - 0.2 * line))
        painter.setPen(QColor(tone.text))
        gap, label = 0.4 * line, self._content.usable_label
        left = QRectF(zero_end, below.top(), max(0.0, x - gap - zero_end), below.height())
        right = QRectF(x + gap, below.top(), max(0.0, below.right() - x - gap), below.height())
        on_left = left.width() >= metrics.horizontalAdvance(label) or left.width() >= right.width()
        place, side = (left, align.AlignRight) if on_left else (right, align.AlignLeft)
        painter.drawText(place, side | align.AlignTop, painting.elided(label, metrics, place.width()))

    def _paint_focus(self, painter: QPainter, bar: QRectF, tone: Shades) -> None:
        part = self.segment_areas()[self._current][1] if self.current else bar
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(tone.card), 4))
        painter.drawRect(part.adjusted(0.5, 0.5, -0.5, -0.5))
        painter.setPen(QPen(QColor(tone.accent), 2))
        painter.drawRect(part.adjusted(0, 0, 0, 0))


def _segment_label(part: Segment, metrics: QFontMetricsF, room: float) -> str:
    """Name and size; a shorter name, the size alone, or nothing where there is no room."""
    if metrics.horizontalAdvance(f"{part.name}  {part.size}") <= room:
        return f"{part.name}  {part.size}"
    name = painting.elided(part.name, metrics, room - metrics.horizontalAdvance(f"  {part.size}") - 1)
    if name:
        return f"{name}  {part.size}"
    return part.size if metrics.horizontalAdvance(part.size) <= room else ""
