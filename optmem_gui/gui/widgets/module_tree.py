"""The modules of a checkpoint as a tree that is read, searched, sorted and copied."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QSize, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTreeView, QWidget

from optmem_gui.gui.widgets.copy_actions import CopyActions
from optmem_gui.gui.widgets.module_tree_model import NAME, PART, TENSORS, ModuleTreeModel

_UNFOLDED_ROWS = 24


class ModuleTreeView(QTreeView):
    """The tree: whole rows, keyboard, Ctrl+C copies what is selected."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.modules = ModuleTreeModel(self)
        self.setModel(self.modules)
        self.setUniformRowHeights(True)
        self.setAlternatingRowColors(False)
        self.setAllColumnsShowFocus(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSortingEnabled(True)
        header = self.header()
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setStretchLastSection(True)
        header.setHighlightSections(False)
        self.copy_actions = CopyActions(self, lambda: self.modules.copy_table(self.selected))
        self.retranslate()

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.setAccessibleName(self.tr("Modules and tensors"))
        self.modules.headerDataChanged.emit(Qt.Orientation.Horizontal, NAME, PART)
        self.viewport().update()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow a change of language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()

    def fit_columns(self) -> None:
        """Figures as wide as what is seen of them; the name gets a good half of the rest."""
        header, metrics = self.header(), QFontMetrics(self.font())
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column in range(TENSORS, PART):
            self.resizeColumnToContents(column)
        taken = sum(self.columnWidth(column) for column in range(TENSORS, PART))
        least = metrics.horizontalAdvance("model.layers.10.self_attn") + 4 * self.indentation()
        self.setColumnWidth(NAME, max(least, self.viewport().width() - taken - 8 * metrics.height()))

    def unfold(self) -> None:
        """Open the modules at the top, as far as all of it can be seen at once."""
        level, seen = [QModelIndex()], 0
        while level and seen < _UNFOLDED_ROWS:
            rows = [self.modules.index(r, NAME, at) for at in level for r in range(self.modules.rowCount(at))]
            seen += len(rows)
            level = [row for row in rows if self.modules.hasChildren(row)]
            below = sum(self.modules.rowCount(row) for row in level)
            if seen + below > _UNFOLDED_ROWS:
                break
            for row in level:
                self.expand(row)

    def go_to(self, node: int) -> None:
        """Select a node and bring it into view."""
        index = self.modules.index_of(node)
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)

    @property
    def selected(self) -> tuple[int, ...]:
        """Nodes of the selected rows, from top to bottom."""
        return tuple(self.modules.node(index) for index in self.selectionModel().selectedRows(NAME))

    def copy(self) -> None:
        """Put the selected rows on the clipboard, the rows at the top when none is selected."""
        self.copy_actions.copy()

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """A few rows and their header."""
        line = QFontMetrics(self.font()).height()
        return QSize(12 * line, 6 * line)
