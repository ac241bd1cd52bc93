"""Whether a window can open, found out before Qt is asked: Qt ends the process when it cannot."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from optmem_gui.core.errors import UserError

_MISSING = re.compile(r"lib([\w+.-]+?)\.so\.(\d+)[\d.]*: cannot open shared object file")


def check_display(environment: Mapping[str, str] = os.environ) -> None:
    """Refuse to open a window that Qt could not.

    Raises:
        UserError: Qt is not installed, a system library is missing, or there is no display.
    """
    found = find_spec("PySide6")
    if found is None or found.origin is None:
        raise UserError("start.no_qt")
    if not sys.platform.startswith("linux"):
        return
    if not has_display(environment):
        raise UserError("start.no_display")
    wanted = environment.get("QT_QPA_PLATFORM", "").partition(":")[0]
    package = Path(found.origin).parent
    _load(package / "Qt" / "lib" / "libQt6Gui.so.6")
    if wanted == "xcb" or (not wanted and not environment.get("WAYLAND_DISPLAY")):
        _load(package / "Qt" / "plugins" / "platforms" / "libqxcb.so")


def has_display(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether there is something to draw on, a platform chosen by name included."""
    named = ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY")
    return not sys.platform.startswith("linux") or any(environment.get(name) for name in named)


def _load(library: Path) -> None:
    """Load what Qt is about to load anyway, to learn what it lacks."""
    if not library.exists():  # a distribution's own Qt lies elsewhere and comes with what it needs
        return
    try:
        ctypes.CDLL(str(library))
    except OSError as error:
        raise missing_library(str(error)) from error


def missing_library(text: str) -> UserError:
    """The line for what the loader said: which library is missing, and the package it comes in."""
    match = _MISSING.search(text)
    if match is None:
        return UserError("start.qt_broken", why=" ".join(text.split()))
    name, version = match[1].lower().replace("_", "-"), match[2]
    package = f"lib{name}{'-' if name[-1].isdigit() else ''}{version}"
    return UserError("start.library", library=match[0].partition(":")[0], package=package)
