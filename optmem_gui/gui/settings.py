"""What the program remembers: one table of settings, kept in an INI file.

To add one, add a line to the table. Reads are typed, because QSettings gives strings back; a value that
is no longer allowed reads as the default.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QByteArray, QSettings

from optmem_gui.core.reasons import Reason
from optmem_gui.core.run_defaults import DEFAULT_SAMPLE_HZ, DEFAULT_STEPS, MOST_SAMPLE_HZ
from optmem_gui.gui.i18n import LANGUAGES
from optmem_gui.gui.theme import CONTRAST_CHOICES, THEME_CHOICES
from optmem_gui.paths import settings_dir

_log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """One thing that is remembered.

    Attributes:
        key: Name in the file.
        default: Value when nothing is remembered; its type is the setting's.
        allowed: The values it may have; empty when any value of the type will do.
        low: Smallest number allowed.
        high: Largest number allowed.
    """

    key: str
    default: T
    allowed: tuple[T, ...] = ()
    low: int | None = None
    high: int | None = None


FORMAT = 1
"""Version of the file; raised when an older program would read a value as something else."""

FILE_FORMAT: Setting[int] = Setting("file/format", FORMAT)
NEWER_TOLD: Setting[int] = Setting("file/newer_told", 0)
FIRST_RUN: Setting[bool] = Setting("window/first_run", True)
THEME: Setting[str] = Setting("window/theme", "system", THEME_CHOICES)
CONTRAST: Setting[str] = Setting("window/contrast", "system", CONTRAST_CHOICES)
LANGUAGE: Setting[str] = Setting("window/language", "system", ("system", *LANGUAGES))
UNIT: Setting[str] = Setting("window/unit", "GiB", ("GiB", "GB"))
GEOMETRY: Setting[QByteArray] = Setting("window/geometry", QByteArray())
STATE: Setting[QByteArray] = Setting("window/state", QByteArray())
COLUMNS: Setting[QByteArray] = Setting("window/columns", QByteArray())
ROWS: Setting[QByteArray] = Setting("window/rows", QByteArray())
RECENT: Setting[list[str]] = Setting("files/recent", [])
FOLDER: Setting[str] = Setting("files/folder", "")
RECENT_OPTIMIZERS: Setting[list[str]] = Setting("model/recent_optimizers", [])
GPU: Setting[str] = Setting("model/gpu", "")
STEPS: Setting[int] = Setting("measure/steps", DEFAULT_STEPS, low=2, high=100)
SAMPLE_HZ: Setting[int] = Setting("measure/sample_hz", DEFAULT_SAMPLE_HZ, low=1, high=MOST_SAMPLE_HZ)
WORKER_PYTHON: Setting[str] = Setting("measure/python", "")
FOUND_PYTHON: Setting[str] = Setting("measure/found_python", "")
FUNCTION: Setting[str] = Setting("simulate/function", "")
SIMULATE_AFTER_EDIT: Setting[bool] = Setting("simulate/after_edit", False)
EXPORT_SCALE: Setting[int] = Setting("export/scale", 2, low=1, high=8)
EXPORT_PAPER: Setting[str] = Setting("export/paper", "A4", ("A4", "Letter"))

SETTINGS: tuple[Setting[Any], ...] = (
    FILE_FORMAT,
    NEWER_TOLD,
    FIRST_RUN,
    THEME,
    CONTRAST,
    LANGUAGE,
    UNIT,
    GEOMETRY,
    STATE,
    COLUMNS,
    ROWS,
    RECENT,
    FOLDER,
    RECENT_OPTIMIZERS,
    GPU,
    STEPS,
    SAMPLE_HZ,
    WORKER_PYTHON,
    FOUND_PYTHON,
    FUNCTION,
    SIMULATE_AFTER_EDIT,
    EXPORT_SCALE,
    EXPORT_PAPER,
)
"""Every setting of the program."""

RECENT_COUNT = 10


class Settings:
    """The settings file, or the defaults where there is none or it cannot be read."""

    def __init__(self, path: Path | None = None) -> None:
        """Open the file.

        Args:
            path: Another file than the user's own.
        """
        self.path = path or settings_dir() / "optmem.ini"
        self.notices: list[Reason] = []
        self._set_damaged_aside()
        self._store = QSettings(str(self.path), QSettings.Format.IniFormat)
        self.is_kept = self._is_writable()
        if not self.is_kept:
            self.notices.append(Reason("window.settings_not_saved", {"path": str(self.path.parent)}))
        self._look_at_format()

    def get(self, setting: Setting[T]) -> T:
        """The remembered value, always of the setting's type."""
        value = self._store.value(setting.key, setting.default)
        read = _typed(value, setting.default)
        if setting.allowed and read not in setting.allowed:
            return setting.default
        if isinstance(read, int) and setting.low is not None and setting.high is not None:
            return read if setting.low <= read <= setting.high else setting.default
        return read

    def set(self, setting: Setting[T], value: T) -> None:
        """Remember a value; silently for this session only where the file cannot be written."""
        self._store.setValue(setting.key, value)

    def save(self) -> None:
        """Write what was remembered, and take in what other windows wrote: the later value of a key wins."""
        self._store.sync()
        if self.is_kept and self._store.status() is not QSettings.Status.NoError:
            _log.warning("settings not saved in %s", self.path)

    def reset(self) -> None:
        """Forget everything: what a first start finds."""
        self._store.clear()
        self.set(FILE_FORMAT, FORMAT)
        self.save()

    def add_recent(self, path: Path) -> None:
        """Put a file at the head of the recent ones, those of another window included."""
        self.save()  # takes in what other windows wrote since
        text = str(path.absolute())
        others = [name for name in self.get(RECENT) if name != text]
        self.set(RECENT, [text, *others][:RECENT_COUNT])

    def _is_writable(self) -> bool:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError:
            return False
        if self.path.is_dir():
            return False
        return os.access(self.path if self.path.exists() else self.path.parent, os.W_OK)

    def _look_at_format(self) -> None:
        """Note the version; a newer program's file is used as far as it is understood, and told of once.

        What is not understood stays in the file for the program that wrote it.
        """
        found = self.get(FILE_FORMAT) if self._store.contains(FILE_FORMAT.key) else 0
        if found < FORMAT:
            self.set(FILE_FORMAT, FORMAT)
        elif found > FORMAT and self.get(NEWER_TOLD) != found:
            self.notices.append(Reason("window.settings_newer", {"path": str(self.path)}))
            self.set(NEWER_TOLD, found)

    def _set_damaged_aside(self) -> None:
        """Rename a file that is no INI file, so that nothing the user wrote is lost."""
        try:
            text = self.path.read_bytes().decode()
        except FileNotFoundError:
            return
        except UnicodeDecodeError:
            text = "\0"
        except OSError as error:
            _log.warning("settings not read: %s", error)
            return
        probe = QSettings(str(self.path), QSettings.Format.IniFormat)
        if "\0" not in text and probe.status() is QSettings.Status.NoError:
            return
        del probe
        aside = self.path.with_name(self.path.name + ".bad")
        try:
            self.path.replace(aside)
        except OSError as error:
            _log.warning("settings not set aside: %s", error)
            return
        self.notices.append(Reason("window.settings_reset", {"path": str(aside)}))


def _typed(value: Any, default: T) -> T:  # noqa: ANN401  # QSettings gives anything back
    """A raw value in the type of the default; the default where it cannot be."""
    result: Any = default
    if isinstance(default, bool):
        result = str(value).lower() == "true"
    elif isinstance(default, int):
        text = str(value)
        result = int(text) if text.removeprefix("-").isdecimal() else default
    elif isinstance(default, list):
        items = [value] if isinstance(value, str) and value else value
        result = [str(item) for item in items] if isinstance(items, list) else []
    elif isinstance(default, QByteArray):
        result = value if isinstance(value, QByteArray) else default
    elif isinstance(value, str):
        result = value
    return result  # type: ignore[no-any-return]  # each branch keeps the default's type
