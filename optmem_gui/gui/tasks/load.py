"""Reading a file off the UI thread."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThread, Signal

from optmem_gui.core.errors import UserError
from optmem_gui.core.model import ModelRef
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.gui.snapshot import CheckpointSummary
from optmem_gui.paths import SCENARIO_SUFFIX

if TYPE_CHECKING:
    from optmem_gui.checkpoints.checkpoint import Checkpoint
    from optmem_gui.checkpoints.choices import Choices
    from optmem_gui.checkpoints.contents import Build, Progress

_PROGRESS_SECONDS = 1 / 30

Stamp = tuple[int, int, int]
"""Files, bytes and the last change of a file or folder."""


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A checkpoint or config: its groups, what the window keeps of it, and all that was read."""

    model: ModelRef
    checkpoint: CheckpointSummary
    read: Checkpoint


@dataclass(frozen=True, slots=True)
class LoadedScenario:
    """A scenario file, and what is to be said about the model behind it."""

    scenario: Scenario
    notice: Reason | None


@dataclass(frozen=True, slots=True)
class FoundSnapshot:
    """A recorded memory snapshot, which is opened elsewhere."""


@dataclass(frozen=True, slots=True)
class FoundResult:
    """A measurement that was exported, which is opened elsewhere."""


Outcome = LoadedModel | LoadedScenario | FoundSnapshot | FoundResult | Reason | Exception | None
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
        from optmem_gui.checkpoints.contents import Cancelled  # noqa: PLC0415  # readers wait until a file is meant

        try:
            self.outcome = self._read()
        except Cancelled:
            self.outcome = None
        except UserError as error:
            self.outcome = error.reason
        except OSError as error:  # a file that went away between two looks at it
            self.outcome = Reason("checkpoint.gone", {"file": self.path.name, "why": error.strerror or "?"})
        except Exception as error:  # noqa: BLE001  # raised again on the UI thread, where the report is shown
            self.outcome = error

    def _read(self) -> LoadedModel | LoadedScenario | FoundSnapshot | FoundResult:
        # the readers are loaded in this thread, when a file is meant, and not before the window
        from optmem_gui.engine.config_builder import ConfigBuilder  # noqa: PLC0415  # as said above
        from optmem_gui.report.model_notice import model_notice  # noqa: PLC0415  # as said above
        from optmem_gui.report.results_store import is_result  # noqa: PLC0415  # as said above
        from optmem_gui.report.scenario_file import load_scenario  # noqa: PLC0415  # as said above
        from optmem_gui.report.snapshot_file import is_snapshot  # noqa: PLC0415  # as said above

        if self.path.suffix.lower() == SCENARIO_SUFFIX and self.path.is_file():
            scenario = load_scenario(self.path)
            return LoadedScenario(scenario, model_notice(scenario.model))
        if is_snapshot(self.path):
            return FoundSnapshot()
        if is_result(self.path):
            return FoundResult()
        before = stamp_of(self.path)
        checkpoint = read_checkpoint(
            self.path,
            None,
            progress=self._progress,
            cancelled=self.isInterruptionRequested,
            build=ConfigBuilder(self._python or None).build,
        )
        after = stamp_of(self.path)
        if before != after:
            remark = Reason("checkpoint.changed_while_read", {"file": self.path.name})
            checkpoint = replace(checkpoint, warnings=(remark, *checkpoint.warnings))
        return LoadedModel(checkpoint.ref, summarize(checkpoint, stamp=after), checkpoint)

    def _progress(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._said_at >= _PROGRESS_SECONDS:
            self._said_at = now
            self.progressed.emit(progress)


def read_checkpoint(
    path: Path,
    base: Path | None,
    *,
    cancelled: Callable[[], bool],
    progress: Callable[[Progress], None] | None = None,
    build: Build | None = None,
) -> Checkpoint:
    """Read a checkpoint, and put an adapter on its base where one was chosen.

    Raises:
        UserError: One of the two is refused, or they do not fit.
        Cancelled: ``cancelled`` said so.
    """
    from optmem_gui.checkpoints.adapters import on_base  # noqa: PLC0415  # read when a file is meant
    from optmem_gui.checkpoints.opening import open_checkpoint  # noqa: PLC0415  # as above

    found = open_checkpoint(path, progress=progress, cancelled=cancelled, build=build)
    if base is None:
        return found
    return on_base(found, open_checkpoint(base, progress=progress, cancelled=cancelled, build=build))


def stamp_of(path: Path) -> Stamp | None:
    """Files, bytes and the last change of a file or of what lies in a folder; None where nothing is."""
    try:
        if not path.is_dir():
            found = [path.stat()]
        else:
            with os.scandir(path) as entries:
                found = [entry.stat() for entry in entries if entry.is_file()]
    except OSError:
        return None
    sizes, times = [each.st_size for each in found], [each.st_mtime_ns for each in found]
    return len(found), sum(sizes), max(times, default=0)


def summarize(
    checkpoint: Checkpoint,
    *,
    choices: Choices | None = None,
    base: Path | None = None,
    stamp: Stamp | None = None,
) -> CheckpointSummary:
    """What the window keeps of a checkpoint in every step that can be undone: everything but its rows."""
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
        choices=choices,
        base=base,
        stamp=stamp,
    )
