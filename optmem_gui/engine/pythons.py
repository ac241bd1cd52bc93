"""Which Python simulates and measures: where they are looked for, and what one of them can do.

A bundle has no torch of its own; steps run under the Python that the user trains with. A Python is asked in
a process of its own, started as the worker will be; torch is found there but not imported, so the answer
takes a tenth of a second.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from optmem_gui import paths
from optmem_gui.core.errors import UserError
from optmem_gui.core.reasons import Reason
from optmem_gui.core.requests import OLDEST_PYTHON, OLDEST_TORCH
from optmem_gui.engine.child import Child, Launch
from optmem_gui.engine.worker_process import child_environment

ANSWER_S = 30.0
"""For the answer of one Python; the first start from a slow disk takes seconds, on a busy machine many."""

_MOST = 32
"""Pythons that are looked at."""

_MOST_LINES = 1000
"""Of output before the answer: a start-up file may print something, a program that is no Python a lot."""

_LOOK_S = 0.05
"""How often the wish to stop is looked at."""

_AT_ONCE = 4
_PATIENCE_S = 0.5
_MARK = b"optmem-python "

_ASK = """
import json, struct, sys
found = {"version": list(sys.version_info[:3]), "bits": struct.calcsize("P") * 8}
if sys.version_info >= (3, 4):
    from importlib.util import find_spec
    spec = find_spec("torch")
    if spec is not None and spec.origin:
        try:
            names = {}
            with open(spec.origin[: -len("__init__.py")] + "version.py") as file:
                exec(file.read(), names)
            found["torch"] = str(names["__version__"])
            kinds = (("cuda", "CUDA"), ("hip", "ROCm"), ("xpu", "XPU"))
            found["accelerators"] = [b + " " + str(names[a]) for a, b in kinds if names.get(a)]
        except Exception as error:
            found["broken"] = repr(error)
