"""Measure with more than the scenario says: how many steps, compiled, with a checkpoint's own values."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QLabel,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from optmem_gui.gui import settings as keys
from optmem_gui.gui.i18n import without_mnemonic
from optmem_gui.gui.settings import Settings
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.tasks.prepare import PLAIN, MeasureOptions

_PICKLE = ".pickle"


class MeasureOptionsDialog(QDialog):
    """Asks for what goes beside the scenario.

    Attributes:
        options: What was asked for, once it was accepted.

    Args:
        snapshot: What the window shows; it says what can be asked for.
        settings: Remember the number of steps.
        parent: Qt's owner.
    """

    def __init__(self, snapshot: Snapshot, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("measureOptions")
        self.setWindowTitle(self.tr("Measure with"))
        self._settings = settings
        self.options = PLAIN
        self.steps = QSpinBox(self)
        self.steps.setRange(keys.STEPS.low or 2, keys.STEPS.high or 100)
        self.steps.setValue(settings.get(keys.STEPS))
        self.compiled = QCheckBox(self.tr("&Compile the model (torch.compile)"), self)
        self.own_weights = QCheckBox(self.tr("The &file's own values in place of random ones"), self)
        self.history = QCheckBox(self.tr("Write the allocator's &history to a file..."), self)
        self._offer(snapshot)
        self._build()

    def _offer(self, snapshot: Snapshot) -> None:
        """What cannot be asked for says why."""
        self.compiled.setToolTip(self.tr("What compiled kernels keep and use beside is not predicted"))
        if snapshot.scenario.model.path is None:
            self.own_weights.setEnabled(False)
            self.own_weights.setToolTip(self.tr("Open a checkpoint first: the values come from its files"))
        gpus = snapshot.devices is not None and bool(snapshot.devices.gpus)
        if not gpus:
            self.history.setEnabled(False)
            self.history.setToolTip(self.tr("Only a GPU has a caching allocator with a history"))
        if snapshot.scenario.parallel.gpus > 1:
            for box in (self.compiled, self.own_weights, self.history):
                box.setEnabled(False)
                box.setToolTip(self.tr("Goes with one device only, and several GPUs are chosen"))

    def _build(self) -> None:
        form = QFormLayout()
        text = self.tr("&Steps")
        caption = QLabel(text, self)
        caption.setBuddy(self.steps)
        self.steps.setAccessibleName(without_mnemonic(text))
        self.steps.setToolTip(
            self.tr(
                "The first one allocates the optimizer state and is told apart; the others show the spread"
            )
        )
        form.addRow(caption, self.steps)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        start = buttons.addButton(self.tr("&Measure"), QDialogButtonBox.ButtonRole.ActionRole)
        start.setDefault(True)
        start.clicked.connect(self._begin)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addLayout(form)
        for box in (self.compiled, self.own_weights, self.history):
            column.addWidget(box)
        column.addWidget(buttons)
        self.setMinimumWidth(24 * self.fontMetrics().height())

    def _begin(self) -> None:
        history = self._ask_file() if self.history.isChecked() else ""
        if history is None:
            return
        self._settings.set(keys.STEPS, self.steps.value())
        self.options = MeasureOptions(
            own_weights=self.own_weights.isChecked(), compiled=self.compiled.isChecked(), history=history
        )
        self.accept()

    def _ask_file(self) -> str | None:
        """Where the history goes; None where the user thought better of it."""
        kinds = self.tr("Memory snapshots") + f" (*{_PICKLE})"
        name, _ = QFileDialog.getSaveFileName(
            self, self.tr("Allocator's history"), f"history{_PICKLE}", kinds
        )
        if not name:
            return None
        return name if name.endswith(_PICKLE) else name + _PICKLE
