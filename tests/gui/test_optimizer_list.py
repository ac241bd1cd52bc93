"""The list of optimizers: searchable by any name, grouped by library, recently used first."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCompleter, QLineEdit
from pytestqt.qtbot import QtBot

from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.gui.fields import Choice, ChoiceField
from optmem_gui.gui.panels.optimizer import OptimizerPanel

CHOICES = (
    Choice("torch.Adam", "Adam (torch)", "torch", keywords="torch.adam torch.optim.adam adam"),
    Choice("torch.Adamax", "Adamax (torch)", "torch", keywords="torch.adamax torch.optim.adamax adam"),
    Choice("other.Adam", "Adam (other)", "other", keywords="other.adam other.optimizers.adam moments"),
    Choice("other.Lamb", "Lamb (other)", "other", keywords="other.lamb layerwise"),
)


@pytest.fixture
def field(qtbot: QtBot) -> ChoiceField:
    made = ChoiceField("optimizer", searchable=True)
    qtbot.addWidget(made)
    made.set_choices((Choice("other.Lamb", "Lamb (other)", "Recently used"), *CHOICES))
    made.show_value("torch.Adamax")
    made.show()
    return made


def _line(field: ChoiceField) -> QLineEdit:
    line = field.combo.lineEdit()
    assert line is not None
    return line


def _completer(field: ChoiceField) -> QCompleter:
    completer = field.combo.completer()
    assert completer is not None
    return completer


def _offered(field: ChoiceField) -> list[str]:
    model = _completer(field).completionModel()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def _type(field: ChoiceField, text: str) -> None:
    _line(field).selectAll()
    QTest.keyClicks(_line(field), text)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("adam", ["Adam (torch)", "Adamax (torch)", "Adam (other)"]),
        ("layer", ["Lamb (other)"]),  # an alias
        ("other adam", ["Adam (other)"]),  # words in any order
        ("adam other", ["Adam (other)"]),
        ("optimizers.", ["Adam (other)"]),  # the import path
        ("sgd", []),
    ],
)
def test_typing_offers_what_holds_every_word(field: ChoiceField, typed: str, offered: list[str]) -> None:
    _type(field, typed)
    assert _offered(field) == offered


@pytest.mark.parametrize(
    ("typed", "taken"),
    [
        ("other.Adam", "other.Adam"),  # the id
        ("torch.optim.Adam", "torch.Adam"),  # the path, though Adamax holds it too
        ("layerwise", "other.Lamb"),
        ("lam", "other.Lamb"),  # what begins so
        ("moment", "other.Adam"),  # what is offered
    ],
)
def test_enter_takes_what_is_meant(field: ChoiceField, typed: str, taken: str) -> None:
    said: list[object] = []
    field.edited.connect(lambda _name, value: said.append(value))
    _type(field, typed)
    QTest.keyClick(_line(field), Qt.Key.Key_Return)
    assert said == [taken]
    assert field.combo.currentData() == taken


def test_taking_one_that_is_offered(field: ChoiceField) -> None:
    said: list[object] = []
    field.edited.connect(lambda _name, value: said.append(value))
    _type(field, "adam")
    popup = _completer(field).popup()
    assert popup is not None
    popup.clicked.emit(popup.model().index(2, 0))
    assert set(said) == {"other.Adam"}  # Qt says it twice, an edit to the same value is none


def test_what_stands_under_two_headings_is_offered_once(field: ChoiceField) -> None:
    _type(field, "lamb")
    assert _offered(field) == ["Lamb (other)"]


def _rows(panel: OptimizerPanel) -> list[str]:
    combo = panel.choice.combo
    return [combo.itemText(row) for row in range(combo.count())]


@pytest.fixture
def panel(qtbot: QtBot) -> OptimizerPanel:
    made = OptimizerPanel()
    qtbot.addWidget(made)
    return made


def test_one_heading_a_library_whatever_the_order_of_the_catalogue(panel: OptimizerPanel) -> None:
    libraries = {entry.library for entry in CATALOGUE.values()}
    assert sorted(row for row in _rows(panel) if "(" not in row) == sorted(libraries)
    assert len(_rows(panel)) == len(CATALOGUE) + len(libraries)


def test_used_last_comes_first(panel: OptimizerPanel) -> None:
    panel.show_recent(["torch.SGD", "gone.Optimizer", "torch.Adam"])
    assert _rows(panel)[:4] == ["Recently used", "SGD (torch)", "Adam (torch)", "torch"]
    panel.retranslate()
    assert _rows(panel)[:4] == ["Recently used", "SGD (torch)", "Adam (torch)", "torch"]


@pytest.mark.parametrize("typed", ["torch.optim.adamw", "adamw", "quasi", "lbfgs torch"])
def test_the_catalogue_is_found_by_path_alias_and_family(panel: OptimizerPanel, typed: str) -> None:
    wanted = {"quasi": "LBFGS (torch)", "lbfgs torch": "LBFGS (torch)"}.get(typed, "AdamW (torch)")
    _type(panel.choice, typed)
    assert wanted in _offered(panel.choice)
