"""Where the program's own files lie: in a checkout, in an installed wheel, and in a frozen bundle."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import platformdirs

APP_NAME = "OptMem"
"""Name of the program's folders for logs and settings, the same on every system."""


SCENARIO_SUFFIX = ".optmem"
"""What a scenario file ends in."""

SNAPSHOT_SUFFIXES = (".pickle", ".gz")
"""What a recorded memory snapshot ends in; whether a file is one is seen by its content."""

OPTIMIZERS_FILE = "optimizers.json"
"""The optimizers that a user added, beside the settings."""

CALIBRATIONS_FILE = "calibrations.json"
"""What measurements found out about the user's GPUs, beside the settings."""


def settings_dir() -> Path:
    """The user's own folder for settings and for the optimizers they added."""
    return in_home(platformdirs.user_config_dir(APP_NAME, appauthor=False))


def results_dir() -> Path:
    """The user's own folder of measurements that are kept."""
    return in_home(platformdirs.user_data_dir(APP_NAME, appauthor=False)) / "measurements"


def in_home(folder: str) -> Path:
    """A folder of the user's, or one that cannot be written to where the user has no home.

    Without ``HOME``, and with a user id that no one gave a name (as in a container), ``~`` stays as it is
    and would become a folder of that name wherever the program was started.
    """
    path = Path(folder)
    return path if path.is_absolute() else Path(os.devnull) / path.name


LIBRARY_PATHS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH")
"""Variables of Linux, macOS and AIX that name folders of libraries."""

WORKER_PROGRAM = "optmem-worker"
"""The second program of a bundle, without Qt: the sampler, and the worker where torch is bundled."""

WORKER_FILES = "worker_files"
"""Folder of a bundle that holds ``core``, ``allocator`` and ``worker`` as plain files for another Python."""


def bundle_dir() -> Path | None:
    """The folder of modules and libraries of a frozen bundle; None where the program is not frozen.

    PyInstaller names it in ``sys._MEIPASS`` (manual, "Run-time Information").
    """
    folder = getattr(sys, "_MEIPASS", None)
    return None if folder is None else Path(folder)


def bundles_torch() -> bool:
    """Whether this is a bundle with a torch of its own."""
    bundle = bundle_dir()
    return bundle is not None and (bundle / "torch").is_dir()


def library_paths(environment: Mapping[str, str]) -> dict[str, str]:
    """Where the user wants libraries looked for: without what a bundle's loader put in front.

    The loader sets the variable for this process and keeps the user's under ``..._ORIG``, if there was one
    (PyInstaller manual, "LD_LIBRARY_PATH / LIBPATH considerations"). A CUDA library beside the bundle's must
    not reach the user's torch, nor the bundle's own a program that is opened from here.
    """
    found = {}
    bundle = str(bundle_dir())
    for name in LIBRARY_PATHS:
        given = environment.get(f"{name}_ORIG", environment.get(name, ""))
        kept = [entry for entry in given.split(os.pathsep) if entry and entry != bundle]
        if kept:
            found[name] = os.pathsep.join(kept)
    return found


def import_root() -> Path:
    """The folder from which another Python imports this package.

    Never the folder of a bundle's own modules: those are compiled for the bundle's Python and would hide
    the user's numpy.
    """
    bundle = bundle_dir()
    return Path(__file__).resolve().parent.parent if bundle is None else bundle / WORKER_FILES


@cache
def resource_dir() -> Path:
    """The folder of data, icons and translations.

    A frozen bundle has it beside its modules, a wheel carries it inside the package, a checkout has it
    beside the package.
    """
    package = Path(__file__).resolve().parent
    bundle = bundle_dir()
    if bundle is not None:
        return bundle / "resources"
    inside = package / "resources"
    return inside if inside.is_dir() else package.parent / "resources"


def data_file(name: str) -> Path:
    """A table the program reads, such as ``gpus.toml``."""
    return resource_dir() / "data" / name


def icon_file(name: str) -> Path:
    """An icon, such as ``optmem.svg``."""
    return resource_dir() / "icons" / name


def page_dir(language: str) -> Path:
    """The folder of the pages about memory in a language, such as ``zh_CN``."""
    return resource_dir() / "docs" / "pages" / language


def translation_dir() -> Path:
    """The folder of compiled translations (``optmem_zh_CN.qm``)."""
    return resource_dir() / "i18n"
