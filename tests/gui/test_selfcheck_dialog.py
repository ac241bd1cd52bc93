"""The self-check in the window: rows as they come, a stop that keeps them, files, and nothing left behind."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from pytestqt.qtbot import QtBot

from optmem_gui.core.selfcheck import workloads
from optmem_gui.engine.child import Launch
from optmem_gui.engine.devices import CPU, Device, Devices
from optmem_gui.engine.measurement import Limits, Measurement
from optmem_gui.engine.selfcheck import SelfCheck
from optmem_gui.engine.simulation import Simulator
from optmem_gui.engine.worker_process import child_environment
from optmem_gui.gui.dialogs.selfcheck import SelfCheckDialog
from optmem_gui.gui.main_window import MainWindow
from tests.waiting import PATIENCE_S

ENGINE = Path(__file__).parents[1] / "engine"
QUICK_COUNT = sum(each.quick for each in workloads())


@pytest.fixture(autouse=True)
def _no_process_left() -> Iterator[None]:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    yield
    assert not [child for child in psutil.Process().children(recursive=True) if child.pid not in before]


def launch(script: str, behaviour: str) -> Launch:
    command = (sys.executable, str(ENGINE / script), behaviour)
    return Launch(command, child_environment(os.environ), str(ENGINE))


def dialog_with(qtbot: QtBot, *behaviours: str) -> SelfCheckDialog:
    """A worker that behaves in these ways, one after the other; in the last one from then on."""
    patient = Limits(start_s=PATIENCE_S, silence_s=PATIENCE_S, patience_s=PATIENCE_S, settle_s=0.05)
    waiting = list(behaviours or ("normal",))

    def measurement() -> Measurement:
        behaviour = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        limits = replace(patient, patience_s=0.5) if behaviour == "hangs" else patient
        worker, sampler = launch("fake_worker.py", behaviour), launch("fake_sampler.py", "normal")
        return Measurement(worker=worker, sampler=sampler, limits=limits)

    def make(device: str) -> SelfCheck:
        return SelfCheck(
            device,
            measurement=measurement,
            simulator=lambda: Simulator(worker=launch("fake_simulator.py", "normal")),
        )

    dialog = SelfCheckDialog(make)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def test_the_table_fills_run_by_run_and_can_be_saved(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = dialog_with(qtbot)
    assert dialog.device.currentData() == "cpu"
    assert not dialog.save_json.isEnabled()
    seen: list[int] = []
    dialog.rows.modelReset.connect(lambda: seen.append(dialog.rows.rowCount()))
    dialog.start.click()
    assert dialog.stop.isEnabled()
    assert not dialog.start.isEnabled()
    qtbot.waitUntil(lambda: not dialog.is_running)
    assert seen == list(range(1, QUICK_COUNT + 1)) or seen == list(range(QUICK_COUNT + 1))
    first = next(each for each in workloads() if each.quick)
    assert dialog.rows.rows[0].cells[:2] == (first.id, first.scenario.precision)
    assert f"{QUICK_COUNT} runs, 0 failed" in dialog.status.text()
    dialog.save(tmp_path / "check.json", "json")
    document = json.loads((tmp_path / "check.json").read_text(encoding="utf-8"))
    assert len(document["rows"]) == document["summary"]["runs"] == QUICK_COUNT
    dialog.save(tmp_path / "check.md", "md")
    assert f"| {first.id} | {first.shape} |" in (tmp_path / "check.md").read_text(encoding="utf-8")
    dialog.save(tmp_path / "nowhere" / "check.md", "md")
    assert dialog.issue.isVisible()


def test_a_stop_keeps_what_was_finished(qtbot: QtBot) -> None:
    dialog = dialog_with(qtbot, "normal", "hangs")
    dialog.start.click()
    qtbot.waitUntil(lambda: dialog.rows.rowCount() >= 1)
    dialog.stop.click()
    qtbot.waitUntil(lambda: not dialog.is_running)
    assert dialog.rows.rowCount() == 1
    assert dialog.save_json.isEnabled()


def test_closing_in_mid_run_ends_it(qtbot: QtBot) -> None:
    dialog = dialog_with(qtbot, "hangs")
    dialog.start.click()
    qtbot.wait(300)
    dialog.close()
    dialog.shut_down()
    qtbot.waitUntil(lambda: not dialog.is_running)
    assert dialog.rows.rowCount() == 0


def test_why_nothing_can_be_run_is_said(qtbot: QtBot) -> None:
    dialog = dialog_with(qtbot, "cpu torch")
    dialog.start.click()
    qtbot.waitUntil(lambda: not dialog.is_running)
    assert "2.13.0+cpu" in dialog.issue.text()
    assert dialog.start.isEnabled()


def test_a_run_that_fails_says_so_in_its_row(qtbot: QtBot) -> None:
    dialog = dialog_with(qtbot, "leaves")
    dialog.start.click()
    qtbot.waitUntil(lambda: not dialog.is_running)
    assert {row.cells[2] for row in dialog.rows.rows} == {"failed"}
    assert "status 0" in dialog.rows.rows[0].tip
    assert dialog.status.text() == f"All {QUICK_COUNT} runs failed."


def test_the_menu_opens_it(window: MainWindow) -> None:
    window.actions_table["selfcheck"].trigger()
    dialog = window.runs.selfcheck
    assert dialog.isVisible()
    gpu = Device("GPU-1", "NVIDIA L4", 1, 1)
    dialog.offer(Devices((gpu,), Device(CPU, "CPU", 1, 1), None))
    assert [dialog.device.itemData(at) for at in range(2)] == ["GPU-1", CPU]
    assert dialog.device.currentData() == CPU  # what was chosen stays
    dialog.close()
