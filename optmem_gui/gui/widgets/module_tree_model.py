"""Rows of a tree of modules, made as they are seen, so that a hundred thousand tensors stay quick."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from optmem_gui.core.module_tree import ROOT, ModuleTree
from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.gui.i18n import QT_TRANSLATE_NOOP, listed
from optmem_gui.gui.plain import plain_tip
from optmem_gui.report.tables import Table

Index = QModelIndex | QPersistentModelIndex

CHUNK = 500
"""Rows that a node offers at a time; the view asks for more as it is scrolled."""
MOST_FOUND = 2_000
"""Tensors that a search lists."""

NAME, TENSORS, PARAMETERS, SIZE, TYPE, SHAPE, PART = range(7)
_NUMBERS = (TENSORS, PARAMETERS, SIZE)

PART_NAMES: dict[str, str] = {
    "parameter": QT_TRANSLATE_NOOP("Parts", "parameters"),
    "frozen": QT_TRANSLATE_NOOP("Parts", "frozen"),
    "buffer": QT_TRANSLATE_NOOP("Parts", "buffers"),
    "bookkeeping": QT_TRANSLATE_NOOP("Parts", "bookkeeping"),
}


def part_name(part: str) -> str:
    """What tensors are, in the current language."""
    return QCoreApplication.translate("Parts", PART_NAMES[part])


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as it is written: ``4096 x 1024``."""
    return " x ".join(str(side) for side in shape)


