"""The log and the crash file, and streams that exist everywhere."""

from __future__ import annotations

import atexit
import faulthandler
import logging
import os
import sys
import threading
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

import platformdirs

from optmem_gui.paths import APP_NAME, in_home

LOG_BYTES = 1_000_000
LOG_FILES = 3
LOG_FILE = "optmem.log"
CRASH_FILE = "crash.log"
"""Where the process was when it ended in native code; empty unless that happens."""
LAST_CRASH_FILE = "crash-last.log"
"""What a start found in the crash file, until the user deletes it or the next one takes its place."""

_log = logging.getLogger(__name__)


def repair_streams() -> None:
    """Give the process streams that can be written to, whatever the text.

    A windowed program on Windows starts with none (``sys.stdout is None``), and a console may lack the
    letters of a file name: those are written as escapes instead of ending the program.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  # kept for good
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115  # kept for the life of the process


def log_dir() -> Path:
    """Folder of the log and of the crash file."""
    return in_home(platformdirs.user_log_dir(APP_NAME, appauthor=False))


def start_log(*, verbose: bool = False, folder: Path | None = None) -> Path | None:
    """Write a log and, if the process crashes in native code, where it was.

    Args:
        verbose: Log details as well, and to the terminal too.
        folder: Where to write; the system's folder for logs when left out.

    Returns:
        The log file; None where no folder can be written to, which is no reason not to start.
    """
    root = logging.getLogger()
    root.setLevel(logging.DEBUG if verbose else logging.INFO)
    if verbose:
        root.addHandler(logging.StreamHandler())
    target = folder or log_dir()
    try:
        target.mkdir(parents=True, exist_ok=True)
        path = target / LOG_FILE
        handler = RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=LOG_FILES - 1, encoding="utf-8")
        crash = (target / CRASH_FILE).open("a", encoding="utf-8")
    except OSError as error:
        _log.warning("no log can be written to %s: %s", target, error)
        return None
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root.addHandler(handler)
    faulthandler.enable(crash)
    if sys.platform == "win32":
        # There it writes exceptions that COM then handles, too: a process that ended well had no crash.
        atexit.register(crash.truncate, 0)
    return path


def take_crash(folder: Path | None = None) -> Path | None:
    """Set aside what an earlier run wrote when it crashed, so that it is told once.

    Args:
        folder: Where the crash file lies; the system's folder for logs when left out.

    Returns:
        The file that was set aside; None where nothing crashed. To be called before :func:`start_log`,
        which opens the crash file again.
    """
    path = (folder or log_dir()) / CRASH_FILE
    try:
        if path.stat().st_size == 0:
            return None
        return path.replace(path.with_name(LAST_CRASH_FILE))
    except FileNotFoundError:
        return None
    except OSError as error:  # another window still has it open, on Windows
        _log.warning("crash file not set aside: %s", error)
        return None


def log_what_is_not_caught() -> None:
    """Put every exception that nothing caught into the log as well: a window has no terminal to show it."""
    sys.excepthook = _log_uncaught
    threading.excepthook = _log_thread
    sys.unraisablehook = _log_unraisable


def _log_uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not issubclass(kind, KeyboardInterrupt):
        _log.critical("not caught", exc_info=(kind, error, trace))
    sys.__excepthook__(kind, error, trace)


def _log_thread(caught: threading.ExceptHookArgs) -> None:
    if caught.exc_value is not None:
        where = caught.thread.name if caught.thread else "a thread"
        _log.error(
            "not caught in %s", where, exc_info=(caught.exc_type, caught.exc_value, caught.exc_traceback)
        )


def _log_unraisable(caught: sys.UnraisableHookArgs) -> None:
    error = caught.exc_value
    trace = None if error is None else (type(error), error, caught.exc_traceback)
    _log.error(
        "%s: %r", caught.err_msg or "not caught while something was given up", caught.object, exc_info=trace
    )
