"""A defect or a crash is told once, with what helps to find it and nothing that tells who was there."""

from __future__ import annotations

import getpass
import logging
import os
import platform
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QThread, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from optmem_gui import logs
from optmem_gui.gui import desktop
from optmem_gui.gui.app import show_crash
from optmem_gui.gui.dialogs import error_report
from optmem_gui.gui.dialogs.error_report import CrashReport, ErrorReport, crash_text
from optmem_gui.gui.exception_hook import ExceptionHook
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.masking import masked
from tests.gui.conftest import settle
from tests.waiting import PATIENCE_S

_CRASH = """
import faulthandler, sys
from pathlib import Path
from optmem_gui.logs import start_log
start_log(folder=Path(sys.argv[1]))
if sys.argv[2] == "crash":
    faulthandler._sigsegv()
"""


def run(folder: Path, how: str) -> int:
    """A process that writes its log to a folder, and ends well or in native code."""
    return subprocess.run(
        [sys.executable, "-c", _CRASH, str(folder), how], capture_output=True, timeout=PATIENCE_S, check=False
    ).returncode


@pytest.fixture
def log_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of logs that this test alone writes to."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for module in (logs, error_report):
        monkeypatch.setattr(module, "log_dir", lambda: folder)
    return folder


@pytest.fixture
def _own_hooks() -> Iterator[None]:
    hooks = sys.excepthook, threading.excepthook, sys.unraisablehook
    yield
    sys.excepthook, threading.excepthook, sys.unraisablehook = hooks


# The crash file


def test_a_crash_is_found_by_the_next_start_and_once(log_folder: Path) -> None:
    assert run(log_folder, "crash") != 0
    found = logs.take_crash()
    assert found == log_folder / logs.LAST_CRASH_FILE
    assert "Segmentation fault" in found.read_text() or "access violation" in found.read_text()
    assert logs.take_crash() is None


def test_a_start_that_ended_well_leaves_nothing_to_tell(log_folder: Path) -> None:
    assert run(log_folder, "well") == 0
    assert logs.take_crash() is None


def test_a_crash_is_shown_beside_the_window_and_deleted_when_asked(
    window: MainWindow, log_folder: Path
) -> None:
    crash = log_folder / logs.LAST_CRASH_FILE
    crash.write_text('Fatal Python error: Segmentation fault\n\n  File "x.py", line 3 in paint\n')
    (log_folder / logs.LOG_FILE).write_text("INFO the last line of the log\n")
    report = show_crash(crash, window)
    assert report.isVisible()
    assert not report.isModal()
    shown = report.text.toPlainText()
    assert "line 3 in paint" in shown
    assert "the last line of the log" in shown
    report.copy.click()
    assert QGuiApplication.clipboard().text() == shown
    report.delete.click()
    assert not crash.exists()
    settle()


def test_a_crash_that_is_only_looked_at_is_kept(window: MainWindow, log_folder: Path) -> None:
    crash = log_folder / logs.LAST_CRASH_FILE
    crash.write_text("Fatal Python error: Aborted\n")
    show_crash(crash, window).close_button.click()
    assert crash.exists()
    settle()


def test_a_crash_file_that_cannot_be_deleted_says_so(qapp: QApplication, log_folder: Path) -> None:
    (log_folder / "folder").mkdir()
    report = CrashReport(log_folder / "folder")  # a folder can neither be read nor unlinked
    report.delete.click()
    assert "cannot be deleted" in report.said.text()
    report.deleteLater()


def test_a_report_of_many_threads_is_bounded(log_folder: Path) -> None:
    crash = log_folder / logs.LAST_CRASH_FILE
    crash.write_text("Fatal\n" + "  a frame of one of many threads\n" * 20_000)
    assert len(crash_text(crash)) < 25_000


# What nothing caught


class Failing(QThread):
    """Fails outside the thread that paints."""

    def run(self) -> None:
        raise RuntimeError("a defect in a thread")


