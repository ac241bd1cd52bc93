"""A driver's library that does what a test's script says, compiled here and loaded by the real binding."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import CDLL
from pathlib import Path
from typing import Any

import pytest

GIB = 1 << 30
MIB = 1 << 20
SOURCE = Path(__file__).with_name("standin.c")
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")

needs_compiler = pytest.mark.skipif(
    COMPILER is None or not sys.platform.startswith("linux"),
    reason="the stand-in of the driver's library needs Linux and a C compiler",
)

H100 = f"gpu GPU-aaaa1111-0000 {80 * GIB} {GIB // 2} {2 * GIB} NVIDIA H100 80GB HBM3"
L4 = f"gpu GPU-bbbb2222-0000 {24 * GIB} {GIB // 4} 0 NVIDIA L4"


@functools.cache
def library(*without: str) -> Path:
    """Folder that holds the library, without the functions that are named (``V3``, ``V2``, ``MEMORY_V2``)."""
    assert COMPILER is not None
    folder = Path(tempfile.mkdtemp(prefix="standin-"))
    flags = [f"-DWITHOUT_{name}" for name in without]
    target = folder / "libnvidia-ml.so.1"
    command = [COMPILER, "-std=gnu11", "-Wall", "-Werror", "-O1", "-shared", "-fPIC", *flags]
    subprocess.run([*command, "-o", str(target), str(SOURCE)], check=True)
    return folder


def environment(script: Path, *without: str) -> dict[str, str]:
    """What a child process needs to find the stand-in instead of a driver."""
    return {**os.environ, "LD_LIBRARY_PATH": str(library(*without)), "NVML_STANDIN": str(script)}


class Driver:
    """A stand-in as the binding of this process sees it.

    Args:
        folder: Where script and log are kept.
    """

    def __init__(self, folder: Path) -> None:
        self.script = folder / "script"
        self.log = folder / "log"

    def says(self, *lines: str) -> None:
        """What the driver does from its next initialisation on."""
        self.script.write_text("\n".join(lines) + "\n")

    def sessions(self) -> list[str]:
        """The initialisations and shutdowns so far."""
        if not self.log.exists():
            return []
        return [line.split()[0] for line in self.log.read_text().splitlines()]


@contextmanager
def driver(monkeypatch: pytest.MonkeyPatch, folder: Path, *without: str) -> Iterator[Driver]:
    """Let the real binding call the stand-in."""
    import pynvml

    made = Driver(folder)
    made.says(H100)
    loaded: Any = CDLL(str(library(*without) / "libnvidia-ml.so.1"))
    monkeypatch.setattr(pynvml, "nvmlLib", loaded)
    monkeypatch.setattr(pynvml, "_nvmlGetFunctionPointer_cache", {})
    monkeypatch.setenv("NVML_STANDIN", str(made.script))
    monkeypatch.setenv("NVML_STANDIN_LOG", str(made.log))
    yield made
    # Every session that a test opened is closed again.
    assert made.sessions().count("init") == made.sessions().count("shutdown")
