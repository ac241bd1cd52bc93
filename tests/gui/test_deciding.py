"""Deciding in the window: largest batch and sequence, every GPU, ways to fit, a scenario pinned beside."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from optmem_gui.architectures.presets import preset_ref
from optmem_gui.core.estimate import compute
from optmem_gui.core.gpu_fits import gpu_fits
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.side_by_side import side_by_side
from optmem_gui.core.solve import solve
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.ways import ways_to_fit
from optmem_gui.gui.decisions import Decisions
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.panels.decide import PAGES
from optmem_gui.gui.panels.fits_on import FitsOnPanel
from optmem_gui.gui.panels.pinned import PinnedPanel
from optmem_gui.gui.panels.ways import WaysPanel
from optmem_gui.gui.store import Store
from optmem_gui.gui.tasks.decide import DecideThread
from optmem_gui.gui.widgets.keyed_table import KEY_ROLE, KeyedRow
from optmem_gui.report.scenario_file import save_scenario


def _decided(store: Store, qtbot: QtBot) -> None:
    def done() -> bool:
        decisions, snapshot = store.snapshot.decisions, store.snapshot
        return decisions is not None and decisions.done and decisions.scenario == snapshot.scenario

    qtbot.waitUntil(done)


def _page(window: MainWindow, name: str) -> object:
    window.results.decide.show_page(name)
    return window.results.decide.pages[name]


def test_the_largest_batch_and_sequence_are_a_click_away(
    window: MainWindow, store: Store, qtbot: QtBot
) -> None:
    _decided(store, qtbot)
    gpu = store.snapshot.gpu
    assert gpu is not None
    batch, sequence = (solve(store.snapshot.scenario, gpu, what) for what in ("batch", "sequence"))
    panel = window.results.headline.largest
    assert panel.batch.text() == f"Largest batch: {batch.sure}"
    assert panel.sequence.text() == f"Longest sequence: {sequence.sure:,}"
    assert f"{sequence.perhaps:,}" in panel.sequence.toolTip()
    panel.sequence.click()
    assert store.snapshot.scenario.sequence == sequence.sure
    assert store.snapshot.breakdown is not None
    assert store.snapshot.breakdown.fit is not None
    assert store.snapshot.breakdown.fit.fits == "yes"
    assert not panel.sequence.isEnabled()  # until the new inputs are decided
    store.undo_stack.undo()
    assert store.snapshot.scenario.sequence == 2048


def test_without_a_gpu_or_an_architecture_nothing_is_offered(window: MainWindow, store: Store) -> None:
    panel = window.results.headline.largest
    assert not panel.isHidden()
    store.edit("gpu", None)
    assert panel.isHidden()


def test_no_batch_is_offered_where_activations_are_not_counted(
    window: MainWindow, store: Store, qtbot: QtBot
) -> None:
    panel = window.results.headline.largest
    store.edit("model", (preset_ref("vit-b-16"), None))
    _decided(store, qtbot)
    assert not panel.batch.isHidden()
    store.edit("lora", True)
    _decided(store, qtbot)
    assert panel.batch.isHidden()


def test_an_edit_does_not_wait_for_decisions(window: MainWindow, store: Store, qtbot: QtBot) -> None:
    _decided(store, qtbot)
    before = store.snapshot.decisions
    store.edit("batch", "2")
    assert store.snapshot.decisions is before
    assert window.results.headline.largest.batch.text() != "Largest batch: ..."
    _decided(store, qtbot)
    assert store.snapshot.decisions is not before


def test_every_gpu_answers_and_one_is_chosen(window: MainWindow, store: Store, qtbot: QtBot) -> None:
    store.edit("params", "13B")
    _decided(store, qtbot)
    panel = _page(window, "fits_on")
    assert isinstance(panel, FitsOnPanel)
    fits = {fit.gpu.id: fit for fit in gpu_fits(store.snapshot.scenario, store.gpus.values())}
    rows = {row.key: row for row in panel.model.rows if isinstance(row, KeyedRow)}
    assert set(rows) == set(store.gpus)
    for name, row in rows.items():
        assert row.cells[1] == row.sign == fits[name].fit.fits
        assert row.exact[0] == str(fits[name].fit.free)
        assert row.cells[3] == ("-" if fits[name].needed is None else f"{fits[name].needed:,}")
    assert {row.sign for row in rows.values()} >= {"yes", "no"}
    margins = [
        int(rows[panel.order.index(place, 0).data(KEY_ROLE)].exact[0])
        for place in range(panel.order.rowCount())
    ]
    assert margins == sorted(margins, reverse=True)
    panel.search.setText("4090")
    assert 0 < panel.order.rowCount() < len(rows)
    keys = [panel.order.index(place, 0).data(KEY_ROLE) for place in range(panel.order.rowCount())]
    panel.table.setCurrentIndex(panel.order.index(keys.index("rtx-4090"), 0))
    qtbot.keyClick(panel.table, Qt.Key.Key_Return)
    assert store.snapshot.scenario.gpu == "rtx-4090"


def test_what_is_copied_is_what_is_shown(window: MainWindow, store: Store, qtbot: QtBot) -> None:
    _decided(store, qtbot)
    panel = _page(window, "fits_on")
    assert isinstance(panel, FitsOnPanel)
    panel.search.setText("h100")
    table = panel.order.copy_table()
    assert len(table.rows) == panel.order.rowCount()
    assert all("H100" in row[0] for row in table.rows)


def test_a_way_is_one_click_and_one_undo(window: MainWindow, store: Store, qtbot: QtBot) -> None:
    store.edit("precision", "fp32")
    store.edit("batch", "4")
    _decided(store, qtbot)
    panel = _page(window, "ways")
    assert isinstance(panel, WaysPanel)
    ways = ways_to_fit(store.snapshot.scenario, store.snapshot.gpu)
    shown = [row for row in panel.rows if not row.isHidden()]
    assert [row.way for row in shown] == list(ways)
    before = store.snapshot.scenario
    shown[1].button.click()
    assert store.snapshot.scenario == ways[1].applied(before)
    assert store.snapshot.breakdown is not None
    assert store.snapshot.breakdown.peak_bytes == ways[1].peak_bytes
    assert not panel.rows[0].isEnabled()
    store.undo_stack.undo()
    assert store.snapshot.scenario == before


def test_the_menu_pins_and_shows_it(window: MainWindow, store: Store) -> None:
    window.actions_table["pin"].trigger()
    assert store.snapshot.pinned is not None
    assert store.snapshot.pinned.scenario == store.snapshot.scenario
    assert isinstance(window.results.decide.stack.currentWidget(), PinnedPanel)


def test_a_pinned_scenario_stands_beside(window: MainWindow, store: Store) -> None:
    panel = _page(window, "pinned")
    assert isinstance(panel, PinnedPanel)
    assert panel.table.isHidden()
    first = store.snapshot.breakdown
    panel.pin.click()
    store.edit("optimizer", "torch.SGD")
    second = store.snapshot.breakdown
    assert first is not None
    assert second is not None
    rows = side_by_side(first, second)
    assert [row.exact for row in panel.model.rows] == [
        (str(row.first), str(row.second), str(row.difference)) for row in rows
    ]
    state = next(row for row in panel.model.rows if row.component == "optimizer_state")
    assert state.cells[4] == "-100.0 %"
    assert "peak in optimizer step" in panel.what.text()
    panel.unpin.click()
    assert store.snapshot.pinned is None
    assert panel.table.isHidden()


def test_a_file_can_be_a(window: MainWindow, store: Store, tmp_path: Path) -> None:
    path = tmp_path / "other.optmem"
    other = Scenario(synthetic_ref(1_000_000_000), batch=1, sequence=64, gpu="rtx-4090")
    save_scenario(path, other)
    window.deciding.pin_file(path)
    pinned = store.snapshot.pinned
    assert pinned is not None
    assert (pinned.title, pinned.scenario) == ("other.optmem", other)
    assert pinned.breakdown == compute(other, store.gpus["rtx-4090"])
    said = []
    store.noticed.connect(lambda reason: said.append(str(reason)))
    path.write_text("{", encoding="utf-8")
    window.deciding.pin_file(path)
    assert len(said) == 1
    assert "other.optmem" in said[0]
    assert store.snapshot.pinned is pinned


@pytest.mark.parametrize("page", PAGES)
def test_every_view_is_named_and_reached_by_keyboard(window: MainWindow, page: str) -> None:
    button = window.results.decide.findChild(QPushButton, f"decide.{page}")
    assert button is not None
    assert button.text()
    button.setFocus()
    button.click()
    assert window.results.decide.stack.currentWidget() is window.results.decide.pages[page]


def test_what_cannot_be_solved_is_left_out(store: Store, qtbot: QtBot) -> None:
    scenario = replace(store.snapshot.scenario, sequence=None)
    thread = DecideThread(scenario, store.snapshot.gpu, tuple(store.gpus.values())[:3])
    found: list[Decisions] = []
    thread.decided.connect(found.append)
    with qtbot.waitSignal(thread.finished):
        thread.start()
    thread.wait()
    qtbot.waitUntil(lambda: bool(found) and found[-1].done)
    assert thread.defect is None
    assert found[-1].batch is None
    assert found[-1].sequence is not None
    assert len(found[-1].fits) == 3
