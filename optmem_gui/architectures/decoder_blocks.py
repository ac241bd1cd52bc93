"""Decoders since Llama whose blocks are put together another way.

Source of names, order, shapes and defaults: ``modeling_*.py``, ``configuration_*.py`` of transformers 5.24.
"""

from __future__ import annotations

from dataclasses import replace

from optmem_gui.architectures.bends import bend
from optmem_gui.architectures.decoders import (
    BLOCK_NORMS,
    QKV,
    QKVO,
    attention,
    dense,
    dimensions,
    language_model,
    norms,
    stack,
    ties,
    windowed,
)
from optmem_gui.architectures.fields import Fields
from optmem_gui.architectures.rows import Layout, Row, gated, linear, linears, norm
from optmem_gui.core.layer_form import LayerForm
from optmem_gui.core.model import Role


def phi3(fields: Fields) -> Layout:
    """Phi-3 and Phi-4-mini: Llama's matrices, query, key and value fused, gate and up fused."""
    whole = dimensions(fields)
    form = LayerForm(rotary="joined", rotary_dim=fields.turned(whole.head_dim, 1.0), joined_heads=False)
    shape = windowed(fields, replace(whole, fused=True, form=form))
    query, value = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim

    def block(prefix: str, _layer: int) -> list[Row]:
        return [
            *linear(f"{prefix}self_attn.o_proj", shape.hidden, query, Role.ATTENTION),
            *linear(f"{prefix}self_attn.qkv_proj", query + 2 * value, shape.hidden, Role.ATTENTION),
            *linear(f"{prefix}mlp.gate_up_proj", 2 * shape.ffn, shape.hidden, Role.MLP),
            *linear(f"{prefix}mlp.down_proj", shape.hidden, shape.ffn, Role.MLP),
            *norms(prefix, shape.hidden),
        ]

    rows = stack(fields, shape, block)
    return Layout(tuple(rows), language_model(fields, shape), tied=ties(fields, shape))


def glm4(fields: Fields) -> Layout:
    """GLM-4: gate and up fused, biases on query, key and value, four norms a layer."""
    whole = dimensions(fields)
    form = LayerForm(rotary="pairs", rotary_dim=fields.turned(whole.head_dim, 0.5), fused_gate=True)
    shape = replace(whole, norms_after=True, form=form)
    biased = QKV if fields.flag("attention_bias", True) else ()
    names = (*BLOCK_NORMS, "post_self_attn_layernorm", "post_mlp_layernorm")

    def block(prefix: str, _layer: int) -> list[Row]:
        return [
            *attention(prefix, shape, biased),
            *linear(f"{prefix}mlp.gate_up_proj", 2 * shape.ffn, shape.hidden, Role.MLP),
            *linear(f"{prefix}mlp.down_proj", shape.hidden, shape.ffn, Role.MLP),
            *norms(prefix, shape.hidden, names),
        ]

    known = language_model(fields, shape)
    return Layout(tuple(stack(fields, shape, block)), known, tied=ties(fields, shape))


def cohere(fields: Fields) -> Layout:
    """Cohere Command: attention and MLP side by side after one norm, a head that is tied."""
    per_head = fields.flag("use_qk_norm")
    form = LayerForm(rotary="pairs_wide", residual="parallel", scaled_logits=True)
    shape = replace(dimensions(fields, tied=True), norm="layer_steps", head_norms=per_head, form=form)
    biased = QKVO if fields.flag("attention_bias") else ()

    def block(prefix: str, _layer: int) -> list[Row]:
        rows = attention(prefix, shape, biased)
        if per_head:
            sizes = {"q_norm": shape.heads, "k_norm": shape.kv_heads}
            rows += [
                Row(f"{prefix}self_attn.{name}.weight", (heads, shape.head_dim), Role.NORM)
                for name, heads in sizes.items()
            ]
        return [
            *rows,
            *gated(f"{prefix}mlp.", shape.hidden, shape.ffn),
            *norms(prefix, shape.hidden, ("input_layernorm",)),
        ]

    # the layers of Cohere 2 that see everything have no positions
    known = language_model(fields, shape) if fields.word("model_type") == "cohere" else None
    return Layout(tuple(stack(fields, shape, block)), known, tied=ties(fields, shape))


