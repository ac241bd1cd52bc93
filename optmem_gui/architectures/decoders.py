"""Decoders built like Llama: rotary positions, gated MLP, one block after another.

Source of names, order, shapes and defaults: ``modeling_*.py``, ``configuration_*.py`` of transformers 5.24.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from optmem_gui.architectures.fields import Fields
from optmem_gui.architectures.rows import Layout, Row, gated, linear, linears, norm, table
from optmem_gui.core.layer_form import LayerForm
from optmem_gui.core.model import Role
from optmem_gui.core.transformer import TransformerShape

QKV = ("q_proj", "k_proj", "v_proj")
QKVO = (*QKV, "o_proj")
BLOCK_NORMS = ("input_layernorm", "post_attention_layernorm")

Mlp = Callable[[str, int], Sequence[Row]]
"""Rows of the MLP of a layer, from the layer's prefix and its number."""


def dimensions(fields: Fields, *, qkv_biases: bool = False, tied: bool = False) -> TransformerShape:
    """The numbers that every decoder of this kind has.

    Args:
        fields: Its config.
        qkv_biases: Query, key and value carry biases.
        tied: The head is tied where the config does not say.
    """
    hidden, heads = fields.count("hidden_size"), fields.count("num_attention_heads")
    return TransformerShape(
        vocab=fields.count("vocab_size"),
        hidden=hidden,
        layers=fields.layers("num_hidden_layers"),
        heads=heads,
        kv_heads=fields.count("num_key_value_heads", heads),
        head_dim=fields.count("head_dim", max(1, hidden // heads)),
        ffn=fields.count("intermediate_size"),
        norm="rms",
        qkv_biases=qkv_biases,
        tied_head=fields.flag("tie_word_embeddings", tied),
        dropout=fields.ratio("attention_dropout"),
    )


def attention(prefix: str, shape: TransformerShape, biased: Iterable[str] = ()) -> list[Row]:
    """Query, key, value and output of a layer."""
    query, value = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    sizes = {
        "q_proj": (query, shape.hidden),
        "k_proj": (value, shape.hidden),
        "v_proj": (value, shape.hidden),
        "o_proj": (shape.hidden, query),
    }
    return linears(f"{prefix}self_attn.", sizes, Role.ATTENTION, biased)


def head_norms(prefix: str, query: int, key: int) -> list[Row]:
    """Norms over queries and keys."""
    return [*norm(f"{prefix}self_attn.q_norm", query), *norm(f"{prefix}self_attn.k_norm", key)]


def norms(prefix: str, hidden: int, names: Iterable[str] = BLOCK_NORMS, bias: bool = False) -> list[Row]:
    """Norms of a layer."""
    return [row for name in names for row in norm(prefix + name, hidden, bias)]


def stack(
    fields: Fields,
    shape: TransformerShape,
    block: Callable[[str, int], Sequence[Row]],
    *,
    base: str = "model.",
    head: str = "lm_head",
    last_norm: Sequence[Row] | None = None,
    head_bias: bool = False,
) -> list[Row]:
    """Embedding, blocks, last norm and head of a decoder.

    Args:
        fields: Its config; a classifier has a ``score`` layer in place of the head.
        shape: Its dimensions.
        block: Rows of a layer, from its prefix and number.
        base: Prefix of the decoder.
        head: Name of the head.
        last_norm: In place of an RMS norm.
        head_bias: The head has a bias.
    """
    rows = table(f"{base}embed_tokens", shape.vocab, shape.hidden)
    for layer in range(shape.layers):
        rows += block(f"{base}layers.{layer}.", layer)
    rows += norm(f"{base}norm", shape.hidden) if last_norm is None else last_norm
    return rows + head_rows(fields, shape, head, head_bias)


def head_rows(
    fields: Fields, shape: TransformerShape, head: str = "lm_head", bias: bool = False
) -> list[Row]:
    """The head, unless it shares the embedding's storage; the layer of a classifier in its place."""
    if fields.task() == "ForSequenceClassification":
        return linear("score", fields.labels(), shape.hidden, Role.HEAD)
    if shape.tied_head:
        return []
    return linear(head, shape.vocab, shape.hidden, Role.HEAD, bias)


def ties(
    fields: Fields, shape: TransformerShape, table_name: str = "model.embed_tokens", head: str = "lm_head"
) -> tuple[tuple[str, str], ...]:
    """The head's other name where it is tied."""
    if not shape.tied_head or fields.task() == "ForSequenceClassification":
        return ()
    return ((f"{head}.weight", f"{table_name}.weight"),)


def dense(
    fields: Fields,
    shape: TransformerShape,
    *,
    biased: Iterable[str] = (),
    mlp_bias: bool = False,
    extra: Callable[[str], Sequence[Row]] = lambda prefix: (),
    names: Iterable[str] = BLOCK_NORMS,
    known: bool = False,
    norm_bias: bool = False,
) -> Layout:
    """A decoder of attention, gated MLP and norms; ``extra`` are further rows of the attention."""

    def block(prefix: str, _layer: int) -> list[Row]:
        return [
            *attention(prefix, shape, biased),
            *extra(prefix),
            *gated(f"{prefix}mlp.", shape.hidden, shape.ffn, bias=mlp_bias),
            *norms(prefix, shape.hidden, names, norm_bias),
        ]

    last = norm("model.norm", shape.hidden, norm_bias)
    rows = stack(fields, shape, block, last_norm=last)
    return Layout(tuple(rows), language_model(fields, shape) if known else None, tied=ties(fields, shape))


def language_model(fields: Fields, shape: TransformerShape) -> TransformerShape | None:
    """The dimensions, where the class is the language model that the rules for activations are for."""
    return None if fields.task() == "ForSequenceClassification" else shape


def llama(fields: Fields) -> Layout:
    """Llama, Yi, SmolLM: no biases unless ``attention_bias`` or ``mlp_bias`` asks for them."""
    shape = dimensions(fields)
    biases, mlp_bias = fields.flag("attention_bias"), fields.flag("mlp_bias")
    return dense(fields, shape, biased=QKVO if biases else (), mlp_bias=mlp_bias, known=True)


def mistral(fields: Fields) -> Layout:
    """Mistral: Llama whose first version looks back at a window of 4096 tokens."""
    layout = llama(fields)
    return replace(layout, shape=None if layout.shape is None else windowed(fields, layout.shape))


def windowed(fields: Fields, shape: TransformerShape) -> TransformerShape:
    """The dimensions with the window, where the config sets one."""
    return replace(shape, window=fields.count("sliding_window", 0, least=0))


def granite(fields: Fields) -> Layout:
    """Granite 3: Llama's tensors, with multipliers on embedding, residuals and logits."""
    biases, mlp_bias = fields.flag("attention_bias"), fields.flag("mlp_bias")
    form = LayerForm(scaled_logits=True, scaled_branches=True)
    shape = replace(dimensions(fields), form=form)
    return dense(fields, shape, biased=QKVO if biases else (), mlp_bias=mlp_bias, known=True)


def smollm3(fields: Fields) -> Layout:
    """SmolLM 3: Llama with a head that is tied unless said otherwise."""
    shape = dimensions(fields, tied=True)
    biased = QKVO if fields.flag("attention_bias") else ()
    return dense(fields, shape, biased=biased, mlp_bias=fields.flag("mlp_bias"))


def qwen2(fields: Fields) -> Layout:
    """Qwen 2 and 2.5: biases on query, key and value only."""
    return dense(fields, dimensions(fields, qkv_biases=True), biased=QKV, known=True)


def qwen3(fields: Fields) -> Layout:
    """Qwen 3: no biases, a norm over each query and key head."""
    shape = replace(dimensions(fields), head_norms=True)
    biased = QKVO if fields.flag("attention_bias") else ()
    return dense(
        fields,
        shape,
        biased=biased,
        extra=lambda prefix: head_norms(prefix, shape.head_dim, shape.head_dim),
        known=True,
    )


def olmo(fields: Fields) -> Layout:
    """OLMo 1: norms without parameters."""
    biased = QKVO if fields.flag("attention_bias") else ()
    shape = replace(dimensions(fields), norm="layer_wide", form=LayerForm(rotary="halves_wide"))

    def block(prefix: str, _layer: int) -> list[Row]:
        return [*attention(prefix, shape, biased), *gated(f"{prefix}mlp.", shape.hidden, shape.ffn)]

    known = None if fields.has("clip_qkv") else language_model(fields, shape)
    return Layout(tuple(stack(fields, shape, block, last_norm=())), known, tied=ties(fields, shape))


def olmo2(fields: Fields) -> Layout:
    """OLMo 2 and 3: norms after the sublayers, and over the whole query and key."""
    form = LayerForm(rotary="halves_wide", norms_before=False, whole_head_norms=True)
    shape = replace(dimensions(fields), norm="rms_wide", norms_after=True, head_norms=True, form=form)
    query, key = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    return dense(
        fields,
        shape,
        biased=QKVO if fields.flag("attention_bias") else (),
        extra=lambda prefix: head_norms(prefix, query, key),
        names=("post_attention_layernorm", "post_feedforward_layernorm"),
        known=fields.word("model_type") == "olmo2",
    )
