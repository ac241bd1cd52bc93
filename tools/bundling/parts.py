"""What goes into the desktop program and what stays out; read by ``build.spec``."""

from __future__ import annotations

import plistlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import distribution
from pathlib import Path, PurePosixPath
from typing import Any

import tomllib

from optmem_gui.licences import SHIPPED
from optmem_gui.paths import WORKER_FILES

Entry = tuple[str, str, str]
"""PyInstaller's: name in the bundle, file it comes from, kind."""

NAME = "OptMem"
APP_ID = "org.optmem.OptMem"

WORKER_PACKAGES = ("core", "allocator", "worker")
"""What runs, as plain files, under the Python that the user trains with."""

_HEAVY = ["torch", "transformers", "safetensors", "peft", "scipy", "pandas", "matplotlib", "h5py", "onnx"]
_NEVER = [
    *("tkinter", "_tkinter", "IPython", "setuptools", "pip", "wheel", "yaml", "charset_normalizer"),
    *("pytest", "_pytest", "hypothesis", "mypy"),
]

NOT_IN_PROGRAM = [
    *_NEVER,
    *_HEAVY,
    "optmem_gui.worker",
    "pyqtgraph.examples",
    "pyqtgraph.opengl",
    "pyqtgraph.console",
    "pyqtgraph.jupyter",
    "PySide6.QtNetwork",
    "PySide6.QtQml",
    "PySide6.QtQuick",
    "PySide6.QtSql",
]
"""Modules that the window does without. pyqtgraph imports pydoc, QtTest, QtSvg and QtOpenGL itself."""

NOT_IN_WORKER = [*_NEVER, "PySide6", "shiboken6", "pyqtgraph"]
"""torch must not share a process with Qt (its libraries do not load after Qt's on Windows)."""

NOT_WITHOUT_TORCH = [*_HEAVY, "numpy", "optmem_gui.worker", "msgspec"]
"""What the second program has no use for where it only samples the driver."""

_PLUGINS = {
    "iconengines": ("svg",),
    "imageformats": ("svg", "ico"),
    "platforminputcontexts": (),
    "platforms": ("xcb", "wayland", "offscreen", "minimal", "windows", "cocoa"),
    "platformthemes": ("xdgdesktopportal",),
    "styles": (),
    "wayland-decoration-client": (),
    "wayland-graphics-integration-client": (),
    "wayland-shell-integration": (),
    "xcbglintegrations": (),
}
"""Qt's plugins that are kept; of a kind with names only those files. Input methods write Chinese."""

_PLUGIN = re.compile(r"PySide6/(?:Qt/)?plugins/([^/]+)/(.+)")
_TRANSLATION = re.compile(r"PySide6/(?:Qt/)?translations/(.+)")
_TRANSLATIONS = ("qtbase_en.qm", "qtbase_zh_CN.qm")
_UNUSED = re.compile(
    r"(?:PySide6/(?:Qt/lib/)?)?(?:lib)?Qt6?(?:Quick|Qml|Pdf|VirtualKeyboard|Network|Sql|Designer)"
)


