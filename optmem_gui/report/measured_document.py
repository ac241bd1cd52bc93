"""A measurement as a JSON document, with the estimate it is compared with."""

from __future__ import annotations

from collections.abc import Iterable

from optmem_gui.core.breakdown import PHASE_IDS, Breakdown
from optmem_gui.core.codec import to_json
from optmem_gui.core.comparison import ResultRow, measured_sizes
from optmem_gui.core.protocol import PhaseSample, Result
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.spread import spreads
from optmem_gui.core.units import MIB
from optmem_gui.engine.gpu_table import match_gpu
from optmem_gui.engine.measurement import MeasurementResult
from optmem_gui.report.json_document import (
    SCHEMA,
    Document,
    estimate_document,
    reason_documents,
    scenario_document,
)
from optmem_gui.report.kept_result import KeptResult


def measured_document(
    scenario: Scenario, breakdown: Breakdown | None, outcome: MeasurementResult, kept: KeptResult
) -> Document:
    """What was measured, under the keys of an estimate, beside the estimate itself.

    Args:
        scenario: What ran (:func:`optmem_gui.core.measuring.measured_scenario`).
        breakdown: The estimate for it; None where a user's function says what runs.
        outcome: A finished measurement, or one that ran out of memory: then it has only what ran before.
        kept: The same as it is kept, with every figure on three sides.

    Returns:
        Sizes of the last step. ``at_peak`` is null, because torch does not tell what its peak is made of;
        ``reserved`` is null on the CPU, which has no caching allocator, and ``process`` where nobody says.
    """
    head = {
        "schema": SCHEMA,
        "id": kept.id,
        "date": kept.date,
        "scenario": scenario_document(scenario),
        "status": outcome.status,
    }
    tail = {
        "device": _device(outcome),
        "sample_hz": outcome.sample_hz,
        "others": [to_json(others) for others in outcome.others],
        "calibration": None if kept.calibration is None else to_json(kept.calibration),
        "assumptions": [] if breakdown is None else reason_documents(breakdown.assumptions),
        "warnings": [
            *reason_documents([] if outcome.reason is None else [outcome.reason]),
            *reason_documents(outcome.warnings),
            *reason_documents(note.reason for note in outcome.notes),
        ],
        "spread": [to_json(spread) for spread in spreads(outcome.phases)],
        "timeline": _timeline(outcome),
        "estimated": None if breakdown is None else estimate_document(scenario, breakdown),
    }
    if outcome.result is None:
        return {**head, **tail}
    return {**head, **_figures(breakdown, outcome, outcome.result, kept.rows), **tail}


def _figures(
    breakdown: Breakdown | None, outcome: MeasurementResult, result: Result, rows: Iterable[ResultRow]
) -> Document:
    steady = result.steady.phases
    peak = max(steady, key=lambda sample: sample.peak_bytes)
    reserved = [sample.peak_reserved_bytes for sample in steady if sample.peak_reserved_bytes is not None]
    on_cpu = outcome.request.device == "cpu"
    process = outcome.rss_peak_bytes if on_cpu else outcome.process_peak_bytes
    counts = {"total": result.param_count, "trainable": result.trainable_count, "active": result.param_count}
    return {
        "parameters": counts,
        "components": [
            _component(component_id, size, breakdown, result)
            for component_id, size in measured_sizes(result).items()
        ],
        "phases": _phases((result.load, *steady)),
        "peak": {"allocated": peak.peak_bytes, "phase": peak.phase},
        "reserved": _same(max(reserved) if reserved else None),
        "process": _same(process),
        "comparison": [compared_document(row) for row in rows],
    }


def _component(component_id: str, size: int, breakdown: Breakdown | None, result: Result) -> Document:
    estimated = None if breakdown is None else breakdown.component(component_id)
    host = result.steady.categories.optimizer_state_host if component_id == "optimizer_state" else 0
    return {
        "id": component_id,
        "bytes": size,
        "at_peak": None,
        "host_bytes": host,
        "dtype": "" if estimated is None else estimated.dtype,
        "bytes_per_parameter": size / result.param_count if result.param_count else 0.0,
        "formula": "measured" if estimated is None else str(estimated.formula),
    }


def compared_document(row: ResultRow) -> Document:
    """One size on three sides; null where a side does not know it."""
    return {
        "tier": row.tier,
        "kind": row.kind,
        "id": row.id,
        "estimated": row.estimated,
        "simulated": row.simulated,
        "measured": row.measured,
        "difference": row.difference_bytes,
        "error": row.estimated_error,
        "simulated_error": row.simulated_error,
    }


def _phases(samples: Iterable[PhaseSample]) -> list[Document]:
    best: dict[str, int] = {}
    for sample in samples:
        best[sample.phase] = max(sample.peak_bytes, best.get(sample.phase, 0))
    return [{"id": phase, "bytes": best[phase]} for phase in PHASE_IDS if phase in best]


def _same(size_bytes: int | None) -> Document | None:
    return None if size_bytes is None else {"low": size_bytes, "high": size_bytes}


def _device(outcome: MeasurementResult) -> Document | None:
    """The device it ran on; torch's total is what processes can share."""
    hello = outcome.hello
    if hello is None:
        return None
    total = hello.total_bytes
    gpu = None if hello.uuid is None or total is None else match_gpu(hello.device, round(total / MIB))
    return {
        "id": "cpu" if hello.uuid is None else (gpu.id if gpu is not None else hello.device),
        "name": hello.device,
        "usable": total,
        "fits": "no" if outcome.status == "out_of_memory" else "yes",
        "torch": hello.torch,
        "python": hello.python,
        "uuid": hello.uuid,
        "driver": None if outcome.facts is None else outcome.facts.driver,
    }


def _timeline(outcome: MeasurementResult) -> Document:
    """Phases, torch's own course and the driver's samples on one axis: seconds from the first phase."""
    start = outcome.phases[0].start_ns if outcome.phases else 0

    def seconds(clock_ns: int) -> float:
        return round((clock_ns - start) / 1e9, 6)

    phases = [
        {
            "step": sample.step,
            "phase": sample.phase,
            "start": seconds(sample.start_ns),
            "end": seconds(sample.end_ns),
            "allocated": sample.allocated_bytes,
            "peak": sample.peak_bytes,
            "reserved": sample.reserved_bytes,
            "active": sample.active_bytes,
            "allocations": sample.alloc_count,
            "retries": sample.retry_count,
        }
        for sample in outcome.phases
    ]
    allocated = [[seconds(at), size] for sample in outcome.phases for at, size in sample.points]
    parts = [
        {"at": seconds(at), **{name: sizes[index] for name, sizes in sample.parts.items()}}
        for sample in outcome.phases
        for index, (at, _) in enumerate(sample.points if sample.parts else ())
    ]
    samples = [
        {
            "at": seconds(sample.clock_ns),
            "device_used": sample.device_used_bytes,
            "process": sample.process_bytes,
            "rss": sample.rss_bytes,
        }
        for sample in outcome.samples
    ]
    return {"phases": phases, "allocated": allocated, "parts": parts, "samples": samples}
