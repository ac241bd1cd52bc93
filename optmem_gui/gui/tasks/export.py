"""A file drawn and written off the UI thread: a picture at a large scale takes seconds."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QThread

from optmem_gui.core.errors import UserError
from optmem_gui.core.reasons import Reason


class ExportThread(QThread):
    """Makes one file.

    Attributes:
        reason: Why there is none; None while it runs and once it is there.
        defect: What went wrong that should not.
    """

    def __init__(self, make: Callable[[], None], parent: QObject | None = None) -> None:
        """Prepare.

        Args:
            make: Draws and writes; touches no widget and no translator.
            parent: Who waits for it.
        """
        super().__init__(parent)
        self._make = make
        self.reason: Reason | None = None
        self.defect: Exception | None = None

    def run(self) -> None:
        """Make the file."""
        try:
            self._make()
        except UserError as error:
            self.reason = error.reason
        except Exception as error:  # noqa: BLE001  # raised again on the UI thread
            self.defect = error
