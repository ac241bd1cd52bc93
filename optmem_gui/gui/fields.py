"""Inputs with everything that belongs to one: label and buddy, accessible name, note, and what is wrong.

A field says ``edited(name, value)`` when the user, and only the user, changes it. It shows what it is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QSignalBlocker, QStringListModel, Qt, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QPalette,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QCompleter,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from optmem_gui.gui.cards import IssueLabel, MutedLabel
from optmem_gui.gui.editors import PlainLineEdit, QuietComboBox
from optmem_gui.gui.i18n import without_mnemonic
from optmem_gui.gui.theme import is_dark, scaled_font, shades, tint

_VISIBLE_ITEMS = 18


@dataclass(frozen=True, slots=True)
class Choice:
    """One entry of a list: its value, what is shown, and the heading it stands under.

    Attributes:
        value: What choosing it means.
        label: What is shown.
        group: Heading it stands under.
        tip: One sentence about it.
        keywords: Further words that a search finds it by.
    """

    value: object
    label: str
    group: str = ""
    tip: str = ""
    keywords: str = ""

    def matches(self, typed: str) -> bool:
        """Whether every word that was typed is part of its label or of its keywords."""
        known = f"{self.label} {self.keywords}".casefold()
        return all(word in known for word in typed.casefold().split())

    def is_named(self, typed: str) -> bool:
        """Whether it is called exactly that."""
        name = typed.strip().casefold()
        return name == self.label.casefold() or name in self.keywords.casefold().split()


class Field(QWidget):
    """Base of all inputs: a column of label, editor, note and issue."""

    edited = Signal(str, object)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self.setObjectName(f"field.{name}")
        self.label = QLabel(self)
        self.label.setFont(scaled_font(self.font(), 0.92))
        self.note = MutedLabel(self)
        self.note.hide()
        self.issue = IssueLabel(self)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(max(2, self.fontMetrics().height() // 6))

    def _arrange(self, editor: QWidget, *, labelled: bool = True) -> None:
        editor.setObjectName(f"input.{self.name}")
        if labelled:
            self.label.setBuddy(editor)
            self.column.addWidget(self.label)
        else:
            self.label.hide()
        self.column.addWidget(editor)
        self.column.addWidget(self.note)
        self.column.addWidget(self.issue)
        self._editor = editor
        self._draw_edge()

    def _draw_edge(self) -> None:
        """Fusion derives an input's outline from the window's colour, which vanishes on a dark card."""
        tint(self._editor, QPalette.ColorRole.Window, shades(is_dark()).edge)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_editor"):
            self._draw_edge()

    def set_label(self, text: str, tip: str = "") -> None:
        """Name the field; the mnemonic (``&``) reaches it by Alt and the letter."""
        self.label.setText(text)
        self._editor.setAccessibleName(without_mnemonic(text))
        self._editor.setAccessibleDescription(tip)
        self._editor.setToolTip(tip)

    def set_note(self, text: str) -> None:
        """Say something helpful under the field; nothing for an empty text."""
        self.note.setText(text)
        self.note.setVisible(bool(text))

    def show_issue(self, text: str) -> None:
        """Say what is wrong with what stands in the field; nothing for an empty text."""
        self.issue.show_issue(text)
        self._editor.setProperty("invalid", bool(text))


class TextField(Field):
    """A line of text, reported at every keystroke."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.edit = PlainLineEdit(self)
        self.edit.textEdited.connect(self._say)
        self._arrange(self.edit)

    def _say(self, text: str) -> None:
        self.edited.emit(self.name, text)

    def show_text(self, text: str) -> None:
        """Show a text; the cursor stays where it is while the text is the same."""
        if self.edit.text() != text:
            self.edit.setText(text)


class SearchCompleter(QCompleter):
    """Offers the choices that hold every typed word, in any order; Qt's own looks for one piece of text.

    Emits:
        found: The :class:`Choice` that the user took.
    """

    found = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices: tuple[Choice, ...] = ()
        self._shown: tuple[Choice, ...] = ()
        self._names = QStringListModel(self)
        self.setModel(self._names)
        self.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self.setMaxVisibleItems(_VISIBLE_ITEMS)
        self.activated[QModelIndex].connect(self._take)  # type: ignore[index]  # the stub knows no overloads

    def offer(self, choices: Iterable[Choice]) -> None:
        """Search among these; one that stands under two headings is offered once."""
        self._choices = tuple({choice.value: choice for choice in choices}.values())
        self.look_for("")

    def look_for(self, typed: str) -> None:
        """Narrow down to what matches."""
        self._shown = tuple(choice for choice in self._choices if choice.matches(typed))
        self._names.setStringList([choice.label for choice in self._shown])

    def _take(self, index: QModelIndex) -> None:
        if index.row() < len(self._shown):
            self.found.emit(self._shown[index.row()])


