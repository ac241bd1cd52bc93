"""Looking inside a checkpoint: tree, treemap, choices, the optimizer in it, adapters, files that change."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot
from safetensors.torch import save_file

from optmem_gui.core.module_tree import ROOT
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.panels.checkpoint import CheckpointPage
from optmem_gui.gui.store import Store
from optmem_gui.gui.widgets.module_tree_model import NAME, PARAMETERS, SIZE
from tests.gui.conftest import settle
from tests.gui.test_window_looks import cut_texts

MakeWindow = Callable[..., MainWindow]


def training(path: Path) -> Path:
    """Two linear layers, a tied head, their averaged copy, and AdamW after one step; fp32."""
    layers = torch.nn.ModuleDict({"body": torch.nn.Linear(8, 8), "head": torch.nn.Linear(8, 8, bias=False)})
    layers["head"].weight = layers["body"].weight
    optimizer = torch.optim.AdamW(layers.parameters(), amsgrad=True)
    for parameter in layers.parameters():
        parameter.grad = torch.ones_like(parameter)
    optimizer.step()
    average = {name: tensor.clone() for name, tensor in layers.state_dict().items()}
    average["extra.weight"] = torch.zeros(5, 7)
    saved = {"model": layers.state_dict(), "optimizer": optimizer.state_dict(), "model_ema": average}
    torch.save(saved, path)
    return path


def open_page(window: MainWindow, path: Path, qtbot: QtBot) -> CheckpointPage:
    window.open(path)
    qtbot.waitUntil(lambda: window.store.snapshot.inputs.checkpoint is not None)
    window.actions_table["checkpoint"].trigger()
    quiet(window, qtbot)
    page = window.checkpoint.page
    assert page is not None
    return page


def quiet(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until nothing is worked on."""
    inspector = window.checkpoint._inspector
    assert inspector is not None
    qtbot.waitUntil(lambda: not inspector.state.busy and not inspector._threads)
    settle()


def is_behind(store: Store) -> bool:
    return store.snapshot.is_behind


def is_shown(window: MainWindow) -> bool:
    return window.checkpoint.is_shown


def param_count(store: Store) -> int:
    return store.snapshot.scenario.model.param_count


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> CheckpointPage:
    return open_page(window, training(tmp_path / "train.pt"), qtbot)


def test_there_is_nothing_to_look_into_without_a_file(window: MainWindow) -> None:
    assert not window.actions_table["checkpoint"].isEnabled()
    assert window.checkpoint.page is None  # the start does without it
    window.checkpoint.show()
    assert not is_shown(window)


def test_the_page_tells_what_the_file_holds(window: MainWindow, page: CheckpointPage) -> None:
    assert is_shown(window)
    assert page.tiles["parameters"].note.text() == "72"  # 8 x 8 + 8
    assert page.tiles["trained"].note.text() == "100.0 %"
    assert page.tiles["stored"].number.text() == "288 B"
    assert "Tied, counted once: 1." in page.beside.text()
    assert "head.weight = body.weight" in page.notes.toPlainText()
    assert page.partial.isHidden()
    page.leave.click()
    assert not is_shown(window)
    assert not window.actions_table["checkpoint"].isChecked()


def test_choices_are_one_undo_step_each(
    window: MainWindow, store: Store, page: CheckpointPage, qtbot: QtBot
) -> None:
    stack = store.undo_stack
    before = stack.count()
    page.choices.weights._say(1)  # the averaged copy has 35 elements more; its own tie was undone by clone()
    assert is_behind(store)  # the figures are marked while it is worked on
    quiet(window, qtbot)
    assert param_count(store) == 72 + 64 + 35
    assert not is_behind(store)
    assert stack.count() == before + 1
    stack.undo()
    quiet(window, qtbot)
    assert param_count(store) == 72
    assert page.choices.weights.combo.currentData() == "model"
    page.choices.tied.box.click()
    quiet(window, qtbot)
    assert param_count(store) == 72 + 64
    assert stack.count() == before + 1
    page.choices.frozen.edit.setText("bias")
    page.choices.frozen.edit.textEdited.emit("bias")
    qtbot.waitUntil(lambda: stack.count() == before + 2)
    quiet(window, qtbot)
    groups = store.snapshot.scenario.model.groups
    assert sum(group.param_count for group in groups if not group.trainable) == 8
    assert param_count(store) == 136  # the choice before it stays
    tree = page.modules.tree.modules.tree
    assert tree is not None
    assert tree.parts(tree.find("bias")[0]) == ("frozen",)
    stack.undo()
    stack.undo()
    quiet(window, qtbot)
    assert page.choices.frozen.edit.text() == ""
    assert page.choices.tied.box.isChecked()


