"""One tiny config for every decoder whose activations are counted, as its library builds it."""

from __future__ import annotations

from typing import Any

_SPECIAL = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
_NUMBERS: dict[str, Any] = {
    "vocab_size": 128,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_attention_heads": 4,
    "tie_word_embeddings": False,
    **_SPECIAL,
}
_GROUPED = {**_NUMBERS, "num_key_value_heads": 2, "head_dim": 24}
_WHOLE = {**_NUMBERS, "num_key_value_heads": 2, "head_dim": 16}
_GPT: dict[str, Any] = {
    "vocab_size": 128,
    "n_embd": 64,
    "n_head": 4,
    "n_positions": 64,
    "resid_pdrop": 0.0,
    "attn_pdrop": 0.0,
    "embd_pdrop": 0.0,
    **_SPECIAL,
}
_EXPERTS = {"num_experts": 8, "moe_intermediate_size": 40, "num_experts_per_tok": 3}
_DENSE_FIRST: dict[str, Any] = {
    **_NUMBERS,
    "n_routed_experts": 8,
    "n_shared_experts": 2,
    "first_k_dense_replace": 1,
    "moe_intermediate_size": 40,
    "num_experts_per_tok": 3,
    "n_group": 2,
    "topk_group": 1,
}
_LATENT = {
    **_DENSE_FIRST,
    "num_key_value_heads": 4,
    "q_lora_rank": 20,
    "kv_lora_rank": 28,
    "qk_rope_head_dim": 8,
    "qk_nope_head_dim": 16,
    "v_head_dim": 12,
}
_OPT: dict[str, Any] = {
    "vocab_size": 128,
    "hidden_size": 64,
    "num_attention_heads": 4,
    "ffn_dim": 96,
    "max_position_embeddings": 64,
    "word_embed_proj_dim": 64,
    "dropout": 0.0,
    **_SPECIAL,
}
_PHI = {**_NUMBERS, "num_key_value_heads": 2}
_NEOX = {"model_type": "gpt_neox", **_NUMBERS}
_V2 = {"model_type": "deepseek_v2", **_LATENT}

DECODERS: dict[str, dict[str, Any]] = {
    "llama": {"model_type": "llama", **_GROUPED},
    "llama biases": {"model_type": "llama", **_GROUPED, "attention_bias": True, "mlp_bias": True},
    "gpt2": {"model_type": "gpt2", **_GPT},
    "gemma2": {"model_type": "gemma2", **_GROUPED},
    "gemma2 no caps": {
        "model_type": "gemma2",
        **_GROUPED,
        "attn_logit_softcapping": None,
        "final_logit_softcapping": None,
    },
    "gemma3": {"model_type": "gemma3_text", **_GROUPED},
    "gpt_neox": _NEOX,
    "gpt_neox fast": {**_NEOX, "hidden_act": "gelu_fast"},
    "gpt_neox serial": {**_NEOX, "use_parallel_residual": False},
    "gpt_oss": {"model_type": "gpt_oss", **_GROUPED, "num_local_experts": 8, "num_experts_per_tok": 3},
    "deepseek_v2": {**_V2, "topk_method": "group_limited_greedy"},
    "deepseek_v2 lite": {**_V2, "topk_method": "greedy", "q_lora_rank": None},
    "deepseek_v3": {"model_type": "deepseek_v3", **_LATENT},
    "glm4_moe": {
        "model_type": "glm4_moe",
        **_DENSE_FIRST,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "use_qk_norm": True,
        "partial_rotary_factor": 0.5,
    },
    "opt": {"model_type": "opt", **_OPT},
    "phi": {"model_type": "phi", **_PHI},
    "bloom": {"model_type": "bloom", "vocab_size": 128, "hidden_size": 64, "n_head": 4, **_SPECIAL},
    "glm4": {"model_type": "glm4", **_WHOLE, "partial_rotary_factor": 0.5},
    "olmo": {"model_type": "olmo", **_WHOLE},
    "olmo2": {"model_type": "olmo2", **_WHOLE},
    "cohere": {"model_type": "cohere", **_WHOLE},
    "cohere norms": {"model_type": "cohere", **_WHOLE, "use_qk_norm": True},
    "granite": {"model_type": "granite", **_WHOLE},
    "stablelm": {"model_type": "stablelm", **_PHI, "use_qkv_bias": True},
    "stablelm parallel": {"model_type": "stablelm", **_PHI, "use_parallel_residual": True},
    "starcoder2": {"model_type": "starcoder2", **_PHI},
    "gpt_bigcode": {"model_type": "gpt_bigcode", **_GPT},
    "gpt_bigcode heads": {"model_type": "gpt_bigcode", **_GPT, "multi_query": False},
    "gptj": {"model_type": "gptj", **_GPT, "rotary_dim": 8},
    "gpt_neo": {
        "model_type": "gpt_neo",
        "vocab_size": 128,
        "hidden_size": 64,
        "num_heads": 4,
        "max_position_embeddings": 64,
        "window_size": 48,
        **_SPECIAL,
    },
    "mpt": {
        "model_type": "mpt",
        "vocab_size": 128,
        "d_model": 64,
        "n_heads": 4,
        "max_seq_len": 64,
        **_SPECIAL,
    },
    "qwen2_moe": {
        "model_type": "qwen2_moe",
        **_WHOLE,
        **_EXPERTS,
        "shared_expert_intermediate_size": 56,
        "mlp_only_layers": [0],
    },
    "qwen3_moe": {"model_type": "qwen3_moe", **_GROUPED, **_EXPERTS, "norm_topk_prob": True},
}
"""By family and variant."""

ONLY_EAGER = frozenset(("gemma2", "gpt_oss", "bloom", "gpt_neo", "mpt"))
"""Families that transformers runs without ``scaled_dot_product_attention``."""

_LAYERS = {
    "gpt2": "n_layer",
    "gpt_bigcode": "n_layer",
    "gptj": "n_layer",
    "bloom": "n_layer",
    "mpt": "n_layers",
}


def with_layers(name: str, layers: int, **changes: Any) -> dict[str, Any]:
    """A config with so many layers."""
    config = {**DECODERS[name], **changes}
    family = config["model_type"]
    if family == "gpt_neo":
        return {**config, "num_layers": layers, "attention_types": [[["global"], layers]]}
    return {**config, _LAYERS.get(family, "num_hidden_layers"): layers}
