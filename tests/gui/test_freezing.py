"""Which parameters are trained, chosen by a pattern in the window."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from pytestqt.qtbot import QtBot
from safetensors.torch import save_file

from optmem_gui.architectures.presets import preset_ref, preset_spec
from optmem_gui.core.trainable import trained_ref
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.store import Store
from optmem_gui.gui.tasks import freeze
from tests.gui.conftest import settle


def type_pattern(window: MainWindow, qtbot: QtBot, pattern: str) -> None:
    """Put a pattern into the field as the keyboard does, and wait until it is followed or refused."""
    edit = window.inputs.model.trained.edit
    edit.setText(pattern)
    edit.textEdited.emit(pattern)

    def done() -> bool:
        freezing = window.store.snapshot.freezing
        return freezing is None or freezing.reason is not None

    qtbot.waitUntil(done)
    qtbot.waitUntil(lambda: not window.freezer.latest.threads)


def pending(store: Store) -> str:
    freezing = store.snapshot.freezing
    return "" if freezing is None else freezing.pattern


def state_bytes(store: Store) -> int:
    breakdown = store.snapshot.breakdown
    assert breakdown is not None
    return breakdown.component("optimizer_state").bytes


def test_only_what_the_pattern_finds_is_trained(window: MainWindow, store: Store, qtbot: QtBot) -> None:
    store.load_model(preset_ref("gpt2"), None)
    type_pattern(window, qtbot, r"ln_f")
    model = store.snapshot.scenario.model
    assert model.trained == "ln_f"
    assert model == trained_ref(preset_spec("gpt2"), "ln_f")
    # The last norm of GPT-2 has a weight and a bias of 768 elements each.
    trained = sum(group.param_count for group in model.groups if group.trainable)
    assert trained == 2 * 768
    assert "1,536 of 124,439,808" in window.inputs.model.trained.note.text()
    # Adam keeps two bf16 moments for each of them and an fp32 step for each tensor.
    assert state_bytes(store) == 2 * 2 * 1536 + 2 * 4
    store.undo_stack.undo()
    assert store.snapshot.scenario.model.trained == ""
    assert window.inputs.model.trained.edit.text() == ""
    store.undo_stack.redo()
    assert window.inputs.model.trained.edit.text() == "ln_f"
    type_pattern(window, qtbot, "")
    assert store.snapshot.scenario.model == preset_ref("gpt2")


def test_a_model_made_from_its_size_has_names_too(window: MainWindow, store: Store, qtbot: QtBot) -> None:
    store.edit("params", "10M")
    before = store.snapshot.scenario.model
    type_pattern(window, qtbot, "lm_head")
    after = store.snapshot.scenario.model
    assert (after.title, after.source, after.param_count) == (before.title, before.source, before.param_count)
    assert after.architecture == before.architecture
    assert {group.leaf for group in after.groups if group.trainable} == {"lm_head"}


def test_a_file_is_read_again_for_its_names(
    window: MainWindow, store: Store, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "two.safetensors"
    save_file({"body.weight": torch.zeros(5, 7), "head.weight": torch.zeros(3, 7)}, path)
    window.open(path)
    qtbot.waitUntil(lambda: store.snapshot.scenario.model.param_count == 56)
    type_pattern(window, qtbot, "^head")
    model = store.snapshot.scenario.model
    assert [(group.shape, group.trainable) for group in model.groups] == [((5, 7), False), ((3, 7), True)]
    assert store.snapshot.inputs.checkpoint is not None


@pytest.mark.parametrize(
    ("pattern", "words"), [("(", "not a regular expression"), ("zebra", "matches no parameter")]
)
def test_a_pattern_that_cannot_be_used_is_said_beside_the_field(
    window: MainWindow, store: Store, qtbot: QtBot, pattern: str, words: str
) -> None:
    store.edit("params", "10M")
    before = store.snapshot.scenario
    type_pattern(window, qtbot, pattern)
    field = window.inputs.model.trained
    assert words in field.issue.text()
    assert field.edit.text() == pattern
    assert store.snapshot.scenario is before
    assert "last valid input" in window.results.headline.peak.text()
    type_pattern(window, qtbot, "")
    assert field.issue.text() == ""
    assert "last valid input" not in window.results.headline.peak.text()


def test_figures_are_marked_until_they_follow_and_another_model_ends_it(
    window: MainWindow, store: Store, qtbot: QtBot
) -> None:
    window.freezer.want("lm_head")
    assert store.snapshot.is_behind
    assert "last valid input" in window.results.headline.peak.text()
    store.edit("batch", "3")
    assert pending(store) == "lm_head"  # the model is the same
    store.load_model(preset_ref("gpt2"), None)
    assert pending(store) == ""
    assert not window.freezer.latest.is_waiting
    settle()
    assert store.snapshot.scenario.model.trained == ""


def test_closing_the_window_waits_for_the_names(
    window: MainWindow, store: Store, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []

    def slow(self: freeze.FreezeThread) -> object:
        started.append(self)
        self.msleep(200)
        return preset_spec("gpt2")

    monkeypatch.setattr(freeze.FreezeThread, "_spec", slow)
    window.freezer.want("lm_head")
    qtbot.waitUntil(lambda: bool(started))
    assert window.close()
    assert all(thread.isFinished() for thread in window.freezer.latest.threads)
    assert store.snapshot.scenario.model.trained == ""
