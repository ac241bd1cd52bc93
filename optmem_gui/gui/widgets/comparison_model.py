"""Every optimizer on the present model, as a table model that sorts by number and filters by name."""

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
    QSize,
    QSortFilterProxyModel,
    Qt,
)
from PySide6.QtGui import QBrush, QColor, QPainter, QPen
from PySide6.QtWidgets import QApplication, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.gui.i18n import phase_name, render_reason
from optmem_gui.gui.snapshot import ComparisonRow
from optmem_gui.gui.theme import is_dark, shades
from optmem_gui.report.tables import Table

Index = QModelIndex | QPersistentModelIndex
ROW_ROLE = Qt.ItemDataRole.UserRole
SORT_ROLE = Qt.ItemDataRole.UserRole + 1


class Column(IntEnum):
    """Columns, left to right."""

    OPTIMIZER = 0
    PEAK = 1
    RELATIVE = 2
    FITS = 3
    STATE = 4
    TEMPORARIES = 5


NUMERIC = frozenset({Column.PEAK, Column.RELATIVE, Column.STATE, Column.TEMPORARIES})
_SIDE = Qt.AlignmentFlag
_ALIGNMENT = {
    column: (_SIDE.AlignRight if column in NUMERIC else _SIDE.AlignLeft) | _SIDE.AlignVCenter
    for column in Column
}


