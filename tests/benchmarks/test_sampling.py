"""Bars of sampling: even gaps at 1,000 a second, a plot of a minute of it, and what it costs the steps.

Run with ``python -m pytest tests/benchmarks/test_sampling.py -s`` on a machine with nothing else to do: two
of them are about when something happens, which on a busy one other programs decide.
"""

from __future__ import annotations

import dataclasses
import itertools
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
import torch
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from optmem_gui.core.protocol import Sample, decode
from optmem_gui.core.units import GIB
from optmem_gui.engine.child import Child
from optmem_gui.engine.worker_process import child_environment, sampler_launch
from optmem_gui.gui.widgets.measured_plot import MeasuredPlot
from tests.engine.nvml_standin import environment, needs_compiler

GPU = "GPU-bench"
RATE_HZ = 1000
FRAMES = 60
NEW = 33
"""Samples that come between two frames at 30 frames and 1,000 samples a second."""

MINUTE = tuple(
    Sample(
        number * 1_000_000,
        (40 + number % 7) * GIB,
        (30 + number // 10 % 5) * GIB if number % 10 == 0 else None,
        2 * GIB + number if number % 10 == 0 else None,
    )
    for number in range(60 * RATE_HZ)
)


class Sampling:
    """A sampler that runs against the stand-in of the driver, watching this process."""

    def __init__(self, script: Path, rate_hz: int) -> None:
        self.lines: list[bytes] = []
        self.child = Child("sampler", self._take)
        launch = sampler_launch(rate_hz)
        self.child.start(dataclasses.replace(launch, environment=child_environment(environment(script))))
        self.child.write(f"device {GPU}\nworker {psutil.Process().pid}\nready\n".encode())
        self._wait_for(1)
        self.process = psutil.Process(self.child.pid)

    def _take(self, line: bytes | None) -> None:
        if line is not None:
            self.lines.append(line)

    def _wait_for(self, count: int) -> None:
        until = time.monotonic() + 30
        while len(self.lines) < count and time.monotonic() < until:
            time.sleep(0.01)
        assert len(self.lines) >= count

    def cpu_seconds(self) -> float:
        """Time on the processor so far."""
        used = self.process.cpu_times()
        return used.user + used.system

    def clocks(self) -> list[int]:
        """When each sample with a device's figure was taken."""
        messages = [decode(line) for line in self.lines]
        return [m.clock_ns for m in messages if isinstance(m, Sample) and m.device_used_bytes is not None]


@pytest.fixture
def sampling(tmp_path: Path) -> Iterator[Callable[[int], Sampling]]:
    script = tmp_path / "script"
    own = psutil.Process().pid
    lines = (f"gpu {GPU} {80 * GIB} {GIB // 2} {2 * GIB} NVIDIA H100", f"process 0 {own} {GIB}", "grow 4096")
    script.write_text("\n".join(lines) + "\n")
    started: list[Sampling] = []

    def start(rate_hz: int) -> Sampling:
        started.append(Sampling(script, rate_hz))
        return started[-1]

    yield start
    for one in started:
        one.child.stop(2.0)


def plot(qtbot: QtBot) -> MeasuredPlot:
    made = MeasuredPlot()
    qtbot.addWidget(made)
    made.resize(900, 320)
    return made


@needs_compiler
def test_gaps_stay_even_at_a_thousand_a_second_while_the_window_redraws(
    qtbot: QtBot, sampling: Callable[[int], Sampling]
) -> None:
    busy = plot(qtbot)
    picture = QImage(busy.size(), QImage.Format.Format_ARGB32_Premultiplied)
    running = sampling(RATE_HZ)
    first, used, start = len(running.lines), running.cpu_seconds(), time.monotonic()
    frames = 0
    while time.monotonic() - start < 10:
        busy.show_samples(MINUTE[: len(MINUTE) - NEW * (300 - frames % 300)], 80 * GIB, "GiB")
        QApplication.processEvents()
        QWidget.render(busy, picture)
        frames += 1
        time.sleep(max(0.0, start + frames / 30 - time.monotonic()))  # 30 a second, as samples are shown
    seconds = time.monotonic() - start
    share = (running.cpu_seconds() - used) / seconds
    clocks = running.clocks()[first:]
    gaps = [later - earlier for earlier, later in itertools.pairwise(clocks)]
    even = sum(gap <= 2 * 10**9 // RATE_HZ for gap in gaps) / len(gaps)
    print(  # noqa: T201  # the figures
        f"\n{len(clocks) / seconds:.0f} samples a second, {even:.2%} of the gaps within two periods, "
        f"{share:.1%} of a core, {frames / seconds:.0f} frames a second"
    )
    assert even >= 0.99
    assert share <= 0.10


def test_a_minute_at_a_thousand_a_second_redraws_within_three_empty_plots(qtbot: QtBot) -> None:
    """The empty plot has the same axes, which move with the run as the full one's do."""
    full, empty = plot(qtbot), plot(qtbot)
    picture = QImage(full.size(), QImage.Format.Format_ARGB32_Premultiplied)
    parts = [MINUTE[: len(MINUTE) - NEW * (FRAMES - number)] for number in range(FRAMES)]
    spent: dict[str, list[float]] = {"empty": [], "full": []}
    for part in parts:
        start = time.process_time()
        empty.set_scale(80 * GIB, "GiB")
        empty.box.setXRange(0, part[-1].clock_ns / 1e9, padding=0.01)
        empty._fit_range()
        QApplication.processEvents()
        QWidget.render(empty, picture)
        between = time.process_time()
        full.show_samples(part, 80 * GIB, "GiB")
        QApplication.processEvents()
        QWidget.render(full, picture)
        spent["empty"].append(between - start)
        spent["full"].append(time.process_time() - between)
    without, with_data = (statistics.median(spent[name]) for name in ("empty", "full"))
    print(f"\nempty {1e3 * without:.1f} ms, a minute {1e3 * with_data:.1f} ms: {with_data / without:.2f} x")  # noqa: T201  # what a script prints
    assert with_data <= 3 * without


@needs_compiler
def test_the_step_is_at_most_three_per_cent_slower_with_sampling(sampling: Callable[[int], Sampling]) -> None:
    """Steps of some milliseconds on one thread, with the default rate and without, in turn."""
    torch.set_num_threads(1)
    model = torch.nn.Sequential(*(torch.nn.Linear(512, 512) for _ in range(6)))
    optimizer = torch.optim.AdamW(model.parameters())
    batch = torch.randn(256, 512)

    def step() -> float:
        start = time.perf_counter()
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()
        return time.perf_counter() - start

    running = sampling(100)
    for _ in range(20):
        step()
    spent: dict[bool, list[float]] = {True: [], False: []}
    for number in range(60):
        sampled = number % 2 == 0
        (running.process.resume if sampled else running.process.suspend)()
        spent[sampled] += [step() for _ in range(10)]
    running.process.resume()
    with_it, without = (statistics.median(spent[sampled]) for sampled in (True, False))
    print(f"\nwithout {1e3 * without:.2f} ms, sampled {1e3 * with_it:.2f} ms: {with_it / without - 1:+.2%}")  # noqa: T201  # what a script prints
    assert with_it <= 1.03 * without
