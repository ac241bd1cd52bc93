"""A question to one Python, or the search for one, off the UI thread."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QObject, QThread

from optmem_gui.core.errors import UserError
from optmem_gui.core.reasons import Reason
from optmem_gui.engine.pythons import PythonInfo, candidates, examine, find_python


class PythonThread(QThread):
    """Asks one Python what it is, and looks for another where it cannot be used and one is wanted.

    Attributes:
        python: Which one is asked; empty where none is known yet.
        outcome: What it is, or why there is none, once the thread has finished; an exception is a defect.
    """

    def __init__(self, python: str, parent: QObject | None = None, *, search: bool = False) -> None:
        super().__init__(parent)
        self.setObjectName("python")
        self.python, self._search = python, search
        self.outcome: PythonInfo | Reason | Exception | None = None

    def run(self) -> None:
        """Ask, in the thread."""
        try:
            self.outcome = self._answer()
        except UserError as error:
            self.outcome = error.reason
        except Exception as error:  # noqa: BLE001  # raised again on the UI thread, where the report is shown
            self.outcome = error

    def _answer(self) -> PythonInfo:
        if self.python:
            try:
                return examine(self.python, cancelled=self.isInterruptionRequested)
            except UserError:
                if not self._search:
                    raise
        return find_python(candidates(os.environ, Path.home()), cancelled=self.isInterruptionRequested)

    def end(self) -> None:
        """Stop asking, and wait until the child process is gone."""
        self.requestInterruption()
        self.wait()
