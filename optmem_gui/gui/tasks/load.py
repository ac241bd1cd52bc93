"""Reading a file off the UI thread."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThread, Signal

from optmem_gui.checkpoints.contents import Cancelled, Progress
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import ModelRef
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.gui.snapshot import CheckpointSummary
from optmem_gui.paths import SCENARIO_SUFFIX

if TYPE_CHECKING:
    from optmem_gui.checkpoints.checkpoint import Checkpoint

_PROGRESS_SECONDS = 1 / 30


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A checkpoint or config, folded into groups."""

    model: ModelRef
    checkpoint: CheckpointSummary


@dataclass(frozen=True, slots=True)
class LoadedScenario:
    """A scenario file, and what is to be said about the model behind it."""

    scenario: Scenario
    notice: Reason | None


@dataclass(frozen=True, slots=True)
class FoundSnapshot:
    """A recorded memory snapshot, which is opened elsewhere."""


Outcome = LoadedModel | LoadedScenario | FoundSnapshot | Reason | Exception | None
"""What came of it: a value, why it was refused, a defect, or nothing after a cancel."""


class LoadThread(QThread):
    """Reads one file or folder; stops between two files when it is asked to.

    ``python`` builds a model that only its own library knows; this program's own when left out.

    ``progressed`` carries a :class:`Progress`, at most 30 times a second. The outcome stands in
    ``outcome`` once the thread has finished.
    """

    progressed = Signal(object)

    def __init__(self, path: Path, parent: QObject | None = None, python: str = "") -> None:
        super().__init__(parent)
        self.path = path
        self._python = python
        self.outcome: Outcome = None
        self._said_at = 0.0

    def run(self) -> None:
        """Read, in the thread."""
        try:
            self.outcome = self._read()
        except Cancelled:
            self.outcome = None
        except UserError as error:
            self.outcome = error.reason
        except Exception as error:  # noqa: BLE001  # raised again on the UI thread, where the report is shown
            self.outcome = error

    def _read(self) -> LoadedModel | LoadedScenario | FoundSnapshot:
        # the readers are loaded in this thread, when a file is meant, and not before the window
        from optmem_gui.checkpoints.opening import open_checkpoint  # noqa: PLC0415  # as said above
        from optmem_gui.engine.config_builder import ConfigBuilder  # noqa: PLC0415  # as said above
        from optmem_gui.report.model_notice import model_notice  # noqa: PLC0415  # as said above
        from optmem_gui.report.scenario_file import load_scenario  # noqa: PLC0415  # as said above
        from optmem_gui.report.snapshot_file import is_snapshot  # noqa: PLC0415  # as said above

        if self.path.suffix.lower() == SCENARIO_SUFFIX and self.path.is_file():
            scenario = load_scenario(self.path)
            return LoadedScenario(scenario, model_notice(scenario.model))
        if is_snapshot(self.path):
            return FoundSnapshot()
        checkpoint = open_checkpoint(
            self.path,
            progress=self._progress,
            cancelled=self.isInterruptionRequested,
            build=ConfigBuilder(self._python or None).build,
        )
        return LoadedModel(checkpoint.ref, summarize(checkpoint))

    def _progress(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._said_at >= _PROGRESS_SECONDS:
            self._said_at = now
            self.progressed.emit(progress)


def summarize(checkpoint: Checkpoint) -> CheckpointSummary:
    """What the window keeps of a checkpoint; its rows are let go."""
    optimizer = checkpoint.optimizer
    return CheckpointSummary(
        path=checkpoint.path,
        format=checkpoint.format,
        tensor_count=checkpoint.tensor_count,
        file_bytes=checkpoint.file_bytes,
        bytes_read=checkpoint.bytes_read,
        dtypes=checkpoint.dtypes,
        buffer_count=checkpoint.buffer_count,
        optimizer=None if optimizer is None else optimizer.kind,
        optimizer_bytes=0 if optimizer is None else optimizer.state_bytes + optimizer.step_bytes,
        complete=checkpoint.complete,
        warnings=checkpoint.warnings,
    )
