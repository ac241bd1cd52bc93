"""Decoders built like Llama: rotary positions, gated MLP, one block after another.

Source of names, order, shapes and defaults: ``modeling_*.py``, ``configuration_*.py`` of transformers 5.24.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from optmem_gui.architectures.fields import Fields
from optmem_gui.architectures.rows import Layout, Row, gated, linear, linears, norm, table
from optmem_gui.core.model import Role
from optmem_gui.core.transformer import TransformerShape

QKV = ("q_proj", "k_proj", "v_proj")
QKVO = (*QKV, "o_proj")
_BLOCK_NORMS = ("input_layernorm", "post_attention_layernorm")
_FOUR_NORMS = (*_BLOCK_NORMS, "pre_feedforward_layernorm", "post_feedforward_layernorm")

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


def norms(prefix: str, hidden: int, names: Iterable[str] = _BLOCK_NORMS, bias: bool = False) -> list[Row]:
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


def _dense(
    fields: Fields,
    shape: TransformerShape,
    *,
    biased: Iterable[str] = (),
    mlp_bias: bool = False,
    extra: Callable[[str], Sequence[Row]] = lambda prefix: (),
    names: Iterable[str] = _BLOCK_NORMS,
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
    whole = fields.task() != "ForSequenceClassification"
    return Layout(tuple(rows), shape if known and whole else None, tied=ties(fields, shape))


def llama(fields: Fields) -> Layout:
    """Llama, Yi, SmolLM: no biases unless ``attention_bias`` or ``mlp_bias`` asks for them."""
    shape = dimensions(fields)
    biases, mlp_bias = fields.flag("attention_bias"), fields.flag("mlp_bias")
    return _dense(
        fields, shape, biased=QKVO if biases else (), mlp_bias=mlp_bias, known=not biases and not mlp_bias
    )


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
    return _dense(fields, dimensions(fields), biased=QKVO if biases else (), mlp_bias=mlp_bias)


def smollm3(fields: Fields) -> Layout:
    """SmolLM 3: Llama with a head that is tied unless said otherwise."""
    shape = dimensions(fields, tied=True)
    biased = QKVO if fields.flag("attention_bias") else ()
    return _dense(fields, shape, biased=biased, mlp_bias=fields.flag("mlp_bias"))


def qwen2(fields: Fields) -> Layout:
    """Qwen 2 and 2.5: biases on query, key and value only."""
    return _dense(fields, dimensions(fields, qkv_biases=True), biased=QKV, known=True)


def qwen3(fields: Fields) -> Layout:
    """Qwen 3: no biases, a norm over each query and key head."""
    shape = replace(dimensions(fields), head_norms=True)
    biased = QKVO if fields.flag("attention_bias") else ()
    return _dense(
        fields,
        shape,
        biased=biased,
        extra=lambda prefix: head_norms(prefix, shape.head_dim, shape.head_dim),
        known=not biased,
    )


def olmo(fields: Fields) -> Layout:
    """OLMo 1: norms without parameters."""
    biased = QKVO if fields.flag("attention_bias") else ()
    shape = dimensions(fields)

    def block(prefix: str, _layer: int) -> list[Row]:
        return [*attention(prefix, shape, biased), *gated(f"{prefix}mlp.", shape.hidden, shape.ffn)]

    return Layout(tuple(stack(fields, shape, block, last_norm=())), tied=ties(fields, shape))


def olmo2(fields: Fields) -> Layout:
    """OLMo 2 and 3: norms after the sublayers, and over the whole query and key."""
    shape = dimensions(fields)
    query, key = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    return _dense(
        fields,
        shape,
        biased=QKVO if fields.flag("attention_bias") else (),
        extra=lambda prefix: head_norms(prefix, query, key),
        names=("post_attention_layernorm", "post_feedforward_layernorm"),
    )


def gemma(fields: Fields) -> Layout:
    """Gemma 1: Llama's tensors, a head that is tied."""
    shape = replace(dimensions(fields, tied=True), norm_offset=True)
    biased = QKVO if fields.flag("attention_bias") else ()
    return _dense(fields, shape, biased=biased, known=not biased)


def gemma2(fields: Fields) -> Layout:
    """Gemma 2: four norms a layer."""
    shape = dimensions(fields, tied=True)
    return _dense(fields, shape, biased=QKVO if fields.flag("attention_bias") else (), names=_FOUR_NORMS)


