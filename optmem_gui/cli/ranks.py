"""``optmem measure --gpus N``: real steps on several ranks of this machine, each beside its estimate."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Sequence

from optmem_gui.cli.output import say
from optmem_gui.cli.refusal import EXIT_DONE, EXIT_NO
from optmem_gui.core.errors import UserError
from optmem_gui.core.protocol import Progress
from optmem_gui.core.rank_rows import RankRow, finished_rows, rank_notes, rank_request, ranked_scenario
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.units import format_bytes, format_count
from optmem_gui.engine.devices import Devices
from optmem_gui.engine.measurement import Event, MeasurementResult
from optmem_gui.engine.ranks import RankMeasurement, cause_of, rank_devices
from optmem_gui.report.json_document import SCHEMA, Document, reason_documents, scenario_document, to_text
from optmem_gui.report.tables import Table, plain_name, to_aligned


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
    measurement = RankMeasurement(arguments.python, arguments.sample_hz)
    outcomes = measurement.run(request, scenario.parallel, ids, _Show(len(ids)))
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    worst = cause_of(outcomes)
    if worst.status not in ("done", "out_of_memory") and worst.reason is not None:
        raise UserError(worst.reason.key, **worst.reason.values)
    rows = finished_rows(scenario, [outcome.result for outcome in outcomes])
    document = _document(scenario, outcomes, rows)
    say(to_text(document) if arguments.json else _text(scenario, outcomes, rows))
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


def _document(scenario: Scenario, outcomes: Sequence[MeasurementResult], rows: Sequence[RankRow]) -> Document:
    return {
        "schema": SCHEMA,
        "scenario": scenario_document(scenario),
        "status": cause_of(outcomes).status,
        "ranks": [
            {
                "rank": rank,
                "device": outcome.request.device,
                "status": outcome.status,
                "peak": _peak(outcome),
                "components": [_component(row) for row in rows if row.rank == rank],
            }
            for rank, outcome in enumerate(outcomes)
        ],
        "notes": reason_documents(rank_notes(scenario)),
    }


def _component(row: RankRow) -> Document:
    return {
        "id": row.component,
        "estimated": row.estimated,
        "measured": row.measured,
        "difference": row.difference_bytes,
        "error": row.error,
    }


def _peak(outcome: MeasurementResult) -> int | None:
    if outcome.result is None:
        return None
    return max(phase.peak_bytes for phase in outcome.result.steady.phases)


def _text(scenario: Scenario, outcomes: Sequence[MeasurementResult], rows: Sequence[RankRow]) -> str:
    parallel = scenario.parallel
    hello = outcomes[0].hello
    where = "" if hello is None else f", on {hello.device} with torch {hello.torch}"
    head = f"{scenario.model.title}, {scenario.optimizer}, {scenario.precision}"
    cells = tuple(
        (
            str(row.rank),
            plain_name(row.component),
            format_count(row.estimated),
            format_count(row.measured),
            "exact" if row.error == 0 else "" if row.error is None else f"{row.error:+.2%}",
        )
        for row in rows
    )
    columns = ("rank", "bytes", "estimated", "measured", "error")
    peaks = [f"rank {rank} {format_bytes(peak)}" for rank, o in enumerate(outcomes) if (peak := _peak(o))]
    lines = [
        f"{head}; {parallel.gpus} ranks, {parallel.shard}{where}",
        *(f"Rank {rank}: {o.reason}" for rank, o in enumerate(outcomes) if o.reason is not None),
        "",
        to_aligned(Table(columns, cells, frozenset({0, 2, 3, 4}))),
        f"Peak allocated: {', '.join(peaks)}",
        *(f"Note: {note}" for note in rank_notes(scenario)),
    ]
    return "\n".join(lines)