def test_a_pattern_that_is_none_is_said_beside_its_field(
    window: MainWindow, store: Store, page: CheckpointPage, qtbot: QtBot
) -> None:
    before = store.snapshot.scenario
    page.choices.frozen.edit.setText("(")
    page.choices.frozen.edit.textEdited.emit("(")
    qtbot.waitUntil(lambda: bool(page.choices.frozen.issue.text()))
    quiet(window, qtbot)
    assert page.choices.frozen.edit.text() == "("
    assert store.snapshot.scenario is before
    assert not is_behind(store)


def test_the_pattern_of_the_model_panel_keeps_the_choice_and_replaces_what_was_frozen(
    window: MainWindow, store: Store, page: CheckpointPage, qtbot: QtBot
) -> None:
    page.choices.tied.box.click()
    quiet(window, qtbot)
    window.freezer.want("head")
    qtbot.waitUntil(lambda: store.snapshot.scenario.model.trained == "head")
    quiet(window, qtbot)
    assert param_count(store) == 136
    tree = page.modules.tree.modules.tree
    assert tree is not None
    assert tree.parts(tree.find("head")[0]) == ("parameter",)
    assert tree.parts(tree.find("bias")[0]) == ("frozen",)


def test_the_optimizer_in_the_file_becomes_the_scenario_in_one_step(
    store: Store, page: CheckpointPage
) -> None:
    view = page.optimizer
    assert view.identity.text() == "AdamW (torch), amsgrad=True"
    # three fp32 moments for each parameter, an fp32 step for each of two tensors
    assert f"({3 * 4 * 72 + 8:,} bytes): 12.11 bytes a parameter, as fp32" in view.held.text()
    assert view.mark.sign == "yes"
    assert [row.cells[0] for row in view.model.rows] == ["step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"]
    before = store.snapshot.scenario
    count = store.undo_stack.count()
    view.take.click()
    after = store.snapshot.scenario
    assert (after.optimizer, after.options, after.precision) == ("torch.AdamW", (("amsgrad", True),), "fp32")
    assert store.undo_stack.count() == count + 1
    breakdown = store.snapshot.breakdown
    assert breakdown is not None
    assert breakdown.component("optimizer_state").bytes == 3 * 4 * 72 + 8
    assert not view.take.isEnabled()
    assert "The scenario has it" in view.what.text()
    store.undo_stack.undo()
    assert store.snapshot.scenario == before
    assert view.take.isEnabled()


# Tree, search, treemap


def test_rows_are_searched_sorted_and_copied(page: CheckpointPage, qtbot: QtBot) -> None:
    view = page.modules
    tree = view.tree.modules
    shown = [tree.index(row, NAME).data() for row in range(tree.rowCount())]
    assert shown == ["body"]
    assert view.tree.isExpanded(tree.index(0, NAME))
    view.search.setText("BIAS")
    qtbot.waitUntil(lambda: tree.rowCount() == 1 and not view.found.isHidden())
    assert tree.index(0, NAME).data() == "body.bias"
    assert view.found.text() == "1 tensors found: 8 parameters, 32 B in the file"
    view.tree.copy()
    copied = QGuiApplication.clipboard().text().splitlines()
    assert copied[1].split("\t")[0] == "body.bias"
    assert copied[1].split("\t")[-1] == "32"
    view.search.clear()
    qtbot.waitUntil(view.found.isHidden)
    body = tree.index(0, NAME)
    assert [tree.index(row, NAME, body).data() for row in range(2)] == ["weight", "bias"]
    view.tree.sortByColumn(SIZE, Qt.SortOrder.AscendingOrder)
    assert [tree.index(row, PARAMETERS, body).data() for row in range(2)] == ["8", "64"]
    assert tree.parent(tree.index(0, NAME, body)) == body
    assert tree.parent(body) == QModelIndex()


@pytest.fixture
def sharded(tmp_path: Path) -> Path:
    """Two shards of a model with three numbered layers."""
    folder = tmp_path / "sharded"
    folder.mkdir()
    first = {f"model.layers.{n}.mlp.{part}.weight": torch.zeros(64, 64) for n in (0, 1) for part in "ab"}
    second = {"model.layers.2.mlp.a.weight": torch.zeros(64, 64), "lm_head.weight": torch.zeros(99, 64)}
    where: dict[str, str] = {}
    for number, tensors in enumerate((first, second), 1):
        name = f"model-{number:05d}-of-00002.safetensors"
        save_file(tensors, folder / name)
        where |= dict.fromkeys(tensors, name)
    index = {"metadata": {"total_size": 4 * (5 * 64 * 64 + 99 * 64)}, "weight_map": where}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    return folder


