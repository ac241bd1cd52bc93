"""The comparison is narrowed down by words, library, family and proof; another runtime has its state only."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from optmem_gui.core.optimizer_rows import OptimizerRow, optimizer_rows
from optmem_gui.core.optimizers import catalogue
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.gui.panels.comparison import ComparisonPanel
from optmem_gui.gui.widgets.comparison_model import OF_THE_STEP, ROW_ROLE, Column
from optmem_gui.gui.widgets.comparison_order import ComparisonFilter
from tests.gui.result_samples import snapshot

TORCH = tuple(name for name in CATALOGUE if name.startswith("torch."))


@pytest.fixture
def entries(monkeypatch: pytest.MonkeyPatch) -> dict[str, Implementation]:
    """The catalogue with entries of a library that nobody proved, one of them in another runtime."""
    adam = CATALOGUE["torch.Adam"]
    others = (
        replace(adam, id="foreign.Adam", path="foreign.optimizers.Adam", runtime="jax", proven=""),
        replace(
            adam, id="foreign.Lamb", path="foreign.Lamb", family="lamb", proven="", aliases=("layerwise",)
        ),
    )
    known = {name: CATALOGUE[name] for name in TORCH} | {entry.id: entry for entry in others}
    for name in list(CATALOGUE):
        monkeypatch.delitem(CATALOGUE, name)
    for name, entry in known.items():
        monkeypatch.setitem(CATALOGUE, name, entry)
        monkeypatch.setitem(catalogue.ALIASES, name.lower(), name)
    return known


@pytest.fixture
def panel(qtbot: QtBot, entries: dict[str, Implementation]) -> ComparisonPanel:
    made = ComparisonPanel()
    qtbot.addWidget(made)
    made.resize(900, 400)
    rows = tuple(optimizer_rows(Scenario(synthetic_ref(7 * 10**9)), None, entries))
    made.render(snapshot(comparison=rows, comparison_complete=True))
    return made


def _names(panel: ComparisonPanel) -> set[str]:
    return {str(panel.order.index(row, 0).data()) for row in range(panel.order.rowCount())}


def _cell(panel: ComparisonPanel, optimizer: str, column: Column) -> str:
    rows = [str(panel.order.index(row, 0).data()) for row in range(panel.order.rowCount())]
    return str(panel.order.index(rows.index(optimizer), column).data())


def _action(panel: ComparisonPanel, start: str) -> QAction:
    lists = (panel.filters.library, panel.filters.family, panel.filters.proof)
    return next(
        action for each in lists for action in each.group.actions() if action.text().startswith(start)
    )


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("layerwise", {"foreign.Lamb"}),  # an alias
        ("LAMB", {"foreign.Lamb"}),
        ("optimizers.adam", {"foreign.Adam"}),  # the import path
        ("foreign adam", {"foreign.Adam"}),  # every word counts
        ("quasi", {"torch.LBFGS"}),  # a family
        ("nothing of the kind", set()),
    ],
)
def test_search_knows_names_aliases_paths_and_families(
    panel: ComparisonPanel, typed: str, found: set[str]
) -> None:
    QTest.keyClicks(panel.filter, typed)
    assert _names(panel) == found
    assert f"{len(found)} of 17" in panel.note.toolTip()


def test_library_family_and_proof_narrow_together(panel: ComparisonPanel) -> None:
    _action(panel, "foreign (2)").trigger()
    assert _names(panel) == {"foreign.Adam", "foreign.Lamb"}
    _action(panel, "lamb (1)").trigger()
    assert _names(panel) == {"foreign.Lamb"}
    assert panel.filters.button.text() == "Filter (2)"
    _action(panel, "real run").trigger()
    assert _names(panel) == set()
    panel.filters.everything.trigger()
    assert len(_names(panel)) == 17
    assert panel.filters.button.text() == "Filter"


def test_proof_tells_the_two_kinds_apart(panel: ComparisonPanel) -> None:
    _action(panel, "from source only").trigger()
    assert _names(panel) == {"foreign.Adam", "foreign.Lamb"}
    assert _cell(panel, "foreign.Lamb", Column.PROVEN) == "from source"
    _action(panel, "real run").trigger()
    assert _names(panel) == set(TORCH)
    assert _cell(panel, "torch.SGD", Column.PROVEN).startswith("torch 2.")


def test_filters_stay_while_figures_and_language_change(panel: ComparisonPanel) -> None:
    _action(panel, "foreign (2)").trigger()
    panel.filters.refill()
    assert panel.filters.wanted == ComparisonFilter(library="foreign")
    assert _names(panel) == {"foreign.Adam", "foreign.Lamb"}


def test_another_runtime_shows_its_state_and_says_the_rest_is_not_predicted(panel: ComparisonPanel) -> None:
    """Two moments of 7e9 bf16 parameters, and the small step counters: 26.1 GiB."""
    assert _cell(panel, "foreign.Adam", Column.STATE) == "26.1 GiB"
    assert _cell(panel, "foreign.Adam", Column.PER_PARAMETER) == "4.00"
    for column in (Column.PEAK, Column.RELATIVE, Column.FITS, Column.TEMPORARIES):
        assert _cell(panel, "foreign.Adam", column) == "not predicted"
    copied = panel.order.copy_table().rows
    (line,) = [row for row in copied if row[0] == "foreign.Adam"]
    assert (line[-3] != "", line[-2], line[-1]) == (True, "", "")


_FIGURES = {
    Column.PEAK: lambda row: row.peak_bytes,
    Column.RELATIVE: lambda row: row.peak_bytes,
    Column.STATE: lambda row: row.state_bytes,
    Column.PER_PARAMETER: lambda row: row.state_bytes,
    Column.TEMPORARIES: lambda row: row.temporaries_bytes,
}


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("column", _FIGURES)
def test_sorted_by_exact_figures_and_what_has_none_last(
    panel: ComparisonPanel, column: Column, descending: bool
) -> None:
    order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
    panel.table.sortByColumn(column, order)
    rows = [panel.order.index(row, 0).data(ROW_ROLE) for row in range(panel.order.rowCount())]
    without = [row.optimizer for row in rows if row.refused or (row.state_only and column in OF_THE_STEP)]
    assert [row.optimizer for row in rows][-len(without) :] == without
    figures = [_FIGURES[column](row) for row in rows[: -len(without)]]
    assert figures == sorted(figures, reverse=descending)
    assert len(set(figures)) > 1


def test_sorted_by_words(panel: ComparisonPanel) -> None:
    for column in (Column.OPTIMIZER, Column.FAMILY, Column.PROVEN):
        panel.table.sortByColumn(column, Qt.SortOrder.AscendingOrder)
        shown = [str(panel.order.index(row, column).data()) for row in range(panel.order.rowCount())]
        assert shown == sorted(shown, key=str.lower)


def test_a_selection_goes_with_its_optimizer(panel: ComparisonPanel) -> None:
    names = [str(panel.order.index(row, 0).data()) for row in range(panel.order.rowCount())]
    panel.table.selectRow(names.index("torch.Adagrad"))
    panel.table.sortByColumn(Column.OPTIMIZER, Qt.SortOrder.DescendingOrder)
    (chosen,) = panel.table.selectionModel().selectedRows()
    assert chosen.data() == "torch.Adagrad"
    assert chosen.row() != names.index("torch.Adagrad")


def test_f1_is_told_which_row_is_meant(panel: ComparisonPanel, qtbot: QtBot) -> None:
    panel.show()
    panel.table.setFocus()
    panel.table.selectRow(0)
    asked: list[object] = []
    panel.about_wanted.connect(asked.append)
    panel.table.actions()[-1].trigger()
    first = str(panel.order.index(0, 0).data())
    assert asked == [first]
    qtbot.waitUntil(panel.table.hasFocus)
    assert panel.current == first
    panel.filter.setFocus()
    assert panel.current is None


def test_an_optimizer_that_is_not_in_the_catalogue_is_found_by_its_id(panel: ComparisonPanel) -> None:
    row = OptimizerRow("gone.Optimizer", 1, 1, 1, "backward", None)
    panel.render(snapshot(comparison=(row,)))
    QTest.keyClicks(panel.filter, "optimiz")
    assert _names(panel) == {"gone.Optimizer"}
