"""Mixtures of experts. Every layer's experts are fused into two tensors, as transformers 5 holds them.

Source of names, order, shapes and defaults: ``modeling_*.py``, ``configuration_*.py`` of transformers 5.24.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod

from optmem_gui.architectures.decoders import (
    QKV,
    QKVO,
    attention,
    dimensions,
    head_norms,
    norms,
    stack,
    ties,
    windowed,
)
from optmem_gui.architectures.fields import Fields
from optmem_gui.architectures.rows import (
    Layout,
    Row,
    convolution,
    experts,
    gated,
    linear,
    linears,
    norm,
    router,
)
from optmem_gui.core.model import Role
from optmem_gui.core.transformer import TransformerShape

CORRECTION = "e_score_correction_bias"
"""DeepSeek-V3's router correction: a tensor of the checkpoint, moved by a rule and never by a gradient.

Its own code keeps it as a parameter, transformers as a buffer."""


_SAVED_AS = {"num_experts": "num_local_experts", "num_local_experts": "num_experts"}
"""Transformers 5 saves the field of some families under the name that others have."""


def routing(fields: Fields, name: str, default: int) -> tuple[int, int]:
    """Experts a token visits, and experts there are.

    Args:
        fields: The config.
        name: Field that counts the experts.
        default: Experts a token visits where the config leaves it out.
    """
    count = fields.count(name, alias=_SAVED_AS.get(name, ""))
    return min(fields.count("num_experts_per_tok", default), count), count


def mixtral(fields: Fields) -> Layout:
    """Mixtral: every MLP is a router and a set of experts."""
    used = routing(fields, "num_local_experts", 2)
    mixed = replace(dimensions(fields), experts=used[1], experts_used=used[0], router_fp32=True)
    shape = windowed(fields, mixed)

    def block(prefix: str, _layer: int) -> list[Row]:
        return [
            *attention(prefix, shape),
            *router(f"{prefix}mlp.", used[1], shape.hidden),
            *experts(f"{prefix}mlp.", used[1], shape.hidden, shape.ffn),
            *norms(prefix, shape.hidden),
        ]

    return Layout(
        tuple(stack(fields, shape, block)), _known(fields, shape), tied=ties(fields, shape), routing=used
    )


def _known(fields: Fields, shape: TransformerShape) -> TransformerShape | None:
    """The dimensions, where the class is the language model that the rules for activations are for."""
    return None if fields.task() == "ForSequenceClassification" else shape


def _is_sparse(fields: Fields) -> Callable[[int], bool]:
    """Which layers of a Qwen mixture have experts."""
    dense, step = frozenset(fields.indices("mlp_only_layers")), fields.count("decoder_sparse_step", 1)
    return lambda layer: layer not in dense and (layer + 1) % step == 0


def _qwen_mlp(
    fields: Fields, shape: TransformerShape, count: int, shared: int
) -> Callable[[str, int], list[Row]]:
    """A Qwen layer's MLP: experts, a shared one beside them where ``shared`` is its width, or a plain MLP."""
    sparse, width = _is_sparse(fields), fields.count("moe_intermediate_size")

    def mlp(prefix: str, layer: int) -> list[Row]:
        if not sparse(layer):
            return gated(f"{prefix}mlp.", shape.hidden, shape.ffn)
        scores = router(f"{prefix}mlp.", count, shape.hidden)
        fused = experts(f"{prefix}mlp.", count, shape.hidden, width)
        rows = [*scores, *fused] if shared else [*fused, *scores]
        if shared:
            rows += gated(f"{prefix}mlp.shared_expert.", shape.hidden, shared, Role.EXPERT)
            rows += linear(f"{prefix}mlp.shared_expert_gate", 1, shape.hidden, Role.ROUTER)
        return rows

    return mlp


def qwen2_moe(fields: Fields) -> Layout:
    """Qwen 1.5 and 2 with experts, and one that every token visits."""
    shape = dimensions(fields, qkv_biases=True)
    used = routing(fields, "num_experts", 4)
    mlp = _qwen_mlp(fields, shape, used[1], fields.count("shared_expert_intermediate_size"))
    biased = QKV if fields.flag("qkv_bias", True) else ()

    def block(prefix: str, layer: int) -> list[Row]:
        return [*attention(prefix, shape, biased), *mlp(prefix, layer), *norms(prefix, shape.hidden)]

    return Layout(tuple(stack(fields, shape, block)), tied=ties(fields, shape), routing=used)