def gemma3_block(shape: TransformerShape, bias: bool) -> Callable[[str, int], list[Row]]:
    """A layer of Gemma 3: four norms, and one over each query and key head."""

    def block(prefix: str, _layer: int) -> list[Row]:
        return [
            *attention(prefix, shape, QKVO if bias else ()),
            *head_norms(prefix, shape.head_dim, shape.head_dim),
            *gated(f"{prefix}mlp.", shape.hidden, shape.ffn),
            *norms(prefix, shape.hidden, _FOUR_NORMS),
        ]

    return block


def gemma3_text(fields: Fields) -> Layout:
    """Gemma 3 without its image tower."""
    shape = gemma3_shape(fields)
    rows = stack(fields, shape, gemma3_block(shape, fields.flag("attention_bias")))
    return Layout(tuple(rows), gemma3_known(fields, shape), tied=ties(fields, shape))


def gemma3_shape(fields: Fields) -> TransformerShape:
    """Dimensions of Gemma 3: five layers of six look back at a window."""
    return replace(
        dimensions(fields, tied=True),
        norm_offset=True,
        norms_after=True,
        head_norms=True,
        window=fields.count("sliding_window", 4096),
    )


def gemma3_known(fields: Fields, shape: TransformerShape) -> TransformerShape | None:
    """The dimensions, where the rules for activations hold: no biases, no caps on logits."""
    other = any(
        fields.flag(name) for name in ("attention_bias", "final_logit_softcapping", "attn_logit_softcapping")
    )
    return None if other or fields.task() == "ForSequenceClassification" else shape


def phi3(fields: Fields) -> Layout:
    """Phi-3 and Phi-4-mini: Llama's matrices, query, key and value fused, gate and up fused."""
    shape = windowed(fields, replace(dimensions(fields), fused=True))
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
    known = None if fields.task() == "ForSequenceClassification" else shape
    return Layout(tuple(rows), known, tied=ties(fields, shape))


def glm4(fields: Fields) -> Layout:
    """GLM-4: gate and up fused, biases on query, key and value, four norms a layer."""
    shape = dimensions(fields)
    biased = QKV if fields.flag("attention_bias", True) else ()
    names = (*_BLOCK_NORMS, "post_self_attn_layernorm", "post_mlp_layernorm")

    def block(prefix: str, _layer: int) -> list[Row]:
        return [
            *attention(prefix, shape, biased),
            *linear(f"{prefix}mlp.gate_up_proj", 2 * shape.ffn, shape.hidden, Role.MLP),
            *linear(f"{prefix}mlp.down_proj", shape.hidden, shape.ffn, Role.MLP),
            *norms(prefix, shape.hidden, names),
        ]

    return Layout(tuple(stack(fields, shape, block)), tied=ties(fields, shape))


def cohere(fields: Fields) -> Layout:
    """Cohere Command: attention and MLP side by side after one norm, a head that is tied."""
    shape = dimensions(fields, tied=True)
    biased = QKVO if fields.flag("attention_bias") else ()
    per_head = fields.flag("use_qk_norm")

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

    return Layout(tuple(stack(fields, shape, block)), tied=ties(fields, shape))


def stablelm(fields: Fields) -> Layout:
    """StableLM 2: Llama with layer norms that have biases; variants with head norms are not built here."""
    if fields.flag("qk_layernorm"):
        raise fields.refuse("qk_layernorm")
    shape = dimensions(fields)
    biased = QKV if fields.flag("use_qkv_bias") else ()
    parallel = fields.flag("use_parallel_residual")
    names = ("input_layernorm",) if parallel else _BLOCK_NORMS
    return _dense(fields, shape, biased=biased, names=names, norm_bias=True)


def starcoder2(fields: Fields) -> Layout:
    """StarCoder 2: two matrices in the MLP, biases everywhere, a head that is tied."""
    shape = dimensions(fields, tied=True)
    bias = fields.flag("use_bias", True)

    def block(prefix: str, _layer: int) -> list[Row]:
        return [
            *attention(prefix, shape, QKVO if bias else ()),
            *linear(f"{prefix}mlp.c_fc", shape.ffn, shape.hidden, Role.MLP, bias),
            *linear(f"{prefix}mlp.c_proj", shape.hidden, shape.ffn, Role.MLP, bias),
            *norms(prefix, shape.hidden, bias=True),
        ]

    last = norm("model.norm", shape.hidden, bias=True)
    return Layout(tuple(stack(fields, shape, block, last_norm=last)), tied=ties(fields, shape))


def phi(fields: Fields) -> Layout:
    """Phi-1, 1.5 and 2: attention and MLP side by side after one norm, a head with a bias."""
    shape = dimensions(fields)
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
    return Layout(tuple(rows), tied=ties(fields, shape))
