"""The comparison: order, filter, verdicts, and the choice of an optimizer by mouse and keyboard."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from optmem_gui.core.optimizer_rows import OptimizerRow
from optmem_gui.core.reasons import Reason
from optmem_gui.gui.panels.comparison import ComparisonPanel
from optmem_gui.gui.widgets.comparison_model import Column, ComparisonModel
from tests.gui.result_samples import comparison, snapshot


@pytest.fixture
def panel(qtbot: QtBot) -> ComparisonPanel:
    made = ComparisonPanel()
    qtbot.addWidget(made)
    made.resize(700, 400)
    made.render(snapshot(comparison=comparison(), comparison_complete=True))
    return made


def _names(panel: ComparisonPanel) -> list[str]:
    return [str(panel.order.index(row, 0).data()) for row in range(panel.order.rowCount())]


def _cell(panel: ComparisonPanel, optimizer: str, column: Column) -> str:
    return str(panel.order.index(_names(panel).index(optimizer), column).data())


def test_model_keeps_qts_contract(qtmodeltester: ModelTester) -> None:
    model = ComparisonModel()
    model.show_rows(comparison(), "torch.AdamW", 80 << 30, "GiB")
    qtmodeltester.check(model)


def test_sorted_by_peak_and_what_cannot_run_last(panel: ComparisonPanel) -> None:
    assert _names(panel) == ["torch.SGD", "torch.RMSprop", "torch.AdamW", "torch.LBFGS", "torch.SparseAdam"]


def test_sizes_beyond_64_bits_are_ordered(panel: ComparisonPanel) -> None:
    """Qt compares 64-bit numbers; 2^70 and 2^71 are equal to it."""
    rows = (
        OptimizerRow("torch.B", 0, 0, 1 << 71, "backward", None),
        OptimizerRow("torch.A", 0, 0, 1 << 70, "backward", None),
    )
    panel.render(snapshot(comparison=rows))
    assert _names(panel) == ["torch.A", "torch.B"]
    panel.table.sortByColumn(Column.PEAK, Qt.SortOrder.DescendingOrder)
    assert _names(panel) == ["torch.B", "torch.A"]


def test_each_row_is_set_against_the_present_choice(panel: ComparisonPanel) -> None:
    """AdamW takes 10 B a parameter, SGD 4: 6 x 7e9 B = 39.1 GiB less."""
    assert _cell(panel, "torch.SGD", Column.RELATIVE) == "-39.1 GiB"
    assert _cell(panel, "torch.AdamW", Column.RELATIVE) == "chosen"
    assert _cell(panel, "torch.SGD", Column.STATE) == "0 B"
    assert _cell(panel, "torch.AdamW", Column.PEAK) == "65.2 GiB"


def test_verdict_is_a_word(panel: ComparisonPanel) -> None:
    assert _cell(panel, "torch.SGD", Column.FITS) == "yes"
    assert _cell(panel, "torch.LBFGS", Column.FITS) == "no"
    assert _cell(panel, "torch.SparseAdam", Column.FITS) == "cannot run"


def test_filter_takes_any_part_of_a_name(panel: ComparisonPanel) -> None:
    QTest.keyClicks(panel.filter, "adam")
    assert _names(panel) == ["torch.AdamW", "torch.SparseAdam"]
    panel.filter.clear()
    assert len(_names(panel)) == 5


def test_enter_and_double_click_choose(panel: ComparisonPanel, qtbot: QtBot) -> None:
    asked: list[object] = []
    panel.chosen.connect(asked.append)
    QTest.keyClick(panel.filter, Qt.Key.Key_Down)
    QTest.keyClick(panel.table, Qt.Key.Key_Return)
    QTest.keyClick(panel.table, Qt.Key.Key_Down)
    QTest.keyClick(panel.table, Qt.Key.Key_Enter)
    assert asked == ["torch.SGD", "torch.RMSprop"]
    with qtbot.waitSignal(panel.chosen) as heard:
        panel.table.doubleClicked.emit(panel.order.index(3, Column.FITS))
    assert heard.args == ["torch.LBFGS"]


def test_what_cannot_run_cannot_be_chosen_and_says_why(panel: ComparisonPanel) -> None:
    asked: list[object] = []
    panel.chosen.connect(asked.append)
    panel.table.selectRow(4)
    QTest.keyClick(panel.table, Qt.Key.Key_Return)
    assert asked == []
    tip = panel.order.index(4, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert tip.startswith("torch.SparseAdam: Pure fp16")


def test_figures_change_under_the_selection(panel: ComparisonPanel) -> None:
    panel.table.selectRow(1)
    doubled = tuple(replace(row, peak_bytes=2 * row.peak_bytes) for row in comparison())
    panel.render(snapshot(comparison=doubled))
    chosen = [index.row() for index in panel.table.selectionModel().selectedRows()]
    assert [_names(panel)[row] for row in chosen] == ["torch.RMSprop"]


def test_copy_keeps_the_order_on_screen_and_exact_bytes(panel: ComparisonPanel) -> None:
    panel.copy_table()
    lines = [line.split("\t") for line in QGuiApplication.clipboard().mimeData().text().splitlines()]
    assert [line[0] for line in lines[1:]] == _names(panel)
    assert lines[1][-3:] == ["0", "0", "28000000000"]


def test_one_giant_does_not_flatten_the_other_bars() -> None:
    """LBFGS takes 412 B a parameter, AdamW 10; on one scale AdamW's bar would be 2 % long."""
    model = ComparisonModel()
    model.show_rows(comparison(), "torch.AdamW", None, "GiB")
    assert model.longest_bytes <= 3 * 10 * 7_000_000_000


def test_a_capacity_far_away_does_not_flatten_the_bars_either() -> None:
    """Of 80 GiB, a model of 28 to 70 MB would show as lines of a pixel."""
    rows = tuple(replace(row, peak_bytes=row.peak_bytes // 1000) for row in comparison())
    model = ComparisonModel()
    model.show_rows(rows, "torch.AdamW", 80 << 30, "GiB")
    assert model.longest_bytes <= 3 * 70_000_000


@pytest.mark.parametrize("usable", [None, 1, 80 << 30, 10**24])
def test_bars_paint_at_any_capacity(panel: ComparisonPanel, usable: int | None) -> None:
    refused = OptimizerRow("torch.X", 0, 0, 0, "", None, Reason("warn.pure_fp16"))
    for rows in (comparison(), (refused,), ()):
        panel.model.show_rows(rows, "torch.AdamW", usable, "GB")
        assert not panel.grab().isNull()


def test_inputs_have_names_for_screen_readers(panel: ComparisonPanel) -> None:
    assert panel.filter.accessibleName()
    assert panel.table.accessibleName()
