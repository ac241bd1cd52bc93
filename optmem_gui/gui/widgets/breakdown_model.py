"""The breakdown as a table model: one row a component, the peak below."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRectF,
    Qt,
)
from PySide6.QtGui import QBrush, QColor, QPainter
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from optmem_gui.core.breakdown import Breakdown, Component
from optmem_gui.core.units import SizeUnit, format_bytes, format_count, scale_of
from optmem_gui.gui.i18n import component_name, phase_name, render_reason
from optmem_gui.gui.theme import component_style, is_dark, shades
from optmem_gui.gui.widgets.painting import swatch
from optmem_gui.report.tables import Table

Index = QModelIndex | QPersistentModelIndex
COMPONENT_ROLE = Qt.ItemDataRole.UserRole
"""Id of the row's component; None in the row of the peak."""


class Column(IntEnum):
    """Columns, left to right."""

    COMPONENT = 0
    DTYPE = 1
    PER_PARAMETER = 2
    SIZE = 3
    HOST = 4
    AT_PEAK = 5
    SHARE = 6
    WHY = 7


NUMERIC = frozenset({Column.PER_PARAMETER, Column.SIZE, Column.HOST, Column.AT_PEAK, Column.SHARE})
_SIDE = Qt.AlignmentFlag
_ALIGNMENT = {
    column: (_SIDE.AlignRight if column in NUMERIC else _SIDE.AlignLeft) | _SIDE.AlignVCenter
    for column in Column
}


