"""The search for a Python that simulates and measures, where the program has no torch of its own."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject

from optmem_gui.engine.pythons import PythonInfo
from optmem_gui.gui import settings as keys
from optmem_gui.gui.pythons import needs_python
from optmem_gui.gui.settings import Settings
from optmem_gui.gui.tasks.python import PythonThread

_log = logging.getLogger(__name__)


class PythonSearch(QObject):
    """Finds a Python for a bundle whose user chose none, and remembers it."""

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._thread: PythonThread | None = None

    def start(self) -> None:
        """Look whether the one found last is still good, else for another."""
        if not needs_python() or self._settings.get(keys.WORKER_PYTHON) or self._thread is not None:
            return
        self._thread = PythonThread(self._settings.get(keys.FOUND_PYTHON), self, search=True)
        self._thread.finished.connect(self._found)
        self._thread.start()

    def close(self) -> None:
        """Stop looking and wait until no process is left."""
        if self._thread is not None:
            self._thread.finished.disconnect(self._found)
            self._thread.end()
            self._thread = None

    def _found(self) -> None:
        thread, self._thread = self._thread, None
        if thread is None:
            return
        thread.deleteLater()
        if isinstance(thread.outcome, Exception):
            raise thread.outcome
        found = thread.outcome.path if isinstance(thread.outcome, PythonInfo) else ""
        _log.info("Python for simulations and measurements: %s", thread.outcome)
        if found != self._settings.get(keys.FOUND_PYTHON):
            self._settings.set(keys.FOUND_PYTHON, found)
