"""Encoders and vision transformers: the closed form against their traced step on a GPU without one.

The model is the one that transformers builds from the same config. With expandable segments allocated is
what was asked for in blocks of 512 bytes, so only the rules are compared; with PyTorch's defaults the ends of
segments count, too. Of a base model all twelve layers are followed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from optmem_gui.architectures.config import read_config
from optmem_gui.core.activations.memory import Memory
from optmem_gui.core.activations.network_playing import NetworkPasses
from optmem_gui.core.activations.setting import Setting
from optmem_gui.core.activations.sums import summed_rows_bytes
from optmem_gui.core.breakdown import PHASE_IDS
from optmem_gui.core.dtypes import BF16, F32
from optmem_gui.core.estimate import compute
from optmem_gui.core.ground import grounds_of
from optmem_gui.core.kernels.processors import Processors
from optmem_gui.core.layout import FEW_BLOCKS
from optmem_gui.core.model import group_model
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.units import MIB
from optmem_gui.engine.gpu_table import find_gpu
from optmem_gui.engine.simulation import Simulator
from tools import closed_forms
from tools.closed_forms import Case, compare

LEFT_BYTES = 16 * 1024
"""Positions and token types of BERT are buffers of 4 KiB each, which are left out; blocks of 512 bytes stay
for a few numbers of every layer."""

_SIZES: dict[str, Any] = {
    "hidden_size": 768,
    "num_hidden_layers": 2,
    "intermediate_size": 3072,
    "num_attention_heads": 12,
}
CONFIGS: dict[str, dict[str, Any]] = {
    "bert": {"model_type": "bert", "architectures": ["BertForMaskedLM"], "vocab_size": 30_522, **_SIZES},
    "bert classes": {
        "model_type": "bert",
        "architectures": ["BertForSequenceClassification"],
        "vocab_size": 30_522,
        **_SIZES,
    },
    "roberta": {
        "model_type": "roberta",
        "architectures": ["RobertaForMaskedLM"],
        "vocab_size": 50_265,
        "max_position_embeddings": 514,
        "pad_token_id": 1,
        **_SIZES,
    },
    "vit": {
        "model_type": "vit",
        "architectures": ["ViTForImageClassification"],
        "num_labels": 1000,
        **_SIZES,
    },
}
ROWS: list[dict[str, Any]] = [
    *(
        {"of": of, "precision": precision, "attention": attention, "checkpointing": checkpointing}
        for of, precision, (attention, checkpointing) in product(
            ("bert", "vit"),
            ("fp32", "bf16", "amp-bf16"),
            (("auto", "none"), ("eager", "none"), ("auto", "full")),
        )
    ),
    {"of": "bert classes", "precision": "bf16"},
    {"of": "roberta", "precision": "amp-bf16"},
    {"of": "bert", "precision": "bf16-master", "accumulate": 4},
    {"of": "bert", "precision": "amp-bf16", "accumulate": 2, "checkpointing": "full"},
    {"of": "vit", "precision": "fp32", "optimizer": "torch.SGD", "set_to_none": False},
    {"of": "bert", "precision": "fp32", "keep_logits": True},
    {"of": "bert", "precision": "bf16", "layers": FEW_BLOCKS},
    {"of": "vit", "precision": "bf16", "layers": FEW_BLOCKS, "checkpointing": "full"},
]


def case(of: str, *, layers: int = 2, optimizer: str = "torch.AdamW", **options: Any) -> Case:
    """A row."""
    config = {**CONFIGS[of], "num_hidden_layers": layers}
    spec = read_config(config, "config.json").model("model")
    assert spec is not None
    size = {"batch": 16} if of == "vit" else {"batch": 8, "sequence": 128}
    scenario = Scenario(group_model(spec), optimizer=optimizer, gpu=closed_forms.GPU, **{**size, **options})
    return Case(", ".join((of, str(layers), *map(str, options.values()))), scenario, json.dumps(config))


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    with Simulator() as made:
        yield made


@pytest.mark.parametrize("row", ROWS, ids=lambda row: ", ".join(map(str, row.values())))
def test_a_step_is_the_traced_one(simulator: Simulator, row: dict[str, Any]) -> None:
    found = compare(case(**row), simulator)
    for phase_id in PHASE_IDS[1:]:
        traced = max(p.peak_bytes for p in found.plain.phases if p.step == 3 and p.phase == phase_id)
        assert abs(found.rules.phase(phase_id).bytes - traced) <= LEFT_BYTES, phase_id
    assert abs(found.error) <= closed_forms.LIMIT


@pytest.mark.parametrize("kind", ROWS[:6], ids=str)
def test_a_step_lets_go_of_what_it_takes(kind: dict[str, Any]) -> None:
    """Once the gradients are freed, cuBLAS's two workspaces alone are in use."""
    (ground,) = grounds_of(case(**kind).scenario, find_gpu(closed_forms.GPU))
    assert isinstance(ground.plan, Setting)
    memory = Memory()
    passes = NetworkPasses(ground.plan, memory, workspace_bytes=32 * MIB, added=False)
    for _ in range(2):
        passes.forward()
        passes.backward()
        assert memory.asked_bytes > 128 * MIB
        passes.drop_logits()
        passes.drop_gradients()
        assert memory.asked_bytes == 64 * MIB


def test_partial_results_of_a_bias_depend_on_the_gpu() -> None:
    """3072 sums of 1024 rows on an H100: 24 MiB of fp32 partial results and 24 semaphores of 4 bytes.

    A thread makes 4 neighbouring sums and a block is 32 threads wide and 4 high, so 3072 / 128 = 24 blocks
    stand side by side, each thread with 1024 / 4 = 256 rows. 132 x 2048 / 128 = 2112 blocks work at once and
    a thread keeps 16 rows at least, so min(2112 / 24, 256 / 16) = 16 blocks share a sum. Kept are
    3072 x 16 x 128 numbers of 4 bytes.
    """
    gpu = find_gpu(closed_forms.GPU)
    assert gpu is not None
    assert summed_rows_bytes(1024, 3072, F32, gpu.processors) == 24 * MIB + 96
    assert summed_rows_bytes(1024, 3072, BF16, gpu.processors) == 24 * MIB + 96
    assert summed_rows_bytes(1024, 3072, F32, Processors(10, 1024)) < 24 * MIB
    assert summed_rows_bytes(1024, 3072, F32, None) == 0


def test_without_a_gpu_partial_results_are_said_not_to_be_counted() -> None:
    made = case("bert", precision="bf16").scenario
    keys = {
        gpu is not None: [reason.key for reason in compute(made, gpu).assumptions]
        for gpu in (None, find_gpu(closed_forms.GPU))
    }
    assert "network.no_partial_results" in keys[False]
    assert "network.no_partial_results" not in keys[True]
