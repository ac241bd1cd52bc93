"""Which optimizers the comparison shows, and in which order."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt

from optmem_gui.core.optimizers.catalogue import CATALOGUE, matches
from optmem_gui.core.proof import kind_of
from optmem_gui.gui.widgets.comparison_model import ComparisonModel
from optmem_gui.report.tables import Table

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class ComparisonFilter:
    """What the user wants to see.

    Attributes:
        text: Words that a name, library, family or alias contains.
        library: Only this library; empty for all.
        family: Only this family; empty for all.
        proof: Only what was proven in this way; empty for all.
    """

    text: str = ""
    library: str = ""
    family: str = ""
    proof: str = ""

    def accepts(self, optimizer: str) -> bool:
        """Whether an optimizer is shown; one that is not in the catalogue is found by its id alone."""
        entry = CATALOGUE.get(optimizer)
        if entry is None:
            return self.text.strip().lower() in optimizer.lower()
        return (
            matches(entry, self.text)
            and self.library in ("", entry.library)
            and self.family in ("", entry.family)
            and self.proof in ("", kind_of(entry))
        )


class ComparisonOrder(QSortFilterProxyModel):
    """Filters by what the catalogue says of each optimizer, and leaves the order to the model."""

    filter = ComparisonFilter()

    def show_only(self, wanted: ComparisonFilter) -> None:
        """Filter anew."""
        if wanted != self.filter:
            self.beginFilterChange()
            self.filter = wanted
            self.endFilterChange(QSortFilterProxyModel.Direction.Rows)

    @property
    def source(self) -> ComparisonModel:
        """The model behind it."""
        source = self.sourceModel()
        assert isinstance(source, ComparisonModel)  # noqa: S101  # set once, by the panel
        return source

    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:  # noqa: N802  # Qt's name
        """Whether a row is shown."""
        del source_parent
        return self.filter.accepts(self.source.row_at(source_row).optimizer)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Let the model order its rows."""
        self.source.sort(column, order)

    def copy_table(self) -> Table:
        """The rows that are shown, in the order they are shown."""
        order = [self.mapToSource(self.index(row, 0)).row() for row in range(self.rowCount())]
        return self.source.copy_table().selected(order)
