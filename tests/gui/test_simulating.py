"""Simulations in the window: every state, the latest edit, and nothing left behind."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from optmem_gui.core.requests import SimulateRequest
from optmem_gui.engine.child import Launch
from optmem_gui.engine.simulation import SimulationEvent, SimulationLimits, SimulationOutcome, Simulator
from optmem_gui.engine.worker_process import child_environment
from optmem_gui.gui import settings as keys
from optmem_gui.gui.dialogs.function import FunctionDialog, functions_in
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.panels.simulation import SimulationPanel
from optmem_gui.gui.snapshot import SimulateStage, SimulationState
from optmem_gui.gui.store import Store
from tests.gui.conftest import settle
from tests.gui.simulation_samples import simulated
from tests.waiting import PATIENCE_S

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
    limits = SimulationLimits(PATIENCE_S, PATIENCE_S, cancel_s=0.3, patience_s=PATIENCE_S)

    class Odd(Simulator):
        """The fake worker does what the optimizer says."""

        def simulate(
            self, request: SimulateRequest, on_event: Callable[[SimulationEvent], None]
        ) -> SimulationOutcome:
            return super().simulate(replace(request, work=replace(request.work, optimizer=doing)), on_event)

    monkeypatch.setattr(
        window.runs.simulations, "_make", lambda python: Odd(python, worker=launch, limits=limits)
    )


def panel_of(window: MainWindow) -> SimulationPanel:
    panel = window.results.panel("simulation")
    assert isinstance(panel, SimulationPanel)
    return panel


def wait_for(store: Store, qtbot: QtBot, *stages: SimulateStage) -> None:
    qtbot.waitUntil(lambda: store.snapshot.simulation.stage in stages)


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
    window.runs.simulations.start()
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
    window.runs.simulations.start()
    wait_for(store, qtbot, SimulateStage.FAILED)
    assert "keras.Adam" in panel_of(window).status.text()


def test_out_of_memory_is_a_result(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    with_worker(window, monkeypatch, "does not fit")
    window.runs.simulations.start()
    wait_for(window.store, qtbot, SimulateStage.DONE)
    assert "Does not fit" in panel_of(window).status.text()
    assert tile(window)[0] == "does not fit"


def test_stop_ends_a_simulation_and_another_one_can_start(
    window: MainWindow, store: Store, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_worker(window, monkeypatch, "traces")
    window.actions_table["simulate"].trigger()
    qtbot.waitUntil(lambda: store.snapshot.simulation.phase == "forward")
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
    window.runs.simulations.start()
    qtbot.waitUntil(lambda: store.snapshot.simulation.phase == "forward")
    assert window.close()
    assert all(thread.isFinished() for thread in window.runs.simulations._threads)


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
    assert not window.runs.simulations._later.isActive()  # there was no simulation yet
    window.runs.simulations.start()
    wait_for(store, qtbot, SimulateStage.DONE)
    started: list[object] = []
    store.simulation_changed.connect(lambda snapshot: started.append(snapshot.simulation.scenario))
    for batch in ("3", "4", "5"):
        store.edit("batch", batch)
    qtbot.waitUntil(lambda: tile(window)[0] == "5 B")
    assert len(set(map(id, started))) == 1  # one simulation for three quick edits
    store.edit("batch", "nonsense")
    assert not window.runs.simulations._later.isActive()  # the figures still belong to 5


def test_a_later_edit_takes_the_place_of_a_simulation_under_way(
    window: MainWindow, store: Store, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_worker(window, monkeypatch, "traces")
    window.runs.simulations.start()
    qtbot.waitUntil(lambda: store.snapshot.simulation.phase == "forward")
    store.edit("batch", "9")
    window.runs.simulations.start()
    assert store.snapshot.simulation.scenario == store.snapshot.scenario
    assert store.snapshot.simulation.phase == "start"
    qtbot.waitUntil(lambda: len(window.runs.simulations._threads) == 1)
    assert store.snapshot.simulation.stage is SimulateStage.RUNNING


def test_without_the_wish_an_edit_starts_nothing(window: MainWindow, store: Store) -> None:
    store.set_simulation(simulated(store.snapshot))
    store.edit("batch", "2")
    assert not window.runs.simulations._later.isActive()


# The real tracer


def test_a_real_simulation_stands_beside_the_estimate(window: MainWindow, store: Store, qtbot: QtBot) -> None:
    for name, value in (("params", "200k"), ("precision", "fp32"), ("batch", "1"), ("sequence", "16")):
        store.edit(name, value)
    window.actions_table["simulate"].trigger()
    wait_for(store, qtbot, SimulateStage.DONE, SimulateStage.FAILED)
    result = store.snapshot.simulated
    assert result is not None, store.snapshot.simulation.reason
    report = result.report
    assert window.results.timeline.show_simulated.isChecked()
    # Every byte at the peak is in the list.
    assert sum(row.bytes for row in report.alive) == report.peak_bytes
    assert panel_of(window).alive.model.rowCount() > 0
    rows = {row.id: row for row in result.rows if row.kind == "component"}
    # Whole blocks of 512 bytes: never less than the estimate's bytes, and less than a block more a tensor.
    for component in ("weights", "optimizer_state"):
        beyond = rows[component].simulated - rows[component].estimated
        assert 0 <= beyond < 512 * 4 * store.snapshot.scenario.model.tensor_count, component


def test_a_target_that_is_the_cpu_is_simulated_as_one(
    window: MainWindow, store: Store, qtbot: QtBot, tmp_path: Path
) -> None:
    for name, value in (("params", "200k"), ("precision", "fp32"), ("batch", "1"), ("sequence", "16")):
        store.edit(name, value)
    store.load_scenario(replace(store.snapshot.scenario, target="cpu"), tmp_path / "cpu.optmem")
    window.actions_table["simulate"].trigger()
    wait_for(store, qtbot, SimulateStage.DONE, SimulateStage.FAILED)
    result = store.snapshot.simulated
    assert result is not None, store.snapshot.simulation.reason
    assert result.report.target.device == "cpu"
    assert result.usable_bytes is None
    (peak,) = (row for row in result.rows if row.kind == "peak")
    assert abs(peak.difference_bytes) <= 16
    panel = panel_of(window)
    assert "reserved" not in panel.figures.text()
    assert "on the CPU" in panel.note.text()


# A function of the user's own

STEP = """
import torch
from torch import nn

