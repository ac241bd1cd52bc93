"""What was alive at the peak: blocks put together by what is asked for, searched, explained, copied."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.gui.widgets.breakdown_model import SwatchDelegate
from optmem_gui.gui.widgets.copy_table import CopyTable
from optmem_gui.gui.widgets.labels import ValueLabel
from optmem_gui.gui.widgets.painting import em
from optmem_gui.gui.widgets.text_table import Heads, TextRow, TextTableModel

_SEARCH_MS = 120
MOST_ROWS = 2_000
"""Rows that are listed; the rest is one row, because nobody reads further and a search finds it."""
_TOLD = 3


@dataclass(frozen=True, eq=False)
class AliveBlocks:
    """Blocks in use at one moment; every sequence has an entry a block (or a set of equal blocks).

    Attributes:
        sizes: Bytes.
        counts: How many blocks an entry stands for.
        names: What an entry is called, by what it is put together by (``module``, ``op`` ...).
        about: A sentence about an entry.
        components: Component of an entry, for its swatch; empty for none.
    """

    sizes: Sequence[int]
    counts: Sequence[int]
    names: Mapping[str, Sequence[str]]
    about: Callable[[int], str]
    components: Sequence[str] = ()


@dataclass(slots=True)
class _Group:
    """Entries with one name."""

    name: str
    size: int = 0
    count: int = 0
    members: list[int] = field(default_factory=list)


def groups_of(blocks: AliveBlocks, grouping: str, typed: str = "") -> list[_Group]:
    """Entries put together by name, the largest first.

    Args:
        blocks: The entries.
        grouping: What they are put together by.
        typed: Words that must all stand in the name.
    """
    found: dict[str, _Group] = {}
    for place, name in enumerate(blocks.names[grouping]):
        group = found.get(name)
        if group is None:
            group = found[name] = _Group(name)
        group.size += blocks.sizes[place]
        group.count += blocks.counts[place]
        group.members.append(place)
    words = typed.casefold().split()
    kept = [group for group in found.values() if all(word in group.name.casefold() for word in words)]
    return sorted(kept, key=lambda group: (-group.size, group.name))


class AliveTable(QWidget):
    """A chooser of the grouping, a search, the table, and a sentence about the row that is selected.

    Emits:
        grouped: What the blocks are put together by now.
    """

    grouped = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._blocks: AliveBlocks | None = None
        self._unit: SizeUnit = "GiB"
        self._groups: list[_Group] = []
        self.caption = QLabel()
        self.grouping = QComboBox()
        self.caption.setBuddy(self.grouping)
        self.search = QLineEdit()
        self.search.setClearButtonEnabled(True)
        self.model = TextTableModel(self)
        self.table = CopyTable()
        self.table.setModel(self.model)
        self.table.setItemDelegateForColumn(0, SwatchDelegate(self.table))
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.about = ValueLabel(tone="muted", factor=0.92, wrap=True)
        self.about.hide()
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_SEARCH_MS)
        self._pause.timeout.connect(self._fill)
        self.search.textChanged.connect(self._pause.start)
        self.grouping.currentIndexChanged.connect(self._regroup)
        self.table.selectionModel().selectionChanged.connect(self._tell)
        self._lay_out()
        self.retranslate()

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.addWidget(self.caption)
        line.addWidget(self.grouping)
        line.addWidget(self.search, 1)
        self.grouping.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.search.setMinimumWidth(round(4 * em(self)))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(round(em(self) / 3))
        column.addLayout(line)
        column.addWidget(self.table, 1)
        self.table.setMinimumHeight(round(4 * em(self)))
        column.addWidget(self.about)

    def offer(self, groupings: Mapping[str, str]) -> None:
        """Say what blocks can be put together by: names on screen by id."""
        chosen = self.grouping.currentData()
        self.grouping.blockSignals(True)
        self.grouping.clear()
        for grouping, name in groupings.items():
            self.grouping.addItem(name, grouping)
        self.grouping.setCurrentIndex(max(0, self.grouping.findData(chosen)))
        self.grouping.blockSignals(False)

    def show_blocks(self, blocks: AliveBlocks | None, unit: SizeUnit) -> None:
        """Show other blocks, or none."""
        if blocks is not self._blocks or unit != self._unit:
            self._blocks, self._unit = blocks, unit
            self._fill()

    def _regroup(self) -> None:
        self._fill()
        self.grouped.emit(str(self.grouping.currentData()))

    def _fill(self) -> None:
        blocks = self._blocks
        grouping = self.grouping.currentData()
        if blocks is None or grouping is None:
            self._groups = []
            self.model.show_rows(Heads(), ())
            return
        self._groups = groups_of(blocks, str(grouping), self.search.text())
        whole = sum(blocks.sizes)
        rows = [self._row(group, whole) for group in self._groups[:MOST_ROWS]]
        beyond = self._groups[MOST_ROWS:]
        if beyond:
            rest = _Group(self.tr("... and {number} more").format(number=format_count(len(beyond))))
            rest.size, rest.count = sum(g.size for g in beyond), sum(g.count for g in beyond)
            rows.append(self._row(rest, whole))
        heads = Heads(
            (self.grouping.currentText(), self.tr("size"), self.tr("share"), self.tr("blocks")),
            (self.tr("bytes"), self.tr("what it is")),
            frozenset({1, 2, 3}),
        )
        self.model.show_rows(heads, tuple(rows))
        self.table.fit_numbers(3)
        self._tell()

    def _row(self, group: _Group, whole: int) -> TextRow:
        share = f"{100 * group.size / whole:.1f} %" if whole else ""
        name = group.name or self.tr("(none)")
        about = self._explained(group)
        components = self._blocks.components if self._blocks is not None else ()
        own = {components[place] for place in group.members} if components else set()
        return TextRow(
            (name, format_bytes(group.size, self._unit), share, format_count(group.count)),
            (str(group.size), about),
            about or name,
            own.pop() if len(own) == 1 else "",
        )

    def _explained(self, group: _Group) -> str:
        """The largest entries of a group, in a sentence each."""
        blocks = self._blocks
        if blocks is None or not group.members:
            return ""
        largest = sorted(group.members, key=lambda place: -blocks.sizes[place])
        told = [blocks.about(place) for place in largest[:_TOLD]]
        if len(largest) > _TOLD:
            told.append(self.tr("... and {number} more").format(number=format_count(len(largest) - _TOLD)))
        return "\n".join(told)

    def _tell(self) -> None:
        chosen = self.table.selectionModel().selectedRows()
        row = chosen[-1].row() if chosen else -1
        rows = self.model.rows
        if 0 <= row < len(rows):
            self.about.setText(rows[row].tip)
        self.about.setVisible(0 <= row < len(rows))

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.caption.setText(self.tr("By"))
        self.grouping.setAccessibleName(self.tr("Put together by"))
        self.search.setPlaceholderText(self.tr("Search"))
        self.search.setAccessibleName(self.tr("Search among what is alive"))
        self.table.setAccessibleName(self.tr("What is alive at the peak"))
        self._fill()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow a change of language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