def test_the_treemap_is_zoomed_by_click_and_by_keyboard(
    window: MainWindow, qtbot: QtBot, sharded: Path
) -> None:
    page = open_page(window, sharded, qtbot)
    treemap = page.modules.treemap
    tree = treemap.tree
    assert tree is not None
    outer = [tile for tile in treemap.tiles if tile.depth == 1]
    areas = {tree.label(tile.node): tile.area.width() * tile.area.height() for tile in outer}
    assert set(areas) == {"model.layers", "lm_head.weight"}
    assert areas["model.layers"] / areas["lm_head.weight"] == pytest.approx(5 * 64 / 99, rel=1e-6)
    layers = outer[0]
    place = layers.area.center().toPoint()
    qtbot.mouseClick(treemap, Qt.MouseButton.LeftButton, pos=place)
    assert treemap.root == layers.node
    assert page.modules.where.text() == "model.layers"
    qtbot.keyClick(treemap, Qt.Key.Key_Right)
    assert tree.label(treemap.current) in ("0.mlp", "1.mlp")
    assert page.modules.tree.modules.node(page.modules.tree.currentIndex()) == treemap.current
    assert "model.layers." in treemap.accessibleDescription()
    qtbot.keyClick(treemap, Qt.Key.Key_Return)
    assert treemap.root != layers.node
    qtbot.keyClick(treemap, Qt.Key.Key_Backspace)
    assert treemap.root == layers.node
    page.modules.up.click()
    assert treemap.root == ROOT
    assert not page.modules.up.isEnabled()
    tile = treemap.tile_at(treemap.tiles[-1].area.center())
    assert tile is not None
    assert "64 x 64" in treemap.about(tile.node) or "99 x 64" in treemap.about(tile.node)


def test_a_missing_shard_is_labelled_partial(window: MainWindow, qtbot: QtBot, sharded: Path) -> None:
    (sharded / "model-00002-of-00002.safetensors").unlink()
    page = open_page(window, sharded, qtbot)
    assert not page.partial.isHidden()
    assert "Partial" in window.inputs.model.file.partial.text()
    assert "1 of 2 shards missing" in page.notes.toPlainText()
    assert page.tiles["parameters"].note.text() == f"{4 * 64 * 64:,}"


def test_names_that_look_like_markup_are_shown_as_they_are(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    name = "<img src='file:///etc/hostname'>.weight"
    save_file({name: torch.zeros(4, 4), "b.weight": torch.zeros(2, 2)}, tmp_path / "m.safetensors")
    page = open_page(window, tmp_path / "m.safetensors", qtbot)
    tree = page.modules.tree.modules
    rows = {tree.index(number, NAME).data(): tree.index(number, NAME) for number in range(2)}
    tip = rows[name].data(Qt.ItemDataRole.ToolTipRole)
    assert "&lt;img src=" in tip
    assert "<img" not in tip
    plain = rows["b.weight"].data(Qt.ItemDataRole.ToolTipRole)
    assert plain.startswith("b.weight: 4 parameters, 16 bytes")
    for label in (window.notice.text, window.inputs.model.file.warnings, page.choices.tied.note):
        assert label.textFormat() is Qt.TextFormat.PlainText


# Adapters


@pytest.mark.parametrize("size", [(1280, 800), (853, 533)], ids=["100%", "150%"])
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_no_label_is_cut_on_any_page(
    make_window: MakeWindow, qtbot: QtBot, tmp_path: Path, language: str, size: tuple[int, int]
) -> None:
    window = make_window(language, "dark", size)
    page = open_page(window, training(tmp_path / "train.pt"), qtbot)
    for place in range(4):
        page.pages.show_page(place)
        settle()
        assert (window.width(), window.height()) == size
        assert cut_texts(window) == []
    view = page.parentWidget()
    assert view is not None
    assert page.width() <= view.width()


def test_the_page_follows_unit_language_and_theme(window: MainWindow, page: CheckpointPage) -> None:
    window.actions_table["theme.dark"].trigger()
    window.actions_table["language.zh_CN"].trigger()
    settle()
    picture = page.modules.treemap.grab().toImage()
    assert picture.pixelColor(QPoint(3, 3)).lightness() < 200
    window.actions_table["language.en"].trigger()
    settle()
    assert page.title.text() == "Checkpoint"
