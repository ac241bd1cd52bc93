"""What a screen reader is told: names in every dialog, headers of every table, and what changes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QFont
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QTableView,
    QWidget,
)

from optmem_gui.core.reasons import Reason
from optmem_gui.gui import main_window as main_window_module
from optmem_gui.gui import notice as notice_module
from optmem_gui.gui.dialogs.about import AboutDialog
from optmem_gui.gui.dialogs.error_report import CrashReport, ErrorReport
from optmem_gui.gui.dialogs.function import FunctionDialog
from optmem_gui.gui.dialogs.probe import ProbeDialog
from optmem_gui.gui.dialogs.settings import SettingsDialog
from optmem_gui.gui.i18n import Translators
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.settings import Settings
from tests.gui.conftest import settle
from tests.gui.test_window_looks import stays_cut

DIALOGS: dict[str, Callable[[Settings, Path], QDialog]] = {
    "settings": lambda settings, _folder: SettingsDialog(settings),
    "about": lambda _settings, _folder: AboutDialog(),
    "defect": lambda _settings, _folder: ErrorReport("a report"),
    "crash": lambda _settings, folder: CrashReport(folder / "crash-last.log"),
    "function": lambda _settings, _folder: FunctionDialog("", ""),
    "probe": lambda _settings, _folder: ProbeDialog(""),
}


def _nameless(top: QWidget) -> list[str]:
    """What the keyboard reaches and a screen reader has no word for."""
    found = []
    for widget in top.findChildren(QWidget):
        reached = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible() and widget.isEnabled()
        owner = widget.parentWidget()
        if not reached or isinstance(widget, QLabel) or isinstance(owner, QComboBox) or widget.focusProxy():
            continue
        if isinstance(owner, QWidget) and owner.objectName() == "" and owner.inherits("QAbstractSpinBox"):
            continue  # the line of a spin box is named by the box
        interface = QAccessible.queryAccessibleInterface(widget)
        assert interface is not None
        if not interface.text(QAccessible.Text.Name):
            found.append(f"{type(widget).__name__} {widget.objectName()}")
    return found


def _cut(top: QWidget) -> list[str]:
    """Labels and buttons that have less room than their text needs."""
    cut = []
    for label in top.findChildren(QLabel):
        if label.isVisible() and label.text():
            high = label.heightForWidth(label.width()) if label.wordWrap() else label.sizeHint().height()
            wide = 0 if label.wordWrap() else label.sizeHint().width()
            if label.height() < high or label.width() < wide:
                cut.append(label.text())
    buttons = (button for button in top.findChildren(QAbstractButton) if button.isVisible() and button.text())
    cut += [button.text() for button in buttons if button.width() < button.minimumSizeHint().width()]
    return cut


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_dialogs_name_everything_and_cut_nothing_at_twice_the_size(
    qapp: QApplication, settings: Settings, tmp_path: Path, language: str
) -> None:
    translators, font = Translators(qapp), qapp.font()
    translators.set_language("zh_CN" if language == "zh_CN" else "en")
    large = QFont(font)
    large.setPointSizeF(font.pointSizeF() * 2)
    try:
        for scaled in (font, large):
            qapp.setFont(scaled)
            for name, make in DIALOGS.items():
                dialog = make(settings, tmp_path)
                dialog.show()
                settle()
                assert dialog.windowTitle(), name
                assert _nameless(dialog) == [], name
                assert stays_cut(partial(_cut, dialog)) == [], name
                dialog.close()
                dialog.deleteLater()
                settle()
    finally:
        qapp.setFont(font)
        translators.set_language("en")


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_the_window_cuts_nothing_at_twice_the_size(
    make_window: Callable[..., MainWindow], qapp: QApplication, language: str
) -> None:
    font = qapp.font()
    large = QFont(font)
    large.setPointSizeF(font.pointSizeF() * 2)
    qapp.setFont(large)
    try:
        window = make_window(language, size=(2000, 1400))
        assert stays_cut(partial(_cut, window.inputs)) == []
        assert stays_cut(partial(_cut, window.bar)) == []
        assert stays_cut(partial(_cut, window.first_run)) == []
    finally:
        qapp.setFont(font)


def test_tables_have_words_in_their_heads(window: MainWindow) -> None:
    tables = [table for table in window.findChildren(QAbstractItemView) if isinstance(table, QTableView)]
    assert len(tables) >= 2
    for table in tables:
        model = table.model()
        heads = [
            model.headerData(column, Qt.Orientation.Horizontal, role)
            for column in range(model.columnCount())
            for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
        ]
        spoken = [heads[2 * column] or heads[2 * column + 1] for column in range(model.columnCount())]
        assert all(spoken), (table.objectName(), spoken)


def test_a_changed_verdict_and_a_notice_are_announced(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    class Heard:
        """Stands where assistive technology listens."""

        @staticmethod
        def updateAccessibility(event: object) -> None:  # noqa: N802  # Qt's name
            said.append(event.message())  # type: ignore[attr-defined]  # only announcements are sent here

    for module in (main_window_module, notice_module):
        monkeypatch.setattr(module, "QAccessible", Heard)
    window.store.edit("params", "70B")
    window._announce()
    assert "Does not fit" in said[-1]
    window.store.notice(Reason("drop.nothing_local"))
    assert "Nothing opened" in said[-1]


def test_fields_that_take_text_say_what_they_take(window: MainWindow) -> None:
    silent = [
        field.objectName()
        for field in window.inputs.findChildren(QLineEdit)
        if field.isVisible() and field.objectName().startswith("input.")
        if not field.accessibleDescription() and not field.isReadOnly()
    ]
    assert silent == []
