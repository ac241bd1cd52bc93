"""Lines above the results, for what concerns no single field: no dialog, nothing that has to be answered."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAction,
    QColor,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QWidget

from optmem_gui.core.reasons import Reason
from optmem_gui.gui.i18n import render_reason, without_mnemonic
from optmem_gui.gui.theme import is_dark, shades


class Banner(QFrame):
    """A sentence with buttons that may follow from it, and one that takes it away.

    Attributes:
        text: The sentence.
        close_button: Takes it away.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = QLabel(self)
        self.text.setWordWrap(True)
        self.text.setTextFormat(Qt.TextFormat.PlainText)  # names from files can look like markup
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        policy = self.text.sizePolicy()  # keeps that wrapped text is the lower the wider it is
        policy.setHorizontalPolicy(QSizePolicy.Policy.Expanding)
        self.text.setSizePolicy(policy)
        self.close_button = QToolButton(self)
        self.close_button.setText("✕")
        self.close_button.setAutoRaise(True)
        self.close_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        em = self.fontMetrics().height()
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(em * 3 // 4, em // 3, em // 3, em // 3)
        self._line.addWidget(self.text, 1)
        self._line.addWidget(self.close_button)

    def add_button(self, button: QPushButton) -> None:
        """Put a button before the one that closes."""
        self._line.insertWidget(self._line.count() - 1, button)

    def say(self, text: str) -> None:
        """Put the sentence in."""
        self.text.setText(text)
        self.text.setAccessibleName(text)

    def edge(self) -> QColor:
        """Colour of the line around it."""
        return QColor(shades(is_dark(self)).accent)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Draw a surface with an edge that says of what kind it is."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.edge(), 1.0))
        painter.setBrush(QColor(shades(is_dark(self)).card))
        radius = self.fontMetrics().height() / 2
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.end()


class NoticeBar(Banner):
    """Shows one reason until it is closed or the next one comes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self._reason: Reason | None = None
        self._offered: QAction | None = None
        self.offer = QPushButton(self)
        self.offer.clicked.connect(self._take_offer)
        self.add_button(self.offer)
        self.close_button.clicked.connect(self.clear)
        self.retranslate()
        self.hide()

    def show_reason(self, reason: Reason, offered: QAction | None = None) -> None:
        """Say it, to assistive technology as well.

        Args:
            reason: What is said.
            offered: What the user may want to do about it.
        """
        self._reason, self._offered = reason, offered
        self._write()
        self.show()
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self.text.text()))

    def clear(self) -> None:
        """Say nothing any more."""
        self._reason = self._offered = None
        self.hide()

    def edge(self) -> QColor:
        """The colour of caution."""
        return QColor(shades(is_dark(self)).caution)

    def _write(self) -> None:
        if self._reason is not None:
            self.say(f"⚠ {render_reason(self._reason)}")
        self.offer.setVisible(self._offered is not None)
        if self._offered is not None:
            self.offer.setText(without_mnemonic(self._offered.text()))

    def _take_offer(self) -> None:
        offered = self._offered
        self.clear()
        if offered is not None:
            offered.trigger()

    def retranslate(self) -> None:
        """Put the words of the current language in."""
        self.close_button.setToolTip(self.tr("Close this notice"))
        self.close_button.setAccessibleName(self.tr("Close this notice"))
        self._write()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
