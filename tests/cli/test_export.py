"""``optmem estimate --export``: files beside the answer, never over one that is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Optmem

_MODEL = ("estimate", "--params", "1B", "--gpu", "h100-80gb")


@pytest.mark.parametrize("suffix", [".csv", ".json", ".md", ".tex", ".html"])
def test_a_file_of_each_format(optmem: Optmem, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"estimate{suffix}"
    answer = optmem(*_MODEL, "--export", path, "--json")
    assert answer.code == 0
    peak = answer.document["peak"]["allocated"]  # stdout stays what it is without the file
    assert str(path) in answer.err
    text = path.read_text(encoding="utf-8")
    assert str(peak) in text.replace(",", "")


def test_several_files_at_once(optmem: Optmem, tmp_path: Path) -> None:
    paths = [tmp_path / "a.md", tmp_path / "b.json"]
    answer = optmem(*_MODEL, "--export", paths[0], "--export", paths[1])
    assert answer.code == 0
    assert answer.out.startswith("1B parameters")
    assert json.loads(paths[1].read_text(encoding="utf-8"))["made"]["program"]["name"] == "OptMem"
    assert paths[0].read_text(encoding="utf-8").startswith("## 1B parameters")


def test_a_file_that_is_there_stays_unless_it_may_go(optmem: Optmem, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("mine", encoding="utf-8")
    assert "--overwrite" in optmem(*_MODEL, "--export", path).refusal
    assert path.read_text(encoding="utf-8") == "mine"
    assert optmem(*_MODEL, "--export", path, "--overwrite").code == 0
    assert "Weights" in path.read_text(encoding="utf-8")


def test_a_link_that_leads_nowhere_counts_as_there(optmem: Optmem, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.symlink_to(tmp_path / "gone.csv")
    assert "is there already" in optmem(*_MODEL, "--export", path).refusal


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a.pdf", "drawn by the window"),
        ("a.docx", ".csv, .json, .md, .tex, .html"),
        ("none/a.csv", "cannot be written"),
    ],
)
def test_what_cannot_be_saved_is_one_line(optmem: Optmem, tmp_path: Path, name: str, said: str) -> None:
    assert said in optmem(*_MODEL, "--export", tmp_path / name).refusal
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("more", [("--solve", "batch"), ("--gpu", "all")])
def test_only_one_estimate_is_saved(optmem: Optmem, tmp_path: Path, more: tuple[str, str]) -> None:
    assert "saves one estimate" in optmem(*_MODEL, *more, "--export", tmp_path / "a.csv").refusal


def test_the_check_still_answers(optmem: Optmem, tmp_path: Path) -> None:
    answer = optmem(
        "estimate", "--params", "70B", "--gpu", "h100-80gb", "--check", "--export", tmp_path / "a.md"
    )
    assert answer.code == 1
    assert (tmp_path / "a.md").is_file()
