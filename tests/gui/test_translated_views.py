"""Nothing is left in English on the views that are made when they are first wanted."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

from optmem_gui.core.recipes import RECIPES
from optmem_gui.core.units import MIB
from optmem_gui.gui.dialogs.describe_result import DescribeDialog
from optmem_gui.gui.dialogs.error_report import CrashReport
from optmem_gui.gui.dialogs.function import FunctionDialog
from optmem_gui.gui.dialogs.measure_options import MeasureOptionsDialog
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.panels.decide import PAGES
from optmem_gui.gui.settings import Settings
from optmem_gui.paths import results_dir
from optmem_gui.report.calibrations import remember
from optmem_gui.report.results_store import ResultsStore
from tests.cli.test_results import calibration
from tests.gui.conftest import settle
from tests.gui.test_translations import decided, left_in_english
from tests.gui.texts_shown import texts_shown
from tests.report.kept_samples import kept, kept_ranks
from tools.translations import TS_FILE, Texts, read

MakeWindow = Callable[..., MainWindow]


@pytest.fixture(scope="module")
def translations() -> Texts:
    return read(TS_FILE)


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def _texts(widget: QWidget) -> dict[str, str]:
    """What is shown but names of GPUs, of which some are several words."""
    return {place: text for place, text in texts_shown(widget).items() if "cell" not in place}


def test_what_is_decided_is_chinese(make_window: MakeWindow, qtbot: QtBot, translations: Texts) -> None:
    window = make_window("zh_CN")
    qtbot.waitUntil(lambda: decided(window))
    decide = window.results.decide
    for name in PAGES:
        decide.show_page(name)
    window.deciding.pin()
    for name, value in (("batch", "2"), ("recipe", "peft-qlora"), ("parallel.gpus", "8")):
        window.store.edit(name, value)
        settle()
    qtbot.waitUntil(lambda: decided(window))
    for name in PAGES:
        decide.show_page(name)
        settle()
        assert left_in_english(_texts(decide), translations) == {}


@pytest.mark.parametrize("recipe", RECIPES)
def test_recipes_are_chinese(make_window: MakeWindow, translations: Texts, recipe: str) -> None:
    window = make_window("zh_CN")
    window.store.edit("recipe", recipe)
    window.store.edit("precision", "fp16")
    settle()
    panel = window.inputs.recipe
    source = re.compile(" tip| description| cell ")  # where each default is from, and names of libraries
    shown = {place: text for place, text in texts_shown(panel).items() if not source.search(place)}
    assert left_in_english(shown, translations) == {}


def test_kept_measurements_are_chinese(make_window: MakeWindow, translations: Texts, tmp_path: Path) -> None:
    store = ResultsStore(results_dir())
    for minute in range(3):
        store.keep(kept(gpu=minute < 2, more=minute * MIB, minute=minute))
    store.keep(kept_ranks(minute=3))
    remember(tmp_path / "config" / "calibrations.json", calibration())
    window = make_window("zh_CN")
    window.actions_table["results"].trigger()
    page = window.measured.page
    assert page is not None
    selection, flag = page.table.selectionModel(), QItemSelectionModel.SelectionFlag
    for places in ((0,), (2,), (0, 3)):
        selection.clearSelection()
        for place in places:
            selection.select(page.model.index(place, 0), flag.Select | flag.Rows)
        settle()
        shown = {place: text for place, text in texts_shown(page).items() if "a CPU" not in text}
        assert left_in_english(shown, translations) == {}
    assert len(page.model.rows) == 4


@pytest.mark.parametrize("kind", ["measure", "crash", "selfcheck", "describe", "function"])
def test_later_dialogs_are_chinese(
    make_window: MakeWindow, settings: Settings, translations: Texts, kind: str, tmp_path: Path
) -> None:
    window = make_window("zh_CN")
    crash = tmp_path / "crash.txt"
    crash.write_text("Fatal", encoding="utf-8")
    made: dict[str, Callable[[], QDialog]] = {
        "measure": lambda: MeasureOptionsDialog(window.store.snapshot, settings, window),
        "crash": lambda: CrashReport(crash, window),
        "selfcheck": lambda: window.runs.selfcheck,
        "describe": lambda: DescribeDialog(kept(), window),
        "function": lambda: FunctionDialog("", "", window, measured=True),
    }
    dialog = made[kind]()
    shown = {place: text for place, text in texts_shown(dialog).items() if "QPlainTextEdit" not in place}
    dialog.deleteLater()
    assert left_in_english(shown, translations) == {}
    assert shown
