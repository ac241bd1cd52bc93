"""The pages about memory: every figure is the program's, both languages tell the same, links lead on."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from optmem_gui.core.estimate import compute
from optmem_gui.core.units import format_bytes
from optmem_gui.core.why.sources import PAGES
from optmem_gui.engine.gpu_table import find_gpu
from tools.page_drawings import drawings
from tools.page_words import LANGUAGES, WORDS
from tools.pages import EXAMPLE, FOLDER, GPU, SHOWN, filled, pages, scheme_bytes

_MARK = re.compile(r"<!--=([\w.]+)-->.*?<!--/-->")
_TABLE = re.compile(r"<!-- table (\w+) -->")
_LINK = re.compile(r"\]\(([^)]+)\)")
_SIZE = re.compile(r"\d[\d.,]*\s?[KMGT]iB")


def _text(language: str, page: str) -> str:
    return (FOLDER / language / f"{page}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_figure_is_what_the_program_says_now(language: str) -> None:
    """Run ``python -m tools.pages`` where this fails."""
    for path, text in pages(language).items():
        assert path.read_text(encoding="utf-8") == text, path


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_drawing_is_what_the_program_draws_now(language: str) -> None:
    """Run ``python -m tools.pages`` where this fails."""
    for name, svg in drawings(language).items():
        assert (FOLDER / language / name).read_text(encoding="utf-8") == svg, name
        ElementTree.fromstring(svg)  # noqa: S314  # our own text


def test_a_stale_figure_is_found() -> None:
    text = _text("en", "where-the-memory-goes")
    spoilt = text.replace(format_bytes(compute(EXAMPLE, find_gpu(GPU)).peak_bytes), "1.00 GiB")
    assert spoilt != text
    assert filled(spoilt, "en") == text


@pytest.mark.parametrize("language", LANGUAGES)
def test_components_of_the_example_stand_in_the_table(language: str) -> None:
    """The table's rows, read back from the page, are those of an estimate made here."""
    found = compute(EXAMPLE, find_gpu(GPU))
    body = _text(language, "where-the-memory-goes").partition("<!-- table components -->")[2]
    rows = [line.strip("|").split("|") for line in body.strip().splitlines()[2:10]]
    said = [(row[1].strip(), row[2].strip()) for row in rows]
    real = [found.component(name) for name in SHOWN]
    assert said == [(format_bytes(row.bytes), format_bytes(row.at_peak)) for row in real]


def test_bytes_a_parameter_by_hand() -> None:
    """Weights, gradients, master weights, two moments; kept; in the step, with fp32 copies of gradients."""
    said = {scheme: [round(each, 2) for each in scheme_bytes(scheme)] for scheme in ("fp32", "bf16")}
    assert said == {"fp32": [4, 4, 0, 8, 16, 16], "bf16": [2, 2, 0, 4, 8, 8]}
    assert [round(each, 2) for each in scheme_bytes("bf16-master")] == [2, 2, 4, 8, 16, 20]
    assert [round(each, 2) for each in scheme_bytes("megatron-bf16")] == [2, 4, 4, 8, 18, 18]


def test_eight_bits_by_hand() -> None:
    """Two codes of 1 B, and two fp32 scales a block of 256: 2 + 2 x 4 / 256 = 2.03 B."""
    assert "<!--=8bit.each-->2.03<!--/-->" in _text("en", "8-bit-and-factored-states")


@pytest.mark.parametrize("page", PAGES)
def test_both_languages_tell_the_same(page: str) -> None:
    english, chinese = (_text(language, page) for language in LANGUAGES)
    assert sorted(_MARK.findall(english)) == sorted(_MARK.findall(chinese))
    assert _TABLE.findall(english) == _TABLE.findall(chinese)
    assert sorted(_LINK.findall(english)) == sorted(_LINK.findall(chinese))
    for start in ("# ", "## ", "- ", "|"):
        counts = [sum(line.startswith(start) for line in text.splitlines()) for text in (english, chinese)]
        assert counts[0] == counts[1], start


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(language: str, page: str) -> None:
    for target in _LINK.findall(_text(language, page)):
        assert (FOLDER / language / target).is_file(), target


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_no_other_pages(language: str) -> None:
    folder: Path = FOLDER / language
    assert {path.stem for path in folder.glob("*.md")} == set(PAGES)
    drawn = {target for page in PAGES for target in _LINK.findall(_text(language, page)) if ".svg" in target}
    assert {path.name for path in folder.glob("*.svg")} == drawn


@pytest.mark.parametrize("language", LANGUAGES)
def test_sizes_in_running_text_are_the_programs(language: str) -> None:
    """Outside tables, whose figures are filled in, no size stands in a text without its mark."""
    for page in PAGES:
        lines = [line for line in _text(language, page).splitlines() if not line.startswith("|")]
        assert _SIZE.findall(_MARK.sub("", "\n".join(lines))) == [], page


def test_words_of_drawings_are_complete_in_both_languages() -> None:
    assert set(WORDS["en"]) == set(WORDS["zh_CN"])
    for language in LANGUAGES:
        assert all(words for words in WORDS[language].values())
    for svg in drawings("zh_CN").values():
        assert re.search("[\u4e00-\u9fff]", svg)