def other(path):
    return path

def step(size=8):
    model = nn.Linear(size, size)
    return model, torch.zeros(3, size), lambda model, batch: model(batch).sum()
"""


@pytest.fixture
def function(tmp_path: Path) -> str:
    path = tmp_path / "own_step.py"
    path.write_text(STEP)
    return f"{path}:step"


def test_functions_of_a_file_are_found_without_running_it(function: str, tmp_path: Path) -> None:
    assert functions_in(Path(function.removesuffix(":step"))) == ("step",)  # the other one needs a path
    broken = tmp_path / "broken.py"
    broken.write_text("def step(:\n")
    assert functions_in(broken) == ()
    hostile = tmp_path / "hostile.py"
    hostile.write_text("raise SystemExit\ndef step(*, device, other=1): ...\n")
    assert functions_in(hostile) == ("step",)
    assert functions_in(tmp_path / "absent.py") == ()


def test_a_function_runs_only_after_a_yes_that_shows_its_path(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    asked: list[str] = []
    buttons = QMessageBox.StandardButton
    answers = [buttons.No, buttons.Yes]

    def ask(_parent: object, _title: str, text: str, *_buttons: object) -> QMessageBox.StandardButton:
        asked.append(text)
        return answers.pop(0)

    monkeypatch.setattr(QMessageBox, "question", ask)
    dialog = FunctionDialog("", "", window)
    dialog._begin()
    assert "no file" in dialog.issue.text()
    assert asked == []
    file = function.removesuffix(":step")
    dialog.path.setText(file)
    assert dialog.name.currentText() == "step"
    dialog._begin()
    assert dialog.function == ""
    dialog._begin()
    assert dialog.function == function
    assert len(asked) == 2
    assert file in asked[0]
    dialog.deleteLater()


def test_a_function_is_simulated_in_place_of_the_model(
    window: MainWindow, store: Store, qtbot: QtBot, function: str
) -> None:
    store.edit("precision", "fp32")
    window.runs.simulations.start_function(function)
    wait_for(store, qtbot, SimulateStage.DONE, SimulateStage.FAILED)
    result = store.snapshot.simulation.result
    assert result is not None, store.snapshot.simulation.reason
    assert result.report.param_count == 8 * 8 + 8
    assert store.snapshot.simulated is None  # it says nothing about the model in the fields
    assert tile(window) == ("-", "of a function")
    assert panel_of(window).figures.text().startswith("Of own_step.py:step:")
    assert "own_step.py:step" in window.results.timeline.note.toolTip()


def test_a_finished_simulation_is_announced(
    window: MainWindow, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(
        QAccessible, "updateAccessibility", lambda event: said.append(event.message()), raising=True
    )
    store.set_simulation(simulated(store.snapshot))
    assert window._announcement.isActive()
    window._announce()
    assert said[-1].endswith("simulated 33.0 GiB 37.0 GiB reserved")
    store.edit("batch", "2")
    window._announce()
    assert "simulated" not in said[-1]  # it is none of the present inputs


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
