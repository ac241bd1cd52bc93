"""The simulator with a worker that misbehaves in every way; the real worker has tests of its own."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from optmem_gui.core.protocol import Hello, Progress
from optmem_gui.core.requests import MeasureRequest, SimulateRequest
from optmem_gui.core.simulating import SimulationTarget
from optmem_gui.engine.child import Launch
from optmem_gui.engine.simulation import SimulationEvent, SimulationLimits, SimulationOutcome, Simulator
from optmem_gui.engine.worker_process import child_environment
from tests.waiting import PATIENCE_S, is_alive, until

FAKE = Path(__file__).with_name("fake_simulator.py")
PATIENT = SimulationLimits(PATIENCE_S, PATIENCE_S, cancel_s=PATIENCE_S, idle_s=3600, patience_s=PATIENCE_S)
"""For workers that stop and end when asked."""

FIRM = replace(PATIENT, cancel_s=0.2, patience_s=0.5)
"""For workers that have to be ended."""


def launch(behaviour: str = "normal") -> Launch:
    command = (sys.executable, str(FAKE), behaviour)
    return Launch(command, child_environment(os.environ), str(FAKE.parent))


def asked(doing: str = "normal", batch: int = 1, function: str = "") -> SimulateRequest:
    work = MeasureRequest("cpu", doing, batch=batch, function=function)
    return SimulateRequest(work, SimulationTarget("2.13"))


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with Simulator(worker=launch(), limits=PATIENT) as made:
        yield made
    assert not [thread for thread in threading.enumerate() if thread.name == "simulator"]


def workers() -> list[int]:
    return [child.pid for child in psutil.Process().children(recursive=True)]


def key_of(outcome: SimulationOutcome) -> str:
    assert outcome.reason is not None
    return outcome.reason.key


class InBackground:
    """A simulation in a thread of its own."""

    def __init__(self, simulator: Simulator, request: SimulateRequest) -> None:
        self._started = threading.Event()
        self._outcomes: list[SimulationOutcome] = []

        def hear(event: SimulationEvent) -> None:
            if isinstance(event, Progress):
                self._started.set()

        def run() -> None:
            self._outcomes.append(simulator.simulate(request, hear))

        self._thread = threading.Thread(target=run)
        self._thread.start()

    def wait_for_progress(self) -> None:
        assert self._started.wait(PATIENCE_S)

    def outcome(self) -> SimulationOutcome:
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        return self._outcomes[0]


def test_one_worker_serves_one_request_after_the_other(simulator: Simulator) -> None:
    events: list[SimulationEvent] = []
    first = simulator.simulate(asked(batch=5), events.append)
    one = workers()
    second = simulator.simulate(asked(batch=6), events.append)
    assert [first.status, second.status] == ["done", "done"]
    assert first.report is not None
    assert second.report is not None
    assert [first.report.peak_bytes, second.report.peak_bytes] == [5, 6]
    assert len(one) == 1
    assert workers() == one
    assert [type(event) for event in events] == [Hello, Progress, Progress]


@pytest.mark.parametrize(
    ("doing", "key", "words"),
    [
        ("dies", "simulate.crashed", "SIGSEGV"),
        ("leaves", "simulate.exited", "status 7"),
        ("refuses", "measure.no_library", "a.B"),
        ("no torch", "measure.no_torch", "no torch"),
    ],
)
def test_what_goes_wrong_is_named_and_the_next_one_works(
    simulator: Simulator, doing: str, key: str, words: str
) -> None:
    outcome = simulator.simulate(asked(doing), lambda _: None)
    assert outcome.status == "failed"
    assert key_of(outcome) == key
    assert words in str(outcome.reason)
    assert outcome.report is None
    assert simulator.simulate(asked(), lambda _: None).status == "done"


def test_last_words_are_the_detail(simulator: Simulator) -> None:
    assert "the last words" in simulator.simulate(asked("dies"), lambda _: None).detail


def test_out_of_memory_keeps_its_report(simulator: Simulator) -> None:
    outcome = simulator.simulate(asked("does not fit", batch=9), lambda _: None)
    assert outcome.status == "out_of_memory"
    assert outcome.report is not None
    assert outcome.report.peak_bytes == 9


def test_what_libraries_print_is_passed_over(simulator: Simulator) -> None:
    assert simulator.simulate(asked("chatters"), lambda _: None).status == "done"


@pytest.mark.parametrize(
    ("behaviour", "key"), [("garbage", "simulate.not_a_worker"), ("wrong version", "measure.wrong_version")]
)
def test_another_program_is_told(behaviour: str, key: str) -> None:
    with Simulator(worker=launch(behaviour), limits=FIRM) as simulator:
        assert key_of(simulator.simulate(asked(), lambda _: None)) == key


def test_a_python_that_is_not_there() -> None:
    with Simulator("/no/such/python") as simulator:
        for _ in range(2):
            assert key_of(simulator.simulate(asked(), lambda _: None)) == "simulate.no_python"


def test_a_later_request_takes_the_place_and_the_worker_stays(simulator: Simulator) -> None:
    first = InBackground(simulator, asked("traces"))
    first.wait_for_progress()
    one = workers()
    second = simulator.simulate(asked(batch=2), lambda _: None)
    assert first.outcome().status == "cancelled"
    assert key_of(first.outcome()) == "simulate.superseded"
    assert second.report is not None
    assert second.report.peak_bytes == 2
    assert workers() == one


def test_of_many_edits_the_latest_wins() -> None:
    with Simulator(worker=launch(), limits=FIRM) as simulator:
        running = [InBackground(simulator, asked("traces"))]
        running[0].wait_for_progress()
        for batch in range(2, 6):
            running.append(InBackground(simulator, asked("stuck" if batch < 5 else "normal", batch)))
            assert until(lambda: simulator._numbers == len(running))  # each is in line before the next
        *others, last = [task.outcome() for task in running]
    assert [outcome.status for outcome in others] == ["cancelled"] * 4
    assert last.report is not None
    assert last.report.peak_bytes == 5


def test_a_stop_is_heard_and_the_worker_stays(simulator: Simulator) -> None:
    task = InBackground(simulator, asked("traces"))
    task.wait_for_progress()
    one = workers()
    simulator.cancel()
    assert key_of(task.outcome()) == "simulate.cancelled"
    assert simulator.simulate(asked(), lambda _: None).status == "done"
    assert workers() == one


def test_who_stops_is_answered_while_the_worker_still_has_its_time() -> None:
    with Simulator(worker=launch(), limits=replace(FIRM, cancel_s=3600)) as simulator:
        task = InBackground(simulator, asked("stuck"))
        task.wait_for_progress()
        one = workers()
        simulator.cancel()
        assert task.outcome().status == "cancelled"
        assert workers() == one


@pytest.mark.parametrize("behaviour", ["normal", "deaf"])
def test_a_worker_that_does_not_stop_is_killed(behaviour: str) -> None:
    """It has its time, then it goes and another takes over."""
    with Simulator(worker=launch(behaviour), limits=FIRM) as simulator:
        task = InBackground(simulator, asked("stuck"))
        task.wait_for_progress()
        one = workers()
        simulator.cancel()
        assert task.outcome().status == "cancelled"
        assert simulator.simulate(asked(), lambda _: None).status == "done"
        assert not set(workers()) & set(one)


def test_a_worker_that_is_silent_for_too_long_is_ended() -> None:
    heard: list[SimulationEvent] = []
    with Simulator(worker=launch(), limits=replace(FIRM, silence_s=0.3)) as simulator:
        outcome = simulator.simulate(asked("stuck"), heard.append)
        assert key_of(outcome) == "simulate.silent"
        assert outcome.reason is not None
        last = next((event.stage for event in reversed(heard) if isinstance(event, Progress)), "start")
        assert outcome.reason.values["phase"] == last
        assert not workers()


def test_an_idle_worker_goes_and_comes_back() -> None:
    with Simulator(worker=launch(), limits=replace(PATIENT, idle_s=0.2)) as simulator:
        assert simulator.simulate(asked(), lambda _: None).status == "done"
        assert until(lambda: not workers())
        assert simulator.simulate(asked(), lambda _: None).status == "done"


def test_another_function_gets_a_process_of_its_own(simulator: Simulator) -> None:
    """Code of a user may change what torch does, so it shares a process with itself alone."""
    seen = []
    for function in ("", "a.py:f", "a.py:f", "b.py:f", ""):
        assert simulator.simulate(asked(function=function), lambda _: None).status == "done"
        seen.append(workers()[0])
    assert seen[0] == seen[1] == seen[2]
    assert len(set(seen)) == 3


@pytest.mark.parametrize("behaviour", ["normal", "deaf"])
def test_closing_ends_everything_and_answers_who_waits(behaviour: str) -> None:
    simulator = Simulator(worker=launch(behaviour), limits=PATIENT)
    task = InBackground(simulator, asked("stuck"))
    task.wait_for_progress()
    simulator.close()
    assert key_of(task.outcome()) == "simulate.closed"
    assert not workers()
    assert key_of(simulator.simulate(asked(), lambda _: None)) == "simulate.closed"
    simulator.close()


def test_a_failing_listener_cancels(simulator: Simulator) -> None:
    def fail(event: SimulationEvent) -> None:
        raise KeyError(str(event))

    with pytest.raises(KeyError):
        simulator.simulate(asked("traces"), fail)
    assert simulator.simulate(asked(), lambda _: None).status == "done"


def test_the_worker_dies_with_a_killed_parent(tmp_path: Path) -> None:
    """A parent that is killed leaves no worker, not even one that is deaf in native code."""
    pid_file = tmp_path / "pid"
    code = f"""
import os, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import psutil
from tests.engine.test_simulation import asked, launch
from optmem_gui.engine.simulation import Simulator
def hear(event):
    open({str(pid_file)!r}, "w").write(str(psutil.Process().children()[0].pid))
    os.kill(os.getpid(), 9)
Simulator(worker=launch()).simulate(asked("stuck"), hear)
"""
    environment = child_environment(os.environ)
    root = Path(__file__).resolve().parents[2]
    run: Callable[..., object] = psutil.Popen
    parent = run([sys.executable, "-c", code], env=environment, cwd=root)
    assert isinstance(parent, psutil.Popen)
    assert parent.wait(PATIENCE_S) == -9
    pid = int(pid_file.read_text())
    assert until(lambda: not is_alive(pid))
