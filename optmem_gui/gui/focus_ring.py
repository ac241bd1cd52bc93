"""A ring around what has the keyboard and draws no sign of it itself."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFocusFrame, QFrame, QScrollArea, QWidget

from optmem_gui.gui.theme import is_dark, shades

_WIDTH = 2.0


class FocusRing(QFocusFrame):
    """Follows the focus through tables and texts that lie on a card without a frame of their own."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("focusRing")
        self.hide()
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._follow)

    def _follow(self, _before: QWidget | None, focused: QWidget | None) -> None:
        frameless = (
            isinstance(focused, QAbstractScrollArea)
            and not isinstance(focused, QScrollArea)
            and focused.frameShape() == QFrame.Shape.NoFrame
        )
        # PySide6 describes the argument as a widget; None takes the ring away (QFocusFrame::setWidget).
        self.setWidget(focused if frameless else None)  # type: ignore[arg-type]

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Draw the ring in the colour of the focus, whatever the style would draw."""
        painter = QPainter(self)
        painter.setPen(QPen(QColor(shades(is_dark(self)).accent), _WIDTH))
        half = _WIDTH / 2
        painter.drawRect(QRectF(self.rect()).adjusted(half, half, -half, -half))
        painter.end()