def version(root: Path) -> str:
    """The program's version, from its one place."""
    text = (root / "optmem_gui" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"', text, re.MULTILINE)
    if found is None:
        raise ValueError("optmem_gui/__init__.py names no version")
    return found[1]


def resources(root: Path) -> list[Entry]:
    """What a wheel carries beside its modules, at the same places."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    places = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    found = []
    for given, place in places.items():
        source, target = root / given, PurePosixPath(place).relative_to("optmem_gui")
        files = sorted(source.rglob("*")) if source.is_dir() else [source]
        found += [_data(f, target / f.relative_to(source).as_posix()) for f in files if f.is_file()]
    return found


def worker_files(root: Path) -> list[Entry]:
    """The worker and what it imports, as plain files."""
    package = root / "optmem_gui"
    files = [package / "__init__.py"]
    for name in WORKER_PACKAGES:
        files += sorted((package / name).rglob("*.py"))
    return [_data(file, PurePosixPath(WORKER_FILES) / file.relative_to(root).as_posix()) for file in files]


def licences() -> list[Entry]:
    """Version, licence and list of files of every part, which the about page reads."""
    found = []
    for name in SHIPPED:
        files = [f for f in distribution(name).files or () if f.parts[0].endswith(".dist-info")]
        found += [_data(Path(str(f.locate())), PurePosixPath(f)) for f in files]
    return found


def _data(file: Path, place: PurePosixPath) -> Entry:
    return str(place), str(file), "DATA"


def program_modules(root: Path) -> list[str]:
    """Every module of ours but the worker's: readers of files are imported by name, when they are meant."""
    names = _modules(root, root / "optmem_gui")
    return [name for name in names if not f"{name}.".startswith("optmem_gui.worker.")]


def worker_modules(root: Path) -> list[str]:
    """The worker's modules by name, for a bundle whose own torch runs them."""
    return _modules(root, root / "optmem_gui" / "worker")


def _modules(root: Path, package: Path) -> list[str]:
    names = []
    for file in sorted(package.rglob("*.py")):
        parts = file.relative_to(root).with_suffix("").parts
        names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def needed(entries: Iterable[Entry]) -> list[Entry]:
    """Leave out what of Qt is never loaded, and on Linux the libraries that only that needs."""
    kept = [entry for entry in entries if _is_needed(entry[0].replace("\\", "/"))]
    if sys.platform != "linux":
        return kept
    from PyInstaller.depend.bindepend import get_imports  # noqa: PLC0415  # tests of the rest do without it

    wanted: set[str] = set()
    for name, source, kind in kept:
        if kind == "EXTENSION" or _PLUGIN.fullmatch(name):
            wanted |= {Path(library).name for library, _ in get_imports(source)}
    return [entry for entry in kept if not _is_library(entry) or Path(entry[0]).name in wanted]


def _is_library(entry: Entry) -> bool:
    name, _, kind = entry
    library = Path(name).name
    return (
        kind in ("BINARY", "SYMLINK")
        and ".so" in library
        and not _PLUGIN.fullmatch(name)
        and not library.startswith("libpython")  # the loader opens it itself
    )


def without_debugging(entries: Iterable[Entry], folder: Path) -> list[Entry]:
    """Leave out the debugging information of an interpreter that was built with it (20 MB).

    Only the interpreter's own files: libraries that a wheel has patched do not survive ``strip``.
    """
    strip = shutil.which("strip") if sys.platform == "linux" else None
    if strip is None:
        return list(entries)
    made = []
    for name, source, kind in entries:
        file = Path(source)
        if kind in ("BINARY", "EXTENSION") and (
            "lib-dynload" in file.parts or file.name.startswith("libpython")
        ):
            folder.mkdir(parents=True, exist_ok=True)
            command = [strip, "--strip-unneeded", "-o", str(folder / file.name), str(file)]
            subprocess.run(command, check=True)  # noqa: S603  # the system's own tool
            file = folder / file.name
        made.append((name, str(file), kind))
    return made


def _is_needed(name: str) -> bool:
    plugin = _PLUGIN.fullmatch(name)
    if plugin is not None:
        kept = _PLUGINS.get(plugin[1])
        return kept is not None and (not kept or any(word in plugin[2] for word in kept))
    translation = _TRANSLATION.fullmatch(name)
    if translation is not None:
        return translation[1] in _TRANSLATIONS
    return _UNUSED.match(name) is None


# -- what each system wants to know


def version_resource(root: Path, program: str, folder: Path) -> Path:
    """The version resource of a program for Windows, as PyInstaller reads it.

    Args:
        root: The checkout.
        program: Name without ``.exe``.
        folder: Where to write it.
    """
    number = version(root)
    four = (*(int(part) for part in re.findall(r"[0-9]+", number)[:3]), 0)
    text = (root / "resources" / "windows" / "version.txt").read_text(encoding="utf-8")
    described = {"optmem": "OptMem (commands)", "optmem-worker": "OptMem (measuring)"}
    values = {
        "@NUMBERS@": str(four),
        "@VERSION@": number,
        "@PROGRAM@": program,
        "@DESCRIPTION@": described.get(program, "OptMem"),
    }
    for mark, value in values.items():
        text = text.replace(mark, value)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{program}-version.txt"
    target.write_text(text, encoding="utf-8")
    return target


def info_plist(root: Path) -> dict[str, Any]:
    """Keys of the program's Info.plist for macOS."""
    with (root / "resources" / "macos" / "Info.plist").open("rb") as file:
        keys: dict[str, Any] = plistlib.load(file)
    number = version(root)
    return {**keys, "CFBundleShortVersionString": number, "CFBundleVersion": number}


def lay_linux_files(root: Path, folder: Path) -> None:
    """Put beside the programs what a Linux desktop wants, and the script that tells it.

    Args:
        root: The checkout.
        folder: The finished bundle.
    """
    source, share = root / "resources" / "linux", folder / "share"
    shutil.copy2(source / "install.sh", folder / "install.sh")
    places = {
        f"{APP_ID}.desktop": share / "applications" / f"{APP_ID}.desktop",
        f"{APP_ID}.mime.xml": share / "mime" / "packages" / f"{APP_ID}.xml",
        "../icons/optmem.svg": share / "icons" / "hicolor" / "scalable" / "apps" / f"{APP_ID}.svg",
    }
    for picture in (source / "icons").glob("*.png"):
        size = f"{picture.stem}x{picture.stem}"
        places[f"icons/{picture.name}"] = share / "icons" / "hicolor" / size / "apps" / f"{APP_ID}.png"
    for given, target in places.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / given, target)
    target = share / "metainfo" / f"{APP_ID}.metainfo.xml"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(metainfo(root), encoding="utf-8")


def metainfo(root: Path) -> str:
    """The AppStream description with this release in it."""
    text = (root / "resources" / "linux" / f"{APP_ID}.metainfo.xml").read_text(encoding="utf-8")
    written = (root / "optmem_gui" / "__init__.py").stat().st_mtime  # where the version stands
    day = datetime.fromtimestamp(written, UTC).date().isoformat()
    return text.replace("@VERSION@", version(root)).replace("@DATE@", day)
