"""Everything can be done with the keyboard alone, and where the keyboard is can always be seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QImage, QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QLabel,
    QLineEdit,
    QScrollArea,
    QWidget,
)
from pytestqt.qtbot import QtBot
from safetensors.torch import save_file

from optmem_gui.gui import settings as keys
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.snapshot import MeasureStage, SimulateStage
from optmem_gui.gui.theme import is_high_contrast
from tests.gui import test_measuring, test_simulating
from tests.gui.conftest import settle

_ALT, _CONTROL = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier


class Keyboard:
    """Presses keys where a user's would arrive: in the open menu, else where the focus is."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self._window, self._qtbot = window, qtbot
        window.activateWindow()

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        target = QApplication.activePopupWidget() or QApplication.focusWidget() or self._window
        self._qtbot.keyClick(target, key, modifier)
        QApplication.processEvents()

    def write(self, text: str) -> None:
        """Replace what stands in the field."""
        focused = QApplication.focusWidget()
        assert isinstance(focused, QLineEdit)
        self.press(Qt.Key.Key_A, _CONTROL)
        self._qtbot.keyClicks(focused, text)

    def go_to(self, widget: QWidget) -> None:
        """Jump to a field by the letter that is underlined in its label."""
        label = next(label for label in self._window.findChildren(QLabel) if label.buddy() is widget)
        letter = QKeySequence.mnemonic(label.text()).toString().removeprefix("Alt+")
        self.press(Qt.Key[f"Key_{letter}"], _ALT)
        assert QApplication.focusWidget() is widget

    def answer_file_dialog(self, path: Path, start: Callable[[], None]) -> None:
        """Do something that asks for a file, write its name, and accept."""
        asked: list[str] = []

        def answer() -> None:
            dialog, focused = QApplication.activeModalWidget(), QApplication.focusWidget()
            if not isinstance(dialog, QFileDialog) or focused is None or not dialog.isAncestorOf(focused):
                QTimer.singleShot(20, answer)
                return
            asked.append(dialog.windowTitle())
            self.write(str(path))
            self.press(Qt.Key.Key_Return)
            if dialog.isVisible():  # the first one took the list of completions away
                self.press(Qt.Key.Key_Return)

        QTimer.singleShot(20, answer)
        start()
        assert len(asked) == 1
        self.return_to_window()

    def return_to_window(self) -> None:
        """What a window manager does once a dialog is gone; the offscreen platform has none."""
        self._window.activateWindow()
        settle()


def test_the_whole_way_with_keys_alone(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Open, edit, simulate, measure, export, undo, help: no mouse, and the focus is never lost."""
    weights, report = tmp_path / "model.safetensors", tmp_path / "report.csv"
    save_file({"layer.weight": torch.zeros(3, 4), "layer.bias": torch.zeros(5)}, str(weights))
    test_simulating.with_worker(window, monkeypatch)
    test_measuring.with_worker(window, "normal")
    keyboard, store = Keyboard(window, qtbot), window.store

    keyboard.answer_file_dialog(weights, lambda: keyboard.press(Qt.Key.Key_O, _CONTROL))
    qtbot.waitUntil(lambda: store.snapshot.scenario.model.param_count == 17)

    batch = window.findChild(QLineEdit, "input.batch")
    assert batch is not None
    keyboard.go_to(batch)
    keyboard.write("3")
    assert store.snapshot.scenario.batch == 3

    keyboard.press(Qt.Key.Key_F6)
    qtbot.waitUntil(lambda: store.snapshot.simulation.stage is SimulateStage.DONE)

    keyboard.press(Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: store.snapshot.measurement.stage is MeasureStage.DONE)

    def export_csv() -> None:
        keyboard.press(Qt.Key.Key_F, _ALT)
        keyboard.press(Qt.Key.Key_E)
        while (menu := QApplication.activePopupWidget()) is not None:
            action = getattr(menu, "activeAction", lambda: None)()
            csv = action is window.actions_table["export.csv"]
            keyboard.press(Qt.Key.Key_Return if csv else Qt.Key.Key_Down)
            if csv:
                return

    keyboard.answer_file_dialog(report, export_csv)
    qtbot.waitUntil(report.is_file)
    assert report.read_text(encoding="utf-8").count("\n") > 5

    keyboard.press(Qt.Key.Key_Z, _CONTROL)
    assert store.snapshot.scenario.batch == 1

    helped: list[str] = []

    def close_help() -> None:
        dialog = next(
            (w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog) and w.isVisible()), None
        )
        if dialog is None:
            QTimer.singleShot(20, close_help)
            return
        helped.append(dialog.objectName())
        keyboard.press(Qt.Key.Key_Escape)

    QTimer.singleShot(20, close_help)
    keyboard.press(Qt.Key.Key_F1)
    qtbot.waitUntil(lambda: helped != [])
    keyboard.return_to_window()
    assert QApplication.focusWidget() is batch  # back where the keyboard was


def _look(window: MainWindow, widget: QWidget) -> QImage:
    """The widget and the edge around it, as it is painted in the window."""
    place = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size()).adjusted(-4, -4, 4, 4)
    return window.grab(place).toImage()


@pytest.mark.parametrize("contrast", ["system", "high"])
def test_where_the_keyboard_is_can_be_seen(
    make_window: Callable[..., MainWindow], qtbot: QtBot, contrast: str
) -> None:
    window = make_window("en", "dark" if contrast == "high" else "light", (1280, 1600))
    window._settings.set(keys.CONTRAST, contrast)
    window.appearance.set_theme("dark" if contrast == "high" else "light")
    settle()
    assert is_high_contrast() == (contrast == "high")
    window.activateWindow()
    start = window.findChild(QLineEdit, "input.params")
    assert start is not None
    start.setFocus()
    unseen, visited = [], set()
    for _ in range(200):
        before = QApplication.focusWidget()
        assert before is not None
        qtbot.keyClick(before, Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        assert focused is not None
        assert focused is not before, f"the focus is caught in {before.objectName()}"
        if focused is start:
            break
        visited.add(focused)
        if isinstance(focused, QLabel | QScrollArea) or isinstance(focused.parentWidget(), QComboBox):
            continue  # text to be selected, and what is scrolled, show it by what they do
        with_focus = _look(window, focused)
        focused.clearFocus()
        if _look(window, focused) == with_focus:
            unseen.append(f"{type(focused).__name__} {focused.objectName()}")
        focused.setFocus(Qt.FocusReason.TabFocusReason)
    assert len(visited) > 20
    assert unseen == []
