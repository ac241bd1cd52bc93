"""The self-check as a JSON document, and the same as a page."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

from optmem_gui.core.comparison import compare
from optmem_gui.core.units import format_count
from optmem_gui.engine.selfcheck import Checked
from optmem_gui.report.json_document import SCHEMA, Document
from optmem_gui.report.tables import Table, to_aligned

_HEADS = (
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
    documents = [_row(row) for row in rows]
    device = None if hello is None else {"name": hello.device, "torch": hello.torch}
    return {"schema": SCHEMA, "device": device, "rows": documents, "summary": _summary(documents)}


def _row(checked: Checked) -> Document:
    scenario = checked.workload.scenario
    head: Document = {
        "id": checked.workload.id,
        "model": checked.workload.shape,
        "optimizer": scenario.optimizer,
        "precision": scenario.precision,
        "checkpointing": scenario.checkpointing,
    }
    report, result = checked.simulation.report, checked.measurement.result
    reasons = (checked.simulation.reason, checked.measurement.reason)
    if report is None or result is None or any(reason is not None for reason in reasons):
        return {**head, "failed": [str(reason) for reason in reasons if reason is not None]}
    compared = compare(checked.breakdown, result)
    reserved = next((row for row in compared if row.kind == "reserved"), None)
    measured = max(result.steady.phases, key=lambda sample: sample.peak_bytes)
    return {
        **head,
        "failed": [],
        "state": {
            "estimated": checked.breakdown.component("optimizer_state").bytes,
            "measured": result.steady.categories.optimizer_state,
        },
        "peak": {
            "estimated": checked.breakdown.peak_bytes,
            "simulated": report.peak_bytes,
            "measured": measured.peak_bytes,
            "phases": [checked.breakdown.peak_phase, report.peak_phase, measured.phase],
        },
        "reserved": None
        if reserved is None
        else {"simulated": report.peak_reserved_bytes, "measured": reserved.measured},
        "components": {row.id: [row.estimated, row.measured] for row in compared if row.kind == "component"},
    }


def _summary(rows: Sequence[Document]) -> Document:
    whole = [row for row in rows if not row["failed"]]
    estimated = [abs(_error(row, "estimated")) for row in whole]
    simulated = [abs(_error(row, "simulated")) for row in whole]
    return {
        "runs": len(rows),
        "failed": len(rows) - len(whole),
        "state_apart": max((abs(_apart(row, "state", "estimated")) for row in whole), default=0),
        "simulated_exact": sum(abs(_apart(row, "peak", "simulated")) <= SCALAR_BYTES for row in whole),
        "simulated_median": median(simulated) if simulated else None,
        "simulated_worst": max(simulated, default=None),
        "estimated_median": median(estimated) if estimated else None,
        "estimated_worst": max(estimated, default=None),
    }


SCALAR_BYTES = 16
"""Python numbers that torch makes tensors of for one operator on the CPU, which a trace does not see."""


def _apart(row: Document, what: str, said: str) -> int:
    difference: int = row[what][said] - row[what]["measured"]
    return difference


def _error(row: Document, said: str) -> float:
    real: int = row["peak"]["measured"]
    return _apart(row, "peak", said) / real


def selfcheck_text(document: Document) -> str:
    """For a terminal: the rows, then what they come to."""
    cells = tuple(tuple(_cells(row)) for row in document["rows"])
    return "\n".join([to_aligned(Table(_HEADS, cells, frozenset(range(3, 9)))), *_lines(document)])


def selfcheck_page(document: Document) -> str:
    """The committed page."""
    device = document["device"]
    marks = [":--"] * 3 + ["--:"] * 6
    table = [_HEADS, marks, *map(_cells, document["rows"])]
    return "\n".join(
        [
            "# Self-check",
            "",
            f"`optmem selfcheck` on {device['name']} with torch {device['torch']}, two steps each. Peaks are",
            "bytes in the second step; an error is (prediction - measured) / measured.",
            "State is the optimizer's, estimated less measured, in bytes.",
            "",
            *(f"- {line}" for line in _lines(document)),
            "",
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
            f"Estimated peak: median {found['estimated_median']:.2%}, worst {found['estimated_worst']:.2%}",
        ]
    lines += [f"{row['id']}: {why}" for row in document["rows"] for why in row["failed"]]
    return lines


def _cells(row: Document) -> list[str]:
    head = [row["id"], row["model"], row["precision"]]
    if row["failed"]:
        return [*head, "failed", *[""] * 5]
    peak = row["peak"]
    return [
        *head,
        format_count(_apart(row, "state", "estimated")),
        *(format_count(peak[side]) for side in ("estimated", "simulated", "measured")),
        *(f"{_error(row, side):+.3%}" for side in ("estimated", "simulated")),
    ]
