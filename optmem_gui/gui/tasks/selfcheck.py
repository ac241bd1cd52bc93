"""The self-check off the UI thread, row by row."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, QThread, Signal

from optmem_gui.core.errors import UserError
from optmem_gui.core.reasons import Reason
from optmem_gui.core.selfcheck import Workload
from optmem_gui.engine.selfcheck import SelfCheck


class SelfCheckThread(QThread):
    """Owns one check.

    ``began`` carries the :class:`Workload` that is about to be measured, ``row`` a :class:`Checked`. The rest
    stands here once the thread has finished.

    Attributes:
        refused: Why nothing could be run.
        defect: An exception that is a defect of the program.
    """

    began = Signal(object)
    row = Signal(object)

    def __init__(self, check: SelfCheck, chosen: Sequence[Workload], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("selfcheck")
        self._check, self._chosen = check, chosen
        self.refused: Reason | None = None
        self.defect: Exception | None = None

    def run(self) -> None:
        """Check, in the thread."""
        try:
            self._check.run(self._chosen, self.began.emit, self.row.emit)
        except UserError as error:
            self.refused = error.reason
        except Exception as error:  # noqa: BLE001  # raised again on the UI thread, where the report is shown
            self.defect = error

    def stop(self) -> None:
        """Ask it to stop; returns at once."""
        self._check.cancel()
