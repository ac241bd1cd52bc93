"""The page of measurements: what is kept, selected, compared, taken up again, exported and deleted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from optmem_gui.core.reasons import Reason
from optmem_gui.core.units import GIB, MIB
from optmem_gui.gui.dialogs.describe_result import DescribeDialog
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.panels.results_list import ResultsPage
from optmem_gui.gui.snapshot import MeasurementState, MeasureStage
from optmem_gui.paths import results_dir
from optmem_gui.report.calibrations import remember
from optmem_gui.report.kept_file import kept_text, parse_kept
from optmem_gui.report.results_store import ResultsStore
from tests.cli.test_results import calibration
from tests.gui.conftest import settle
from tests.report.kept_samples import kept, kept_ranks, scenario


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def stored() -> ResultsStore:
    """Three measurements, the latest of them on a CPU."""
    store = ResultsStore(results_dir())
    for minute in range(3):
        store.keep(kept(gpu=minute < 2, more=minute * MIB, minute=minute))
    return store


@pytest.fixture
def page(window: MainWindow, stored: ResultsStore) -> ResultsPage:
    window.actions_table["results"].trigger()
    assert window.measured.page is not None
    assert window.measured.is_shown
    return window.measured.page


def select(page: ResultsPage, *places: int) -> None:
    selection, flag = page.table.selectionModel(), QItemSelectionModel.SelectionFlag
    selection.clearSelection()
    for place in places:
        selection.select(page.model.index(place, 0), flag.Select | flag.Rows)


def cells(page: ResultsPage) -> list[tuple[str, ...]]:
    return [row.cells for row in page.model.rows]


def figures(page: ResultsPage) -> dict[str, tuple[str, ...]]:
    return {row.cells[0]: row.cells[1:] for row in page.detail.model.rows}


def test_the_latest_is_shown_first_and_the_action_leads_back(page: ResultsPage, window: MainWindow) -> None:
    assert [row[4] for row in cells(page)] == ["a CPU", "NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3"]
    assert len(page.selected_ids()) == 1
    assert page.detail.head.text().endswith("a CPU")
    assert window.actions_table["results"].isChecked()
    window.actions_table["results"].trigger()
    assert not window.measured.is_shown
    assert not window.actions_table["results"].isChecked()
    window.measured.show()
    page.leave.click()
    assert not window.measured.is_shown


def test_an_empty_list_says_what_will_be_there(window: MainWindow) -> None:
    window.measured.show()
    assert window.measured.page is not None
    assert window.measured.page.empty.isVisible()
    assert not window.measured.page.table.isVisible()
    assert not window.measured.page.take.isEnabled()


def test_one_shows_three_sides_where_it_ran_and_its_course(page: ResultsPage) -> None:
    select(page, 2)
    shown = figures(page)
    assert shown["Weights"] == ("3.81 MiB", "3.81 MiB", "exact")
    assert shown["context, libraries"] == ("480.0 MiB", "450.0 MiB", "-6.2%")
    assert shown["peak reserved"][0] == "100.0 MiB"
    assert "driver 580.00" in page.detail.facts.text()
    assert "250 samples a second" in page.detail.facts.text()
    remarks = page.detail.remarks.toPlainText()
    assert "Also on the GPU: process 9 (/usr/bin/x), 1.00 GiB" in remarks
    assert "Other processes on the GPU changed" in remarks
    assert "Assumed: " in remarks
    assert page.detail.plot is not None
    assert {"allocated", "reserved", "process", "device"} & set(page.detail.plot.series)


def test_two_stand_beside_each_other_the_older_first(page: ResultsPage) -> None:
    select(page, 1, 2)
    assert page.detail.head.text().startswith("A: ")
    assert figures(page)["Activations"] == ("2.00 MiB", "3.00 MiB", "+1.00 MiB", "+50.0%")
    assert figures(page)["Weights"] == ("3.81 MiB", "3.81 MiB", "same", "")
    for button in (page.take, page.describe, page.export, page.picture):
        assert not button.isEnabled()
    assert page.delete.isEnabled()
    select(page, 0, 1, 2)
    assert "not 3" in page.detail.head.text()


def test_several_ranks_are_listed_shown_compared_exported_and_taken_up(
    page: ResultsPage,
    window: MainWindow,
    stored: ResultsStore,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Three of one device, and above them two of two ranks each."""
    for minute, shard in ((3, "ddp"), (4, "fsdp2")):
        stored.keep(kept_ranks(shard=shard, minute=minute))
    window.measured.show()
    assert [row[4] for row in cells(page)][:2] == [
        "NVIDIA H100 80GB HBM3, 2 ranks, FSDP2",
        "NVIDIA H100 80GB HBM3, 2 ranks, DDP",
    ]
    select(page, 1)
    assert "2 ranks, DDP" in page.detail.head.text()
    assert "figures and course of rank 0" in page.detail.facts.text()
    by_rank = [row.cells for row in page.detail.rank_model.rows]
    assert ("Communication", "1", "3.81 MiB", "3.81 MiB", "exact") in by_rank
    assert figures(page)["Communication"] == ("3.81 MiB", "3.81 MiB", "exact")
    select(page, 0, 1)
    by_rank = [row.cells for row in page.detail.rank_model.rows]
    assert ("Weights", "1", "3.81 MiB", "1.91 MiB", "-1.91 MiB", "-50.0%") in by_rank
    select(page, 0, 4)  # beside one device
    assert page.detail.ranks.isVisible()
    select(page, 4)
    assert not page.detail.ranks.isVisible()
    path = tmp_path / "exported.json"
    monkeypatch.setattr(window.files, "ask_path", lambda *_words: path)
    select(page, 0)
    page.export.click()
    assert parse_kept(path.read_bytes(), "x") == stored.load(page.selected_ids()[0])
    page.take.click()
    assert window.store.snapshot.scenario.parallel.gpus == 2
    assert window.store.snapshot.scenario.parallel.shard == "fsdp2"


