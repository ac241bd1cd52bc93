"""Understanding a checkpoint in another way, off the UI thread: its groups and its tree of modules."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThread

from optmem_gui.core.errors import UserError
from optmem_gui.core.model import ModelRef
from optmem_gui.core.module_tree import ModuleTree
from optmem_gui.core.reasons import Reason
from optmem_gui.gui.snapshot import CheckpointSummary
from optmem_gui.gui.tasks.load import Stamp, stamp_of, summarize

if TYPE_CHECKING:
    from optmem_gui.checkpoints.checkpoint import Checkpoint
    from optmem_gui.checkpoints.choices import Choices
    from optmem_gui.checkpoints.suggested import Suggestion
    from optmem_gui.core.scenario import Lora


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be shown.

    Attributes:
        path: File or folder of the checkpoint.
        base: That of the model its adapter is put on, if one was chosen.
        choices: How it is understood; None as it was read.
        trained: Pattern of the parameters that are trained; empty as it comes.
    """

    path: Path
    base: Path | None = None
    choices: Choices | None = None
    trained: str = ""


@dataclass(frozen=True, slots=True)
class AsSetting:
    """An adapter as a setting of the scenario, so that its rank can be changed.

    Attributes:
        model: The base alone.
        checkpoint: What the window keeps of it.
        lora: The setting.
    """

    model: ModelRef
    checkpoint: CheckpointSummary
    lora: Lora


@dataclass(frozen=True, eq=False)
class Inspected:
    """A checkpoint as a page shows it.

    Attributes:
        question: What it answers.
        read: The checkpoint as it was read, with its base.
        chosen: The same, understood as chosen.
        tree: Its modules.
        model: Its groups, for a scenario.
        summary: What the window keeps of it.
        suggestion: The scenario that its optimizer state tells, if any.
        has_average: There is an averaged copy to choose.
        as_setting: The base alone and the adapter as a setting of the scenario, where it can be one.
    """

    question: Question
    read: Checkpoint
    chosen: Checkpoint
    tree: ModuleTree
    model: ModelRef
    summary: CheckpointSummary
    suggestion: Suggestion | None
    has_average: bool
    as_setting: AsSetting | None = None


@dataclass(frozen=True, eq=False)
class Known:
    """What was read for a question.

    Attributes:
        read: The checkpoint, with its base.
        stamp: Stamp of its files.
        as_setting: Its adapter as a setting, where it can be one.
    """

    read: Checkpoint
    stamp: Stamp | None
    as_setting: AsSetting | None = None


class InspectThread(QThread):
    """Answers one question; reads the files only where they were not read before.

    Attributes:
        outcome: The answer, why there is none, a defect of the program, or None after a stop.
    """

    def __init__(
        self, question: Question, known: Known | None, parent: QObject | None = None, python: str = ""
    ) -> None:
        """Prepare.

        Args:
            question: What is to be shown.
            known: What was read for it; None reads.
            parent: Owner.
            python: Builds a model that only its own library knows; this program's own when left out.
        """
        super().__init__(parent)
        self.setObjectName("inspect")
        self.question, self._known, self._python = question, known, python
        self.outcome: Inspected | Reason | Exception | None = None

    def run(self) -> None:
        """Answer, in the thread."""
        from optmem_gui.checkpoints.contents import Cancelled  # noqa: PLC0415  # readers wait until they are needed

        try:
            self.outcome = self._answer()
        except Cancelled:
            self.outcome = None
        except UserError as error:
            self.outcome = error.reason
        except OSError as error:
            self.outcome = Reason(
                "checkpoint.gone", {"file": self.question.path.name, "why": error.strerror or "?"}
            )
        except Exception as error:  # noqa: BLE001  # raised again on the UI thread, where the report is shown
            self.outcome = error

    def _answer(self) -> Inspected:
        from optmem_gui.checkpoints.choices import apply, has_average  # noqa: PLC0415  # as above
        from optmem_gui.checkpoints.modules import module_tree  # noqa: PLC0415  # as above
        from optmem_gui.checkpoints.suggested import suggested  # noqa: PLC0415  # as above
        from optmem_gui.core.trainable import trained_ref  # noqa: PLC0415  # as above

        asked, known = self.question, self._known or self._read()
        read = known.read
        chosen = read if asked.choices is None else apply(read, asked.choices)
        model = trained_ref(chosen.spec, asked.trained) if asked.trained else chosen.ref
        return Inspected(
            asked,
            read,
            chosen,
            module_tree(chosen, asked.trained),
            model,
            summarize(chosen, choices=asked.choices, base=asked.base, stamp=known.stamp),
            suggested(chosen),
            has_average(read),
            known.as_setting,
        )

    def _read(self) -> Known:
        """Read the files."""
        from optmem_gui.checkpoints.adapters import lora_of, on_base  # noqa: PLC0415  # as above
        from optmem_gui.checkpoints.opening import open_checkpoint  # noqa: PLC0415  # as above
        from optmem_gui.engine.config_builder import ConfigBuilder  # noqa: PLC0415  # as above

        asked, build = self.question, ConfigBuilder(self._python or None).build
        stamp = stamp_of(asked.path)
        found = open_checkpoint(asked.path, cancelled=self.isInterruptionRequested, build=build)
        if asked.base is None:
            return Known(found, stamp)
        base_stamp = stamp_of(asked.base)
        base = open_checkpoint(asked.base, cancelled=self.isInterruptionRequested, build=build)
        both = on_base(found, base)
        lora = None if found.adapter is None else lora_of(found.adapter, base.ref)
        if lora is None:
            return Known(both, stamp)
        return Known(both, stamp, AsSetting(base.ref, summarize(base, stamp=base_stamp), lora))
