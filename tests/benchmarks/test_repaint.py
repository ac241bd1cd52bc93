"""Bars of an edit: from the changed number to the painted panels.

Run with ``python -m pytest tests/benchmarks/test_repaint.py -s``. What is compared runs by turns in one
process, and what counts is the time that processors spent on it, so that another load changes neither.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import replace

import psutil
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from optmem_gui.core.dtypes import BF16
from optmem_gui.core.estimate import compute
from optmem_gui.core.model import ModelRef, ModelSpec, ParameterTensor, Role, Source, group_model
from optmem_gui.core.protocol import Sample
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine.gpu_table import load_gpus
from optmem_gui.gui.panels.breakdown import BreakdownPanel
from optmem_gui.gui.panels.headline import HeadlinePanel
from optmem_gui.gui.panels.timeline import TimelinePanel
from optmem_gui.gui.snapshot import MeasurementState, MeasureStage, Snapshot
from tests.gui.result_samples import snapshot

ROUNDS = 60
TURNS = 6
"""How often two things that are compared take turns, each with its share of the rounds."""
GPU = load_gpus()["h100-80gb"]


class Centre(QWidget):
    """Headline with its bar, table and timeline, as large as in the window."""

    def __init__(self) -> None:
        super().__init__()
        self.panels = (HeadlinePanel(), BreakdownPanel(), TimelinePanel())
        layout = QVBoxLayout(self)
        for panel in self.panels:
            layout.addWidget(panel)
        self.panels[2].estimated.setMinimumHeight(120)  # asking for the plot makes it
        self.resize(1000, 760)
        self.picture = QImage(self.size(), QImage.Format.Format_ARGB32_Premultiplied)

    def show_snapshot(self, shown: Snapshot) -> None:
        """Render and paint everything, layout included."""
        for panel in self.panels:
            panel.render(shown)
        QApplication.processEvents()
        QWidget.render(self, self.picture)


@pytest.fixture
def centre(qtbot: QtBot) -> Centre:
    made = Centre()
    qtbot.addWidget(made)
    return made


def _computed(scenario: Scenario) -> Snapshot:
    return replace(snapshot(compute(scenario, GPU), gpu=GPU), scenario=scenario)


Work = Callable[[int], None]
"""One round; it is given its number, so that it can change something."""


def _seconds(work: Work) -> float:
    """Time by the clock, median of many rounds."""
    return statistics.median(_times(work, ROUNDS, time.perf_counter))


def _by_turns(one: Work, other: Work) -> tuple[float, float]:
    """Processor time of each of two, median of many rounds."""
    ones, others = [], []
    for _turn in range(TURNS):
        ones += _times(one, ROUNDS // TURNS, time.process_time)
        others += _times(other, ROUNDS // TURNS, time.process_time)
    return statistics.median(ones), statistics.median(others)


def _times(work: Work, rounds: int, clock: Callable[[], float]) -> list[float]:
    for number in range(6):
        work(number)
    times = []
    for number in range(rounds):
        start = clock()
        work(number)
        times.append(clock() - start)
    return times


def _edit(centre: Centre, scenario: Scenario) -> Work:
    """An edit as the store makes it: a new scenario, computed and shown."""

    schemes = [replace(scenario, precision=name) for name in ("bf16", "bf16-master")]

    def work(number: int) -> None:
        centre.show_snapshot(_computed(schemes[number % 2]))

    return work


def test_an_edit_costs_at_most_three_repaints(centre: Centre) -> None:
    scenario = Scenario(synthetic_ref(7_000_000_000), gpu=GPU.id, batch=1, sequence=1024)
    models = [replace(scenario, model=synthetic_ref(count)) for count in (7 * 10**9, 3 * 10**9)]
    still = _computed(scenario)
    unchanged, edited = _by_turns(
        lambda _number: centre.show_snapshot(still),
        lambda number: centre.show_snapshot(_computed(models[number % 2])),
    )
    print(f"\nunchanged {1e3 * unchanged:.1f} ms, edit {1e3 * edited:.1f} ms: {edited / unchanged:.2f} x")  # noqa: T201  # the figures
    assert edited <= 3 * unchanged


def _model(tensors: int) -> ModelRef:
    """A checkpoint of this many tensors in the shapes of a mixture of experts."""
    shapes = ((1024, 4096), (4096, 1024), (1024, 1024), (1024,))
    rows = tuple(
        ParameterTensor(f"layers.{number // 4}.part{number % 4}.weight", shapes[number % 4], BF16, Role.OTHER)
        for number in range(tensors)
    )
    return group_model(ModelSpec("bench", Source.FILE, rows))


def test_a_thousand_times_the_tensors_costs_the_same(centre: Centre) -> None:
    few = Scenario(_model(100), gpu=GPU.id)
    many = Scenario(_model(100_000), gpu=GPU.id)
    short, long = _by_turns(_edit(centre, few), _edit(centre, many))
    print(f"\n100 tensors {1e3 * short:.1f} ms, 100,000 tensors {1e3 * long:.1f} ms: {long / short:.2f} x")  # noqa: T201  # the figures
    assert long <= 1.5 * short


def test_a_thousand_repaints_leave_memory_flat(centre: Centre) -> None:
    shown = [
        _computed(Scenario(synthetic_ref(count), gpu=GPU.id, batch=1, sequence=1024))
        for count in (10**9, 7 * 10**9)
    ]
    for number in range(200):
        centre.show_snapshot(shown[number % 2])
    before = psutil.Process().memory_info().rss
    for number in range(1000):
        centre.show_snapshot(shown[number % 2])
    grown = psutil.Process().memory_info().rss - before
    print(f"\n1,000 repaints: {grown / (1 << 20):+.2f} MiB")  # noqa: T201  # the figures
    assert grown < 4 << 20


def _live(panel: TimelinePanel, samples: tuple[Sample, ...], picture: QImage) -> Work:
    """One batch of a running measurement, as it is shown 30 times a second."""
    base = _computed(Scenario(synthetic_ref(10**9), gpu=GPU.id))

    def work(number: int) -> None:
        # Each batch is a new tuple, one sample longer than the one before.
        so_far = samples[: len(samples) - ROUNDS + number]
        state = MeasurementState(MeasureStage.RUNNING, "cuda:0", samples=so_far, breakdown=base.breakdown)
        panel.render(replace(base, measurement=state))
        QApplication.processEvents()
        QWidget.render(panel, picture)

    return work


def test_a_minute_at_100_hz_stays_smooth(qtbot: QtBot) -> None:
    panel = TimelinePanel()
    qtbot.addWidget(panel)
    panel.resize(900, 320)
    picture = QImage(panel.size(), QImage.Format.Format_ARGB32_Premultiplied)
    samples = tuple(
        Sample(index * 10_000_000, (40 + index % 7) << 30, (30 + index % 5) << 30) for index in range(6000)
    )
    first = _seconds(_live(panel, samples[: 100 + ROUNDS], picture))
    minute = _seconds(_live(panel, samples, picture))
    print(f"\n1 s {1e3 * first:.1f} ms, 60 s {1e3 * minute:.1f} ms a frame: {minute / first:.2f} x")  # noqa: T201  # the figures
    assert minute <= 1 / 30  # as often as samples arrive
