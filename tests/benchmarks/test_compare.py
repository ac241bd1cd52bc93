"""Bar of the comparison: it costs the number of distinct tensors, not the number of tensors.

Run with ``python -m pytest tests/benchmarks/test_compare.py -s``. Both models are timed in turn in one
process and compared as a ratio, so that another load on the machine hits both alike.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from optmem_gui.core.dtypes import BF16
from optmem_gui.core.model import ModelRef, ModelSpec, ParameterTensor, Role, Source, group_model
from optmem_gui.core.optimizer_rows import OptimizerRow, optimizer_rows
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.scenario import Scenario
from optmem_gui.engine.gpu_table import load_gpus
from optmem_gui.gui.panels.comparison import ComparisonPanel
from optmem_gui.gui.store import SLICE_SECONDS
from tests.gui.result_samples import snapshot

GPU = load_gpus()["h100-80gb"]
SHAPES = ((4096, 1024), (1024, 4096), (1024, 1024), (256, 1024), (1024,), (32000, 1024), (64, 3, 3, 3))
ROUNDS = 9


def _model(tensors: int) -> ModelRef:
    """So many tensors of the same seven shapes, as a mixture of experts has them."""
    kinds = len(SHAPES)
    rows = tuple(
        ParameterTensor(f"layers.{at // kinds}.part{at % kinds}.weight", SHAPES[at % kinds], BF16, Role.OTHER)
        for at in range(tensors)
    )
    return group_model(ModelSpec("bench", Source.FILE, rows))


def _rows(scenario: Scenario) -> tuple[OptimizerRow, ...]:
    return tuple(optimizer_rows(scenario, GPU, tuple(CATALOGUE)))


def _in_turn(*works: Callable[[], object]) -> list[float]:
    """Median seconds of each, after one round to warm up."""
    times: list[list[float]] = [[] for _ in works]
    for number in range(ROUNDS + 1):
        for work, taken in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            if number:
                taken.append(time.perf_counter() - start)
    return [statistics.median(taken) for taken in times]


def test_a_hundred_times_the_tensors_cost_the_same() -> None:
    few, many = Scenario(_model(1_000), gpu=GPU.id), Scenario(_model(100_000), gpu=GPU.id)
    short, long = _in_turn(lambda: _rows(few), lambda: _rows(many))
    print(  # noqa: T201  # the figures
        f"\n{len(CATALOGUE)} optimizers: 1,000 tensors {1e3 * short:.1f} ms, 100,000 tensors "
        f"{1e3 * long:.1f} ms: {long / short:.2f} x"
    )
    assert long <= 1.5 * short


def test_no_row_holds_the_window_for_long() -> None:
    """A slice of the comparison ends after the row in which its time is up."""
    scenario = Scenario(_model(100_000), gpu=GPU.id)
    best: dict[str, float] = {}
    for _ in range(ROUNDS):
        last = time.perf_counter()
        for row in optimizer_rows(scenario, GPU, tuple(CATALOGUE)):
            now = time.perf_counter()
            best[row.optimizer] = min(best.get(row.optimizer, 1.0), now - last)
            last = now
    slowest = max(best, key=lambda optimizer: best[optimizer])
    print(f"\nlongest row: {slowest}, {1e3 * best[slowest]:.2f} ms")  # noqa: T201  # the figure
    assert best[slowest] <= SLICE_SECONDS


def test_showing_the_rows_costs_less_than_two_frames(qtbot: QtBot) -> None:
    panel = ComparisonPanel()
    qtbot.addWidget(panel)
    panel.resize(500, 300)
    picture = QImage(panel.size(), QImage.Format.Format_ARGB32_Premultiplied)
    shown = [snapshot(comparison=_rows(Scenario(_model(count), gpu=GPU.id))) for count in (1_000, 2_000)]

    def show(number: int) -> None:
        panel.render(shown[number])
        QApplication.processEvents()
        QWidget.render(panel, picture)

    one, other = _in_turn(lambda: show(0), lambda: show(1))
    print(f"\nrows shown and painted in {1e3 * max(one, other):.1f} ms")  # noqa: T201  # the figure
    assert min(one, other) <= 2 / 60
