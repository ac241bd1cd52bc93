from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QLocale, QThread
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from optmem_gui.gui.settings import Settings
from tests.waiting import PATIENCE_MS

if TYPE_CHECKING:
    from optmem_gui.gui.main_window import MainWindow
    from optmem_gui.gui.store import Store

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # The offscreen platform has no window manager for smallest sizes and pop-ups, and says so.
    said = "This plugin does not support (propagateSizeHints|raise|grabbing the keyboard)"
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.qt_log_ignore(said, extend=True))


class PatientBot(QtBot):
    """Waits as long as a machine that stands still may need; pytest-qt would give up after 5 s."""

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE_MS) -> None:  # noqa: N802  # pytest-qt's name
        """Until it is true."""
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal: Any, *, timeout: int = PATIENCE_MS, **settings: Any) -> Any:  # noqa: N802  # pytest-qt's name
        """Until a signal comes, at the end of a block."""
        return super().waitSignal(signal, timeout=timeout, **settings)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """In place of pytest-qt's own."""
    del qapp
    return PatientBot(request)


@pytest.fixture(autouse=True)
def _edits_merge_however_late_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """One word typed by a test is one step back, also where the machine stands still between two letters."""
    monkeypatch.setattr("optmem_gui.gui.store.MERGE_SECONDS", 3600.0)


def settle() -> None:
    """Let Qt carry out what was posted, deletions included."""
    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()


def _windows() -> set[QWidget]:
    return {widget for widget in QApplication.topLevelWidgets() if shiboken6.isValid(widget)}


def _running_threads() -> list[QThread]:
    found = [thing for thing in gc.get_objects() if issubclass(type(thing), QThread)]
    return [thread for thread in found if shiboken6.isValid(thread) and thread.isRunning()]


@pytest.fixture(autouse=True)
def _nothing_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """No window, and no thread, outlives the test that made it."""
    request.getfixturevalue("qapp")
    before = _windows()
    yield
    settle()
    gc.collect()
    settle()
    assert [widget for widget in _windows() - before if widget.objectName() or widget.isVisible()] == []
    assert _running_threads() == []


@pytest.fixture(autouse=True, scope="session")
def _clipboard_given_up(qapp: QApplication) -> Iterator[None]:
    """The offscreen clipboard lives until after Python has ended, what Python put on it must not."""
    yield
    qapp.clipboard().clear()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings of a user who starts for the first time."""
    return Settings(tmp_path / "config" / "optmem.ini")


@pytest.fixture
def make_window(qapp: QApplication, tmp_path: Path) -> Iterator[Callable[..., MainWindow]]:
    """Windows as the program builds them, shown; the program's look is put back afterwards."""
    from optmem_gui.gui.app import build_window

    made: list[MainWindow] = []

    def make(language: str = "en", theme: str = "light", size: tuple[int, int] = (1280, 800)) -> MainWindow:
        window = build_window(qapp, Settings(tmp_path / "config" / "optmem.ini"), language, theme)
        made.append(window)
        window.resize(*size)
        window.show()
        settle()
        return window

    font, locale = qapp.font(), QLocale()
    yield make
    for window in made:
        if shiboken6.isValid(window):
            window.appearance.set_language("en")
            window.close()
            window.deleteLater()
    settle()
    qapp.setPalette(QPalette())
    qapp.setFont(font)
    QLocale.setDefault(locale)


@pytest.fixture
def window(make_window: Callable[..., MainWindow]) -> MainWindow:
    """The window in English and light."""
    return make_window()


@pytest.fixture
def store(window: MainWindow) -> Store:
    """The store behind the window."""
    return window.store
