"""Diffusion models against diffusers itself, where it is installed."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from optmem_gui.architectures.config import read_config
from optmem_gui.core.model import ModelSpec
from tests.architectures.diffusion_configs import DIFFUSION


def _spec(config: dict[str, Any]) -> ModelSpec:
    spec = read_config(config, "config.json").model("model")
    assert spec is not None
    return spec


@pytest.mark.parametrize("name", list(DIFFUSION))
@pytest.mark.filterwarnings("ignore")  # what diffusers and its optional parts say when they are imported
def test_names_shapes_order_and_buffers_are_those_of_diffusers(name: str) -> None:
    diffusers = pytest.importorskip("diffusers", reason="diffusers is not installed")
    config = DIFFUSION[name]
    values = {key: value for key, value in config.items() if key != "_class_name"}
    with torch.device("meta"):
        model = getattr(diffusers, config["_class_name"])(**values)
    spec = _spec(config)
    assert [(t.name, t.shape) for t in spec.parameters] == [
        (name, tuple(p.shape)) for name, p in model.named_parameters()
    ]
    assert [(b.name, b.shape) for b in spec.buffers] == [
        (name, tuple(b.shape)) for name, b in model.named_buffers()
    ]


def test_a_flux_block_by_hand() -> None:
    """Width 32, heads of 16: one more block of two streams, and one more of one."""
    one, two = DIFFUSION["flux plain"], {**DIFFUSION["flux plain"], "num_layers": 3}
    width = 32
    double = 2 * (6 * width**2 + 6 * width) + 8 * (width**2 + width) + 4 * 16 + 2 * (8 * width**2 + 5 * width)
    assert _spec(two).param_count - _spec(one).param_count == double
    single = (3 * width**2 + 3 * width) + (7 * width**2 + 7 * width) + (5 * width**2 + width) + 2 * 16
    more = {**one, "num_single_layers": 4}
    assert _spec(more).param_count - _spec(one).param_count == single


def test_the_position_table_of_sd3_is_kept_and_not_trained() -> None:
    spec = _spec(DIFFUSION["sd3"])
    assert [(b.name, b.shape, b.size_bytes) for b in spec.buffers] == [
        ("pos_embed.pos_embed", (1, 64, 32), 64 * 32 * 4)
    ]


@pytest.mark.parametrize(
    "asked",
    [
        {"class_embed_type": "timestep"},
        {"down_block_types": ["SimpleCrossAttnDownBlock2D", "DownBlock2D"]},
        {"addition_embed_type": "image"},
        {"attention_type": "gated"},
    ],
)
def test_a_variant_that_is_not_declared_is_left_to_the_library(asked: dict[str, Any]) -> None:
    architecture = read_config({**DIFFUSION["unet"], **asked}, "config.json")
    assert architecture.layout is None
    assert [reason.key for reason in architecture.warnings] == ["config.unknown_family"]
