"""DeepSeek and GLM-4.5: dense layers first, then experts that are chosen and some that every token visits.

Source of names, order, shapes and defaults: ``modeling_*.py``, ``configuration_*.py`` of transformers 5.24.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod

from optmem_gui.architectures.decoders import (
    QKV,
    attention,
    dimensions,
    head_norms,
    language_model,
    norms,
    stack,
    ties,
)
from optmem_gui.architectures.fields import Fields
from optmem_gui.architectures.mixtures import routing
from optmem_gui.architectures.rows import Layout, Row, experts, gated, linear, norm, router
from optmem_gui.core.layer_form import LatentAttention, LayerForm, Mixture
from optmem_gui.core.model import Role
from optmem_gui.core.transformer import TransformerShape

CORRECTION = "e_score_correction_bias"
"""DeepSeek-V3's router correction: a tensor of the checkpoint, moved by a rule and never by a gradient.

Its own code keeps it as a parameter, transformers as a buffer."""


def deepseek_v2(fields: Fields) -> Layout:
    """DeepSeek-V2: multi-head latent attention, dense layers first, then experts and shared ones."""
    return _deepseek(fields, dense=0, correction=False, used=routing(fields, "n_routed_experts", 6))


def deepseek_v3(fields: Fields) -> Layout:
    """DeepSeek-V3, R1 and Kimi K2: V2 with a router correction; without the MTP module."""
    return _deepseek(fields, dense=3, correction=True, used=routing(fields, "n_routed_experts", 8))


def _deepseek(fields: Fields, dense: int, correction: bool, used: tuple[int, int]) -> Layout:
    shape = TransformerShape(
        vocab=fields.count("vocab_size"),
        hidden=fields.count("hidden_size"),
        layers=fields.layers("num_hidden_layers"),
        heads=fields.count("num_attention_heads"),
        kv_heads=1,
        head_dim=fields.count("v_head_dim", 128),
        ffn=fields.count("intermediate_size"),
        norm="rms",
        tied_head=fields.flag("tie_word_embeddings"),
    )
    first = fields.count("first_k_dense_replace", dense, least=0)
    width, count = fields.count("moe_intermediate_size"), used[1]
    shared = fields.count("n_shared_experts", 0, least=0) * width

    def block(prefix: str, layer: int) -> list[Row]:
        rows = _latent_attention(fields, f"{prefix}self_attn.", shape.hidden, shape.heads)
        if layer < first:
            rows += gated(f"{prefix}mlp.", shape.hidden, shape.ffn)
        else:
            rows += experts(f"{prefix}mlp.", count, shape.hidden, width)
            rows += router(f"{prefix}mlp.", count, shape.hidden)
            if correction:
                rows.append(Row(f"{prefix}mlp.gate.{CORRECTION}", (count,), Role.ROUTER, trainable=False))
            if shared:
                rows += gated(f"{prefix}mlp.shared_experts.", shape.hidden, shared, Role.EXPERT)
        return [*rows, *norms(prefix, shape.hidden)]

    apart = _next_token_count(fields, shape, block)
    rows = tuple(stack(fields, shape, block))
    known = _latent_shape(fields, shape, used, first, correction=correction)
    return Layout(rows, known, tied=ties(fields, shape), routing=used, apart_count=apart)


def _latent_shape(
    fields: Fields, shape: TransformerShape, used: tuple[int, int], first: int, *, correction: bool
) -> TransformerShape | None:
    """The dimensions of DeepSeek's layers."""
    latent = LatentAttention(
        query_rank=fields.count("q_lora_rank") if fields.has("q_lora_rank") else 0,
        rank=fields.count("kv_lora_rank"),
        rotary_dim=fields.count("qk_rope_head_dim"),
        plain_dim=fields.count("qk_nope_head_dim"),
        value_dim=fields.count("v_head_dim"),
    )
    form = LayerForm(rotary="latent" if correction else "complex", rotary_dim=latent.rotary_dim)
    mixed = replace(
        shape,
        kv_heads=shape.heads,
        head_dim=latent.plain_dim + latent.rotary_dim,
        form=form,
        latent=latent,
    )
    mixed = _with_shared(fields, mixed, used, first)
    grouped = fields.word("topk_method", "greedy") == "group_limited_greedy"
    if not correction:
        mixture = replace(mixed.mixture, router="wide_softmax", normed=False, grouped=grouped)
        mixed = replace(mixed, mixture=mixture)
    # keys and values for each head, and pairs of neighbouring elements in the rotary part
    other = fields.count("num_key_value_heads", shape.heads) != shape.heads
    other = other or not fields.flag("rope_interleave", True) or fields.flag("mlp_bias")
    other = other or first >= shape.layers or not mixed.mixture.shared_ffn
    return None if other else language_model(fields, mixed)