def _answer_report(shown: list[str]) -> None:
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, ErrorReport) and widget.isVisible():
            assert QThread.currentThread() is widget.thread()
            shown.append(widget.text.toPlainText())
            widget.go_on.click()


def _start_qt_thread() -> Callable[[], object]:
    thread = Failing()
    thread.start()
    return thread.wait


def _start_python_thread() -> Callable[[], object]:
    thread = threading.Thread(target=Failing.run, args=(None,))
    thread.start()
    return thread.join


@pytest.mark.usefixtures("_own_hooks")
@pytest.mark.parametrize("start", [_start_qt_thread, _start_python_thread])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # it is what is tested
def test_a_defect_in_a_thread_is_shown_by_the_thread_that_paints(
    qapp: QApplication, qtbot: QtBot, log_folder: Path, start: Callable[[], Callable[[], object]]
) -> None:
    hook = ExceptionHook()
    hook.install()
    shown: list[str] = []
    look = QTimer()
    look.setInterval(10)
    look.timeout.connect(lambda: _answer_report(shown))
    look.start()
    end = start()
    qtbot.waitUntil(lambda: len(shown) == 1)
    end()
    look.stop()
    assert "a defect in a thread" in shown[0]
    assert hook.count == 1


@pytest.mark.usefixtures("_own_hooks")
def test_what_nothing_caught_stands_in_the_log(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.log_what_is_not_caught()
    error = RuntimeError("a defect")
    sys.excepthook(RuntimeError, error, None)
    sys.unraisablehook(
        SimpleNamespace(
            exc_type=RuntimeError, exc_value=error, exc_traceback=None, err_msg=None, object=object()
        )
    )
    thread = threading.Thread(target=Failing.run, args=(None,), name="reader")
    thread.start()
    thread.join()
    said = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert said[0] == "not caught"
    assert "given up" in said[1]
    assert said[2] == "not caught in reader"
    assert "a defect" in capsys.readouterr().err


# Masking


def test_home_name_and_host_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/grace")
    monkeypatch.setenv("USERPROFILE", "/home/grace")
    monkeypatch.setattr(getpass, "getuser", lambda: "grace")
    monkeypatch.setattr(platform, "node", lambda: "cobol-7.navy.mil")
    given = (
        'File "/home/grace/run.py" of grace on cobol-7.navy.mil (cobol-7), not /home/gracehopper, '
        "but C:/Users/GRACE and disgraceful"
    )
    assert masked(given) == (
        'File "~/run.py" of USER on HOST (HOST), not /home/gracehopper, but C:/Users/USER and disgraceful'
    )


@pytest.mark.parametrize("name", ["root", "ab", ""])
def test_a_name_that_identifies_no_one_garbles_nothing(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("HOME", "/nowhere")
    monkeypatch.setattr(getpass, "getuser", lambda: name)
    monkeypatch.setattr(platform, "node", lambda: "localhost")
    assert masked("the root of ab on localhost") == "the root of ab on localhost"


def test_without_a_home_a_report_is_still_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)

    def nobody() -> str:
        raise KeyError("uid not found")

    monkeypatch.setattr(getpass, "getuser", nobody)
    assert masked("in ~/x of nobody") == "in ~/x of nobody"


# Folders


def test_a_bundle_hides_its_libraries_from_the_file_manager(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/bundle/lib")
    monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", "/usr/local/lib")
    seen: list[tuple[str, str | None]] = []

    def take(url: object) -> bool:
        seen.append((str(url), os.environ.get("LD_LIBRARY_PATH")))
        return True

    monkeypatch.setattr(desktop, "QDesktopServices", SimpleNamespace(openUrl=take))
    assert desktop.open_folder(tmp_path)
    assert seen[-1][1] == "/bundle/lib"  # no bundle: what is set is the user's own
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert desktop.open_folder(tmp_path)
    assert seen[-1][1] == "/usr/local/lib"
    assert os.environ["LD_LIBRARY_PATH"] == "/bundle/lib"
    assert not desktop.open_folder(tmp_path / "missing")
