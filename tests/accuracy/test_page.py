"""The accuracy page says what the program says now, and what was left out is left out for a reason."""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from optmem_gui.core.units import MIB
from tools import accuracy

PAGE = accuracy.PAGE.read_text(encoding="utf-8")
REPRODUCED: dict[str, Any] = json.loads((accuracy.DATA / "reproduced.json").read_text(encoding="utf-8"))
PUBLISHED: dict[str, Any] = json.loads((accuracy.DATA / "published.json").read_text(encoding="utf-8"))


def part(text: str, name: str) -> str:
    """What stands between the marks of a part."""
    found = re.search(rf"<!-- {name} -->\n\n(.*?)\n<!-- /{name} -->", text, re.DOTALL)
    assert found is not None, name
    return found[1]


def test_the_recorded_runs_on_the_page_are_the_committed_ones() -> None:
    assert part(PAGE, "reproduced") == "\n".join(
        accuracy.figure_lines([*accuracy.reproduced(), *accuracy.traced()])
    )


def test_traced_runs_equal_their_recordings() -> None:
    figures = accuracy.reproduced()
    allocated = [figure for figure in figures if figure.tier == "allocated"]
    reserved = [figure for figure in figures if figure.tier == "reserved" and figure.known]
    assert len(allocated) == 26
    assert all(figure.said == figure.real for figure in allocated)
    assert max(abs(figure.error) for figure in reserved) <= 0.005
    assert sum(figure.said == figure.real for figure in reserved) >= 21


def test_traced_code_equals_what_was_printed() -> None:
    # printed with two or three decimals of a MiB; 1070.625 was printed as 1070.62
    figures = [figure for figure in accuracy.traced() if "attention benchmark" in figure.source]
    assert len(figures) == 36
    assert all(abs(figure.said - figure.real) <= 0.0051 * MIB for figure in figures)


def test_published_peaks_of_public_trainers_are_met() -> None:
    # printed with two decimals of a GB, up to 0.1 % of the figure
    figures = [figure for figure in accuracy.traced() if "litgpt" in figure.source]
    assert len(figures) == 13
    assert max(abs(figure.error) for figure in figures) <= 0.0025


@pytest.fixture(scope="module")
def published() -> list[accuracy.Figure]:
    """The published runs, computed and simulated by this version."""
    return accuracy.published()


def test_the_published_runs_on_the_page_are_those_of_this_version(published: list[accuracy.Figure]) -> None:
    assert part(PAGE, "published") == "\n".join(accuracy.figure_lines(published))


def test_published_runs_are_near(published: list[accuracy.Figure]) -> None:
    state = [figure for figure in published if figure.tier == "state" and figure.known]
    assert max(abs(figure.error) for figure in state) <= 0.001
    process = [abs(figure.error) for figure in published if figure.tier == "process"]
    assert median(process) <= 0.02
    assert max(process) <= 0.08


def test_the_summary_is_that_of_the_figures_and_stands_in_both_readmes(
    published: list[accuracy.Figure],
) -> None:
    assert part(PAGE, "summary") == "\n".join(accuracy.summary_lines(published))
    for name, language in accuracy.READMES.items():
        lines = accuracy.summary_lines(published, language)
        assert part((accuracy.ROOT / name).read_text(encoding="utf-8"), "accuracy") == "\n".join(lines)


def test_the_replay_on_the_page_is_that_of_the_recordings(reference_data: Path) -> None:
    rows = accuracy.replayed(reference_data / "cuda-traces")
    assert part(PAGE, "replay") == "\n".join(accuracy.recordings_part(rows))


def is_left_out(figure: dict[str, Any]) -> bool:
    """Whether a published figure falls under one of the reasons."""
    return any(
        figure["source"].startswith(row["prefix"])
        and figure["value"] in row.get("values", [figure["value"]])
        and figure["model"] == row.get("model", figure["model"])
        for row in PUBLISHED["left_out"]
    )


def test_every_published_figure_is_compared_or_left_out_for_a_reason(reference_data: Path) -> None:
    figures = json.loads((reference_data / "facts" / "measured.json").read_text(encoding="utf-8"))
    rows = [*(row for row in PUBLISHED["rows"] if row["way"] == "simulate"), *REPRODUCED["published"]]
    compared = [
        figure
        for figure in figures
        if any(figure["source"].startswith(row["prefix"]) and figure["value"] == row["real"] for row in rows)
    ]
    assert len(compared) >= len(rows)
    assert [f["source"] for f in figures if f not in compared and not is_left_out(f)] == []


def test_a_part_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="no part called summary"):
        accuracy.swap("text", "summary", [])
