"""How several GPUs share the run."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from optmem_gui.core.model import ModelRef, Role
from optmem_gui.core.parallel import ONE_GPU, SHARD_IDS, SHARD_NAMES, Parallel
from optmem_gui.gui.fields import Choice, ChoiceField, Field, FlagField, TextField, side_by_side
from optmem_gui.gui.i18n import text
from optmem_gui.gui.input_panel import InputPanel
from optmem_gui.gui.parallel_edits import OPTIMIZERS_OFFLOAD, PREFIX
from optmem_gui.gui.snapshot import Snapshot


class ShardingPanel(InputPanel):
    """One number until there is more than one GPU, then everything that several can do.

    Emits:
        plan_wanted: The user wants to know which layouts fit.
    """

    plan_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.gpus = self._number("gpus")
        self.shard = ChoiceField(f"{PREFIX}shard", self)
        self.tp, self.pp = self._number("tp"), self._number("pp")
        self.cp, self.ep = self._number("cp"), self._number("ep")
        self.replicas, self.interleave = self._number("replicas"), self._number("interleave")
        self.stages = self._number("stages")
        self.offload = ChoiceField(f"{PREFIX}offload", self)
        self.host = self._number("host_bytes")
        self.sequence = FlagField(f"{PREFIX}sequence_parallel", self)
        self.bucket = FlagField(f"{PREFIX}bucket_view", self)
        self.plan = QPushButton(self)
        self.plan.setObjectName("button.plan")
        self.plan.clicked.connect(self.plan_wanted)
        for field in (self.shard, self.offload, self.sequence, self.bucket):
            self.add(field)
        self._details = (
            self.shard,
            side_by_side([self.tp, self.pp]),
            side_by_side([self.cp, self.ep]),
            side_by_side([self.replicas, self.interleave]),
            self.stages,
            side_by_side([self.offload, self.host]),
            self.sequence,
            self.bucket,
        )
        self.body.addWidget(self.gpus)
        self.body.addWidget(self.plan)
        for part in self._details:
            self.body.addWidget(part)
        self.retranslate()

    def _number(self, name: str) -> TextField:
        field = TextField(f"{PREFIX}{name}", self)
        self.add(field)
        return field

    def retranslate(self) -> None:
        """Put the words of the current language in."""
        self.title.setText(self.tr("GPUs and sharding"))
        self.plan.setText(self.tr("Find layouts that fit..."))
        self.plan.setToolTip(self.tr("How few GPUs are enough, and how they share the model"))
        self.gpus.set_label(self.tr("Number of GPUs"), self.tr("Ranks in all, one a GPU"))
        self.shard.set_label(
            self.tr("Data-parallel engine"), self.tr("What ranks that see different data share")
        )
        self.tp.set_label(self.tr("Tensor parallel"), self.tr("Ranks that split every matrix (tp)"))
        self.pp.set_label(self.tr("Pipeline stages"), self.tr("Ranks that split the layers (pp)"))
        self.cp.set_label(self.tr("Context parallel"), self.tr("Ranks that split the sequence (cp)"))
        self.ep.set_label(self.tr("Expert parallel"), self.tr("Ranks that split the experts (ep)"))
        self.replicas.set_label(
            self.tr("Replicas"), self.tr("Groups of ranks that each hold all shards (HSDP)")
        )
        self.interleave.set_label(
            self.tr("Interleave"), self.tr("Chunks of layers that a pipeline rank holds")
        )
        self.stages.set_label(
            self.tr("Layers of each stage"),
            self.tr("Such as 10, 11, 11; empty: as even as they go, the first stages one more"),
        )
        self.host.set_label(
            self.tr("Host GiB a GPU"), self.tr("Host memory for each GPU; empty where it is not known")
        )
        self.offload.set_label(self.tr("Offload"), self.tr("What lives in host memory"))
        self.sequence.set_label(
            self.tr("Sequence parallel"), self.tr("Norms and dropout work on a part of the sequence")
        )
        self.bucket.set_label(
            self.tr("Gradients in DDP's buckets"), self.tr("gradient_as_bucket_view=True: one copy less")
        )
        self.shard.set_choices(
            Choice(name, SHARD_NAMES[name], tip=text(f"shard.{name}")) for name in SHARD_IDS
        )
        self.offload.set_choices(
            [
                Choice("none", self.tr("nothing")),
                Choice("optimizer", self.tr("optimizer")),
                Choice("all", self.tr("parameters, too")),
            ]
        )

    def show_values(self, snapshot: Snapshot) -> None:
        """Show the layout; with one GPU there is nothing to lay out."""
        scenario = snapshot.inputs.scenario
        parallel = scenario.parallel
        several = parallel != ONE_GPU or any(name.startswith(PREFIX) for name in snapshot.inputs.issues)
        for part in self._details:
            part.setVisible(several)
        self.shard.show_value(parallel.shard)
        self.shard.set_note(text(f"shard.{parallel.shard}") if several else "")
        self.offload.show_value(parallel.offload)
        self.sequence.show_value(parallel.sequence_parallel)
        self.bucket.show_value(parallel.bucket_view)
        self._allow(scenario.model, parallel)

    def _allow(self, model: ModelRef, parallel: Parallel) -> None:
        """Disable what makes no sense, and say why; what was set already can always be taken back."""
        shard = parallel.shard
        experts = any(group.role is Role.EXPERT for group in model.groups)
        self._let(self.ep, experts or parallel.ep > 1, self.tr("this model has no experts"))
        self._let(self.replicas, shard == "hsdp" or parallel.replicas > 1, self.tr("HSDP only"))
        self._let(
            self.interleave, parallel.pp > 1 or parallel.interleave > 1, self.tr("needs several stages")
        )
        self._let(self.stages, parallel.pp > 1 or bool(parallel.stages), self.tr("needs several stages"))
        offloads = shard in OPTIMIZERS_OFFLOAD or parallel.offload != "none"
        self._let(self.offload, offloads, self.tr("not with {engine}").format(engine=SHARD_NAMES[shard]))
        host = parallel.offload != "none" or parallel.host_bytes is not None
        self._let(self.host, host, self.tr("nothing is offloaded"))
        split = parallel.tp > 1 or parallel.sequence_parallel
        self._let(self.sequence, split, self.tr("needs tensor parallel ranks"))
        self._let(self.bucket, shard == "ddp" or parallel.bucket_view, self.tr("DDP only"))

    @staticmethod
    def _let(field: Field, allowed: bool, reason: str) -> None:
        field.setEnabled(allowed)
        field.set_note("" if allowed else reason)
