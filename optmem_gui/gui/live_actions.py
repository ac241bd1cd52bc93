"""The table of actions as live actions and menus."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from optmem_gui.gui.actions import ACTIONS, MENUS, SEPARATOR, SUBMENUS
from optmem_gui.gui.i18n import without_mnemonic
from optmem_gui.gui.icons import icon


def _translated(source: str) -> str:
    return QCoreApplication.translate("Actions", source)


class Actions(QObject):
    """The table as live actions."""

    def __init__(self, slots: Mapping[str, Callable[[], object]], parent: QObject) -> None:
        """Build every action.

        Args:
            slots: What each id calls; an id of a group may be served by ``group>`` with the value.
            parent: The window.
        """
        super().__init__(parent)
        self._actions: dict[str, QAction] = {}
        self._menus: list[tuple[str, QMenu]] = []
        self.submenus: dict[str, QMenu] = {}
        groups: dict[str, QActionGroup] = {}
        for spec in ACTIONS:
            action = QAction(self)
            action.setObjectName(f"action.{spec.id}")
            action.setMenuRole(spec.role)
            if spec.shortcut is not None:
                action.setShortcut(QKeySequence(spec.shortcut))
            action.setCheckable(spec.checkable or bool(spec.group))
            if spec.group:
                groups.setdefault(spec.group, QActionGroup(self)).addAction(action)
            action.triggered.connect(_without_argument(slots[spec.id]))
            self._actions[spec.id] = action
        self.retranslate()

    def __getitem__(self, action_id: str) -> QAction:
        return self._actions[action_id]

    def retranslate(self) -> None:
        """Put the words of the current language in."""
        for spec in ACTIONS:
            action = self._actions[spec.id]
            _put_text(action, spec.name or _translated(spec.text))
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            tip = _translated(spec.tip) if spec.tip else ""
            action.setToolTip(f"{tip} ({keys})" if tip and keys else tip or action.iconText())
            action.setStatusTip(tip)
        for source, menu in self._menus:
            menu.setTitle(_translated(source))

    def rename(self, action_id: str, text: str) -> None:
        """Give an action another text, already translated, in menu and tool bar."""
        _put_text(self._actions[action_id], text)

    def redraw(self) -> None:
        """Draw the icons in the colours of the present theme; what shows them calls it."""
        for spec in ACTIONS:
            if spec.icon:
                self._actions[spec.id].setIcon(icon(spec.icon))

    def fill(self, bar: QMenuBar) -> None:
        """Build the menus."""
        for title, entries in MENUS:
            menu = self._menu(title, bar)
            bar.addMenu(menu)
            for entry in entries:
                if entry == SEPARATOR:
                    menu.addSeparator()
                elif entry.endswith(">"):
                    menu.addMenu(self._submenu(entry.removesuffix(">"), menu))
                else:
                    menu.addAction(self._actions[entry])

    def _menu(self, title: str, parent: QMenuBar | QMenu) -> QMenu:
        menu = QMenu(_translated(title), parent)
        menu.setToolTipsVisible(True)
        self._menus.append((title, menu))
        return menu

    def _submenu(self, name: str, parent: QMenu) -> QMenu:
        menu = self._menu(SUBMENUS[name], parent)
        for action_id, action in self._actions.items():
            if action_id.startswith(f"{name}."):
                menu.addAction(action)
        self.submenus[name] = menu
        return menu


def _put_text(action: QAction, text: str) -> None:
    """Text for the menu, and for the tool bar without the mnemonic: Chinese writes one as ``(&F)``."""
    action.setText(text)
    action.setIconText(without_mnemonic(text).removesuffix("..."))


def _without_argument(slot: Callable[[], object]) -> Callable[[bool], None]:
    """Qt passes whether the action is checked; what it calls has no use for that."""

    def call(checked: bool = False) -> None:
        del checked
        slot()

    return call
