"""A ring around what has the keyboard and draws no sign of it itself."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QScrollArea, QWidget

from optmem_gui.gui.theme import is_dark, shades

_WIDTH = 2.0


class _Ring(QWidget):
    """Lies over its parent, as large as it is."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setGeometry(parent.rect())
        parent.installEventFilter(self)
        self.raise_()
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        """Keep the parent's size."""
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self.setGeometry(watched.rect())
        return False

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """Draw the ring in the colour of the focus."""
        painter = QPainter(self)
        painter.setPen(QPen(QColor(shades(is_dark(self)).accent), _WIDTH))
        half = _WIDTH / 2
        painter.drawRect(QRectF(self.rect()).adjusted(half, half, -half, -half))
        painter.end()


class FocusRing(QObject):
    """Follows the focus through tables and texts that lie on a card without a frame of their own."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._ring: _Ring | None = None
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._follow)

    def _follow(self, _before: QWidget | None, focused: QWidget | None) -> None:
        if self._ring is not None and shiboken6.isValid(self._ring):  # it goes with what it lies on
            self._ring.deleteLater()
            self._ring.hide()
        self._ring = None
        if (
            isinstance(focused, QAbstractScrollArea)
            and not isinstance(focused, QScrollArea)
            and focused.frameShape() == QFrame.Shape.NoFrame
        ):
            self._ring = _Ring(focused)
