"""The window as its user meets it: fields, keyboard, actions."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot

from optmem_gui.gui.actions import ACTIONS, MENUS
from optmem_gui.gui.fields import ChoiceField, Field, FlagField, TextField
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.store import Store
from optmem_gui.gui.theme import is_dark
from tests.allocator.recorder import as_snapshot
from tests.gui.conftest import settle
from tests.gui.simulation_samples import simulated
from tests.gui.test_checkpoint_page import open_page as open_checkpoint_page
from tests.gui.test_checkpoint_page import training
from tests.gui.test_memory_snapshots import open_in, program
from tests.gui.test_memory_snapshots import page_of as open_page

MakeWindow = Callable[..., MainWindow]


def text_field(window: MainWindow, name: str) -> TextField:
    field = window.findChild(TextField, f"field.{name}")
    assert isinstance(field, TextField)
    return field


def choice(window: MainWindow, name: str) -> ChoiceField:
    field = window.findChild(ChoiceField, f"field.{name}")
    assert isinstance(field, ChoiceField)
    return field


def headline(window: MainWindow) -> str:
    return window.results.headline.peak.text()


def type_into(qtbot: QtBot, line: QLineEdit, text: str) -> None:
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, text)


def test_every_keystroke_changes_the_figures(window: MainWindow, store: Store, qtbot: QtBot) -> None:
    line = text_field(window, "params").edit
    seen = [headline(window)]
    type_into(qtbot, line, "1")
    for letter in "3B":
        qtbot.keyClicks(line, letter)
        seen.append(headline(window))
    assert store.snapshot.scenario.model.param_count == 13_000_000_000
    assert len(set(seen)) == len(seen)
    assert "13,000,000,000" in text_field(window, "params").note.text()


def test_pick_an_optimizer_by_typing_its_name(window: MainWindow, store: Store, qtbot: QtBot) -> None:
    store.edit("precision", "fp32")
    before = headline(window)
    combo = choice(window, "optimizer").combo
    line = combo.lineEdit()
    assert line is not None
    type_into(qtbot, line, "adafactor (torch)")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert store.snapshot.scenario.optimizer == "torch.Adafactor"
    assert headline(window) != before


def test_enter_takes_the_first_name_that_begins_so(window: MainWindow, store: Store, qtbot: QtBot) -> None:
    combo = choice(window, "optimizer").combo
    names = [combo.itemText(row) for row in range(combo.count())]
    first = next(name for name in names if name.startswith("SG"))
    line = combo.lineEdit()
    assert line is not None
    type_into(qtbot, line, "sg")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert store.snapshot.scenario.optimizer == combo.currentData()
    assert line.text() == first


def test_what_was_typed_and_names_nothing_is_put_back(window: MainWindow, store: Store, qtbot: QtBot) -> None:
    line = choice(window, "optimizer").combo.lineEdit()
    assert line is not None
    type_into(qtbot, line, "no such optimizer")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert store.snapshot.scenario.optimizer == "torch.AdamW"
    assert line.text().startswith("AdamW")


def test_pick_a_precision_with_the_keyboard(window: MainWindow, store: Store, qtbot: QtBot) -> None:
    combo = choice(window, "precision").combo
    combo.setFocus()
    qtbot.keyClick(combo, Qt.Key.Key_Home)
    assert store.snapshot.scenario.precision == "fp32"
    qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert store.snapshot.scenario.precision == "bf16"


def test_undo_and_redo_by_shortcut_from_inside_a_field(
    window: MainWindow, store: Store, qtbot: QtBot
) -> None:
    window.activateWindow()
    line = text_field(window, "params").edit
    before = headline(window)
    type_into(qtbot, line, "70B")
    assert window.actions_table["undo"].isEnabled()
    qtbot.keyClick(line, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert headline(window) == before
    assert line.text() == "7B"
    qtbot.keyClick(
        line, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    assert line.text() == "70B"
    assert store.snapshot.scenario.model.param_count == 70_000_000_000


def test_invalid_input_is_said_beside_the_field_and_the_figures_stay(
    window: MainWindow, qtbot: QtBot
) -> None:
    field = text_field(window, "params")
    before = headline(window)
    qtbot.keyClicks(field.edit, " elephants")
    assert field.issue.isVisible()
    assert "7B elephants" in field.issue.text()
    assert before.partition(" ")[0] in headline(window)
    assert "last valid input" in headline(window)
    type_into(qtbot, field.edit, "7B")
    assert not field.issue.isVisible()
    assert headline(window) == before


def test_options_follow_the_optimizer(window: MainWindow, store: Store, qtbot: QtBot) -> None:
    store.edit("precision", "fp32")
    assert window.findChild(FlagField, "field.option.amsgrad") is not None
    before = store.snapshot.breakdown
    box = window.findChild(FlagField, "field.option.amsgrad")
    assert isinstance(box, FlagField)
    qtbot.mouseClick(box.box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.box.height() // 2))
    after = store.snapshot.breakdown
    assert before is not None
    assert after is not None
    # A third fp32 tensor of the size of the parameters: 4 bytes each.
    extra = after.component("optimizer_state").bytes - before.component("optimizer_state").bytes
    assert extra == 4 * 7_000_000_000
    store.edit("optimizer", "torch.SGD")
    settle()
    assert window.findChild(FlagField, "field.option.amsgrad") is None
    assert text_field(window, "option.momentum").edit.text() == "0.0"


def test_the_comparison_chooses_an_optimizer(window: MainWindow, store: Store) -> None:
    window.results.comparison.chosen.emit("torch.SGD")
    assert store.snapshot.scenario.optimizer == "torch.SGD"
    assert choice(window, "optimizer").combo.currentText().startswith("SGD")


def test_adapters_show_their_fields_only_when_on(window: MainWindow, store: Store) -> None:
    rank = text_field(window, "lora.rank")
    assert not rank.isVisible()
    store.edit("lora", True)
    assert rank.isVisible()
    assert rank.edit.text() == "16"


def test_the_gpu_is_found_by_part_of_its_name(window: MainWindow, store: Store, qtbot: QtBot) -> None:
    line = window.gpu.field.combo.lineEdit()
    assert line is not None
    type_into(qtbot, line, "no gpu")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert store.snapshot.gpu is None


def test_the_wheel_does_not_change_a_list_while_scrolling(
    window: MainWindow, store: Store, qtbot: QtBot
) -> None:
    from PySide6.QtCore import QPointF
    from PySide6.QtGui import QWheelEvent

    combo = choice(window, "precision").combo
    combo.clearFocus()
    down = QPoint(0, -120)
    event = QWheelEvent(
        QPointF(5, 5),
        QPointF(combo.mapToGlobal(QPoint(5, 5))),
        QPoint(),
        down,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(combo, event)
    assert store.snapshot.scenario.precision == "bf16"


# Accessibility


def _inputs(window: MainWindow) -> list[QWidget]:
    """Everything the keyboard reaches, at rest."""
    kinds = Qt.FocusPolicy.TabFocus
    return [
        widget
        for widget in window.findChildren(QWidget)
        if widget.isVisible() and widget.isEnabled() and widget.focusPolicy() & kinds
        if widget.focusProxy() is None
    ]


@pytest.fixture
def snapshot_file(tmp_path: Path) -> Path:
    """A recorded memory snapshot."""
    path = tmp_path / "run.pickle"
    path.write_bytes(pickle.dumps(as_snapshot(program().recording())))
    return path


def _bring_up(window: MainWindow, shown: str, snapshot_file: Path, qtbot: QtBot) -> None:
    """Show one of the states that a window can be in."""
    window.store.edit("lora", True)
    if shown == "simulation":
        window.store.set_simulation(simulated(window.store.snapshot))
    elif shown == "memory snapshot":
        page = open_in(window, snapshot_file, qtbot)
        page.pages.show_page(3)
    elif shown == "checkpoint":
        open_checkpoint_page(window, training(snapshot_file.parent / "train.pt"), qtbot)
    settle()


SHOWN = ("estimate", "simulation", "memory snapshot", "checkpoint")


@pytest.mark.parametrize("shown", SHOWN)
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_input_has_an_accessible_name(
    make_window: MakeWindow, qtbot: QtBot, snapshot_file: Path, language: str, shown: str
) -> None:
    window = make_window(language)
    _bring_up(window, shown, snapshot_file, qtbot)
    nameless = []
    for widget in _inputs(window):
        if isinstance(widget, QLabel) or isinstance(widget.parentWidget(), QComboBox):
            continue  # selectable text names itself; the line of a list is named by its list
        interface = QAccessible.queryAccessibleInterface(widget)
        assert interface is not None
        if not interface.text(QAccessible.Text.Name):
            nameless.append(f"{type(widget).__name__} {widget.objectName()}")
    assert nameless == []


def test_every_label_of_an_input_has_a_buddy(window: MainWindow) -> None:
    fields: list[Field] = [*window.findChildren(TextField), *window.findChildren(ChoiceField)]
    for field in fields:
        if field.parent() is not window.gpu:
            assert field.label.buddy() is not None, field.name
    assert window.gpu.caption.buddy() is window.gpu.field.combo


def _mnemonics(window: MainWindow) -> Counter[str]:
    texts = [label.text() for label in window.findChildren(QLabel) if label.buddy() and label.isVisible()]
    texts += [button.text() for button in window.findChildren(QAbstractButton) if button.isVisible()]
    texts += [
        menu.title()
        for menu in window.menuBar().findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
    ]
    keys = [QKeySequence.mnemonic(text).toString() for text in texts]
    return Counter(key for key in keys if key)


@pytest.mark.parametrize("shown", SHOWN)
def test_no_two_visible_mnemonics_are_the_same(
    window: MainWindow, qtbot: QtBot, snapshot_file: Path, shown: str
) -> None:
    _bring_up(window, shown, snapshot_file, qtbot)
    assert {key: count for key, count in _mnemonics(window).items() if count > 1} == {}


@pytest.mark.parametrize("shown", SHOWN)
def test_the_keyboard_reaches_everything_and_gets_out_again(
    window: MainWindow, qtbot: QtBot, snapshot_file: Path, shown: str
) -> None:
    qtbot.waitUntil(lambda: window.results.timeline.plots.count() > 0)  # the plot follows the first paint
    _bring_up(window, shown, snapshot_file, qtbot)
    window.activateWindow()
    wanted = {widget for widget in _inputs(window) if not isinstance(widget, QLabel | QScrollArea)}
    wanted -= {widget for widget in wanted if isinstance(widget.parentWidget(), QComboBox)}
    start: QWidget = text_field(window, "params").edit
    if shown == "memory snapshot":
        start = open_page(window).what_if.split.edit
    elif shown == "checkpoint":
        start = window.inputs.model.file.open
    start.setFocus()
    reached: set[QWidget] = set()
    for _ in range(4 * len(_inputs(window))):
        focused = QApplication.focusWidget()
        assert focused is not None
        reached.add(focused)
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
        if QApplication.focusWidget() is start:
            break
    assert QApplication.focusWidget() is start
    radio = {widget for widget in wanted if isinstance(widget, QAbstractButton) and widget.autoExclusive()}
    grouped = {
        widget for widget in wanted if isinstance(widget, QAbstractButton) and widget.group() is not None
    }
    missed = wanted - reached - radio - grouped
    assert [f"{type(widget).__name__} {widget.objectName()}" for widget in missed] == []


# Actions


def test_actions_have_unique_ids_and_shortcuts_and_a_menu() -> None:
    ids = [spec.id for spec in ACTIONS]
    assert len(ids) == len(set(ids))
    keys = [QKeySequence(spec.shortcut).toString() for spec in ACTIONS if spec.shortcut is not None]
    assert len(keys) == len(set(keys))
    listed = {entry for _, entries in MENUS for entry in entries}
    for spec in ACTIONS:
        submenu = f"{spec.id.partition('.')[0]}>"
        assert spec.id in listed or submenu in listed, spec.id


def test_every_action_has_a_text_and_a_tip(window: MainWindow) -> None:
    for spec in ACTIONS:
        assert window.actions_table[spec.id].text()
        assert window.actions_table[spec.id].toolTip()


def test_the_unit_is_switched_everywhere(window: MainWindow) -> None:
    window.actions_table["unit.GB"].trigger()
    assert " GB " in headline(window)
    assert "10^9" in window.units.text()
    window.actions_table["unit.GiB"].trigger()
    assert " GiB " in headline(window)
    assert "2^30" in window.units.text()


def test_the_theme_is_switched_while_running(window: MainWindow) -> None:
    window.actions_table["theme.dark"].trigger()
    settle()
    assert is_dark()
    assert is_dark(window.results)
    window.actions_table["theme.light"].trigger()
    assert not is_dark()


def test_the_language_is_switched_while_running(window: MainWindow) -> None:
    weights = window.results.breakdown.model.index(0, 0)
    assert weights.data() == "Weights"
    window.actions_table["language.zh_CN"].trigger()
    settle()
    assert weights.data() == "权重"
    window.actions_table["language.en"].trigger()
    settle()
    assert weights.data() == "Weights"


def test_the_table_is_copied(window: MainWindow) -> None:
    window.actions_table["copy_table"].trigger()
    mime = QGuiApplication.clipboard().mimeData()
    assert mime.hasText()
    assert "Weights" in mime.text()


# Looks
