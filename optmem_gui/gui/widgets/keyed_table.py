"""A table of texts that can be sorted by what stands behind them, searched, and marked with verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, QSortFilterProxyModel, Qt
from PySide6.QtGui import QFont, QIcon
from PySide6.QtWidgets import QApplication

from optmem_gui.gui.widgets.labels import Sign, sign_icon
from optmem_gui.gui.widgets.text_table import Index, TextRow, TextTableModel
from optmem_gui.report.tables import Table

KEY_ROLE = int(Qt.ItemDataRole.UserRole) + 7
"""What kind of row it is: :attr:`TextRow.key`."""

ORDER_ROLE = int(Qt.ItemDataRole.UserRole) + 8
"""What a column is sorted by."""


@dataclass(frozen=True, slots=True)
class KeyedRow(TextRow):
    """One row.

    Attributes:
        order: What each column is sorted by.
        sign: Verdict that is drawn beside the words of its column.
        words: Further words that a search finds it by.
        chosen: It is the present choice, and stands in bold.
    """

    order: tuple[int | str, ...] = ()
    sign: Sign = "none"
    words: str = ""
    chosen: bool = False


class KeyedTableModel(TextTableModel):
    """Rows with keys; a verdict is drawn in one column.

    Args:
        sign_column: The column with the verdict's words.
    """

    def __init__(self, sign_column: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sign_column = sign_column
        self._icons: dict[Sign, QIcon] = {}

    def redraw(self) -> None:
        """Draw the verdicts in the colours of the present theme."""
        self._icons.clear()

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401  # as in Qt
        """One cell."""
        row = self.rows[index.row()] if index.isValid() else None
        if isinstance(row, KeyedRow):
            if role == ORDER_ROLE:
                return row.order[index.column()]
            if role == KEY_ROLE:
                return row.key
            if role == Qt.ItemDataRole.DecorationRole and index.column() == self._sign_column:
                return self._icon(row.sign)
            if role == Qt.ItemDataRole.FontRole and row.chosen:
                return self._bold()
        return super().data(index, role)

    def _icon(self, sign: Sign) -> QIcon:
        if sign not in self._icons:
            self._icons[sign] = sign_icon(sign)
        return self._icons[sign]

    @staticmethod
    def _bold() -> QFont:
        font = QApplication.font()
        font.setBold(True)
        return font


class KeyedOrder(QSortFilterProxyModel):
    """The rows that hold every searched word, sorted by what stands behind their texts."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setSortRole(ORDER_ROLE)
        self._words: tuple[str, ...] = ()

    def search(self, text: str) -> None:
        """Show only rows that hold these words."""
        self.beginFilterChange()
        self._words = tuple(text.casefold().split())
        self.endFilterChange()

    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:  # noqa: N802  # Qt's name
        """Whether a row is shown."""
        del source_parent
        row = self._source().rows[source_row]
        words = row.words if isinstance(row, KeyedRow) else ""
        held = f"{' '.join(row.cells)} {words}".casefold()
        return all(word in held for word in self._words)

    def copy_table(self) -> Table:
        """What goes to the clipboard: the rows that are shown, in their order."""
        places = [self.mapToSource(self.index(row, 0)).row() for row in range(self.rowCount())]
        return self._source().copy_table().selected(places)

    def _source(self) -> TextTableModel:
        source = self.sourceModel()
        assert isinstance(source, TextTableModel)  # noqa: S101  # nothing else is sorted here
        return source
