"""``optmem estimate`` with --solve, --gpu all and two files: the answers agree with single estimates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine.gpu_table import load_gpus
from optmem_gui.report.scenario_file import save_scenario
from tests.cli.conftest import Optmem, words_as_id

ONE_B = ("--params", "1B", "--batch", "1", "--seq", "1024")
GPU = ("--gpu", "h100-80gb")


@pytest.mark.parametrize("what", ["batch", "seq"])
def test_the_largest_is_the_last_that_the_check_passes(optmem: Optmem, what: str) -> None:
    solved = optmem("estimate", *ONE_B, *GPU, "--solve", what, "--json").document["solved"]
    assert 1 < solved["sure"] <= solved["perhaps"]
    steps = ((solved["sure"], 0), (solved["sure"] + 1, 3), (solved["perhaps"] + 1, 1))
    for value, code in steps:
        assert optmem("estimate", *ONE_B, f"--{what}", value, *GPU, "--check").code == code


def test_the_estimate_below_is_at_the_largest(optmem: Optmem) -> None:
    said = optmem("estimate", *ONE_B, *GPU, "--solve", "batch", "--json").document
    assert said["scenario"]["batch"] == said["solved"]["sure"]
    assert said["device"]["fits"] == "yes"
    text = optmem("estimate", *ONE_B, *GPU, "--solve", "batch").out
    assert text.startswith(f"Largest batch on {load_gpus()['h100-80gb'].name}: {said['solved']['sure']}")


def test_nothing_fits_is_said_and_checked(optmem: Optmem) -> None:
    words = ("--params", "70B", "--seq", "8", *GPU, "--solve", "batch")
    answer = optmem("estimate", *words, "--check")
    assert answer.code == 1
    assert "not even 1 fits" in answer.out


def test_every_gpu_agrees_with_its_own_estimate(optmem: Optmem) -> None:
    words = ("estimate", "--params", "7B", "--batch", "1", "--seq", "2048", "--json")
    devices = optmem(*words, "--gpu", "all").document["devices"]
    assert [row["id"] for row in devices] == list(load_gpus())
    for row in devices[::9]:
        alone = optmem(*words, "--gpu", row["id"]).document["device"]
        assert {key: row[key] for key in alone} == alone


def test_as_many_as_needed_fit_and_half_of_them_do_not(optmem: Optmem) -> None:
    words = ("estimate", "--params", "7B", "--batch", "1", "--seq", "2048")
    devices = optmem(*words, "--gpu", "all", "--json").document["devices"]
    several = [row for row in devices if (row["needed"] or 1) > 1]
    assert several
    for row in several[::12]:
        layout = ("--gpu", row["id"], "--shard", "fsdp2", "--check", "--gpus")
        assert optmem(*words, *layout, row["needed"]).code == 0
        if row["needed"] > 2:
            assert optmem(*words, *layout, row["needed"] // 2).code != 0
    assert all(row["needed"] == 1 for row in devices if row["fits"] == "yes")


def test_two_files_side_by_side(optmem: Optmem, tmp_path: Path) -> None:
    first = Scenario(synthetic_ref(10**9), precision="bf16", gpu="h100-80gb")
    second = replace(first, optimizer="torch.SGD")
    paths = [tmp_path / "a.optmem", tmp_path / "b.optmem"]
    for path, scenario in zip(paths, (first, second), strict=True):
        save_scenario(path, scenario)
    said = optmem("estimate", *paths, "--json").document
    changes = {row["id"]: row for row in said["changes"]}
    # Adam keeps two bf16 tensors a parameter, SGD without momentum none.
    assert (
        changes["optimizer_state"]["difference"] == -4 * 10**9 - changes["optimizer_state"]["first"] % 10**9
    )
    assert changes["weights"] == {
        "id": "weights",
        "first": 2 * 10**9,
        "second": 2 * 10**9,
        "difference": 0,
        "share": 0.0,
    }
    for side in ("first", "second"):
        assert changes["peak"][side] == said[side]["peak"]["allocated"]
    text = optmem("estimate", *paths).out
    assert "A: " in text
    assert "-100.0%" in text
    assert f"peak in {said['second']['peak']['phase'].replace('_', ' ')}" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--params", "7B", "--seq", "8", "--solve", "batch"), "--gpu h100-80gb"),
        (("--params", "7B", "--seq", "8", "--solve", "batch", "--gpu", "all"), "one GPU"),
        (("--params", "7B", "--solve", "batch", *GPU), "--seq N"),
        (("--params", "7B", "--seq", "8", "--solve", "seq", *GPU), "--batch N"),
        (("a.optmem", "b.safetensors"), "b.safetensors: two scenarios"),
        (("a.optmem", "b.optmem", "c.optmem"), "c.optmem"),
        (("a.optmem", "b.optmem", "--check"), "--check takes one scenario"),
        (("a.optmem", "nowhere.optmem"), "a.optmem"),
        (("a.optmem", "b.optmem", "--ways"), "one scenario"),
        (("--params", "7B", "--ways", "--gpu", "all"), "at most one GPU"),
    ],
    ids=words_as_id,
)
def test_what_does_not_go_together_is_one_line(optmem: Optmem, words: tuple[str, ...], said: str) -> None:
    assert said in optmem("estimate", *words).refusal


def test_a_recipe_is_where_the_arguments_start_from(optmem: Optmem) -> None:
    words = ("estimate", *ONE_B, "--recipe", "peft-qlora", "--json")
    scenario = optmem(*words).document["scenario"]
    assert scenario["options"] == {"fused": True}
    assert scenario["lora"]["base_dtype"] == "nf4"
    changed = optmem(*words, "--lora-rank", "64", "--optimizer", "torch.SGD").document["scenario"]
    assert changed["lora"] == {**scenario["lora"], "rank": 64}
    assert (changed["optimizer"], changed["checkpointing"]) == ("torch.SGD", "full")


def test_ways_say_what_they_save(optmem: Optmem) -> None:
    words = ("estimate", *ONE_B, "--precision", "fp32", *GPU)
    said = optmem(*words, "--ways", "--json").document
    saved = {way["id"]: way for way in said["ways"]}
    fused = optmem(*words, "--option", "fused=true", "--json").document
    assert saved["fused"]["peak"] == fused["peak"]["allocated"]
    assert saved["fused"]["saved"] == said["peak"]["allocated"] - fused["peak"]["allocated"] > 0
    assert saved["fused"]["device"] == fused["device"]
    assert "what it is and costs" in optmem(*words, "--ways").out
