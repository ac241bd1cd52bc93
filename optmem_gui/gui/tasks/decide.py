"""The largest batch and sequence, ways to fit and every GPU, off the UI thread."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from PySide6.QtCore import QObject, QThread, Signal

from optmem_gui.core.errors import UserError
from optmem_gui.core.gpu_fits import gpu_fits
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.solve import Solution, What, solve
from optmem_gui.core.ways import ways_to_fit
from optmem_gui.gui.decisions import Decisions


class DecideThread(QThread):
    """Answers for one scenario, the quickest first.

    Emits:
        decided: A :class:`Decisions` after each answer, the last one ``done``.
    """

    decided = Signal(object)

    def __init__(
        self, scenario: Scenario, gpu: Gpu | None, gpus: tuple[Gpu, ...], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._scenario, self._gpu, self._gpus = scenario, gpu, gpus
        self.defect: Exception | None = None

    def run(self) -> None:
        """Answer one question after the other."""
        try:
            for decisions in self._answers():
                if self.isInterruptionRequested():
                    return
                self.decided.emit(decisions)
        except Exception as error:  # noqa: BLE001  # raised again on the UI thread
            self.defect = error

    def _answers(self) -> Iterator[Decisions]:
        scenario, gpu = self._scenario, self._gpu
        found = Decisions(scenario, gpu)
        batch = self._solved("batch")
        found = replace(found, batch=batch, sequence=self._solved("sequence"))
        yield found
        try:
            found = replace(found, ways=ways_to_fit(scenario, gpu))
            yield found
            found = replace(found, fits=gpu_fits(scenario, self._gpus))
        except UserError:  # such as too little host memory: the fields say so themselves
            pass
        yield replace(found, done=True)

    def _solved(self, what: What) -> Solution | None:
        if self._gpu is None or self.isInterruptionRequested():
            return None
        try:
            return solve(self._scenario, self._gpu, what)
        except UserError:  # no architecture, or the other of the two is missing: there is nothing to look for
            return None
