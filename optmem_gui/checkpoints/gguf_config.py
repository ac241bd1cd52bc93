"""What a GGUF header says about its model, in the words of a ``config.json``.

The families' rules then serve both. Source of the keys: ``docs/gguf.md`` of ggml and ``constants.py`` of
gguf 0.19; of the names on the other side: ``GGUF_CONFIG_MAPPING`` in transformers 5.24.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from optmem_gui.checkpoints.contents import Row
from optmem_gui.checkpoints.gguf_header import Array, Value
from optmem_gui.core.model import Shape

_FAMILIES = {
    "qwen2moe": "qwen2_moe",
    "qwen3moe": "qwen3_moe",
    "gpt-oss": "gpt_oss",
    "gptneox": "gpt_neox",
    "mistral3": "mistral",
    "gemma3": "gemma3_text",
    "command-r": "cohere",
    "phi2": "phi",
    "glm4moe": "glm4_moe",
    "minimax-m2": "minimax_m2",
}
"""Architectures that ``config.json`` calls otherwise; the rest has one name in both."""

_FIELDS = {
    "block_count": "num_hidden_layers",
    "embedding_length": "hidden_size",
    "feed_forward_length": "intermediate_size",
    "attention.head_count": "num_attention_heads",
    "attention.head_count_kv": "num_key_value_heads",
    "attention.key_length": "head_dim",
    "expert_feed_forward_length": "moe_intermediate_size",
    "expert_used_count": "num_experts_per_tok",
    "expert_shared_count": "n_shared_experts",
    "expert_shared_feed_forward_length": "shared_expert_intermediate_size",
    "leading_dense_block_count": "first_k_dense_replace",
    "context_length": "max_position_embeddings",
}
_GPT2_FIELDS = {
    "block_count": "n_layer",
    "embedding_length": "n_embd",
    "feed_forward_length": "n_inner",
    "attention.head_count": "n_head",
    "context_length": "n_positions",
}
_GPT2_LIKE = ("gpt2", "gptj")
_EXPERTS = {
    "mixtral": "num_local_experts",
    "gpt_oss": "num_local_experts",
    "minimax_m2": "num_local_experts",
    "glm4_moe": "n_routed_experts",
}
_EMBEDDING, _HEAD = "token_embd.weight", "output.weight"

_FILE_TYPES = {
    **dict(enumerate(("F32", "F16", "Q4_0", "Q4_1"))),
    **dict(enumerate(("Q8_0", "Q5_0", "Q5_1", "Q2_K", "Q3_K_S", "Q3_K_M", "Q3_K_L", "Q4_K_S"), 7)),
    **dict(enumerate(("Q4_K_M", "Q5_K_S", "Q5_K_M", "Q6_K", "IQ2_XXS", "IQ2_XS", "Q2_K_S"), 15)),
    **dict(enumerate(("IQ3_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ3_M", "IQ2_S", "IQ2_M"), 22)),
    **dict(enumerate(("IQ4_XS", "IQ1_M", "BF16"), 30)),
    **dict(enumerate(("TQ1_0", "TQ2_0", "MXFP4", "NVFP4", "Q1_0"), 36)),
}
"""``enum llama_ftype``."""


def title_of(fields: Mapping[str, Value]) -> str:
    """The model's name and the mix of types it is stored in; empty where the file gives no name."""
    name, kind = fields.get("general.name"), fields.get("general.file_type")
    if not isinstance(name, str) or not name.strip():
        return ""
    mix = _FILE_TYPES.get(kind, "") if isinstance(kind, int) else ""
    return f"{name.strip()} ({mix})" if mix else name.strip()


def config_of(fields: Mapping[str, Value], rows: list[Row]) -> dict[str, Any]:
    """The fields of a config; empty where the header names no architecture.

    A number that differs from layer to layer is left out: no rule here has a place for it.

    Args:
        fields: What the header says; of a split set, the header of its first part.
        rows: All tensors, those of the other parts too.
    """
    named = fields.get("general.architecture")
    if not isinstance(named, str):
        return {}
    shapes = {name: shape for name, shape, _ in rows}
    prefix = f"{named}."
    experts = _plain(fields.get(f"{prefix}expert_count"))
    family = "mixtral" if named == "llama" and experts else _FAMILIES.get(named, named)
    config: dict[str, Any] = {"model_type": family}
    for key, field in (_GPT2_FIELDS if family in _GPT2_LIKE else _FIELDS).items():
        value = _plain(fields.get(prefix + key))
        if value is not None:
            config[field] = value
    if experts:
        config[_EXPERTS.get(family, "num_experts")] = experts
    config["vocab_size"] = _vocabulary(fields, prefix, shapes)
    config["tie_word_embeddings"] = _EMBEDDING in shapes and _HEAD not in shapes
    config["attention_bias"] = family not in ("qwen2", "gpt2") and "blk.0.attn_q.bias" in shapes
    config["mlp_bias"] = family == "llama" and "blk.0.ffn_up.bias" in shapes
    return config


def _plain(value: Value | None) -> int | None:
    """A whole number, also as an array that repeats it for every layer."""
    if isinstance(value, Array):
        same = set(value.values)
        value = same.pop() if len(same) == 1 else None
    return value if type(value) is int else None


def _vocabulary(fields: Mapping[str, Value], prefix: str, shapes: Mapping[str, Shape]) -> int | None:
    """Rows of the embedding, which padding makes more than there are tokens."""
    if len(shapes.get(_EMBEDDING, ())) == 2:
        return shapes[_EMBEDDING][0]
    tokens = fields.get("tokenizer.ggml.tokens")
    return _plain(fields.get(f"{prefix}vocab_size")) or (tokens.count if isinstance(tokens, Array) else None)
