"""Results on paper, read back by readers that are not ours: one page, fonts inside, figures as text."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from pypdf import PdfReader
from pypdf.generic import DictionaryObject
from PySide6.QtGui import QColor, QImage, QPainter, QPicture
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from optmem_gui import __version__
from optmem_gui.architectures.presets import preset_ref
from optmem_gui.core.breakdown import Breakdown
from optmem_gui.core.estimate import compute
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.scenario import Lora, Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.units import format_bytes, format_count
from optmem_gui.engine.gpu_table import find_gpu
from optmem_gui.gui.exported import content_from, exported_from
from optmem_gui.gui.panels.headline import HeadlinePanel
from optmem_gui.gui.paper.page import PARTS, Content, Part, fitting, height_of
from optmem_gui.gui.paper.sheet import POINT, Sheet, rectangle
from optmem_gui.gui.pdf_report import PAPER_SIZES, pdf_report
from optmem_gui.gui.picture import WIDTH, picture, picture_size, png, svg
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.theme import apply_fonts, apply_theme, component_ids, component_style
from tests.gui.result_samples import snapshot
from tests.gui.simulation_samples import simulated

CHARTS: frozenset[Part] = frozenset({"bar", "breakdown", "course"})
ALL = frozenset(PARTS)
_LLAMA = preset_ref("llama-3.1-8b")
SCENARIOS = {
    "count": Scenario(synthetic_ref(7 * 10**9)),
    "small": Scenario(synthetic_ref(5000), batch=1, sequence=4, precision="fp32"),
    "lora": Scenario(
        preset_ref("llama-3.1-8b"), batch=1, sequence=2048, lora=Lora(16, ("all-linear",), "nf4")
    ),
    "ranks": Scenario(
        preset_ref("llama-3.1-8b"), parallel=Parallel(gpus=8, shard="zero3"), batch=1, sequence=64
    ),
    "offload": Scenario(synthetic_ref(10**9), parallel=Parallel(gpus=2, shard="zero2", offload="optimizer")),
}


@pytest.fixture
def app(qapp: QApplication) -> Iterator[QApplication]:
    font = qapp.font()
    apply_fonts(qapp)
    yield qapp
    qapp.setFont(font)
    apply_theme(qapp, "light")


@pytest.fixture
def content(app: QApplication, qtbot: QtBot) -> Callable[[Snapshot], Content]:
    """What is drawn of a snapshot."""
    headline = HeadlinePanel()
    qtbot.addWidget(headline)

    def make(shown: Snapshot) -> Content:
        headline.render(shown)
        exported = exported_from(shown, headline)
        assert exported is not None
        return content_from(exported, headline)

    return make


def computed(name: str, gpu_id: str | None = "h100-80gb") -> tuple[Snapshot, Breakdown]:
    gpu = None if gpu_id is None else find_gpu(gpu_id)
    scenario = replace(SCENARIOS[name], gpu=gpu_id)
    breakdown = compute(scenario, gpu)
    return replace(snapshot(breakdown), scenario=scenario, gpu=gpu), breakdown


def text_of(data: bytes) -> str:
    reader = PdfReader(io.BytesIO(data))
    assert len(reader.pages) == 1
    return " ".join(reader.pages[0].extract_text().split())


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_pdf_is_one_page_whose_figures_can_be_copied(
    content: Callable[[Snapshot], Content], name: str
) -> None:
    shown, breakdown = computed(name)
    drawn = content(shown)
    text = text_of(pdf_report(drawn))
    assert format_bytes(breakdown.peak_bytes) in text
    assert f"{format_count(breakdown.peak_bytes)} bytes" in text
    assert shown.scenario.optimizer in text
    assert __version__ in text
    for section in drawn.report.sections:
        for line in section.lines:
            assert line.split()[-1] in text, line
    for row in drawn.breakdown.rows:
        for cell in row[:6]:
            assert cell in text


def test_fonts_are_embedded_and_nothing_is_a_picture(content: Callable[[Snapshot], Content]) -> None:
    page = PdfReader(io.BytesIO(pdf_report(content(computed("lora")[0])))).pages[0]
    resources = page["/Resources"]
    assert isinstance(resources, DictionaryObject)
    fonts = resources["/Font"]
    assert isinstance(fonts, DictionaryObject)
    assert len(fonts) >= 2  # regular and bold
    for font in fonts.values():
        (descendant,) = font.get_object()["/DescendantFonts"]
        descriptor = descendant.get_object()["/FontDescriptor"]
        assert {"/FontFile2", "/FontFile3"} & set(descriptor)
    assert len(page.images) == 0


@pytest.mark.parametrize("paper", PAPER_SIZES)
def test_pages_have_the_size_asked_for(content: Callable[[Snapshot], Content], paper: str) -> None:
    box = PdfReader(io.BytesIO(pdf_report(content(computed("count")[0]), paper))).pages[0].mediabox
    width, height = {"A4": (595.3, 841.9), "Letter": (612.0, 792.0)}[paper]
    assert float(box.width) == pytest.approx(width, abs=1)
    assert float(box.height) == pytest.approx(height, abs=1)


def test_a_report_that_is_long_gets_smaller_and_stays_one_page(
    content: Callable[[Snapshot], Content],
) -> None:
    drawn = content(computed("lora")[0])
    width, height = 515 * POINT, 740 * POINT
    sizes = []
    for times in (1, 2, 3):
        sections = tuple(replace(section, lines=section.lines * times) for section in drawn.report.sections)
        more = replace(drawn, report=replace(drawn.report, sections=sections))
        looks = fitting(more, ALL, width, height)
        assert height_of(more, ALL, width, looks) <= height
        sizes.append(looks.note_points)
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]


def test_what_has_no_room_at_all_is_counted(content: Callable[[Snapshot], Content]) -> None:
    drawn = content(computed("lora")[0])
    sections = tuple(replace(section, lines=section.lines * 20) for section in drawn.report.sections)
    lines = sum(len(section.lines) for section in sections)
    more = replace(drawn, report=replace(drawn.report, sections=sections))
    text = text_of(pdf_report(more))
    found = re.search(r"(\d+) more lines", text)
    assert found is not None
    assert 0 < int(found[1]) < lines


def test_without_a_gpu_and_without_an_architecture_nothing_is_made_up(
    content: Callable[[Snapshot], Content],
) -> None:
    shown, _ = computed("count", None)
    text = text_of(pdf_report(content(shown)))
    assert "No GPU chosen" in text
    assert "not counted" in text
    assert "usable" not in text


@pytest.mark.parametrize("scale", [1, 3, 8])
def test_a_png_has_its_scale_a_light_ground_and_its_notes(
    app: QApplication, content: Callable[[Snapshot], Content], scale: int
) -> None:
    apply_theme(app, "dark")
    drawn = content(computed("lora")[0])
    image = QImage.fromData(png(picture(drawn, CHARTS, scale)))
    assert image.width() == WIDTH * scale
    assert image.size() == picture_size(drawn, CHARTS, scale)
    assert image.pixelColor(2, 2) == QColor("white")
    weights = component_style("weights", dark=False).colour
    assert any(
        image.pixelColor(x, y) == weights for x in range(0, 300, 2) for y in range(0, image.height(), 3)
    )
    assert drawn.report.answer[0] in image.text("Description")
    assert __version__ in image.text("Software")
    for section in drawn.report.sections:
        assert all(line in image.text("Description") for line in section.lines)


def test_parts_are_left_out(content: Callable[[Snapshot], Content]) -> None:
    drawn = content(computed("lora")[0])
    heights = [picture_size(drawn, parts).height() for parts in (frozenset[Part](), CHARTS, ALL)]
    assert heights == sorted(set(heights))


@pytest.mark.parametrize("name", SCENARIOS)
def test_an_svg_is_xml_whose_figures_are_text(content: Callable[[Snapshot], Content], name: str) -> None:
    shown, breakdown = computed(name)
    drawn = content(shown)
    root = ElementTree.fromstring(svg(drawn, ALL))  # noqa: S314  # written by this test
    space = "{http://www.w3.org/2000/svg}"
    words = " ".join(element.text or "" for element in root.iter(f"{space}text"))
    words = " ".join(words.split())
    assert root.get("viewBox") == f"0 0 {WIDTH * 10} {picture_size(drawn, ALL).height() * 10}"
    assert format_bytes(breakdown.peak_bytes) in words
    assert f"{format_count(breakdown.peak_bytes)} bytes" in words
    for row in drawn.breakdown.rows:
        assert all(cell in words for cell in row[:6])
    assert root.findtext(f"{space}title") == drawn.report.title
    description = root.findtext(f"{space}desc") or ""
    assert all(line in description for section in drawn.report.sections for line in section.lines)
    assert list(root.iter(f"{space}image")) == []


def test_every_component_has_a_hatch_of_its_own_on_paper(app: QApplication) -> None:
    looks = set()
    for name in component_ids():
        image = QImage(400, 400, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        sheet = Sheet(painter, 400)
        style = component_style(name, dark=False)
        black = replace(style, colour=QColor("white"), ink=QColor("black"))
        sheet.fill(rectangle(image.rect().toRectF()), black)
        painter.end()
        looks.add(bytes(image.constBits()))
    assert len(looks) == len(component_ids())


def test_long_words_break_and_plain_ones_do_not(app: QApplication) -> None:
    picture_ = QPicture()
    painter = QPainter(picture_)
    sheet = Sheet(painter, 1000)
    line = sheet.line_height(8)
    assert sheet.text_height("one two", sheet.text_width("one two", 8) * 0.9, 8) == pytest.approx(
        2 * line, rel=0.1
    )
    assert sheet.text_height("x" * 100, sheet.text_width("x" * 30, 8), 8) >= 3.9 * line
    painter.end()


def test_the_chinese_window_exports_chinese(make_window: Callable[..., object], qtbot: QtBot) -> None:
    from optmem_gui.gui.main_window import MainWindow

    window = make_window("zh_CN", "dark")
    assert isinstance(window, MainWindow)
    headline = window.results.headline
    exported = exported_from(window.store.snapshot, headline)
    assert exported is not None
    text = text_of(pdf_report(content_from(exported, headline)))
    assert "权重" in text
    assert "峰值" in text
    peak = window.store.snapshot.breakdown
    assert peak is not None
    assert format_bytes(peak.peak_bytes) in text  # figures beside Chinese can be copied, too


def test_what_was_simulated_of_these_inputs_stands_beside(content: Callable[[Snapshot], Content]) -> None:
    shown = snapshot()
    state = simulated(shown)
    result = state.result
    assert result is not None
    drawn = content(replace(shown, simulation=state))
    ((title, table),) = [(s.title, s.table) for s in drawn.report.sections if s.title == "Simulated"]
    assert table is not None
    rows = [row for row in result.rows if row.estimated or row.simulated]
    assert [(row[-2], row[-1]) for row in table.rows] == [(str(r.estimated), str(r.simulated)) for r in rows]
    peak = next(row for row in rows if row.kind == "peak")
    error = table.rows[rows.index(peak)][3]
    # an error is (prediction - reality) / reality
    assert error == f"{(peak.estimated - peak.simulated) / peak.simulated:+.2%}"
    text = text_of(pdf_report(drawn))
    assert format_bytes(result.report.peak_bytes) in text
    other = replace(shown, scenario=replace(shown.scenario, precision="fp32"), simulation=state)
    assert all(section.title != title for section in content(other).report.sections)
