"""``optmem selfcheck`` with one run in place of forty, and what is refused."""

from __future__ import annotations

import pytest

from optmem_gui.core.selfcheck import workloads
from optmem_gui.report.selfcheck_document import SCALAR_BYTES
from tests.cli.conftest import Optmem

pytestmark = pytest.mark.usefixtures("one_run")


@pytest.fixture
def one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first run of a short check alone."""
    first = next(each for each in workloads() if each.quick)
    monkeypatch.setattr("optmem_gui.cli.selfcheck.workloads", lambda: (first,))


def test_a_run_is_estimated_simulated_and_measured(optmem: Optmem) -> None:
    answer = optmem("selfcheck", "--device", "cpu", "--quick", "--json")
    assert answer.code == 0, answer.err
    (row,) = answer.document["rows"]
    assert row["state"]["estimated"] == row["state"]["measured"] > 0
    assert abs(row["peak"]["simulated"] - row["peak"]["measured"]) <= SCALAR_BYTES
    assert answer.document["summary"]["simulated_exact"] == 1
    assert answer.document["device"]["torch"]


def test_a_device_that_is_not_there_is_named(optmem: Optmem) -> None:
    assert "tpu" in optmem("selfcheck", "--device", "tpu").refusal


def test_a_short_check_is_a_part_of_the_whole_one() -> None:
    short = [each.id for each in workloads() if each.quick]
    assert len(short) == 7
    assert len({each.id for each in workloads()}) == 40
