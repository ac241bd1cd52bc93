from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from PySide6.QtCore import QObject, Qt
from pytestqt.qtbot import QtBot

from optmem_gui.core.protocol import Hello, PhaseSample, Progress, Sample
from optmem_gui.core.requests import BareTensor, MeasureRequest
from optmem_gui.engine.child import Launch
from optmem_gui.engine.measurement import Limits, Measurement, MeasurementResult
from optmem_gui.engine.worker_process import child_environment
from optmem_gui.gui.tasks.measure import MeasureThread
from tests.engine import gate as gates
from tests.engine.gate import Gate
from tests.gui.conftest import settle

FAKE = Path(__file__).parents[1] / "engine" / "fake_worker.py"
REQUEST = MeasureRequest("cpu", "torch.optim.AdamW", tensors=(BareTensor((50, 20), "fp32"),), steps=2)
Start = Callable[[str], "Heard"]

gate = gates.gate


class Heard(QObject):
    """A thread and everything it said, with the time at which it said each batch.

    A QObject, because Qt takes back what it still holds for one that is gone: a plain object would be
    called after its end.
    """

    def __init__(self, thread: MeasureThread) -> None:
        super().__init__()
        self.running = thread
        self.progress: list[object] = []
        self.batches: list[tuple[Any, ...]] = []
        self.times: list[float] = []
        self.outcomes: list[object] = []
        thread.progress.connect(self._hear)
        thread.samples.connect(self._take)
        thread.samples.connect(self._note_time, Qt.ConnectionType.DirectConnection)
        thread.finished_with.connect(self._end)

    def _hear(self, event: object) -> None:
        self.progress.append(event)

    def _end(self, outcome: object) -> None:
        self.outcomes.append(outcome)

    def _take(self, batch: tuple[Any, ...]) -> None:
        self.batches.append(batch)

    def _note_time(self, batch: tuple[Any, ...]) -> None:
        """In the thread that says it: the one that paints may hear several at once."""
        del batch
        self.times.append(time.monotonic())

    @property
    def outcome(self) -> MeasurementResult:
        (outcome,) = self.outcomes
        assert isinstance(outcome, MeasurementResult)
        return outcome


@pytest.fixture
def start(qapp: object) -> Iterator[Start]:
    """Start a measurement by a worker that behaves in a given way; what it still says is heard out."""
    del qapp
    all_heard: list[Heard] = []

    def begin(behaviour: str) -> Heard:
        command = (sys.executable, str(FAKE), behaviour)
        launch = Launch(command, child_environment(os.environ), str(FAKE.parent))
        measurement = Measurement(worker=launch, limits=Limits(patience_s=0.5))
        heard = Heard(MeasureThread(REQUEST, measurement))
        heard.running.start()
        all_heard.append(heard)
        return heard

    yield begin
    for heard in all_heard:
        heard.running.shut_down()
    settle()


def test_everything_arrives_and_the_outcome_comes_last(qtbot: QtBot, start: Start) -> None:
    heard = start("normal")
    qtbot.waitUntil(heard.running.isFinished)
    qtbot.waitUntil(lambda: bool(heard.outcomes))
    assert heard.outcome.status == "done"
    assert isinstance(heard.progress[0], Hello)
    assert all(isinstance(event, Progress) for event in heard.progress[1:])
    events = [event for batch in heard.batches for event in batch]
    assert [e for e in events if isinstance(e, PhaseSample)] == list(heard.outcome.phases)
    assert [e for e in events if isinstance(e, Sample)] == list(heard.outcome.samples)


def test_batches_come_at_most_thirty_times_a_second(qtbot: QtBot, gate: Gate, start: Start) -> None:
    """Of n batches n - 3 have a whole thirtieth before them.

    The first comes at once and may be late, so the second may be early, and the last comes when it ends.
    """
    heard = start("normal")
    qtbot.waitUntil(lambda: len(heard.batches) >= 20)
    gate.open()
    qtbot.waitUntil(lambda: bool(heard.outcomes))
    assert len(heard.times) == len(heard.batches)
    assert len(heard.times) - 3 <= 30 * (heard.times[-1] - heard.times[0])


def test_stop_ends_it_while_the_worker_hangs(qtbot: QtBot, start: Start) -> None:
    heard = start("hangs")
    qtbot.waitUntil(lambda: bool(heard.progress))
    heard.running.stop()
    qtbot.waitUntil(lambda: bool(heard.outcomes))
    assert heard.outcome.status == "cancelled"
    heard.running.wait()


def test_shutting_down_leaves_no_process(qtbot: QtBot, start: Start) -> None:
    heard = start("stubborn")
    qtbot.waitUntil(lambda: len(heard.progress) > 1)
    heard.running.shut_down()
    assert heard.running.isFinished()
    assert not psutil.Process().children(recursive=True)


def test_stopping_before_it_ran_and_after_it_ended_is_harmless(qtbot: QtBot, start: Start) -> None:
    heard = start("normal")
    heard.running.stop()
    qtbot.waitUntil(lambda: bool(heard.outcomes))
    assert heard.outcome.status in ("cancelled", "done")
    heard.running.shut_down()
    heard.running.shut_down()


def test_a_defect_arrives_as_the_exception_it_is(qtbot: QtBot) -> None:
    class Broken(Measurement):
        def run(self, request: MeasureRequest, on_event: object) -> MeasurementResult:
            raise ZeroDivisionError(str(request.device))

    heard = Heard(MeasureThread(REQUEST, Broken()))
    heard.running.start()
    qtbot.waitUntil(lambda: bool(heard.outcomes))
    assert isinstance(heard.outcomes[0], ZeroDivisionError)
    heard.running.wait()


def test_a_real_measurement_on_the_cpu(qtbot: QtBot) -> None:
    heard = Heard(MeasureThread(REQUEST))
    heard.running.start()
    qtbot.waitUntil(lambda: bool(heard.outcomes))
    heard.running.wait()
    assert heard.outcome.status == "done", heard.outcome.detail
    assert heard.outcome.result is not None
    found = heard.outcome.result.steady.categories
    assert (found.weights, found.gradients, found.optimizer_state) == (4_000, 4_000, 8_004)
    assert heard.outcome.hello is not None
    assert heard.outcome.hello.device == "CPU"
