"""``optmem selfcheck`` with one run in place of all, what is refused, and what an interrupt leaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import psutil
import pytest

from optmem_gui.core.selfcheck import workloads
from optmem_gui.report.selfcheck_document import SCALAR_BYTES
from tests.cli.conftest import Optmem
from tests.waiting import PATIENCE_S, is_alive, until


@pytest.fixture
def one_run(monkeypatch: pytest.MonkeyPatch) -> str:
    """The first run of a short check alone."""
    first = next(each for each in workloads() if each.quick)
    monkeypatch.setattr("optmem_gui.cli.selfcheck.workloads", lambda: (first,))
    return first.id


def test_a_run_is_estimated_simulated_and_measured(optmem: Optmem, one_run: str) -> None:
    answer = optmem("selfcheck", "--device", "cpu", "--quick", "--json")
    assert answer.code == 0, answer.err
    (row,) = answer.document["rows"]
    assert (row["workload"], row["device"], row["state_error_bytes"]) == (one_run, "CPU", 0)
    assert row["components"]["optimizer_state"][1] > 0
    assert abs(row["simulated"] - row["measured"]) <= SCALAR_BYTES
    assert abs(row["estimated"] - row["measured"]) <= 0.002 * row["measured"]
    assert answer.document["summary"]["simulated_exact"] == 1
    assert answer.document["device"]["torch"]


def test_a_device_that_is_not_there_is_named(optmem: Optmem) -> None:
    assert "tpu" in optmem("selfcheck", "--device", "tpu").refusal


AT_A_TERMINAL = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("optmem_gui", run_name="__main__", alter_sys=True)
"""
"""Listens to Ctrl-C also where a shell runs the tests in its background and has it ignored."""


def is_at_work(pid: int) -> bool:
    """A worker has been importing torch for a while: nothing is just being started."""
    try:
        return any(child.cpu_times().user > 0.5 for child in psutil.Process(pid).children())
    except psutil.NoSuchProcess:  # one that has ended meanwhile
        return False


@pytest.mark.skipif(os.name != "posix", reason="signals of a terminal")
def test_ctrl_c_leaves_no_process() -> None:
    command = (sys.executable, "-c", AT_A_TERMINAL, "selfcheck", "--device", "cpu", "--quick")
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert until(lambda: is_at_work(run.pid))
    started = psutil.Process(run.pid).children(recursive=True)
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 130
    assert said.decode().splitlines()[-1] == "optmem: stopped"
    assert until(lambda: not any(is_alive(child.pid) for child in started))
