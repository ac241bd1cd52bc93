"""The modules of a checkpoint: a search, the tree, and a treemap that follows it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QSplitter, QVBoxLayout, QWidget

from optmem_gui.core.module_tree import ModuleTree
from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.gui.i18n import clauses
from optmem_gui.gui.plain import plain_tip
from optmem_gui.gui.widgets.labels import ValueLabel
from optmem_gui.gui.widgets.module_tree import ModuleTreeView
from optmem_gui.gui.widgets.module_tree_model import MOST_FOUND
from optmem_gui.gui.widgets.painting import em
from optmem_gui.gui.widgets.treemap import Treemap

_SEARCH_MS = 150


class ModulesView(QWidget):
    """Tree and treemap of one checkpoint; what is chosen in one is shown in the other."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tree: ModuleTree | None = None
        self._unit: SizeUnit = "GiB"
        self.caption, self.search = QLabel(), QLineEdit()
        self.caption.setBuddy(self.search)
        self.search.setClearButtonEnabled(True)
        self.found = ValueLabel(tone="muted", factor=0.92, wrap=True)
        self.found.hide()
        self.tree, self.treemap = ModuleTreeView(), Treemap()
        self.up = QPushButton()
        self.up.clicked.connect(self.treemap.zoom_out)
        self.where = ValueLabel(tone="muted", factor=0.92)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_SEARCH_MS)
        self._pause.timeout.connect(self._search)
        self.search.textChanged.connect(self._pause.start)
        self.treemap.chosen.connect(self._go_to)
        self.treemap.zoomed.connect(self._say_where)
        self.tree.selectionModel().currentChanged.connect(self._mark)
        self._lay_out()
        self.retranslate()

    def _lay_out(self) -> None:
        line, gap = QHBoxLayout(), round(em(self) / 3)
        line.addWidget(self.caption)
        line.addWidget(self.search, 1)
        upper, lower = QWidget(), QWidget()
        above = QVBoxLayout(upper)
        above.setContentsMargins(0, 0, 0, 0)
        above.setSpacing(gap)
        above.addLayout(line)
        above.addWidget(self.found)
        above.addWidget(self.tree, 1)
        way = QHBoxLayout()
        way.addWidget(self.up)
        way.addWidget(self.where, 1)
        below = QVBoxLayout(lower)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(gap)
        below.addLayout(way)
        below.addWidget(self.treemap, 1)
        self.halves = QSplitter(Qt.Orientation.Vertical)
        self.halves.setChildrenCollapsible(False)
        self.halves.setHandleWidth(round(em(self) / 2))
        self.halves.addWidget(upper)
        self.halves.addWidget(lower)
        self.halves.setSizes([50, 50])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.halves, 1)

    def show_tree(self, tree: ModuleTree | None, unit: SizeUnit) -> None:
        """Show another checkpoint, or sizes in another unit."""
        other = tree is not self._tree
        self._tree, self._unit = tree, unit
        self.tree.modules.show_tree(tree, unit)
        self.treemap.show_tree(tree, unit)
        if other:
            self.tree.unfold()
            self.tree.fit_columns()
            self._search()

    def _search(self) -> None:
        """List what the words are found in; without any, show the tree."""
        typed, tree = self.search.text(), self._tree
        if tree is None or not typed.split():
            had = self.found.isVisibleTo(self)
            self.found.hide()
            self.tree.modules.show_found(None)
            if had:
                self.tree.unfold()
            return
        nodes = tree.find(typed)
        self.tree.modules.show_found(tuple(nodes[:MOST_FOUND]))
        text = self.tr("{count} tensors found: {params} parameters, {size} in the file").format(
            count=format_count(len(nodes)),
            params=format_count(sum(tree.param_counts[node] for node in nodes)),
            size=format_bytes(sum(tree.stored_bytes[node] for node in nodes), self._unit),
        )
        if len(nodes) > MOST_FOUND:
            listed = self.tr("the first {count} are listed").format(count=format_count(MOST_FOUND))
            text = clauses((text, listed))
        self.found.setText(text)
        self.found.show()

    def _go_to(self, node: int) -> None:
        self.tree.go_to(node)

    def _mark(self) -> None:
        self.treemap.mark(self.tree.modules.node(self.tree.currentIndex()))

    def _say_where(self) -> None:
        tree = self._tree or self.treemap.tree
        self.up.setEnabled(self.treemap.can_zoom_out)
        if tree is None:
            self.where.setText("")
            return
        self.where.setText(self.treemap.about(self.treemap.root).partition("\n")[0])
        self.where.setToolTip(plain_tip(self.treemap.about(self.treemap.root)))

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.caption.setText(self.tr("Search"))
        self.search.setAccessibleName(self.tr("Search among the tensors"))
        self.search.setPlaceholderText(self.tr("words of a name, such as experts.7 up"))
        self.up.setText(self.tr("Zoom out"))
        self.up.setToolTip(self.tr("Show what holds this module (Backspace)"))
        self.treemap.setAccessibleName(self.tr("Treemap of the modules by their size in the file"))
        self._say_where()
        self._search()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow a change of language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
