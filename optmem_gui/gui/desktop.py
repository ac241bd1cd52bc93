"""What the desktop is asked to open, outside this program."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices


def open_folder(folder: Path) -> bool:
    """Show a folder in the user's file manager.

    Returns:
        Whether the desktop took it; a system without a file manager does not.
    """
    if not folder.is_dir():
        return False
    hidden = _without_bundle_libraries()
    try:
        return QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))
    finally:
        os.environ.update(hidden)


def _without_bundle_libraries() -> dict[str, str]:
    """Take a bundle's library path out of what the file manager inherits; gives back what was taken.

    PyInstaller's loader puts its own libraries in front and keeps the user's path under ``..._ORIG``.
    """
    name = "LD_LIBRARY_PATH"
    if not getattr(sys, "frozen", False) or name not in os.environ:
        return {}
    hidden = {name: os.environ.pop(name)}
    original = os.environ.get(f"{name}_ORIG")
    if original is not None:
        os.environ[name] = original
    return hidden
