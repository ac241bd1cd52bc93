"""``optmem measure --gpus N``: real steps on several ranks of this machine, each beside its estimate."""

from __future__ import annotations

import argparse
import os
import sys
import threading

from optmem_gui.cli.output import say
from optmem_gui.cli.refusal import EXIT_DONE, EXIT_NO
from optmem_gui.cli.results import result_text
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.protocol import Progress
from optmem_gui.core.rank_rows import RankResult, rank_request, ranked_scenario
from optmem_gui.core.result_rows import Predictions
from optmem_gui.core.scenario import Scenario
from optmem_gui.engine.calibration import gpu_of
from optmem_gui.engine.devices import Devices
from optmem_gui.engine.measurement import Event
from optmem_gui.engine.ranks import RankMeasurement, cause_of, rank_devices
from optmem_gui.paths import results_dir
from optmem_gui.report.calibrations import calibrated_gpu
from optmem_gui.report.json_document import SCHEMA, Document, reason_documents, scenario_document, to_text
from optmem_gui.report.keeping import keep_ranks
from optmem_gui.report.kept_result import KeptResult
from optmem_gui.report.measured_document import compared_document
from optmem_gui.report.results_store import ResultsStore


def measure_on_ranks(arguments: argparse.Namespace, asked: Scenario, devices: Devices) -> int:
    """Measure a scenario of several ranks.

    Returns:
        0 measured; 1 a rank ran out of memory, which is a result as well.

    Raises:
        UserError: The ranks cannot run here; the line says why.
    """
    if arguments.compile or arguments.history or arguments.own_weights:
        given = [f"--{name}" for name in ("compile", "history", "own-weights") if _is_given(arguments, name)]
        raise UserError("measure.one_device_only", given=", ".join(given))
    wanted = "cuda" if arguments.device.startswith("cuda") else arguments.device
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    ids = rank_devices(devices, wanted, asked.parallel.gpus, visible)
    scenario = ranked_scenario(asked, ids[0])
    request = rank_request(asked, ids[0], arguments.steps)
    gpu = _gpu(devices, ids[0])
    predictions = Predictions(compute(scenario, gpu), None, gpu)
    measurement = RankMeasurement(arguments.python, arguments.sample_hz)
    outcomes = measurement.run(request, scenario.parallel, ids, _Show(len(ids)))
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    worst = cause_of(outcomes)
    if worst.status not in ("done", "out_of_memory") and worst.reason is not None:
        raise UserError(worst.reason.key, **worst.reason.values)
    kept = keep_ranks(asked, predictions, outcomes)
    problem = ResultsStore(results_dir()).keep(kept)
    if arguments.json:
        say(to_text(_document(scenario, kept, worst.status)))
    else:
        said = () if problem is None else (str(problem),)
        say("\n".join((result_text(kept), f"Kept as {kept.id}", *said)))
    return EXIT_DONE if worst.status == "done" else EXIT_NO


def _is_given(arguments: argparse.Namespace, option: str) -> bool:
    return bool(getattr(arguments, option.replace("-", "_")))


class _Show:
    """Says on a terminal how far the slowest rank is; called from a thread a rank."""

    def __init__(self, ranks: int) -> None:
        self._steps = [0] * ranks
        self._lock = threading.Lock()

    def __call__(self, rank: int, event: Event) -> None:
        if not isinstance(event, Progress) or not sys.stderr.isatty():
            return
        with self._lock:
            self._steps[rank] = event.step
            sys.stderr.write(f"\r\x1b[K{len(self._steps)} ranks, step {min(self._steps)} of {event.steps}")
            sys.stderr.flush()


def _gpu(devices: Devices, device: str) -> Gpu | None:
    """The GPU of the table, with what was calibrated on it; None on the CPU."""
    found = devices.find(device)
    gpu = None if found is None else gpu_of(found)
    return None if gpu is None else calibrated_gpu(gpu)


def _document(scenario: Scenario, kept: KeptResult, status: str) -> Document:
    return {
        "schema": SCHEMA,
        "id": kept.id,
        "date": kept.date,
        "scenario": scenario_document(scenario),
        "status": status,
        "rank": kept.rank,
        "comparison": [compared_document(row) for row in kept.rows],
        "ranks": [_rank(result) for result in kept.ranks],
        "notes": reason_documents(kept.warnings),
    }


def _rank(result: RankResult) -> Document:
    reserved = next((row.measured for row in result.rows if row.kind == "reserved"), None)
    return {
        "rank": result.rank,
        "device": result.device,
        "status": result.status,
        "peak": result.peak_bytes,
        "reserved": reserved,
        "components": [compared_document(row) for row in result.rows if row.kind == "component"],
    }
