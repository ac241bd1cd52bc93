"""Bar of the start: from the process to a first painted window that takes input.

The program shows its figures first; pyqtgraph, which only the timeline needs, is loaded after that paint.

Run with ``python -m pytest tests/benchmarks/test_start.py -s``. Both programs are started in turn and their
best times compared, so that another load on the machine hits both alike.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

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


def seconds_to_ready(command: list[str]) -> float:
    """Time until the process says that its window is painted."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        seconds = time.perf_counter() - start
        process.stdout.read()
    assert line.strip() == "ready"
    assert process.returncode == 0
    return seconds


def test_the_window_is_there_about_as_soon_as_a_bare_one() -> None:
    bare = [sys.executable, "-c", BARE]
    program = [sys.executable, "-m", "optmem_gui", "--smoke"]
    for command in (bare, program):
        seconds_to_ready(command)  # the first start also fills caches of files and fonts
    pairs = [(seconds_to_ready(bare), seconds_to_ready(program)) for _ in range(ROUNDS)]
    fastest_bare, fastest = (min(times) for times in zip(*pairs, strict=True))
    ratio = fastest / fastest_bare
    print(f"\nbare window {fastest_bare:.3f} s, program {fastest:.3f} s: {ratio:.2f} x")  # noqa: T201  # the figures
    assert ratio <= 1.5
