"""Decoders before Llama: learned or no positions, two matrices in the MLP, each with names of its own.

Source of names, order, shapes and defaults: ``modeling_*.py``, ``configuration_*.py`` of transformers 5.24.
"""

from __future__ import annotations

from dataclasses import replace

from optmem_gui.architectures.bends import bend
from optmem_gui.architectures.decoders import language_model
from optmem_gui.architectures.fields import Fields
from optmem_gui.architectures.rows import Layout, Row, linear, linears, norm, table
from optmem_gui.core.dtypes import DTYPES, F32
from optmem_gui.core.layer_form import LayerForm
from optmem_gui.core.model import BufferTensor, Role
from optmem_gui.core.transformer import TransformerShape

_KVQ = ("k_proj", "v_proj", "q_proj")


def _head(fields: Fields, vocab: int, width: int, tied: bool, name: str = "lm_head") -> list[Row]:
    """The head unless it is tied; the layer of a classifier in its place."""
    if fields.task() == "ForSequenceClassification":
        return linear("score", fields.labels(), width, Role.HEAD)
    return [] if tied else linear(name, vocab, width, Role.HEAD)


def _ties(fields: Fields, tied: bool, table_name: str) -> tuple[tuple[str, str], ...]:
    if not tied or fields.task() == "ForSequenceClassification":
        return ()
    return (("lm_head.weight", f"{table_name}.weight"),)


