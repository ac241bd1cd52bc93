"""A simulation as a JSON document, with the estimate it is compared with."""

from __future__ import annotations

from collections.abc import Iterable

from optmem_gui.core.breakdown import COMPONENT_IDS, PHASE_IDS, Breakdown
from optmem_gui.core.codec import to_json
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.overhead import fit_on
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.simulated import (
    SimulatedRow,
    compare_simulated,
    simulated_largest,
    simulated_peak_parts,
    simulated_process,
    steady_phases,
)
from optmem_gui.core.simulating import CATEGORIES, SimulationReport
from optmem_gui.engine.simulation import SimulationOutcome
from optmem_gui.report.json_document import (
    SCHEMA,
    Document,
    band_document,
    device_document,
    estimate_document,
    reason_documents,
    scenario_document,
)

FORMULA = "traced"


def simulated_document(
    scenario: Scenario,
    breakdown: Breakdown | None,
    outcome: SimulationOutcome,
    gpu: Gpu | None = None,
    notes: Iterable[Reason] = (),
) -> Document:
    """What was simulated, under the keys of an estimate, beside the estimate itself.

    Args:
        scenario: What was traced (:func:`optmem_gui.core.simulated.simulated_scenario`).
        breakdown: The estimate for it; None where a user's function says what runs, so there is none.
        outcome: A finished simulation, or one that ran out of memory: then it has what ran before.
        gpu: The chosen GPU, for the verdict.
        notes: What of the scenario is not traced (:func:`optmem_gui.core.simulated.simulated_notes`).

    Returns:
        ``components[].bytes`` are whole blocks, the largest of the steady step; ``at_peak`` is what was
        asked for, with ``rounding`` as a component of its own, and sums to ``peak.allocated``.
    """
    head = {"schema": SCHEMA, "scenario": scenario_document(scenario), "status": outcome.status}
    warnings = reason_documents([*(() if outcome.reason is None else (outcome.reason,)), *notes])
    estimated = None if breakdown is None else estimate_document(scenario, breakdown)
    if outcome.report is None:
        return {**head, "warnings": warnings, "estimated": estimated}
    report = outcome.report
    rows = () if breakdown is None else compare_simulated(breakdown, report)
    return {
        **head,
        **_figures(breakdown, report, gpu),
        "assumptions": [] if breakdown is None else reason_documents(breakdown.assumptions),
        "warnings": warnings + reason_documents(notes_of(report)),
        "timeline": _timeline(report),
        "simulated": _simulated(report),
        "comparison": [_compared(row) for row in rows],
        "estimated": estimated,
    }


def notes_of(report: SimulationReport) -> tuple[Reason, ...]:
    """The notes of a trace as sentences."""
    return tuple(Reason(note.key, note.values) for note in report.notes)


def _figures(breakdown: Breakdown | None, report: SimulationReport, gpu: Gpu | None) -> Document:
    total = report.param_count
    active = total if breakdown is None else breakdown.parameters.active
    process = simulated_process(report, gpu)
    return {
        "parameters": {"total": total, "trainable": report.trainable_count, "active": active},
        "components": _components(breakdown, report),
        "phases": _phases(report),
        "peak": {"allocated": report.peak_bytes, "phase": report.peak_phase},
        "reserved": {"low": report.peak_reserved_bytes, "high": report.peak_reserved_bytes},
        "process": band_document(process),
        "device": device_document(None if gpu is None else fit_on(gpu, process)),
    }


def _components(breakdown: Breakdown | None, report: SimulationReport) -> list[Document]:
    largest, parts = simulated_largest(report), simulated_peak_parts(report)
    rows = []
    for component in COMPONENT_IDS:
        found = None if breakdown is None else breakdown.component(component)
        size = parts.get(component, 0) if component == "rounding" else largest.get(component, 0)
        rows.append(
            {
                "id": component,
                "bytes": size,
                "at_peak": parts.get(component, 0),
                "host_bytes": 0 if found is None else found.host_bytes,
                "dtype": "" if found is None else found.dtype,
                "bytes_per_parameter": size / report.param_count if report.param_count else 0.0,
                "formula": FORMULA,
            }
        )
    return rows


def _phases(report: SimulationReport) -> list[Document]:
    best: dict[str, int] = {}
    for phase in (*(p for p in report.phases if p.step == 0), *steady_phases(report)):
        best[phase.phase] = max(phase.peak_bytes, best.get(phase.phase, 0))
    return [{"id": phase, "bytes": best[phase]} for phase in PHASE_IDS if phase in best]


def _timeline(report: SimulationReport) -> Document:
    """Phases and the stacked course over allocations and frees, load first."""
    return {
        "axis": "events",
        "phases": [to_json(phase) for phase in report.phases],
        "categories": list(CATEGORIES),
        "points": [
            [point.event, point.step, point.phase, list(point.parts), point.reserved_bytes]
            for point in report.points
        ],
    }


def _simulated(report: SimulationReport) -> Document:
    return {
        "traced_by": report.traced_by,
        "target": to_json(report.target),
        "exact": report.exact,
        "out_of_memory": report.out_of_memory,
        "peak": {"low": report.peak_bytes, "high": report.peak_high_bytes, "event": report.peak_event},
        "reserved": report.peak_reserved_bytes,
        "fragmentation": report.peak_reserved_bytes - report.peak_bytes,
        "alive": [to_json(row) for row in report.alive],
        "notes": reason_documents(notes_of(report)),
        "events": report.event_count,
        "operators": report.operator_count,
        "seconds": report.seconds,
    }


def _compared(row: SimulatedRow) -> Document:
    return {
        "kind": row.kind,
        "id": row.id,
        "estimated": row.estimated,
        "simulated": row.simulated,
        "difference": row.difference_bytes,
        "error": row.error,
        "why": None if row.why is None else str(row.why),
    }
