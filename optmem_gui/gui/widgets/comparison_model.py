"""Every optimizer on the present model, as a table model."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QApplication

from optmem_gui.core.optimizer_rows import OptimizerRow
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.proof import proven_with
from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.gui.i18n import phase_name, render_reason
from optmem_gui.gui.theme import is_dark, shades
from optmem_gui.report.tables import Table

Index = QModelIndex | QPersistentModelIndex
ROW_ROLE = Qt.ItemDataRole.UserRole


class Column(IntEnum):
    """Columns, left to right."""

    OPTIMIZER = 0
    PEAK = 1
    RELATIVE = 2
    FITS = 3
    STATE = 4
    PER_PARAMETER = 5
    TEMPORARIES = 6
    FAMILY = 7
    PROVEN = 8


NUMERIC = frozenset({Column.PEAK, Column.RELATIVE, Column.STATE, Column.PER_PARAMETER, Column.TEMPORARIES})
OF_THE_STEP = frozenset({Column.PEAK, Column.RELATIVE, Column.FITS, Column.TEMPORARIES})
"""What is not predicted for an optimizer of another runtime."""

_SIDE = Qt.AlignmentFlag
_ALIGNMENT = {
    column: (_SIDE.AlignRight if column in NUMERIC else _SIDE.AlignLeft) | _SIDE.AlignVCenter
    for column in Column
}
_COLUMNS = tuple(Column)  # calling the enumeration costs more than the cell
_SMALLEST = 0.01
"""Bytes a parameter that are as good as none, but not none."""

_VERDICTS = {"yes": 0, "tight": 1, "no": 2, None: 3}


class ComparisonModel(QAbstractTableModel):
    """Rows in the order of one column; filtering is the proxy's.

    The order is kept here because a proxy would ask Python for every comparison of two rows, at every edit.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[OptimizerRow, ...] = ()
        self._unit: SizeUnit = "GiB"
        self._chosen = ""
        self._usable: int | None = None
        self._now: OptimizerRow | None = None
        self._given: tuple[OptimizerRow, ...] = ()
        self._column, self._descending = Column.PEAK, False
        self._longest_bytes, self._longest_peak = 1, ""
        self._answers: dict[int, Callable[[OptimizerRow, Column], Any]] = {
            Qt.ItemDataRole.DisplayRole: self._text,
            Qt.ItemDataRole.ToolTipRole: self._tip,
            Qt.ItemDataRole.TextAlignmentRole: lambda _row, column: _ALIGNMENT[column],
            Qt.ItemDataRole.ForegroundRole: self._brush,
            Qt.ItemDataRole.FontRole: self._font,
            Qt.ItemDataRole.AccessibleTextRole: self._spoken,
            ROW_ROLE: lambda row, _column: row,
        }

    def show_rows(
        self, rows: tuple[OptimizerRow, ...], chosen: str, usable_bytes: int | None, unit: SizeUnit
    ) -> None:
        """Show other figures; the rows stay where they are while the optimizers are the same.

        Args:
            rows: One an optimizer.
            chosen: Id of the present choice.
            usable_bytes: What the GPU can give, None without one.
            unit: Unit of the sizes.
        """
        if (rows, chosen, usable_bytes, unit) == (self._given, self._chosen, self._usable, self._unit):
            return
        self._given, self._chosen, self._usable, self._unit = rows, chosen, usable_bytes, unit
        now = next((row for row in rows if row.optimizer == chosen), None)
        self._now = now if now is not None and now.refused is None and not now.state_only else None
        if {row.optimizer for row in rows} == {row.optimizer for row in self._rows}:
            self._arrange()
        else:
            self.beginResetModel()
            self._rows = self._sorted()
            self.endResetModel()
        self._measure_bars()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order the rows by a column; what has no figure comes last either way."""
        if column >= 0:
            self._column, self._descending = Column(column), order == Qt.SortOrder.DescendingOrder
            self._arrange()

    def _sorted(self) -> tuple[OptimizerRow, ...]:
        rows = sorted(self._given, key=self._sort_key, reverse=self._descending)
        return tuple(sorted(rows, key=self._has_no_figure))

    def _arrange(self) -> None:
        """Put the rows in order; selections go with their optimizer."""
        before, after = self._rows, self._sorted()
        if [row.optimizer for row in before] == [row.optimizer for row in after]:
            self._rows = after
            if after:
                self.dataChanged.emit(self.index(0, 0), self.index(len(after) - 1, len(Column) - 1))
            return
        self.layoutAboutToBeChanged.emit()
        places = {row.optimizer: place for place, row in enumerate(after)}
        held = self.persistentIndexList()
        self._rows = after
        moved = [self.index(places[before[index.row()].optimizer], index.column()) for index in held]
        self.changePersistentIndexList(held, moved)
        self.layoutChanged.emit()

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
        """Where the scale of the bars ends: past the GPU, or past the largest peak that is near it."""
        return self._longest_bytes

    @property
    def longest_peak(self) -> str:
        """The longest text beside a bar."""
        return self._longest_peak

    def _measure_bars(self) -> None:
        """Once for all bars. One optimizer that takes a hundred times as much must not flatten the others."""
        peaks = sorted(row.peak_bytes for row in self._rows if row.refused is None and not row.state_only)
        texts = (format_bytes(peak, self._unit) for peak in peaks)
        self._longest_peak = max(texts, key=len, default="")
        if not peaks:
            self._longest_bytes = self._usable or 1
            return
        middle, usable = peaks[len(peaks) // 2], self._usable or 0
        near = usable if usable <= 4 * middle else 0  # a line far beyond every bar would flatten them
        self._longest_bytes = max(min(peaks[-1], 2 * max(middle, near)), near, 1)

    def longest_text(self, column: Column) -> str:
        """The longest cell of a column."""
        return max((self._text(row, column) for row in self._rows), key=len, default="")

    def row_at(self, row: int) -> OptimizerRow:
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
        return 0 if parent.isValid() else len(_COLUMNS)

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
            Column.PER_PARAMETER: self.tr("state B/param"),
            Column.TEMPORARIES: self.tr("temporaries"),
            Column.PEAK: self.tr("peak"),
            Column.RELATIVE: self.tr("change"),
            Column.FITS: self.tr("fits"),
            Column.FAMILY: self.tr("family"),
            Column.PROVEN: self.tr("proven with"),
        }[Column(section)]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401  # variant
        """Text, tooltip, colour."""
        if not index.isValid():
            return None
        answer = self._answers.get(role)
        return None if answer is None else answer(self._rows[index.row()], _COLUMNS[index.column()])

    def _text(self, row: OptimizerRow, column: Column) -> str:
        if column in (Column.OPTIMIZER, Column.FAMILY, Column.PROVEN):
            return self._identity(row, column)
        if row.refused is not None:
            return self.tr("cannot run") if column is Column.FITS else ""
        if row.state_only and column in OF_THE_STEP:
            return self.tr("not predicted")
        if column is Column.FITS:
            words = {"yes": self.tr("yes"), "tight": self.tr("tight"), "no": self.tr("no"), None: ""}
            return words[row.fits]
        if column is Column.RELATIVE:
            return self._relative(row)
        ratio = row.state_bytes_per_parameter
        each = f"{ratio:.2f}" if ratio == 0 or ratio >= _SMALLEST else f"< {_SMALLEST}"
        return each if column is Column.PER_PARAMETER else format_bytes(_size(row, column), self._unit)

    def _identity(self, row: OptimizerRow, column: Column) -> str:
        entry = CATALOGUE.get(row.optimizer)
        if column is Column.OPTIMIZER or entry is None:
            return row.optimizer if column is Column.OPTIMIZER else ""
        if column is Column.FAMILY:
            return entry.family
        return render_reason(proven_with(entry))

    def _relative(self, row: OptimizerRow) -> str:
        """The difference to the present choice."""
        if row.optimizer == self._chosen:
            return self.tr("chosen")
        if self._now is None:
            return ""
        difference = row.peak_bytes - self._now.peak_bytes
        if difference == 0:
            return self.tr("same")
        return f"{'+' if difference > 0 else ''}{format_bytes(difference, self._unit)}"

    def _tip(self, row: OptimizerRow, _column: Column) -> str:
        if row.refused is not None:
            why = render_reason(row.refused, self._unit)
            return self.tr("{optimizer}: {why}").format(optimizer=row.optimizer, why=why)
        state = format_bytes(row.state_bytes, self._unit)
        if row.state_only:
            return self.tr(
                "{optimizer}: state {state} ({count} bytes). It runs in another runtime than torch, whose "
                "step is not predicted."
            ).format(optimizer=row.optimizer, state=state, count=format_count(row.state_bytes))
        return self.tr(
            "{optimizer}: peak {peak} ({count} bytes) in {phase}; state {state}, temporaries {temporaries}"
        ).format(
            optimizer=row.optimizer,
            peak=format_bytes(row.peak_bytes, self._unit),
            count=format_count(row.peak_bytes),
            phase=phase_name(row.peak_phase),
            state=state,
            temporaries=format_bytes(row.temporaries_bytes, self._unit),
        )

    def _brush(self, row: OptimizerRow, column: Column) -> QBrush | None:
        tone = shades(is_dark())
        if row.refused is not None or (row.state_only and column in OF_THE_STEP):
            return QBrush(QColor(tone.muted))
        if column is Column.FITS and row.fits is not None:
            return QBrush(QColor({"yes": tone.good, "tight": tone.caution, "no": tone.bad}[row.fits]))
        return None

    def _font(self, row: OptimizerRow, _column: Column) -> Any:  # noqa: ANN401  # variant
        if row.optimizer != self._chosen:
            return None
        font = QApplication.font()
        font.setBold(True)
        return font

    def _spoken(self, row: OptimizerRow, column: Column) -> str:
        header = self.headerData(column, Qt.Orientation.Horizontal)
        return f"{header} {self._text(row, column)}" if column in NUMERIC else self._text(row, column)

    def _sort_key(self, row: OptimizerRow) -> tuple[float | str, str]:
        """Exact numbers; equals are ordered by name."""
        column, name = self._column, row.optimizer.lower()
        if column in (Column.OPTIMIZER, Column.FAMILY, Column.PROVEN):
            return (self._identity(row, column).lower(), name)
        if column is Column.FITS:
            return (_VERDICTS[row.fits], name)
        if column is Column.PER_PARAMETER:
            return (row.state_bytes_per_parameter, name)
        return (_size(row, column), name)

    def _has_no_figure(self, row: OptimizerRow) -> bool:
        if self._column in (Column.OPTIMIZER, Column.FAMILY, Column.PROVEN):
            return False
        return row.refused is not None or (row.state_only and self._column in OF_THE_STEP)


def _size(row: OptimizerRow, column: Column) -> int:
    """The figure of a column; the difference to one fixed row orders as the peak itself does."""
    if column is Column.STATE:
        return row.state_bytes
    return row.temporaries_bytes if column is Column.TEMPORARIES else row.peak_bytes


def _exact(row: OptimizerRow) -> tuple[str, str, str]:
    if row.refused is not None:
        return ("", "", "")
    if row.state_only:
        return (str(row.state_bytes), "", "")
    return (str(row.state_bytes), str(row.temporaries_bytes), str(row.peak_bytes))
