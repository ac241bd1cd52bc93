"""Memory snapshots in the window: their page, made when the first one is opened, and what closes it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget

from optmem_gui.gui.page_place import PagePlace
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.store import Store

if TYPE_CHECKING:  # made when a snapshot is opened: the window opens without them
    from optmem_gui.gui.panels.snapshot import SnapshotPage
    from optmem_gui.gui.replaying import Replayer, ReplayState


class MemorySnapshots(QObject):
    """Shows the page of a snapshot in place of everything else while one is open.

    Emits:
        opened: Path of a snapshot that was read.
        shown: Whether the page of a snapshot is shown, as that changes.
    """

    opened = Signal(object)
    shown = Signal(bool)

    def __init__(self, stack: QStackedWidget, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._place, self._store = PagePlace(stack), store
        self._replayer: Replayer | None = None
        self.page: SnapshotPage | None = None
        store.changed.connect(self._follow)

    @property
    def is_shown(self) -> bool:
        """Whether the page of a snapshot is shown."""
        return self._place.is_shown

    def open(self, path: Path) -> None:
        """Read a snapshot and show it."""
        self._ready().open(path)

    def leave(self, *_opened: object) -> None:
        """Close the snapshot and go back to the estimate."""
        if self._replayer is not None:
            self._replayer.leave()

    def close(self) -> None:
        """Stop and wait, because a thread must not outlive the window."""
        if self._replayer is not None:
            self._replayer.close()

    def _ready(self) -> Replayer:
        if self._replayer is None:
            from optmem_gui.gui.panels.snapshot import SnapshotPage  # noqa: PLC0415  # see above
            from optmem_gui.gui.replaying import Replayer  # noqa: PLC0415  # see above

            self._replayer = replayer = Replayer(self)
            self.page = page = SnapshotPage()
            self._place.put(page)
            page.device_wanted.connect(replayer.choose)
            page.leave_wanted.connect(replayer.leave)
            page.stop_wanted.connect(replayer.stop)
            page.peak_wanted.connect(replayer.look_at_peak)
            page.what_if.wanted.connect(replayer.try_settings)
            replayer.changed.connect(self._show)
            replayer.refused.connect(self._store.notice)
            replayer.opened.connect(self.opened)
        return self._replayer

    def _show(self, state: ReplayState) -> None:
        if self.page is None:
            return
        before = self.is_shown
        self.page.show_state(state, self._store.snapshot.unit)
        there = state.path is not None
        if there:
            self._place.show()
        else:
            self._place.leave()
        if before != there:
            self.shown.emit(there)

    def _follow(self, snapshot: Snapshot) -> None:
        """Sizes are shown in the unit that was chosen."""
        if self.page is not None and self._replayer is not None and self.is_shown:
            self.page.show_state(self._replayer.state, snapshot.unit)
