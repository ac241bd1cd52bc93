"""The recorded self-check: what it shows, and that the page and the present estimates agree with it."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from optmem_gui.core.estimate import compute
from optmem_gui.core.measuring import measure_request, measured_scenario
from optmem_gui.core.reasons import Reason
from optmem_gui.core.requests import SimulateRequest
from optmem_gui.core.selfcheck import Workload, workloads
from optmem_gui.core.simulating import SimulationTarget
from optmem_gui.engine.measurement import MeasurementResult
from optmem_gui.engine.selfcheck import Checked
from optmem_gui.engine.simulation import SimulationOutcome
from optmem_gui.report.selfcheck_document import (
    SCALAR_BYTES,
    row_cells,
    selfcheck_document,
    selfcheck_page,
    selfcheck_text,
    summary_of,
)

DOCS = Path(__file__).parents[2] / "resources" / "docs"
RECORDED: dict[str, Any] = json.loads((DOCS / "selfcheck-cpu.json").read_text(encoding="utf-8"))
ROWS: dict[str, Any] = {row["workload"]: row for row in RECORDED["rows"]}
README = DOCS.parents[1] / "README.md"


def test_the_page_is_that_of_the_recording() -> None:
    assert (DOCS / "selfcheck.md").read_text(encoding="utf-8") == selfcheck_page(RECORDED)
    assert RECORDED["summary"] == summary_of(RECORDED["rows"])


def test_the_recording_has_every_run_and_none_failed() -> None:
    assert list(ROWS) == [each.id for each in workloads()]
    assert not any(row["failed"] for row in ROWS.values())


@pytest.mark.parametrize("workload", workloads(), ids=lambda each: each.id)
def test_the_present_estimate_meets_what_was_measured(workload: Workload) -> None:
    now = compute(measured_scenario(workload.scenario, "cpu"))
    row = ROWS[workload.id]
    assert now.component("optimizer_state").bytes == row["state"][1]
    for component in ("weights", "gradients", "master_weights", "buffers"):
        assert now.component(component).bytes == row["components"][component][1], component
    assert abs(now.peak_bytes - row["measured"]) <= 0.01 * row["measured"]
    assert (now.peak_bytes, now.peak_phase) == (row["estimated"], row["peak_phases"][0])


def test_the_present_estimates_are_near_in_the_middle() -> None:
    errors = [
        abs(compute(measured_scenario(each.scenario, "cpu")).peak_bytes / ROWS[each.id]["measured"] - 1)
        for each in workloads()
    ]
    assert median(errors) <= 0.002


@pytest.mark.parametrize("row", RECORDED["rows"], ids=lambda row: row["workload"])
def test_the_trace_met_torchs_own_events(row: dict[str, Any]) -> None:
    assert abs(row["simulated"] - row["measured"]) <= SCALAR_BYTES
    for phase, (_, simulated, measured) in row["phases"].items():
        if row["precision"] == "fp32" or phase not in ("forward", "backward"):
            assert abs(simulated - measured) <= SCALAR_BYTES, phase
        else:  # oneDNN's packed matrices in 16 bits come on top of what a trace sees
            assert 0.95 * measured <= simulated <= measured + SCALAR_BYTES, phase


def test_the_read_me_tells_of_this_recording() -> None:
    summary = RECORDED["summary"]
    line = next(line for line in README.read_text(encoding="utf-8").splitlines() if "selfcheck.md" in line)
    assert f"{summary['runs']} runs" in line
    assert f"{summary['estimated_worst']:.3%}".replace("%", " %") in line


def failed() -> Checked:
    workload = workloads()[0]
    request = measure_request(workload.scenario, "cpu")
    traced = SimulateRequest(request, SimulationTarget("", device="cpu"))
    reason = Reason("measure.too_few_steps", {"steps": 1, "fewest": 2})
    return Checked(
        workload,
        compute(measured_scenario(workload.scenario, "cpu")),
        SimulationOutcome("failed", traced, reason=reason),
        MeasurementResult("failed", request, reason=reason),
    )


def test_a_run_that_fails_says_why() -> None:
    checked = failed()
    document = selfcheck_document([checked])
    assert document["device"] is None
    assert document["summary"]["failed"] == 1
    assert document["rows"][0]["failed"] == [str(checked.measurement.reason)] * 2
    assert "1 runs, 1 failed" in selfcheck_text(document)
    assert f"{checked.workload.id}: {checked.measurement.reason}" in selfcheck_text(document)


def test_what_is_far_off_is_named_and_what_is_near_is_told_in_bytes() -> None:
    row = {**RECORDED["rows"][0], "workload": "far", "estimated": 102_000_000, "simulated": 99_999_988}
    row |= {"measured": 100_000_000, "state_error_bytes": -4}
    assert row_cells(row)[3:] == ["-4", "102,000,000", "99,999,988", "100,000,000", "+2.000%", "-12 B"]
    assert row_cells({**row, "estimated": 100_000_000})[7] == "exact"
    document = {"device": None, "rows": [row], "summary": summary_of([row])}
    assert "Estimated peak more than 1% off: far" in selfcheck_text(document)
    assert "within 1 %" not in selfcheck_text(document)
    on_gpu = {**row, "reserved": [0, 0, 1 << 30, (1 << 30) + (39 << 20)]}
    beyond = {**row, "reserved": [0, 0, 1 << 30, (1 << 30) + (41 << 20)]}
    rows = [on_gpu, beyond]
    shown = selfcheck_text({"device": None, "rows": rows, "summary": summary_of(rows)})
    assert "Simulated reserve: 1 of 2 within 1 % or 40 MiB" in shown
