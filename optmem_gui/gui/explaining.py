"""*Why?* and the pages about memory: who asks, the two windows that answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog, QWidget

from optmem_gui.core.why.answer import Subject
from optmem_gui.gui.results import Results
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.store import Store

if TYPE_CHECKING:  # made when they are meant: the window starts without them
    from optmem_gui.gui.dialogs.pages import PagesDialog
    from optmem_gui.gui.dialogs.why import WhyDialog


class Explaining(QObject):
    """Opens the windows and keeps them in step with the figures."""

    def __init__(self, window: QWidget, store: Store, results: Results) -> None:
        super().__init__(window)
        self._window, self._store, self._results = window, store, results
        self.why: WhyDialog | None = None
        self.pages: PagesDialog | None = None
        for panel in (results.headline, results.breakdown, results.timeline):
            panel.why_wanted.connect(self.show_why)
        results.view_made.connect(self._connect_view)
        store.changed.connect(self._follow)

    def slots(self) -> dict[str, Callable[[], object]]:
        """What the actions do."""
        return {"why": self.show_selected, "pages": lambda: self.show_page("")}

    def show_selected(self) -> None:
        """Explain what the keyboard is on: a row, a phase, or the peak."""
        panels = (self._results.timeline, self._results.panel("ranks"))
        for panel in panels:
            if panel is not None and panel.isAncestorOf(self._window.focusWidget()):
                panel.ask_why()  # type: ignore[attr-defined]  # both panels can
                return
        self._results.breakdown.ask_why()

    def show_why(self, subject: object) -> None:
        """Explain a number; there is one window, which turns to what is asked for."""
        if not isinstance(subject, Subject):
            raise TypeError(f"{subject!r} cannot be explained")
        if self.why is None:
            from optmem_gui.gui.dialogs.why import WhyDialog  # noqa: PLC0415  # as said above

            self.why = WhyDialog(self._window)
            self.why.page_wanted.connect(self.show_page)
        self.why.show_subject(subject, self._store.snapshot)
        _bring(self.why)

    def show_page(self, page: object) -> None:
        """Open the pages, at one of them or where the reader was."""
        if self.pages is None:
            from optmem_gui.gui.dialogs.pages import PagesDialog  # noqa: PLC0415  # as said above

            self.pages = PagesDialog(self._window)
        if page:
            self.pages.show_page(str(page))
        _bring(self.pages)

    def _connect_view(self, name: str) -> None:
        if name == "ranks":
            self._results.panel(name).why_wanted.connect(self.show_why)  # type: ignore[union-attr]  # just made

    def _follow(self, snapshot: Snapshot) -> None:
        if self.why is not None and self.why.isVisible():
            self.why.render(snapshot)


def _bring(dialog: QDialog) -> None:
    dialog.show()
    dialog.raise_()
    dialog.activateWindow()