class ChoiceField(Field):
    """One of several choices; with ``searchable``, typing finds one by parts of its name and keywords."""

    def __init__(self, name: str, parent: QWidget | None = None, *, searchable: bool = False) -> None:
        super().__init__(name, parent)
        self._choices: tuple[Choice, ...] = ()
        self.combo = QuietComboBox(self)
        self._items = QStandardItemModel(self)
        self.combo.setModel(self._items)
        self.combo.activated.connect(self._say)
        self._arrange(self.combo)
        self._search: SearchCompleter | None = None
        if searchable:
            self._make_searchable()

    def _make_searchable(self) -> None:
        self.combo.setEditable(True)
        self.combo.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.combo.setMaxVisibleItems(_VISIBLE_ITEMS)
        line = self.combo.lineEdit()
        assert line is not None  # noqa: S101  # an editable combo box has one
        self._search = SearchCompleter(self)
        self._search.found.connect(self._say_choice)
        self.combo.setCompleter(self._search)
        line.textEdited.connect(self._search.look_for)
        line.returnPressed.connect(self._take_first)
        line.editingFinished.connect(self._finish_typing)
        line.setObjectName(f"search.{self.name}")

    def set_choices(self, choices: Iterable[Choice]) -> None:
        """Replace the list, headings where the group changes; the chosen one stays chosen."""
        wanted = tuple(choices)
        if wanted == self._choices:
            return
        current = self.combo.currentData()
        self._choices = wanted
        blocker = QSignalBlocker(self.combo)
        self._items.clear()
        group = ""
        for choice in wanted:
            if choice.group != group:
                group = choice.group
                self._items.appendRow(_heading(group))
            self._items.appendRow(_entry(choice))
        self.show_value(current)
        blocker.unblock()
        if self._search is not None:
            self._search.offer(wanted)

    def add_choice(self, choice: Choice) -> None:
        """Offer one more entry."""
        if choice not in self._choices:
            self.set_choices((*self._choices, choice))

    def show_value(self, value: object) -> None:
        """Show one of the choices as chosen."""
        place = self._place(value)
        if place != self.combo.currentIndex():
            self.combo.setCurrentIndex(place)
        elif self.combo.isEditable() and not self.combo.hasFocus():
            self.combo.setEditText(self.combo.itemText(place))

    def _place(self, value: object) -> int:
        """Row of a value; ``findData`` would compare through QVariant, which loses Python types."""
        for row in range(self._items.rowCount()):
            item = self._items.item(row)
            if item.isSelectable() and item.data(Qt.ItemDataRole.UserRole) == value:
                return row
        return -1

    def _say(self, row: int) -> None:
        item = self._items.item(row)
        if item is not None and item.isSelectable():
            self.edited.emit(self.name, item.data(Qt.ItemDataRole.UserRole))

    def _say_choice(self, choice: Choice) -> None:
        self.show_value(choice.value)
        self.edited.emit(self.name, choice.value)

    def _take_first(self) -> None:
        """Enter takes what is called so, else the first that begins so, else the first that is offered."""
        typed = self.combo.currentText().strip().casefold()
        if not typed or any(choice.is_named(typed) for choice in self._choices):
            return
        begin = [choice for choice in self._choices if choice.label.casefold().startswith(typed)]
        found = begin or [choice for choice in self._choices if choice.matches(typed)]
        if found:
            self._say_choice(found[0])

    def _finish_typing(self) -> None:
        """Take a name that is complete or that only one entry contains; else show the choice again."""
        typed = self.combo.currentText().strip()
        exact = {choice.value: choice for choice in self._choices if choice.is_named(typed)}
        near = {choice.value: choice for choice in self._choices if typed and choice.matches(typed)}
        found = list((exact or near).values())
        chosen = self.combo.currentData()
        if len(found) == 1 and found[0].value != chosen:
            self._say_choice(found[0])
        else:
            self.combo.setEditText(self.combo.itemText(self.combo.currentIndex()))


def _heading(text: str) -> QStandardItem:
    item = QStandardItem(text)
    item.setFlags(Qt.ItemFlag.NoItemFlags)
    font = item.font()
    font.setBold(True)
    item.setFont(font)
    return item


def _entry(choice: Choice) -> QStandardItem:
    item = QStandardItem(choice.label)
    item.setData(choice.value, Qt.ItemDataRole.UserRole)
    if choice.tip:
        item.setToolTip(choice.tip)
    return item


class FlagField(Field):
    """Something that is on or off; its label is the box's own."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(name, parent)
        self.box = QCheckBox(self)
        self.box.clicked.connect(self._say)
        self._arrange(self.box, labelled=False)

    def _say(self, checked: bool) -> None:
        self.edited.emit(self.name, checked)

    def set_label(self, text: str, tip: str = "") -> None:
        """Name the box."""
        super().set_label(text, tip)
        self.box.setText(text)

    def show_value(self, value: bool) -> None:
        """Show it on or off."""
        self.box.setChecked(value)


class Segment(QPushButton):
    """One of several buttons of which one is pressed; the pressed one is filled and bold."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.toggled.connect(self._paint_state)
        self._paint_state()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._paint_state()

    def _paint_state(self) -> None:
        tone = shades(is_dark())
        pressed = self.isChecked()
        normal = QGuiApplication.palette().color(QPalette.ColorRole.Button).name()
        tint(self, QPalette.ColorRole.Button, tone.accent if pressed else normal)
        tint(self, QPalette.ColorRole.ButtonText, tone.on_accent if pressed else tone.text)
        font = self.font()
        if font.bold() != pressed:
            font.setBold(pressed)
            self.setFont(font)


def side_by_side(fields: Sequence[QWidget]) -> QWidget:
    """Fields beside each other, aligned at their tops, sharing the width."""
    row = QWidget()
    line = QHBoxLayout(row)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(row.fontMetrics().height() // 2)
    for field in fields:
        line.addWidget(field, 1, Qt.AlignmentFlag.AlignTop)
    if len(fields) == 1:
        line.addStretch(1)
    return row
