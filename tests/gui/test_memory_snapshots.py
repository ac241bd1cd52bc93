"""Memory snapshots in the window: recognised, read off the UI thread, shown, tried under other settings."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from optmem_gui.allocator.config import MIB, AllocatorConfig
from optmem_gui.gui import settings as keys
from optmem_gui.gui.drop import dropped_path
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.panels.snapshot import SnapshotPage
from optmem_gui.gui.replaying import Replayer
from optmem_gui.gui.tasks import replay as replay_task
from optmem_gui.gui.tasks.replay import Trial
from optmem_gui.gui.widgets.alive_table import AliveBlocks, AliveTable, groups_of
from optmem_gui.gui.widgets.segment_table import largest_free_bytes, used_bytes
from tests.allocator.recorder import Program, as_snapshot
from tests.gui.conftest import settle

PLACE = "/home/me/train.py:12 step"


def program() -> Program:
    """Four requests, each too large for what the one before it left: 42 MiB in three segments.

    The last one is alive at the peak: 15 MiB in a block of 16 MiB, because 1 MiB is not split off.
    """
    run = Program()
    for size in (12 * MIB, 13 * MIB, 14 * MIB, 15 * MIB):
        address = run.alloc(size)
        assert address is not None
        run.free(address)
    return run


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "run.pickle"
    found.write_bytes(pickle.dumps(as_snapshot(program().recording())))
    return found


def page_of(window: MainWindow) -> SnapshotPage:
    page = window.memory_snapshots.page
    assert page is not None
    return page


def open_in(window: MainWindow, path: Path, qtbot: QtBot) -> SnapshotPage:
    window.open(path)
    qtbot.waitUntil(lambda: window.memory_snapshots.page is not None)
    page = page_of(window)
    qtbot.waitUntil(lambda: page._state.chosen is not None and not page._state.busy)
    return page


def test_a_snapshot_opens_like_any_file(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    scenario = window.store.snapshot.scenario
    assert window.memory_snapshots.page is None  # the start does without it
    page = open_in(window, path, qtbot)
    assert window.memory_snapshots.is_shown
    # 15 events: 3 segments, 4 allocations, 8 halves of frees; the peak follows the last allocation.
    assert "run.pickle: device 0, 15 events" in page.note.toolTip()
    assert "Peak 16.0 MiB allocated (16,777,216 bytes) after event 13" in page.figures.text()
    assert "42.0 MiB reserved then, 26.0 MiB of it unused (61.9 %)" in page.figures.text()
    assert window.store.snapshot.scenario is scenario
    assert not window.actions_table["simulate"].isEnabled()
    assert window._settings.get(keys.RECENT)[0] == str(path)
    window.actions_table["close_snapshot"].trigger()
    assert window.pages.currentWidget() is window.columns
    assert window.actions_table["simulate"].isEnabled()


def test_what_is_dropped_is_accepted(path: Path, tmp_path: Path) -> None:
    trace = tmp_path / "run.json.gz"
    trace.touch()
    for file in (path, trace):
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(file))])
        assert dropped_path(mime) == file


def test_what_was_alive_at_the_peak_is_named_with_its_frames(
    window: MainWindow, path: Path, qtbot: QtBot
) -> None:
    page = open_in(window, path, qtbot)
    (row,) = page.alive.model.rows
    assert row.cells == (PLACE, "15.0 MiB", "100.0 %", "1")
    assert "made by event 13" in row.tip
    assert "/site-packages/torch/nn/linear.py:1 forward" in row.tip
    page.alive.table.selectRow(0)
    assert page.alive.about.text() == row.tip


def test_segments_and_what_is_free_in_them(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    page = open_in(window, path, qtbot)
    # 12 MiB takes a segment of its own size, 13 MiB one of 14, 15 MiB one of 16; all were freed.
    assert [row.cells[1:4] for row in page.segments.rows] == [
        ("16.0 MiB", "0.0 %", "16.0 MiB"),
        ("14.0 MiB", "0.0 %", "14.0 MiB"),
        ("12.0 MiB", "0.0 %", "12.0 MiB"),
    ]
    assert "3 segments, 42.0 MiB reserved, 0 B in use" in page.segment_note.text()
    assert "42.0 MiB in segments that could be given back" in page.segment_note.text()
    page.pages.show_page(1)
    page.at_peak.click()
    qtbot.waitUntil(lambda: len(page.segments.rows) == 3 and not page._state.busy)
    # At the peak the last request holds all of its segment: 1 MiB is not split off.
    assert [row.cells[2] for row in page.segments.rows] == ["100.0 %", "0.0 %", "0.0 %"]
    assert "16.0 MiB in use" in page.segment_note.text()
    page.at_end.click()
    assert "0 B in use" in page.segment_note.text()
    run = program()
    assert run.alloc(5 * MIB) is not None
    used = [used_bytes(segment) for segment in run.state()]
    assert sum(used) == 5 * MIB
    assert max(largest_free_bytes(segment) for segment in run.state()) == 16 * MIB


def test_the_model_stands_beside_the_recording(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    page = open_in(window, path, qtbot)
    assert page.beside.rows[1].cells == ("reserved peak, bytes", "44,040,192", "44,040,192", "0")
    said = page.notes.toPlainText()
    assert "4 of 4 allocations lie at the recorded address" in said
    assert "The start is known" in said


def test_other_settings_stand_beside_the_recorded_ones(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    page = open_in(window, path, qtbot)
    panel = page.what_if
    panel.expandable.box.click()
    assert panel.line.text() == "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"
    panel.button.click()
    qtbot.waitUntil(lambda: len(panel.model.rows) == 2)
    recorded, tried = panel.model.rows
    assert recorded.cells[:2] == ("as recorded", "42.0 MiB")
    # Pages of 20 MiB: one serves every request in turn.
    assert tried.cells[:3] == ("expandable_segments:True", "20.0 MiB", "-22.0 MiB")
    assert tried.exact == (str(20 * MIB), str(15 * MIB))


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("split", "3", "at least 20"),
        ("threshold", "1.5", "between 0 and 1"),
        ("roundup", "3", "powers of two"),
        ("memory", "a lot", "not a size"),
        ("memory", "-4", "not a size"),
        ("memory", "nan", "not a size"),
    ],
)
def test_settings_that_do_not_exist_are_said_beside_their_field(
    window: MainWindow, path: Path, qtbot: QtBot, field: str, text: str, words: str
) -> None:
    panel = open_in(window, path, qtbot).what_if
    shown = getattr(panel, field)
    shown.edit.setText(text)
    shown.edit.textEdited.emit(text)
    assert words in shown.issue.text()
    assert not panel.button.isEnabled()
    shown.edit.setText("")
    shown.edit.textEdited.emit("")
    assert shown.issue.text() == ""
    assert panel.button.isEnabled()


def test_a_threshold_needs_the_size_of_the_device(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    panel = open_in(window, path, qtbot).what_if
    panel.threshold.edit.setText("0.5")
    panel.threshold.edit.textEdited.emit("0.5")
    assert "how many GiB" in panel.memory.issue.text()
    panel.memory.edit.setText("0.03125")  # 32 MiB
    panel.memory.edit.textEdited.emit("0.03125")
    panel.button.click()
    qtbot.waitUntil(lambda: len(panel.model.rows) == 2)
    tried = panel.model.rows[1]
    assert "garbage_collection_threshold:0.5,per_process_memory_fraction:1.0" in tried.cells[0]
    assert "32.0 MiB" in tried.cells[0]
    # Above 16 MiB old free segments go back before a new one is taken.
    assert tried.exact[0] == str(30 * MIB)


def test_the_plot_reads_out_what_is_under_the_cursor(window: MainWindow, path: Path, qtbot: QtBot) -> None:
    page = open_in(window, path, qtbot)
    assert page.readout.title.text() == "Peak, after event 13"
    QTest.keyClick(page.plot, Qt.Key.Key_Home)
    assert page.readout.title.text() == "After event 0"
    assert page.readout.entries[0].value == "0 B"
    QTest.keyClick(page.plot, Qt.Key.Key_End)
    assert [entry.value for entry in page.readout.entries[:3]] == ["42.0 MiB", "0 B", "42.0 MiB"]
    assert page.readout.entries[3].name == "free_completed"
    assert not page.grab().isNull()


def test_several_devices_can_be_chosen(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    one, other = program().recording(), replace(program().recording(), device=1)
    first, second = as_snapshot(one), as_snapshot(other)
    both = {
        **first,
        "segments": [*first["segments"], *second["segments"]],  # type: ignore[misc]  # lists, as a pickle has
        "device_traces": [first["device_traces"][0], second["device_traces"][0][:-2]],  # type: ignore[index]  # a tree of plain values
    }
    path = tmp_path / "two.pickle"
    path.write_bytes(pickle.dumps(both))
    page = open_in(window, path, qtbot)
    assert page.devices.isVisible()
    page.devices.setCurrentIndex(1)
    page.devices.activated.emit(1)
    qtbot.waitUntil(lambda: "device 1, 13 events" in page.note.toolTip())


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (pickle.dumps({"segments": [], "device_traces": [[{"action": "dance"}]]}), "dance"),
        (pickle.dumps({"segments": [], "device_traces": []}), "no device"),
        (pickle.dumps({"segments": [1] * 100, "device_traces": []})[:60], "damaged"),
        (json.dumps({"events": [], "segments_at_end": 3}).encode(), "segments_at_end"),
    ],
)
def test_what_cannot_be_used_is_said_and_the_estimate_stays(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, data: bytes, words: str
) -> None:
    path = tmp_path / "bad.pickle"
    path.write_bytes(data)
    window.open(path)
    qtbot.waitUntil(window.notice.isVisible)
    assert words in window.notice.text.text()
    assert window.pages.currentWidget() is window.columns


# Threads


def _slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading takes for ever, and looks whether it is to stop."""

    def forever(_path: Path, check: Callable[[], None]) -> object:
        while True:
            QTest.qSleep(5)
            check()

    monkeypatch.setattr(replay_task, "open_snapshot", forever)