def test_the_scenario_is_taken_up_and_can_be_undone(page: ResultsPage, window: MainWindow) -> None:
    before = window.store.snapshot.scenario
    select(page, 1)
    page.take.click()
    assert window.store.snapshot.scenario == replace(scenario(), gpu=None)
    assert not window.measured.is_shown
    window.store.undo_stack.undo()
    assert window.store.snapshot.scenario == before


def test_processes_that_were_seen_are_taken_in_with_one_click(page: ResultsPage, window: MainWindow) -> None:
    before = window.store.snapshot.scenario
    select(page, 1)
    seen = kept().others[0].processes
    page.detail.take_button.click()
    sizes = [resident.size_bytes for resident in window.store.snapshot.scenario.residents]
    assert sizes == [process.used_bytes for process in seen]
    window.store.undo_stack.undo()
    assert window.store.snapshot.scenario == before
    select(page, 0, 1)
    assert page.detail.take_button.isHidden()


def test_names_and_notes_are_written_down(
    page: ResultsPage, stored: ResultsStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(dialog: DescribeDialog) -> int:
        dialog.name.setText("first try")
        dialog.note.setPlainText("two workers")
        return QDialog.DialogCode.Accepted.value

    monkeypatch.setattr(DescribeDialog, "exec", fill)
    select(page, 0)
    page.describe.click()
    assert cells(page)[0][1] == "first try"
    assert cells(page)[0][7] == "two workers"
    assert stored.listed().entries[0].note == "two workers"
    assert page.detail.head.text().startswith("first try")


def test_what_is_deleted_is_confirmed_first(
    page: ResultsPage, stored: ResultsStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def answering(answer: QMessageBox.StandardButton) -> Callable[..., QMessageBox.StandardButton]:
        def ask(_parent: object, _title: str, text: str, *_buttons: object) -> QMessageBox.StandardButton:
            asked.append(text)
            return answer

        return ask

    select(page, 1, 2)
    monkeypatch.setattr(QMessageBox, "question", answering(QMessageBox.StandardButton.Cancel))
    page.delete.click()
    assert len(stored.listed().entries) == 3
    monkeypatch.setattr(QMessageBox, "question", answering(QMessageBox.StandardButton.Yes))
    page.delete.click()
    assert [entry.summary.device for entry in stored.listed().entries] == ["a CPU"]
    assert asked[0] == "Delete 2 measurements for good?"


def test_an_export_opens_again_by_drop_or_dialog(
    page: ResultsPage,
    window: MainWindow,
    stored: ResultsStore,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    path = tmp_path / "exported.json"
    monkeypatch.setattr(window.files, "ask_path", lambda *_words: path)
    select(page, 0)
    (chosen,) = page.selected_ids()
    page.export.click()
    assert parse_kept(path.read_bytes(), "x") == stored.load(chosen)
    stored.delete(chosen)
    window.measured.leave()
    with qtbot.waitSignal(window.loader.result_found):
        window.open(path)
    assert window.measured.is_shown
    assert page.selected_ids() == (chosen,)
    assert chosen in [entry.id for entry in stored.listed().entries]
    stored.delete(chosen)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_words, **_named: (str(path), ""))
    page.open.click()
    assert page.selected_ids() == (chosen,)


def test_a_damaged_file_is_one_line_beside_the_others(
    page: ResultsPage, window: MainWindow, stored: ResultsStore
) -> None:
    (stored.folder / "broken.json").write_text('{"format": "optmem-measurement", ')
    window.measured.show()
    assert "broken.json: damaged" in page.problems.text()
    assert page.problems.isVisible()
    assert page.model.rowCount() == 3
    said: list[Reason] = []
    window.store.noticed.connect(said.append)
    window.measured.open(stored.folder / "broken.json")
    assert [reason.key for reason in said] == ["results.damaged"]


def test_one_that_vanished_says_so_instead_of_failing(page: ResultsPage, stored: ResultsStore) -> None:
    stored.delete(stored.listed().entries[1].id)
    select(page, 1)
    assert "There is no measurement" in page.detail.head.text()
    assert not page.take.isEnabled()


def test_a_measurement_is_kept_as_it_ends_and_calibrates(window: MainWindow) -> None:
    one, store = kept(), window.store
    state = MeasurementState(MeasureStage.DONE, kept=one, calibration=calibration())
    before = store.snapshot
    assert before.gpu is not None
    assert before.breakdown is not None
    store.set_measurement(state)
    assert [entry.id for entry in ResultsStore(results_dir()).listed().entries] == [one.id]
    store.set_measurement(replace(state, warnings=()))  # shown again: it is the same measurement
    after = store.snapshot
    assert after.gpu is not None
    assert after.gpu.calibration == calibration()
    assert after.breakdown is not None
    assert after.breakdown.process.low == after.breakdown.reserved.low + 400 * MIB
    assert "assume.calibrated" in {reason.key for reason in after.breakdown.assumptions}
    assert after.gpu.usable_bytes == 79 * GIB
    window.measured.show()
    page = window.measured.page
    assert page is not None
    (forget,) = page.calibrated.findChildren(QPushButton)
    assert "Forget what was calibrated on NVIDIA H100" in forget.accessibleName()
    forget.click()
    settle()
    assert store.snapshot.breakdown == before.breakdown
    assert not page.calibrated.isVisible()


def test_a_simulation_that_comes_later_stands_beside_it_in_the_file_too(window: MainWindow) -> None:
    one, store = kept(), window.store
    state = MeasurementState(MeasureStage.DONE, kept=one)
    store.set_measurement(state)
    results = ResultsStore(results_dir())
    results.describe(one.id, "a name", "")
    rows = tuple(replace(row, simulated=row.measured) for row in one.rows)
    store.set_measurement(replace(state, kept=replace(one, rows=rows)))
    again = results.load(one.id)
    assert (again.rows, again.name) == (rows, "a name")


def test_calibrations_of_earlier_sessions_are_used_from_the_start(
    make_window: Callable[..., MainWindow], tmp_path: Path
) -> None:
    remember(tmp_path / "config" / "calibrations.json", calibration())
    gpu = make_window().store.snapshot.gpu
    assert gpu is not None
    assert gpu.calibration == calibration()


def test_a_data_folder_that_cannot_be_written_is_said_once(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(blocked))
    said: list[Reason] = []
    window.store.noticed.connect(said.append)
    for minute in range(2):
        window.store.set_measurement(MeasurementState(MeasureStage.DONE, kept=kept(minute=minute)))
    assert [reason.key for reason in said] == ["results.not_kept"]
    window.measured.show()
    assert window.measured.page is not None
    assert window.measured.page.model.rowCount() == 2


def test_a_picture_shows_what_is_selected(page: ResultsPage, window: MainWindow) -> None:
    select(page, 0)
    assert window.measured.pictured is page.detail
    assert window._page_of_its_own() is page.detail


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_the_page_follows_language_and_unit(
    make_window: Callable[..., MainWindow], stored: ResultsStore, language: str
) -> None:
    window = make_window(language)
    window.measured.show()
    page = window.measured.page
    assert page is not None
    assert "MiB" in cells(page)[0][5]
    window.store.set_unit("GB")
    assert "MB" in cells(page)[0][5]
    for button in page.findChildren(QPushButton):
        assert button.text()
    QApplication.processEvents()


def test_it_is_opened_from_a_file_of_an_exported_measurement_without_a_page(
    window: MainWindow, tmp_path: Path
) -> None:
    path = tmp_path / "other.json"
    path.write_text(kept_text(kept()))
    window.measured.open(path)
    assert window.measured.is_shown
