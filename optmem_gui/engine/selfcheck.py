"""Runs of the self-check: estimated, simulated and measured, the last two side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from optmem_gui.core.breakdown import Breakdown
from optmem_gui.core.estimate import compute
from optmem_gui.core.measuring import measure_request, measured_scenario
from optmem_gui.core.requests import SimulateRequest
from optmem_gui.core.selfcheck import Workload
from optmem_gui.core.simulating import SimulationTarget
from optmem_gui.engine.measurement import Measurement, MeasurementResult
from optmem_gui.engine.simulation import SimulationOutcome, Simulator

STEPS = 2
"""The first allocates the optimizer state, the second is the steady one."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One run.

    Attributes:
        workload: What ran.
        breakdown: The estimate for the device it ran on.
        simulation: The trace for the same device.
        measurement: The real steps.
    """

    workload: Workload
    breakdown: Breakdown
    simulation: SimulationOutcome
    measurement: MeasurementResult


def check(
    chosen: Sequence[Workload], device: str, target: SimulationTarget, began: Callable[[Workload], None]
) -> tuple[Checked, ...]:
    """Run everything; simulations go on in a worker of their own while steps are measured.

    Args:
        chosen: What to run.
        device: ``cpu`` or a driver's UUID.
        target: The same device for the simulation.
        began: Called with every run that is about to be measured.
    """
    with Simulator() as simulator, ThreadPoolExecutor(1, "selfcheck") as beside:
        simulated = [beside.submit(_simulate, simulator, each, device, target) for each in chosen]
        found = []
        for workload, simulation in zip(chosen, simulated, strict=True):
            began(workload)
            request = measure_request(workload.scenario, device, STEPS)
            measurement = Measurement().run(request, lambda event: None)
            breakdown = compute(measured_scenario(workload.scenario, device))
            found.append(Checked(workload, breakdown, simulation.result(), measurement))
    return tuple(found)


def _simulate(
    simulator: Simulator, workload: Workload, device: str, target: SimulationTarget
) -> SimulationOutcome:
    work = replace(measure_request(workload.scenario, device, STEPS), device=target.device)
    return simulator.simulate(SimulateRequest(work, target), lambda event: None)
