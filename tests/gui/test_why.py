"""*Why?* in the window: how it is reached, what it says, that it follows; the pages it leads to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QLocale, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from optmem_gui.architectures.presets import preset_ref
from optmem_gui.core.breakdown import COMPONENT_IDS
from optmem_gui.core.estimate import compute
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.proof import PROOF_KINDS
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.why.answer import Subject, subjects_of
from optmem_gui.core.why.sources import PAGES
from optmem_gui.gui.dialogs.pages import PagesDialog, drawing, page_folder_of, page_title
from optmem_gui.gui.dialogs.why import PROOF_MARKS, WhyDialog
from optmem_gui.gui.i18n import LANGUAGES
from optmem_gui.gui.main_window import MainWindow
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.store import Store
from optmem_gui.paths import page_dir
from tests.gui.conftest import settle

PLAIN = Scenario(synthetic_ref(7 * 10**9))


@pytest.fixture
def dialog(qtbot: QtBot) -> WhyDialog:
    made = WhyDialog()
    qtbot.addWidget(made)
    return made


def _read(dialog: WhyDialog, subject: Subject, scenario: Scenario) -> str:
    """What it says of a number of a scenario."""
    dialog.show_subject(subject, Snapshot(inputs=None, scenario=scenario, breakdown=compute(scenario)))  # type: ignore[arg-type]  # it reads no inputs
    return dialog.text.toPlainText()


# What it says


def test_it_says_formula_numbers_result_belief_proof_and_source(dialog: WhyDialog) -> None:
    """7e9 bf16 parameters of 2 B are 13.0 GiB."""
    text = _read(dialog, Subject("component", "weights"), replace(PLAIN, precision="bf16"))
    for said in (
        "Weights: 13.0 GiB 14,000,000,000 bytes",
        "Formula: 7,000,000,000 parameters x 2 B",
        "7,000,000,000 parameters x 2 B (bf16)",
        "Often believed otherwise",
        '"Training takes 16 bytes a parameter."',
        "● real run in our tests",
        "torch.nn.Module.to(dtype)",
        "Read more: 16, 18 or 20 bytes a parameter",
    ):
        assert said in text, said


def test_every_number_of_the_list_can_be_read(dialog: WhyDialog) -> None:
    scenario = replace(PLAIN, parallel=Parallel(gpus=4))
    _read(dialog, Subject("tier", "allocated"), scenario)
    rows = [row for row in range(dialog.choice.count()) if dialog.choice.itemData(row) is not None]
    assert [dialog.choice.itemData(row) for row in rows] == list(subjects_of(compute(scenario)))
    for row in rows:
        dialog.choice.setCurrentIndex(row)
        dialog.choice.activated.emit(row)
        assert dialog.subject == dialog.choice.itemData(row)
        assert "How it was proven" in dialog.text.toPlainText()
        assert dialog.windowTitle() == f"Why? {dialog.choice.itemText(row)}"


def test_a_rank_that_is_gone_gives_way_to_the_peak(dialog: WhyDialog) -> None:
    _read(dialog, Subject("rank", "0"), replace(PLAIN, parallel=Parallel(gpus=2)))
    assert dialog.subject == Subject("rank", "0")
    _read(dialog, dialog.subject, PLAIN)
    assert dialog.subject == Subject("tier", "allocated")


def test_what_is_not_counted_says_so_and_has_no_numbers(dialog: WhyDialog) -> None:
    text = _read(dialog, Subject("component", "activations"), PLAIN)
    assert "Activations: not counted" in text
    assert "Numbers put in" not in text


def test_parts_of_the_peak_lead_to_their_own_answer(dialog: WhyDialog) -> None:
    assert "CUDA context, loaded kernels and libraries" in _read(dialog, Subject("tier", "process"), PLAIN)
    names = [subject.id for subject in subjects_of(compute(PLAIN))]
    dialog.text.anchorClicked.emit(QUrl(f"why:{names.index('reserved')}"))
    assert dialog.subject == Subject("tier", "reserved")
    assert f"why:{names.index('allocated')}" in dialog.text.toHtml()


def test_it_can_be_read_with_the_keyboard_and_copied(dialog: WhyDialog, qtbot: QtBot) -> None:
    _read(dialog, Subject("component", "weights"), PLAIN)
    dialog.show()
    flags = dialog.text.textInteractionFlags()
    for wanted in ("TextSelectableByKeyboard", "TextSelectableByMouse", "LinksAccessibleByKeyboard"):
        assert flags & Qt.TextInteractionFlag[wanted], wanted
    qtbot.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    assert "7,000,000,000 parameters x 2 B" in QGuiApplication.clipboard().text()
    assert not dialog.isModal()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_each_kind_of_proof_has_a_mark_of_its_own(dialog: WhyDialog) -> None:
    assert set(PROOF_MARKS) == set(PROOF_KINDS)
    assert len(set(PROOF_MARKS.values())) == len(PROOF_KINDS)
    said = {}
    for optimizer in ("torch.AdamW", "timm.Lion", "optax.adamw", "apex.FusedAdam"):
        text = _read(dialog, Subject("component", "optimizer_state"), replace(PLAIN, optimizer=optimizer))
        said[optimizer] = text.partition("How it was proven")[2].strip()[0]
    assert list(said.values()) == ["●", "◉", "◐", "○"]


# In the window


def _why(window: MainWindow) -> WhyDialog:
    settle()
    assert window.explaining.why is not None
    return window.explaining.why


def _ask(window: MainWindow, kind: str, name: str) -> WhyDialog:
    window.explaining.show_why(Subject(kind, name))  # type: ignore[arg-type]  # the kinds of the parameters below
    return _why(window)


def _pages(window: MainWindow) -> PagesDialog:
    settle()
    assert window.explaining.pages is not None
    return window.explaining.pages


def test_it_follows_the_figures_and_the_unit(window: MainWindow, store: Store) -> None:
    dialog = _ask(window, "component", "optimizer_state")
    store.edit("optimizer", "torch.SGD")
    assert dialog.text.toPlainText().startswith("Optimizer state: 0 B")
    store.edit("optimizer", "torch.AdamW")
    store.set_unit("GB")
    assert dialog.text.toPlainText().startswith("Optimizer state: 28.0 GB")


def test_it_opens_from_row_button_key_and_menu(window: MainWindow, qtbot: QtBot) -> None:
    panel = window.results.breakdown
    row = COMPONENT_IDS.index("gradients")
    panel.table.selectRow(row)
    panel.table.setFocus()
    QTest.keyClick(panel.table, Qt.Key.Key_Return)
    assert _why(window).subject == Subject("component", "gradients")
    place = panel.table.visualRect(panel.model.index(0, 0)).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.mouseDClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert _why(window).subject == Subject("component", "weights")
    panel.table.selectRow(row)
    qtbot.mouseClick(panel.why, Qt.MouseButton.LeftButton)
    assert _why(window).subject == Subject("component", "gradients")
    panel.table.selectRow(COMPONENT_IDS.index("optimizer_state"))
    next(each for each in panel.table.actions() if each.text() == "Why this number?").trigger()
    assert _why(window).subject == Subject("component", "optimizer_state")
    panel.table.selectRow(len(COMPONENT_IDS))
    window.actions_table["why"].trigger()
    assert _why(window).subject == Subject("tier", "allocated")
    qtbot.mouseClick(window.results.headline.why, Qt.MouseButton.LeftButton)
    assert _why(window).subject == Subject("tier", "process")


def test_a_phase_and_a_rank_can_be_asked_about(window: MainWindow, store: Store, qtbot: QtBot) -> None:
    qtbot.mouseClick(window.results.timeline.why, Qt.MouseButton.LeftButton)
    assert store.snapshot.breakdown is not None
    assert _why(window).subject == Subject("phase", store.snapshot.breakdown.peak_phase)
    store.load_model(preset_ref("llama-3.2-1b"), None)
    store.edit("parallel.gpus", "2")
    store.edit("parallel.pp", "2")
    ranks = window.results.panel("ranks")
    assert ranks is not None
    ranks.table.selectRow(1)  # type: ignore[attr-defined]  # the panel of ranks has a table
    ranks.table.activated.emit(ranks.table.model().index(1, 0))  # type: ignore[attr-defined]  # as above
    assert _why(window).subject == Subject("rank", "1")


def test_it_is_drawn_anew_in_the_other_theme(window: MainWindow) -> None:
    dialog = _ask(window, "component", "weights")
    light = dialog.text.toHtml()
    window.appearance.set_theme("dark")
    settle()
    assert dialog.text.toHtml() != light


# The pages


def test_why_leads_to_its_page(window: MainWindow) -> None:
    dialog = _ask(window, "tier", "process")
    dialog.text.anchorClicked.emit(QUrl("page:allocated-reserved-process"))
    pages = _pages(window)
    assert pages.page == "allocated-reserved-process"
    assert pages.text.toPlainText().startswith("Allocated, reserved, nvidia-smi")


@pytest.fixture
def reader(qtbot: QtBot) -> PagesDialog:
    made = PagesDialog()
    qtbot.addWidget(made)
    return made


def test_every_page_is_read_in_both_languages(qtbot: QtBot) -> None:
    before = QLocale()
    for language in LANGUAGES:
        QLocale.setDefault(QLocale("zh_CN" if language == "zh_CN" else "en_US"))
        reader = PagesDialog()
        qtbot.addWidget(reader)
        assert reader.list.count() == len(PAGES)
        for row, page in enumerate(PAGES):
            reader.list.setCurrentRow(row)
            source = (page_dir(language) / f"{page}.md").read_text("utf-8")
            text, title = reader.text.toPlainText(), source.partition("\n")[0].removeprefix("# ")
            assert reader.list.item(row).text() == title
            assert text.startswith(title)
            assert "<!--" not in text
            assert text.count("\ufffc") == source.count(".svg)") == 1  # its picture
    QLocale.setDefault(before)


def test_links_turn_to_other_pages_and_nowhere_else(reader: PagesDialog) -> None:
    reader.text.anchorClicked.emit(QUrl("why-the-estimate-differs.md"))
    assert reader.page == "why-the-estimate-differs"
    reader.text.anchorClicked.emit(QUrl("https://example.org/where-the-memory-goes.md"))
    assert reader.page == "why-the-estimate-differs"


def test_a_switch_of_language_turns_the_page(window: MainWindow) -> None:
    window.explaining.show_page("bytes-per-parameter")
    dialog = _pages(window)
    window.appearance.set_language("zh_CN")
    settle()
    assert dialog.page == "bytes-per-parameter"
    assert dialog.text.toPlainText().startswith("每个参数 16、18 还是 20 字节")


def _ground(picture: QImage) -> int:
    return picture.pixelColor(picture.width() // 2, picture.height() - 8).lightness()


def test_drawings_follow_the_theme() -> None:
    path = page_dir("en") / "course.svg"
    light, dark = (drawing(path, 600, 2.0, dark=dark) for dark in (False, True))
    assert light.width() == dark.width() == 1200
    assert light.deviceIndependentSize().width() == 600
    assert _ground(light) > 200
    assert _ground(dark) < 80


def test_a_language_without_pages_reads_english() -> None:
    assert page_folder_of(QLocale("fr_FR")) == page_dir("en")
    assert page_title("bytes-per-parameter", QLocale("de_DE")) == "16, 18 or 20 bytes a parameter"
