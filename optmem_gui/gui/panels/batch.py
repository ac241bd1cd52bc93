"""What one micro-batch is, and what the step keeps of it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from optmem_gui.core.model import ModelRef
from optmem_gui.core.units import format_count
from optmem_gui.gui.fields import Choice, ChoiceField, FlagField, TextField, side_by_side
from optmem_gui.gui.input_panel import InputPanel
from optmem_gui.gui.snapshot import Snapshot

_EVERY = (2, 3, 4, 8, 16)


class BatchPanel(InputPanel):
    """Batch, sequence, checkpointing, attention, loss, accumulation, clipping."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.batch, self.sequence = TextField("batch", self), TextField("sequence", self)
        self.checkpointing = ChoiceField("checkpointing", self)
        self.attention, self.loss = ChoiceField("attention", self), ChoiceField("loss", self)
        self.accumulate = TextField("accumulate", self)
        self.clip, self.keep_logits = FlagField("clip", self), FlagField("keep_logits", self)
        self.set_to_none = FlagField("set_to_none", self)
        for field in (
            self.batch,
            self.sequence,
            self.checkpointing,
            self.attention,
            self.loss,
            self.accumulate,
            self.clip,
            self.set_to_none,
            self.keep_logits,
        ):
            self.add(field)
        self.body.addWidget(side_by_side([self.batch, self.sequence]))
        self.body.addWidget(self.checkpointing)
        self.body.addWidget(side_by_side([self.attention, self.loss]))
        self.body.addWidget(self.accumulate)
        for flag in (self.clip, self.set_to_none, self.keep_logits):
            self.body.addWidget(flag)
        self.retranslate()

    def retranslate(self) -> None:
        """Put the words of the current language in."""
        self.title.setText(self.tr("Batch and activations"))
        self.batch.set_label(
            self.tr("&Batch"), self.tr("Sequences in one micro-batch; empty leaves activations out")
        )
        self.sequence.set_label(self.tr("&Sequence"), self.tr("Tokens in one sequence"))
        self.checkpointing.set_label(
            self.tr("Activation chec&kpointing"),
            self.tr("What is kept for backward, and what is computed again instead"),
        )
        self.attention.set_label(
            self.tr("&Attention"), self.tr("Kernel of the attention; eager keeps the whole score matrix")
        )
        self.loss.set_label(self.tr("&Loss"), self.tr("How logits and cross-entropy are computed"))
        self.accumulate.set_label(
            self.tr("Acc&umulation"), self.tr("Micro-batches whose gradients are summed before a step")
        )
        self.clip.set_label(
            self.tr("Clip gradients by nor&m"), self.tr("clip_grad_norm_ runs before the optimizer step")
        )
        self.set_to_none.set_label(
            self.tr("&zero_grad frees gradients"),
            self.tr("zero_grad(set_to_none=True), the default; off keeps them in memory as zeros"),
        )
        self.keep_logits.set_label(
            self.tr("Loop keeps the l&ogits"),
            self.tr("The training loop holds a reference to the logits through the optimizer step"),
        )
        self._retranslate_choices()

    def _retranslate_choices(self) -> None:
        every = self.tr("every {number} layers")
        self.checkpointing.set_choices(
            [
                Choice("none", self.tr("none")),
                Choice("attention", self.tr("attention only")),
                Choice("full", self.tr("full: every layer")),
                *(Choice(f"every-{number}", every.format(number=number)) for number in _EVERY),
            ]
        )
        self.attention.set_choices(
            [
                Choice("auto", self.tr("automatic")),
                Choice("flash", "flash"),
                Choice("efficient", self.tr("memory-efficient")),
                Choice("cudnn", "cuDNN"),
                Choice("math", "math"),
                Choice("eager", "eager"),
            ]
        )
        self.loss.set_choices(
            [
                Choice("full", self.tr("full logits")),
                Choice("chunked", self.tr("chunked")),
                Choice("fused", self.tr("fused linear")),
            ]
        )

    def show_values(self, snapshot: Snapshot) -> None:
        """Show the choices."""
        scenario = snapshot.inputs.scenario
        known = {f"every-{number}" for number in _EVERY} | {"none", "attention", "full"}
        if scenario.checkpointing not in known:
            # A scenario file may hold another K than the list offers.
            number = scenario.checkpointing.removeprefix("every-")
            self.checkpointing.add_choice(
                Choice(scenario.checkpointing, self.tr("every {number} layers").format(number=number))
            )
        self.checkpointing.show_value(scenario.checkpointing)
        self.attention.show_value(scenario.attention)
        self.loss.show_value(scenario.loss)
        self.clip.show_value(scenario.clip)
        self.set_to_none.show_value(scenario.set_to_none)
        self.keep_logits.show_value(scenario.keep_logits)
        self.batch.set_note("" if scenario.batch is not None else self.tr("activations not counted"))
        self._fit_to(scenario.model)

    def _fit_to(self, model: ModelRef) -> None:
        """Ask for what a micro-batch of this model is made of: an image fixes its own sequence."""
        self.sequence.setVisible(model.own_sequence is None)
        about = self.tr("Sequences in one micro-batch; empty leaves activations out")
        if model.own_sequence is not None:
            about = self.tr("Images in one micro-batch, {tokens} tokens each; empty leaves activations out")
            about = about.format(tokens=format_count(model.own_sequence))
        self.batch.set_label(self.tr("&Batch"), about)
