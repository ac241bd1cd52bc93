"""Legend and figures of a plot in one list: what is there at the cursor, and how much of it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QSizePolicy, QWidget

from optmem_gui.gui.theme import component_style, is_dark, shades
from optmem_gui.gui.widgets.curve_style import CurveStyle
from optmem_gui.gui.widgets.labels import ValueLabel
from optmem_gui.gui.widgets.painting import em, line_sample, swatch


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the list.

    Attributes:
        key: Component id, or the curve it belongs to.
        name: Name on screen.
        value: Its size at the cursor, written out.
        tip: More about it.
    """

    key: str | CurveStyle
    name: str
    value: str
    tip: str = ""


class _Sample(QWidget):
    """The colour and hatch of a component, or the dash of a curve."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.key: str | CurveStyle = ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """As wide as two letters."""
        metrics = QFontMetrics(self.font())
        return QSize(round(1.4 * metrics.ascent()), metrics.ascent())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Draw the sample."""
        del event
        painter = QPainter(self)
        dark = is_dark(self)
        if isinstance(self.key, CurveStyle):
            line_sample(painter, QRectF(self.rect()), self.key.pen(dark))
        elif self.key:
            area = QRectF(0, 0, self.height(), self.height())
            swatch(painter, area, component_style(self.key, dark), QColor(shades(dark).muted))


class _Row:
    """The widgets of one line."""

    def __init__(self, parent: QWidget, grid: QGridLayout, number: int) -> None:
        self.sample = _Sample(parent)
        self.name = ValueLabel(parent=parent)
        self.value = ValueLabel(parent=parent)
        self.value.setAlignment(Qt.AlignmentFlag.AlignRight)
        for column, widget in enumerate((self.sample, self.name, self.value)):
            grid.addWidget(widget, number, column)

    def show_entry(self, entry: Entry | None) -> None:
        """Show an entry, or nothing."""
        for widget in (self.sample, self.name, self.value):
            if widget.isHidden() == (entry is not None):
                widget.setVisible(entry is not None)
        if entry is None:
            return
        if self.sample.key != entry.key:
            self.sample.key = entry.key
            self.sample.update()
        for label, text in ((self.name, entry.name), (self.value, entry.value)):
            if label.text() != text:
                label.setText(text)
            label.setToolTip(entry.tip)


class Readout(QScrollArea):
    """Title, then one line a component or curve. Every figure can be selected and copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        self._body = body = QWidget()
        line = round(em(self))
        self._grid = QGridLayout(body)
        self._grid.setContentsMargins(line // 2, 0, line // 4, 0)
        self._grid.setHorizontalSpacing(line // 3)
        self._grid.setVerticalSpacing(max(1, line // 8))
        self._grid.setColumnStretch(1, 1)
        self.title = ValueLabel(bold=True, wrap=True)
        self._grid.addWidget(self.title, 0, 0, 1, 3)
        self._rows: list[_Row] = []
        self._entries: tuple[Entry, ...] = ()
        self.setWidget(body)
        body.setAutoFillBackground(False)  # setWidget turns it on; the list lies on its card

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What it lists."""
        return self._entries

    def show_entries(self, title: str, entries: tuple[Entry, ...]) -> None:
        """Show another list; only what differs is laid out again."""
        if self.title.text() != title:
            self.title.setText(title)
        if entries == self._entries:
            return
        self._entries = entries
        while len(self._rows) < len(entries):
            last = len(self._rows) + 1
            self._grid.setRowStretch(last, 0)
            self._rows.append(_Row(self._body, self._grid, last))
            self._grid.setRowStretch(last + 1, 1)
        for number, row in enumerate(self._rows):
            row.show_entry(entries[number] if number < len(entries) else None)

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """Wide enough for a name and a size."""
        line = round(em(self))
        return QSize(14 * line, 10 * line)

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """Names wrap no further than this."""
        line = round(em(self))
        return QSize(11 * line, 5 * line)