class BreakdownModel(QAbstractTableModel):
    """Rows of one breakdown in the user's unit and language."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._breakdown: Breakdown | None = None
        self._unit: SizeUnit = "GiB"
        self._scale: tuple[str, int] = ("GiB", 1 << 30)
        self._headers: tuple[str, ...] = ()
        self._texts: tuple[tuple[str, ...], ...] = ()
        self._answers: dict[int, Callable[[int, Column], Any]] = {
            Qt.ItemDataRole.ToolTipRole: self._tip,
            Qt.ItemDataRole.TextAlignmentRole: lambda _row, column: _ALIGNMENT[column],
            Qt.ItemDataRole.ForegroundRole: self._brush,
            Qt.ItemDataRole.FontRole: self._font,
            Qt.ItemDataRole.AccessibleTextRole: self._spoken,
            COMPONENT_ROLE: self._component_id,
        }

    def show_breakdown(self, breakdown: Breakdown | None, unit: SizeUnit) -> None:
        """Show another result; selection and scroll position stay, because the rows are always the same."""
        count = len(self._texts)
        self._breakdown, self._unit = breakdown, unit
        rows = breakdown.components if breakdown else ()
        largest = max((row.bytes for row in rows), default=0)
        self._scale = scale_of(max(largest, breakdown.peak_bytes if breakdown else 0), unit)
        headers, texts = self._header_texts(), self._row_texts()
        if len(texts) != count:
            self.beginResetModel()
            self._headers, self._texts = headers, texts
            self.endResetModel()
            return
        changed_headers = headers != self._headers
        self._headers = headers
        if changed_headers:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(Column) - 1)
        if texts != self._texts:
            self._texts = texts
            last = self.index(max(0, count - 1), len(Column) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    def component_at(self, row: int) -> Component | None:
        """The component of a row; None for the row of the peak."""
        rows = self._breakdown.components if self._breakdown else ()
        return rows[row] if 0 <= row < len(rows) else None

    def texts(self) -> tuple[tuple[str, ...], ...]:
        """What stands in the cells, row by row."""
        return self._texts

    def copy_table(self) -> Table:
        """What goes to the clipboard: the cells, and the exact bytes beside the rounded ones."""
        headers = (*self._headers, self.tr("bytes"), self.tr("at peak, bytes"))
        rows = tuple((*cells, *self._exact(self.component_at(row))) for row, cells in enumerate(self._texts))
        width = len(Column)
        return Table(headers, rows, NUMERIC | {width, width + 1})

    def _exact(self, row: Component | None) -> tuple[str, str]:
        if row is None:
            return "", str(self._breakdown.peak_bytes) if self._breakdown else ""
        return (str(row.bytes), str(row.at_peak)) if row.counted else (self.tr("not counted"), "")

    # Texts

    def _header_texts(self) -> tuple[str, ...]:
        name = self._scale[0]
        return (
            self.tr("Component"),
            self.tr("dtype"),
            self.tr("B/param"),
            name,
            self.tr("host"),
            self.tr("at peak"),
            self.tr("share"),
            self.tr("Formula and why"),
        )

    def _row_texts(self) -> tuple[tuple[str, ...], ...]:
        breakdown = self._breakdown
        if breakdown is None:
            return ()
        rows = [self._component_texts(row, breakdown) for row in breakdown.components]
        count = breakdown.parameters.total
        each = _ratio(breakdown.peak_bytes / count) if count else ""
        where = self.tr("allocated at once, in this phase: {phase}").format(
            phase=phase_name(breakdown.peak_phase)
        )
        peak = self._in_scale(breakdown.peak_bytes)
        host = self._in_scale(breakdown.host_bytes)
        return (
            *rows,
            (self.tr("Peak"), "", each, "", host, peak, "100 %" if breakdown.peak_bytes else "", where),
        )

    def _component_texts(self, row: Component, breakdown: Breakdown) -> tuple[str, ...]:
        name = component_name(row.id)
        why = self.tr("{formula}. {why}").format(
            formula=render_reason(row.formula, self._unit), why=render_reason(row.why, self._unit)
        )
        if not row.counted:
            return (name, row.dtype, "", self.tr("not counted"), "", "", "", why)
        share = row.at_peak / breakdown.peak_bytes if breakdown.peak_bytes else 0.0
        return (
            name,
            row.dtype,
            _ratio(row.bytes_per_parameter(breakdown.parameters.total)),
            self._in_scale(row.bytes),
            self._in_scale(row.host_bytes),
            self._in_scale(row.at_peak),
            _share(share),
            why,
        )

    def _in_scale(self, size_bytes: int) -> str:
        """A size in the column's unit; what is there but rounds to nothing is not shown as nothing."""
        scale = self._scale[1]
        if size_bytes == 0:
            return "0"
        if scale == 1:
            return format_count(size_bytes)
        value = size_bytes / scale
        return "<0.01" if value < 0.005 else f"{value:,.2f}" if value < 1000 else f"{value:,.0f}"

    def _header_tip(self, column: Column) -> str:
        return {
            Column.COMPONENT: self.tr("What the memory is for"),
            Column.DTYPE: self.tr("Element types it is made of"),
            Column.PER_PARAMETER: self.tr("Bytes for each parameter of the whole model"),
            Column.SIZE: self.tr("Largest size in a steady step, host memory included"),
            Column.HOST: self.tr("Its part that lives in host memory"),
            Column.AT_PEAK: self.tr("Its part of the peak on the GPU; the parts add up to the peak"),
            Column.SHARE: self.tr("Its share of the peak"),
            Column.WHY: self.tr("How the number was made, and why it exists"),
        }[column]

    # Qt's model interface

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008  # Qt's name and default
        """Components and the peak."""
        return 0 if parent.isValid() else len(self._texts)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008  # Qt's name and default
        """Always the same."""
        return 0 if parent.isValid() else len(Column)

    def headerData(  # noqa: N802  # Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:  # noqa: ANN401  # Qt's variant
        """Names of the columns."""
        if orientation != Qt.Orientation.Horizontal or section >= len(self._headers):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._headers[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNMENT[Column(section)]
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._header_tip(Column(section))
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401  # variant
        """Text, alignment, colour, tooltip and what a screen reader says."""
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.DisplayRole:  # asked for most, by far
            return self._texts[row][column]
        answer = self._answers.get(role)
        return None if answer is None else answer(row, Column(column))

    def _component_id(self, row: int, _column: Column) -> str | None:
        component = self.component_at(row)
        return component.id if component else None

    def _tip(self, row: int, column: Column) -> str:
        component = self.component_at(row)
        if component is not None and component.counted and column in (Column.SIZE, Column.AT_PEAK):
            size = component.bytes if column is Column.SIZE else component.at_peak
            return self.tr("{size}, {count} bytes").format(
                size=format_bytes(size, self._unit), count=format_count(size)
            )
        return self._texts[row][column]

    def _brush(self, row: int, column: Column) -> QBrush | None:
        component = self.component_at(row)
        empty = component is not None and component.counted and component.bytes == 0
        if empty or (column is Column.WHY and component is not None):
            return QBrush(QColor(shades(is_dark()).muted))
        return None

    def _font(self, row: int, _column: Column) -> Any:  # noqa: ANN401  # variant
        if self.component_at(row) is not None:
            return None
        font = QApplication.font()
        font.setBold(True)
        return font

    def _spoken(self, row: int, column: Column) -> str:
        """The cell with its column, since a screen reader reads cells one by one."""
        cell = self._texts[row][column]
        return cell if column in (Column.COMPONENT, Column.WHY) else f"{self._headers[column]} {cell}".strip()


class SwatchDelegate(QStyledItemDelegate):
    """Draws a component's colour and hatch before its name."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:  # noqa: N802  # Qt's name
        """Keep room for the swatch where an icon would be."""
        super().initStyleOption(option, index)
        side = option.fontMetrics.ascent()
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
        option.decorationSize = option.decorationSize.scaled(side, side, Qt.AspectRatioMode.IgnoreAspectRatio)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the cell, then the swatch."""
        super().paint(painter, option, index)
        component_id = index.data(COMPONENT_ROLE)
        if component_id is None:
            return
        own = QStyleOptionViewItem(option)
        self.initStyleOption(own, index)
        style = own.widget.style() if own.widget else QApplication.style()
        place = style.subElementRect(QStyle.SubElement.SE_ItemViewItemDecoration, own, own.widget)
        side = own.fontMetrics.ascent()
        area = QRectF(0, 0, side, side)
        area.moveCenter(QRectF(place).center())
        dark = is_dark()
        painter.save()
        swatch(painter, area, component_style(component_id, dark), QColor(shades(dark).muted))
        painter.restore()


def _share(share: float) -> str:
    if 0 < share < 0.0005:
        return "<0.1 %"
    return f"{100 * share:.1f} %" if share else "0"


def _ratio(value: float) -> str:
    """Bytes a parameter: three digits, no exponent."""
    if value == 0:
        return "0"
    if value < 0.005:
        return "<0.01"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}".rstrip("0").rstrip(".")
