"""A page to read beside the window: text that follows the figures, to be copied and closed."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPushButton, QTextBrowser, QVBoxLayout, QWidget

from optmem_gui.core.reasons import Reason
from optmem_gui.core.units import format_bytes
from optmem_gui.gui.i18n import render_reason
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.theme import is_dark, shades


class ReadingDialog(QDialog):
    """What such pages share; what one shows is said in its ``render``, its words in ``retranslate``."""

    def __init__(self, name: str, parent: QWidget | None = None, above: Iterable[QWidget] = ()) -> None:
        """Lay the page out.

        Args:
            name: Its object's name.
            parent: The window.
            above: What stands above the text, and comes before it for the keyboard.
        """
        super().__init__(parent)
        self.setObjectName(name)
        self._snapshot: Snapshot | None = None
        column = QVBoxLayout(self)
        for widget in above:
            column.addWidget(widget)
        self.text = QTextBrowser(self)
        self.text.setObjectName(f"{name}Text")
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.copy = self.add_button()
        self.copy.clicked.connect(self._copy)
        self.buttons.rejected.connect(self.reject)
        column.addWidget(self.text, 1)
        column.addWidget(self.buttons)

    def add_button(self) -> QPushButton:
        """One more button below the text; the return key is not for it."""
        button = QPushButton(self)
        button.setAutoDefault(False)
        self.buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        return button

    def show_html(self, html: str) -> None:
        """Put other text in; where the reader is on it stays."""
        place = self.text.verticalScrollBar().value()
        self.text.setHtml(html)
        self.text.verticalScrollBar().setValue(place)

    def go_to_start(self) -> None:
        """Turn to the beginning: what comes is about something else."""
        self.text.verticalScrollBar().setValue(0)

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # what shows snapshots says it so
        """Show the same page with other figures; each page's own."""
        raise NotImplementedError

    def retranslate(self) -> None:
        """Put up the words of the current language; each page's own."""
        raise NotImplementedError

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the language and the theme, whose colours stand in the text."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() == QEvent.Type.PaletteChange and self._snapshot is not None:
            self.render(self._snapshot)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())


class Sayer:
    """Writes figures and sentences as the window does, safe inside HTML."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.unit = snapshot.unit
        self.tone = shades(is_dark())

    def reason(self, reason: Reason) -> str:
        """A sentence."""
        return escape(render_reason(reason, self.unit))

    def size(self, size_bytes: int) -> str:
        """A size in the unit that was chosen."""
        return escape(format_bytes(size_bytes, self.unit))

    def muted(self, html: str) -> str:
        """What is of less weight."""
        return f'<span style="color:{self.tone.muted}">{html}</span>'
