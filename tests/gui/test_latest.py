"""Threads of which the latest alone counts, without a window."""

from __future__ import annotations

from PySide6.QtCore import QObject, QThread, Signal
from pytestqt.qtbot import QtBot

from optmem_gui.gui.latest import Latest


class _Until(QThread):
    """Runs until it is asked to stop, or ends at once."""

    began = Signal()

    def __init__(self, parent: QObject, *, at_once: bool) -> None:
        super().__init__(parent)
        self._at_once = at_once

    def run(self) -> None:
        self.began.emit()
        while not (self._at_once or self.isInterruptionRequested()):
            self.msleep(1)


def test_only_the_latest_is_heard(qtbot: QtBot) -> None:
    made: list[_Until] = []
    owner = QObject()

    def make() -> _Until:
        made.append(_Until(owner, at_once=bool(made)))
        return made[-1]

    latest, heard = Latest(make, 0, owner), list[object]()
    latest.ended.connect(heard.append)
    latest.want()
    qtbot.waitUntil(lambda: bool(made) and made[0].isRunning())
    assert latest.is_latest(made[0])
    latest.want()
    assert latest.is_waiting
    assert not latest.is_latest(made[0])
    qtbot.waitUntil(lambda: not latest.threads and len(made) == 2)
    assert heard == [made[1]]
    latest.close()


def test_nothing_is_started_where_there_is_nothing_to_do(qtbot: QtBot) -> None:
    owner, asked = QObject(), list[bool]()
    latest = Latest(lambda: asked.append(True), 0, owner)
    latest.want()
    qtbot.waitUntil(lambda: bool(asked))
    assert not latest.threads
    latest.want()
    latest.give_up()
    assert not latest.is_waiting


def test_closing_waits_for_those_that_were_given_up(qtbot: QtBot) -> None:
    owner = QObject()
    latest = Latest(lambda: _Until(owner, at_once=False), 0, owner)
    latest.want()
    qtbot.waitUntil(lambda: any(thread.isRunning() for thread in latest.threads))
    latest.close()
    assert all(thread.isFinished() for thread in latest.threads)
    qtbot.waitUntil(lambda: not latest.threads)
