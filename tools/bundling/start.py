"""What a bundled program does before anything else."""

from __future__ import annotations

import os

LIBRARY_PATHS = ("LD_LIBRARY_PATH", "LIBPATH")
"""What the bundle's loader sets for itself: Linux, AIX."""


def give_back_library_paths() -> None:
    """Undo what the loader did to the environment, which every program opened from here inherits.

    The system's loader has read the variable when this process began, so the bundle's own libraries are
    still found (PyInstaller manual, "LD_LIBRARY_PATH / LIBPATH considerations").
    """
    for name in LIBRARY_PATHS:
        os.environ.pop(name, None)
        original = os.environ.pop(f"{name}_ORIG", None)
        if original is not None:
            os.environ[name] = original
