"""Which Python the window has simulations and measurements run under."""

from __future__ import annotations

import sys

from PySide6.QtCore import QCoreApplication

from optmem_gui.gui import settings as keys
from optmem_gui.gui.settings import Settings
from optmem_gui.paths import bundle_dir, bundles_torch


def needs_python() -> bool:
    """Whether this program has no torch of its own to run, so that another Python is looked for."""
    return bundle_dir() is not None and not bundles_torch()


def worker_python(settings: Settings) -> str:
    """The one that was chosen, else in a bundle the one that was found; empty for this program's own."""
    chosen = settings.get(keys.WORKER_PYTHON)
    return chosen or (settings.get(keys.FOUND_PYTHON) if needs_python() else "")


def shown_python(python: str) -> str:
    """How a Python is named before code runs under it.

    Args:
        python: Its path; empty for this program's own, or for the one a bundle is going to find.
    """
    if not python and needs_python():
        return QCoreApplication.translate("Pythons", "the first Python with torch that is found")
    return python or sys.executable
