"""Opening files: one at a time, the latest wins, the window stays alive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from optmem_gui.core.errors import UserError
from optmem_gui.core.reasons import Reason
from optmem_gui.gui.snapshot import LoadState
from optmem_gui.gui.store import Store
from optmem_gui.gui.tasks.load import FoundResult, FoundSnapshot, LoadedModel, LoadedScenario, LoadThread

if TYPE_CHECKING:  # named in signatures only; the readers wait for a file
    from optmem_gui.checkpoints.contents import Progress

_WAIT_MS = 5_000
"""How long a cancelled reader may take to end; it looks for the wish between two files."""


class Loader(QObject):
    """Reads what the user opens and hands it to the store.

    ``opened`` carries the path that was read, for the list of recent files, ``snapshot_found`` the path of a
    recorded memory snapshot and ``result_found`` that of a kept measurement, which are no models and are read
    elsewhere, ``read`` a
    :class:`LoadedModel` before the store has it. ``python`` tells which Python builds models that only their
    own library knows.
    """

    opened = Signal(object)
    read = Signal(object)
    snapshot_found = Signal(object)
    result_found = Signal(object)

    def __init__(
        self, store: Store, parent: QObject | None = None, python: Callable[[], str] = lambda: ""
    ) -> None:
        super().__init__(parent)
        self._store, self._python = store, python
        self._current: LoadThread | None = None
        self._ending: set[LoadThread] = set()

    @property
    def is_busy(self) -> bool:
        """Whether a file is being read."""
        return self._current is not None

    def open(self, path: Path) -> None:
        """Read a file or folder; an earlier reading that is not through is cancelled."""
        self.cancel()
        thread = LoadThread(path, self, self._python())
        thread.progressed.connect(self._progress)
        thread.finished.connect(self._finished)
        self._current = thread
        self._store.set_load(LoadState(path))
        thread.start()

    def cancel(self) -> None:
        """Stop reading; what stands in the fields stays."""
        thread, self._current = self._current, None
        if thread is not None:
            thread.requestInterruption()
            self._ending.add(thread)
            self._store.set_load(None)

    @property
    def is_stuck(self) -> bool:
        """Whether a reader did not end although it was asked to."""
        return any(thread.isRunning() for thread in self._ending)

    def close(self) -> None:
        """Stop and wait, because a thread must not outlive the window."""
        self.cancel()
        for thread in tuple(self._ending):
            if thread.wait(_WAIT_MS):
                self._ending.discard(thread)

    def _progress(self, progress: Progress) -> None:
        if self._current is not None and self.sender() is self._current:
            state = LoadState(self._current.path, progress.done_count, progress.total_count)
            self._store.set_load(state)

    def _finished(self) -> None:
        thread = self.sender()
        if not isinstance(thread, LoadThread):
            return
        thread.deleteLater()
        if thread is not self._current:
            self._ending.discard(thread)
            return
        self._current = None
        self._store.set_load(None)
        self._take(thread)

    def _take(self, thread: LoadThread) -> None:
        match thread.outcome:
            case LoadedModel(model, checkpoint) as loaded:
                self.read.emit(loaded)
                self._store.load_model(model, checkpoint)
                self.opened.emit(thread.path)
            case LoadedScenario(scenario, notice):
                try:
                    self._store.load_scenario(scenario, thread.path)
                except UserError as error:
                    self._store.notice(error.reason)
                    return
                self.opened.emit(thread.path)
                if notice is not None:
                    self._store.notice(notice)
            case FoundSnapshot():
                self.snapshot_found.emit(thread.path)
            case FoundResult():
                self.result_found.emit(thread.path)
            case Reason() as reason:
                self._store.notice(reason)
            case Exception() as defect:
                raise defect
