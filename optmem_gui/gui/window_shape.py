"""Where the window stands and where its borders are, from one start to the next."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QObject, QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow, QSplitter

from optmem_gui.gui import settings as keys
from optmem_gui.gui.inputs_column import InputsColumn
from optmem_gui.gui.results import Results
from optmem_gui.gui.settings import Settings

STATE_VERSION = 2
"""Raised when tool bars change, so that an old state is not put on a new window."""


class WindowShape(QObject):
    """Remembers and restores the shape of a window."""

    def __init__(
        self,
        window: QMainWindow,
        settings: Settings,
        columns: QSplitter,
        inputs: InputsColumn,
        results: Results,
    ) -> None:
        super().__init__(window)
        self._window, self._settings = window, settings
        self._columns, self._inputs, self._results = columns, inputs, results
        app = QGuiApplication.instance()
        if isinstance(app, QGuiApplication):
            # Qt still has to learn what is left once a screen was taken away.
            app.screenRemoved.connect(self.come_onto_screen, Qt.ConnectionType.QueuedConnection)

    def restore(self) -> None:
        """Put the window where it was; back onto a screen if that screen is gone."""
        geometry = self._settings.get(keys.GEOMETRY)
        if not geometry.isEmpty():
            self._window.restoreGeometry(geometry)
            self._window.restoreState(self._settings.get(keys.STATE), STATE_VERSION)
            self._columns.restoreState(self._settings.get(keys.COLUMNS))
            self._results.restore_state(self._settings.get(keys.ROWS))
        self.come_onto_screen()

    def come_onto_screen(self) -> None:
        """Move the window where it can be seen and reached."""
        window = self._window
        places = [screen.availableGeometry() for screen in QGuiApplication.screens()]
        if not any(self._can_be_moved(place) for place in places):
            window.move(QGuiApplication.primaryScreen().availableGeometry().topLeft())
        available = window.screen().availableGeometry()
        window.resize(window.size().boundedTo(available.size()))

    def _can_be_moved(self, place: QRect) -> bool:
        """Whether enough of the title bar lies on this part of the desktop to take hold of it."""
        em = self._window.fontMetrics().height()
        title = self._window.frameGeometry()
        title.setHeight(2 * em)
        seen = title.intersected(place)
        return seen.width() >= min(8 * em, title.width()) and seen.height() >= em

    def reset(self) -> None:
        """Put every panel back to its first size."""
        em = self._window.fontMetrics().height()
        self._columns.setSizes([self._inputs.sizeHint().width(), 100 * em])
        self._results.reset()
        for key in (keys.GEOMETRY, keys.STATE, keys.COLUMNS, keys.ROWS):
            self._settings.set(key, QByteArray())

    def remember(self) -> None:
        """Keep it for the next start."""
        self._settings.set(keys.GEOMETRY, self._window.saveGeometry())
        self._settings.set(keys.STATE, self._window.saveState(STATE_VERSION))
        self._settings.set(keys.COLUMNS, self._columns.saveState())
        self._settings.set(keys.ROWS, self._results.save_state())
