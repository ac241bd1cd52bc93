"""``optmem measure`` of every kind of model, and what is asked for beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from optmem_gui.cli.measure import _request
from optmem_gui.cli.parser import build_parser
from optmem_gui.cli.sources import work_from
from optmem_gui.core.requests import MeasureRequest
from tests.cli.conftest import Optmem

CPU = ("--device", "cpu", "--precision", "fp32", "--optimizer", "torch.SGD")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two tensors of 32 and 8 values."""
    path = tmp_path / "m.safetensors"
    save_file({"up_proj.weight": torch.ones(8, 4), "norm.weight": torch.ones(8)}, path)
    return path


def request(*words: object) -> MeasureRequest:
    arguments = build_parser().parse_args(["measure", *map(str, words), *CPU])
    return _request(arguments, work_from(arguments), "cpu")


def test_bare_tensors_are_measured_with_the_files_values(optmem: Optmem, file: Path) -> None:
    answer = optmem("measure", file, *CPU, "--own-weights", "--steps", 3, "--json")
    assert answer.code == 0, answer.err
    document = answer.document
    parts = {row["id"]: row["bytes"] for row in document["components"]}
    assert parts["weights"] == parts["gradients"] == 4 * (32 + 8)
    spread = {row["phase"]: row for row in document["spread"]}
    assert spread["backward"]["step_count"] == 2  # the first step stands apart
    assert spread["backward"]["low_bytes"] <= spread["backward"]["high_bytes"]
    assert document["timeline"]["phases"][1]["allocations"] > 0
    for point in document["timeline"]["parts"]:
        assert point.pop("at") >= 0
        assert set(point) <= {"weights", "gradients", "activations", "temporaries", "rounding"}


def test_a_preset_is_built_from_its_config() -> None:
    asked = request("--preset", "qwen3-30b-a3b", "--batch", 1, "--seq", 16)
    assert json.loads(asked.config)["model_type"] == "qwen3_moe"


def test_a_preset_that_is_a_plain_transformer_needs_no_library() -> None:
    asked = request("--preset", "llama-3.1-8b", "--batch", 1, "--seq", 16)
    assert asked.config == ""
    assert asked.shape is not None


def test_what_goes_beside_the_scenario_is_passed_on(file: Path, tmp_path: Path) -> None:
    asked = request(file, "--own-weights", "--compile", "--history", tmp_path / "h.pickle")
    assert asked.own_weights == (str(file.resolve()),)
    assert asked.compiled
    assert asked.history == str(tmp_path / "h.pickle")
    plain = request(file)
    assert (plain.own_weights, plain.compiled, plain.history) == ((), False, "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--params", "50k", "--own-weights"), "--own-weights needs a checkpoint"),
        (("--params", "50k", "--compile", "--steps", 2), "torch.compile needs a model"),
        (("--params", "50k", "--history", "h.pickle"), "needs a GPU"),
        (("--params", "50k", "--gpus", 2, "--compile", "--batch", 1, "--seq", 8), "--compile goes with one"),
    ],
)
def test_what_does_not_go_together_is_one_line(optmem: Optmem, words: tuple[object, ...], said: str) -> None:
    assert said in optmem("measure", *words, *CPU).refusal
