"""A simulation off the UI thread."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, QThread, Signal

from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.engine.simulation import SimulationOutcome, Simulator
from optmem_gui.gui.snapshot import Simulated


@dataclass(frozen=True, slots=True)
class Simulation:
    """What is to be simulated.

    Attributes:
        scenario: The inputs.
        gpu: The GPU whose memory is predicted, None for one without an end.
        function: A function of the user's own that makes the model, as ``FILE.py:NAME``.
    """

    scenario: Scenario
    gpu: Gpu | None
    function: str = ""


class SimulateThread(QThread):
    """Traces one run with a simulator that outlives it.

    ``progressed`` carries what the worker says meanwhile. The rest stands here once the thread has finished.

    Attributes:
        outcome: What the simulator answered; None when it was given up before it was asked.
        result: The simulation beside the estimate, where there is one.
        refused: Why nothing was traced.
        defect: An exception that is a defect of the program.
    """

    progressed = Signal(object)

    def __init__(self, simulation: Simulation, simulator: Simulator, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("simulation")
        self.simulation = simulation
        self._simulator = simulator
        self.outcome: SimulationOutcome | None = None
        self.result: Simulated | None = None
        self.refused: Reason | None = None
        self.defect: Exception | None = None

    def run(self) -> None:
        """Simulate, in the thread."""
        try:
            self._simulate()
        except UserError as error:
            self.refused = error.reason
        except Exception as error:  # noqa: BLE001  # raised again on the UI thread, where the report is shown
            self.defect = error

    def _simulate(self) -> None:
        # loaded when it is meant: the window starts without
        from optmem_gui.architectures.config_file import config_text  # noqa: PLC0415  # as said above
        from optmem_gui.core.simulated import (  # noqa: PLC0415  # as said above
            compare_simulated,
            simulate_request,
            simulated_scenario,
        )
        from optmem_gui.core.simulation_target import target_of  # noqa: PLC0415  # as said above

        wanted = self.simulation
        target = target_of(wanted.gpu, device=wanted.scenario.target)
        if wanted.function:
            request, breakdown = simulate_request(wanted.scenario, target, function=wanted.function), None
        else:
            config = config_text(wanted.scenario.model)
            request = simulate_request(wanted.scenario, target, config=config)
            breakdown = compute(simulated_scenario(wanted.scenario, built=bool(config)), wanted.gpu)
        if self.isInterruptionRequested():
            return
        self.outcome = self._simulator.simulate(request, self.progressed.emit)
        report = self.outcome.report
        if report is not None:
            # a run that does not fit has no steady step to compare
            rows = () if breakdown is None or report.out_of_memory else compare_simulated(breakdown, report)
            limited = wanted.gpu is not None and report.target.device == "cuda"
            usable = wanted.gpu.usable_bytes if wanted.gpu is not None and limited else None
            self.result = Simulated(wanted.scenario, report, breakdown, rows, usable, wanted.function)
