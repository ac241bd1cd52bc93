"""The self-check as a JSON document, and the same as a page."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from optmem_gui.core.breakdown import PHASE_IDS, Breakdown
from optmem_gui.core.comparison import compare
from optmem_gui.core.protocol import Result
from optmem_gui.core.simulated import steady_phases
from optmem_gui.core.simulating import SimulationReport
from optmem_gui.core.units import MIB, format_count
from optmem_gui.engine.selfcheck import Checked
from optmem_gui.report.json_document import SCHEMA, Document
from optmem_gui.report.tables import Table, to_aligned

SCALAR_BYTES = 16
"""Python numbers that torch makes tensors of for one operator on the CPU, which a trace does not see."""

BEYOND = 0.01
"""An error of an estimated peak from which on a row is named on the page."""

_RESERVED = (0.01, 40 * MIB)
"""What a reserved peak may be off, whichever is more: a share of it, and bytes."""

HEADS = (
    "run",
    "model",
    "precision",
    "state",
    "estimated",
    "simulated",
    "measured",
    "estimated",
    "simulated",
)


def selfcheck_document(rows: Sequence[Checked]) -> Document:
    """What every run shows: bytes of the optimizer state and of the peak of the steady step."""
    hello = next((row.measurement.hello for row in rows if row.measurement.hello is not None), None)
    documents = [row_document(row) for row in rows]
    device = None
    if hello is not None:
        device = {"name": hello.device, "torch": hello.torch, "architecture": hello.architecture}
    return {"schema": SCHEMA, "device": device, "rows": documents, "summary": summary_of(documents)}


def row_document(checked: Checked) -> Document:
    """One run. ``estimated``, ``simulated`` and ``measured`` are the peak of what torch allocates."""
    scenario, hello = checked.workload.scenario, checked.measurement.hello
    head: Document = {
        "workload": checked.workload.id,
        "device": None if hello is None else hello.device,
        "kind": checked.workload.kind,
        "model": checked.workload.shape,
        "optimizer": scenario.optimizer,
        "precision": scenario.precision,
        "checkpointing": scenario.checkpointing,
        "steps": checked.workload.steps,
    }
    report, result = checked.simulation.report, checked.measurement.result
    reasons = (checked.simulation.reason, checked.measurement.reason)
    if report is None or result is None or any(reason is not None for reason in reasons):
        return {**head, "failed": [str(reason) for reason in reasons if reason is not None]}
    return {**head, "failed": [], **_figures(checked, report, result)}


def _figures(checked: Checked, report: SimulationReport, result: Result) -> Document:
    breakdown = checked.breakdown
    compared = compare(breakdown, result)
    reserved = next((row for row in compared if row.kind == "reserved"), None)
    measured = max(result.steady.phases, key=lambda sample: sample.peak_bytes)
    state = breakdown.component("optimizer_state").bytes, result.steady.categories.optimizer_state
    document: Document = {
        "state_error_bytes": state[0] - state[1],
        "estimated": breakdown.peak_bytes,
        "simulated": report.peak_bytes,
        "measured": measured.peak_bytes,
        "state": list(state),
        "peak_phases": [breakdown.peak_phase, report.peak_phase, measured.phase],
        "phases": _phases(breakdown, report, result),
        "components": {row.id: [row.estimated, row.measured] for row in compared if row.kind == "component"},
    }
    if reserved is not None:
        document["reserved"] = [
            breakdown.reserved.low,
            breakdown.reserved.high,
            report.peak_reserved_bytes,
            reserved.measured,
        ]
        process = breakdown.process
        document["process"] = [process.low, process.high, checked.measurement.process_peak_bytes]
    return document


def _phases(breakdown: Breakdown, report: SimulationReport, result: Result) -> Document:
    """The largest moment of each phase of the steady step, estimated, simulated and measured."""
    traced: dict[str, int] = {}
    for phase in steady_phases(report):
        traced[phase.phase] = max(phase.peak_bytes, traced.get(phase.phase, 0))
    real: dict[str, int] = {}
    for sample in result.steady.phases:
        real[sample.phase] = max(sample.peak_bytes, real.get(sample.phase, 0))
    return {
        phase: [breakdown.phase(phase).bytes, traced.get(phase, 0), real[phase]]
        for phase in PHASE_IDS
        if phase in real
    }


def summary_of(rows: Sequence[Document]) -> Document:
    """What the rows come to."""
    whole = [row for row in rows if not row["failed"]]
    summary: Document = {
        "runs": len(rows),
        "failed": len(rows) - len(whole),
        "state_apart": max((abs(row["state_error_bytes"]) for row in whole), default=0),
        "simulated_exact": sum(abs(row["simulated"] - row["measured"]) <= SCALAR_BYTES for row in whole),
    }
    for said in ("simulated", "estimated"):
        errors = [abs(_error(row, said)) for row in whole]
        summary[f"{said}_median"] = median(errors) if errors else None
        summary[f"{said}_worst"] = max(errors, default=None)
    reserved = [row["reserved"] for row in whole if "reserved" in row]
    summary["reserved_runs"] = len(reserved)
    summary["reserved_near"] = sum(
        abs(said - real) <= max(_RESERVED[0] * real, _RESERVED[1]) for _, _, said, real in reserved
    )
    return summary


def _error(row: Document, said: str) -> float:
    real: int = row["measured"]
    difference: int = row[said] - real
    return difference / real


_CPU_NOTE = (
    "Not predicted on a CPU: the matrices that oneDNN packs for products in 16 bits, which depend on the",
    "processor (in passes of amp-bf16), and the scalars of operators over lists, at most 16 bytes.",
    "",
)


def selfcheck_text(document: Document) -> str:
    """For a terminal: the rows, then what they come to."""
    cells = tuple(tuple(row_cells(row)) for row in document["rows"])
    return "\n".join([to_aligned(Table(HEADS, cells, frozenset(range(3, 9)))), *_lines(document)])


def selfcheck_page(document: Document) -> str:
    """The committed page."""
    device = document["device"] or {"name": "no device", "torch": "none"}
    marks = [":--"] * 3 + ["--:"] * 6
    table = [HEADS, marks, *map(row_cells, document["rows"])]
    return "\n".join(
        [
            "# Self-check",
            "",
            f"`optmem selfcheck` on {device['name']} with torch {device['torch']}. Peaks are bytes of the",
            "last step; an error is (prediction - measured) / measured. State is the optimizer's, estimated",
            "less measured, in bytes.",
            "",
            *(f"- {line}" for line in _lines(document)),
            "",
            *(_CPU_NOTE if device["name"] == "CPU" else ()),
            *("| " + " | ".join(cells) + " |" for cells in table),
            "",
        ]
    )


def _lines(document: Document) -> list[str]:
    found: dict[str, Any] = document["summary"]
    lines = [f"{found['runs']} runs, {found['failed']} failed"]
    if found["simulated_median"] is not None:
        simulated = f"median {found['simulated_median']:.2%}, worst {found['simulated_worst']:.2%}"
        lines += [
            f"Optimizer state: at most {format_count(found['state_apart'])} bytes apart",
            f"Simulated peak: {found['simulated_exact']} within {SCALAR_BYTES} bytes, {simulated}",
            f"Estimated peak: median {found['estimated_median']:.3%}, worst {found['estimated_worst']:.3%}",
            *_phase_lines(document["rows"]),
        ]
    if found["reserved_runs"]:
        lines.append(
            f"Simulated reserve: {found['reserved_near']} of {found['reserved_runs']} within 1 % or 40 MiB"
        )
    lines += [f"{row['workload']}: {why}" for row in document["rows"] for why in row["failed"]]
    return lines


def _phase_lines(rows: Sequence[Document]) -> list[str]:
    """The worst phase of all, and every row whose estimated peak is off by more than 1 %."""
    whole = [row for row in rows if not row["failed"]]
    lines = []
    for place, said in ((1, "Simulated"), (0, "Estimated")):
        off = {
            (row["workload"], phase): (sizes[place] - sizes[2]) / sizes[2]
            for row in whole
            for phase, sizes in row["phases"].items()
            if sizes[2]
        }
        worst = max(off, key=lambda key: abs(off[key]))
        where = f"{worst[1].replace('_', ' ')} of {worst[0]}"
        lines.append(
            f"{said} phases: median {median(map(abs, off.values())):.3%}, worst {off[worst]:+.3%} ({where})"
        )
    beyond = [row["workload"] for row in whole if abs(_error(row, "estimated")) > BEYOND]
    if beyond:
        lines.append(f"Estimated peak more than {BEYOND:.0%} off: {', '.join(beyond)}")
    return lines


def row_cells(row: Document) -> list[str]:
    """One row of the table, under :data:`HEADS`."""
    head = [row["workload"], row["model"], row["precision"]]
    if row["failed"]:
        return [*head, "failed", *[""] * 5]
    return [
        *head,
        format_count(row["state_error_bytes"]),
        *(format_count(row[side]) for side in ("estimated", "simulated", "measured")),
        *(_off(row, side) for side in ("estimated", "simulated")),
    ]


def _off(row: Document, said: str) -> str:
    """The error, in bytes where it would be 0.000 % and is not 0."""
    difference: int = row[said] - row["measured"]
    if difference == 0:
        return "exact"
    error = f"{_error(row, said):+.3%}"
    return f"{difference:+,} B" if error.endswith("0.000%") else error
