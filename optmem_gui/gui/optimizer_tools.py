"""What belongs to optimizers beside the figures: their pages, those used last, the user's own entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QDialog, QWidget

from optmem_gui.core.errors import UserError
from optmem_gui.gui import settings as keys
from optmem_gui.gui.panels.comparison import ComparisonPanel
from optmem_gui.gui.panels.optimizer import OptimizerPanel
from optmem_gui.gui.pythons import worker_python
from optmem_gui.gui.settings import Settings
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.store import Store
from optmem_gui.paths import OPTIMIZERS_FILE

if TYPE_CHECKING:  # imported where they are needed: the window opens without them
    from optmem_gui.core.optimizers.probed_rules import UserOptimizer
    from optmem_gui.gui.dialogs.optimizer_page import OptimizerPageDialog

RECENT_COUNT = 6
"""Optimizers that stand at the head of the list."""


class OptimizerTools(QObject):
    """Opens what is asked for from the optimizer's card, the comparison and the menu."""

    def __init__(
        self,
        window: QWidget,
        store: Store,
        settings: Settings,
        panel: OptimizerPanel,
        comparison: ComparisonPanel,
    ) -> None:
        super().__init__(window)
        self._window, self._store, self._settings = window, store, settings
        self._panel, self._comparison = panel, comparison
        self.page: OptimizerPageDialog | None = None
        self._probing: QDialog | None = None
        self._last = store.snapshot.scenario.optimizer
        # The list must not be filled anew while it is telling what was chosen in it.
        self._listing = QTimer(self)
        self._listing.setSingleShot(True)
        self._listing.setInterval(0)
        self._listing.timeout.connect(self._list_recent)
        panel.about_wanted.connect(self.show_about)
        comparison.about_wanted.connect(self.show_page)
        store.changed.connect(self._follow)
        self._own = settings.path.parent / OPTIMIZERS_FILE
        self._adopt()
        if settings.get(keys.RECENT_OPTIMIZERS):
            self._list_recent()

    def _adopt(self) -> None:
        """Bring the user's own entries in; what is wrong with their file is said once the window is up."""
        if not self._own.exists():
            return
        from optmem_gui.report.user_optimizers import adopt_user_optimizers  # noqa: PLC0415  # see above

        notice = adopt_user_optimizers(self._own)
        self._list_entries()
        if notice is not None:
            QTimer.singleShot(0, self, lambda: self._store.notice(notice))

    def _list_entries(self) -> None:
        """The catalogue has other entries: show them everywhere."""
        self._panel.list_entries()
        self._comparison.filters.refill()
        self._store.compare_again()

    def show_about(self) -> None:
        """Open the page of the row that the keyboard is on, else of the chosen optimizer."""
        self.show_page(self._comparison.current or self._store.snapshot.scenario.optimizer)

    def show_page(self, optimizer: object) -> None:
        """Open the page of an optimizer; there is one page, which turns to what is asked for."""
        if self.page is None:
            from optmem_gui.gui.dialogs.optimizer_page import OptimizerPageDialog  # noqa: PLC0415  # see above

            self.page = OptimizerPageDialog(self._window)
            self.page.chosen.connect(self._choose)
        self.page.show_page(str(optimizer), self._store.snapshot)
        self.page.show()
        self.page.raise_()
        self.page.activateWindow()

    def show_probe(self) -> None:
        """Let the user add an optimizer of their own."""
        from optmem_gui.gui.dialogs.probe import ProbeDialog  # noqa: PLC0415  # the start does without it

        dialog = ProbeDialog(worker_python(self._settings), self._window)
        dialog.added.connect(self.add)
        self._probing = dialog
        dialog.exec()
        self._probing = None
        dialog.deleteLater()

    def add(self, entry: UserOptimizer) -> None:
        """Take an entry into the catalogue and choose it."""
        from optmem_gui.report.user_optimizers import add_user_optimizer  # noqa: PLC0415  # see above

        try:
            entry = add_user_optimizer(self._own, entry)
        except UserError as error:
            self._store.notice(error.reason)
        self._list_entries()
        self._store.edit("optimizer", entry.id)

    def close(self) -> None:
        """Stop a probe that runs, as closing the window does."""
        if self._probing is not None:
            self._probing.reject()

    def _choose(self, optimizer: object) -> None:
        self._store.edit("optimizer", optimizer)

    def _follow(self, snapshot: Snapshot) -> None:
        chosen = snapshot.scenario.optimizer
        if chosen != self._last:
            self._last = chosen
            others = [name for name in self._settings.get(keys.RECENT_OPTIMIZERS) if name != chosen]
            self._settings.set(keys.RECENT_OPTIMIZERS, [chosen, *others][:RECENT_COUNT])
            self._listing.start()
        if self.page is not None and self.page.isVisible():
            self.page.render(snapshot)

    def _list_recent(self) -> None:
        used = self._settings.get(keys.RECENT_OPTIMIZERS)
        self._panel.show_recent(used)
