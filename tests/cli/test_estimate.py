"""``optmem estimate``: published byte counts, the JSON contract, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from optmem_gui.core.breakdown import COMPONENT_IDS, PHASE_IDS
from optmem_gui.core.recipes import RECIPES, with_recipe
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine.gpu_table import find_gpu, load_gpus
from optmem_gui.report.scenario_file import save_scenario
from tests.cli.conftest import Answer, Optmem, words_as_id


def _parts(answer: Answer) -> dict[str, dict[str, Any]]:
    assert answer.code == 0, answer.err
    return {row["id"]: row for row in answer.document["components"]}


def _estimate(optmem: Optmem, *words: object) -> Answer:
    return optmem("estimate", *words, "--json")


def test_adamw_in_fp32(optmem: Optmem) -> None:
    # 4 + 4 + 8 bytes a parameter, and 4 more at the step: foreach, CUDA's default, makes one list.
    answer = _estimate(optmem, "--params", 10**9, "--optimizer", "torch.AdamW", "--precision", "fp32")
    parts = _parts(answer)
    assert parts["weights"]["bytes"] == parts["gradients"]["bytes"] == 4 * 10**9
    assert parts["optimizer_state"]["bytes"] - parts["optimizer_state"]["host_bytes"] == 8 * 10**9
    assert parts["temporaries"]["bytes"] == 4 * 10**9
    assert answer.document["peak"] == {"allocated": 20 * 10**9, "phase": "optimizer_step"}


def test_adamw_fused_has_no_temporaries(optmem: Optmem) -> None:
    answer = _estimate(optmem, "--params", "1B", "--precision", "fp32", "--option", "fused=true")
    assert _parts(answer)["temporaries"]["bytes"] == 0
    # fused keeps the step counters on the device, 4 bytes a tensor in blocks of 512
    tensors = answer.document["scenario"]["model"]["tensors"]
    assert answer.document["peak"]["allocated"] == 16 * 10**9 + 512 * tensors


@pytest.mark.parametrize(("options", "peak"), [((), 8 * 10**9), (("--option", "momentum=0.9"), 12 * 10**9)])
def test_sgd_keeps_one_copy_with_momentum_and_none_without(
    optmem: Optmem, options: tuple[str, ...], peak: int
) -> None:
    answer = _estimate(optmem, "--params", "1e9", "--optimizer", "sgd", "--precision", "fp32", *options)
    parts = _parts(answer)
    held = sum(parts[name]["bytes"] for name in ("weights", "gradients", "optimizer_state"))
    assert held == peak


@pytest.mark.parametrize(
    ("precision", "per_parameter"),
    [("bf16", 8), ("bf16-master", 16), ("megatron-bf16", 18), ("amp-bf16", 16)],
)
def test_bytes_a_parameter_of_the_precision_schemes(
    optmem: Optmem, precision: str, per_parameter: int
) -> None:
    parts = _parts(_estimate(optmem, "--params", "1B", "--optimizer", "adamw", "--precision", precision))
    names = ("weights", "gradients", "master_weights", "optimizer_state")
    held = sum(parts[name]["bytes"] - parts[name]["host_bytes"] for name in names)
    assert held == per_parameter * 10**9
    assert all(parts[name]["formula"] and parts[name]["why"] for name in names)


def test_the_count_of_the_zero_paper(optmem: Optmem) -> None:
    # arXiv 1910.02054 section 3.1: 7.5B parameters, fp16 with an fp32 copy and Adam: 2 + 2 + 4 + 8 = 120 GB
    answer = _estimate(optmem, "--params", "7.5e9", "--precision", "fp16-master", "--optimizer", "torch.Adam")
    parts = _parts(answer)
    on_device = {name: part["bytes"] - part["host_bytes"] for name, part in parts.items()}
    assert [on_device[name] for name in ("weights", "gradients", "master_weights", "optimizer_state")] == [
        15 * 10**9,
        15 * 10**9,
        30 * 10**9,
        60 * 10**9,
    ]


def test_the_document_keeps_its_contract(optmem: Optmem) -> None:
    words = ("--params", "125M", "--batch", 2, "--seq", 128, "--gpu", "rtx-4090", "--precision", "amp-bf16")
    document = _estimate(optmem, *words).document
    assert document["schema"] == 1
    assert [row["id"] for row in document["components"]] == list(COMPONENT_IDS)
    assert [row["id"] for row in document["phases"]] == list(PHASE_IDS)
    required = {"id", "bytes", "at_peak", "host_bytes", "dtype", "bytes_per_parameter", "formula"}
    for row in document["components"]:
        assert required <= set(row)
        assert all(type(row[name]) is int for name in ("bytes", "at_peak", "host_bytes"))
    assert sum(row["at_peak"] for row in document["components"]) == document["peak"]["allocated"]
    assert document["peak"]["allocated"] == max(row["bytes"] for row in document["phases"])
    assert document["peak"]["allocated"] <= document["reserved"]["low"] <= document["reserved"]["high"]
    assert document["reserved"]["low"] < document["process"]["low"] <= document["process"]["high"]
    assert document["device"]["usable"] == find_gpu("rtx-4090").usable_bytes
    assert document["parameters"] == {"total": 125_000_000, "trainable": 125_000_000, "active": 125_000_000}
    assert all(set(note) == {"code", "message"} for note in document["assumptions"] + document["warnings"])


def test_without_a_gpu_there_is_no_verdict(optmem: Optmem) -> None:
    assert _estimate(optmem, "--params", "1M").document["device"] is None


@pytest.mark.parametrize(
    ("params", "fits", "code"), [("125M", "yes", 0), ("70B", "no", 1), ("1.5B", "tight", 3)]
)
def test_check_exits_with_the_verdict(optmem: Optmem, params: str, fits: str, code: int) -> None:
    # Pure bf16 AdamW takes 10 bytes a parameter at the step: 15.0e9 of a T4's 15.7e9 usable are tight.
    answer = optmem("estimate", "--params", params, "--gpu", "t4", "--check", "--json")
    document = answer.document
    assert document["device"]["fits"] == fits
    usable, process = document["device"]["usable"], document["process"]
    expected = "yes" if process["high"] <= usable else "no" if process["low"] > usable else "tight"
    assert (expected, answer.code) == (fits, code)


def test_check_needs_a_gpu(optmem: Optmem) -> None:
    assert "--gpu" in optmem("estimate", "--params", "7B", "--check").refusal


def test_every_gpu_at_once(optmem: Optmem) -> None:
    document = _estimate(optmem, "--params", "1B", "--gpu", "all").document
    assert [row["id"] for row in document["devices"]] == list(load_gpus())
    one = _estimate(optmem, "--params", "1B", "--gpu", "h100-80gb").document["device"]
    assert {**one, "needed": 1} in document["devices"]


def test_lora_trains_the_adapters_alone(optmem: Optmem) -> None:
    words = ("--params", "1B", "--lora-rank", 8, "--lora-targets", "q_proj, v_proj", "--base-dtype", "bf16")
    document = _estimate(optmem, *words).document
    # 8 x (in + out) elements a target matrix
    shape = document["scenario"]["model"]["architecture"]
    query, value = shape["heads"] * shape["head_dim"], shape["kv_heads"] * shape["head_dim"]
    adapters = shape["layers"] * 8 * (2 * shape["hidden"] + query + value)
    assert document["parameters"]["trainable"] == adapters
    assert document["parameters"]["total"] == 10**9 + adapters


def test_a_pattern_chooses_what_is_trained(optmem: Optmem) -> None:
    document = _estimate(optmem, "--params", "10M", "--trainable", r"\.norm\.|_layernorm").document
    shape = document["scenario"]["model"]["architecture"]
    assert document["parameters"]["trainable"] == shape["hidden"] * (2 * shape["layers"] + 1)


def test_a_scenario_file_is_a_base_that_options_change(optmem: Optmem, tmp_path: Path) -> None:
    path = tmp_path / "run.optmem"
    save_scenario(
        path, Scenario(synthetic_ref(1_000_000), options=(("fused", True),), precision="fp32", gpu="t4")
    )
    kept = _estimate(optmem, path).document
    assert (kept["scenario"]["options"], kept["scenario"]["precision"]) == ({"fused": True}, "fp32")
    assert kept["device"]["id"] == "t4"
    changed = _estimate(optmem, path, "--precision", "bf16", "--option", "fused=auto").document
    assert (changed["scenario"]["options"], changed["scenario"]["precision"]) == ({}, "bf16")
    other = _estimate(optmem, path, "--optimizer", "sgd").document
    assert other["scenario"]["options"] == {}


def test_a_scenario_file_carries_its_recipe_into_every_answer(optmem: Optmem, tmp_path: Path) -> None:
    path, written = tmp_path / "run.optmem", tmp_path / "run.md"
    save_scenario(path, with_recipe(Scenario(synthetic_ref(1_000_000)), RECIPES["torchtune-lora"]))
    assert _estimate(optmem, path).document["scenario"]["recipe"] == {"id": "torchtune-lora", "changed": []}
    changed = _estimate(optmem, path, "--loss", "full", "--export", written).document
    assert changed["scenario"]["recipe"] == {"id": "torchtune-lora", "changed": ["loss"]}
    assert "torchtune-lora, changed since: loss" in written.read_text(encoding="utf-8")
    other = _estimate(optmem, path, "--recipe", "torch").document
    assert other["scenario"]["recipe"] == {"id": "torch", "changed": []}
    assert _estimate(optmem, "--params", "1M").document["scenario"]["recipe"] is None


def test_something_of_which_the_size_alone_is_known_is_there_too(optmem: Optmem) -> None:
    alone = _estimate(optmem, "--params", "1M").document
    beside = _estimate(optmem, "--params", "1M", "--resident", "server:1.5GiB").document
    assert beside["peak"]["allocated"] - alone["peak"]["allocated"] == 3 * 2**29
    assert beside["scenario"]["residents"] == [{"name": "server", "count": 3 * 2**29, "dtype": "uint8"}]


def test_people_read_the_answer_first(optmem: Optmem) -> None:
    answer = optmem("estimate", "--params", "1B", "--precision", "fp32", "--gpu", "h100-80gb")
    lines = answer.out.splitlines()
    assert lines[0].startswith("1B parameters")
    assert lines[1] == "Peak 18.6 GiB (20,000,000,000 bytes) in optimizer step"
    assert lines[2].startswith("Fits: ")
    assert "79.1 GiB usable on H100 SXM5 80GB" in lines[2]
    assert "Activations" in answer.out
    assert "not counted" in answer.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--params"),
        (("--params", "7B", "--preset", "x"), "--params 7B and --preset x"),
        (("--params", ""), "nothing was typed"),
        (("--params", "0"), "at least one parameter"),
        (("--params", "-7B"), "--params"),
        (("--params=-7B",), "negative"),
        (("--params", "1.500"), "two ways"),
        (("--params", "1e400"), "1e400"),
        (("--params", "nan"), "nan"),
        (("--params", "7B", "--optimizer", "adamww"), "torch.AdamW"),
        (("--params", "7B", "--option", "fused"), "fused"),
        (("--params", "7B", "--option", "momentum=1"), "momentum"),
        (("--params", "7B", "--precision", "fp7"), "fp7"),
        (("--params", "7B", "--gpu", "h1000"), "h100"),
        (("--params", "7B", "--batch", "0", "--seq", "8"), "--batch"),
        (("--params", "7B", "--batch", "1e99", "--seq", "8"), "--batch"),
        (("--params", "7B", "--batch", "2"), "--seq"),
        (("--params", "7B", "--checkpointing", "every-0"), "every-K"),
        (("--params", "7B", "--attention", "psychic"), "psychic"),
        (("--params", "7B", "--lora-targets", "q_proj"), "--lora-rank"),
        (("--params", "7B", "--lora-rank", "8", "--lora-targets", "nowhere"), "q_proj"),
        (("--params", "7B", "--trainable", "("), "regular expression"),
        (("--params", "7B", "--trainable", "nowhere"), "no parameter"),
        (("--params", "7B", "--pram", "7B"), "--pram"),
        (("--params", "7B", "--recipe", "x"), "hf-trainer"),
        (("--params", "7B", "--gpus", "8", "--tp", "3"), "gpus: 8 does not divide by 3 (tp 3 x pp 1 x cp 1)"),
        (("--params", "7B", "--resident", "ema"), "ema is not NAME:COUNT:DTYPE"),
        (("--params", "7B", "--resident", "server:5"), "5 is no size"),
        (("--params", "7B", "--resident", "server:0GiB"), "0GiB is no size"),
        (("--params", "7B", "--host-memory", "much"), "much is no size"),
        (("--params", "7B", "--solve", "size"), "--solve"),
        (("nowhere.safetensors",), "nowhere.safetensors"),
        (("nowhere.optmem",), "nowhere.optmem"),
        (("a.safetensors", "b.safetensors"), "a.safetensors"),
    ],
    ids=words_as_id,
)
def test_bad_input_is_one_line(optmem: Optmem, words: tuple[str, ...], said: str) -> None:
    assert said in optmem("estimate", *words).refusal


def test_a_refusal_in_json(optmem: Optmem) -> None:
    answer = _estimate(optmem, "--params", "0")
    assert answer.refusal.endswith("at least one parameter\n")
    assert answer.document == {
        "error": {"code": "count.zero", "message": "Parameters: a model needs at least one parameter"}
    }


@pytest.mark.parametrize("params", ["1", "7", "3632", "1e18"])
def test_the_smallest_and_the_largest_models(optmem: Optmem, params: str) -> None:
    document = _estimate(optmem, "--params", params, "--gpu", "t4", "--batch", 1, "--seq", 1).document
    assert document["parameters"]["total"] == int(float(params))
    if document["scenario"]["model"]["architecture"] is None:
        activations = next(row for row in document["components"] if row["id"] == "activations")
        assert activations["bytes"] is None


def test_a_vision_transformers_step_as_its_users_measured_it(optmem: Optmem) -> None:
    # ViT-L/16 has 304,326,632 parameters (torchvision); users measured about 6 GB for an fp32 Adam step:
    # 4 + 4 + 8 bytes a parameter, and 4 more for the list that foreach makes.
    words = ("--params", 304_326_632, "--optimizer", "torch.Adam", "--precision", "fp32")
    foreach = _estimate(optmem, *words).document["peak"]["allocated"]
    assert foreach == pytest.approx(20 * 304_326_632, rel=1e-4)
    loop = _estimate(optmem, *words, "--option", "foreach=false").document["peak"]["allocated"]
    assert 16 * 304_326_632 < loop < foreach
