"""A probe of a user's own optimizer off the UI thread."""

from __future__ import annotations

from PySide6.QtCore import QObject, QThread, Signal

from optmem_gui.core.probing import ProbeRequest
from optmem_gui.engine.probe import Probe, ProbeOutcome


class ProbeThread(QThread):
    """Owns one probe.

    Signals:
        progressed: A :class:`Progress` as it comes.

    Attributes:
        outcome: What came of it once the thread has finished, or the exception that is a defect of the
            program.
    """

    progressed = Signal(object)

    def __init__(self, request: ProbeRequest, probe: Probe, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("probe")
        self._request, self._probe = request, probe
        self.outcome: ProbeOutcome | Exception | None = None

    def run(self) -> None:
        """Probe, in the thread."""
        try:
            self.outcome = self._probe.run(self._request, self.progressed.emit)
        except Exception as error:  # noqa: BLE001  # raised again on the UI thread, where the report is shown
            self.outcome = error

    def stop(self) -> None:
        """Ask it to stop; returns at once."""
        self._probe.cancel()
