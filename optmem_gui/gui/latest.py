"""A thread that is started a moment after it was wanted, the latest of which alone counts."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QThread, QTimer, Signal


class Latest(QObject):
    """Starts, follows and stops such threads.

    Emits:
        ended: The latest thread, once it has ended by itself; one that was given up ends unheard.
    """

    ended = Signal(object)

    def __init__(self, make: Callable[[], QThread | None], pause_ms: int, parent: QObject) -> None:
        """Set up without starting anything.

        Args:
            make: Makes the thread for what is wanted now; None where there is nothing to do any more.
            pause_ms: How long after it was last wanted.
            parent: What it belongs to.
        """
        super().__init__(parent)
        self._make = make
        self._current: QThread | None = None
        self._threads: set[QThread] = set()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(pause_ms)
        self._later.timeout.connect(self._begin)

    @property
    def is_waiting(self) -> bool:
        """Whether one is about to be started."""
        return self._later.isActive()

    @property
    def threads(self) -> frozenset[QThread]:
        """Those that run, given up or not."""
        return frozenset(self._threads)

    def want(self) -> None:
        """Start one a moment from now, in place of what was wanted before."""
        self.give_up()
        self._later.start()

    def give_up(self) -> None:
        """Ask the one that runs to stop, and start none."""
        self._later.stop()
        if self._current is not None:
            self._current.requestInterruption()
            self._current = None

    def close(self) -> None:
        """Stop and wait, because a thread must not outlive the window."""
        self.give_up()
        for thread in tuple(self._threads):
            thread.wait()

    def is_latest(self, thread: QObject | None) -> bool:
        """Whether this one still counts."""
        return thread is not None and thread is self._current

    def _begin(self) -> None:
        thread = self._make()
        if thread is None:
            return
        thread.finished.connect(self._finished)
        self._threads.add(thread)
        self._current = thread
        thread.start()

    def _finished(self) -> None:
        thread = next((each for each in self._threads if each is self.sender()), None)
        if thread is None:
            return
        self._threads.discard(thread)
        thread.deleteLater()
        if thread is self._current:
            self._current = None
            self.ended.emit(thread)
