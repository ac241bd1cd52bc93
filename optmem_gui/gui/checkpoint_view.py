"""The page of a checkpoint in the window: made when it is first looked into; its files are watched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QStackedWidget, QWidget

from optmem_gui.gui.page_place import PagePlace
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.store import Store
from optmem_gui.gui.tasks.load import LoadedModel
from optmem_gui.gui.watching import FileWatch

if TYPE_CHECKING:  # made when a checkpoint is looked into: the window opens without them
    from optmem_gui.gui.inspecting import Inspector, InspectState
    from optmem_gui.gui.panels.checkpoint import CheckpointPage


class CheckpointView(QObject):
    """Shows the page in place of the results, and leaves when there is no checkpoint any more.

    Emits:
        shown: Whether the page is shown, as that changes.
        possible: Whether there is a checkpoint to look into, as that changes.
    """

    shown = Signal(bool)
    possible = Signal(bool)

    def __init__(
        self, stack: QStackedWidget, store: Store, window: QWidget, python: Callable[[], str] = lambda: ""
    ) -> None:
        super().__init__(window)
        self._place, self._store, self._window, self._python = PagePlace(stack), store, window, python
        self._held: LoadedModel | None = None
        self._inspector: Inspector | None = None
        self._possible = False
        self.page: CheckpointPage | None = None
        self._watch = FileWatch(self)
        self._watch.changed.connect(store.notice)
        store.changed.connect(self._follow)

    @property
    def is_shown(self) -> bool:
        """Whether the page is shown."""
        return self._place.is_shown

    def hold(self, loaded: LoadedModel) -> None:
        """Keep what was just read."""
        self._held = loaded
        if self._inspector is not None:
            self._inspector.hold(loaded)

    def toggle(self) -> None:
        """Show the page, or go back to the estimate."""
        if self.is_shown:
            self.leave()
        else:
            self.show()

    def show(self) -> None:
        """Look into the checkpoint behind the model."""
        if self._store.snapshot.inputs.checkpoint is None:
            return
        inspector = self._ready()
        self._place.show()
        self.shown.emit(True)
        inspector.activate(True)

    def leave(self) -> None:
        """Go back to the estimate."""
        if self.is_shown and self._inspector is not None:
            self._inspector.activate(False)
            self._place.leave()
        self.shown.emit(False)

    def close(self) -> None:
        """Stop and wait, because a thread must not outlive the window."""
        self._watch.watch(None, None)
        if self._inspector is not None:
            self._inspector.close()

    def _ready(self) -> Inspector:
        if self._inspector is None:
            from optmem_gui.gui.inspecting import Inspector  # noqa: PLC0415  # see above
            from optmem_gui.gui.panels.checkpoint import CheckpointPage  # noqa: PLC0415  # see above

            self._inspector = inspector = Inspector(self._store, self, self._python)
            if self._held is not None:
                inspector.hold(self._held)
            self.page = page = CheckpointPage()
            self._place.put(page)
            inspector.changed.connect(self._show)
            page.leave_wanted.connect(self.leave)
            page.stop_wanted.connect(inspector.stop)
            page.read_wanted.connect(inspector.read_again)
            page.choices.chosen.connect(inspector.choose)
            page.optimizer.taken.connect(inspector.take)
            page.adapter.base_wanted.connect(self._ask_base)
            page.adapter.setting_wanted.connect(inspector.take_adapter)
        return self._inspector

    def _ask_base(self, folder: bool) -> None:
        title = self.tr("Base model of the adapter")
        if folder:
            name = QFileDialog.getExistingDirectory(self._window, title)
        else:
            name, _ = QFileDialog.getOpenFileName(self._window, title)
        if name and self._inspector is not None:
            self._inspector.choose_base(Path(name))

    def _show(self, state: InspectState) -> None:
        if self.page is not None:
            self.page.show_state(state, self._store.snapshot)

    def _follow(self, snapshot: Snapshot) -> None:
        """The files of the present checkpoint are watched; without one there is nothing to show."""
        checkpoint = snapshot.inputs.checkpoint
        if checkpoint is None:
            self._watch.watch(None, None)
        else:
            self._watch.watch(checkpoint.path, checkpoint.stamp)
        if (checkpoint is not None) != self._possible:
            self._possible = checkpoint is not None
            self.possible.emit(self._possible)
            if not self._possible and self.is_shown:
                self.leave()
        if self.is_shown and self._inspector is not None:
            self._show(self._inspector.state)