class ComparisonModel(QAbstractTableModel):
    """Rows as they were computed; sorting and filtering are the proxy's."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[ComparisonRow, ...] = ()
        self._unit: SizeUnit = "GiB"
        self._chosen = ""
        self._usable: int | None = None
        self._answers: dict[int, Callable[[ComparisonRow, Column], Any]] = {
            Qt.ItemDataRole.DisplayRole: self._text,
            Qt.ItemDataRole.ToolTipRole: self._tip,
            Qt.ItemDataRole.TextAlignmentRole: lambda _row, column: _ALIGNMENT[column],
            Qt.ItemDataRole.ForegroundRole: self._brush,
            Qt.ItemDataRole.FontRole: self._font,
            Qt.ItemDataRole.AccessibleTextRole: self._spoken,
            ROW_ROLE: lambda row, _column: row,
            SORT_ROLE: self._sort_value,
        }

    def show_rows(
        self, rows: tuple[ComparisonRow, ...], chosen: str, usable_bytes: int | None, unit: SizeUnit
    ) -> None:
        """Show other figures; the rows stay where they are while the optimizers are the same.

        Args:
            rows: One an optimizer.
            chosen: Id of the present choice.
            usable_bytes: What the GPU can give, None without one.
            unit: Unit of the sizes.
        """
        if (rows, chosen, usable_bytes, unit) == (self._rows, self._chosen, self._usable, self._unit):
            return
        same = [row.optimizer for row in rows] == [row.optimizer for row in self._rows]
        if not same:
            self.beginResetModel()
        self._rows, self._chosen, self._usable, self._unit = rows, chosen, usable_bytes, unit
        if not same:
            self.endResetModel()
        elif rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(Column) - 1))

    def retranslate(self) -> None:
        """Say everything again in the current language."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(Column) - 1)
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(Column) - 1))

    @property
    def chosen(self) -> str:
        """Id of the present choice."""
        return self._chosen

    @property
    def usable_bytes(self) -> int | None:
        """What the GPU can give."""
        return self._usable

    @property
    def longest_bytes(self) -> int:
        """Where the scale of the bars ends: past the GPU, or past the largest peak that is near it.

        One optimizer that takes a hundred times as much must not make all other bars invisible.
        """
        peaks = sorted(row.peak_bytes for row in self._rows if row.refused is None)
        if not peaks:
            return self._usable or 1
        middle, usable = peaks[len(peaks) // 2], self._usable or 0
        near = usable if usable <= 4 * middle else 0  # a line far beyond every bar would flatten them
        return max(min(peaks[-1], 2 * max(middle, near)), near, 1)

    @property
    def longest_peak(self) -> str:
        """The longest text beside a bar."""
        return max((self._text(row, Column.PEAK) for row in self._rows), key=len, default="")

    def row_at(self, row: int) -> ComparisonRow:
        """The figures of a row."""
        return self._rows[row]

    def copy_table(self) -> Table:
        """What goes to the clipboard: the cells, and exact bytes."""
        headers = tuple(str(self.headerData(column, Qt.Orientation.Horizontal)) for column in Column)
        extra = (self.tr("state, bytes"), self.tr("temporaries, bytes"), self.tr("peak, bytes"))
        rows = tuple((*(self._text(row, column) for column in Column), *_exact(row)) for row in self._rows)
        width = len(Column)
        return Table((*headers, *extra), rows, NUMERIC | {width, width + 1, width + 2})

    # Qt's model interface

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008  # Qt's name and default
        """Optimizers."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008  # Qt's name and default
        """Always the same."""
        return 0 if parent.isValid() else len(Column)

    def headerData(  # noqa: N802  # Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:  # noqa: ANN401  # Qt's variant
        """Names of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNMENT[Column(section)]
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return {
            Column.OPTIMIZER: self.tr("Optimizer"),
            Column.STATE: self.tr("state"),
            Column.TEMPORARIES: self.tr("temporaries"),
            Column.PEAK: self.tr("peak"),
            Column.RELATIVE: self.tr("change"),
            Column.FITS: self.tr("fits"),
        }[Column(section)]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401  # variant
        """Text, sort value, tooltip, colour."""
        if not index.isValid():
            return None
        answer = self._answers.get(role)
        return None if answer is None else answer(self._rows[index.row()], Column(index.column()))

    def _text(self, row: ComparisonRow, column: Column) -> str:
        if column is Column.OPTIMIZER:
            return row.optimizer
        if row.refused is not None:
            return self.tr("cannot run") if column is Column.FITS else ""
        if column is Column.FITS:
            return {
                "yes": self.tr("yes"),
                "tight": self.tr("tight"),
                "no": self.tr("no"),
                None: "",
            }[row.fits]
        if column is Column.RELATIVE:
            return self._relative(row)
        size = {
            Column.STATE: row.state_bytes,
            Column.TEMPORARIES: row.temporaries_bytes,
            Column.PEAK: row.peak_bytes,
        }[column]
        return format_bytes(size, self._unit)

    def _now(self) -> ComparisonRow | None:
        return next((row for row in self._rows if row.optimizer == self._chosen), None)

    def _relative(self, row: ComparisonRow) -> str:
        """The difference to the present choice."""
        now = self._now()
        if now is None or now.refused is not None:
            return ""
        if row.optimizer == self._chosen:
            return self.tr("chosen")
        difference = row.peak_bytes - now.peak_bytes
        if difference == 0:
            return self.tr("same")
        return f"{'+' if difference > 0 else ''}{format_bytes(difference, self._unit)}"

    def _tip(self, row: ComparisonRow, _column: Column) -> str:
        if row.refused is not None:
            return f"{row.optimizer}: {render_reason(row.refused, self._unit)}"
        return self.tr(
            "{optimizer}: peak {peak} ({count} bytes) in {phase}; state {state}, temporaries {temporaries}"
        ).format(
            optimizer=row.optimizer,
            peak=format_bytes(row.peak_bytes, self._unit),
            count=format_count(row.peak_bytes),
            phase=phase_name(row.peak_phase),
            state=format_bytes(row.state_bytes, self._unit),
            temporaries=format_bytes(row.temporaries_bytes, self._unit),
        )

    def _brush(self, row: ComparisonRow, column: Column) -> QBrush | None:
        tone = shades(is_dark())
        if row.refused is not None:
            return QBrush(QColor(tone.muted))
        if column is Column.FITS and row.fits is not None:
            return QBrush(QColor({"yes": tone.good, "tight": tone.caution, "no": tone.bad}[row.fits]))
        return None

    def _font(self, row: ComparisonRow, _column: Column) -> Any:  # noqa: ANN401  # variant
        if row.optimizer != self._chosen:
            return None
        font = QApplication.font()
        font.setBold(True)
        return font

    def _spoken(self, row: ComparisonRow, column: Column) -> str:
        header = self.headerData(column, Qt.Orientation.Horizontal)
        return f"{header} {self._text(row, column)}" if column in NUMERIC else self._text(row, column)

    def _sort_value(self, row: ComparisonRow, column: Column) -> tuple[bool, float | str, str]:
        """What cannot be run comes last; equals are ordered by name."""
        now = self._now()
        values: dict[Column, float | str] = {
            Column.OPTIMIZER: row.optimizer.lower(),
            Column.STATE: row.state_bytes,
            Column.TEMPORARIES: row.temporaries_bytes,
            Column.PEAK: row.peak_bytes,
            Column.RELATIVE: row.peak_bytes - (now.peak_bytes if now else 0),
            Column.FITS: {"yes": 0, "tight": 1, "no": 2, None: 3}[row.fits],
        }
        return (row.refused is not None, values[column], row.optimizer.lower())


def _exact(row: ComparisonRow) -> tuple[str, str, str]:
    if row.refused is not None:
        return ("", "", "")
    return (str(row.state_bytes), str(row.temporaries_bytes), str(row.peak_bytes))


class ComparisonOrder(QSortFilterProxyModel):
    """Sorts by exact numbers (Qt's own comparison is 64 bits wide) and filters by any part of a name."""

    def lessThan(self, left: Index, right: Index) -> bool:  # noqa: N802  # Qt's name
        """Compare two rows."""
        first, second = left.data(SORT_ROLE), right.data(SORT_ROLE)
        return bool(tuple(first) < tuple(second))

    def copy_table(self) -> Table:
        """The rows that are shown, in the order they are shown."""
        source = self.sourceModel()
        assert isinstance(source, ComparisonModel)  # noqa: S101  # set once, by the panel
        order = [self.mapToSource(self.index(row, 0)).row() for row in range(self.rowCount())]
        return source.copy_table().selected(order)


class PeakBarDelegate(QStyledItemDelegate):
    """Draws the peak as a bar against what the GPU can give, with the number on its right."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802  # Qt's name
        """Room for a bar beside the number."""
        hint = super().sizeHint(option, index)
        return QSize(hint.width() + 6 * option.fontMetrics.height(), hint.height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw number, bar and capacity."""
        super().paint(painter, option, index)
        row = index.data(ROW_ROLE)
        model = index.model()
        source = model.sourceModel() if isinstance(model, QSortFilterProxyModel) else model
        if not isinstance(row, ComparisonRow) or not isinstance(source, ComparisonModel) or row.refused:
            return
        metrics, area = option.fontMetrics, QRectF(option.rect)
        number = metrics.horizontalAdvance(source.longest_peak) + metrics.height()
        track = area.adjusted(0.3 * metrics.height(), 0.28 * area.height(), -number, -0.28 * area.height())
        if track.width() < metrics.height():
            return
        self._paint_bar(painter, track, row, source, selected=_is_selected(option))

    @staticmethod
    def _paint_bar(
        painter: QPainter, track: QRectF, row: ComparisonRow, model: ComparisonModel, *, selected: bool
    ) -> None:
        tone = shades(is_dark())
        longest, usable = model.longest_bytes, model.usable_bytes
        length = track.width() * min(1.0, row.peak_bytes / longest)
        bar = QRectF(track.left(), track.top(), max(1.0, length), track.height())
        colour = QColor(tone.accent if row.optimizer == model.chosen else tone.muted)
        if selected:
            colour = QColor(tone.on_accent)
        painter.save()
        painter.fillRect(bar, colour)
        if usable is not None and row.peak_bytes > usable:
            beyond = QRectF(bar)
            beyond.setLeft(track.left() + track.width() * min(1.0, usable / longest))
            hatch = QColor(tone.accent if selected else tone.card)
            painter.fillRect(beyond, QBrush(hatch, Qt.BrushStyle.BDiagPattern))
        if usable is not None and usable <= longest:
            x = track.left() + track.width() * (usable / longest)
            painter.setPen(QPen(QColor(tone.on_accent if selected else tone.text), 1, Qt.PenStyle.DashLine))
            painter.drawLine(round(x), round(track.top() - 3), round(x), round(track.bottom() + 3))
        painter.restore()


def _is_selected(option: QStyleOptionViewItem) -> bool:
    return bool(option.state & QStyle.StateFlag.State_Selected)
