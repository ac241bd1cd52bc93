"""Where the program's own files lie: in a checkout, in an installed wheel, and in a frozen bundle."""

from __future__ import annotations

import sys
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


def settings_dir() -> Path:
    """The user's own folder for settings and for the optimizers they added."""
    return Path(platformdirs.user_config_dir(APP_NAME, appauthor=False))


@cache
def resource_dir() -> Path:
    """The folder of data, icons and translations.

    A frozen bundle unpacks it beside its modules, a wheel carries it inside the package, a checkout
    has it beside the package.
    """
    package = Path(__file__).resolve().parent
    bundle = getattr(sys, "_MEIPASS", None)
    if bundle is not None:
        return Path(bundle) / "resources"
    inside = package / "resources"
    return inside if inside.is_dir() else package.parent / "resources"


def data_file(name: str) -> Path:
    """A table the program reads, such as ``gpus.toml``."""
    return resource_dir() / "data" / name


def icon_file(name: str) -> Path:
    """An icon, such as ``optmem.svg``."""
    return resource_dir() / "icons" / name


def translation_dir() -> Path:
    """The folder of compiled translations (``optmem_zh_CN.qm``)."""
    return resource_dir() / "i18n"
