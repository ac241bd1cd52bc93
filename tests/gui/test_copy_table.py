"""Columns of tables of figures: what a row is about stays readable, however narrow the view."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from optmem_gui.gui.widgets.copy_table import CopyTable
from optmem_gui.gui.widgets.text_table import Heads, TextRow, TextTableModel

NAME = "Optimizer state"


@pytest.mark.parametrize("width", [200, 360, 1200])
def test_the_first_column_is_readable(qtbot: QtBot, width: int) -> None:
    table, model = CopyTable(), TextTableModel()
    qtbot.addWidget(table)
    table.setModel(model)
    cells = ("Component", *(f"{name}, GiB" for name in ("estimated", "simulated", "measured")), "error")
    model.show_rows(Heads(cells), (TextRow((NAME, "29.92", "29.93", "29.95", "-0.1 %")),))
    table.fit_numbers(4)
    table.show()
    table.resize(width, 200)
    QApplication.processEvents()
    first, room = table.columnWidth(0), table.viewport().width()
    assert first >= min(table.sizeHintForColumn(0), room // 3)
    if width == 1200:
        assert sum(table.columnWidth(column) for column in range(5)) == room
    narrower = first
    table.resize(width // 2, 200)
    QApplication.processEvents()
    assert table.columnWidth(0) <= narrower
    table.resize(width, 200)
    QApplication.processEvents()
    assert table.columnWidth(0) == narrower
