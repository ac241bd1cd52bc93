"""The breakdown table: figures, reasons, what is not counted, and what the clipboard gets."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from optmem_gui.core.breakdown import COMPONENT_IDS, Detail
from optmem_gui.core.reasons import Reason
from optmem_gui.gui.i18n import Translators
from optmem_gui.gui.panels.breakdown import BreakdownPanel
from optmem_gui.gui.widgets.breakdown_model import BreakdownModel, Column
from tests.gui.result_samples import breakdown, snapshot

ROW = {name: row for row, name in enumerate(COMPONENT_IDS)}
PEAK_ROW = len(COMPONENT_IDS)


@pytest.fixture
def panel(qtbot: QtBot) -> BreakdownPanel:
    made = BreakdownPanel()
    qtbot.addWidget(made)
    made.resize(700, 500)
    return made


def _cells(model: BreakdownModel, row: int) -> list[str]:
    return [str(model.index(row, column).data()) for column in Column]


def test_model_keeps_qts_contract(qtmodeltester: ModelTester) -> None:
    model = BreakdownModel()
    model.show_breakdown(breakdown(), "GiB")
    qtmodeltester.check(model)


def test_row_of_a_component(panel: BreakdownPanel) -> None:
    """7e9 x 4 B = 28e9 B = 26.08 GiB; of a peak of 70e9 B that is 40 %."""
    panel.render(snapshot())
    cells = _cells(panel.model, ROW["optimizer_state"])
    assert cells[:7] == ["Optimizer state", "bf16", "4", "26.08", "0", "26.08", "40.0 %"]
    assert cells[7].startswith("7,000,000,000 parameters")
    assert panel.model.headerData(Column.SIZE, Qt.Orientation.Horizontal) == "GiB"


def test_parts_add_up_to_the_row_of_the_peak(panel: BreakdownPanel) -> None:
    result = breakdown()
    panel.render(snapshot(result))
    assert _cells(panel.model, PEAK_ROW)[:7] == ["Peak", "", "10", "", "0", "65.19", "100 %"]
    assert sum(row.at_peak for row in result.components) == result.peak_bytes


def test_what_is_not_counted_is_said_never_zero(panel: BreakdownPanel) -> None:
    panel.render(snapshot())
    cells = _cells(panel.model, ROW["activations"])
    assert cells[Column.SIZE] == "not counted"
    assert cells[Column.PER_PARAMETER] == ""
    panel.render(snapshot(breakdown(activations=0)))
    assert _cells(panel.model, ROW["activations"])[Column.SIZE] == "0"


@pytest.mark.parametrize(
    ("count", "unit", "header", "weights"),
    [
        (10, "GiB", "B", "20"),
        (10**6, "GiB", "MiB", "1.91"),
        (10**6, "GB", "MB", "2.00"),
        (10**18, "GiB", "TiB", "1,818,989"),
    ],
)
def test_column_takes_the_unit_that_suits_the_peak(
    panel: BreakdownPanel, count: int, unit: str, header: str, weights: str
) -> None:
    panel.render(snapshot(breakdown(count), unit=unit))
    assert panel.model.headerData(Column.SIZE, Qt.Orientation.Horizontal) == header
    assert _cells(panel.model, ROW["weights"])[Column.SIZE] == weights


def test_what_is_there_is_never_rounded_to_nothing(panel: BreakdownPanel) -> None:
    panel.render(snapshot(breakdown(activations=1)))
    assert _cells(panel.model, ROW["activations"])[Column.SIZE] == "<0.01"


def test_columns_are_as_wide_as_their_widest_text(panel: BreakdownPanel, qapp: QApplication) -> None:
    """Three Chinese letters take more room than five digits."""
    translators = Translators(qapp)
    translators.set_language("zh_CN")
    try:
        panel.retranslate()
        for result in (breakdown(activations=0), breakdown()):
            panel.render(snapshot(result))
            panel.grab()
        assert _cells(panel.model, ROW["activations"])[Column.SIZE] == "未计入"
        assert panel.table.columnWidth(Column.SIZE) >= panel.table.sizeHintForColumn(Column.SIZE)
    finally:
        translators.set_language("en")


def test_details_of_the_selected_row(panel: BreakdownPanel) -> None:
    result = breakdown(host_bytes=1204)
    state = replace(
        result.component("optimizer_state"), details=(Detail(512, Reason("detail.gradient_copy")),)
    )
    rows = tuple(state if row.id == state.id else row for row in result.components)
    panel.render(snapshot(replace(result, components=rows)))
    panel.table.selectRow(ROW["optimizer_state"])
    text = panel.details.toPlainText()
    assert "28,000,000,000 bytes" in text
    assert "host memory (1,204 bytes)" in text
    assert "512 B: fp32 copy of the 16-bit gradients" in text


def test_without_a_selection_the_assumptions_stand_there(panel: BreakdownPanel) -> None:
    panel.render(snapshot())
    text = panel.details.toPlainText()
    assert "A steady step is meant" in text
    assert "Check:" in text


def test_selection_stays_while_figures_change(panel: BreakdownPanel) -> None:
    panel.render(snapshot())
    panel.table.selectRow(ROW["gradients"])
    panel.render(snapshot(breakdown(3_000_000_000)))
    assert [index.row() for index in panel.table.selectionModel().selectedRows()] == [ROW["gradients"]]
    assert "6,000,000,000 bytes" in panel.details.toPlainText()


def test_empty_rows_give_way_where_there_is_no_room(panel: BreakdownPanel) -> None:
    panel.render(snapshot())
    panel.resize(700, 260)
    panel.grab()
    assert panel.table.isRowHidden(ROW["buffers"])
    assert not panel.table.isRowHidden(ROW["activations"])  # not counted is not empty
    assert not panel.table.isRowHidden(PEAK_ROW)
    assert "empty rows hidden" in panel.note.toolTip()
    panel.resize(700, 900)
    panel.grab()
    assert not panel.table.isRowHidden(ROW["buffers"])


def test_copy_is_sheet_page_and_markdown_at_once(panel: BreakdownPanel) -> None:
    panel.render(snapshot())
    panel.table.selectRow(ROW["weights"])
    QTest.keyClick(panel.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    data = QGuiApplication.clipboard().mimeData()
    lines = data.text().splitlines()
    assert len(lines) == 2
    assert lines[1].split("\t")[-2:] == ["14000000000", "14000000000"]
    assert "<td>Weights</td>" in data.html()
    markdown = bytes(data.data("text/markdown").data()).decode()
    assert markdown.splitlines()[1].startswith("| --- | --- | ---: |")


def test_copy_is_offered_by_the_context_menu(panel: BreakdownPanel) -> None:
    panel.render(snapshot())
    action = next(each for each in panel.table.actions() if each.text().startswith("Copy rows\t"))
    QGuiApplication.clipboard().clear()
    action.trigger()
    assert "14000000000" in QGuiApplication.clipboard().mimeData().text()


def test_copy_without_a_selection_takes_every_row(panel: BreakdownPanel) -> None:
    panel.render(snapshot())
    panel.copy_table()
    assert len(QGuiApplication.clipboard().mimeData().text().splitlines()) == len(COMPONENT_IDS) + 2


def test_a_screen_reader_hears_the_column_with_the_number(panel: BreakdownPanel) -> None:
    panel.render(snapshot())
    index = panel.model.index(ROW["weights"], Column.PER_PARAMETER)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "B/param 2"
    assert panel.table.accessibleName()


def test_exact_bytes_in_the_tooltip(panel: BreakdownPanel) -> None:
    panel.render(snapshot())
    tip = panel.model.index(ROW["weights"], Column.SIZE).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == "13.0 GiB, 14,000,000,000 bytes"