def stablelm(fields: Fields) -> Layout:
    """StableLM 2: Llama with layer norms that have biases; variants with head norms are not built here."""
    if fields.flag("qk_layernorm"):
        raise fields.refuse("qk_layernorm")
    biased = QKV if fields.flag("use_qkv_bias") else ()
    parallel = fields.flag("use_parallel_residual")
    whole = dimensions(fields)
    form = LayerForm(
        rotary="joined",
        rotary_dim=fields.turned(whole.head_dim, 0.25),
        residual="parallel" if parallel else "serial",
    )
    shape = replace(whole, norm="layer", form=form)
    names = ("input_layernorm",) if parallel else BLOCK_NORMS
    known = not fields.ratio("hidden_dropout")
    return dense(fields, shape, biased=biased, names=names, norm_bias=True, known=known)


def starcoder2(fields: Fields) -> Layout:
    """StarCoder 2: two matrices in the MLP, biases everywhere, a head that is tied."""
    bent = bend(fields, "hidden_act", "gelu_pytorch_tanh")
    form = LayerForm(rotary="halves", activation=bent or "function")
    shape = replace(dimensions(fields, tied=True), gated=False, norm="layer", form=form)
    shape = windowed(fields, shape)
    bias = fields.flag("use_bias", True)

    def block(prefix: str, _layer: int) -> list[Row]:
        return [
            *attention(prefix, shape, QKVO if bias else ()),
            *linear(f"{prefix}mlp.c_fc", shape.ffn, shape.hidden, Role.MLP, bias),
            *linear(f"{prefix}mlp.c_proj", shape.hidden, shape.ffn, Role.MLP, bias),
            *norms(prefix, shape.hidden, bias=True),
        ]

    last = norm("model.norm", shape.hidden, bias=True)
    known = None if bent is None or fields.ratio("residual_dropout") else language_model(fields, shape)
    return Layout(tuple(stack(fields, shape, block, last_norm=last)), known, tied=ties(fields, shape))


def phi(fields: Fields) -> Layout:
    """Phi-1, 1.5 and 2: attention and MLP side by side after one norm, a head with a bias."""
    whole, bent = dimensions(fields), bend(fields, "hidden_act", "gelu_new")
    form = LayerForm(
        rotary="joined",
        rotary_dim=fields.turned(whole.head_dim, 0.5),
        residual="parallel",
        activation=bent or "function",
        drops="branches",
    )
    dropout = fields.ratio("resid_pdrop")
    shape = replace(whole, gated=False, norm="layer", dropout=dropout, form=form)
    query, value = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    sizes = {
        "q_proj": (query, shape.hidden),
        "k_proj": (value, shape.hidden),
        "v_proj": (value, shape.hidden),
        "dense": (shape.hidden, query),
    }
    per_head = fields.flag("qk_layernorm")

    def block(prefix: str, _layer: int) -> list[Row]:
        rows = linears(f"{prefix}self_attn.", sizes, Role.ATTENTION, sizes)
        if per_head:
            rows += [*norm(f"{prefix}self_attn.q_layernorm", shape.head_dim, True)]
            rows += [*norm(f"{prefix}self_attn.k_layernorm", shape.head_dim, True)]
        return [
            *rows,
            *linear(f"{prefix}mlp.fc1", shape.ffn, shape.hidden, Role.MLP, True),
            *linear(f"{prefix}mlp.fc2", shape.hidden, shape.ffn, Role.MLP, True),
            *norm(f"{prefix}input_layernorm", shape.hidden, True),
        ]

    last = norm("model.final_layernorm", shape.hidden, bias=True)
    rows = stack(fields, shape, block, last_norm=last, head_bias=True)
    if shape.tied_head and fields.task() != "ForSequenceClassification":
        rows.append(Row("lm_head.bias", (shape.vocab,), Role.BIAS))
    unknown = (
        bent is None or per_head or any(fields.ratio(name) for name in ("embd_pdrop", "attention_dropout"))
    )
    return Layout(tuple(rows), None if unknown else language_model(fields, shape), tied=ties(fields, shape))
