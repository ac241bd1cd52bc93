"""A measurement that ended, put together with what was predicted of it, ready to be written."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from secrets import token_hex

from optmem_gui import __version__
from optmem_gui.core.comparison import ResultRow
from optmem_gui.core.rank_rows import RankResult, rank_notes, rank_rows, ranked_scenario
from optmem_gui.core.result_rows import Predictions, result_rows
from optmem_gui.core.scenario import Scenario
from optmem_gui.engine.devices import CPU
from optmem_gui.engine.measurement import MeasurementResult
from optmem_gui.engine.ranks import shown_rank
from optmem_gui.report.kept_file import ONE_DEVICE_SCHEMA, SCHEMA
from optmem_gui.report.kept_result import FORMAT, TICK_NS, Course, KeptResult, Summary
from optmem_gui.report.scenario_file import scenario_text


def keep(
    scenario: Scenario, predictions: Predictions, outcome: MeasurementResult, now: datetime | None = None
) -> KeptResult:
    """A measurement that ended, ready to be written.

    Args:
        scenario: What was asked for.
        predictions: What was predicted of it for the device it ran on.
        outcome: What came of it, ``done`` or ``out_of_memory``.
        now: When it ended; this moment when left out.
    """
    at = (now or datetime.now()).astimezone()
    on_cpu = outcome.request.device == CPU
    process = outcome.rss_peak_bytes if on_cpu else outcome.process_peak_bytes
    rows: tuple[ResultRow, ...] = ()
    if outcome.result is not None:
        rows = result_rows(predictions, outcome.request, outcome.result, process)
    gpu = predictions.gpu
    return KeptResult(
        format=FORMAT,
        schema=ONE_DEVICE_SCHEMA,
        program=__version__,
        id=f"{at:%Y%m%d-%H%M%S}-{token_hex(2)}",
        date=at.isoformat(timespec="seconds"),
        summary=_summary(scenario, outcome, rows),
        scenario=json.loads(scenario_text(scenario)),
        system=f"{platform.system()} {platform.release()}, {platform.machine()}",
        device=outcome.request.device,
        function=outcome.request.function,
        steps=outcome.request.steps,
        sample_hz=outcome.sample_hz,
        hello=outcome.hello,
        facts=outcome.facts,
        result=outcome.result,
        reason=outcome.reason,
        phases=outcome.phases,
        courses=courses(outcome),
        notes=outcome.notes,
        warnings=outcome.warnings,
        others=outcome.others,
        baseline_bytes=outcome.baseline_bytes,
        process_bytes=process,
        rows=rows,
        calibration=None if gpu is None else gpu.calibration,
        assumptions=() if predictions.breakdown is None else predictions.breakdown.assumptions,
    )


def keep_ranks(
    scenario: Scenario,
    predictions: Predictions,
    outcomes: Sequence[MeasurementResult],
    now: datetime | None = None,
) -> KeptResult:
    """A measurement of several ranks that ended, ready to be written.

    Args:
        scenario: What was asked for.
        predictions: What was predicted of the rank that holds most.
        outcomes: What came of each rank, in order; all done, or one of them out of memory.
        now: When it ended; this moment when left out.
    """
    shown = shown_rank(outcomes)
    kept = keep(scenario, predictions, outcomes[shown], now)
    ran = ranked_scenario(scenario, outcomes[shown].request.device)
    ranks = tuple(_rank(ran, rank, outcome) for rank, outcome in enumerate(outcomes))
    return replace(
        kept,
        schema=SCHEMA,
        summary=replace(kept.summary, ranks=len(ranks), shard=ran.parallel.shard),
        rows=_as_said_of(ranks[shown], kept.rows),
        warnings=(*kept.warnings, *rank_notes(ran)),
        rank=shown,
        ranks=ranks,
    )


def _rank(scenario: Scenario, rank: int, outcome: MeasurementResult) -> RankResult:
    device = outcome.request.device if outcome.hello is None else outcome.hello.device
    rows = () if outcome.result is None else rank_rows(scenario, rank, outcome.result)
    return RankResult(rank, device, outcome.status, rows, outcome.reason)


def _as_said_of(rank: RankResult, rows: Iterable[ResultRow]) -> tuple[ResultRow, ...]:
    """The rows of a rank, with what is said of this rank where the estimate is of another one."""
    said = {row.id: row.estimated for row in rank.rows if row.kind == "component"}
    return tuple(
        replace(row, estimated=said[row.id]) if row.kind == "component" and row.id in said else row
        for row in rows
    )


def _summary(scenario: Scenario, outcome: MeasurementResult, rows: Iterable[ResultRow]) -> Summary:
    hello, result = outcome.hello, outcome.result
    peak = next((row for row in rows if row.kind == "peak"), None)
    return Summary(
        model=outcome.request.function or scenario.model.title,
        param_count=scenario.model.param_count if result is None else result.param_count,
        optimizer=scenario.optimizer,
        precision=scenario.precision,
        device=outcome.request.device if hello is None else hello.device,
        torch="" if hello is None else hello.torch,
        status=outcome.status,
        peak_bytes=None if peak is None else peak.measured,
        error=None if peak is None else peak.estimated_error,
    )


def courses(outcome: MeasurementResult) -> dict[str, Course]:
    """What was sampled, by series."""
    start = outcome.phases[0].start_ns if outcome.phases else 0
    pairs: dict[str, list[tuple[int, int]]] = {"device": [], "process": [], "rss": []}
    for sample in outcome.samples:
        clock = (sample.clock_ns - start) // TICK_NS
        sizes = (sample.device_used_bytes, sample.process_bytes, sample.rss_bytes)
        for name, size in zip(pairs, sizes, strict=True):
            if size is not None:
                pairs[name].append((clock, size))
    return {name: _course(found) for name, found in pairs.items() if found}


def _course(pairs: Iterable[tuple[int, int]]) -> Course:
    clocks, sizes = zip(*pairs, strict=True)
    return Course(_steps(clocks), _steps(sizes))


def _steps(numbers: tuple[int, ...]) -> tuple[int, ...]:
    return (numbers[0], *(later - earlier for earlier, later in pairwise(numbers)))
