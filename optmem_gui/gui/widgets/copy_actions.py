"""Copying rows from a table or a tree: one clipboard entry for all, or one notation alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView

from optmem_gui.report.notations import NOTATIONS, SHORTCUTS
from optmem_gui.report.tables import Table


def table_mime(table: Table) -> QMimeData:
    """One clipboard entry in several notations; each program takes the one it knows."""
    data = QMimeData()
    data.setText(NOTATIONS["tsv"].write(table))
    data.setHtml(NOTATIONS["html"].write(table))
    data.setData(NOTATIONS["markdown"].mime, NOTATIONS["markdown"].write(table).encode())
    return data


def notation_mime(table: Table, notation_id: str) -> QMimeData:
    """A clipboard entry that is one notation as plain text, and as what it is where it has a type."""
    notation, data = NOTATIONS[notation_id], QMimeData()
    text = notation.write(table)
    data.setText(text)
    if notation.mime:
        data.setData(notation.mime, text.encode())
    return data


class CopyActions(QObject):
    """The context menu of a view whose rows can be copied, and its keys while it has the keyboard."""

    def __init__(self, view: QAbstractItemView, table: Callable[[], Table]) -> None:
        """Add the actions.

        Args:
            view: What has the rows.
            table: The rows that are chosen, all of them when none is.
        """
        super().__init__(view)
        self._table = table
        self._rows = QAction(view)
        self._rows.triggered.connect(self.copy)
        self._single: dict[str, QAction] = {}
        view.addAction(self._rows)
        for notation in NOTATIONS.values():
            action = QAction(view)
            action.setObjectName(f"copy_as.{notation.id}")
            action.triggered.connect(partial(self._copy_triggered, notation.id))
            self._single[notation.id] = action
            view.addAction(action)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        view.installEventFilter(self)
        self.retranslate()

    def retranslate(self) -> None:
        """Put up the words of the current language, with keys that the window handles when others ask."""
        rows = self.tr("Copy rows")
        self._rows.setText(f"{rows}\t{_native(QKeySequence(QKeySequence.StandardKey.Copy))}")
        for name, action in self._single.items():
            text = self.tr("Copy as {notation}").format(notation=NOTATIONS[name].title)
            key = _native(QKeySequence(SHORTCUTS.get(name, "")))
            action.setText(f"{text}\t{key}" if key else text)

    def copy(self) -> None:
        """Put the rows on the clipboard for whatever program they are pasted into."""
        QGuiApplication.clipboard().setMimeData(table_mime(self._table()))

    def copy_as(self, notation_id: str) -> None:
        """Put the rows on the clipboard in one notation."""
        QGuiApplication.clipboard().setMimeData(notation_mime(self._table(), notation_id))

    def _copy_triggered(self, notation_id: str, _checked: bool = False) -> None:
        self.copy_as(notation_id)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        """Copy on the keys, before an action of the window gets them; follow the language."""
        kind = event.type()
        if kind == QEvent.Type.LanguageChange:
            self.retranslate()
        elif isinstance(event, QKeyEvent) and kind in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            wanted = self._wanted(event)
            if wanted is not None:
                event.accept()
                if kind == QEvent.Type.KeyPress:
                    wanted()
                return True
        return super().eventFilter(watched, event)

    def _wanted(self, event: QKeyEvent) -> Callable[[], None] | None:
        if event.matches(QKeySequence.StandardKey.Copy):
            return self.copy
        pressed = QKeySequence(event.keyCombination())
        name = next((name for name, keys in SHORTCUTS.items() if QKeySequence(keys) == pressed), None)
        return None if name is None else partial(self.copy_as, name)


def _native(keys: QKeySequence) -> str:
    return keys.toString(QKeySequence.SequenceFormat.NativeText)
