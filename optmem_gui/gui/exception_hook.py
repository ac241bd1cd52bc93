"""What was not caught: logged, and shown in one report, which is loaded when there is something to tell."""

from __future__ import annotations

import logging
import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

if TYPE_CHECKING:
    from optmem_gui.gui.dialogs.error_report import ErrorReport

_log = logging.getLogger(__name__)


class ExceptionHook(QObject):
    """Logs whatever was not caught and shows one report; further ones are counted, not stacked."""

    _caught = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self._open: ErrorReport | None = None
        self._caught.connect(self._show)  # from another thread, it waits for this one

    def install(self) -> None:
        """Take the place of Python's own hooks; the exception of a slot arrives here too."""
        sys.excepthook = self
        threading.excepthook = self._from_thread

    def __call__(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Handle one exception, of any thread: that of a ``QThread`` arrives in the thread itself."""
        if issubclass(kind, KeyboardInterrupt):
            QApplication.exit(130)
            return
        self.count += 1
        _log.error("not caught", exc_info=(kind, error, trace))
        if self._open is None and QApplication.instance() is not None:
            from optmem_gui.gui.dialogs.error_report import report_text  # noqa: PLC0415  # as said above

            self._caught.emit(report_text(kind, error, trace))

    def _from_thread(self, caught: threading.ExceptHookArgs) -> None:
        if caught.exc_value is not None:
            self(caught.exc_type, caught.exc_value, caught.exc_traceback)

    def _show(self, text: str) -> None:
        if self._open is not None:
            return
        from optmem_gui.gui.dialogs.error_report import ErrorReport  # noqa: PLC0415  # as said above

        self._open = ErrorReport(text, QApplication.activeWindow())
        try:
            self._open.exec()
        finally:
            self._open.deleteLater()
            self._open = None