def test_reading_can_be_stopped(
    window: MainWindow, path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    _slowly(monkeypatch)
    window.open(path)
    qtbot.waitUntil(lambda: window.memory_snapshots.is_shown)
    page = page_of(window)
    assert page.progress.isVisible()
    page.stop.click()
    assert window.pages.currentWidget() is window.columns
    assert not window.notice.isVisible()


def test_closing_the_window_ends_the_reading(
    window: MainWindow, path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    _slowly(monkeypatch)
    window.open(path)
    qtbot.waitUntil(lambda: window.memory_snapshots.is_shown)
    assert window.close()
    replayer = window.memory_snapshots._replayer
    assert replayer is not None
    assert all(thread.isFinished() for thread in replayer._threads)


def test_the_latest_file_wins(qtbot: QtBot, path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.pickle"
    other.write_bytes(path.read_bytes())
    replayer = Replayer()
    opened: list[object] = []
    replayer.opened.connect(opened.append)
    replayer.open(path)
    replayer.open(other)
    qtbot.waitUntil(lambda: replayer.state.chosen is not None)
    qtbot.waitUntil(lambda: not replayer._threads)
    assert opened == [other]
    replayer.try_settings(Trial("", AllocatorConfig()))
    replayer.leave()
    assert replayer.state.path is None
    replayer.close()
    settle()
    assert replayer.state.tried == ()


# What is alive, put together


def blocks() -> AliveBlocks:
    return AliveBlocks(
        [5, 3, 4],
        [1, 2, 1],
        {"module": ["a", "b", "a"], "op": ["mm", "add", "add"]},
        lambda number: f"entry {number}",
        ["weights", "activations", "weights"],
    )


def test_blocks_are_put_together_by_name_the_largest_first() -> None:
    found = [(group.name, group.size, group.count) for group in groups_of(blocks(), "module")]
    assert found == [("a", 9, 2), ("b", 3, 2)]
    assert [(g.name, g.size) for g in groups_of(blocks(), "op")] == [("add", 7), ("mm", 5)]
    assert [g.name for g in groups_of(blocks(), "op", "M")] == ["mm"]


def test_the_table_searches_groups_and_explains(qtbot: QtBot) -> None:
    table = AliveTable()
    qtbot.addWidget(table)
    table.offer({"module": "module", "op": "operator"})
    table.show_blocks(blocks(), "GiB")
    assert [row.cells for row in table.model.rows] == [
        ("a", "9 B", "75.0 %", "2"),
        ("b", "3 B", "25.0 %", "2"),
    ]
    assert table.model.rows[0].component == "weights"
    assert table.model.rows[0].tip == "entry 0\nentry 2"
    table.grouping.setCurrentIndex(1)
    assert [row.component for row in table.model.rows] == ["", "weights"]
    table.search.setText("add")
    qtbot.waitUntil(lambda: len(table.model.rows) == 1)
    copied = table.table.mime_data().text().splitlines()
    assert copied[0].split("\t") == ["operator", "size", "share", "blocks", "bytes", "what it is"]
    assert copied[1].startswith("add\t7 B\t58.3 %\t3\t7\t")
