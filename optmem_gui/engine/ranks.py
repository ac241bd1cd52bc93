"""One measurement on several ranks: a worker for each, started and watched side by side."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from pathlib import Path

from optmem_gui.core.errors import UserError
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.requests import MeasureRequest, Rank
from optmem_gui.core.run_defaults import DEFAULT_SAMPLE_HZ
from optmem_gui.engine.child import Launch
from optmem_gui.engine.devices import AUTO, CPU, Devices, visible_devices
from optmem_gui.engine.measurement import Event, Measurement, MeasurementResult
from optmem_gui.engine.worker_process import worker_launch

_LOOPBACK = {"GLOO_SOCKET_IFNAME": "lo", "NCCL_SOCKET_IFNAME": "lo"}
"""Processes of one machine; nothing is offered to the network."""

MOST_CPU_RANKS = 8
"""Ranks on one CPU: each is a process that imports torch."""

OnEvent = Callable[[int, Event], None]


def rank_devices(devices: Devices, wanted: str, count: int, visible: str | None) -> tuple[str, ...]:
    """A device for every rank: a GPU each, or the CPU for all of them.

    Args:
        devices: What there is.
        wanted: ``cpu``, ``auto``, or ``cuda`` for GPUs.
        count: Ranks.
        visible: Text of ``CUDA_VISIBLE_DEVICES``, None where it is not set.

    Raises:
        UserError: There are more ranks than GPUs, or more than one CPU runs.
    """
    gpus = visible_devices(devices.gpus, visible)
    if wanted == CPU or (wanted == AUTO and not gpus):
        if count > MOST_CPU_RANKS:
            raise UserError("measure.too_many_cpu_ranks", ranks=count, most=MOST_CPU_RANKS)
        return (CPU,) * count
    if count > len(gpus):
        raise UserError("measure.too_few_gpus", ranks=count, gpus=len(gpus))
    return tuple(gpu.id for gpu in gpus[:count])


class RankMeasurement:
    """One measurement on several ranks; make a new object for the next.

    Args:
        python: Python with torch in which the user trains.
        sample_hz: How often the driver is asked.
        worker: How to start a worker; a test passes a script of its own.
    """

    def __init__(
        self,
        python: str | None = None,
        sample_hz: int = DEFAULT_SAMPLE_HZ,
        *,
        worker: Launch | None = None,
    ) -> None:
        self._launch = worker or worker_launch(python)
        self._sample_hz = sample_hz
        self._lock = threading.Lock()
        self._runs: tuple[Measurement, ...] = ()
        self._cancelled = False

    def cancel(self) -> None:
        """Stop every rank as soon as possible; safe from any thread, before, during and after the run."""
        with self._lock:
            self._cancelled = True
            runs = self._runs
        for run in runs:
            run.cancel()

    def run(
        self, request: MeasureRequest, parallel: Parallel, devices: Sequence[str], on_event: OnEvent
    ) -> tuple[MeasurementResult, ...]:
        """Measure every rank.

        Args:
            request: What each of them runs.
            parallel: How they share the run.
            devices: ``cpu``, ``cuda:N`` or a UUID for every rank.
            on_event: Called with the rank, from a thread of its own each.

        Returns:
            The outcome of each rank; where one fails, the others are cancelled, as they would wait for it.
            However this ends, no process is left.
        """
        launch = self._launch
        if CPU in devices:
            quiet = {**launch.environment, **_LOOPBACK, "OMP_NUM_THREADS": "1"}
            launch = Launch(launch.command, quiet, launch.folder)
        runs = tuple(Measurement(sample_hz=self._sample_hz, worker=launch) for _ in devices)
        with self._lock:
            self._runs = runs
            cancelled = self._cancelled
        if cancelled:
            self.cancel()
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(devices), "rank") as threads:
            store = str(Path(folder) / "store")
            started = []
            for index, (run, device) in enumerate(zip(runs, devices, strict=True)):
                rank = Rank(index, len(devices), parallel.shard, store, parallel.bucket_view)
                one = replace(request, device=device, rank=rank)
                started.append(threads.submit(run.run, one, partial(on_event, index)))
            try:
                self._watch(started)
            except BaseException:  # an interrupt too: the threads end only with their workers
                self.cancel()
                raise
            return tuple(each.result() for each in started)

    def _watch(self, started: Sequence[Future[MeasurementResult]]) -> None:
        waiting = set(started)
        while waiting:
            ended, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            if any(each.exception() is not None or each.result().status != "done" for each in ended):
                self.cancel()


def measure_ranks(
    request: MeasureRequest,
    parallel: Parallel,
    devices: Sequence[str],
    on_event: OnEvent,
    python: str | None = None,
) -> tuple[MeasurementResult, ...]:
    """Measure every rank, without a way to stop (:class:`RankMeasurement`)."""
    return RankMeasurement(python).run(request, parallel, devices, on_event)


def shown_rank(outcomes: Sequence[MeasurementResult]) -> int:
    """The rank that speaks for all: with the highest peak, or the one that failed where not all are done."""
    peaks = [outcome.peak_bytes for outcome in outcomes]
    if any(peak is None for peak in peaks):
        return next(rank for rank, outcome in enumerate(outcomes) if outcome is cause_of(outcomes))
    return max(range(len(peaks)), key=lambda rank: peaks[rank] or 0)


def cause_of(outcomes: Sequence[MeasurementResult]) -> MeasurementResult:
    """The outcome that speaks for all: the rank that failed, not those that were cancelled with it."""
    order = {"failed": 0, "out_of_memory": 1, "cancelled": 2, "done": 3}
    return min(outcomes, key=lambda outcome: order[outcome.status])
