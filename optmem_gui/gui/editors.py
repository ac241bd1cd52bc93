"""The editors inside the fields: Qt's own, with the manners of this window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QSizePolicy, QWidget


class PlainLineEdit(QLineEdit):
    """A line without an undo of its own: Ctrl+Z takes the last edit back, whichever field it was in."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAcceptDrops(False)  # a file dropped here is for the window, not text for the field

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window's actions."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            key = QKeySequence.StandardKey
            if event.matches(key.Undo) or event.matches(key.Redo):
                event.ignore()
                return False
        return super().event(event)


class QuietComboBox(QComboBox):
    """A list that the mouse wheel does not change while the column around it is scrolled."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)

    def showPopup(self) -> None:  # noqa: N802  # Qt's name
        """Open the list wide enough for its longest entry; only now, because making it takes 15 ms."""
        longest = max((self.itemText(row) for row in range(self.count())), key=len, default="")
        self.view().setMinimumWidth(self.fontMetrics().horizontalAdvance(longest + "MMM"))
        super().showPopup()

    def wheelEvent(self, event: QWheelEvent) -> None:  # noqa: N802  # Qt's name
        """Leave the wheel to the scroll area unless the list has the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
