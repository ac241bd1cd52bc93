"""The notice bar: one line above the results, for what concerns no single field."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from optmem_gui.core.reasons import Reason
from optmem_gui.gui.i18n import render_reason
from optmem_gui.gui.theme import is_dark, shades


class NoticeBar(QFrame):
    """Shows one reason until it is closed or the next one comes; no dialog, nothing to answer."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self._reason: Reason | None = None
        self.text = QLabel(self)
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.PlainText)  # names from files can look like markup
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.close_button = QToolButton(self)
        self.close_button.setText("✕")
        self.close_button.setAutoRaise(True)
        self.close_button.clicked.connect(self.clear)
        em = self.fontMetrics().height()
        line = QHBoxLayout(self)
        line.setContentsMargins(em * 3 // 4, em // 3, em // 3, em // 3)
        line.addWidget(self.text, 1)
        line.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)
        self.retranslate()
        self.hide()

    def show_reason(self, reason: Reason) -> None:
        """Say it."""
        self._reason = reason
        self.text.setText(f"⚠ {render_reason(reason)}")
        self.text.setAccessibleName(self.text.text())
        self.show()

    def clear(self) -> None:
        """Say nothing any more."""
        self._reason = None
        self.hide()

    def retranslate(self) -> None:
        """Put the words of the current language in."""
        self.close_button.setToolTip(self.tr("Close this notice"))
        self.close_button.setAccessibleName(self.tr("Close this notice"))
        if self._reason is not None:
            self.show_reason(self._reason)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Draw a surface with an edge in the colour of caution."""
        tone = shades(is_dark(self))
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tone.caution), 1.0))
        painter.setBrush(QColor(tone.card))
        radius = self.fontMetrics().height() / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.end()
