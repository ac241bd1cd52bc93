"""What the program is made of, and under which licences: as the installed packages say themselves.

A frozen bundle holds the metadata of what it ships and of nothing else; from source, what is asked for is
the table here, which a test holds against the requirements of this package.
"""

from __future__ import annotations

import platform
import re
import sys
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution, distributions

from optmem_gui import __version__
from optmem_gui.paths import resource_dir

OWN_NAME = "optmem-gui"
"""The package of this program."""

SHIPPED = (
    "PySide6-Essentials",
    "shiboken6",
    "pyqtgraph",
    "colorama",
    "numpy",
    "nvidia-ml-py",
    "msgspec",
    "platformdirs",
    "psutil",
)
"""What a bundle without torch is made of."""

_ENGINE = "torch"
"""What simulations and measurements need; it may be in another Python than this one."""

_TEXTS = {
    "optmem-gui": ("OptMem.txt",),
    "python": ("Python.txt",),
    "pyside6-essentials": ("LGPL-3.0.txt", "GPL-3.0.txt"),
    "shiboken6": ("LGPL-3.0.txt", "GPL-3.0.txt"),
    "nvidia-ml-py": ("nvidia-ml-py.txt",),
}
"""Texts that lie with the program, because the package carries none."""

_LONGEST_NAME = 80
"""Some packages write the whole text where the name of the licence belongs."""


@dataclass(frozen=True, slots=True)
class Part:
    """Something the program is made of.

    Attributes:
        name: Name of the package.
        version: Installed version; empty where it is not installed.
        licence: Name of its licence, as the package says; empty where it says nothing.
    """

    name: str
    version: str
    licence: str


def parts() -> tuple[Part, ...]:
    """The program, Python, and every library, in this order."""
    first = (
        Part("OptMem", __version__, "Apache-2.0"),
        Part("Python", platform.python_version(), "PSF-2.0"),
    )
    if getattr(sys, "frozen", False):
        found = {_key(each.metadata["Name"]): each for each in distributions()}
        found.pop(_key(OWN_NAME), None)
        return (*first, *(_part(found[key]) for key in sorted(found)))
    return (*first, *(_installed(name) for name in (*SHIPPED, _ENGINE)))


def licence_text(name: str) -> str:
    """The text of the licence of a part; empty where neither the package nor the program has it."""
    key = _key(OWN_NAME if name == "OptMem" else name)
    texts = [_lying_text(file) for file in _TEXTS.get(key, ())]
    if not texts:
        try:
            texts = _own_texts(distribution(name))
        except PackageNotFoundError:
            texts = []
    return "\n\n".join(text.strip("\n") for text in texts if text)


def _installed(name: str) -> Part:
    try:
        return _part(distribution(name))
    except PackageNotFoundError:
        return Part(name, "", "")


def _part(found: Distribution) -> Part:
    return Part(found.metadata["Name"].replace("_", "-"), found.version, _licence(found))


def _licence(found: Distribution) -> str:
    """The name of a licence, from the newest of the fields that core metadata has had for it."""
    given = found.metadata
    fields = ("License-Expression", "License")
    expression, free = (str((given.get_all(name) or [""])[0]) for name in fields)
    if expression:
        return expression
    if free and len(free) <= _LONGEST_NAME and "\n" not in free:
        return free
    kinds = [kind for kind in given.get_all("Classifier") or [] if kind.startswith("License ::")]
    return ", ".join(kind.rpartition(" :: ")[2] for kind in kinds)


def _own_texts(found: Distribution) -> list[str]:
    """What the package calls its licence files, and the folder it keeps them in."""
    named = set(found.metadata.get_all("License-File") or [])
    return [
        file.read_text(encoding="utf-8")
        for file in found.files or []
        if any(part.endswith(".dist-info") for part in file.parts)
        and (file.parts[-2] == "licenses" or file.name in named)
    ]


def _lying_text(file: str) -> str:
    place = resource_dir() / "licences" / file
    if not place.is_file() and file == "OptMem.txt":
        place = resource_dir().parent / "LICENSE"  # a checkout
    return place.read_text(encoding="utf-8") if place.is_file() else ""


def _key(name: str) -> str:
    """A package name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
