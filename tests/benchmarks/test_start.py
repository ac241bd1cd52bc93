"""Bar of the start: from the process to a first painted window that takes input.

The program shows its figures first; pyqtgraph, which only the timeline needs, is loaded after that paint.

Run with ``python -m pytest tests/benchmarks/test_start.py -s``. Both programs are started in turn and their
best times compared, so that another load on the machine hits both alike. Beside the time stands the time that
processors spent, which other load lengthens less.

Python runs from compiled files here, as it does where a package is installed or bundled: an environment that
forbids to write them would have the program compile all its files at every start, and the bare window none.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

ROUNDS = 7

BARE = """
import sys
from PySide6.QtWidgets import QApplication, QMainWindow
import pyqtgraph
app = QApplication(sys.argv)
window = QMainWindow()
plot = pyqtgraph.PlotWidget()
plot.plot([0, 1, 2], [0, 1, 0])
window.setCentralWidget(plot)
window.resize(1280, 800)
window.show()
app.processEvents()
window.grab()
print("ready", flush=True)
"""
"""A window with one plot and nothing else: what any program of this kind has to pay."""


@dataclass(frozen=True, slots=True)
class Start:
    """What a start took until the window was painted.

    Attributes:
        seconds: By the clock.
        processor_seconds: By the processors, which leaves out what other load took; the end of the process,
            which follows at once, is in it.
    """

    seconds: float
    processor_seconds: float


def start_of(command: list[str], compiled: Path) -> Start:
    """Start a program and wait until it says that its window is painted.

    Args:
        command: What to run.
        compiled: Folder for compiled files, filled by the first start.
    """
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPYCACHEPREFIX": str(compiled)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = _spent_by_children()
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        seconds = time.perf_counter() - start
        process.stdout.read()
    assert line.strip() == "ready"
    assert process.returncode == 0
    return Start(seconds, _spent_by_children() - before)


def _spent_by_children() -> float:
    """Processor time of every child that has ended; Windows does not keep it, and says 0."""
    times = psutil.Process().cpu_times()
    return float(getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0))


def test_the_window_is_there_about_as_soon_as_a_bare_one(tmp_path: Path) -> None:
    bare = [sys.executable, "-c", BARE]
    program = [sys.executable, "-m", "optmem_gui", "--smoke"]
    for command in (bare, program):
        start_of(command, tmp_path)  # the first start also fills caches of files and fonts
    pairs = [(start_of(bare, tmp_path), start_of(program, tmp_path)) for _ in range(ROUNDS)]
    bares, programs = zip(*pairs, strict=True)
    fastest_bare, fastest = (min(start.seconds for start in starts) for starts in (bares, programs))
    least_bare, least = (min(start.processor_seconds for start in starts) for starts in (bares, programs))
    ratio = fastest / fastest_bare
    print(  # noqa: T201  # the figures
        f"\nbare window {fastest_bare:.3f} s, program {fastest:.3f} s: {ratio:.2f} x;"
        f" processor {least_bare:.3f} s, {least:.3f} s"
    )
    assert ratio <= 1.5
