"""One input into one reader, under the limits that hold for every file anybody may open.

The process must not have imported torch or another writer: its memory is measured as a whole.
"""

from __future__ import annotations

import codecs
import gc
import importlib
import json
import pkgutil
import resource
import shutil
import signal
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import optmem_gui.architectures
import optmem_gui.checkpoints
from optmem_gui.checkpoints.checkpoint import Checkpoint
from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.core.errors import UserError
from optmem_gui.report.checkpoint_document import checkpoint_document, checkpoint_text

SECONDS = 2.0
PEAK_BYTES = 256 << 20
_READING_ONLY = ("open", "os.listdir", "os.scandir", "import")
_NEVER = (
    "exec",
    "compile",
    "os.system",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.remove",
    "os.rename",
    "os.mkdir",
    "subprocess.Popen",
    "socket.connect",
    "socket.getaddrinfo",
    "pickle.find_class",
    "marshal.loads",
    "ctypes.dlopen",
    "shutil.rmtree",
    "os.symlink",
    "os.link",
    "os.chmod",
    "os.truncate",
    "urllib.Request",
)
"""Audit events that no reading may cause."""


_CODECS = (
    "cp437",
    "ascii",
    "latin-1",
    "raw_unicode_escape",
    *(f"utf-{kind}" for kind in ("8", "8-sig", "16", "16-be", "16-le", "32", "32-be", "32-le")),
)
"""What ``zipfile``, ``json`` and pickles are decoded with; a codec that a file chooses is none of these."""


class HangError(BaseException):
    """The time is up; no reader may catch it."""


@dataclass(frozen=True, slots=True)
class Seed:
    """A valid checkpoint.

    Attributes:
        target: Format that it is of.
        files: Content by path in its folder.
        change: Files that are changed.
        opened: What is opened, ``.`` for the folder.
    """

    target: str
    files: dict[str, bytes]
    change: tuple[str, ...]
    opened: str


def load_seeds(root: Path) -> dict[str, list[Seed]]:
    """All seeds by target."""
    seeds: dict[str, list[Seed]] = {}
    for folder in sorted(root.glob("*/*")):
        files = {
            str(path.relative_to(folder / "files")): path.read_bytes()
            for path in sorted((folder / "files").rglob("*"))
            if path.is_file()
        }
        change = tuple((folder / "change").read_text(encoding="utf-8").split("\n"))
        opened = (folder / "open").read_text(encoding="utf-8")
        seeds.setdefault(folder.parent.name, []).append(Seed(folder.parent.name, files, change, opened))
    return seeds


class Harness:
    """Opens inputs in a folder of its own and says what went wrong with each.

    Attributes:
        limit_s: Processor time that an input may take.
        slowest_s: Longest time that an input took.
        peak_bytes: Most memory the process had.
    """

    def __init__(self, folder: Path, limit_s: float = SECONDS) -> None:
        self.limit_s = limit_s
        self.slowest_s = 0.0
        self.peak_bytes = 0
        self._inner = folder / "inner"
        self._seed: Seed | None = None
        self._armed = False
        self._seen: list[str] = []
        (folder / "outside.bin").write_bytes(bytes(64))
        for package in (optmem_gui.checkpoints, optmem_gui.architectures):
            for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
                importlib.import_module(module.name)
        for codec in _CODECS:
            codecs.lookup(codec)
        sys.addaudithook(self._audit)
        signal.signal(signal.SIGPROF, self._too_long)
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))

    def _too_long(self, number: int, frame: FrameType | None) -> None:
        raise HangError

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self._armed or (event not in _READING_ONLY and event not in _NEVER):
            return
        if event == "open":
            path, mode = arguments[0], arguments[1]
            inside = isinstance(path, (str, bytes)) and self._is_inside(path)
            if inside and not (mode and set(mode) & set("wax+")):
                return
        elif event in ("os.listdir", "os.scandir"):
            if self._is_inside(arguments[0]):
                return
        elif event == "import" and arguments[0] in sys.modules:
            return
        self._seen.append(f"{event} {arguments!r:.200}")

    def _is_inside(self, path: Any) -> bool:
        text = path.decode("utf-8", "surrogateescape") if isinstance(path, bytes) else str(path)
        parts = text.removeprefix(f"{self._inner}/")
        return text == str(self._inner) or (parts != text and ".." not in parts.split("/"))

    def run(self, seed: Seed, changed: dict[str, bytes], *, armed: bool = True) -> tuple[str, str]:
        """Open a seed with some of its files changed.

        ``armed`` is False for the first opening of a valid file, which loads tables of the program.

        Returns:
            What became of it in a word or two, for telling inputs apart, and what went wrong: empty, or an
            exception's traceback, ``hang``, ``memory`` or an event that must not be.
        """
        if self._seed is not seed:
            shutil.rmtree(self._inner, ignore_errors=True)
            for name, data in seed.files.items():
                path = self._inner / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            self._seed = seed
        for name, data in changed.items():
            (self._inner / name).write_bytes(data)
        path = self._inner if seed.opened == "." else self._inner / seed.opened
        self._seen.clear()
        start = time.perf_counter()
        used = time.process_time()
        outcome, problem = self._opened(path, armed)
        used = time.process_time() - used
        self.slowest_s = max(self.slowest_s, min(used, time.perf_counter() - start))
        for name in changed:
            (self._inner / name).write_bytes(seed.files[name])
        return outcome, problem or self._limits(used)

    def _opened(self, path: Path, armed: bool) -> tuple[str, str]:
        signal.setitimer(signal.ITIMER_PROF, self.limit_s)
        self._armed = armed
        try:
            outcome = _all_of(open_checkpoint(path))
        except UserError as error:
            text = str(error)
            outcome = error.code
            if "\n" in text or len(text) > 1000:
                return outcome, f"no short line: {text!r:.300}"
        except HangError:
            return "hang", f"hang: {traceback.format_exc(limit=-4)}"
        except (Exception, RecursionError, MemoryError):  # noqa: BLE001  # the point: nothing else may come out
            return "crash", traceback.format_exc(limit=-5)
        finally:
            self._armed = False
            signal.setitimer(signal.ITIMER_PROF, 0)
        return outcome, ""

    def _limits(self, used_s: float) -> str:
        peak = _peak_bytes()
        self.peak_bytes = max(self.peak_bytes, peak)
        if self._seen:
            return f"forbidden: {self._seen[0]}"
        if used_s >= self.limit_s:
            return f"hang: {used_s:.1f} s"
        if peak > PEAK_BYTES:
            gc.collect()
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forget the peak
            return f"memory: {peak >> 20} MiB"
        return ""


def _peak_bytes() -> int:
    """Largest resident size of this program; ``ru_maxrss`` would keep the size of the one that started it."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _all_of(checkpoint: Checkpoint) -> str:
    """Everything that is shown of it; the kinds of remarks tell inputs apart."""
    text = checkpoint_text(checkpoint)
    json.dumps(checkpoint_document(checkpoint), allow_nan=False)
    assert text
    assert checkpoint.spec.param_count == checkpoint.ref.param_count == checkpoint.param_count >= 0
    assert checkpoint.buffer_count >= 0
    assert checkpoint.tensor_bytes >= 0
    for reason in checkpoint.warnings:
        assert "\n" not in str(reason)
    keys = sorted({reason.key for reason in checkpoint.warnings})
    return " ".join((checkpoint.format, str(checkpoint.optimizer is not None), *keys))
