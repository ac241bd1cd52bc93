"""Start the window: identity, look, language, settings, store, window, and only then work."""

from __future__ import annotations

import ctypes
import gc
import logging
import os
import signal
import socket
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QEvent,
    QMessageLogContext,
    QSocketNotifier,
    Qt,
    QTimer,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
)
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from optmem_gui import __version__
from optmem_gui.core.scenario import Scenario
from optmem_gui.engine.gpu_table import load_gpus
from optmem_gui.gui import settings as keys
from optmem_gui.gui.exception_hook import ExceptionHook
from optmem_gui.gui.i18n import Translators
from optmem_gui.gui.icons import app_icon
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.settings import Settings
from optmem_gui.gui.store import Store, first_scenario
from optmem_gui.gui.theme import apply_fonts

if TYPE_CHECKING:
    from optmem_gui.gui.dialogs.error_report import CrashReport

_log = logging.getLogger(__name__)

APP_ID = "org.optmem.OptMem"
"""Name by which desktops know the program."""

_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


def run(
    path: Path | None = None,
    *,
    smoke: bool = False,
    config: Path | None = None,
    language: str | None = None,
    theme: str | None = None,
    crash: Path | None = None,
) -> int:
    """Open the window and stay until it closes.

    Args:
        path: File or folder to open.
        smoke: Paint once, print ``ready`` and leave.
        config: Another settings file than the user's own.
        language: ``en`` or ``zh_CN`` for this run, not remembered.
        theme: ``system``, ``light`` or ``dark`` for this run, not remembered.
        crash: What an earlier run left when it crashed, to be told.

    Returns:
        Exit code.
    """
    _identify_to_windows()
    app = Application(sys.argv[:1])
    identify(app)
    qInstallMessageHandler(_log_qt)
    hook = ExceptionHook()
    hook.install()
    window = build_window(app, Settings(config), language, theme)
    app.file_wanted.connect(window.open)
    close_on_signals(window)
    window.show()
    window.shape.come_onto_screen()
    _log.info("init finished")
    if path is not None:
        window.open(path)
    if crash is not None:
        show_crash(crash, window)
    if smoke:
        _leave_after_paint(app, window)
    else:
        QTimer.singleShot(0, window.runs.look_around)
    gc.freeze()  # what the start made is no garbage, and no later collection walks through it
    gc.enable()
    code = app.exec()
    if window.isVisible():
        window.close()
    if window.loader.is_stuck:
        # A reader that hangs in a dead network drive cannot be ended; Qt would abort over its thread.
        logging.shutdown()
        os._exit(code)
    window.deleteLater()
    # A defect that nobody saw, as in a smoke test, must not look like success.
    return code or (1 if smoke and hook.count else 0)


def identify(app: QApplication) -> None:
    """Tell the desktop who this is."""
    app.setApplicationName("OptMem")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName(APP_ID)
    app.setWindowIcon(app_icon())


def build_window(
    app: QApplication, settings: Settings, language: str | None = None, theme: str | None = None
) -> MainWindow:
    """The window with everything behind it, not shown yet."""
    apply_fonts(app)
    translators = Translators(app)
    store = Store(load_gpus(), _first(settings), "GB" if settings.get(keys.UNIT) == "GB" else "GiB")
    window = MainWindow(store, settings, translators)
    store.setParent(window)
    window.appearance.set_theme(theme or settings.get(keys.THEME))
    window.appearance.set_language(language or settings.get(keys.LANGUAGE))
    window.shape.restore()
    for notice in settings.notices:
        store.notice(notice)
    return window


def show_crash(path: Path, window: MainWindow) -> CrashReport:
    """Tell of a crash beside the window, which can be used meanwhile."""
    from optmem_gui.gui.dialogs.error_report import CrashReport  # noqa: PLC0415  # most starts have no crash to tell

    report = CrashReport(path, window)
    report.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    report.show()
    return report


def _first(settings: Settings) -> Scenario:
    """The first scenario, on the GPU that was chosen last."""
    scenario = first_scenario()
    gpu = settings.get(keys.GPU)
    return replace(scenario, gpu=gpu) if gpu in load_gpus() else scenario


class Application(QApplication):
    """Passes on what the desktop hands over while the program runs, as macOS does.

    Emits:
        file_wanted: Path of a file to open.
    """

    file_wanted = Signal(object)

    def event(self, event: QEvent) -> bool:
        """Take the file of a ``FileOpen`` event."""
        if isinstance(event, QFileOpenEvent):
            self.file_wanted.emit(Path(event.file()))
            return True
        return super().event(event)


def close_on_signals(window: MainWindow) -> None:
    """Let Ctrl+C in the terminal, and a polite kill, close the window as the user would.

    Python runs its handlers between two of its own instructions, and Qt's loop executes none while
    nothing happens: the signal's number arrives on a socket that Qt watches.
    """
    if sys.platform == "win32":
        return
    reader, writer = socket.socketpair()
    for end in (reader, writer):
        end.setblocking(False)
    signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: None)
    notifier = QSocketNotifier(reader.fileno(), QSocketNotifier.Type.Read, window)

    def close() -> None:
        reader.recv(64)
        window.close()

    notifier.activated.connect(close)

    def let_go() -> None:
        signal.set_wakeup_fd(-1)
        reader.close()
        writer.close()

    window.destroyed.connect(let_go)


def _identify_to_windows() -> None:
    """Give the task bar an identity of its own; started from source it would be Python's."""
    if sys.platform == "win32":
        ctypes.windll.shell32.SetCurrentProcessExplicitAppUserModelID(APP_ID)


def _leave_after_paint(app: QApplication, window: MainWindow) -> None:
    """Say ``ready`` once everything has been painted."""

    def leave() -> None:
        window.repaint()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        app.exit(0)

    QTimer.singleShot(0, leave)


def _log_qt(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Qt's own messages go to the log, not to the terminal."""
    del context
    logging.getLogger("qt").log(_LEVELS.get(kind, logging.INFO), "%s", message)
