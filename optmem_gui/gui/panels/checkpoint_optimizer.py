"""The state of an optimizer found in a checkpoint, and an adapter's way onto its base."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from optmem_gui.checkpoints.checkpoint import Adapter
from optmem_gui.checkpoints.optimizer_found import OptimizerInFile
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.gui.i18n import listed, precision_name
from optmem_gui.gui.tasks.inspect import Inspected
from optmem_gui.gui.widgets.copy_table import CopyTable
from optmem_gui.gui.widgets.labels import TONE_OF_SIGN, Sign, ValueLabel, VerdictMark
from optmem_gui.gui.widgets.painting import em
from optmem_gui.gui.widgets.text_table import Heads, TextRow, TextTableModel

_ALSO_SHOWN = 4


class OptimizerView(QWidget):
    """Which optimizer left its state, how well it fits, what it takes, and whether both halves agree.

    Emits:
        taken: It is to become the optimizer of the scenario.
    """

    taken = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._inspected: Inspected | None = None
        self._scenario: Scenario | None = None
        self._unit: SizeUnit = "GiB"
        self.identity = ValueLabel(bold=True, wrap=True)
        self.fit, self.held = ValueLabel(wrap=True), ValueLabel(wrap=True)
        self.mark, self.agreement = VerdictMark(), ValueLabel(wrap=True)
        self.take, self.what = QPushButton(), ValueLabel(tone="muted", factor=0.92, wrap=True)
        self.take.clicked.connect(self.taken)
        self.model, self.table = TextTableModel(self), CopyTable()
        self.table.setModel(self.model)
        agrees, take = QHBoxLayout(), QHBoxLayout()
        agrees.addWidget(self.mark)
        agrees.addWidget(self.agreement, 1)
        take.addWidget(self.take)
        take.addWidget(self.what, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(round(em(self) / 3))
        for label in (self.identity, self.fit, self.held):
            column.addWidget(label)
        column.addLayout(agrees)
        column.addLayout(take)
        column.addWidget(self.table, 1)
        column.addStretch(0)
        self.retranslate()

    def show_found(self, inspected: Inspected | None, scenario: Scenario, unit: SizeUnit) -> None:
        """Show the state in a checkpoint beside the scenario."""
        self._inspected, self._scenario, self._unit = inspected, scenario, unit
        found = None if inspected is None else inspected.chosen.optimizer
        for widget in (self.fit, self.held, self.mark, self.agreement, self.take, self.what, self.table):
            widget.setVisible(found is not None)
        if inspected is None or found is None:
            self.identity.setText(self.tr("No optimizer left its state in this checkpoint."))
            return
        self._show_identity(found)
        self._show_size(found)
        self._show_agreement(inspected, found)
        self._show_take(inspected, scenario)
        self._show_rows(found)

    def _show_identity(self, found: OptimizerInFile) -> None:
        match = found.match
        if match is None:
            self.identity.setText(self.tr("{kind}: no known implementation").format(kind=found.kind))
            self.fit.setText(self.tr("Its state has names or shapes that no optimizer of the catalogue has."))
            return
        options = [f"{name}={value}" for name, value in match.options]
        self.identity.setText(listed([_optimizer_name(match.id), *options]))
        fits = (
            self.tr("Every state has the names, sizes and types that this implementation gives it.")
            if match.exact
            else self.tr("The nearest implementation: not every state is exactly as it would make it.")
        )
        if match.also:
            names = [_optimizer_name(name) for name in match.also[:_ALSO_SHOWN]]
            more = len(match.also) - _ALSO_SHOWN
            if more > 0:
                names.append(self.tr("{number} more").format(number=format_count(more)))
            fits += " " + self.tr("The same file also fits {names}.").format(names=listed(names))
        self.fit.setText(fits)
        self.fit.setToolTip(listed(match.also))

    def _show_size(self, found: OptimizerInFile) -> None:
        text = self.tr("{size} of state ({bytes} bytes): {each} bytes a parameter, as {types}.").format(
            size=format_bytes(found.total_bytes, self._unit),
            bytes=format_count(found.total_bytes),
            each=f"{found.bytes_per_parameter:.2f}",
            types=listed(found.dtypes),
        )
        if found.master_count:
            text += " " + self.tr("Beside it {size} of master weights.").format(
                size=format_bytes(found.master_bytes, self._unit)
            )
        if found.step is not None:
            text += " " + self.tr("{count} steps taken.").format(count=format_count(found.step))
        self.held.setText(text)

    def _show_agreement(self, inspected: Inspected, found: OptimizerInFile) -> None:
        agrees = inspected.chosen.optimizer_agrees
        state, trained = format_count(found.param_count), format_count(inspected.chosen.trainable_count)
        sign: Sign = "none"
        if agrees is None:
            text = self.tr("State for {state} parameters; the file has no trained ones to compare with.")
        elif agrees:
            sign = "yes"
            text = self.tr("State for {state} parameters, as many as the model trains.")
        else:
            sign = "tight"
            text = self.tr("State for {state} parameters, but the model trains {trained}.")
        self.mark.set_sign(sign)
        self.agreement.set_tone(TONE_OF_SIGN[sign])
        self.agreement.setText(text.format(state=state, trained=trained))

    def _show_take(self, inspected: Inspected, scenario: Scenario) -> None:
        found = inspected.suggestion
        self.take.setEnabled(False)
        if found is None:
            self.what.setText(self.tr("Choose an optimizer by hand: none fits what is in the file."))
            return
        parts = [_optimizer_name(found.optimizer), *(f"{name}={value}" for name, value in found.options)]
        if found.precision is not None:
            parts.append(precision_name(found.precision))
        same = (scenario.optimizer, scenario.options) == (found.optimizer, found.options)
        if same and found.precision in (None, scenario.precision):
            self.what.setText(self.tr("The scenario has it: {parts}.").format(parts=listed(parts)))
            return
        self.take.setEnabled(True)
        text = self.tr("Sets {parts}.").format(parts=listed(parts))
        if found.precision is None:
            text += " " + self.tr("The precision stays: the types in the file fit more than one.")
        self.what.setText(text)

    def _show_rows(self, found: OptimizerInFile) -> None:
        heads = Heads(
            (
                self.tr("State"),
                self.tr("Type"),
                self.tr("Tensors"),
                self.tr("Elements"),
                self.tr("In the file"),
            ),
            (self.tr("bytes"),),
            frozenset({2, 3, 4}),
        )
        rows = tuple(
            TextRow(
                (
                    row.name,
                    row.dtype,
                    format_count(row.tensor_count),
                    format_count(row.element_count),
                    format_bytes(row.bytes, self._unit),
                ),
                (str(row.bytes),),
            )
            for row in found.rows
        )
        self.model.show_rows(heads, rows)
        self.table.fit_numbers(4)

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.take.setText(self.tr("Use in the scenario"))
        self.take.setToolTip(self.tr("Set optimizer, options and precision as in the file; can be undone"))
        self.table.setAccessibleName(self.tr("State tensors in the file"))
        if self._scenario is not None:
            self.show_found(self._inspected, self._scenario, self._unit)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow a change of language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()


class AdapterView(QWidget):
    """What an adapter changes, and the choice of the model it belongs on; hidden where there is none.

    Emits:
        base_wanted: The base is to be chosen: True for a folder.
        setting_wanted: The adapter is to become a setting of the scenario.
    """

    base_wanted = Signal(bool)
    setting_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._inspected: Inspected | None = None
        self.text = ValueLabel(wrap=True)
        self.file, self.folder, self.setting = QPushButton(), QPushButton(), QPushButton()
        self.file.clicked.connect(lambda: self.base_wanted.emit(False))
        self.folder.clicked.connect(lambda: self.base_wanted.emit(True))
        self.setting.clicked.connect(self.setting_wanted)
        line = QHBoxLayout()
        for button in (self.file, self.folder, self.setting):
            line.addWidget(button)
        line.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(round(em(self) / 3))
        column.addWidget(self.text)
        column.addLayout(line)
        self.retranslate()

    def show_adapter(self, inspected: Inspected | None) -> None:
        """Show the adapter of a checkpoint, if it is one."""
        self._inspected = inspected
        adapter = None if inspected is None else inspected.chosen.adapter
        self.setVisible(adapter is not None)
        if inspected is None or adapter is None:
            return
        base = inspected.question.base
        self.text.setText(f"{self._about(adapter)} {self._on(adapter, None if base is None else base.name)}")
        self.setting.setVisible(base is not None)
        self.setting.setEnabled(inspected.as_setting is not None)

    def _about(self, adapter: Adapter) -> str:
        return self.tr("{kind} adapter, rank {rank}, on {targets}.").format(
            kind=adapter.kind, rank=adapter.rank or "?", targets=listed(adapter.targets[:8]) or "?"
        )

    def _on(self, adapter: Adapter, base: str | None) -> str:
        if base is not None:
            return self.tr("It is counted on {base}, which is frozen.").format(base=base)
        return self.tr("Its base ({base}) is not counted: choose its file or folder.").format(
            base=adapter.base or "?"
        )

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.file.setText(self.tr("Base model file..."))
        self.folder.setText(self.tr("Base model folder..."))
        self.setting.setText(self.tr("Use as LoRA setting"))
        self.setting.setToolTip(
            self.tr("Set the base as the model and the adapter as LoRA, so that its rank can be changed")
        )
        self.show_adapter(self._inspected)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow a change of language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()


def _optimizer_name(optimizer: str) -> str:
    """An optimizer as the lists call it."""
    entry = CATALOGUE.get(optimizer)
    return optimizer if entry is None else f"{entry.name} ({entry.library})"
