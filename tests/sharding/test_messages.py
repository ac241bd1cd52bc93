"""What ranks that split one micro-batch send each other, against torch's own collectives and by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from optmem_gui.core.activations.plan import make_plan
from optmem_gui.core.activations.stages import layer_stage
from optmem_gui.core.estimate import compute
from optmem_gui.core.layout import place
from optmem_gui.core.model import Source
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.messages import Message, messages
from optmem_gui.core.sharding.stages import Stage
from optmem_gui.core.sharding.tensors import split_tensors
from optmem_gui.core.synthetic import transformer_ref
from optmem_gui.core.transformer import TransformerShape
from tests.sharding import sent as real
from tests.sharding.jobs import layer_name

SHAPE = TransformerShape(
    vocab=64, hidden=real.HIDDEN, layers=4, heads=real.HEADS, kv_heads=real.HEADS, head_dim=real.HEAD_DIM,
    ffn=real.FFN,
)  # fmt: skip
"""As one rank computes: its heads."""

MODEL = transformer_ref("small", Source.CONFIG, SHAPE)
WHOLE = Stage(0, 4, 1.0, embeds=True, heads=True)
TOKENS = real.BATCH * real.TOKENS


def _said(
    name: str,
    *,
    stage: Stage = WHOLE,
    precision: str = "fp32",
    **layout: Any,  # sizes and switches
) -> Message | None:
    parallel = Parallel(**layout)
    scenario = Scenario(MODEL, precision=precision, batch=real.BATCH, sequence=real.TOKENS, parallel=parallel)
    return next((message for message in messages(scenario, stage) if message.name == name), None)


@pytest.mark.parametrize("ranks", [2, 4])
def test_ring_attention(ranks: int, sent: dict[str, list[dict[str, Any]]]) -> None:
    said = _said("context", gpus=ranks, cp=ranks, precision="bf16", shard="fsdp2")
    assert said is not None
    for row in sent[f"{ranks} ring attention"]:
        assert (row["forward"], row["backward"]) == (said.forward, said.backward)


@pytest.mark.parametrize("ranks", [2, 4])
def test_all_reduce_of_tensor_parallel(ranks: int, sent: dict[str, list[dict[str, Any]]]) -> None:
    said = _said("tensor", gpus=ranks, tp=ranks, shard="fsdp2")
    assert said is not None
    for row in sent[f"{ranks} tensor parallel"]:
        assert (row["forward"], row["backward"]) == (said.forward, said.backward)


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("along", [False, True])
def test_a_layer_keeps_what_autograd_keeps(
    ranks: int, along: bool, sent: dict[str, list[dict[str, Any]]]
) -> None:
    shape = replace(SHAPE, heads=8, kv_heads=4, norm="rms")
    scenario = Scenario(
        split_tensors(transformer_ref("layer", Source.CONFIG, shape), ranks),
        precision="fp32",
        target="cpu",
        parallel=Parallel(gpus=ranks, tp=ranks, shard="fsdp2", sequence_parallel=along),
    )
    assert scenario.model.architecture is not None
    plan = make_plan(scenario.model.architecture, scenario, place(scenario), real.BATCH, real.TOKENS)
    said = layer_stage(plan, input_needs_grad=True, keep=True).kept.activations
    for row in sent[layer_name(ranks, along=along)]:
        assert row["saved"] == said


def test_sequence_parallel_divides_norms_and_residuals_only() -> None:
    """Of 2 ranks: 32 tokens of 24 in fp32 are 3,072 bytes; LayerNorm keeps its input and two numbers a token.

    Two inputs become 1,536 each, four rows of numbers 64 instead of 128; inputs of linear layers stay whole.
    """
    kept = []
    for along in (False, True):
        parallel = Parallel(gpus=2, tp=2, shard="fsdp2", sequence_parallel=along)
        scenario = Scenario(MODEL, precision="fp32", target="cpu", parallel=parallel)
        plan = make_plan(SHAPE, scenario, place(scenario), real.BATCH, real.TOKENS)
        kept.append(layer_stage(plan, input_needs_grad=True, keep=True).kept.activations)
    assert kept[0] - kept[1] == 2 * 1536 + 4 * 64


def test_megatron_by_hand() -> None:
    """32 tokens of 24 in bf16: 1,536 bytes; keys and values of 3 heads of 8: 2 x 32 x 24 x 2 = 3,072."""
    megatron: dict[str, Any] = {"shard": "megatron", "precision": "megatron-bf16"}
    assert TOKENS * real.HIDDEN * 2 == 1536
    assert _said("tensor", gpus=2, tp=2, **megatron) is None  # reduced in place
    gathered = _said("tensor", gpus=2, tp=2, sequence_parallel=True, **megatron)
    assert gathered == Message("tensor", 1536, 2 * 1536)
    assert _said("context", gpus=4, cp=4, **megatron) == Message("context", 4 * 3072, 4 * 3072)


def test_neighbours_of_a_stage() -> None:
    first, middle, last = (Stage(index, 2, 1.0, embeds=index == 0, heads=index == 2) for index in range(3))
    run: dict[str, Any] = {"gpus": 3, "pp": 3, "precision": "bf16"}
    assert _said("pipeline", stage=first, **run) == Message("pipeline", 1536, 0)
    assert _said("pipeline", stage=middle, **run) == Message("pipeline", 1536, 2 * 1536)
    assert _said("pipeline", stage=last, **run) == Message("pipeline", 0, 2 * 1536)
    doubled = _said("pipeline", stage=middle, interleave=2, **run)
    assert doubled == Message("pipeline", 2 * 1536, 4 * 1536)
    assert _said("pipeline", stage=WHOLE, gpus=1) is None


def test_they_stand_beside_layers_only() -> None:
    """The loss is computed when nothing is sent: its moment is the same however keys and values travel."""
    scenario = Scenario(MODEL, precision="bf16", batch=2, sequence=64)
    found = compute(replace(scenario, parallel=Parallel(gpus=2, cp=2, shard="fsdp2")))
    row = found.component("communication")
    gathered = {
        moment.parts.get("communication", 0) for moment in found.timeline if moment.phase == "forward"
    }
    detail = next(detail for detail in row.details if detail.why.key == "detail.sent.context")
    # 2 x 32 tokens, keys and values of 24 in bf16: 6,144 a block; 3 of them, in backward 3 fp32 ones more
    assert detail.bytes == 3 * 6144 + 3 * 2 * 6144
    assert max(gathered) - min(gathered) == 3 * 6144
    assert sum(part.at_peak for part in found.components) == found.peak_bytes
