"""Mixtures of experts. Every layer's experts are fused into two tensors, as transformers 5 holds them.

Source of names, order, shapes and defaults: ``modeling_*.py``, ``configuration_*.py`` of transformers 5.24.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from optmem_gui.architectures.decoders import (
    QKV,
    QKVO,
    attention,
    dimensions,
    head_norms,
    language_model,
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
from optmem_gui.core.layer_form import LayerForm, Mixture
from optmem_gui.core.model import Role
from optmem_gui.core.transformer import TransformerShape

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
        tuple(stack(fields, shape, block)),
        language_model(fields, shape),
        tied=ties(fields, shape),
        routing=used,
    )


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
    used, shared = routing(fields, "num_experts", 4), fields.count("shared_expert_intermediate_size")
    mlp = _qwen_mlp(fields, shape, used[1], shared)
    biased = QKV if fields.flag("qkv_bias", True) else ()

    def block(prefix: str, layer: int) -> list[Row]:
        return [*attention(prefix, shape, biased), *mlp(prefix, layer), *norms(prefix, shape.hidden)]

    mixed = replace(
        shape,
        ffn=fields.count("moe_intermediate_size"),
        experts=used[1],
        experts_used=used[0],
        mixture=Mixture(normed=fields.flag("norm_topk_prob"), shared_ffn=shared, shared_gate=True),
    )
    known = _dense_first(fields, mixed, shape.ffn)
    return Layout(tuple(stack(fields, shape, block)), known, tied=ties(fields, shape), routing=used)


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

    mixed = replace(
        shape,
        ffn=fields.count("moe_intermediate_size"),
        head_norms=True,
        experts=used[1],
        experts_used=used[0],
        mixture=Mixture(normed=fields.flag("norm_topk_prob")),
    )
    rows, known = tuple(stack(fields, shape, block)), _dense_first(fields, mixed, shape.ffn)
    return Layout(rows, known, tied=ties(fields, shape), routing=used)


def _dense_first(fields: Fields, shape: TransformerShape, dense_ffn: int) -> TransformerShape | None:
    """The dimensions with the layers that have a plain MLP, where those are the first ones."""
    sparse = _is_sparse(fields)
    dense = next((layer for layer in range(shape.layers) if sparse(layer)), shape.layers)
    if dense == shape.layers or not all(sparse(layer) for layer in range(dense, shape.layers)):
        return None
    if dense:
        shape = replace(shape, mixture=replace(shape.mixture, dense_layers=dense, dense_ffn=dense_ffn))
    return language_model(fields, shape)


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
    used = routing(fields, "num_local_experts", 4)
    shape = replace(
        dimensions(fields),
        norm="rms_wide",
        window=fields.count("sliding_window", 128),
        experts=used[1],
        experts_used=used[0],
        form=LayerForm(rotary="chunks", scores="sinks"),
        mixture=Mixture(router="chosen", biased=True),
    )
    hidden, width, count = shape.hidden, shape.ffn, used[1]

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

    known = language_model(fields, shape)
    return Layout(tuple(stack(fields, shape, block)), known, tied=ties(fields, shape), routing=used)
