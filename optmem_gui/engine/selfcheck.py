"""Runs of the self-check: estimated, simulated and measured, the last two side by side."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

from optmem_gui.core.breakdown import Breakdown
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.kernels.releases import release_of
from optmem_gui.core.measuring import measure_request, measured_scenario
from optmem_gui.core.protocol import Hello
from optmem_gui.core.requests import SimulateRequest
from optmem_gui.core.selfcheck import Workload
from optmem_gui.core.simulating import SimulationTarget
from optmem_gui.core.units import MIB
from optmem_gui.engine.gpu_table import match_gpu
from optmem_gui.engine.measurement import Event, Measurement, MeasurementResult
from optmem_gui.engine.simulation import SimulationOutcome, Simulator


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


def target_there(hello: Hello, environment: Mapping[str, str]) -> SimulationTarget:
    """The machine that a worker has told of, with the allocator as this environment sets it.

    Args:
        hello: First word of the worker that measures.
        environment: What the worker was started with.

    Raises:
        ValueError: Its torch names no version.
    """
    major, minor = release_of(hello.torch)
    if hello.uuid is None:
        return SimulationTarget(f"{major}.{minor}", device="cpu")
    settings = (environment.get(name, "") for name in ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"))
    return SimulationTarget(
        torch=f"{major}.{minor}",
        architecture=hello.architecture,
        sm_count=hello.sm_count,
        threads_per_sm=hello.threads_per_sm,
        allocator=next(filter(None, settings), ""),
        cublas_workspace=environment.get("CUBLAS_WORKSPACE_CONFIG", ""),
    )


class SelfCheck:
    """One check; make a new object for the next.

    Simulations go on in a worker of their own while steps are measured. They start with the first word of
    the worker that measures: what they stand for is the machine it tells of.

    Args:
        device: ``cpu`` or a driver's UUID.
        measurement: Makes what measures one run; a test passes a worker of its own.
        simulator: Makes what simulates.
    """

    def __init__(
        self,
        device: str,
        *,
        measurement: Callable[[], Measurement] = Measurement,
        simulator: Callable[[], Simulator] = Simulator,
    ) -> None:
        self._device = device
        self._make_measurement, self._make_simulator = measurement, simulator
        self._lock = threading.Lock()
        self._stopped = False
        self._running: Measurement | None = None
        self._hello: Hello | None = None

    def cancel(self) -> None:
        """Stop as soon as possible; safe from any thread. What was finished is kept."""
        with self._lock:
            self._stopped = True
            if self._running is not None:
                self._running.cancel()

    def run(
        self,
        chosen: Sequence[Workload],
        began: Callable[[Workload], None],
        done: Callable[[Checked], None],
    ) -> tuple[Checked, ...]:
        """Run everything.

        Args:
            chosen: What to run.
            began: Called with every run that is about to be measured.
            done: Called with every finished one, in order.

        Returns:
            All of them; fewer where it was cancelled. An exception of a callback ends it all and is raised.

        Raises:
            UserError: The worker cannot start, so that no run would say anything.
        """
        found: list[Checked] = []
        traces: dict[str, Future[SimulationOutcome]] = {}
        simulator, beside = self._make_simulator(), ThreadPoolExecutor(1, "selfcheck")

        def hear(event: Event) -> None:
            if isinstance(event, Hello) and not traces:
                self._hello = event
                target = target_there(event, os.environ)
                traces.update(
                    (each.id, beside.submit(self._simulate, simulator, each, target)) for each in chosen
                )

        try:
            for workload in chosen:
                began(workload)
                measured = self._measure(workload, hear)
                if measured is None or measured.status == "cancelled":
                    break
                if not traces:
                    raise _refusal(measured)
                breakdown = compute(measured_scenario(workload.scenario, self._device), self._gpu())
                trace = self._awaited(traces[workload.id])
                if trace is None:
                    break
                found.append(Checked(workload, breakdown, trace, measured))
                done(found[-1])
        finally:
            beside.shutdown(wait=False, cancel_futures=True)
            simulator.close()
            beside.shutdown()
        return tuple(found)

    def _measure(self, workload: Workload, hear: Callable[[Event], None]) -> MeasurementResult | None:
        """Real steps; None where it was cancelled before."""
        measurement = self._make_measurement()
        with self._lock:
            if self._stopped:
                return None
            self._running = measurement
        request = measure_request(workload.scenario, self._device, workload.steps)
        return measurement.run(request, hear)

    def _simulate(
        self, simulator: Simulator, workload: Workload, target: SimulationTarget
    ) -> SimulationOutcome:
        work = replace(measure_request(workload.scenario, self._device, workload.steps), device=target.device)
        return simulator.simulate(SimulateRequest(work, target), lambda event: None)

    def _awaited(self, trace: Future[SimulationOutcome]) -> SimulationOutcome | None:
        """A simulation once it is there; None where it was cancelled meanwhile."""
        while not self._stopped:
            if wait((trace,), timeout=_LOOK_S).done:
                return trace.result()
        return None

    def _gpu(self) -> Gpu | None:
        hello = self._hello
        if hello is None or hello.total_bytes is None:
            return None
        return match_gpu(hello.device, round(hello.total_bytes / MIB))


_LOOK_S = 0.2
"""How often a wait looks whether it was cancelled."""


def _refusal(measured: MeasurementResult) -> UserError:
    if measured.reason is None:
        raise AssertionError("a worker that said nothing has a reason")
    return UserError(measured.reason.key, **measured.reason.values)
