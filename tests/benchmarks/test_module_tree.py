"""Bars of looking inside a checkpoint of a hundred thousand tensors.

Run with ``python -m pytest tests/benchmarks/test_module_tree.py -s``.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from optmem_gui.core.model import Role
from optmem_gui.core.module_tree import ModuleTree, TensorKind
from optmem_gui.gui.panels.checkpoint_modules import ModulesView
from optmem_gui.gui.widgets.module_tree_model import SIZE

KIND = TensorKind("parameter", Role.EXPERT, (2048, 7168), "fp8_e4m3", "fp8_e4m3", 2048 * 7168, 2048 * 7168)
ROUNDS = 15


def tree_of(experts: int) -> ModuleTree:
    """61 layers of a mixture of experts; 546 experts give 99,918 tensors."""
    names = [
        f"model.layers.{layer}.mlp.experts.{expert}.{part}_proj.weight"
        for layer in range(61)
        for expert in range(experts)
        for part in ("gate", "up", "down")
    ]
    return ModuleTree(names, [0] * len(names), [KIND])


def seconds(work: Callable[[], object]) -> float:
    """Median of some rounds."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def test_a_hundred_thousand_tensors_are_as_quick_as_a_thousand(qtbot: QtBot) -> None:
    small, large = tree_of(6), tree_of(546)
    assert large.tensor_counts[0] == 99_918
    costs: list[list[float]] = []
    for tree in (small, large):
        view = ModulesView()
        qtbot.addWidget(view)
        view.resize(900, 640)
        view.show_tree(tree, "GiB")
        picture = QImage(view.size(), QImage.Format.Format_ARGB32_Premultiplied)

        def repaint(view: ModulesView = view, picture: QImage = picture) -> None:
            QApplication.processEvents()
            QWidget.render(view, picture)

        def open_and_sort(view: ModulesView = view, tree: ModuleTree = tree) -> None:
            view.tree.collapseAll()
            layers = tree.children(0)[0]
            experts = tree.children(layers)[30]
            view.tree.go_to(experts)
            view.tree.expand(view.tree.currentIndex())
            view.tree.sortByColumn(SIZE, Qt.SortOrder.DescendingOrder)
            view.tree.sortByColumn(-1, Qt.SortOrder.AscendingOrder)

        def search(view: ModulesView = view) -> None:
            view.search.setText("experts.5. up")
            view._search()
            view.search.clear()
            view._search()

        costs.append([seconds(work) for work in (repaint, open_and_sort, search)])
    for name, few, many in zip(("repaint", "open, sort", "search"), *costs, strict=True):
        print(f"\n{name}: 1,098 tensors {1e3 * few:.1f} ms, 99,918 {1e3 * many:.1f} ms")  # noqa: T201  # the figures
    assert costs[1][0] <= 1.5 * costs[0][0] + 1e-3  # what is on screen is as much either way
    assert costs[1][1] <= 0.1
    assert costs[1][2] <= 0.2


def test_the_treemap_of_a_hundred_thousand_tensors_is_arranged_at_once(qtbot: QtBot) -> None:
    view = ModulesView()
    qtbot.addWidget(view)
    view.resize(900, 640)
    view.show_tree(tree_of(546), "GiB")
    treemap = view.treemap
    treemap.resize(880, 300)
    arrange = seconds(treemap._arrange)
    print(f"\ntreemap: {len(treemap.tiles)} rectangles arranged in {1e3 * arrange:.1f} ms")  # noqa: T201  # the figure
    assert arrange <= 0.3
