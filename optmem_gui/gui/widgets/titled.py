"""The frame that the result panels share: a title, a note beside it, a body."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from optmem_gui.gui.widgets.labels import ValueLabel
from optmem_gui.gui.widgets.painting import em


class TitledPanel(QWidget):
    """A panel with a head.

    Attributes:
        title: The heading.
        note: A word about the figures, on the right; the first to give way when it gets narrow.
        head: Layout of both, for buttons behind them.
        body: Layout for what the panel shows.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = ValueLabel(bold=True)
        self.note = ValueLabel(tone="muted", factor=0.92)
        self.note.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._note = ""
        self.note.installEventFilter(self)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        line = round(em(self))
        self.head = QHBoxLayout()
        self.head.setSpacing(line // 2)
        self.head.addWidget(self.title)
        self.head.addWidget(self.note, 1)
        self.body = QVBoxLayout()
        self.body.setSpacing(line // 3)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(line // 3)
        layout.addLayout(self.head)
        layout.addLayout(self.body, 1)

    def write_note(self, text: str) -> None:
        """Put up another note; where it does not fit, it is elided and its tooltip has all of it."""
        if text != self._note:
            self._note = text
            self.note.setToolTip(text)
            self.note.setAccessibleName(text)
            self._elide_note()

    def _elide_note(self) -> None:
        shown = self.note.fontMetrics().elidedText(self._note, Qt.TextElideMode.ElideRight, self.note.width())
        if self.note.text() != shown:
            self.note.setText(shown)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        """Elide the note anew when it gets more or less room."""
        if watched is self.note and event.type() == QEvent.Type.Resize:
            self._elide_note()
        return super().eventFilter(watched, event)

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        raise NotImplementedError

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow a change of language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
