from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from transformers import (
    BertConfig,
    BertModel,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MixtralConfig,
    MixtralForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
)

from optmem_gui.checkpoints.names import Part, meaning_of, role_of
from optmem_gui.core.dtypes import DTYPES, F32
from optmem_gui.core.model import Role

SMALL = {
    "vocab_size": 64,
    "hidden_size": 16,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
}


def _meta(model: Callable[..., Any], config: Any) -> Any:
    with torch.device("meta"):
        return model(config)


def _models() -> dict[str, nn.Module]:
    gpt2 = GPT2Config(vocab_size=64, n_embd=16, n_layer=2, n_head=4, n_positions=32)
    return {
        "llama": _meta(LlamaForCausalLM, LlamaConfig(**SMALL)),
        "qwen2": _meta(Qwen2ForCausalLM, Qwen2Config(**SMALL)),
        "gpt2": _meta(GPT2LMHeadModel, gpt2),
        "bert": _meta(BertModel, BertConfig(**SMALL)),
        "mixtral": _meta(MixtralForCausalLM, MixtralConfig(**SMALL, num_local_experts=4)),
        "convolutions": nn.Sequential(
            OrderedDict(conv1=nn.Conv2d(3, 8, 3), bn1=nn.BatchNorm2d(8), fc=nn.Linear(8, 2))
        ),
    }


@pytest.mark.parametrize("family", list(_models()))
def test_parameters_and_buffers_of_real_models_are_told_apart_by_name(family: str) -> None:
    model = _models()[family]
    for name, parameter in model.named_parameters():
        assert meaning_of(name, parameter.ndim, F32).part is Part.PARAMETER, name
    for name, buffer in model.named_buffers():
        dtype = F32 if buffer.is_floating_point() else DTYPES["int64"]
        if name.endswith("original_inv_freq"):
            continue  # never saved
        assert meaning_of(name, buffer.ndim, dtype).part is Part.BUFFER, name


_ROLE_OF_CLASS = {
    "Norm": Role.NORM,
    "Embedding": Role.EMBEDDING,
    "Conv2d": Role.CONVOLUTION,
    "Experts": Role.EXPERT,
    "Router": Role.ROUTER,
}


def _expected_role(model: nn.Module, name: str) -> Role | None:
    """The role the owning module's class tells, where it tells one."""
    kind = type(model.get_submodule(name.rpartition(".")[0])).__name__
    if name.endswith("bias") and "Norm" not in kind:
        return Role.BIAS
    return next((role for part, role in _ROLE_OF_CLASS.items() if part in kind), None)


@pytest.mark.parametrize("family", list(_models()))
def test_roles_agree_with_the_classes_of_the_modules(family: str) -> None:
    model = _models()[family]
    told = 0
    for name, parameter in model.named_parameters():
        expected = _expected_role(model, name)
        if expected is not None:
            told += 1
            assert role_of(name, tuple(parameter.shape)) is expected, name
    assert told >= 3


@pytest.mark.parametrize(
    ("name", "shape", "role"),
    [
        ("model.layers.0.self_attn.q_proj.weight", (8, 8), Role.ATTENTION),
        ("model.layers.0.mlp.gate_proj.weight", (8, 8), Role.MLP),
        ("transformer.h.0.attn.c_attn.weight", (8, 24), Role.ATTENTION),
        ("transformer.h.0.mlp.c_fc.weight", (8, 32), Role.MLP),
        ("encoder.layer.0.attention.output.dense.weight", (8, 8), Role.ATTENTION),
        ("encoder.layer.0.intermediate.dense.weight", (8, 8), Role.MLP),
        ("encoder.layer.0.output.dense.weight", (8, 8), Role.MLP),
        ("layers.0.feed_forward.w1.weight", (8, 8), Role.MLP),
        ("layers.0.attention.wq.weight", (8, 8), Role.ATTENTION),
        ("lm_head.weight", (64, 8), Role.HEAD),
        ("output.weight", (64, 8), Role.HEAD),
        ("classifier.weight", (2, 8), Role.HEAD),
        ("tok_embeddings.weight", (64, 8), Role.EMBEDDING),
        ("shared.weight", (64, 8), Role.EMBEDDING),
        ("model.layers.3.mlp.experts.12.gate_proj.weight", (8, 8), Role.EXPERT),
        ("model.layers.3.mlp.gate.weight", (4, 8), Role.ROUTER),
        ("layers.0.q_proj.lora_A.weight", (4, 8), Role.ADAPTER),
        ("conv1.weight", (8, 3, 3), Role.CONVOLUTION),
        ("features.1.weight", (8,), Role.NORM),
        ("something.table", (8, 8), Role.OTHER),
    ],
)
def test_roles_of_well_known_names(name: str, shape: tuple[int, ...], role: Role) -> None:
    assert role_of(name, shape) is role


@pytest.mark.parametrize(
    ("name", "dimensions", "dtype", "part"),
    [
        ("bn.running_mean", 1, "fp32", Part.BUFFER),
        ("bn.num_batches_tracked", 0, "int64", Part.BUFFER),
        ("layers.0.rotary_emb.inv_freq", 1, "fp32", Part.BUFFER),
        ("h.0.attn.bias", 4, "fp32", Part.BUFFER),
        ("h.0.attn.bias", 1, "fp32", Part.PARAMETER),
        ("h.0.attn.masked_bias", 0, "fp32", Part.BUFFER),
        ("model_ema.diffusion_modelweight", 2, "fp32", Part.BUFFER),
        ("layers.0.mlp.gate.e_score_correction_bias", 1, "fp32", Part.BUFFER),
        ("w_scale", 2, "fp8_e8m0", Part.AUXILIARY),
        ("q_proj.weight_scale_inv", 2, "fp32", Part.AUXILIARY),
        ("linear.weight_v", 2, "fp32", Part.PARAMETER),
        ("weight_g", 1, "fp32", Part.PARAMETER),
        ("spectrum", 1, "complex64", Part.PARAMETER),
    ],
)
def test_parts_by_rule(name: str, dimensions: int, dtype: str, part: Part) -> None:
    assert meaning_of(name, dimensions, DTYPES[dtype]).part is part
