"""A table view whose rows go to the clipboard as spreadsheet, web page and Markdown at once."""

from __future__ import annotations

from typing import Protocol, cast

from PySide6.QtCore import QAbstractItemModel, QMimeData, QSize, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from optmem_gui.gui.widgets.copy_actions import CopyActions, table_mime
from optmem_gui.report.tables import Table


class CopySource(Protocol):
    """A model that can say its rows as plain text."""

    def copy_table(self) -> Table:
        """All rows, exact values included."""


class CopyTable(QTableView):
    """Rows that are read, not edited: whole-row selection, no grid, copied by keys and context menu."""

    resized = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.setTabKeyNavigation(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        rows, columns = self.verticalHeader(), self.horizontalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        columns.setHighlightSections(False)
        columns.setStretchLastSection(True)
        self.copy_actions = CopyActions(self, self.copied_table)
        self._numbers = 0
        self.fit_rows()

    def fit_rows(self) -> None:
        """Rows as high as a line of text needs."""
        line = QFontMetrics(self.font()).height()
        self.verticalHeader().setMinimumSectionSize(line)
        self.verticalHeader().setDefaultSectionSize(round(1.25 * line))

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """Wide and high enough to be useful, small enough to share a window."""
        line = QFontMetrics(self.font()).height()
        return QSize(24 * line, 10 * line)

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """A few rows and their header."""
        line = QFontMetrics(self.font()).height()
        return QSize(10 * line, 5 * line)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Say that there is more or less room for rows."""
        super().resizeEvent(event)
        if self._numbers:
            self._fit_first()
        self.resized.emit()

    def fit_columns(self, last: int) -> None:
        """Columns before ``last`` as wide as their content; the last one takes the rest."""
        for column in range(last):
            self.resizeColumnToContents(column)

    def fit_numbers(self, count: int) -> None:
        """The first column takes what the ``count`` columns of figures behind it leave.

        It keeps what it needs, up to a third of the view: then the figures are scrolled.
        """
        header = self.horizontalHeader()
        header.setStretchLastSection(False)
        self._numbers = count if self.model().columnCount() else 0
        for column in range(1, self._numbers + 1):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        if self._numbers:
            self._fit_first()

    def _fit_first(self) -> None:
        header, room = self.horizontalHeader(), self.viewport().width()
        first, *others = (
            max(self.sizeHintForColumn(at), header.sectionSizeHint(at))
            for at in range(self.model().columnCount())
        )
        kept = min(first, room // 3)
        if room - sum(others) >= kept:
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        else:
            header.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(0, kept)

    def copy(self) -> None:
        """Put the selected rows on the clipboard, all of them when none is selected."""
        self.copy_actions.copy()

    def mime_data(self) -> QMimeData:
        """What :meth:`copy` puts on the clipboard."""
        return table_mime(self.copied_table())

    def copied_table(self) -> Table:
        """The selected rows, or all."""
        table = source_of(self.model()).copy_table()
        chosen = sorted(index.row() for index in self.selectionModel().selectedRows())
        return table.selected(chosen) if chosen else table


def source_of(model: QAbstractItemModel) -> CopySource:
    """The model as a source of plain rows."""
    return cast("CopySource", model)
