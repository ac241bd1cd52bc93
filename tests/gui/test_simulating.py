"""Simulations in the window: every state, the latest edit, and nothing left behind."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from pytestqt.qtbot import QtBot

from optmem_gui.core.requests import SimulateRequest
from optmem_gui.engine.child import Launch
from optmem_gui.engine.simulation import SimulationEvent, SimulationLimits, SimulationOutcome, Simulator
from optmem_gui.engine.worker_process import child_environment
from optmem_gui.gui import settings as keys
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.panels.simulation import SimulationPanel
from optmem_gui.gui.snapshot import SimulateStage, SimulationState
from optmem_gui.gui.store import Store
from tests.gui.conftest import settle
from tests.gui.simulation_samples import simulated

FAKE = Path(__file__).parents[1] / "engine" / "fake_simulator.py"


@pytest.fixture(autouse=True)
def _no_process_left() -> Iterator[None]:
    """Every worker that a test started is gone at its end."""
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    yield
    left = [child for child in psutil.Process().children(recursive=True) if child.pid not in before]
    assert left == []


def with_worker(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, doing: str = "", behaviour: str = ""
) -> None:
    """Let the window simulate with a worker that behaves in a given way."""
    launch = Launch((sys.executable, str(FAKE), behaviour), child_environment(os.environ), str(FAKE.parent))
    limits = SimulationLimits(start_s=30.0, silence_s=30.0, cancel_s=0.3)

    class Odd(Simulator):
        """The fake worker does what the optimizer says."""

        def simulate(
            self, request: SimulateRequest, on_event: Callable[[SimulationEvent], None]
        ) -> SimulationOutcome:
            return super().simulate(replace(request, work=replace(request.work, optimizer=doing)), on_event)

    monkeypatch.setattr(window.simulations, "_make", lambda python: Odd(python, worker=launch, limits=limits))


def panel_of(window: MainWindow) -> SimulationPanel:
    panel = window.results.panel("simulation")
    assert isinstance(panel, SimulationPanel)
    return panel


def wait_for(store: Store, qtbot: QtBot, *stages: SimulateStage) -> None:
    qtbot.waitUntil(lambda: store.snapshot.simulation.stage in stages, timeout=30_000)


def tile(window: MainWindow) -> tuple[str, str]:
    shown = window.results.headline.simulated
    return shown.number.text(), shown.note.text()


def test_a_simulation_runs_through_its_stages(
    window: MainWindow, store: Store, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_worker(window, monkeypatch)
    store.edit("batch", "7")
    stages: list[SimulateStage] = []
    store.simulation_changed.connect(lambda snapshot: stages.append(snapshot.simulation.stage))
    assert window.results.panel("simulation") is None  # the start does without it
    assert tile(window) == ("-", "not simulated")
    window.actions_table["simulate"].trigger()
    assert window.actions_table["stop"].isEnabled()
    wait_for(store, qtbot, SimulateStage.DONE)
    assert list(dict.fromkeys(stages)) == [SimulateStage.RUNNING, SimulateStage.DONE]
    # The fake worker's peak is the batch.
    assert tile(window) == ("7 B", "7 B reserved")
    assert panel_of(window).isVisible()
    assert not window.actions_table["stop"].isEnabled()
    result = store.snapshot.simulated
    assert result is not None
    assert result.scenario == store.snapshot.scenario


@pytest.mark.parametrize(
    ("doing", "behaviour", "words"),
    [
        ("dies", "", "crashed"),
        ("leaves", "", "status 7"),
        ("refuses", "", "a.B"),
        ("", "garbage", "no simulation"),
        ("", "wrong version", "protocol version"),
    ],
)
def test_whatever_happens_to_the_worker_is_a_clear_state(
    window: MainWindow,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    doing: str,
    behaviour: str,
    words: str,
) -> None:
    with_worker(window, monkeypatch, doing, behaviour)
    window.simulations.start()
    wait_for(window.store, qtbot, SimulateStage.FAILED)
    assert words in panel_of(window).status.text()
    assert tile(window) == ("-", "failed")
    estimated = window.results.headline.estimated.number.text()
    assert estimated not in ("", "-")  # the estimate stays
    assert window.actions_table["simulate"].isEnabled()


def test_what_cannot_be_traced_is_said(
    window: MainWindow, store: Store, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_worker(window, monkeypatch)
    store.edit("optimizer", "keras.Adam")
    window.simulations.start()
    wait_for(store, qtbot, SimulateStage.FAILED)
    assert "keras.Adam" in panel_of(window).status.text()


def test_out_of_memory_is_a_result(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    with_worker(window, monkeypatch, "does not fit")
    window.simulations.start()
    wait_for(window.store, qtbot, SimulateStage.DONE)
    assert "Does not fit" in panel_of(window).status.text()
    assert tile(window)[0] == "does not fit"


def test_stop_ends_a_simulation_and_another_one_can_start(
    window: MainWindow, store: Store, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_worker(window, monkeypatch, "traces")
    window.actions_table["simulate"].trigger()
    qtbot.waitUntil(lambda: store.snapshot.simulation.phase == "forward", timeout=30_000)
    assert "step 1 of 3" in panel_of(window).status.text()
    window.actions_table["stop"].trigger()
    wait_for(store, qtbot, SimulateStage.CANCELLED)
    assert tile(window) == ("-", "stopped")
    window.actions_table["simulate"].trigger()
    assert store.snapshot.simulation.stage is SimulateStage.RUNNING


@pytest.mark.parametrize("doing", ["traces", "stuck"])
def test_closing_in_mid_simulation_leaves_nothing(
    window: MainWindow, store: Store, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, doing: str
) -> None:
    with_worker(window, monkeypatch, doing)
    window.simulations.start()
    qtbot.waitUntil(lambda: store.snapshot.simulation.phase == "forward", timeout=30_000)
    assert window.close()
    assert all(thread.isFinished() for thread in window.simulations._threads)


# After an edit


def test_an_old_result_is_never_shown_for_a_new_input(window: MainWindow, store: Store) -> None:
    state = simulated(store.snapshot)
    store.set_simulation(state)
    assert tile(window) == ("33.0 GiB", "37.0 GiB reserved")
    panel = panel_of(window)
    assert "earlier" not in panel.figures.text()
    store.edit("batch", "2")
    assert tile(window) == ("-", "inputs changed")
    assert panel.figures.text().startswith("Of earlier inputs")
    assert "earlier inputs" in window.results.timeline.note.toolTip()
    store.undo_stack.undo()
    assert tile(window) == ("33.0 GiB", "37.0 GiB reserved")
    assert "earlier" not in panel.figures.text()


def test_edits_are_followed_when_that_is_wanted_and_the_latest_wins(
    window: MainWindow, store: Store, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_worker(window, monkeypatch)
    window.actions_table["simulate_after_edit"].trigger()
    assert window._settings.get(keys.SIMULATE_AFTER_EDIT)
    store.edit("batch", "2")
    assert not window.simulations._later.isActive()  # there was no simulation yet
    window.simulations.start()
    wait_for(store, qtbot, SimulateStage.DONE)
    started: list[object] = []
    store.simulation_changed.connect(lambda snapshot: started.append(snapshot.simulation.scenario))
    for batch in ("3", "4", "5"):
        store.edit("batch", batch)
    qtbot.waitUntil(lambda: tile(window)[0] == "5 B", timeout=30_000)
    assert len(set(map(id, started))) == 1  # one simulation for three quick edits
    store.edit("batch", "nonsense")
    assert not window.simulations._later.isActive()  # the figures still belong to 5


def test_a_later_edit_takes_the_place_of_a_simulation_under_way(
    window: MainWindow, store: Store, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_worker(window, monkeypatch, "traces")
    window.simulations.start()
    qtbot.waitUntil(lambda: store.snapshot.simulation.phase == "forward", timeout=30_000)
    store.edit("batch", "9")
    window.simulations.start()
    assert store.snapshot.simulation.scenario == store.snapshot.scenario
    assert store.snapshot.simulation.phase == "start"
    qtbot.waitUntil(lambda: len(window.simulations._threads) == 1, timeout=30_000)
    assert store.snapshot.simulation.stage is SimulateStage.RUNNING


def test_without_the_wish_an_edit_starts_nothing(window: MainWindow, store: Store) -> None:
    store.set_simulation(simulated(store.snapshot))
    store.edit("batch", "2")
    assert not window.simulations._later.isActive()


# Views


def test_the_view_comes_and_takes_turns_with_the_measurement(window: MainWindow, store: Store) -> None:
    from optmem_gui.gui.snapshot import MeasurementState, MeasureStage

    side = window.results.side
    assert not side.isVisible()
    store.set_simulation(SimulationState(SimulateStage.RUNNING, store.snapshot.scenario, phase="start"))
    assert side.isVisible()
    assert side.front == "simulation"
    assert not any(button.isVisible() for button in side.buttons.buttons())
    store.set_measurement(MeasurementState(MeasureStage.PREPARING))
    assert side.front == "measurement"
    assert all(button.isVisible() for button in side.buttons.buttons())
    store.set_simulation(simulated(store.snapshot))
    assert side.front == "measurement"  # a result does not push in front of what the user looks at
    store.set_measurement(MeasurementState())
    assert side.front == "simulation"
    settle()
