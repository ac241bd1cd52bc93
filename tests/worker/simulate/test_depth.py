"""Deep models put together from shallow ones: every event as in the full trace."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from optmem_gui.core.protocol import encode
from optmem_gui.core.requests import BareTensor, FrozenTensors, MeasureRequest, SimulateRequest
from optmem_gui.core.scenario import Lora
from optmem_gui.core.simulating import SimulationReport
from optmem_gui.core.transformer import TransformerShape
from optmem_gui.worker.simulate.depth import depths_of
from optmem_gui.worker.simulate.run import Simulation
from optmem_gui.worker.simulate.splice import UnlikeError, splice
from optmem_gui.worker.simulate.tape import Block, Mark, Tape
from tests.worker.simulate.tracing import A100

_LLAMA = TransformerShape(
    vocab=1000, hidden=256, layers=9, heads=4, kv_heads=2, head_dim=64, ffn=512, norm="rms"
)
_GPT = TransformerShape(
    vocab=1000,
    hidden=256,
    layers=9,
    heads=4,
    kv_heads=4,
    head_dim=64,
    ffn=512,
    gated=False,
    biases=True,
    tied_head=True,
    positions=256,
    dropout=0.1,
)
_WORK = MeasureRequest("cpu", "torch.optim.AdamW", shape=_LLAMA, batch=2, sequence=64)


def _report(work: MeasureRequest, *, every_block: bool) -> SimulationReport:
    made = Simulation(SimulateRequest(work, A100, every_block), lambda message: None).run()
    return replace(made, seconds=0.0)


@pytest.mark.parametrize("shape", [_LLAMA, _GPT], ids=["llama", "gpt"])
@pytest.mark.parametrize(
    "change",
    [
        {},
        {"precision": "amp-bf16"},
        {"precision": "amp-fp16", "clip": True},
        {"precision": "bf16-master"},
        {"precision": "megatron-bf16", "accumulate": 2},
        {"checkpointing": "full", "precision": "bf16"},
        {"checkpointing": "attention"},
        {"checkpointing": "every-2", "batch": 1},
        {"optimizer": "torch.optim.SGD", "set_to_none": False},
        {"optimizer": "torch.optim.Adafactor", "clip": True},
        {"optimizer": "torch.optim.AdamW", "options": (("foreach", False),)},
        {"optimizer": "torch.optim.AdamW", "options": (("fused", True),)},
        {"attention": "eager", "loss": "chunked"},
        {"lora": Lora(rank=4)},
    ],
    ids=str,
)
def test_deep_model_equals_its_full_trace(shape: TransformerShape, change: dict[str, Any]) -> None:
    layers = 11 if change.get("checkpointing") == "every-2" else 6  # the last stretch is one block
    work = replace(_WORK, shape=replace(shape, layers=layers), **change)
    assert depths_of(work) is not None
    assert encode(_report(work, every_block=False)) == encode(_report(work, every_block=True))


def test_deep_config_of_a_family_of_equal_blocks_equals_its_full_trace() -> None:
    config = {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 6,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "vocab_size": 1000,
    }
    work = MeasureRequest("cpu", "torch.optim.AdamW", config=json.dumps(config), batch=1, sequence=32)
    assert depths_of(work) is not None
    assert encode(_report(work, every_block=False)) == encode(_report(work, every_block=True))


def test_shallow_models_have_every_kind_of_stretch() -> None:
    depths = depths_of(replace(_WORK, shape=replace(_LLAMA, layers=80)))
    assert depths is not None
    assert depths.shallow.shape is not None
    assert depths.deeper.shape is not None
    assert (depths.shallow.shape.layers, depths.deeper.shape.layers, depths.missing) == (3, 4, 76)


def test_stretch_is_what_is_recomputed_at_once() -> None:
    depths = depths_of(replace(_WORK, shape=replace(_LLAMA, layers=21), checkpointing="every-4"))
    assert depths is not None
    assert depths.shallow.shape is not None
    assert depths.deeper.shape is not None
    assert (depths.shallow.shape.layers, depths.deeper.shape.layers, depths.missing) == (13, 17, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"shape": replace(_LLAMA, layers=4)},
        {"shape": None, "tensors": (BareTensor((4,), "fp32"),)},
        {"frozen": (FrozenTensors("q_proj.weight", (256, 256), 2),)},
        {"shape": None, "config": "not json"},
        {"shape": None, "config": '{"model_type": "gemma3", "num_hidden_layers": 48}'},
        {"shape": None, "config": '{"model_type": "llama", "num_hidden_layers": 8, "layer_types": ["a"]}'},
    ],
    ids=["not deep", "no model", "frozen by count", "no config", "unlike blocks", "lists by block"],
)
def test_what_is_not_made_of_equal_blocks_is_traced_whole(change: dict[str, Any]) -> None:
    assert depths_of(replace(_WORK, **change)) is None


def _tape(sizes: list[int]) -> Tape:
    blocks = [Block(size, "op", "", 1, "forward") for size in sizes]
    return Tape([*blocks, *reversed(blocks)], [Mark(0, 1, "forward")], 2 * len(blocks))


def test_tapes_that_differ_by_something_else_are_refused() -> None:
    with pytest.raises(UnlikeError):
        splice(_tape([1, 2, 2, 2, 3]), _tape([1, 2, 2, 2, 5, 3]), 4)
    with pytest.raises(UnlikeError):
        splice(_tape([1, 2, 3]), _tape([1, 2, 2, 3]), 4)


def test_stretches_are_inserted_with_frees_of_their_own() -> None:
    tape = splice(_tape([1, 2, 2, 2, 3]), _tape([1, 2, 2, 2, 2, 3]), 3)
    expected = _tape([1, *[2] * 7, 3])
    assert [block.requested for block in tape.events] == [block.requested for block in expected.events]
    assert all(tape.events.count(block) == 2 for block in tape.events)
    assert tape.events[: tape.end // 2] == tape.events[tape.end // 2 :][::-1]