class ModuleTreeModel(QAbstractItemModel):
    """Shows a :class:`ModuleTree`, or the tensors that a search found; rows are made as they are seen."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tree: ModuleTree | None = None
        self._unit: SizeUnit = "GiB"
        self._found: tuple[int, ...] | None = None
        self._sorting: tuple[int, Qt.SortOrder] = (-1, Qt.SortOrder.AscendingOrder)
        self._children: dict[int, tuple[int, ...]] = {}
        self._rows: dict[int, int] = {}
        self._offered: dict[int, int] = {}

    @property
    def tree(self) -> ModuleTree | None:
        """What it shows."""
        return self._tree

    def show_tree(self, tree: ModuleTree | None, unit: SizeUnit) -> None:
        """Show another tree, or sizes in another unit."""
        if tree is self._tree:
            if unit != self._unit:
                self._unit = unit
                self.layoutChanged.emit()
            return
        self.beginResetModel()
        self._tree, self._unit, self._found = tree, unit, None
        self._forget()
        self.endResetModel()

    def show_found(self, found: tuple[int, ...] | None) -> None:
        """List these tensors in place of the tree; None shows the tree again."""
        if found != self._found:
            self.beginResetModel()
            self._found = found
            self._forget()
            self.endResetModel()

    def _forget(self) -> None:
        self._children.clear()
        self._rows.clear()
        self._offered.clear()

    def node(self, index: Index) -> int:
        """Node behind a row; the whole model for what is none."""
        return int(index.internalId()) if index.isValid() else ROOT

    def index_of(self, node: int) -> QModelIndex:
        """Row of a node, whatever was offered so far; none for the whole model or for what is not listed."""
        if self._tree is None or node == ROOT:
            return QModelIndex()
        node = self._tree.shown(node)
        above = ROOT if self._found is not None else self._tree.parent(node)
        if above != ROOT:
            self.index_of(above)
        if node not in self._below(above):
            return QModelIndex()
        row = self._rows[node]
        if row >= self._offered.get(above, CHUNK):
            self._offer(above, row + 1)
        return self.createIndex(row, NAME, node)

    def _below(self, node: int) -> tuple[int, ...]:
        """Children of a node, sorted as asked for."""
        known = self._children.get(node)
        if known is not None:
            return known
        tree = self._tree
        if tree is None:
            return ()
        listed_only = self._found if node == ROOT else ()
        known = tree.children(node) if self._found is None else listed_only or ()
        column, order = self._sorting
        if column in _NUMBERS:
            sums = (tree.tensor_counts, tree.param_counts, tree.stored_bytes)[_NUMBERS.index(column)]
            descending = order is Qt.SortOrder.DescendingOrder
            known = tuple(sorted(known, key=lambda child: sums[child], reverse=descending))
        elif column == NAME and order is Qt.SortOrder.DescendingOrder:
            known = known[::-1]
        self._children[node] = known
        self._rows.update((child, row) for row, child in enumerate(known))
        return known

    # -- what Qt asks for

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802  # Qt's signature
        """Rows under a node that were offered so far."""
        if parent.column() > 0:
            return 0
        node = self.node(parent)
        return min(len(self._below(node)), self._offered.get(node, CHUNK))

    def canFetchMore(self, parent: Index) -> bool:  # noqa: N802  # Qt's name
        """Whether a node has more rows than were offered."""
        return self.rowCount(parent) < len(self._below(self.node(parent)))

    def fetchMore(self, parent: Index) -> None:  # noqa: N802  # Qt's name
        """Offer more rows."""
        node = self.node(parent)
        self._offer(node, self.rowCount(parent) + CHUNK)

    def _offer(self, node: int, count: int) -> None:
        before = min(len(self._below(node)), self._offered.get(node, CHUNK))
        after = min(len(self._below(node)), count)
        if after <= before:
            return
        parent = self.createIndex(self._rows[node], NAME, node) if node != ROOT else QModelIndex()
        self.beginInsertRows(parent, before, after - 1)
        self._offered[node] = after
        self.endInsertRows()

    def hasChildren(self, parent: Index = QModelIndex()) -> bool:  # noqa: B008, N802  # Qt's signature
        """Whether a node can be opened, without looking what is in it."""
        if self._tree is None or parent.column() > 0:
            return False
        node = self.node(parent)
        if self._found is not None:
            return node == ROOT and bool(self._found)
        return not self._tree.is_tensor(node)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008, N802  # Qt's signature
        """Columns."""
        del parent
        return PART + 1

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008  # Qt's
        """A cell."""
        below = self._below(self.node(parent))
        if not 0 <= row < len(below) or not 0 <= column <= PART:
            return QModelIndex()
        return self.createIndex(row, column, below[row])

    def parent(self, index: Index = QModelIndex()) -> Any:  # noqa: ANN401, B008  # Qt has two by this name
        """The row above."""
        if not index.isValid() or self._tree is None or self._found is not None:
            return QModelIndex()
        above = self._tree.parent(self.node(index))
        return QModelIndex() if above <= ROOT else self.createIndex(self._rows[above], NAME, above)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order what stands side by side by a number; by name means as in the file."""
        if (column, order) == self._sorting:
            return
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        opened = [node for node in self._children if node != ROOT]
        self._sorting = (column, order)
        self._children.clear()
        for node in (ROOT, *opened):
            self._below(node)
        after = [self.createIndex(self._rows[self.node(i)], i.column(), self.node(i)) for i in before]
        for index in after:  # a row that is open or selected can lie beyond what was offered
            above = self.node(self.parent(index))
            self._offered[above] = max(self._offered.get(above, CHUNK), index.row() + 1)
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def headerData(  # noqa: N802  # Qt's name
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:  # noqa: ANN401  # Qt takes anything
        """Head of a column."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._heads()[section]
        return _alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def _heads(self) -> tuple[str, ...]:
        return (
            self.tr("Module or tensor"),
            self.tr("Tensors"),
            self.tr("Parameters"),
            self.tr("In the file"),
            self.tr("Type"),
            self.tr("Shape"),
            self.tr("What it is"),
        )

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401  # as above
        """One cell."""
        if not index.isValid() or self._tree is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cell(self.node(index), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        return plain_tip(self.tip(self.node(index))) if role == Qt.ItemDataRole.ToolTipRole else None

    def cell(self, node: int, column: int) -> str:
        """What stands in a cell."""
        tree = self._tree
        if tree is None:
            return ""
        kind = tree.kind(node) if tree.is_tensor(node) else None
        cells = {
            NAME: lambda: tree.label(node) if self._found is None else tree.path(node),
            TENSORS: lambda: format_count(tree.tensor_counts[node]),
            PARAMETERS: lambda: format_count(tree.param_counts[node]) if tree.param_counts[node] else "-",
            SIZE: lambda: format_bytes(tree.stored_bytes[node], self._unit),
            TYPE: lambda: self._types(tree, node),
            SHAPE: lambda: "" if kind is None else shape_text(kind.shape),
            PART: lambda: listed(part_name(part) for part in tree.parts(node)),
        }
        return cells[column]()

    def _types(self, tree: ModuleTree, node: int) -> str:
        """Types in the file; of a packed tensor, what it stands for too."""
        stored = listed(tree.dtypes(node))
        kind = tree.kind(node)
        if kind is None or not tree.is_tensor(node) or not kind.packed:
            return stored
        return self.tr("{logical} in {stored}").format(logical=kind.dtype, stored=stored)

    def tip(self, node: int) -> str:
        """A node in a sentence, exact figures included."""
        tree = self._tree
        if tree is None:
            return ""
        text = self.tr("{name}: {count} parameters, {bytes} bytes in the file as {types}").format(
            name=tree.path(node) or self.tr("whole model"),
            count=format_count(tree.param_counts[node]),
            bytes=format_count(tree.stored_bytes[node]),
            types=listed(tree.dtypes(node)),
        )
        return f"{text}\n{listed(part_name(part) for part in tree.parts(node))}"

    def copy_table(self, nodes: tuple[int, ...] = ()) -> Table:
        """Rows for the clipboard, with full names and plain numbers; those at the top where none is named."""
        tree = self._tree
        heads = (*self._heads(), self.tr("bytes"))
        if tree is None:
            return Table(heads, (), frozenset())
        rows = tuple(
            (
                tree.path(node),
                *(self.cell(node, column) for column in range(TENSORS, PART + 1)),
                str(tree.stored_bytes[node]),
            )
            for node in nodes or self._below(ROOT)
        )
        return Table(heads, rows, frozenset({*_NUMBERS, PART + 1}))


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in _NUMBERS else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
