"""``optmem optimizers`` and ``optmem probe``: the catalogue, and an optimizer of one's own in it."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from optmem_gui.cli import optimizers as module
from optmem_gui.core.optimizers.catalogue import ALIASES, CATALOGUE, find
from tests.cli.conftest import Optmem

TOYS = Path(__file__).resolve().parents[1] / "engine"


@pytest.fixture(autouse=True)
def _own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A settings folder of the test's own, and the catalogue as it was."""
    monkeypatch.setattr(module, "settings_dir", lambda: tmp_path)
    entries, names = set(CATALOGUE), set(ALIASES)
    yield
    for name in set(CATALOGUE) - entries:
        del CATALOGUE[name]
    for name in set(ALIASES) - names:
        del ALIASES[name]


def test_every_entry_has_what_scripts_read(optmem: Optmem) -> None:
    rows = optmem("optimizers", "--json").document["optimizers"]
    assert [row["id"] for row in rows] == list(CATALOGUE)
    for row in rows:
        assert set(row) >= {"id", "path", "library", "family", "options", "proven"}
        assert row["proven"]
        assert find(row["id"]).path == row["path"]


def test_the_classes_of_torch_are_where_the_catalogue_says(optmem: Optmem) -> None:
    rows = optmem("optimizers", "--library", "torch", "--json").document["optimizers"]
    assert len(rows) == 15
    for row in rows:
        name, _, attribute = row["path"].rpartition(".")
        assert isinstance(getattr(importlib.import_module(name), attribute), type)
        assert row["proven"].startswith("torch 2.")


def test_people_get_one_line_an_optimizer(optmem: Optmem) -> None:
    lines = optmem("optimizers").out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(CATALOGUE)


def test_filters_narrow_the_list_and_can_be_joined(optmem: Optmem) -> None:
    found = optmem("optimizers", "--library", "Torch", "--family", "sgd", "--json").document["optimizers"]
    assert {(row["library"], row["family"]) for row in found} == {("torch", "sgd")}
    lines = optmem("optimizers", "--family", "adafactor").out.splitlines()[1:]
    assert [line.split()[0] for line in lines] == [
        e.id for e in CATALOGUE.values() if e.family == "adafactor"
    ]


@pytest.mark.parametrize(
    "words", [("--library", "none"), ("--family", "none"), ("--library", "torch", "--family", "x")]
)
def test_a_group_that_is_not_there_is_refused(optmem: Optmem, words: tuple[str, ...]) -> None:
    assert "choose one of" in optmem("optimizers", *words).refusal


def test_a_class_is_probed_added_and_estimated(optmem: Optmem, tmp_path: Path) -> None:
    """Low rank 4: matrices keep 4 x their larger side in bf16, everything else its own size."""
    answer = optmem("probe", "probed_optimizers:LowRank", "--folder", TOYS, "--yes", "--json")
    assert answer.code == 0
    assert answer.document["id"] == "user.LowRank"
    assert json.loads((tmp_path / "optimizers.json").read_text())["optimizers"][0]["id"] == "user.LowRank"
    del CATALOGUE["user.LowRank"]
    words = ("estimate", "--params", "10M", "--optimizer", "user.LowRank", "--precision", "bf16", "--json")
    components = {row["id"]: row for row in optmem(*words).document["components"]}
    assert 0 < components["optimizer_state"]["bytes"] < 0.2 * 2 * 10_000_000
    assert "user.LowRank" in optmem("optimizers", "--library", "user").out


def test_what_is_not_explained_is_not_added(optmem: Optmem, tmp_path: Path) -> None:
    answer = optmem("probe", "probed_optimizers.Odd", "--folder", TOYS, "--yes")
    assert answer.code == 1
    assert "odd: no rule explains its sizes" in answer.out
    assert "Not added" in answer.out
    assert not (tmp_path / "optimizers.json").exists()


def test_a_class_that_raises_is_one_line(optmem: Optmem) -> None:
    refusal = optmem("probe", "probed_optimizers.Raising", "--folder", TOYS, "--yes").refusal
    assert "a mistake of my own" in refusal


def test_nothing_runs_without_a_yes(optmem: Optmem, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    assert "--yes" in optmem("probe", "probed_optimizers.LowRank").refusal


def test_a_damaged_file_is_said_and_stops_nothing(optmem: Optmem, tmp_path: Path) -> None:
    (tmp_path / "optimizers.json").write_text("{")
    answer = optmem("optimizers", "--json")
    assert answer.code == 0
    assert answer.document["optimizers"]
    assert answer.err.count("\n") == 1
    assert "set aside" in answer.err