def qwen3_moe(fields: Fields) -> Layout:
    """Qwen 3 with experts: a norm over each query and key head."""
    shape = dimensions(fields)
    used = routing(fields, "num_experts", 8)
    mlp, biased = _qwen_mlp(fields, shape, used[1], 0), QKVO if fields.flag("attention_bias") else ()

    def block(prefix: str, layer: int) -> list[Row]:
        return [
            *attention(prefix, shape, biased),
            *head_norms(prefix, shape.head_dim, shape.head_dim),
            *mlp(prefix, layer),
            *norms(prefix, shape.hidden),
        ]

    rows = tuple(stack(fields, shape, block))
    sparse = _is_sparse(fields)
    if biased or not all(sparse(layer) for layer in range(shape.layers)):
        return Layout(rows, tied=ties(fields, shape), routing=used)
    mixed = replace(
        shape,
        ffn=fields.count("moe_intermediate_size"),
        head_norms=True,
        experts=used[1],
        experts_used=used[0],
    )
    return Layout(rows, _known(fields, mixed), tied=ties(fields, shape), routing=used)


def qwen3_next(fields: Fields) -> Layout:
    """Qwen3-Next: three layers of gated delta rule to one of gated attention, experts in all."""
    shape = dimensions(fields)
    used = routing(fields, "num_experts", 10)
    mlp = _qwen_mlp(fields, shape, used[1], fields.count("shared_expert_intermediate_size"))
    every = fields.count("full_attention_interval", 4)
    kinds = fields.names("layer_types")
    if kinds and len(kinds) != shape.layers:
        raise fields.refuse("layer_types")
    query, value = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    # the query projection also gives the gate of the output
    sizes = {
        "q_proj": (2 * query, shape.hidden),
        "k_proj": (value, shape.hidden),
        "v_proj": (value, shape.hidden),
        "o_proj": (shape.hidden, query),
    }
    biased = QKVO if fields.flag("attention_bias") else ()

    def block(prefix: str, layer: int) -> list[Row]:
        full = kinds[layer] == "full_attention" if kinds else (layer + 1) % every == 0
        if full:
            mixer = linears(f"{prefix}self_attn.", sizes, Role.ATTENTION, biased)
            mixer += head_norms(prefix, shape.head_dim, shape.head_dim)
        else:
            mixer = _delta_rule(fields, f"{prefix}linear_attn.", shape.hidden)
        return [*mixer, *mlp(prefix, layer), *norms(prefix, shape.hidden)]

    return Layout(tuple(stack(fields, shape, block)), tied=ties(fields, shape), routing=used)


def _delta_rule(fields: Fields, prefix: str, hidden: int) -> list[Row]:
    """A gated delta net (arXiv 2412.06464)."""
    heads = fields.count("linear_num_value_heads", 32)
    key = fields.count("linear_num_key_heads", 16) * fields.count("linear_key_head_dim", 128)
    head_dim = fields.count("linear_value_head_dim", 128)
    value = heads * head_dim
    return [
        Row(f"{prefix}dt_bias", (heads,), Role.OTHER),
        Row(f"{prefix}A_log", (heads,), Role.OTHER),
        *convolution(f"{prefix}conv1d", 2 * key + value, 1, fields.count("linear_conv_kernel_dim", 4)),
        *linear(f"{prefix}in_proj_qkvz", 2 * key + 2 * value, hidden, Role.ATTENTION),
        *linear(f"{prefix}in_proj_ba", 2 * heads, hidden, Role.ATTENTION),
        *norm(f"{prefix}norm", head_dim),
        *linear(f"{prefix}out_proj", hidden, value, Role.ATTENTION),
    ]


def gpt_oss(fields: Fields) -> Layout:
    """gpt-oss: biases on attention, router and experts, one attention sink a head."""
    shape = dimensions(fields)
    hidden, width = shape.hidden, shape.ffn
    used = routing(fields, "num_local_experts", 4)
    count = used[1]

    def block(prefix: str, _layer: int) -> list[Row]:
        return [
            Row(f"{prefix}self_attn.sinks", (shape.heads,), Role.ATTENTION),
            *attention(prefix, shape, QKVO),
            Row(f"{prefix}mlp.router.weight", (count, hidden), Role.ROUTER),
            Row(f"{prefix}mlp.router.bias", (count,), Role.ROUTER),
            Row(f"{prefix}mlp.experts.gate_up_proj", (count, hidden, 2 * width), Role.EXPERT),
            Row(f"{prefix}mlp.experts.gate_up_proj_bias", (count, 2 * width), Role.EXPERT),
            Row(f"{prefix}mlp.experts.down_proj", (count, width, hidden), Role.EXPERT),
            Row(f"{prefix}mlp.experts.down_proj_bias", (count, hidden), Role.EXPERT),
            *norms(prefix, hidden),
        ]

    return Layout(tuple(stack(fields, shape, block)), tied=ties(fields, shape), routing=used)


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
    return Layout(rows, tied=ties(fields, shape), routing=used, apart_count=apart)


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
    return Layout(rows, tied=ties(fields, shape), routing=used, apart_count=apart)
