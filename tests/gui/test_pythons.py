"""The Python that simulates and measures, as the window shows, finds and remembers it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from optmem_gui import paths
from optmem_gui.engine import pythons as engine_pythons
from optmem_gui.gui import pythons
from optmem_gui.gui import settings as keys
from optmem_gui.gui.dialogs.settings import SettingsDialog
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.python_search import PythonSearch
from optmem_gui.gui.settings import Settings
from optmem_gui.gui.snapshot import MeasureStage, SimulateStage
from optmem_gui.gui.widgets.python_field import PythonField

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stand-ins are shell scripts")


@pytest.fixture
def answering(tmp_path: Path) -> Callable[..., str]:
    """Stand-ins that answer as a Python with torch does."""

    def make(name: str, torch_version: str = "2.13.0", *accelerators: str) -> str:
        answer = {"version": [3, 12, 1], "bits": 64, "torch": torch_version, "accelerators": accelerators}
        path = tmp_path / name / "bin" / "python3"
        path.parent.mkdir(parents=True)
        path.write_text(f"#!/bin/sh\necho 'optmem-python {json.dumps(answer)}'\n", encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    return make


@pytest.fixture
def bundled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a bundle without torch, on a computer without another Python."""
    paths.resource_dir()  # found before, as it stays where it is
    folder = tmp_path / "bundle"
    (folder / paths.WORKER_FILES).mkdir(parents=True)
    for module in (paths, pythons):
        monkeypatch.setattr(module, "bundle_dir", lambda: folder)
    for name in ("CONDA_PREFIX", "PYENV_ROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    engine_pythons.default_python.cache_clear()
    yield
    engine_pythons.default_python.cache_clear()


@pytest.fixture
def field(settings: Settings, qtbot: QtBot) -> Iterator[PythonField]:
    made = PythonField(settings)
    made.show()
    yield made
    made.hide()
    made.deleteLater()


def said(field: PythonField, qtbot: QtBot) -> tuple[str, str]:
    """What the field says once it has its answer."""
    qtbot.waitUntil(lambda: field.state.text() != "Looking..." and field._thread is None)
    return field.state.text(), field.issue.text()


def test_from_source_the_field_tells_of_this_python(field: PythonField, qtbot: QtBot) -> None:
    assert field.edit.placeholderText() == "the one this program runs in"
    state, _ = said(field, qtbot)
    assert state.startswith("Python {}.{}.{}, torch {}".format(*sys.version_info[:3], torch.__version__))


def test_a_choice_is_looked_at_when_typing_ends(
    field: PythonField, qtbot: QtBot, answering: Callable[..., str]
) -> None:
    said(field, qtbot)
    field.edit.setText(answering("cuda", "2.13.0+cu130", "CUDA 13.0"))
    assert field._later.isActive()
    field._later.timeout.emit()
    assert said(field, qtbot) == ("Python 3.12.1, torch 2.13.0+cu130, CUDA 13.0", "")
    field.edit.setText("/no/such/python")
    field.check()
    state, issue = said(field, qtbot)
    assert state == ""
    assert issue == "⚠ /no/such/python does not exist; choose another Python in the settings"
    field.edit.setText(answering("cpu", "2.13.0+cpu"))
    field.check()
    state, issue = said(field, qtbot)
    assert issue == ""
    assert state.startswith("Python 3.12.1, torch 2.13.0+cpu")
    assert ("is a CPU build" in state) == (sys.platform != "darwin")


def test_what_is_said_is_seen_in_full(settings: Settings, qtbot: QtBot) -> None:
    settings.set(keys.WORKER_PYTHON, "/no/such/folder/of/a/long/name/for/an/environment/bin/python")
    dialog = SettingsDialog(settings)
    dialog.show()
    field = dialog.findChild(PythonField)
    assert field is not None
    assert said(field, qtbot)[1]
    qtbot.waitUntil(lambda: field.issue.height() >= field.issue.heightForWidth(field.issue.width()))
    dialog.reject()
    dialog.deleteLater()


def test_the_button_keeps_an_environments_link(
    field: PythonField, qtbot: QtBot, answering: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    python = answering("chosen")
    asked: list[object] = []

    def choose(*_: object, options: QFileDialog.Option) -> tuple[str, str]:
        asked.append(options)
        return python, ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", choose)
    field.choose.click()
    assert field.edit.text() == python
    assert said(field, qtbot)[0].startswith("Python 3.12.1")
    assert asked == [QFileDialog.Option.DontResolveSymlinks]


def test_a_hanging_python_holds_nothing_up(
    qapp: QApplication, settings: Settings, tmp_path: Path, qtbot: QtBot
) -> None:
    hangs = tmp_path / "hangs"
    hangs.write_text("#!/bin/sh\nexec sleep 3600\n", encoding="utf-8")
    hangs.chmod(0o755)
    settings.set(keys.WORKER_PYTHON, str(hangs))
    dialog = SettingsDialog(settings)
    dialog.show()
    field = dialog.findChild(PythonField)
    assert field is not None
    assert field._thread is not None
    thread = field._thread
    dialog.reject()  # waits until the process is gone
    assert thread.isFinished()
    dialog.deleteLater()


def test_a_bundle_finds_one_and_remembers_it(
    bundled: None,
    settings: Settings,
    answering: Callable[..., str],
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert pythons.needs_python()
    assert pythons.shown_python("") == "the first Python with torch that is found"
    python = answering("env")
    monkeypatch.setenv("CONDA_PREFIX", str(Path(python).parent.parent))
    search = PythonSearch(settings)
    search.start()
    qtbot.waitUntil(lambda: pythons.worker_python(settings) == python)
    assert settings.get(keys.WORKER_PYTHON) == ""  # found is not chosen
    # At the next start it is asked again, and the active environment does not matter.
    monkeypatch.delenv("CONDA_PREFIX")
    search.start()
    qtbot.waitUntil(lambda: search._thread is None)
    assert pythons.worker_python(settings) == python
    # Gone: nothing is left to run under.
    Path(python).unlink()
    search.start()
    qtbot.waitUntil(lambda: search._thread is None)
    assert pythons.worker_python(settings) == ""
    # A choice is the user's, whatever is found.
    settings.set(keys.WORKER_PYTHON, "/mine")
    search.start()
    assert search._thread is None
    assert pythons.worker_python(settings) == "/mine"
    search.close()


def test_the_field_shows_what_a_bundle_found(
    bundled: None,
    settings: Settings,
    answering: Callable[..., str],
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    field = PythonField(settings)
    field.show()
    assert field.edit.placeholderText() == "the first one found that has torch"
    state, issue = said(field, qtbot)
    assert state == ""
    assert "No Python with torch was found" in issue
    python = answering("env", "2.13.0", "ROCm 6.4")
    monkeypatch.setenv("CONDA_PREFIX", str(Path(python).parent.parent))
    field.check()
    assert said(field, qtbot) == ("Python 3.12.1, torch 2.13.0, ROCm 6.4", "")
    assert field.edit.placeholderText() == python
    field.hide()
    field.deleteLater()


def test_a_bundle_with_torch_looks_for_none(
    bundled: None, settings: Settings, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "bundle" / "torch").mkdir()
    assert not pythons.needs_python()
    field = PythonField(settings)
    field.show()
    assert said(field, qtbot) == ("The torch of this program", "")
    field.hide()
    field.deleteLater()


def test_without_a_python_simulate_and_measure_say_the_next_step(
    window: MainWindow, bundled: None, qtbot: QtBot
) -> None:
    store = window.store
    window.runs.simulations.start()
    qtbot.waitUntil(lambda: store.snapshot.simulation.stage is SimulateStage.FAILED)
    reason = store.snapshot.simulation.reason
    assert reason is not None
    assert reason.key == "python.none"
    store.edit("params", "1M")
    window.runs.measurer.start()
    qtbot.waitUntil(lambda: store.snapshot.measurement.stage is MeasureStage.FAILED)
    reason = store.snapshot.measurement.reason
    assert reason is not None
    assert reason.key == "python.none"
