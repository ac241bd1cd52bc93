"""The log and the crash file, and streams that exist everywhere."""

from __future__ import annotations

import faulthandler
import logging
import os
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path

import platformdirs

from optmem_gui.paths import APP_NAME

LOG_BYTES = 1_000_000
LOG_FILES = 3

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
    return Path(platformdirs.user_log_dir(APP_NAME, appauthor=False))


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
        path = target / "optmem.log"
        handler = RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=LOG_FILES - 1, encoding="utf-8")
        crash = (target / "crash.log").open("a", encoding="utf-8")
    except OSError as error:
        _log.warning("no log can be written to %s: %s", target, error)
        return None
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root.addHandler(handler)
    faulthandler.enable(crash)
    return path
