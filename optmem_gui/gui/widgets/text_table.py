"""A table of texts that were written out beforehand: cells, tooltips, swatches, exact figures to copy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from optmem_gui.gui.widgets.breakdown_model import COMPONENT_ROLE
from optmem_gui.report.tables import Table

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class TextRow:
    """One row.

    Attributes:
        cells: What its cells say.
        exact: Further cells that only the clipboard gets, such as the bytes behind a rounded size.
        tip: More about it, on every cell.
        component: Whose swatch stands before the first cell; empty for none.
        key: What kind of row it is, for whoever shows more about it.
    """

    cells: tuple[str, ...]
    exact: tuple[str, ...] = ()
    tip: str = ""
    component: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Heads:
    """Heads of the columns.

    Attributes:
        cells: Those on screen.
        exact: Those of the cells that only the clipboard gets.
        numeric: Columns of numbers, which stand right.
    """

    cells: tuple[str, ...] = ()
    exact: tuple[str, ...] = ()
    numeric: frozenset[int] = frozenset()


class TextTableModel(QAbstractTableModel):
    """Shows rows; equal rows leave selection and scroll position alone."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._heads = Heads()
        self._rows: tuple[TextRow, ...] = ()

    def show_rows(self, heads: Heads, rows: tuple[TextRow, ...]) -> None:
        """Show other rows."""
        if (heads, rows) != (self._heads, self._rows):
            self.beginResetModel()
            self._heads, self._rows = heads, rows
            self.endResetModel()

    @property
    def rows(self) -> tuple[TextRow, ...]:
        """What it shows."""
        return self._rows

    def copy_table(self) -> Table:
        """What goes to the clipboard: the cells, and the exact figures beside them."""
        heads, shown = self._heads, len(self._heads.cells)
        exact = frozenset(range(shown, shown + len(heads.exact)))
        rows = tuple((*row.cells, *row.exact) for row in self._rows)
        return Table((*heads.cells, *heads.exact), rows, heads.numeric | exact)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802  # Qt's signature
        """Rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802  # Qt's signature
        """Columns."""
        return 0 if parent.isValid() else len(self._heads.cells)

    def headerData(  # noqa: N802  # Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:  # noqa: ANN401  # Qt takes anything
        """Head of a column."""
        if orientation is not Qt.Orientation.Horizontal or section >= len(self._heads.cells):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._heads.cells[section]
        return self._alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401  # as above
        """One cell."""
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.cells[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.tip or row.cells[index.column()]
        if role == COMPONENT_ROLE and index.column() == 0:
            return row.component or None
        return None

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        right = column in self._heads.numeric
        return (Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft) | (
            Qt.AlignmentFlag.AlignVCenter
        )
