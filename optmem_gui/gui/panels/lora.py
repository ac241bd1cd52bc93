"""Low-rank adapters on a frozen base."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from optmem_gui.core.units import format_count
from optmem_gui.gui.edits import DEFAULT_LORA
from optmem_gui.gui.fields import Choice, ChoiceField, FlagField, TextField, side_by_side
from optmem_gui.gui.input_panel import InputPanel
from optmem_gui.gui.snapshot import Snapshot

_BASES = ("bf16", "fp16", "fp32", "nf4", "nf4-dq", "int8")


class LoraPanel(InputPanel):
    """LoRA and QLoRA: off until it is switched on."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.switch = FlagField("lora", self)
        self.rank, self.targets = TextField("lora.rank", self), TextField("lora.targets", self)
        self.base = ChoiceField("lora.base_dtype", self)
        for field in (self.switch, self.rank, self.base, self.targets):
            self.add(field)
        self._details = side_by_side([self.rank, self.base])
        self.body.addWidget(self.switch)
        self.body.addWidget(self._details)
        self.body.addWidget(self.targets)
        self.retranslate()

    def retranslate(self) -> None:
        """Put the words of the current language in."""
        self.title.setText(self.tr("Adapters"))
        self.switch.set_label(
            self.tr("Train LoRA adapters onl&y"),
            self.tr("The base is frozen: no gradients, no optimizer state"),
        )
        self.rank.set_label(self.tr("Ra&nk"), self.tr("Rank of each pair of adapter matrices"))
        self.targets.set_label(
            self.tr("&Targets"), self.tr("Module names separated by commas, or all-linear")
        )
        self.base.set_label(self.tr("Base &dtype"), self.tr("How the frozen base is held"))
        names = {
            "nf4": self.tr("nf4 (4 bits)"),
            "nf4-dq": self.tr("nf4, double quantized"),
            "int8": self.tr("int8 (LLM.int8)"),
        }
        self.base.set_choices(Choice(base, names.get(base, base)) for base in _BASES)

    def show_values(self, snapshot: Snapshot) -> None:
        """Show the adapters, or only the switch."""
        lora = snapshot.inputs.scenario.lora
        self.switch.show_value(lora is not None)
        self._details.setVisible(lora is not None)
        self.targets.setVisible(lora is not None)
        self.base.show_value((lora or DEFAULT_LORA).base_dtype)
        trained = snapshot.breakdown.parameters.trainable if snapshot.breakdown else 0
        note = self.tr("{count} parameters are trained").format(count=format_count(trained))
        self.switch.set_note(note if lora is not None and not snapshot.stale else "")