def _with_shared(
    fields: Fields, shape: TransformerShape, used: tuple[int, int], first: int
) -> TransformerShape:
    """With DeepSeek-V3's experts and shared ones, after dense layers."""
    width = fields.count("moe_intermediate_size")
    mixture = Mixture(
        router="wide_sigmoid",
        normed=fields.flag("norm_topk_prob", True),
        shared_ffn=fields.count("n_shared_experts", 1, least=0) * width,
        dense_layers=first,
        dense_ffn=shape.ffn if first else 0,
    )
    return replace(shape, ffn=width, experts=used[1], experts_used=used[0], mixture=mixture)


def _next_token_count(fields: Fields, shape: TransformerShape, block: Callable[[str, int], list[Row]]) -> int:
    """Parameters of the multi-token-prediction modules: each a layer, a matrix that joins, three norms.

    Their embedding and head are the main model's own (arXiv 2412.19437, section 2.2); checkpoints hold
    both twice.
    """
    modules = fields.layers("num_nextn_predict_layers", 0, least=0)
    layer = sum(prod(row.shape) for row in block("", shape.layers))
    return modules * (layer + 2 * shape.hidden**2 + 3 * shape.hidden)


def _latent_attention(fields: Fields, prefix: str, hidden: int, heads: int) -> list[Row]:
    """Multi-head latent attention (arXiv 2405.04434); without ``q_lora_rank`` the query is not compressed."""
    rope, nope = fields.count("qk_rope_head_dim"), fields.count("qk_nope_head_dim")
    value, rank = fields.count("v_head_dim"), fields.count("kv_lora_rank")
    bias = fields.flag("attention_bias")
    if fields.has("q_lora_rank"):
        query_rank = fields.count("q_lora_rank")
        query = [
            *linear(f"{prefix}q_a_proj", query_rank, hidden, Role.ATTENTION, bias),
            *norm(f"{prefix}q_a_layernorm", query_rank),
            *linear(f"{prefix}q_b_proj", heads * (rope + nope), query_rank, Role.ATTENTION),
        ]
    else:
        query = linear(f"{prefix}q_proj", heads * (rope + nope), hidden, Role.ATTENTION)
    return [
        *query,
        *linear(f"{prefix}kv_a_proj_with_mqa", rank + rope, hidden, Role.ATTENTION, bias),
        *norm(f"{prefix}kv_a_layernorm", rank),
        *linear(f"{prefix}kv_b_proj", heads * (nope + value), rank, Role.ATTENTION),
        *linear(f"{prefix}o_proj", hidden, heads * value, Role.ATTENTION, bias),
    ]


def glm4_moe(fields: Fields) -> Layout:
    """GLM-4.5: attention as in Qwen, dense layers first, then DeepSeek's experts; without the MTP module."""
    shape = dimensions(fields)
    used = routing(fields, "n_routed_experts", 8)
    count, width = used[1], fields.count("moe_intermediate_size")
    shared = fields.count("n_shared_experts", 1, least=0) * width
    first = fields.count("first_k_dense_replace", 1, least=0)
    biased, per_head = QKV if fields.flag("attention_bias") else (), fields.flag("use_qk_norm")

    def block(prefix: str, layer: int) -> list[Row]:
        rows = attention(prefix, shape, biased)
        if per_head:
            rows += head_norms(prefix, shape.head_dim, shape.head_dim)
        if layer < first:
            rows += gated(f"{prefix}mlp.", shape.hidden, shape.ffn)
        else:
            rows += experts(f"{prefix}mlp.", count, shape.hidden, width)
            rows += router(f"{prefix}mlp.", count, shape.hidden)
            rows.append(Row(f"{prefix}mlp.gate.{CORRECTION}", (count,), Role.ROUTER, trainable=False))
            if shared:
                rows += gated(f"{prefix}mlp.shared_experts.", shape.hidden, shared, Role.EXPERT)
        return [*rows, *norms(prefix, shape.hidden)]

    apart = _next_token_count(fields, shape, block)
    rows = tuple(stack(fields, shape, block))
    form = LayerForm(rotary="joined", rotary_dim=fields.turned(shape.head_dim, 0.5))
    known = None
    if first < shape.layers and shared:
        mixed = _with_shared(fields, replace(shape, head_norms=per_head, form=form), used, first)
        known = language_model(fields, mixed)
    return Layout(rows, known, tied=ties(fields, shape), routing=used, apart_count=apart)
