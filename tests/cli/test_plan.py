"""``optmem plan``: the numbers are those of ``optmem estimate``, and refusals name what is missing."""

from __future__ import annotations

import pytest

from optmem_gui.core.units import format_bytes
from tests.cli.conftest import Optmem

MODEL = ("--preset", "llama-3.1-8b", "--precision", "bf16", "--batch", 1, "--seq", 2048)


def test_the_first_layout_is_what_estimate_says(optmem: Optmem) -> None:
    planned = optmem("plan", *MODEL, "--gpu", "rtx-4090", "--json")
    assert planned.code == 0
    document = planned.document
    first = document["layouts"][0]
    assert first["fits"] == "yes"
    assert document["gpus"] == first["gpus"] > 1
    words = [
        word for name in ("gpus", "shard", "tp", "pp", "cp", "ep") for word in (f"--{name}", first[name])
    ]
    estimate = optmem("estimate", *MODEL, "--gpu", "rtx-4090", *words, "--json").document
    assert estimate["peak"] == first["peak"]
    assert estimate["process"] == first["process"]
    assert estimate["device"]["fits"] == "yes"


def test_every_smaller_number_was_tried(optmem: Optmem) -> None:
    document = optmem("plan", *MODEL, "--gpu", "rtx-4090", "--json").document
    tried = [row["gpus"] for row in document["counts"]]
    assert tried == [1 << power for power in range(len(tried))]
    assert tried[-1] == document["gpus"]
    assert all(row["fits"] != "yes" for row in document["counts"][:-1])


def test_the_text_names_the_number_and_the_layouts(optmem: Optmem) -> None:
    answer = optmem("plan", *MODEL, "--gpu", "rtx-4090")
    lines = answer.out.splitlines()
    assert "4 x GeForce RTX 4090" in lines[0]
    assert lines[2].split()[:3] == ["layout", "fits", "peak"]
    assert lines[3].split()[:2] == ["tp4", "yes"]
    assert "least peak GiB" in answer.out


def test_where_nothing_fits_the_code_says_no(optmem: Optmem) -> None:
    answer = optmem("plan", "--preset", "llama-3.1-405b", "--gpu", "rtx-4090", "--gpus-max", 4)
    assert answer.code == 1
    assert "no layout is sure to fit on up to 4 x" in answer.out


def test_a_given_number_is_planned_alone(optmem: Optmem) -> None:
    document = optmem("plan", *MODEL, "--gpu", "h100-80gb", "--gpus", 24, "--json").document
    assert {row["gpus"] for row in document["layouts"]} == {24}
    assert {row["tp"] for row in document["layouts"]} >= {1, 2, 4, 8}  # 3 does not divide 32 heads


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--gpus-max", 8), "add `--gpu ID`"),
        (("--gpu", "h100-80gb", "--gpus-max", 0), "--gpus-max: 0 is not a whole number"),
        (("--gpu", "no-such-gpu"), "no-such-gpu"),
    ],
)
def test_what_is_missing_is_named(words: tuple[object, ...], says: str, optmem: Optmem) -> None:
    assert says in optmem("plan", *MODEL, *words).refusal


def test_an_estimate_shows_every_rank_and_host_memory(optmem: Optmem) -> None:
    several = ("--gpus", 16, "--pp", 4, "--shard", "zero2", "--offload", "optimizer", "--accumulate", 8)
    words = ("--preset", "llama-3.1-8b", "--precision", "bf16-master", "--batch", 1, "--seq", 2048)
    text = optmem("estimate", *words, *several).out
    assert "on the worst of 16 ranks (stage 1 of 4" in text
    assert "stage 4 of 4: 8 layers, the head and the loss" in text
    document = optmem("estimate", *words, *several, "--json").document
    host = max(row["host_bytes"] for row in document["ranks"])
    assert f"{format_bytes(host)} a GPU, {format_bytes(8 * host)} a machine of 8" in text


def test_one_gpu_has_no_ranks(optmem: Optmem) -> None:
    text = optmem("estimate", *MODEL).out
    assert "worst of" not in text
    assert "what sets it apart" not in text
