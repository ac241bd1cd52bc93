"""What a tensor is, told from its name, shape and type: parameter, buffer or bookkeeping, and its role.

The rules, in order:

1. Tensors that only serve a quantised weight (scales, zero points, code books) are bookkeeping.
2. Names that modules register as buffers (BatchNorm statistics, rotary tables, causal masks, noise
   schedules), copies kept by an exponential moving average, and whole or boolean numbers, which carry
   no gradient, are buffers.
3. Everything else is a parameter.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from optmem_gui.core.dtypes import DType
from optmem_gui.core.model import Role, Shape

# torch.nn: BatchNorm, and the companion vector of spectral_norm
_STATISTICS = ("running_mean", "running_var", "num_batches_tracked", "weight_u")
# rotary and cached position tables of Hugging Face, llama and others
_TABLES = ("inv_freq", "cos_cached", "sin_cached", "freqs_cis", "freqs_cos", "freqs_sin", "rotary_pos_emb")
# masks and positions of Hugging Face models, router statistics of DeepSeek
_MASKS = ("masked_bias", "causal_mask", "attn_mask", "attention_mask", "position_ids", "token_type_ids")
_INDICES = ("relative_position_index", "relative_coords_table", "e_score_correction_bias")
# noise schedules of latent diffusion (register_schedule in ddpm.py), and its averaging
_NOISE = ("betas", "alphas_cumprod", "alphas_cumprod_prev", "sqrt_alphas_cumprod", "lvlb_weights", "logvar")
_MORE_NOISE = ("sqrt_one_minus_alphas_cumprod", "log_one_minus_alphas_cumprod", "sqrt_recip_alphas_cumprod")
_POSTERIOR = ("sqrt_recipm1_alphas_cumprod", "posterior_variance", "posterior_log_variance_clipped")
_MEANS = ("posterior_mean_coef1", "posterior_mean_coef2", "num_updates")
_BUFFER_LEAVES = frozenset(
    (*_STATISTICS, *_TABLES, *_MASKS, *_INDICES, *_NOISE, *_MORE_NOISE, *_POSTERIOR, *_MEANS)
)
EMA_ROOTS = ("model_ema.", "ema_model.", "ema.")
_AUXILIARY_LEAVES = frozenset(
    [
        "qzeros",
        "g_idx",
        "weight_scale",
        "weight_scale_inv",
        "weight_zero_point",
        "weight_shape",
        "weight_g_idx",
        "input_scale",
        "output_scale",
        "weight_scale_2",
        "weight_global_scale",
        "input_global_scale",
        "scaled_fp8",
        "scale_weight",
        "scale_input",
        "absmax",
        "quant_map",
        "nested_absmax",
        "nested_quant_map",
        "SCB",
        "weight_format",
        "k_scale",
        "v_scale",
        "activation_scale",
    ]
)
_AUXILIARY_PARTS = ("quant_state.", ".absmax", ".quant_map", ".nested_")


class Part(Enum):
    """Which part of a model a tensor is."""

    PARAMETER = "parameter"
    BUFFER = "buffer"
    AUXILIARY = "auxiliary"


class Meaning(NamedTuple):
    """What a name, a number of dimensions and a type tell."""

    part: Part
    role: Role


def meaning_of(name: str, dimensions: int, dtype: DType) -> Meaning:
    """Tell what a tensor is.

    Names that differ only in digits mean the same, so one answer serves every layer.

    Args:
        name: Full dotted name.
        dimensions: Length of its shape.
        dtype: Type it is stored in.
    """
    leaf = name.rpartition(".")[2]
    if leaf in _AUXILIARY_LEAVES or dtype.id == "fp8_e8m0" or any(part in name for part in _AUXILIARY_PARTS):
        return Meaning(Part.AUXILIARY, Role.OTHER)
    if (
        leaf in _BUFFER_LEAVES
        or not dtype.is_floating
        or name.startswith(EMA_ROOTS)
        or (leaf == "bias" and dimensions >= 3 and "attn" in name)  # GPT-2's causal mask
        or (leaf == "freqs" and "rope" in name)
        or name.startswith("rope_f")  # rope_freqs, rope_factors_long and _short of GGUF
    ):
        return Meaning(Part.BUFFER, Role.OTHER)
    return Meaning(Part.PARAMETER, _role(name.lower(), dimensions))


def role_of(name: str, shape: Shape) -> Role:
    """What a parameter does, from its name and shape (``layers.0.self_attn.q_proj.weight``: attention)."""
    return _role(name.lower(), len(shape))


_NORM = re.compile(r"norm|(^|[._])(bn|ln)(\d|_|\.)")
_EMBEDDING = (
    "embed",
    "wte",
    "wpe",
    "word_emb",
    "position_emb",
    "pos_emb",
    "token_emb",
    "cls_token",
    "_embd.",
)
_HEAD = ("lm_head", "embed_out", "classifier", "score.", "cls.predictions", "output_projection")
_GATES = (".gate.weight", ".gate.bias", "shared_expert_gate.weight")
_HEAD_ROOTS = ("head.", "output.", "fc.", "heads.")
_ATTENTION = [
    "attn",
    "attention",
    "q_proj",
    "k_proj",
    "v_proj",
    "o_proj",
    "qkv",
    "query",
    "key_proj",
    "value_proj",
    "in_proj",
    "out_proj",
    "c_attn",
    "query_key_value",
    ".wq",
    ".wk",
    ".wv",
    ".wo.",
    "selfattention",
    "encdecattention",
    "to_q",
    "to_k",
    "to_v",
    "to_out",
]
_MLP = [
    "mlp",
    "ffn",
    "feed_forward",
    "feedforward",
    "fc1",
    "fc2",
    "fc3",
    "c_fc",
    "gate_proj",
    "up_proj",
    "down_proj",
    "gate_up_proj",
    "intermediate",
    "dense_h_to_4h",
    "dense_4h_to_h",
    ".output.dense",
    ".w1.",
    ".w2.",
    ".w3.",
    ".wi",
    "densereludense",
    ".ff.",
    "linear1",
    "linear2",
]


def _role(name: str, dimensions: int) -> Role:  # noqa: PLR0911  # an ordered list of rules
    leaf = name.rpartition(".")[2]
    if "lora_" in name or "adapter" in name or "ia3_" in name:
        return Role.ADAPTER
    if dimensions <= 1 and _NORM.search(name):
        return Role.NORM
    if ("expert" in name and "shared_expert_gate" not in name) or "_exps." in name:
        return Role.EXPERT
    if "router" in name or "_gate_inp" in name or name.endswith(_GATES):
        return Role.ROUTER
    if leaf == "bias" and dimensions <= 1:
        return Role.BIAS
    if dimensions >= 4 or (dimensions == 3 and "conv" in name):
        return Role.CONVOLUTION
    if _any(_HEAD, name) or name.startswith(_HEAD_ROOTS):
        return Role.HEAD
    if _any(_EMBEDDING, name) or name.startswith("shared."):
        return Role.EMBEDDING
    if dimensions <= 1 and leaf == "weight":
        return Role.NORM
    if _any(_ATTENTION, name):
        return Role.ATTENTION
    if _any(_MLP, name):
        return Role.MLP
    return Role.OTHER


def _any(parts: tuple[str, ...] | list[str], name: str) -> bool:
    return any(part in name for part in parts)
