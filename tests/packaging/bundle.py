"""Build the desktop program and run it, far from the checkout and with an empty environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD_S = 1200


@dataclass(frozen=True, slots=True)
class Ran:
    """What came back from a program of the bundle."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


@dataclass(frozen=True, slots=True)
class Bundle:
    """A built program.

    Attributes:
        folder: What a user unpacks.
        build_s: How long the build took.
    """

    folder: Path
    build_s: float

    @property
    def inside(self) -> Path:
        """Its modules, libraries and resources."""
        return self.folder / "_internal"

    def program(self, name: str = "optmem") -> str:
        """Path of one of its programs."""
        return str(self.folder / (f"{name}.exe" if sys.platform == "win32" else name))

    def run(self, *words: object, timeout_s: float = 240, **environment: str) -> Ran:
        """Run it with nothing in the environment but what a window without a screen needs."""
        done = subprocess.run(
            [self.program(), *map(str, words)],
            cwd=self.folder.parent,
            env={"QT_QPA_PLATFORM": "offscreen", **_system(), **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode(errors="replace"))


def _system() -> dict[str, str]:
    """What no program of Windows starts without."""
    names = ("SYSTEMROOT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP") if os.name == "nt" else ()
    return {name: os.environ[name] for name in names if name in os.environ}


def build(folder: Path) -> Bundle:
    """Build the program without torch, and move it to a folder with a space and letters beyond ASCII."""
    began = time.perf_counter()
    places = ["--distpath", str(folder / "dist"), "--workpath", str(folder / "work")]
    environment = {name: value for name, value in os.environ.items() if name != "OPTMEM_BUNDLE_TORCH"}
    done = subprocess.run(
        [sys.executable, "-m", "PyInstaller", "build.spec", "--noconfirm", "--log-level", "WARN", *places],
        cwd=ROOT,
        env={**environment, "PYINSTALLER_CONFIG_DIR": str(folder / "config")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=BUILD_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    seconds = time.perf_counter() - began
    home = folder / "模型 ü"
    home.mkdir()
    return Bundle((folder / "dist" / "OptMem").rename(home / "OptMem"), seconds)
