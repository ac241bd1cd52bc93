"""One measurement on several ranks: a worker for each, started and watched side by side."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from pathlib import Path

from optmem_gui.core.parallel import Parallel
from optmem_gui.core.requests import DEFAULT_SAMPLE_HZ, MeasureRequest, Rank
from optmem_gui.engine.child import Launch
from optmem_gui.engine.measurement import Event, Measurement, MeasurementResult
from optmem_gui.engine.worker_process import worker_launch

_LOOPBACK = {"GLOO_SOCKET_IFNAME": "lo", "NCCL_SOCKET_IFNAME": "lo"}
"""Processes of one machine; nothing is offered to the network."""


def measure_ranks(
    request: MeasureRequest,
    parallel: Parallel,
    devices: Sequence[str],
    on_event: Callable[[int, Event], None],
    python: str | None = None,
) -> tuple[MeasurementResult, ...]:
    """Measure every rank.

    Args:
        request: What each of them runs.
        parallel: How they share the run.
        devices: ``cpu``, ``cuda:N`` or a UUID for every rank.
        on_event: Called with the rank, from a thread of its own each.
        python: Python with torch in which the user trains.

    Returns:
        The outcome of each rank; where one fails, the others are cancelled, as they would wait for it.
    """
    launch = worker_launch(python)
    if "cpu" in devices:
        launch = Launch(
            launch.command, {**launch.environment, **_LOOPBACK, "OMP_NUM_THREADS": "1"}, launch.folder
        )
    runs = [Measurement(sample_hz=DEFAULT_SAMPLE_HZ, worker=launch) for _ in devices]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(devices), "rank") as threads:
        store = str(Path(folder) / "store")
        started = []
        for index, (run, device) in enumerate(zip(runs, devices, strict=True)):
            rank = Rank(index, len(devices), parallel.shard, store, parallel.bucket_view)
            one = replace(request, device=device, rank=rank)
            started.append(threads.submit(run.run, one, partial(on_event, index)))
        _watch(started, runs)
        return tuple(each.result() for each in started)


def _watch(started: Sequence[Future[MeasurementResult]], runs: Sequence[Measurement]) -> None:
    waiting = set(started)
    while waiting:
        ended, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        if any(each.exception() is not None or each.result().status != "done" for each in ended):
            for run in runs:
                run.cancel()
