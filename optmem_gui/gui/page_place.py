"""The place of a page that is shown instead of the estimate."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QWidget


class PagePlace:
    """Where one page stands in the stack of pages, the first of which is the estimate.

    Args:
        stack: The pages.
    """

    def __init__(self, stack: QStackedWidget) -> None:
        self._stack = stack
        self._view: QScrollArea | None = None

    @property
    def is_shown(self) -> bool:
        """Whether the page is seen; it is not before it was put there."""
        return self._view is not None and self._stack.currentWidget() is self._view

    def put(self, page: QWidget) -> None:
        """Put the page there, unseen."""
        self._view = _scrolling(page)
        self._stack.addWidget(self._view)

    def show(self) -> None:
        """Let the page be seen."""
        if self._view is not None:
            self._stack.setCurrentWidget(self._view)

    def leave(self) -> None:
        """Go back to the estimate."""
        if self.is_shown:
            self._stack.setCurrentIndex(0)


def _scrolling(page: QWidget) -> QScrollArea:
    """The page in a view of its own: a small window scrolls, and is not made larger by what it shows."""
    view = QScrollArea()
    view.setWidgetResizable(True)
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    view.setWidget(page)
    view.viewport().setAutoFillBackground(False)
    page.setAutoFillBackground(False)
    return view