def gpt2(fields: Fields) -> Layout:
    """GPT-2: fused query, key and value in Conv1D layers (in, out), learned positions, tied head."""
    hidden, heads = fields.count("n_embd", 768), fields.count("n_head", 12)
    bent = bend(fields, "activation_function", "gelu_new")
    shape = TransformerShape(
        vocab=fields.count("vocab_size", 50257),
        hidden=hidden,
        layers=fields.layers("n_layer"),
        heads=heads,
        kv_heads=heads,
        head_dim=max(1, hidden // heads),
        ffn=fields.count("n_inner", 4 * hidden),
        gated=False,
        norm="layer",
        biases=True,
        tied_head=fields.flag("tie_word_embeddings", True),
        positions=fields.count("n_positions", 1024),
        dropout=fields.ratio("resid_pdrop", 0.1),
        fused=True,
        gelu_steps=bent == "steps",
        form=LayerForm(scores="native", activation=bent or "function"),
    )
    ffn = shape.ffn
    rows = [
        *table("transformer.wte", shape.vocab, hidden),
        *table("transformer.wpe", shape.positions, hidden),
    ]
    for layer in range(shape.layers):
        prefix = f"transformer.h.{layer}."
        rows += norm(f"{prefix}ln_1", hidden, True)
        rows += _conv1d(f"{prefix}attn.c_attn", hidden, 3 * hidden, Role.ATTENTION)
        rows += _conv1d(f"{prefix}attn.c_proj", hidden, hidden, Role.ATTENTION)
        rows += norm(f"{prefix}ln_2", hidden, True)
        rows += _conv1d(f"{prefix}mlp.c_fc", hidden, ffn, Role.MLP)
        rows += _conv1d(f"{prefix}mlp.c_proj", ffn, hidden, Role.MLP)
    rows += norm("transformer.ln_f", hidden, True)
    rows += _head(fields, shape.vocab, hidden, shape.tied_head)
    known = None if bent is None else language_model(fields, shape)
    return Layout(tuple(rows), known, tied=_ties(fields, shape.tied_head, "transformer.wte"))


def _conv1d(name: str, into: int, out: int, role: Role) -> list[Row]:
    """Transformers' Conv1D: a linear layer whose weight is (in, out)."""
    return [Row(f"{name}.weight", (into, out), role), Row(f"{name}.bias", (out,), Role.BIAS)]


def gpt_bigcode(fields: Fields) -> Layout:
    """StarCoder 1: GPT-2 with linear layers, one key and value head, a mask of positions by positions."""
    hidden, heads, vocab = fields.count("n_embd"), fields.count("n_head"), fields.count("vocab_size")
    ffn, tied = fields.count("n_inner", 4 * hidden), fields.flag("tie_word_embeddings", True)
    head_dim = max(1, hidden // heads)
    fused = hidden + 2 * (head_dim if fields.flag("multi_query", True) else hidden)
    rows = [*table("transformer.wte", vocab, hidden)]
    rows += table("transformer.wpe", fields.count("n_positions", 1024), hidden)
    for layer in range(fields.layers("n_layer")):
        prefix = f"transformer.h.{layer}."
        rows += norm(f"{prefix}ln_1", hidden, True)
        rows += linear(f"{prefix}attn.c_attn", fused, hidden, Role.ATTENTION, True)
        rows += linear(f"{prefix}attn.c_proj", hidden, hidden, Role.ATTENTION, True)
        rows += norm(f"{prefix}ln_2", hidden, True)
        rows += linear(f"{prefix}mlp.c_fc", ffn, hidden, Role.MLP, True)
        rows += linear(f"{prefix}mlp.c_proj", hidden, ffn, Role.MLP, True)
    rows += norm("transformer.ln_f", hidden, True)
    rows += _head(fields, vocab, hidden, tied)
    bent = bend(fields, "activation_function", "gelu_pytorch_tanh")
    shape = _numbers(
        fields,
        vocab=vocab,
        hidden=hidden,
        layers=fields.layers("n_layer"),
        heads=heads,
        ffn=ffn,
        tied=tied,
    )
    shape = replace(
        shape,
        kv_heads=1 if fields.flag("multi_query", True) else heads,
        positions=fields.count("n_positions", 1024),
        dropout=fields.ratio("resid_pdrop", 0.1),
        fused=True,
        form=LayerForm(activation=bent or "function"),
    )
    known = None if bent is None else language_model(fields, shape)
    mask = BufferTensor("transformer.bias", (shape.positions, shape.positions), DTYPES["bool"])
    return Layout(tuple(rows), known, buffers=(mask,), tied=_ties(fields, tied, "transformer.wte"))


def gpt_neo(fields: Fields) -> Layout:
    """GPT-Neo: no biases on query, key and value; every layer keeps a mask of positions by positions."""
    hidden, vocab = fields.count("hidden_size"), fields.count("vocab_size")
    layers, positions = fields.layers("num_layers"), fields.count("max_position_embeddings", 2048)
    ffn, tied = fields.count("intermediate_size", 4 * hidden), fields.flag("tie_word_embeddings", True)
    rows = [*table("transformer.wte", vocab, hidden), *table("transformer.wpe", positions, hidden)]
    masks = []
    for layer in range(layers):
        prefix = f"transformer.h.{layer}."
        attention = f"{prefix}attn.attention."
        rows += norm(f"{prefix}ln_1", hidden, True)
        rows += linears(attention, dict.fromkeys(_KVQ, (hidden, hidden)), Role.ATTENTION)
        rows += linear(f"{attention}out_proj", hidden, hidden, Role.ATTENTION, True)
        rows += norm(f"{prefix}ln_2", hidden, True)
        rows += linear(f"{prefix}mlp.c_fc", ffn, hidden, Role.MLP, True)
        rows += linear(f"{prefix}mlp.c_proj", hidden, ffn, Role.MLP, True)
        masks.append(BufferTensor(f"{attention}bias", (1, 1, positions, positions), DTYPES["bool"]))
    rows += norm("transformer.ln_f", hidden, True)
    rows += _head(fields, vocab, hidden, tied)
    bent, heads = bend(fields, "activation_function", "gelu_new"), fields.count("num_heads", 16)
    form = LayerForm(scores="local", activation=bent or "function")
    shape = _numbers(fields, vocab=vocab, hidden=hidden, layers=layers, heads=heads, ffn=ffn, tied=tied)
    shape = replace(shape, positions=positions, form=form)
    drops = any(fields.ratio(name) for name in ("attention_dropout", "resid_dropout", "embed_dropout"))
    known = None if bent is None or drops else language_model(fields, shape)
    return Layout(tuple(rows), known, buffers=tuple(masks), tied=_ties(fields, tied, "transformer.wte"))


def gptj(fields: Fields) -> Layout:
    """GPT-J: attention without biases and MLP side by side after one norm, a head with a bias."""
    hidden, vocab = fields.count("n_embd"), fields.count("vocab_size")
    ffn, tied = fields.count("n_inner", 4 * hidden), fields.flag("tie_word_embeddings")
    rows = table("transformer.wte", vocab, hidden)
    for layer in range(fields.layers("n_layer")):
        prefix = f"transformer.h.{layer}."
        rows += norm(f"{prefix}ln_1", hidden, True)
        square = dict.fromkeys((*_KVQ, "out_proj"), (hidden, hidden))
        rows += linears(f"{prefix}attn.", square, Role.ATTENTION)
        rows += linear(f"{prefix}mlp.fc_in", ffn, hidden, Role.MLP, True)
        rows += linear(f"{prefix}mlp.fc_out", hidden, ffn, Role.MLP, True)
    rows += norm("transformer.ln_f", hidden, True)
    rows += _head(fields, vocab, hidden, tied)
    if fields.task() != "ForSequenceClassification":
        rows.append(Row("lm_head.bias", (vocab,), Role.BIAS))
    turning = fields.count("rotary_dim", max(1, hidden // fields.count("n_head")))
    shape = (fields.count("n_positions", 2048), turning)
    rotary = BufferTensor("transformer.rotary_emb.embed_positions", shape, F32)
    ties = _ties(fields, tied, "transformer.wte")
    return Layout(tuple(rows), _gptj_shape(fields, ffn, tied), buffers=(rotary,), tied=ties)


def _gptj_shape(fields: Fields, ffn: int, tied: bool) -> TransformerShape | None:
    hidden, heads, layers = fields.count("n_embd"), fields.count("n_head"), fields.layers("n_layer")
    bent = bend(fields, "activation_function", "gelu_new")
    form = LayerForm(
        rotary="pairs_each",
        rotary_dim=fields.count("rotary_dim", max(1, hidden // heads)),
        residual="parallel",
        scores="wide",
        activation=bent or "function",
    )
    shape = _numbers(
        fields,
        vocab=fields.count("vocab_size"),
        hidden=hidden,
        layers=layers,
        heads=heads,
        ffn=ffn,
        tied=tied,
    )
    shape = replace(shape, dropout=fields.ratio("attn_pdrop"), form=form)
    # its dropouts of attention and of the branches are numbers of their own, and the turned part may be all
    other = not fields.has("rotary_dim") or fields.ratio("resid_pdrop") != shape.dropout
    return None if bent is None or other or fields.ratio("embd_pdrop") else language_model(fields, shape)


def gpt_neox(fields: Fields) -> Layout:
    """GPT-NeoX and Pythia: biases everywhere, fused query, key and value, both sublayers in parallel."""
    hidden, ffn = fields.count("hidden_size"), fields.count("intermediate_size")
    vocab, bias = fields.count("vocab_size"), fields.flag("attention_bias", True)
    rows = table("gpt_neox.embed_in", vocab, hidden)
    for layer in range(fields.layers("num_hidden_layers")):
        prefix = f"gpt_neox.layers.{layer}."
        rows += norm(f"{prefix}input_layernorm", hidden, True)
        rows += norm(f"{prefix}post_attention_layernorm", hidden, True)
        rows += linear(f"{prefix}attention.query_key_value", 3 * hidden, hidden, Role.ATTENTION, bias)
        rows += linear(f"{prefix}attention.dense", hidden, hidden, Role.ATTENTION, bias)
        rows += linear(f"{prefix}mlp.dense_h_to_4h", ffn, hidden, Role.MLP, True)
        rows += linear(f"{prefix}mlp.dense_4h_to_h", hidden, ffn, Role.MLP, True)
    rows += norm("gpt_neox.final_layer_norm", hidden, True)
    tied = fields.flag("tie_word_embeddings")
    rows += _head(fields, vocab, hidden, tied)
    layers, heads = fields.layers("num_hidden_layers"), fields.count("num_attention_heads", 1)
    bent = bend(fields, "hidden_act", "gelu")
    form = LayerForm(
        rotary="joined",
        rotary_dim=fields.turned(max(1, hidden // heads), 0.25, "rotary_pct"),
        residual="parallel_norms" if fields.flag("use_parallel_residual", True) else "serial",
        activation=bent or "function",
    )
    shape = replace(
        _numbers(fields, vocab=vocab, hidden=hidden, layers=layers, heads=heads, ffn=ffn, tied=tied),
        fused=True,
        form=form,
    )
    drops = fields.ratio("hidden_dropout") or fields.ratio("attention_dropout")
    said = bent is not None and fields.has("num_attention_heads")
    known = language_model(fields, shape) if said and not drops else None
    return Layout(tuple(rows), known, tied=_ties(fields, tied, "gpt_neox.embed_in"))


def opt(fields: Fields) -> Layout:
    """OPT: two more position rows than positions; the 350M model has narrow embeddings and no last norm."""
    hidden, ffn, vocab = fields.count("hidden_size"), fields.count("ffn_dim"), fields.count("vocab_size")
    narrow = fields.count("word_embed_proj_dim", hidden)
    bias, affine = fields.flag("enable_bias", True), fields.flag("layer_norm_elementwise_affine", True)
    base = "model.decoder."
    rows = table(f"{base}embed_tokens", vocab, narrow)
    rows += table(f"{base}embed_positions", fields.count("max_position_embeddings", 2048) + 2, hidden)
    last = fields.flag("do_layer_norm_before", True) and not fields.flag("_remove_final_layer_norm")
    if narrow != hidden:
        rows += linear(f"{base}project_out", narrow, hidden, Role.OTHER)
        rows += linear(f"{base}project_in", hidden, narrow, Role.OTHER)
    if last and affine:
        rows += norm(f"{base}final_layer_norm", hidden, True)
    square = dict.fromkeys((*_KVQ, "out_proj"), (hidden, hidden))
    for layer in range(fields.layers("num_hidden_layers")):
        prefix = f"{base}layers.{layer}."
        rows += linears(f"{prefix}self_attn.", square, Role.ATTENTION, square if bias else ())
        rows += norm(f"{prefix}self_attn_layer_norm", hidden, True) if affine else []
        rows += linear(f"{prefix}fc1", ffn, hidden, Role.MLP, bias)
        rows += linear(f"{prefix}fc2", hidden, ffn, Role.MLP, bias)
        rows += norm(f"{prefix}final_layer_norm", hidden, True) if affine else []
    tied = fields.flag("tie_word_embeddings", True)
    rows += _head(fields, vocab, narrow, tied)
    known = _opt_shape(fields, ffn, tied) if last and affine and narrow == hidden else None
    return Layout(tuple(rows), known, tied=_ties(fields, tied, f"{base}embed_tokens"))


def _opt_shape(fields: Fields, ffn: int, tied: bool) -> TransformerShape | None:
    """Dimensions of the OPTs whose norms come first; the one of 350M has another order."""
    hidden, heads = fields.count("hidden_size"), fields.count("num_attention_heads", 1)
    bent = bend(fields, "activation_function", "relu")
    form = LayerForm(scaled_queries=True, activation=bent or "function", drops="branches", position_rows=True)
    layers = fields.layers("num_hidden_layers")
    shape = replace(
        _numbers(
            fields,
            vocab=fields.count("vocab_size"),
            hidden=hidden,
            layers=layers,
            heads=heads,
            ffn=ffn,
            tied=tied,
        ),
        positions=fields.count("max_position_embeddings", 2048) + 2,
        dropout=fields.ratio("dropout", 0.1),
        form=form,
    )
    drops = fields.ratio("attention_dropout") or fields.ratio("layerdrop")
    said = bent is not None and fields.has("num_attention_heads")
    return language_model(fields, shape) if said and not drops else None


def bloom(fields: Fields) -> Layout:
    """BLOOM: no position table (ALiBi), a norm after the embedding, a vocabulary of a quarter million."""
    hidden, vocab = fields.count("hidden_size", alias="n_embed"), fields.count("vocab_size")
    rows = table("transformer.word_embeddings", vocab, hidden)
    rows += norm("transformer.word_embeddings_layernorm", hidden, True)
    for layer in range(fields.layers("n_layer", alias="num_hidden_layers")):
        prefix = f"transformer.h.{layer}."
        rows += norm(f"{prefix}input_layernorm", hidden, True)
        rows += linear(f"{prefix}self_attention.query_key_value", 3 * hidden, hidden, Role.ATTENTION, True)
        rows += linear(f"{prefix}self_attention.dense", hidden, hidden, Role.ATTENTION, True)
        rows += norm(f"{prefix}post_attention_layernorm", hidden, True)
        rows += linear(f"{prefix}mlp.dense_h_to_4h", 4 * hidden, hidden, Role.MLP, True)
        rows += linear(f"{prefix}mlp.dense_4h_to_h", hidden, 4 * hidden, Role.MLP, True)
    rows += norm("transformer.ln_f", hidden, True)
    tied = fields.flag("tie_word_embeddings", True)
    rows += _head(fields, vocab, hidden, tied)
    heads = fields.count("n_head", 8, alias="num_attention_heads")
    layers = fields.layers("n_layer", alias="num_hidden_layers")
    form = LayerForm(
        scores="alibi", activation="recomputed", rotary="none", joined_heads=False, embedding_norm=True
    )
    shape = _numbers(
        fields, vocab=vocab, hidden=hidden, layers=layers, heads=heads, ffn=4 * hidden, tied=tied
    )
    shape = replace(shape, fused=True, form=form)
    other = (
        *("hidden_dropout", "attention_dropout"),
        *("apply_residual_connection_post_layernorm", "slow_but_exact"),
    )
    known = None if any(fields.flag(name) for name in other) else language_model(fields, shape)
    return Layout(tuple(rows), known, tied=_ties(fields, tied, "transformer.word_embeddings"))


def falcon(fields: Fields) -> Layout:
    """Falcon: one key and value head (7B) or few (40B, 180B), one norm a layer or two, side by side."""
    hidden = fields.count("hidden_size", alias="n_embed")
    heads = fields.count("num_attention_heads", alias="n_head")
    vocab, bias = fields.count("vocab_size"), fields.flag("bias")
    ffn, head_dim = fields.count("ffn_hidden_size", 4 * hidden), max(1, hidden // heads)
    grouped = fields.flag("new_decoder_architecture")
    single = fields.flag("multi_query", True)
    if grouped:
        fused = (2 * fields.count("num_kv_heads", heads) + heads) * head_dim
    else:
        fused = hidden + 2 * (head_dim if single else hidden)
    rows = table("transformer.word_embeddings", vocab, hidden)
    for layer in range(fields.layers("num_hidden_layers", alias="n_layer")):
        prefix = f"transformer.h.{layer}."
        rows += linear(f"{prefix}self_attention.query_key_value", fused, hidden, Role.ATTENTION, bias)
        rows += linear(f"{prefix}self_attention.dense", hidden, hidden, Role.ATTENTION, bias)
        rows += linear(f"{prefix}mlp.dense_h_to_4h", ffn, hidden, Role.MLP, bias)
        rows += linear(f"{prefix}mlp.dense_4h_to_h", hidden, ffn, Role.MLP, bias)
        for name in _falcon_norms(fields, grouped):
            rows += norm(prefix + name, hidden, True)
    rows += norm("transformer.ln_f", hidden, True)
    tied = fields.flag("tie_word_embeddings", True)
    rows += _head(fields, vocab, hidden, tied)
    return Layout(tuple(rows), tied=_ties(fields, tied, "transformer.word_embeddings"))


def _falcon_norms(fields: Fields, grouped: bool) -> tuple[str, ...]:
    if not fields.flag("parallel_attn", True):
        return ("post_attention_layernorm", "input_layernorm")
    count = fields.count("num_ln_in_parallel_attn", 2 if grouped else 1)
    return ("ln_attn", "ln_mlp") if count == 2 else ("input_layernorm",)


def mpt(fields: Fields) -> Layout:
    """MPT: no biases at all, no position table (ALiBi)."""
    hidden, vocab = fields.count("d_model"), fields.count("vocab_size")
    rows = table("transformer.wte", vocab, hidden)
    for layer in range(fields.layers("n_layers")):
        prefix = f"transformer.blocks.{layer}."
        rows += norm(f"{prefix}norm_1", hidden)
        rows += linear(f"{prefix}attn.Wqkv", 3 * hidden, hidden, Role.ATTENTION)
        rows += linear(f"{prefix}attn.out_proj", hidden, hidden, Role.ATTENTION)
        rows += norm(f"{prefix}norm_2", hidden)
        rows += linear(f"{prefix}ffn.up_proj", 4 * hidden, hidden, Role.MLP)
        rows += linear(f"{prefix}ffn.down_proj", hidden, 4 * hidden, Role.MLP)
    rows += norm("transformer.norm_f", hidden)
    tied = fields.flag("tie_word_embeddings", True)
    rows += _head(fields, vocab, hidden, tied)
    heads, layers = fields.count("n_heads", 1), fields.layers("n_layers")
    shape = _numbers(
        fields, vocab=vocab, hidden=hidden, layers=layers, heads=heads, ffn=4 * hidden, tied=tied
    )
    shape = replace(shape, fused=True, biases=False, form=LayerForm(scores="masked"))
    inner = fields.part("attn_config")
    other = inner.ratio("attn_pdrop") or inner.has("clip_qkv") or not fields.has("n_heads")
    known = None if other else language_model(fields, shape)
    return Layout(tuple(rows), known, tied=_ties(fields, tied, "transformer.wte"))


def _numbers(
    fields: Fields, *, vocab: int, hidden: int, layers: int, heads: int, ffn: int, tied: bool
) -> TransformerShape:
    """The numbers that every decoder of this kind has; its class must be told by ``fields``."""
    return TransformerShape(
        vocab=vocab,
        hidden=hidden,
        layers=layers,
        heads=heads,
        kv_heads=heads,
        head_dim=max(1, hidden // heads),
        ffn=ffn,
        gated=False,
        norm="layer",
        biases=True,
        tied_head=tied and fields.task() != "ForSequenceClassification",
    )
