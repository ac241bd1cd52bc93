"""Kinds of proof are told apart, and each optimizer is said to be proven as it is."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.proof import PROOF_KINDS, PROVEN, kind_label, kind_of, proof_of, proven_with
from optmem_gui.core.texts import TEMPLATES

HERE = Path(__file__).parent
RECORDED = HERE / "optimizers" / "recorded"
PROJECT = HERE.parent.parent / "pyproject.toml"


def _recordings() -> dict[str, dict[str, Any]]:
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in RECORDED.glob("*.json")}


def test_what_has_a_recording_is_not_said_to_be_run() -> None:
    """A file that says where it was read holds figures of earlier runs; one of our tool's says nothing."""
    for name, recording in _recordings().items():
        carried = "source" in recording or "note" in recording
        ids = {row["id"] for row in recording["rows"]}
        kinds = {kind_of(CATALOGUE[optimizer]) for optimizer in ids}
        assert kinds == {"carried" if carried else "recording"}, name


def test_nothing_else_is_said_to_be_recorded() -> None:
    recorded = {row["id"] for recording in _recordings().values() for row in recording["rows"]}
    said = {each.id for each in CATALOGUE.values() if kind_of(each) in ("recording", "carried")}
    assert said == recorded


def test_what_is_said_to_be_run_is_installed_by_the_tests() -> None:
    """Every library behind a real run is pinned among what the tests install."""
    pinned = {_plain(name) for name in re.findall(r'"([A-Za-z0-9_.-]+)==', PROJECT.read_text("utf-8"))}
    run = {_plain(each.proven.split()[0]) for each in CATALOGUE.values() if kind_of(each) == "run"}
    assert run - pinned == {"torch"}  # installed by itself, in the version that a user has


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_kind_of_the_catalogue_is_there() -> None:
    counts = Counter(kind_of(each) for each in CATALOGUE.values())
    assert set(counts) == {"run", "recording", "carried", "source"}
    assert counts["carried"] == 103


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_the_readme_counts_each_kind(name: str) -> None:
    text = (PROJECT.parent / name).read_text(encoding="utf-8")
    said = re.search(r"<!-- kinds -->(.*?)<!-- /kinds -->", text)
    assert said is not None
    counts = Counter(kind_of(each) for each in CATALOGUE.values())
    assert [int(count) for count in re.findall(r"\d+", said[1])] == [
        counts["run"],
        counts["recording"],
        counts["carried"],
    ]


def test_a_users_own_optimizer_was_run_on_their_computer() -> None:
    own = replace(CATALOGUE["torch.SGD"], id="user.Mine", proven="mine 2.0")
    assert kind_of(own) == "probed"
    assert str(proof_of(own).what) == "Its rules were found by stepping mine 2.0 here."


def test_every_kind_has_its_words() -> None:
    labels = {str(kind_label(kind)) for kind in PROOF_KINDS}
    assert len(labels) == len(PROOF_KINDS)
    assert {f"proof.optimizer.{kind}" for kind in PROOF_KINDS if kind != "given"} <= set(TEMPLATES)
    assert set(PROOF_KINDS) - PROVEN == {"source", "given"}


@pytest.mark.parametrize(
    ("optimizer", "cell"),
    [
        ("torch.AdamW", "torch 2.13.0"),
        ("timm.Lion", "timm 1.0.31, recorded"),
        ("optax.adamw", "optax 0.2.8, figures"),
        ("apex.FusedAdam", "from source"),
    ],
)
def test_a_cell_tells_them_apart(optimizer: str, cell: str) -> None:
    assert str(proven_with(CATALOGUE[optimizer])) == cell
