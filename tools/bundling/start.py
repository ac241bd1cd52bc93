"""What a bundled program does before anything else."""

from __future__ import annotations

import os

from optmem_gui.paths import LIBRARY_PATHS, library_paths


def give_back_library_paths() -> None:
    """Undo what the loader did to the environment, which every program opened from here inherits.

    The system's loader has read the variables when this process began, so the bundle's own libraries are
    still found.
    """
    kept = library_paths(os.environ)
    for name in LIBRARY_PATHS:
        os.environ.pop(name, None)
        os.environ.pop(f"{name}_ORIG", None)
    os.environ.update(kept)
