"""Which parameters are trained, chosen by their names: what is typed is followed a moment later.

The figures stay, marked, until the model is grouped anew; then one undo step replaces it. Another model
takes the choice away, because its names are others.
"""

from __future__ import annotations

from PySide6.QtCore import QObject

from optmem_gui.core.model import ModelRef
from optmem_gui.core.reasons import Reason
from optmem_gui.gui.latest import Latest
from optmem_gui.gui.snapshot import FreezeState, Snapshot
from optmem_gui.gui.store import Store
from optmem_gui.gui.tasks.freeze import FreezeThread

AFTER_KEY_MS = 350
"""Pause after the last key before the names are looked through."""


class Freezer(QObject):
    """Follows the field; the latest pattern wins."""

    def __init__(self, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._model: ModelRef | None = None
        self.latest = Latest(self._thread, AFTER_KEY_MS, self)
        self.latest.ended.connect(self._ended)
        store.changed.connect(self._follow)

    def want(self, pattern: str) -> None:
        """Train what this pattern finds; an empty one takes the model as it comes."""
        self.latest.give_up()
        model = self._store.snapshot.inputs.scenario.model
        if pattern == model.trained:
            self._store.set_freezing(None)
            return
        self._model = model
        self._store.set_freezing(FreezeState(pattern))
        self.latest.want()

    def close(self) -> None:
        """Stop and wait, because a thread must not outlive the window."""
        self.latest.close()

    def _follow(self, snapshot: Snapshot) -> None:
        """Another model came: the choice was for the one before it."""
        if snapshot.freezing is not None and snapshot.inputs.scenario.model is not self._model:
            self.latest.give_up()
            self._store.set_freezing(None)

    def _thread(self) -> FreezeThread | None:
        freezing = self._store.snapshot.freezing
        if freezing is None or self._model is None:
            return None
        checkpoint = self._store.snapshot.inputs.checkpoint
        return FreezeThread(self._model, freezing.pattern.strip(), self, checkpoint)

    def _ended(self, thread: FreezeThread) -> None:
        match thread.outcome:
            case ModelRef() as model:
                self._store.set_freezing(None)
                self._store.load_model(model, thread.checkpoint)
            case Reason() as reason:
                self._store.set_freezing(FreezeState(thread.pattern, reason))
            case Exception() as defect:
                self._store.set_freezing(None)
                raise defect
