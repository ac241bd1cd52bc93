"""Pages that take turns under a line of buttons."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from optmem_gui.gui.fields import Segment
from optmem_gui.gui.widgets.painting import em


class Pages(QWidget):
    """Widgets of which one is shown, and a button for each of them."""

    def __init__(self, pages: Sequence[QWidget], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.stack = QStackedWidget()
        self.buttons = QButtonGroup(self)
        self.line = QHBoxLayout()
        self.line.setSpacing(0)
        for place, page in enumerate(pages):
            button = Segment()
            button.setAutoDefault(False)
            self.buttons.addButton(button, place)
            self.line.addWidget(button)
            self.stack.addWidget(page)
        self.line.addStretch(1)
        self.buttons.button(0).setChecked(True)
        self.buttons.idClicked.connect(self.stack.setCurrentIndex)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(round(em(self) / 3))
        column.addLayout(self.line)
        column.addWidget(self.stack, 1)

    def name(self, words: Sequence[str]) -> None:
        """Put words on the buttons."""
        for place, word in enumerate(words):
            self.buttons.button(place).setText(word)

    def show_page(self, place: int) -> None:
        """Bring a page to the front."""
        self.stack.setCurrentIndex(place)
        self.buttons.button(place).setChecked(True)


def one_page(*widgets: QWidget) -> QWidget:
    """Widgets above each other on one page."""
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    for widget in widgets:
        column.addWidget(widget)
    return page
