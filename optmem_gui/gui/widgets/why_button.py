"""The button that asks *Why?*, the same beside every number that can be explained."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QToolButton, QWidget

from optmem_gui.gui.theme import scaled_font


class WhyButton(QToolButton):
    """A flat button with a word, small enough for the head of a panel."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("whyButton")
        self.setAutoRaise(True)
        self.setFont(scaled_font(self.font(), 0.92))
        self._retranslate()

    def name(self, question: str) -> None:
        """Say what it asks here: in its tool tip, and to screen readers."""
        self.setToolTip(question)
        self.setAccessibleName(question)

    def _retranslate(self) -> None:
        self.setText(self.tr("Why?"))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow a change of language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
