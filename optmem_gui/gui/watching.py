"""The file behind the model, watched: what happens to it after it was read is said."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from optmem_gui.core.reasons import Reason
from optmem_gui.gui.tasks.load import Stamp, stamp_of

SETTLE_MS = 400
"""A save is many writes; they are looked at once."""
MOST_FILES = 64
"""Files of a folder that are watched one by one; the folder itself tells of those that come and go."""


class FileWatch(QObject):
    """Watches one file or folder.

    Emits:
        changed: A :class:`Reason` that says what happened to it, once for each state.
    """

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path: Path | None = None
        self._stamp: Stamp | None = None
        self._watcher: QFileSystemWatcher | None = None
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(SETTLE_MS)
        self._later.timeout.connect(self.look)

    def watch(self, path: Path | None, stamp: Stamp | None) -> None:
        """Watch this one from now on, whose stamp was this when it was read; None watches nothing."""
        if (path, stamp) == (self._path, self._stamp):
            return
        self._path, self._stamp = path, stamp
        self._later.stop()
        if self._watcher is not None:
            self._watcher.deleteLater()
            self._watcher = None
        if path is None or stamp is None:
            return
        self._watcher = QFileSystemWatcher(self._watched(path), self)
        self._watcher.fileChanged.connect(self._later.start)
        self._watcher.directoryChanged.connect(self._later.start)
        self._later.start()  # it may have changed since it was read

    @staticmethod
    def _watched(path: Path) -> list[str]:
        if not path.is_dir():
            return [str(path), str(path.parent)]
        try:
            files = sorted(str(each) for each in path.iterdir() if each.is_file())
        except OSError:
            files = []
        return [str(path), *files[:MOST_FILES]]

    def look(self) -> None:
        """Compare with what was read, and say what differs."""
        if self._path is None:
            return
        now = stamp_of(self._path)
        if now == self._stamp:
            return
        self._stamp = now
        key = "checkpoint.vanished" if now is None else "checkpoint.changed_since"
        self.changed.emit(Reason(key, {"file": self._path.name}))
