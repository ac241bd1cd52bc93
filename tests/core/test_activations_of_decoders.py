"""The closed form of whole models against those of transformers themselves: every byte that autograd saves.

On the CPU. The models shift the labels into a tensor of their own, and numbers such as Python's 0.5 are kept
as tensors of 8 bytes in host memory: neither is part of the prediction.
"""

from __future__ import annotations

import contextlib
import weakref
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks
from transformers import AutoConfig, AutoModelForCausalLM

from optmem_gui.architectures.config import read_config
from optmem_gui.core.activations import Activations, estimate_activations
from optmem_gui.core.layout import place
from optmem_gui.core.model import group_model
from optmem_gui.core.scenario import Scenario
from tests.core.activation_oracle import Measured, begin_backward, profiled
from tests.core.library_decoders import DECODERS, ONLY_EAGER, with_layers

BATCH, SEQUENCE = 2, 32
TOKENS = BATCH * SEQUENCE
TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "amp-bf16": torch.float32}
SHIFTED = 8 * TOKENS
SCALARS = 136
"""A few numbers of 8 bytes a layer."""
RANDOM_STATE = 5056
"""The CPU's random generator, which ``torch.utils.checkpoint`` keeps for every layer; CUDA's is 16 bytes."""


@dataclass(eq=False)
class Kept:
    """What a node saved, for as long as the node lives; the tensor itself would hold its own node."""

    tensor: Tensor


def build(
    config: dict[str, Any], precision: str, attention: str, *, checkpointing: bool = False
) -> nn.Module:
    values = {key: value for key, value in config.items() if key != "model_type"}
    torch.manual_seed(0)
    real = AutoConfig.for_model(config["model_type"], **values, use_cache=False)
    built = AutoModelForCausalLM.from_config(real, attn_implementation=attention)
    if checkpointing:
        built.activation_checkpointing_enable()
    model: nn.Module = built.to(TYPES[precision]).train()
    return model


def region(precision: str) -> contextlib.AbstractContextManager[Any]:
    if precision.startswith("amp"):
        return torch.autocast("cpu", dtype=torch.bfloat16)
    return contextlib.nullcontext()


def batch_of() -> tuple[Tensor, Tensor]:
    return torch.randint(0, 128, (BATCH, SEQUENCE)), torch.randint(0, 128, (BATCH, SEQUENCE))


def saved_bytes(model: nn.Module, precision: str) -> int:
    """Bytes of the distinct storages that live nodes hold, without parameters and buffers, with the batch."""
    own = {t.untyped_storage().data_ptr() for t in (*model.parameters(), *model.buffers())}
    live: weakref.WeakSet[Kept] = weakref.WeakSet()

    def pack(tensor: Tensor) -> Kept:
        kept = Kept(tensor.detach())
        live.add(kept)
        return kept

    tokens, labels = batch_of()
    with region(precision), saved_tensors_hooks(pack, lambda kept: kept.tensor):
        loss = model(tokens, labels=labels).loss
    held = (*(kept.tensor for kept in live), tokens, labels, loss)
    storages = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in held}
    return sum(size for place_, size in storages.items() if place_ not in own)


def measured(model: nn.Module, precision: str) -> Measured:
    """One step by the CPU allocator's own events, as they are added up for the program's own module."""
    tokens, labels = batch_of()

    def step() -> Tensor:
        batch = tokens.clone(), labels.clone()
        with region(precision):
            loss = model(batch[0], labels=batch[1]).loss
        between = begin_backward()
        loss.backward()
        return between

    step()
    model.zero_grad(set_to_none=True)
    return profiled(step)


def estimated(config: dict[str, Any], precision: str, attention: str, **options: Any) -> Activations:
    spec = read_config(config, "config.json").model("model")
    assert spec is not None
    assert spec.architecture is not None
    kind = {"sdpa": "auto", "eager": "eager"}[attention]
    scenario = Scenario(
        group_model(spec),
        batch=BATCH,
        sequence=SEQUENCE,
        target="cpu",
        precision=precision,
        attention=kind,  # type: ignore[arg-type]  # one of the two above
        **options,
    )
    return estimate_activations(spec.architecture, scenario, place(scenario))


def kinds_of(name: str) -> tuple[str, ...]:
    return ("eager",) if name.split(maxsplit=1)[0] in ONLY_EAGER else ("sdpa", "eager")


@pytest.mark.parametrize("precision", list(TYPES))
@pytest.mark.parametrize("name", list(DECODERS))
def test_every_byte_of_a_step_is_counted(name: str, precision: str) -> None:
    """Forward, the models hold their labels twice and up to two masks of fp32, which are not counted."""
    config, attention = with_layers(name, 3), kinds_of(name)[0]
    model, found = build(config, precision, attention), estimated(config, precision, attention)
    assert found.saved_bytes + found.autocast_bytes + SHIFTED == saved_bytes(model, precision)
    real = measured(model, precision)
    assert -SCALARS <= found.peak("backward").total_bytes - real.backward <= 0
    masks = 2 * 4 * TOKENS * SEQUENCE if attention == "eager" else 0
    assert 0 <= real.forward - found.peak("forward").total_bytes <= 2 * SHIFTED + SCALARS + masks


@pytest.mark.parametrize("precision", ["bf16", "amp-bf16"])
@pytest.mark.parametrize("name", [name for name in DECODERS if len(kinds_of(name)) > 1])
def test_eager_attention_keeps_what_the_librarys_keeps(name: str, precision: str) -> None:
    config = with_layers(name, 2)
    real = saved_bytes(build(config, precision, "eager"), precision)
    found = estimated(config, precision, "eager")
    assert found.saved_bytes + found.autocast_bytes + SHIFTED == real


@pytest.mark.parametrize("name", list(DECODERS))
def test_recomputed_layers_rise_as_high_as_the_allocator_says(name: str) -> None:
    """Backward alone: the state of the random generator is held for every layer whose turn has not come."""
    config, attention = with_layers(name, 3), kinds_of(name)[0]
    real = measured(build(config, "fp32", attention, checkpointing=True), "fp32")
    found = estimated(config, "fp32", attention, checkpointing="full")
    masks = 2 * 4 * TOKENS * SEQUENCE if attention == "eager" else 0
    apart = real.backward - found.peak("backward").total_bytes
    assert RANDOM_STATE <= apart <= 3 * RANDOM_STATE + SCALARS + masks


@pytest.mark.parametrize("precision", list(TYPES))
@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("opt", {"dropout": 0.1}),
        ("phi", {"resid_pdrop": 0.1}),
        ("gptj", {"resid_pdrop": 0.1, "attn_pdrop": 0.1}),
    ],
)
def test_dropout_keeps_its_masks(name: str, changes: dict[str, float], precision: str) -> None:
    config = with_layers(name, 3, **changes)
    real = saved_bytes(build(config, precision, "eager"), precision)
    found = estimated(config, precision, "eager")
    assert found.saved_bytes + found.autocast_bytes + SHIFTED == real


def test_layers_of_another_kind_come_first() -> None:
    """One dense layer of three, then of four: what is added has experts."""
    one, other = (estimated(with_layers("deepseek_v3", layers), "bf16", "eager") for layers in (3, 4))
    real = [saved_bytes(build(with_layers("deepseek_v3", n), "bf16", "eager"), "bf16") for n in (3, 4)]
    assert other.saved_bytes - one.saved_bytes == real[1] - real[0]
