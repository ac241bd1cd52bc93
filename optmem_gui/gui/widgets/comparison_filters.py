"""What narrows the comparison down: a search line, and a menu of libraries, families and kinds of proof."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QMenu, QPushButton, QWidget

from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.proof import PROOF_KINDS, kind_label, kind_of
from optmem_gui.gui.i18n import render_reason
from optmem_gui.gui.widgets.comparison_order import ComparisonFilter

Value = str | None


class ComparisonFilters(QWidget):
    """Emits ``changed`` with a :class:`ComparisonFilter` when the user wants to see other rows."""

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.search = QLineEdit(self)
        self.search.setObjectName("comparisonFilter")
        self.search.setClearButtonEnabled(True)
        self.button = QPushButton(self)
        self.button.setObjectName("comparisonFilterMenu")
        menu = QMenu(self.button)
        self.button.setMenu(menu)
        self.library, self.family, self.proof = (_Choices(menu, self) for _ in range(3))
        self._lists = (self.library, self.family, self.proof)
        menu.addSeparator()
        self.everything = menu.addAction("")
        self.everything.triggered.connect(self.show_everything)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(self.fontMetrics().height() // 3)
        row.addWidget(self.search, 1)
        row.addWidget(self.button)
        self.search.textChanged.connect(self._say)
        for choices in self._lists:
            choices.group.triggered.connect(self._say)
        self.refill()

    @property
    def wanted(self) -> ComparisonFilter:
        """What is set."""
        library, family, proof = (choices.value or "" for choices in self._lists)
        return ComparisonFilter(self.search.text(), library, family, proof)

    def show_everything(self) -> None:
        """Take every filter off."""
        for choices in self._lists:
            choices.choose(None)
        self.search.clear()
        self._say()

    def _say(self) -> None:
        self._write_button()
        self.changed.emit(self.wanted)

    def _write_button(self) -> None:
        """How many filters are set, because the menu is closed most of the time."""
        count = sum(choices.value is not None for choices in self._lists)
        self.button.setText(self.tr("Filter ({count})").format(count=count) if count else self.tr("Filter"))
        self.everything.setEnabled(bool(count or self.search.text()))

    def refill(self) -> None:
        """Put up the words of the current language, and what the catalogue holds now; choices stay."""
        self.search.setPlaceholderText(self.tr("Search: name, library, family"))
        self.search.setAccessibleName(self.tr("Search the optimizers"))
        tip = self.tr("Show one library, one family, or what was proven in one way")
        self.button.setToolTip(tip)
        self.button.setAccessibleDescription(tip)
        self.everything.setText(self.tr("Show &everything"))
        entries = CATALOGUE.values()
        every = self.tr("All")
        self.library.fill(self.tr("&Library"), every, _counted(entry.library for entry in entries))
        self.family.fill(self.tr("&Family"), every, _counted(entry.family for entry in entries))
        self.proof.fill(self.tr("&Proof"), every, _proofs(entries))
        self._write_button()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.refill()


class _Choices:
    """A submenu of which one entry is chosen; None stands for all."""

    def __init__(self, menu: QMenu, parent: QWidget) -> None:
        self.menu = QMenu(menu)
        menu.addMenu(self.menu)
        self.group = QActionGroup(parent)

    @property
    def value(self) -> Value:
        """What is chosen."""
        checked = self.group.checkedAction()
        value: Value = None if checked is None else checked.data()
        return value

    def choose(self, value: Value) -> None:
        """Choose one; all where it is no longer there."""
        actions = self.group.actions()
        next((action for action in actions if action.data() == value), actions[0]).setChecked(True)

    def fill(self, title: str, every: str, values: dict[str, Value]) -> None:
        """Offer these; what was chosen stays chosen."""
        before = self.value
        self.menu.setTitle(title)
        self.menu.clear()
        for action in self.group.actions():
            self.group.removeAction(action)
            action.deleteLater()
        for label, value in {every: None, **values}.items():
            action = QAction(label, self.menu)
            action.setData(value)
            action.setCheckable(True)
            self.group.addAction(action)
            self.menu.addAction(action)
        self.choose(before)


def _proofs(entries: Iterable[Implementation]) -> dict[str, Value]:
    """Kinds of proof that there are, the strongest first, with the number of entries."""
    counts = Counter(kind_of(entry) for entry in entries)
    return {
        f"{render_reason(kind_label(kind))} ({counts[kind]})": kind for kind in PROOF_KINDS if counts[kind]
    }


def _counted(names: Iterable[str]) -> dict[str, Value]:
    """Labels with the number of entries, in alphabetical order."""
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return {f"{name} ({counts[name]})": name for name in sorted(counts, key=str.lower)}
