"""Exports as the window makes them: asked for, written whole, said; and tables on the clipboard."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QItemSelectionModel, QMimeData, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from optmem_gui.core.errors import UserError
from optmem_gui.gui import settings as keys
from optmem_gui.gui.export_dialog import Choice, ExportDialog
from optmem_gui.gui.export_subjects import subject_of_widget
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.widgets.copy_table import CopyTable, source_of
from optmem_gui.report.exporters import EXPORTERS
from optmem_gui.report.notations import NOTATIONS, SHORTCUTS
from optmem_gui.report.tables import to_tsv
from tests.gui.conftest import settle

Answer = Callable[[Path | None], list[str]]


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Answer:
    """Answer every save dialog with a path; collects the names that were proposed."""

    def set_path(path: Path | None) -> list[str]:
        proposed: list[str] = []

        def run(dialog: QFileDialog) -> int:
            assert not dialog.testOption(QFileDialog.Option.DontConfirmOverwrite)
            return int(path is not None)

        monkeypatch.setattr(QFileDialog, "selectFile", lambda _dialog, name: proposed.append(name))
        monkeypatch.setattr(QFileDialog, "exec", run)
        monkeypatch.setattr(QFileDialog, "selectedFiles", lambda _dialog: [str(path)])
        return proposed

    return set_path


@pytest.fixture
def accept(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Choice]]:
    """Answer the export dialog, after fields were set; collects what was chosen."""

    def set_fields(**fields: object) -> list[Choice]:
        chosen: list[Choice] = []

        def run(dialog: ExportDialog) -> int:
            if "scale" in fields:
                dialog.scale.setValue(int(str(fields["scale"])))
            if "paper" in fields:
                dialog.paper.setCurrentText(str(fields["paper"]))
            chosen.append(dialog.choice)
            return 1

        monkeypatch.setattr(ExportDialog, "exec", run)
        return chosen

    return set_fields


def wait(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.exporting.is_busy)
    settle()


@pytest.mark.parametrize("exporter", EXPORTERS)
def test_reports_are_exported(window: MainWindow, tmp_path: Path, answer: Answer, exporter: str) -> None:
    path = tmp_path / "report"
    proposed = answer(path)
    window.actions_table[f"export.{exporter}"].trigger()
    assert proposed == [f"7B parameters torch.AdamW bf16{EXPORTERS[exporter].suffix}"]
    assert "weights" in path.read_text(encoding="utf-8").lower()
    assert str(path) in window.statusBar().currentMessage()


def test_a_report_says_what_the_window_says(window: MainWindow, tmp_path: Path, answer: Answer) -> None:
    path = tmp_path / "report.html"
    window.actions_table["unit.GB"].trigger()
    window.store.edit("params", "13B")
    answer(path)
    window.actions_table["export.html"].trigger()
    text = path.read_text(encoding="utf-8")
    assert window.results.headline.peak.text() in text
    assert window.results.headline.verdict.text() in text
    assert "<th>GB</th>" in text


def test_an_input_that_is_refused_is_not_exported_as_if_it_were_meant(
    window: MainWindow, tmp_path: Path, answer: Answer
) -> None:
    path = tmp_path / "report.md"
    window.store.edit("params", "nonsense")
    answer(path)
    window.actions_table["export.markdown"].trigger()
    assert "for the last valid input" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(("kind", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF-")])
def test_pictures_are_exported(
    window: MainWindow,
    tmp_path: Path,
    qtbot: QtBot,
    answer: Answer,
    accept: Callable[..., list[Choice]],
    kind: str,
    start: bytes,
) -> None:
    path = tmp_path / f"picture.{kind}"
    answer(path)
    chosen = accept(scale=3, paper="Letter")
    window.actions_table[f"export.{kind}"].trigger()
    wait(window, qtbot)
    assert path.read_bytes().startswith(start)
    assert [choice.suffix for choice in chosen] == [f".{kind}"]
    assert window.exporting.parent() is window
    if kind == "png":
        assert QImage(str(path)).width() == 3 * 640


def test_scale_and_page_are_remembered(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, answer: Answer, accept: Callable[..., list[Choice]]
) -> None:
    answer(tmp_path / "a.pdf")
    accept(scale=4, paper="Letter")
    window.actions_table["export.pdf"].trigger()
    wait(window, qtbot)
    chosen = accept()
    window.actions_table["export.pdf"].trigger()
    wait(window, qtbot)
    assert (chosen[0].scale, chosen[0].paper) == (4, "Letter")


@pytest.mark.parametrize("kind", ["csv", "pdf"])
def test_a_place_that_cannot_be_written_to_is_one_line(
    window: MainWindow,
    tmp_path: Path,
    qtbot: QtBot,
    answer: Answer,
    accept: Callable[..., list[Choice]],
    kind: str,
) -> None:
    answer(tmp_path / "no such folder" / "a")
    accept()
    window.actions_table[f"export.{kind}"].trigger()
    wait(window, qtbot)
    assert window.notice.isVisible()
    assert "no such folder" in window.notice.text.text()
    assert "\n" not in window.notice.text.text()


@pytest.mark.parametrize("kind", ["csv", "png", "pdf"])
def test_an_export_that_is_given_up_writes_nothing(
    window: MainWindow, tmp_path: Path, answer: Answer, accept: Callable[..., list[Choice]], kind: str
) -> None:
    answer(None)
    accept()
    before = set(tmp_path.rglob("*"))
    window.actions_table[f"export.{kind}"].trigger()
    assert set(tmp_path.rglob("*")) == before
    assert not window.exporting.is_busy


def test_the_dialog_offers_what_belongs_to_the_format(window: MainWindow, qtbot: QtBot) -> None:
    subject = subject_of_widget(window.results)
    dialog = ExportDialog(subject, Choice(".png", scale=2))
    qtbot.addWidget(dialog)
    dialog.show()
    size = window.results.size() * 2
    assert f"{size.width():,} x {size.height():,}" in dialog.pixels.text()
    assert not dialog.preview.pixmap().isNull()
    dialog.copy.click()
    assert QGuiApplication.clipboard().image().size() == size
    dialog.format.setCurrentIndex(dialog.format.findData(".svg"))
    assert not dialog.scale.isVisible()
    assert subject.prepare(dialog.choice)().startswith(b"<?xml")


def test_a_picture_too_large_for_memory_is_one_line(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("optmem_gui.gui.export_subjects.widget_image", lambda _widget, _scale: QImage())
    make = subject_of_widget(window.results).prepare(Choice(".png", scale=8))
    with pytest.raises(UserError, match="smaller scale"):
        make()


# Clipboard


def clipboard() -> QMimeData:
    data = QGuiApplication.clipboard().mimeData()
    assert data is not None
    return data


def test_every_table_copies_in_every_notation(window: MainWindow) -> None:
    tables = window.findChildren(CopyTable)
    assert len(tables) >= 2
    for table in tables:
        for name, notation in NOTATIONS.items():
            table.copy_actions.copy_as(name)
            assert clipboard().text() == notation.write(table.copied_table())
            assert not notation.mime or clipboard().hasFormat(notation.mime)
        names = [action.objectName() for action in table.actions()]
        assert {f"copy_as.{name}" for name in NOTATIONS} <= set(names)


def test_plain_copy_holds_all_that_other_programs_look_for(window: MainWindow) -> None:
    table = window.results.breakdown.table
    table.copy()
    data = clipboard()
    assert data.text() == to_tsv(source_of(table.model()).copy_table())
    assert data.hasHtml()
    assert data.hasFormat("text/markdown")


@pytest.mark.parametrize("notation", SHORTCUTS)
def test_keys_copy_the_table_that_has_the_keyboard(window: MainWindow, qtbot: QtBot, notation: str) -> None:
    table = window.results.breakdown.table
    flag = QItemSelectionModel.SelectionFlag
    table.selectionModel().select(table.model().index(0, 0), flag.ClearAndSelect | flag.Rows)
    table.setFocus()
    key = {"M": Qt.Key.Key_M, "H": Qt.Key.Key_H, "L": Qt.Key.Key_L}[SHORTCUTS[notation][-1]]
    qtbot.keyClick(table, key, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(
        table, Qt.Key.Key_Home
    )  # Qt holds on to the modifiers of the last key, tests after this too
    rows = table.copied_table()
    assert clipboard().text() == NOTATIONS[notation].write(rows)


def test_the_menu_copies_the_breakdown_when_no_table_has_the_keyboard(window: MainWindow) -> None:
    window.inputs.setFocus()
    window.actions_table["copy_as.latex"].trigger()
    assert r"\toprule" in clipboard().text()
    assert "Weights" in clipboard().text()


def test_settings_hold_only_scales_and_pages_there_are(window: MainWindow) -> None:
    assert keys.EXPORT_PAPER.allowed == ("A4", "Letter")
    assert (keys.EXPORT_SCALE.low, keys.EXPORT_SCALE.high) == (1, 8)


def test_json_from_the_window_is_that_of_the_command_line(
    window: MainWindow, tmp_path: Path, answer: Answer
) -> None:
    from optmem_gui.report.json_document import estimate_document, to_text

    path = tmp_path / "a.json"
    answer(path)
    window.actions_table["export.json"].trigger()
    document = json.loads(path.read_text(encoding="utf-8"))
    shown = window.store.snapshot
    assert shown.breakdown is not None
    document.pop("made")
    assert document == json.loads(to_text(estimate_document(shown.scenario, shown.breakdown)))
