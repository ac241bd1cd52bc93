"""Theme, language, unit, how a measurement runs, and where the program keeps what it writes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QGridLayout,
    QLabel,
    QMessageBox,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from optmem_gui.gui import settings as keys
from optmem_gui.gui.desktop import open_folder
from optmem_gui.gui.i18n import LANGUAGES, labelled, without_mnemonic
from optmem_gui.gui.settings import Setting, Settings
from optmem_gui.gui.widgets.python_field import PythonField
from optmem_gui.logs import LOG_FILE, log_dir


class SettingsDialog(QDialog):
    """Changes the settings when it is accepted; what uses them looks at them afterwards."""

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("settings")
        self.setWindowTitle(self.tr("Settings"))
        self._settings = settings
        self._lists: list[tuple[QComboBox, Setting[str]]] = []
        form = QFormLayout()
        themes = {
            "system": self.tr("as the system"),
            "light": self.tr("light"),
            "dark": self.tr("dark"),
        }
        self.theme = self._list(keys.THEME, themes)
        contrasts = {"system": self.tr("as the system"), "high": self.tr("high")}
        self.contrast = self._list(keys.CONTRAST, contrasts)
        self.language = self._list(keys.LANGUAGE, {"system": self.tr("as the system"), **LANGUAGES})
        self.unit = self._list(
            keys.UNIT, {"GiB": self.tr("GiB (2^30 bytes)"), "GB": self.tr("GB (10^9 bytes)")}
        )
        self.steps = QSpinBox(self)
        self.steps.setRange(keys.STEPS.low or 2, keys.STEPS.high or 100)
        self.steps.setValue(settings.get(keys.STEPS))
        self.sample_hz = QSpinBox(self)
        self.sample_hz.setRange(keys.SAMPLE_HZ.low or 1, keys.SAMPLE_HZ.high or 1)
        self.sample_hz.setSuffix(self.tr(" Hz"))
        self.sample_hz.setValue(settings.get(keys.SAMPLE_HZ))
        field = PythonField(settings, self)
        self.python = field.edit
        self.after_edit = QCheckBox(self.tr("Simulate a moment &after each edit"), self)
        self.after_edit.setChecked(settings.get(keys.SIMULATE_AFTER_EDIT))
        self._row(form, self.tr("&Theme"), self.theme)
        self._row(form, self.tr("C&ontrast"), self.contrast)
        self._row(form, self.tr("&Language"), self.language)
        self._row(form, self.tr("&Unit of sizes"), self.unit)
        self._row(form, self.tr("Measured &steps"), self.steps)
        self._row(form, self.tr("&Samples of the driver"), self.sample_hz)
        caption = QLabel(self.tr("&Python with torch"), self)
        caption.setBuddy(self.python)
        self.python.setAccessibleName(without_mnemonic(caption.text()))
        form.addRow(caption, field)
        form.addRow(self.after_edit)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        self.reset = QPushButton(self.tr("&Reset all..."), self)
        buttons.addButton(self.reset, QDialogButtonBox.ButtonRole.ResetRole)
        self.reset.clicked.connect(self._reset)
        buttons.accepted.connect(self._accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addLayout(self._places())
        column.addWidget(buttons)
        self.setMinimumWidth(26 * self.fontMetrics().height())

    def _places(self) -> QGridLayout:
        """Where settings and log lie, each with a button that shows the folder."""
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        kept = self._settings.path.parent
        rows = (
            (self.tr("Settings"), self._settings.path, kept, self.tr("Open &folder")),
            (self.tr("Log"), log_dir() / LOG_FILE, log_dir(), self.tr("Open fol&der")),
        )
        for row, (name, path, folder, text) in enumerate(rows):
            shown = QLabel(shown_path(path), self)
            shown.setWordWrap(True)
            shown.setTextFormat(Qt.TextFormat.PlainText)
            shown.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            button = QPushButton(text, self)
            button.setAccessibleName(labelled(without_mnemonic(text), name))
            button.setEnabled(folder.is_dir())
            button.clicked.connect(_opener(folder))
            for place, widget in enumerate((QLabel(name, self), shown, button)):
                grid.addWidget(widget, row, place)
        return grid

    def _list(self, setting: Setting[str], names: dict[str, str]) -> QComboBox:
        box = QComboBox(self)
        for value, name in names.items():
            box.addItem(name, value)
        box.setCurrentIndex(box.findData(self._settings.get(setting)))
        self._lists.append((box, setting))
        return box

    @staticmethod
    def _row(form: QFormLayout, text: str, widget: QWidget) -> None:
        caption = QLabel(text)
        caption.setBuddy(widget)
        widget.setAccessibleName(without_mnemonic(text))
        form.addRow(caption, widget)

    def _accept(self) -> None:
        values: list[tuple[Setting[Any], Any]] = [
            *((setting, str(box.currentData())) for box, setting in self._lists),
            (keys.STEPS, self.steps.value()),
            (keys.SAMPLE_HZ, self.sample_hz.value()),
            (keys.WORKER_PYTHON, self.python.text().strip()),
            (keys.SIMULATE_AFTER_EDIT, self.after_edit.isChecked()),
        ]
        for setting, value in values:
            if value != self._settings.get(setting):  # what another window chose meanwhile stays
                self._settings.set(setting, value)
        self.accept()

    def _reset(self) -> None:
        buttons = QMessageBox.StandardButton
        answer = QMessageBox.question(
            self,
            self.tr("Reset all settings"),
            self.tr("Forget every setting, the shape of the window and the list of recent files?"),
            buttons.Reset | buttons.Cancel,
            buttons.Cancel,
        )
        if answer == buttons.Reset:
            self._settings.reset()
            self.accept()


def shown_path(path: Path) -> str:
    """A path that can be broken into lines after each folder."""
    return str(path).replace(os.sep, f"{os.sep}\u200b")


def _opener(folder: Path) -> Callable[[], object]:
    return lambda: open_folder(folder)
