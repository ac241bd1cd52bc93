"""The whole self-check on a real GPU; without one it is skipped, and says so."""

from __future__ import annotations

from statistics import median
from typing import Any

import pytest

from optmem_gui.core.selfcheck import workloads
from optmem_gui.engine.devices import list_devices
from optmem_gui.engine.selfcheck import SelfCheck
from optmem_gui.report.selfcheck_document import selfcheck_document

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def document() -> Any:
    devices = list_devices()
    if not devices.gpus:
        pytest.skip(f"no GPU: {devices.note}")
    rows = SelfCheck(devices.gpus[0].id).run(workloads(), lambda each: None, lambda row: None)
    return selfcheck_document(rows)


@pytest.mark.timeout(480)
def test_every_run_gives_its_figures(document: Any) -> None:
    assert [row["failed"] for row in document["rows"]] == [[]] * len(workloads())


def test_the_state_is_met_to_the_byte(document: Any) -> None:
    assert document["summary"]["state_apart"] == 0


@pytest.mark.parametrize("said", ["estimated", "simulated"])
def test_the_allocated_peak_is_near(said: str, document: Any) -> None:
    errors = [abs(row[said] - row["measured"]) / row["measured"] for row in document["rows"]]
    assert median(errors) <= 0.002
    assert max(errors) <= 0.01


def test_the_simulated_reserve_is_near(document: Any) -> None:
    summary = document["summary"]
    assert summary["reserved_near"] == summary["reserved_runs"] == len(workloads())
