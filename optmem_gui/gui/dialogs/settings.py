"""Theme, language, unit, and how a measurement runs."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from optmem_gui.gui import settings as keys
from optmem_gui.gui.i18n import LANGUAGES, without_mnemonic
from optmem_gui.gui.settings import Setting, Settings


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
        self.python = QLineEdit(settings.get(keys.WORKER_PYTHON), self)
        self.python.setPlaceholderText(self.tr("the one this program runs in"))
        browse = QPushButton(self.tr("Choose..."), self)
        browse.clicked.connect(self._choose_python)
        python = QHBoxLayout()
        python.addWidget(self.python, 1)
        python.addWidget(browse)
        self.after_edit = QCheckBox(self.tr("Simulate a moment &after each edit"), self)
        self.after_edit.setChecked(settings.get(keys.SIMULATE_AFTER_EDIT))
        self._row(form, self.tr("&Theme"), self.theme)
        self._row(form, self.tr("&Language"), self.language)
        self._row(form, self.tr("&Unit of sizes"), self.unit)
        self._row(form, self.tr("Measured &steps"), self.steps)
        self._row(form, self.tr("&Samples of the driver"), self.sample_hz)
        caption = QLabel(self.tr("&Python with torch"), self)
        caption.setBuddy(self.python)
        self.python.setAccessibleName(without_mnemonic(caption.text()))
        form.addRow(caption, python)
        form.addRow(self.after_edit)
        place = QLabel(self.tr("Kept in {path}").format(path=settings.path), self)
        place.setWordWrap(True)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        buttons.accepted.connect(self._accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(place)
        column.addWidget(buttons)
        self.setMinimumWidth(26 * self.fontMetrics().height())

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

    def _choose_python(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, self.tr("Python with torch"), self.python.text())
        if name:
            self.python.setText(name)

    def _accept(self) -> None:
        for box, setting in self._lists:
            self._settings.set(setting, str(box.currentData()))
        self._settings.set(keys.STEPS, self.steps.value())
        self._settings.set(keys.SAMPLE_HZ, self.sample_hz.value())
        self._settings.set(keys.WORKER_PYTHON, self.python.text().strip())
        self._settings.set(keys.SIMULATE_AFTER_EDIT, self.after_edit.isChecked())
        self.accept()
