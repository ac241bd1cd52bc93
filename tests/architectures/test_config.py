"""Families against transformers itself: every name and shape, on the meta device."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoConfig, AutoModelForCausalLM

from optmem_gui.architectures.config import read_config
from optmem_gui.architectures.families import FAMILIES
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import ParameterTensor
from optmem_gui.core.synthetic import shape_count

BASE: dict[str, Any] = {
    "vocab_size": 96,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
MIXTURE = {"num_experts": 4, "moe_intermediate_size": 24, "num_experts_per_tok": 2}
LATENT = {
    "n_routed_experts": 4,
    "n_shared_experts": 2,
    "first_k_dense_replace": 1,
    "moe_intermediate_size": 24,
    "num_experts_per_tok": 2,
    "n_group": 2,
    "topk_group": 1,
    "q_lora_rank": 12,
    "kv_lora_rank": 16,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 8,
    "v_head_dim": 8,
    "num_key_value_heads": 4,
}
GPT2 = {"vocab_size": 96, "n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 64}

CONFIGS: dict[str, dict[str, Any]] = {
    "llama": {"model_type": "llama", **BASE},
    "llama head_dim": {"model_type": "llama", **BASE, "head_dim": 16},
    "llama tied": {"model_type": "llama", **BASE, "tie_word_embeddings": True},
    "llama biases": {"model_type": "llama", **BASE, "attention_bias": True, "mlp_bias": True},
    "mistral": {"model_type": "mistral", **BASE},
    "ministral": {"model_type": "ministral", **BASE, "head_dim": 8},
    "qwen2": {"model_type": "qwen2", **BASE},
    "qwen2 tied": {"model_type": "qwen2", **BASE, "tie_word_embeddings": True},
    "qwen3": {"model_type": "qwen3", **BASE, "head_dim": 16},
    "qwen3_moe": {"model_type": "qwen3_moe", **BASE, **MIXTURE, "head_dim": 16},
    "mixtral": {"model_type": "mixtral", **BASE, "num_local_experts": 4},
    "gpt_oss": {"model_type": "gpt_oss", **BASE, "num_local_experts": 4, "head_dim": 16},
    "deepseek_v3": {"model_type": "deepseek_v3", **BASE, **LATENT},
    "phi3": {"model_type": "phi3", **BASE, "pad_token_id": 0},
    "gpt_neox": {"model_type": "gpt_neox", **BASE},
    "gpt2": {"model_type": "gpt2", **GPT2},
    "gpt2 inner": {"model_type": "gpt2", **GPT2, "n_inner": 40},
}


COVERED = ("llama", "mistral", "qwen2", "phi3", "gpt2")
"""Families whose activations have rules."""


def _real(config: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    values = {key: value for key, value in config.items() if key != "model_type"}
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(AutoConfig.for_model(config["model_type"], **values))
    corrections = [(name, b) for name, b in model.named_buffers() if name.endswith("correction_bias")]
    return {name: tuple(tensor.shape) for name, tensor in [*model.named_parameters(), *corrections]}


def _ours(config: dict[str, Any]) -> tuple[ParameterTensor, ...]:
    spec = read_config(config, "config.json").model("model")
    assert spec is not None
    return spec.parameters


@pytest.mark.parametrize("name", list(CONFIGS))
def test_names_and_shapes_are_those_of_transformers(name: str) -> None:
    config = CONFIGS[name]
    assert {tensor.name: tensor.shape for tensor in _ours(config)} == _real(config)


def test_every_family_is_compared_with_transformers() -> None:
    assert {config["model_type"] for config in CONFIGS.values()} == set(FAMILIES)


@pytest.mark.parametrize("name", [name for name in CONFIGS if name.split()[0] in COVERED])
def test_dimensions_give_the_same_count_as_the_tensors(name: str) -> None:
    architecture = read_config(CONFIGS[name], "config.json")
    if architecture.shape is not None:
        assert shape_count(architecture.shape) == sum(tensor.numel for tensor in _ours(CONFIGS[name]))
    else:
        assert [reason.key for reason in architecture.warnings] == ["config.no_activations"]


@pytest.mark.parametrize(
    ("config", "total"),
    [
        # the published totals of configs whose models are too large to be presets here
        (
            {
                "model_type": "mixtral",
                "vocab_size": 32000,
                "hidden_size": 6144,
                "num_local_experts": 8,
                "intermediate_size": 16384,
                "num_hidden_layers": 56,
                "num_attention_heads": 48,
                "num_key_value_heads": 8,
                "tie_word_embeddings": False,
            },
            140_620_634_112,
        ),
        (
            {
                "model_type": "gpt_oss",
                "vocab_size": 201088,
                "hidden_size": 2880,
                "head_dim": 64,
                "intermediate_size": 2880,
                "num_hidden_layers": 36,
                "num_attention_heads": 64,
                "num_key_value_heads": 8,
                "num_local_experts": 128,
                "tie_word_embeddings": False,
            },
            116_829_156_672,
        ),
    ],
    ids=["mixtral-8x22b", "gpt-oss-120b"],
)
def test_published_totals(config: dict[str, Any], total: int) -> None:
    assert sum(tensor.numel for tensor in _ours(config)) == total


def test_defaults_are_those_of_transformers() -> None:
    """No key-value heads: as many as heads. No head size: width over heads. No inner width: four times."""
    bare = {key: value for key, value in BASE.items() if key != "num_key_value_heads"}
    assert {t.name: t.shape for t in _ours({"model_type": "llama", **bare})} == _real(
        {"model_type": "llama", **bare}
    )


def test_a_text_config_inside_a_multimodal_one_is_found() -> None:
    outer = {"model_type": "mistral3", "vision_config": {}, "text_config": {"model_type": "mistral", **BASE}}
    architecture = read_config(outer, "config.json")
    assert architecture.family == "mistral"
    assert architecture.shape is not None
    assert architecture.shape.layers == 3
    assert [reason.key for reason in architecture.warnings] == ["config.text_part_only"]


def test_an_unknown_family_counts_no_activations_and_says_so() -> None:
    architecture = read_config({"model_type": "never-heard-of", "hidden_size": 8}, "config.json")
    assert architecture.model("x") is None
    assert architecture.shape is None
    assert "not counted" in str(architecture.warnings[0])


def test_the_routers_correction_counts_and_does_not_train() -> None:
    frozen = [tensor for tensor in _ours(CONFIGS["deepseek_v3"]) if not tensor.trainable]
    assert [(tensor.name, tensor.shape) for tensor in frozen] == [
        (f"model.layers.{layer}.mlp.gate.e_score_correction_bias", (4,)) for layer in (1, 2)
    ]


def test_the_multi_token_module_is_said_to_be_left_out() -> None:
    config = {**CONFIGS["deepseek_v3"], "num_nextn_predict_layers": 1}
    keys = [reason.key for reason in read_config(config, "config.json").warnings]
    assert keys == ["config.next_token_module", "config.no_activations"]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "torch.bfloat16"])
@pytest.mark.parametrize("key", ["torch_dtype", "dtype"])
def test_the_type_of_the_weights_is_that_of_the_config(key: str, dtype: str) -> None:
    expected = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}[dtype.removeprefix("torch.")]
    assert read_config({**CONFIGS["llama"], key: dtype}, "f").dtype.id == expected


@given(
    family=st.sampled_from(sorted(FAMILIES)),
    field=st.sampled_from(sorted({*BASE, *MIXTURE, *LATENT, *GPT2, "num_local_experts", "n_inner"})),
    value=st.none()
    | st.booleans()
    | st.integers(-(2**65), 2**65)
    | st.floats()
    | st.text(max_size=4)
    | st.lists(st.integers(), max_size=2),
)
def test_any_value_in_a_field_is_used_or_refused_by_its_name(family: str, field: str, value: Any) -> None:
    config = {**next(c for c in CONFIGS.values() if c["model_type"] == family), field: value}
    if isinstance(value, int) and not isinstance(value, bool) and value > 2000 and "layer" in field:
        config[field] = 2000  # building that many rows is allowed, and slow
    try:
        architecture = read_config(config, "config.json")
    except UserError as error:
        assert field in str(error)  # noqa: PT017  # a value that is fine is fine too
    else:
        assert architecture.tensors is not None
