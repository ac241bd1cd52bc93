"""The closed form of ViT with its classifier against the model of transformers, whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from optmem_gui.core.errors import UserError
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.solve import solve
from optmem_gui.engine.gpu_table import find_gpu
from optmem_gui.report.scenario_file import parse_scenario, scenario_text
from tests.core.network_oracle import SCALARS, TYPES, Case, estimated, measured, saved_bytes

BATCH = 3
SMALL: dict[str, Any] = {
    "model_type": "vit",
    "architectures": ["ViTForImageClassification"],
    "hidden_size": 64,
    "num_hidden_layers": 4,
    "intermediate_size": 160,
    "num_attention_heads": 4,
    "image_size": 32,
    "patch_size": 8,
    "num_labels": 5,
}
DROPS = {"hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1, "qkv_bias": False}
CONFIGS: dict[str, dict[str, Any]] = {"plain": SMALL, "dropout, no biases": {**SMALL, **DROPS}}


def case_of(name: str, precision: str) -> Case:
    """A small model; its pixels are in the type of its weights."""
    pixels = torch.randn(BATCH, 3, 32, 32, dtype=TYPES[precision])
    return Case(CONFIGS[name], {"pixel_values": pixels, "labels": torch.randint(5, (BATCH,))}, None)


@pytest.mark.parametrize("precision", list(TYPES))
@pytest.mark.parametrize("attention", ["auto", "eager"])
@pytest.mark.parametrize("name", list(CONFIGS))
def test_what_is_saved_is_what_autograd_saves(name: str, attention: str, precision: str) -> None:
    case = case_of(name, precision)
    scenario = case.scenario(precision=precision, attention=attention)
    found = estimated(scenario)
    assert found.saved_bytes + found.autocast_bytes == saved_bytes(case, scenario)


@pytest.mark.parametrize("checkpointing", ["none", "full"])
@pytest.mark.parametrize(("name", "attention"), [("plain", "auto"), ("dropout, no biases", "eager")])
def test_course_is_that_of_the_allocator(name: str, attention: str, checkpointing: str) -> None:
    case = case_of(name, "fp32")
    scenario = case.scenario(precision="fp32", attention=attention, checkpointing=checkpointing)
    found, real = estimated(scenario), measured(case, scenario)
    assert abs(found.saved_bytes + found.autocast_bytes - real.saved) <= SCALARS
    assert abs(found.peak("forward").total_bytes - real.forward) <= SCALARS
    assert abs(found.peak("backward").total_bytes - real.backward) <= SCALARS


@pytest.mark.parametrize("precision", ["bf16", "amp-bf16"])
def test_sixteen_bit_forward_is_that_of_the_allocator(precision: str) -> None:
    """The CPU's convolution of 16-bit types takes scratch memory in backward that exists there alone."""
    case = case_of("plain", precision)
    scenario = case.scenario(precision=precision)
    found, real = estimated(scenario), measured(case, scenario)
    assert abs(found.saved_bytes + found.autocast_bytes - real.saved) <= SCALARS
    assert abs(found.peak("forward").total_bytes - real.forward) <= SCALARS


def test_only_the_batch_can_be_looked_for() -> None:
    model = case_of("plain", "fp32").model
    with pytest.raises(UserError) as error:
        solve(Scenario(model, batch=1), find_gpu("h100-80gb"), "sequence")
    assert error.value.code == "solve.own_sequence"
    assert solve(Scenario(model), find_gpu("h100-80gb"), "batch").sure > 1000


def test_an_image_keeps_its_dimensions_in_a_file() -> None:
    scenario = case_of("plain", "fp32").scenario(precision="fp32")
    assert parse_scenario(scenario_text(scenario).encode(), Path("x.optmem")) == scenario


def test_the_sequence_follows_from_the_image() -> None:
    """4 x 4 patches of 8 pixels, and the class token."""
    model = case_of("plain", "fp32").model
    assert model.own_sequence == 4 * 4 + 1
