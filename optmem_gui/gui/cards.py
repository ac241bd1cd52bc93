"""The card: a calm surface with a title, on which everything else lies."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from optmem_gui.gui.theme import is_dark, scaled_font, shades, tint

_RADIUS_EMS = 0.5


class MutedLabel(QLabel):
    """Secondary text that wraps and can be selected."""

    def __init__(self, parent: QWidget | None = None, *, scale: float = 0.92) -> None:
        super().__init__(parent)
        self._scale = scale
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)  # names from files can look like markup
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setFont(scaled_font(self.font(), scale))
        self._tint()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._tint()

    def _tint(self) -> None:
        tint(self, QPalette.ColorRole.WindowText, shades(is_dark()).muted)


class IssueLabel(QLabel):
    """Why an input cannot be used; hidden while there is nothing to say."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)  # names from files can look like markup
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setFont(scaled_font(self.font(), 0.92))
        self._tint()
        self.hide()

    def show_issue(self, text: str) -> None:
        """Say what is wrong, with a mark that is no colour; nothing for an empty text."""
        self.setText(f"⚠ {text}" if text else "")
        self.setVisible(bool(text))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow the theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._tint()

    def _tint(self) -> None:
        tint(self, QPalette.ColorRole.WindowText, shades(is_dark()).bad)


class Surface(QFrame):
    """A rounded ground for a group of widgets.

    Attributes:
        body: Layout for what it holds.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        em = self.fontMetrics().height()
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(em * 3 // 4, em * 5 // 8, em * 3 // 4, em * 5 // 8)
        self.column.setSpacing(em // 2)
        self.body = QVBoxLayout()
        self.body.setSpacing(em // 3)
        self.column.addLayout(self.body, 1)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Draw the ground; a style sheet would take the focus frames of the inputs away."""
        tone = shades(is_dark(self))
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        radius = self.fontMetrics().height() * _RADIUS_EMS
        painter.setPen(QPen(QColor(tone.border), 1.0))
        painter.setBrush(QColor(tone.card))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.end()


class Card(Surface):
    """A surface with a title on the left and a note on the right of its head.

    Attributes:
        title: The heading.
        note: A word beside it, such as the unit of the figures.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = QLabel(self)
        self.title.setFont(scaled_font(self.font(), 1.0, bold=True))
        self.note = MutedLabel(self)
        self.note.setWordWrap(False)
        self.note.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        head = QHBoxLayout()
        head.addWidget(self.title)
        head.addWidget(self.note, 1)
        self.column.insertLayout(0, head)
