"""A memory snapshot that is open in the window: one at a time, the latest wish wins, nothing blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from optmem_gui.allocator.recording import Recording
from optmem_gui.allocator.what_if import WhatIf
from optmem_gui.core.reasons import Reason
from optmem_gui.gui.tasks.replay import (
    AtPeak,
    Opened,
    ReplayThread,
    Trial,
    Work,
    looking,
    opening,
    replaying,
    trying,
)
from optmem_gui.report.replay_document import Replayed


@dataclass(frozen=True, slots=True)
class Tried:
    """One row of *what if*.

    Attributes:
        trial: The settings.
        found: What the model came to with them.
    """

    trial: Trial
    found: WhatIf


@dataclass(frozen=True, slots=True)
class ReplayState:
    """A snapshot as far as it has come.

    Attributes:
        path: The file; None while none is open.
        busy: It is being read, replayed or tried.
        recordings: What the file holds, one a device.
        chosen: The device that is shown, replayed.
        as_recorded: The same requests from an empty device under the recorded settings, once one was tried.
        tried: Other settings, in the order they were tried.
        reason: Why the last wish came to nothing.
        at_peak: How the segments stood at the peak, once that was asked for.
    """

    path: Path | None = None
    busy: bool = False
    recordings: tuple[Recording, ...] = ()
    chosen: Replayed | None = None
    as_recorded: WhatIf | None = None
    tried: tuple[Tried, ...] = ()
    reason: Reason | None = None
    at_peak: AtPeak | None = None


class Replayer(QObject):
    """Opens snapshots and tries other settings on them.

    Emits:
        changed: The :class:`ReplayState`, after every step.
        opened: Path of a snapshot that was read.
        refused: The reason why a file could not be opened.
    """

    changed = Signal(object)
    opened = Signal(object)
    refused = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = ReplayState()
        self._current: ReplayThread | None = None
        self._trial: Trial | None = None
        self._threads: set[ReplayThread] = set()

    def open(self, path: Path) -> None:
        """Read a file; what was open is closed."""
        self._set(ReplayState(path, busy=True))
        self._start(opening(path))

    def choose(self, device: int) -> None:
        """Show another device of the file."""
        recording = next((each for each in self.state.recordings if each.device == device), None)
        if recording is not None:
            self._set(ReplayState(self.state.path, busy=True, recordings=self.state.recordings))
            self._start(replaying(recording))

    def try_settings(self, trial: Trial) -> None:
        """Serve the same requests with other settings."""
        if self.state.chosen is None:
            return
        self._set(replace(self.state, busy=True, reason=None))
        found = replace(self.state.chosen, as_recorded=self.state.as_recorded)
        self._start(trying(found, trial), trial)

    def look_at_peak(self) -> None:
        """Find out how the segments stood at the peak, unless that is known or under way."""
        if self.state.chosen is not None and self.state.at_peak is None and not self.state.busy:
            self._set(replace(self.state, busy=True, reason=None))
            self._start(looking(self.state.chosen))

    def stop(self) -> None:
        """Give up what is under way; a file that is not read yet is closed."""
        self._give_up()
        self._set(replace(self.state, busy=False) if self.state.chosen is not None else ReplayState())

    def leave(self) -> None:
        """Close the file."""
        self._give_up()
        self._set(ReplayState())

    def close(self) -> None:
        """Stop and wait, because a thread must not outlive the window."""
        self._give_up()
        for thread in tuple(self._threads):
            thread.wait()

    def _give_up(self) -> None:
        if self._current is not None:
            self._current.requestInterruption()
            self._current = None

    def _start(self, work: Work, trial: Trial | None = None) -> None:
        self._give_up()
        thread = ReplayThread(work, self)
        thread.finished.connect(self._finished)
        self._threads.add(thread)
        self._current, self._trial = thread, trial
        thread.start()

    def _finished(self) -> None:
        thread = self.sender()
        if not isinstance(thread, ReplayThread):
            return
        self._threads.discard(thread)
        thread.deleteLater()
        if thread is self._current:
            self._current = None
            self._take(thread.outcome)

    def _take(self, outcome: object) -> None:
        state = replace(self.state, busy=False)
        match outcome:
            case Opened(recordings, chosen):
                self._set(replace(state, recordings=recordings, chosen=chosen))
                self.opened.emit(state.path)
            case AtPeak():
                self._set(replace(state, at_peak=outcome))
            case Replayed() if self._trial is None:
                self._set(replace(state, chosen=outcome))
            case Replayed(what_if=WhatIf() as found) if self._trial is not None:
                tried = Tried(self._trial, found)
                self._set(replace(state, as_recorded=outcome.as_recorded, tried=(*state.tried, tried)))
            case Reason() as reason if state.chosen is None and not state.recordings:
                self._set(ReplayState())
                self.refused.emit(reason)
            case Reason() as reason:
                self._set(replace(state, reason=reason))
            case Exception() as defect:
                self._set(state if state.chosen is not None else ReplayState())
                raise defect

    def _set(self, state: ReplayState) -> None:
        self.state = state
        self.changed.emit(state)
