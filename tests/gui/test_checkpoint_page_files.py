"""The page of a checkpoint: an adapter on its base, files that change, work that is stopped."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from safetensors.torch import save_file

from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Lora
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.panels.checkpoint import CheckpointPage
from optmem_gui.gui.store import Store
from optmem_gui.gui.tasks import inspect
from tests.gui import test_checkpoint_page as shown
from tests.gui.conftest import settle
from tests.gui.test_checkpoint_page import is_behind, is_shown, open_page, param_count, quiet

MakeWindow = Callable[..., MainWindow]

page, sharded = shown.page, shown.sharded
"""The same fixtures as those of the page's other tests."""


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    """LoRA of rank 4 on two modules of the sharded model."""
    folder = tmp_path / "adapter"
    folder.mkdir()
    tensors = {}
    for layer in (0, 1):
        base = f"base_model.model.model.layers.{layer}.mlp.a."
        tensors[f"{base}lora_A.weight"] = torch.zeros(4, 64)
        tensors[f"{base}lora_B.weight"] = torch.zeros(64, 4)
    save_file(tensors, folder / "adapter_model.safetensors")
    config = {"peft_type": "LORA", "r": 4, "target_modules": ["a"], "base_model_name_or_path": "me/tiny"}
    (folder / "adapter_config.json").write_text(json.dumps(config))
    return folder


def test_an_adapter_is_put_on_its_base_and_made_a_setting(
    window: MainWindow,
    store: Store,
    qtbot: QtBot,
    adapter: Path,
    sharded: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = open_page(window, adapter, qtbot)
    own, base = 2 * 2 * 4 * 64, 5 * 64 * 64 + 99 * 64
    assert "rank 4, on a. Its base (me/tiny) is not counted" in page.adapter.text.text()
    assert page.adapter.setting.isHidden()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_args: str(sharded))
    count = store.undo_stack.count()
    page.adapter.folder.click()
    quiet(window, qtbot)
    model = store.snapshot.scenario.model
    assert model.param_count == own + base
    assert sum(group.param_count for group in model.groups if group.trainable) == own
    assert store.undo_stack.count() == count + 1
    assert "counted on sharded, which is frozen" in page.adapter.text.text()
    page.adapter.setting.click()
    scenario = store.snapshot.scenario
    assert scenario.model.param_count == base
    assert scenario.lora == Lora(4, ("a",), "fp32")
    store.undo_stack.undo()
    assert store.snapshot.scenario.model == model
    assert store.snapshot.scenario.lora is None
    store.undo_stack.undo()
    quiet(window, qtbot)
    assert param_count(store) == own
    assert "is not counted" in page.adapter.text.text()


# Files that change


def notices(store: Store) -> list[Reason]:
    said: list[Reason] = []
    store.noticed.connect(said.append)
    return said


def test_a_file_that_changes_or_vanishes_is_a_message(
    window: MainWindow, store: Store, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "m.safetensors"
    save_file({"a.weight": torch.zeros(4, 4)}, path)
    page = open_page(window, path, qtbot)
    said = notices(store)
    save_file({"a.weight": torch.zeros(5, 4)}, path)
    qtbot.waitUntil(lambda: len(said) == 1)
    assert "changed on disk since it was read" in str(said[0])
    assert param_count(store) == 16
    page.again.click()
    quiet(window, qtbot)
    assert param_count(store) == 20
    path.unlink()
    qtbot.waitUntil(lambda: len(said) == 2)
    assert "no longer there" in str(said[1])
    page.again.click()
    quiet(window, qtbot)
    assert page.reason.text() != ""
    assert param_count(store) == 20  # what was known stays


def test_a_folder_is_watched_file_by_file(
    window: MainWindow, store: Store, qtbot: QtBot, sharded: Path
) -> None:
    window.open(sharded)
    qtbot.waitUntil(lambda: store.snapshot.inputs.checkpoint is not None)
    said = notices(store)
    (sharded / "model-00002-of-00002.safetensors").unlink()
    qtbot.waitUntil(lambda: len(said) == 1)
    (sharded / "runs").mkdir()  # a folder in it is none of its files
    qtbot.wait(600)
    assert len(said) == 1


def test_work_can_be_stopped_and_a_new_model_ends_it(
    window: MainWindow, store: Store, page: CheckpointPage, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reading that never ends by itself: what stands in for it waits for the wish to stop."""

    def waits(self: inspect.InspectThread) -> None:
        while not self.isInterruptionRequested():
            self.msleep(2)

    monkeypatch.setattr(inspect.InspectThread, "run", waits)
    page.choices.tied.box.click()
    settle()
    assert not page.progress.isHidden()
    assert "of the choice before" in page.working.text()
    assert is_behind(store)
    page.stop.click()
    quiet(window, qtbot)
    assert not is_behind(store)
    assert page.choices.tied.box.isChecked()
    page.choices.tied.box.click()
    store.edit("params", "1B")
    quiet(window, qtbot)
    assert not is_shown(window)
    assert not is_behind(store)
