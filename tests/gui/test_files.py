from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QThread, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot
from safetensors.torch import save_file

from optmem_gui.checkpoints import opening
from optmem_gui.checkpoints.contents import Progress
from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.core.reasons import Reason
from optmem_gui.gui import settings as keys
from optmem_gui.gui.drop import dropped_path
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.store import Store
from tests.gui.conftest import settle


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A checkpoint of 3 x 4 + 5 = 17 parameters, under a name that is not plain."""
    folder = tmp_path / "模型 ü"
    folder.mkdir()
    path = folder / "a & b.safetensors"
    save_file({"layer.weight": torch.zeros(3, 4), "layer.bias": torch.zeros(5)}, str(path))
    return path


def open_and_wait(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    window.open(path)
    qtbot.waitUntil(lambda: not window.loader.is_busy)
    settle()


def test_a_checkpoint_is_opened_and_broken_down(
    window: MainWindow, store: Store, weights: Path, qtbot: QtBot
) -> None:
    store.edit("precision", "fp32")
    open_and_wait(window, weights, qtbot)
    assert store.snapshot.scenario.model.param_count == 17
    assert store.snapshot.scenario.precision == "fp32"  # an edit made before stays
    assert store.snapshot.breakdown is not None
    assert store.snapshot.breakdown.component("weights").bytes == 4 * 17
    page = window.inputs.model.file
    assert page.isVisible()
    assert page.path.text() == "a & b.safetensors"
    assert "17 parameters in 2 tensors" in page.summary.text()
    assert "Nothing was loaded" in page.summary.text()
    store.undo_stack.undo()
    assert store.snapshot.scenario.model.param_count == 7_000_000_000
    assert window.inputs.model.params.isVisible()


def test_optimizer_state_in_a_checkpoint_is_told(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    model = torch.nn.Linear(8, 8)
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(2, 8)).sum().backward()
    optimizer.step()
    path = tmp_path / "run.pt"
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
    open_and_wait(window, path, qtbot)
    assert "adam" in window.inputs.model.file.summary.text().lower()


def test_what_cannot_be_opened_is_said_and_the_model_stays(
    window: MainWindow, store: Store, tmp_path: Path, qtbot: QtBot
) -> None:
    path = tmp_path / "notes.safetensors"
    path.write_text("not a checkpoint", encoding="utf-8")
    open_and_wait(window, path, qtbot)
    assert window.notice.isVisible()
    assert "notes.safetensors" in window.notice.text.text()
    assert store.snapshot.scenario.model.param_count == 7_000_000_000
    assert store.undo_stack.count() == 0
    qtbot.mouseClick(window.notice.close_button, Qt.MouseButton.LeftButton)
    assert not window.notice.isVisible()


def slow_reader(started: list[Path]) -> Callable[..., object]:
    """A reader that works until it is asked to stop."""
    from optmem_gui.checkpoints.contents import Cancelled

    def read(
        path: Path,
        *,
        progress: Callable[[Progress], None],
        cancelled: Callable[[], bool],
        build: Callable[..., object],
    ) -> object:
        assert callable(build)
        started.append(path)
        progress(Progress(path.name, 1, 4))
        while not cancelled():
            QThread.msleep(5)
        raise Cancelled

    return read


def test_a_reading_shows_its_progress_and_can_be_cancelled(
    window: MainWindow, store: Store, weights: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "open_checkpoint", slow_reader([]))
    window.open(weights)
    page = window.inputs.model.file
    qtbot.waitUntil(lambda: page.progress.isVisible() and page.progress.maximum() == 4)
    store.edit("clip", True)  # the window stays alive meanwhile
    qtbot.mouseClick(page.cancel, Qt.MouseButton.LeftButton)
    assert not page.progress.isVisible()
    assert store.snapshot.scenario.model.param_count == 7_000_000_000
    assert store.snapshot.scenario.clip


def test_a_file_opened_while_another_is_read_wins(
    window: MainWindow,
    weights: Path,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = open_checkpoint
    started: list[Path] = []
    monkeypatch.setattr(opening, "open_checkpoint", slow_reader(started))
    window.open(tmp_path / "slow.safetensors")
    qtbot.waitUntil(lambda: len(started) == 1)
    monkeypatch.setattr(opening, "open_checkpoint", real)
    open_and_wait(window, weights, qtbot)
    assert window.store.snapshot.scenario.model.param_count == 17
    assert window.store.undo_stack.count() == 1


def test_closing_while_a_file_is_read_ends_the_reading(
    window: MainWindow, weights: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Path] = []
    monkeypatch.setattr(opening, "open_checkpoint", slow_reader(started))
    window.open(weights)
    qtbot.waitUntil(lambda: len(started) == 1)
    assert window.close()


# Scenarios


def choose(monkeypatch: pytest.MonkeyPatch, path: Path | None) -> list[str]:
    """Answer every save dialog with a path; collects the names that were proposed."""
    proposed: list[str] = []

    def select(self: QFileDialog, name: str) -> None:
        proposed.append(name)

    monkeypatch.setattr(QFileDialog, "selectFile", select)
    monkeypatch.setattr(QFileDialog, "exec", lambda self: int(path is not None))
    monkeypatch.setattr(QFileDialog, "selectedFiles", lambda self: [str(path)])
    return proposed


def test_save_and_open_again(
    window: MainWindow, store: Store, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.optmem"
    proposed = choose(monkeypatch, path)
    store.edit("optimizer", "torch.SGD")
    store.edit("option.momentum", "0.9")
    store.edit("batch", "12")
    saved = store.snapshot.scenario
    window.actions_table["save"].trigger()
    assert proposed == ["7B parameters.optmem"]
    assert "run.optmem" in window.windowTitle()
    assert not window.isWindowModified()
    store.edit("batch", "13")
    assert window.isWindowModified()
    open_and_wait(window, path, qtbot)
    assert store.snapshot.scenario == saved
    assert not window.isWindowModified()
    assert not window.notice.isVisible()


def test_a_scenario_whose_model_file_is_gone_opens_and_says_so(
    window: MainWindow, store: Store, weights: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_and_wait(window, weights, qtbot)
    path = weights.parent / "run.optmem"
    choose(monkeypatch, path)
    window.actions_table["save_as"].trigger()
    weights.unlink()
    store.edit("params", "1B")
    open_and_wait(window, path, qtbot)
    assert store.snapshot.scenario.model.param_count == 17
    assert window.notice.isVisible()


def test_what_is_saved_is_what_the_figures_belong_to(
    window: MainWindow, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.edit("params", "nonsense")
    path = tmp_path / "run.optmem"
    choose(monkeypatch, path)
    window.actions_table["save"].trigger()
    assert json.loads(path.read_text(encoding="utf-8"))["format"] == "optmem-scenario"


def test_a_place_that_cannot_be_written_to_is_said(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(monkeypatch, tmp_path / "no such folder" / "run.optmem")
    window.actions_table["save"].trigger()
    assert window.notice.isVisible()
    assert "no such folder" in window.notice.text.text()


@pytest.mark.parametrize(
    ("answer", "closes"),
    [(QMessageBox.StandardButton.Discard, True), (QMessageBox.StandardButton.Cancel, False)],
)
def test_changes_to_a_named_file_are_not_lost_without_a_question(
    window: MainWindow,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: QMessageBox.StandardButton,
    closes: bool,
) -> None:
    choose(monkeypatch, tmp_path / "run.optmem")
    window.actions_table["save"].trigger()
    window.store.edit("batch", "3")
    monkeypatch.setattr(QMessageBox, "question", lambda *_: answer)
    assert window.close() is closes
    monkeypatch.setattr(QMessageBox, "question", lambda *_: QMessageBox.StandardButton.Discard)


def test_recent_files_are_listed_and_missing_ones_grey(
    window: MainWindow, weights: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    open_and_wait(window, weights, qtbot)
    gone = tmp_path / "gone.pt"
    window._settings.add_recent(gone)
    menu = window.actions_table.submenus["recent"]
    window.files.fill_recent(menu)
    missing, there, *_ = menu.actions()
    assert not missing.isEnabled()
    assert there.isEnabled()
    assert "a && b" in there.text()  # a menu takes a single & for a mnemonic
    assert there.toolTip() == str(weights)
    menu.actions()[-1].trigger()
    assert window._settings.get(keys.RECENT) == []


# Dropping


def mime(*urls: str | Path) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(url)) if isinstance(url, Path) else QUrl(url) for url in urls])
    return data


@pytest.mark.parametrize(
    ("names", "key"),
    [
        (["a.pt", "b.pt"], "drop.several"),
        (["picture.jpg"], "drop.unknown_kind"),
    ],
)
def test_what_is_not_taken_has_a_reason(tmp_path: Path, names: list[str], key: str) -> None:
    found = dropped_path(mime(*(tmp_path / name for name in names)))
    assert isinstance(found, Reason)
    assert found.key == key
    assert str(found)


def test_nothing_from_the_network_is_taken() -> None:
    found = dropped_path(mime("https://example.org/model.safetensors"))
    assert isinstance(found, Reason)
    assert found.key == "drop.nothing_local"


@pytest.mark.parametrize(
    "name", ["m.safetensors", "m.PT", "m.gguf", "m.onnx", "m.npz", "config.json", "run.optmem", "0a1b2c3d"]
)
def test_models_and_scenarios_are_taken(tmp_path: Path, name: str) -> None:
    assert dropped_path(mime(tmp_path / name)) == tmp_path / name


def test_a_folder_is_taken_whatever_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "v1.0"
    folder.mkdir()
    assert dropped_path(mime(folder)) == folder


def test_a_file_is_dropped_on_the_window(
    window: MainWindow, store: Store, weights: Path, qtbot: QtBot
) -> None:
    data = mime(weights)
    action, button, keys_ = (
        Qt.DropAction.CopyAction,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(9, 9), action, data, button, keys_))
    assert window.drop_frame.isVisible()
    assert window.drop_frame.text == "Open a & b.safetensors"
    QApplication.sendEvent(window, QDragLeaveEvent())
    assert not window.drop_frame.isVisible()
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(9, 9), action, data, button, keys_))
    QApplication.sendEvent(window, QDropEvent(QPointF(9, 9), action, data, button, keys_))
    qtbot.waitUntil(lambda: store.snapshot.scenario.model.param_count == 17)
    settle()


def test_a_refused_drop_says_why(window: MainWindow, tmp_path: Path) -> None:
    data = mime(tmp_path / "a.pt", tmp_path / "b.pt")
    action, button, keys_ = (
        Qt.DropAction.CopyAction,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(9, 9), action, data, button, keys_))
    assert "2 items" in window.drop_frame.text
    QApplication.sendEvent(window, QDropEvent(QPointF(9, 9), action, data, button, keys_))
    assert window.notice.isVisible()
    assert not window.loader.is_busy


def test_no_field_keeps_a_dropped_file_for_itself(window: MainWindow, store: Store) -> None:
    store.edit("optimizer", "torch.SGD")  # builds new fields
    store.edit("lora", True)
    settle()
    greedy = [child for child in window.findChildren(QWidget) if child.acceptDrops()]
    assert [f"{type(child).__name__} {child.objectName()}" for child in greedy] == []