sys.stdout.write("\\noptmem-python " + json.dumps(found) + "\\n")
sys.stdout.flush()
"""
"""Runs under every Python from 2.7 on. ``torch/version.py`` says what torch was built for."""

_MAGICS = (b"\x7fELF", b"MZ", b"\xfe\xed\xfa", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
"""How programs begin: ELF, PE, Mach-O (either byte order) and universal binaries."""


@dataclass(frozen=True, slots=True)
class PythonInfo:
    """A Python that can simulate and measure.

    Attributes:
        path: How it is started.
        version: Such as ``3.11.7``.
        torch: Version of its torch, such as ``2.13.0+cpu``.
        accelerators: What torch was built for, such as ``CUDA 13.0``; empty for a CPU build.
    """

    path: str
    version: str
    torch: str
    accelerators: tuple[str, ...]

    @property
    def remark(self) -> Reason | None:
        """What it cannot do, where that is something; torch for macOS has no CUDA build to advise."""
        if self.accelerators or sys.platform == "darwin":
            return None
        return Reason("python.cpu_torch", {"python": self.path, "torch": self.torch})


def examine(
    python: str, *, seconds: float = ANSWER_S, cancelled: Callable[[], bool] = lambda: False
) -> PythonInfo:
    """Ask a Python what it is.

    Args:
        python: Path of the program.
        seconds: How long it may take to answer.
        cancelled: Asked now and then, on the calling thread; True ends the wait.

    Raises:
        UserError: It cannot simulate or measure, in one line with the next step.
    """
    path = Path(python).expanduser()
    if not path.exists():
        raise UserError("python.missing", python=python)
    if path.is_dir() or not os.access(path, os.X_OK):
        raise UserError("python.not_a_program", python=python)
    answer = _ask(str(path.absolute()), seconds, cancelled)
    version = ".".join(map(str, answer["version"]))
    if tuple(answer["version"][:2]) < OLDEST_PYTHON:
        oldest = ".".join(map(str, OLDEST_PYTHON))
        raise UserError("python.too_old", python=python, version=version, oldest=oldest)
    if answer["bits"] != 64:
        raise UserError("python.other_machine", python=python, cause=f"{answer['bits']}-bit")
    if "broken" in answer:
        raise UserError("python.torch_broken", python=python, cause=str(answer["broken"])[:200])
    if "torch" not in answer:
        raise UserError("python.no_torch", python=python, version=version)
    torch = str(answer["torch"])
    if _release(torch) < OLDEST_TORCH:
        oldest = ".".join(map(str, OLDEST_TORCH))
        raise UserError("python.old_torch", python=python, torch=torch, oldest=oldest)
    return PythonInfo(str(path.absolute()), version, torch, tuple(map(str, answer["accelerators"])))


def _ask(python: str, seconds: float, cancelled: Callable[[], bool]) -> dict[str, Any]:
    """What it answers.

    Raises:
        UserError: It cannot be started, is silent, or answers something else.
    """
    lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    child = Child("python", lines.put)
    launch = Launch((python, "-c", _ASK), child_environment(os.environ), str(paths.import_root()))
    try:
        child.start(launch)
    except OSError as error:
        raise _not_started(python, error) from None
    try:
        answer = _await(python, lines, seconds, cancelled)
    finally:
        child.stop(_PATIENCE_S)
    if answer is None:
        said = [line.strip() for line in child.errors.splitlines() if line.strip()]
        cause = said[-1][:200] if said else f"status {child.returncode}"
        raise UserError("python.no_answer", python=python, cause=cause)
    return answer


def _await(
    python: str, lines: queue.SimpleQueue[bytes | None], seconds: float, cancelled: Callable[[], bool]
) -> dict[str, Any] | None:
    until = time.monotonic() + seconds
    read = 0
    while read < _MOST_LINES:
        try:
            line = lines.get(timeout=_LOOK_S)
        except queue.Empty:
            if cancelled() or time.monotonic() > until:
                raise UserError("python.silent", python=python, seconds=round(seconds)) from None
            continue
        read += 1
        if line is None:
            return None
        if line.startswith(_MARK):
            return _read(line[len(_MARK) :])
    return None


def _read(text: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _not_started(python: str, error: OSError) -> UserError:
    """Why the system refuses to start it; a program of another processor is told from a text file."""
    cause = error.strerror or str(error)
    try:
        with Path(python).open("rb") as file:
            is_program = file.read(4).startswith(_MAGICS)
    except OSError:
        return UserError("python.not_started", python=python, cause=cause)
    if error.errno == 8 or getattr(error, "winerror", None) == 193:  # ENOEXEC, ERROR_BAD_EXE_FORMAT
        if is_program:
            return UserError("python.other_machine", python=python, cause=cause)
        return UserError("python.not_a_program", python=python)
    return UserError("python.not_started", python=python, cause=cause)


def _release(version: str) -> tuple[int, ...]:
    """``(2, 13)`` of ``2.13.0a0+git1``."""
    parts = version.split("+", maxsplit=1)[0].split(".")[:2]
    return tuple(int("".join(c for c in part if c.isdecimal()) or 0) for part in parts)


# -- where they are looked for


@cache
def default_python() -> PythonInfo:
    """The Python of a bundle whose user chose none; looked for once.

    Raises:
        UserError: None on this computer can simulate and measure.
    """
    return find_python(candidates(os.environ, Path.home()))


def find_python(
    looked_at: tuple[str, ...], *, seconds: float = ANSWER_S, cancelled: Callable[[], bool] = lambda: False
) -> PythonInfo:
    """The first that has a torch for a GPU, else the first that has torch.

    Args:
        looked_at: Paths, the likeliest first.
        seconds: How long each may take to answer.
        cancelled: Asked now and then, on several threads; True ends the search.

    Raises:
        UserError: None of them can simulate and measure.
    """

    def one(python: str) -> PythonInfo | None:
        try:
            return None if cancelled() else examine(python, seconds=seconds, cancelled=cancelled)
        except UserError:
            return None

    with ThreadPoolExecutor(_AT_ONCE, "python") as threads:
        found = [info for info in threads.map(one, looked_at) if info is not None]
    if not found:
        raise UserError("python.none")
    return next((info for info in found if info.accelerators), found[0])


def candidates(environment: Mapping[str, str], home: Path, folder: Path | None = None) -> tuple[str, ...]:
    """Where a Python may be, the likeliest first and none twice.

    Args:
        environment: Names conda's active environment and the search path. Another active environment leads
            the search path; PyInstaller hides ``VIRTUAL_ENV`` from what it has bundled.
        home: The user's folder, which lists conda's environments and holds pyenv's versions.
        folder: A project whose ``.venv`` may be used. Only for a user who is at work in it: a downloaded
            folder must not choose what runs.
    """
    found: dict[Path, str] = {}
    for path in _places(environment, home, folder):
        if len(found) < _MOST and path.is_file() and path.stat().st_size:  # Windows has stand-ins of no size
            in_venv = (path.parent.parent / "pyvenv.cfg").is_file()
            found.setdefault(path.parent.resolve() if in_venv else path.resolve(), str(path))
    return tuple(found.values())


def _places(environment: Mapping[str, str], home: Path, folder: Path | None) -> Iterator[Path]:
    if environment.get("CONDA_PREFIX"):
        yield from _inside(Path(environment["CONDA_PREFIX"]))
    if folder is not None:
        for name in (".venv", "venv"):
            yield from _inside(folder / name)
    names = ("python.exe",) if sys.platform == "win32" else ("python3", "python")
    searched = [Path(entry) for entry in environment.get("PATH", "").split(os.pathsep) if entry]
    for entry in searched:
        if entry.is_absolute():
            yield from (entry / name for name in names)
    for prefix in _listed(home / ".conda" / "environments.txt"):
        yield from _inside(prefix)
    pyenv = Path(environment.get("PYENV_ROOT") or home / ".pyenv") / "versions"
    if pyenv.is_dir():
        for prefix in sorted(pyenv.iterdir(), reverse=True):
            yield from _inside(prefix)


def _inside(prefix: Path) -> Iterator[Path]:
    """The Python of an environment."""
    if sys.platform == "win32":
        yield from (prefix / "Scripts" / "python.exe", prefix / "python.exe")
    else:
        yield from (prefix / "bin" / "python3", prefix / "bin" / "python")


def _listed(file: Path) -> list[Path]:
    """Conda's environments, one path a line."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [Path(line.strip()) for line in lines if line.strip() and Path(line.strip()).is_absolute()]
