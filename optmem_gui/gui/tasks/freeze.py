"""Choosing by their names which parameters are trained, off the UI thread."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QThread

from optmem_gui.core.errors import UserError
from optmem_gui.core.model import ModelRef, ModelSpec, Source
from optmem_gui.core.reasons import Reason
from optmem_gui.gui.snapshot import CheckpointSummary
from optmem_gui.gui.tasks.load import read_checkpoint


class FreezeThread(QThread):
    """Makes a model anew with its names, and groups it by what is trained.

    Attributes:
        checkpoint: How the file behind the model is understood, if there is one; no pattern freezes any more.
        outcome: The model, why the pattern was refused, a defect of the program, or None after a stop.
    """

    def __init__(
        self,
        model: ModelRef,
        pattern: str,
        parent: QObject | None = None,
        checkpoint: CheckpointSummary | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("freeze")
        self.checkpoint = checkpoint
        if checkpoint is not None and checkpoint.choices is not None:
            self.checkpoint = replace(checkpoint, choices=replace(checkpoint.choices, frozen=""))
        self.model, self.pattern = model, pattern
        self.outcome: ModelRef | Reason | Exception | None = None

    def run(self) -> None:
        """Choose, in the thread."""
        # the readers are loaded in this thread, when they are needed, and not before the window
        from optmem_gui.checkpoints.contents import Cancelled  # noqa: PLC0415  # as said above
        from optmem_gui.core.trainable import trained_ref  # noqa: PLC0415  # as said above

        try:
            self.outcome = trained_ref(self._spec(), self.pattern)
        except Cancelled:
            self.outcome = None
        except UserError as error:
            self.outcome = error.reason
        except Exception as error:  # noqa: BLE001  # raised again on the UI thread, where the report is shown
            self.outcome = error

    def _spec(self) -> ModelSpec:
        """The model with the names of its tensors: from its file, its preset or its size."""
        from optmem_gui.architectures.presets import PRESETS, preset_spec  # noqa: PLC0415  # as said above
        from optmem_gui.checkpoints.choices import apply  # noqa: PLC0415  # as said above
        from optmem_gui.core.trainable import named_model  # noqa: PLC0415  # as said above

        model = self.model
        if model.path is not None:
            known = self.checkpoint
            base = None if known is None else known.base
            found = read_checkpoint(Path(model.path), base, cancelled=self.isInterruptionRequested)
            return (found if known is None or known.choices is None else apply(found, known.choices)).spec
        preset = next((each for each in PRESETS.values() if each.title == model.title), None)
        if model.source is Source.PRESET and preset is not None:
            return preset_spec(preset.id)
        return named_model(model.param_count)
