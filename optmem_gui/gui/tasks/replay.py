"""A memory snapshot read, replayed and tried under other settings, off the UI thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QThread

from optmem_gui.allocator.config import AllocatorConfig
from optmem_gui.allocator.recording import RecordedSegment, Recording
from optmem_gui.allocator.replay import segments_after
from optmem_gui.core.errors import UserError
from optmem_gui.core.reasons import Reason
from optmem_gui.report.replay_document import Replayed, replayed, with_settings
from optmem_gui.report.snapshot_file import open_snapshot


@dataclass(frozen=True, slots=True)
class Opened:
    """What a snapshot holds, and one of its devices replayed.

    Attributes:
        recordings: One a device.
        chosen: The one with the most events, replayed.
    """

    recordings: tuple[Recording, ...]
    chosen: Replayed


@dataclass(frozen=True, slots=True)
class Trial:
    """Settings that are tried.

    Attributes:
        settings: As they are written in ``PYTORCH_CUDA_ALLOC_CONF``.
        config: The same, read.
        capacity_bytes: What the device hands out; None without an end.
    """

    settings: str
    config: AllocatorConfig
    capacity_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class AtPeak:
    """How the segments stood at the peak.

    Attributes:
        segments: Every segment that the model held then, with its blocks.
    """

    segments: tuple[RecordedSegment, ...]


class Stopped(Exception):  # noqa: N818  # no error: somebody wants the work to end
    """The work was asked to stop."""


Work = Callable[[Callable[[], None]], object]
"""What a thread does; it calls what it is given now and then, which raises to stop it."""


class ReplayThread(QThread):
    """Does one piece of work with a snapshot.

    Attributes:
        outcome: What the work came to, why it was refused, a defect of the program, or None after a stop.
    """

    def __init__(self, work: Work, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("replay")
        self._work = work
        self.outcome: object = None

    def run(self) -> None:
        """Work, in the thread."""
        try:
            self.outcome = self._work(self._check)
        except Stopped:
            self.outcome = None
        except UserError as error:
            self.outcome = error.reason
        except MemoryError:
            self.outcome = Reason("snapshot.no_memory")
        except Exception as error:  # noqa: BLE001  # raised again on the UI thread, where the report is shown
            self.outcome = error

    def _check(self) -> None:
        if self.isInterruptionRequested():
            raise Stopped


def opening(path: Path) -> Work:
    """Read a file and replay its busiest device."""

    def work(check: Callable[[], None]) -> Opened:
        recordings = open_snapshot(path, check)
        busiest = max(recordings, key=lambda recording: len(recording.events))
        return Opened(recordings, replayed(busiest, check))

    return work


def replaying(recording: Recording) -> Work:
    """Replay another device of a snapshot that is open."""
    return lambda check: replayed(recording, check)


def looking(found: Replayed) -> Work:
    """Find out how the segments stood at the peak."""
    return lambda check: AtPeak(segments_after(found.recording, found.peak_event, check))


def trying(found: Replayed, trial: Trial) -> Work:
    """Serve the same requests under other settings."""
    return lambda check: with_settings(found, trial.settings, trial.config, trial.capacity_bytes, check)
