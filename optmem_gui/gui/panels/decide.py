"""What to choose: every optimizer, every GPU, ways to fit, and a scenario pinned beside; views take turns."""

from __future__ import annotations

from typing import Protocol, cast

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from optmem_gui.gui.fields import Segment
from optmem_gui.gui.panels.comparison import ComparisonPanel
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.widgets.painting import em

PAGES = ("comparison", "fits_on", "ways", "pinned")
"""Views in their order; those after the first are made when they are first looked at."""


class _Panel(Protocol):
    def render(self, snapshot: Snapshot) -> None: ...


class DecidePanel(QWidget):
    """A line of buttons, and the view that one of them stands for.

    Emits:
        edited: A field and its value that the user wants.
        way_wanted: The :class:`~optmem_gui.core.ways.Way` that the user wants.
        pin_wanted: The present scenario is to be pinned.
        open_wanted: A file is to be pinned.
        unpin_wanted: Nothing is to be pinned.
        page_made: A view was made.
    """

    edited = Signal(str, object)
    way_wanted = Signal(object)
    pin_wanted = Signal()
    open_wanted = Signal()
    unpin_wanted = Signal()
    page_made = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("decide")
        self._snapshot: Snapshot | None = None
        self.comparison = ComparisonPanel()
        self.pages: dict[str, QWidget] = {"comparison": self.comparison}
        self.stack = QStackedWidget()
        self.stack.addWidget(self.comparison)
        self.buttons = QButtonGroup(self)
        line = QHBoxLayout()
        line.setSpacing(0)
        for place, name in enumerate(PAGES):
            button = Segment()
            button.setObjectName(f"decide.{name}")
            button.setAutoDefault(False)
            button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
            self.buttons.addButton(button, place)
            line.addWidget(button)
        line.addStretch(1)
        self.buttons.button(0).setChecked(True)
        self.buttons.idClicked.connect(lambda place: self.show_page(PAGES[place]))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(round(em(self) / 2))
        column.addLayout(line)
        column.addWidget(self.stack, 1)
        self._retranslate()

    def show_page(self, name: str) -> None:
        """Bring a view to the front."""
        page = self.pages.get(name) or self._make(name)
        if self._snapshot is not None:
            cast("_Panel", page).render(self._snapshot)
        self.stack.setCurrentWidget(page)
        self.buttons.button(PAGES.index(name)).setChecked(True)

    def _make(self, name: str) -> QWidget:
        # made when they are meant: the window starts without them
        if name == "fits_on":
            from optmem_gui.gui.panels.fits_on import FitsOnPanel  # noqa: PLC0415  # as said above

            fits = FitsOnPanel()
            fits.edited.connect(self.edited)
            page: QWidget = fits
        elif name == "ways":
            from optmem_gui.gui.panels.ways import WaysPanel  # noqa: PLC0415  # as said above

            ways = WaysPanel()
            ways.wanted.connect(self.way_wanted)
            page = ways
        else:
            from optmem_gui.gui.panels.pinned import PinnedPanel  # noqa: PLC0415  # as said above

            pinned = PinnedPanel()
            pinned.pin_wanted.connect(self.pin_wanted)
            pinned.open_wanted.connect(self.open_wanted)
            pinned.unpin_wanted.connect(self.unpin_wanted)
            page = pinned
        self.pages[name] = page
        self.stack.addWidget(page)
        self.page_made.emit(name)
        return page

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # panels render snapshots
        """Show a snapshot in the view that is seen; the others follow when they are."""
        self._snapshot = snapshot
        cast("_Panel", self.stack.currentWidget()).render(snapshot)

    def render_decisions(self, snapshot: Snapshot) -> None:
        """Show what was decided, where it is seen."""
        self._snapshot = snapshot
        if self.stack.currentWidget() is not self.comparison:
            self.render(snapshot)

    def _retranslate(self) -> None:
        words = (self.tr("Optimizers"), self.tr("GPUs"), self.tr("Ways"), self.tr("Pinned"))
        tips = (
            self.tr("Every optimizer on this model"),
            self.tr("Every GPU, and how many are needed"),
            self.tr("Single changes that lower the peak"),
            self.tr("Another scenario beside this one"),
        )
        for place, (word, tip) in enumerate(zip(words, tips, strict=True)):
            button = self.buttons.button(place)
            button.setText(word)
            button.setToolTip(tip)
            # as narrow as its words, bold when it is pressed: the style would keep every button wide
            button.setMinimumWidth(round(1.15 * button.fontMetrics().horizontalAdvance(word) + em(self)))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow a change of language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
