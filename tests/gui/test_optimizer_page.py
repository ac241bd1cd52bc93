"""The page of an optimizer: what it says, how it is reached, that it follows the window."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.gui import settings as keys
from optmem_gui.gui.dialogs.optimizer_page import OptimizerPageDialog
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.store import Store
from tests.gui.conftest import settle

MakeWindow = Callable[..., MainWindow]


def _page(window: MainWindow, optimizer: str) -> OptimizerPageDialog:
    window.optimizers.show_page(optimizer)
    settle()
    assert window.optimizers.page is not None
    return window.optimizers.page


def _text(window: MainWindow, optimizer: str) -> str:
    return _page(window, optimizer).text.toPlainText()


def test_it_says_states_formulas_options_proof_and_belief(window: MainWindow) -> None:
    """7e9 bf16 parameters: two moments of 14e9 B = 13.0 GiB, 4 B a parameter together."""
    text = _text(window, "torch.AdamW")
    for said in (
        "exp_avg: 7,000,000,000 elements in bf16, as many as parameters = 13.0 GiB",
        "4 bytes a parameter",
        "With other options also: max_exp_avg_sq.",
        "Often believed otherwise: Not 8 bytes a parameter always",
        "foreach handles all parameters at once",
        "torch.optim.AdamW",
        "real run in our tests: Its state is 0 bytes from that of torch 2.",
        "torch/optim/adamw.py",
        "amsgrad",
        "Keeps a third moment as large as the parameters.",
    ):
        assert said in text, said


def test_it_follows_the_options_and_the_unit(window: MainWindow, store: Store) -> None:
    page = _page(window, "torch.AdamW")
    store.edit("option.amsgrad", True)
    assert "max_exp_avg_sq: 7,000,000,000 elements" in page.text.toPlainText()
    store.set_unit("GB")
    assert "14.0 GB" in page.text.toPlainText()


def test_what_cannot_train_the_model_says_why_and_cannot_be_taken(window: MainWindow) -> None:
    page = _page(window, "torch.Muon")
    assert "trains matrices only" in page.text.toPlainText()
    assert "Not predicted: it cannot train this model." in page.text.toPlainText()
    assert not page.use.isEnabled()


def test_another_runtime_says_what_is_not_predicted(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    foreign = replace(CATALOGUE["torch.Adam"], runtime="jax", proven="")
    monkeypatch.setitem(CATALOGUE, "torch.Adam", foreign)
    text = _text(window, "torch.Adam")
    assert "Not predicted: it runs in another runtime than torch." in text
    assert "from source only, not yet compared" in text
    assert "exp_avg_sq" in text


def test_every_entry_has_a_page(window: MainWindow) -> None:
    for optimizer in CATALOGUE:
        assert CATALOGUE[optimizer].path in _text(window, optimizer)


def test_it_can_be_taken_from_the_page(window: MainWindow, store: Store, qtbot: QtBot) -> None:
    page = _page(window, "torch.SGD")
    qtbot.mouseClick(page.use, Qt.MouseButton.LeftButton)
    assert store.snapshot.scenario.optimizer == "torch.SGD"
    assert not page.use.isEnabled()


def test_it_is_copied_as_text(window: MainWindow, qtbot: QtBot) -> None:
    page = _page(window, "torch.SGD")
    qtbot.mouseClick(page.copy, Qt.MouseButton.LeftButton)
    assert "torch.optim.SGD" in QGuiApplication.clipboard().text()


def test_it_opens_from_card_menu_and_comparison(window: MainWindow, store: Store, qtbot: QtBot) -> None:
    qtbot.mouseClick(window.inputs.optimizer.about, Qt.MouseButton.LeftButton)
    page = window.optimizers.page
    assert page is not None
    assert page.optimizer == "torch.AdamW"
    page.close()
    qtbot.waitUntil(lambda: store.snapshot.comparison_complete)
    panel = window.results.comparison
    window.activateWindow()
    panel.table.setFocus()
    panel.table.selectRow(2)
    third = str(panel.order.index(2, 0).data())
    window.actions_table["about_optimizer"].trigger()
    assert page.optimizer == third
    assert page.isVisible()
    window.inputs.model.setFocus()
    page.close()
    panel.filter.setFocus()
    window.actions_table["about_optimizer"].trigger()
    assert page.optimizer == "torch.AdamW"


def test_it_can_be_read_with_the_keyboard(window: MainWindow) -> None:
    flags = _page(window, "torch.AdamW").text.textInteractionFlags()
    assert flags & Qt.TextInteractionFlag.TextSelectableByKeyboard
    assert flags & Qt.TextInteractionFlag.TextSelectableByMouse


def test_it_is_drawn_anew_in_the_other_theme(window: MainWindow) -> None:
    page = _page(window, "torch.AdamW")
    light = page.text.toHtml()
    window.appearance.set_theme("dark")
    settle()
    assert page.text.toHtml() != light


def test_optimizers_used_last_are_remembered(window: MainWindow, store: Store, qtbot: QtBot) -> None:
    for name in ("torch.SGD", "torch.Adam", "torch.SGD"):
        store.edit("optimizer", name)
    assert window.optimizers._settings.get(keys.RECENT_OPTIMIZERS) == ["torch.SGD", "torch.Adam"]
    combo = window.inputs.optimizer.choice.combo
    qtbot.waitUntil(lambda: combo.itemText(0) == "Recently used")
    assert [combo.itemText(row) for row in (1, 2)] == ["SGD (torch)", "Adam (torch)"]
    assert combo.currentData() == "torch.SGD"
