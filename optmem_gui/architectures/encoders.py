"""Text encoders, encoder-decoders, and speech.

Source of names, order, shapes and defaults: ``modeling_*.py``, ``configuration_*.py`` of transformers 5.24.
The class in ``architectures`` decides what stands on top; without it the bare encoder is meant.
"""

from __future__ import annotations

from optmem_gui.architectures.fields import Fields
from optmem_gui.architectures.network_shapes import bert_shape
from optmem_gui.architectures.rows import Layout, Row, convolution, linear, linears, norm, table
from optmem_gui.core.model import Role

_KVQ = ("k_proj", "v_proj", "q_proj", "out_proj")


def _encoder_layer(prefix: str, hidden: int, ffn: int, own: list[Row]) -> list[Row]:
    """A layer as BERT arranges it, around the rows of its own kind of self-attention."""
    return [
        *own,
        *linear(f"{prefix}attention.output.dense", hidden, hidden, Role.ATTENTION, True),
        *norm(f"{prefix}attention.output.LayerNorm", hidden, True),
        *linear(f"{prefix}intermediate.dense", ffn, hidden, Role.MLP, True),
        *linear(f"{prefix}output.dense", hidden, ffn, Role.MLP, True),
        *norm(f"{prefix}output.LayerNorm", hidden, True),
    ]


def _bert_body(fields: Fields, base: str, *, roberta: bool) -> list[Row]:
    hidden, ffn = fields.count("hidden_size"), fields.count("intermediate_size")
    words = table(f"{base}embeddings.word_embeddings", fields.count("vocab_size"), hidden)
    positions = table(
        f"{base}embeddings.position_embeddings", fields.count("max_position_embeddings", 512), hidden
    )
    types = table(f"{base}embeddings.token_type_embeddings", fields.count("type_vocab_size", 2), hidden)
    last = norm(f"{base}embeddings.LayerNorm", hidden, True)
    rows = [*words, *types, *last, *positions] if roberta else [*words, *positions, *types, *last]
    squares = dict.fromkeys(("query", "key", "value"), (hidden, hidden))
    for layer in range(fields.layers("num_hidden_layers")):
        prefix = f"{base}encoder.layer.{layer}."
        own = linears(f"{prefix}attention.self.", squares, Role.ATTENTION, squares)
        rows += _encoder_layer(prefix, hidden, ffn, own)
    return rows


def _classifier(fields: Fields, task: str) -> list[Row]:
    name = "qa_outputs" if task == "ForQuestionAnswering" else "classifier"
    labels = 1 if task == "ForMultipleChoice" else fields.labels()
    return linear(name, labels, fields.count("hidden_size"), Role.HEAD, True)


def bert(fields: Fields) -> Layout | None:
    """BERT: bare with its pooler, with one or both of its pretraining heads, or a classifier."""
    task = fields.task() or "Model"
    base = "" if task == "Model" else "bert."
    hidden, vocab = fields.count("hidden_size"), fields.count("vocab_size")
    rows = _bert_body(fields, base, roberta=False)
    if task in ("Model", "ForPreTraining", "ForSequenceClassification", "ForMultipleChoice"):
        rows += linear(f"{base}pooler.dense", hidden, hidden, Role.OTHER, True)
    if task in ("ForMaskedLM", "ForPreTraining"):
        tied = fields.flag("tie_word_embeddings", True)
        rows += _bert_head(fields, hidden, vocab, tied)
        shape = bert_shape(fields, task, tied=tied)
        return Layout(tuple(rows), tied=_bert_ties() if tied else (), network=shape)
    if task in (
        "ForSequenceClassification",
        "ForMultipleChoice",
        "ForTokenClassification",
        "ForQuestionAnswering",
    ):
        rows += _classifier(fields, task)
    elif task != "Model":
        return None
    return Layout(tuple(rows), network=bert_shape(fields, task))


def _bert_head(fields: Fields, hidden: int, vocab: int, tied: bool) -> list[Row]:
    rows = [Row("cls.predictions.bias", (vocab,), Role.BIAS)]
    rows += linear("cls.predictions.transform.dense", hidden, hidden, Role.HEAD, True)
    rows += norm("cls.predictions.transform.LayerNorm", hidden, True)
    if not tied:
        rows += linear("cls.predictions.decoder", vocab, hidden, Role.HEAD)
    if fields.task() == "ForPreTraining":
        rows += linear("cls.seq_relationship", 2, hidden, Role.HEAD, True)
    return rows


def _bert_ties() -> tuple[tuple[str, str], ...]:
    return (
        ("cls.predictions.decoder.weight", "bert.embeddings.word_embeddings.weight"),
        ("cls.predictions.decoder.bias", "cls.predictions.bias"),
    )


def roberta(fields: Fields) -> Layout | None:
    """RoBERTa and XLM-R: bare with its pooler, with the word predictor, or a classifier."""
    task = fields.task() or "Model"
    base = "" if task == "Model" else "roberta."
    hidden, vocab = fields.count("hidden_size"), fields.count("vocab_size")
    rows = _bert_body(fields, base, roberta=True)
    if task == "Model":
        rows += linear("pooler.dense", hidden, hidden, Role.OTHER, True)
    elif task == "ForMaskedLM":
        tied = fields.flag("tie_word_embeddings", True)
        rows.append(Row("lm_head.bias", (vocab,), Role.BIAS))
        rows += linear("lm_head.dense", hidden, hidden, Role.HEAD, True)
        rows += norm("lm_head.layer_norm", hidden, True)
        rows += [] if tied else linear("lm_head.decoder", vocab, hidden, Role.HEAD)
        ties = (
            ("lm_head.decoder.weight", "roberta.embeddings.word_embeddings.weight"),
            ("lm_head.decoder.bias", "lm_head.bias"),
        )
        shape = bert_shape(fields, task, tied=tied, numbered=True)
        return Layout(tuple(rows), tied=ties if tied else (), network=shape)
    elif task == "ForSequenceClassification":
        rows += linear("classifier.dense", hidden, hidden, Role.HEAD, True)
        rows += linear("classifier.out_proj", fields.labels(), hidden, Role.HEAD, True)
    elif task in ("ForTokenClassification", "ForQuestionAnswering"):
        rows += _classifier(fields, task)
    else:
        return None
    return Layout(tuple(rows), network=bert_shape(fields, task, numbered=True))


def deberta_v2(fields: Fields) -> Layout | None:
    """DeBERTa v2 and v3, bare: relative positions through the content's own projections, which they share."""
    shared, kinds = fields.flag("share_att_key"), fields.kinds("pos_att_type")
    if (
        fields.task() not in ("", "Model")
        or fields.count("conv_kernel_size", 0, least=0)
        or not fields.flag("relative_attention")
        or (kinds and not shared)
    ):
        return None
    hidden, ffn = fields.count("hidden_size"), fields.count("intermediate_size")
    rows = _deberta_embeddings(fields, hidden)
    squares = dict.fromkeys(("query_proj", "key_proj", "value_proj"), (hidden, hidden))
    for layer in range(fields.layers("num_hidden_layers")):
        prefix = f"encoder.layer.{layer}."
        own = linears(f"{prefix}attention.self.", squares, Role.ATTENTION, squares)
        rows += _encoder_layer(prefix, hidden, ffn, own)
    buckets = _span(fields, "position_buckets") or _span(fields, "max_relative_positions")
    entries = 2 * (buckets or fields.count("max_position_embeddings", 512))
    rows += table("encoder.rel_embeddings", entries, hidden)
    if "layer_norm" in fields.word("norm_rel_ebd", "none"):
        rows += norm("encoder.LayerNorm", hidden, True)
    return Layout(tuple(rows))


def deberta(fields: Fields) -> Layout | None:
    """DeBERTa v1, bare: one projection of content, two of positions, biases on query and value alone."""
    if fields.task() not in ("", "Model") or not fields.flag("relative_attention"):
        return None
    hidden, ffn = fields.count("hidden_size"), fields.count("intermediate_size")
    kinds = fields.kinds("pos_att_type")
    rows = _deberta_embeddings(fields, hidden)
    for layer in range(fields.layers("num_hidden_layers")):
        prefix = f"encoder.layer.{layer}."
        own = f"{prefix}attention.self."
        attention = [
            Row(f"{own}q_bias", (hidden,), Role.BIAS),
            Row(f"{own}v_bias", (hidden,), Role.BIAS),
            *linear(f"{own}in_proj", 3 * hidden, hidden, Role.ATTENTION),
        ]
        if "c2p" in kinds:
            attention += linear(f"{own}pos_proj", hidden, hidden, Role.ATTENTION)
        if "p2c" in kinds:
            attention += linear(f"{own}pos_q_proj", hidden, hidden, Role.ATTENTION, True)
        rows += _encoder_layer(prefix, hidden, ffn, attention)
    span = _span(fields, "max_relative_positions") or fields.count("max_position_embeddings", 512)
    return Layout((*rows, *table("encoder.rel_embeddings", 2 * span, hidden)))


def _deberta_embeddings(fields: Fields, hidden: int) -> list[Row]:
    rows = table("embeddings.word_embeddings", fields.count("vocab_size"), hidden)
    if fields.flag("position_biased_input", True):
        positions = fields.count("max_position_embeddings", 512)
        rows += table("embeddings.position_embeddings", positions, hidden)
    types = fields.count("type_vocab_size", 0, least=0)
    if types:
        rows += table("embeddings.token_type_embeddings", types, hidden)
    return [*rows, *norm("embeddings.LayerNorm", hidden, True)]


def _span(fields: Fields, name: str) -> int:
    """A number of positions; -1, which these configs write for "not set", is 0."""
    return max(0, fields.count(name, -1, least=-1))


def t5(fields: Fields) -> Layout | None:
    """T5 and FLAN-T5: no biases, a table of relative positions in the first layer of each stack.

    ``tie_word_embeddings`` is taken at its word: T5 1.1 and FLAN-T5 have a head of their own, which
    transformers 5 forgets when it builds them from a config (``T5Config`` sets it to true).
    """
    return _t5(fields, everywhere=False)


def mt5(fields: Fields) -> Layout | None:
    """mT5: T5 1.1 with a larger vocabulary."""
    return _t5(fields.with_defaults({"feed_forward_proj": "gated-gelu"}), everywhere=False)


def umt5(fields: Fields) -> Layout | None:
    """UMT5: mT5 with a table of relative positions in every layer."""
    return _t5(fields.with_defaults({"feed_forward_proj": "gated-gelu"}), everywhere=True)


def _t5(fields: Fields, *, everywhere: bool) -> Layout | None:
    if fields.task() not in ("", "ForConditionalGeneration"):
        return None
    hidden, layers = fields.count("d_model"), fields.layers("num_layers")
    vocab, tied = fields.count("vocab_size"), fields.flag("tie_word_embeddings", True)
    rows = table("shared", vocab, hidden)
    rows += _t5_stack(fields, "encoder.", layers, decoder=False, everywhere=everywhere)
    decoders = fields.layers("num_decoder_layers", layers)
    rows += _t5_stack(fields, "decoder.", decoders, decoder=True, everywhere=everywhere)
    rows += [] if tied else linear("lm_head", vocab, hidden, Role.HEAD)
    names = ["encoder.embed_tokens", "decoder.embed_tokens", *(["lm_head"] if tied else [])]
    return Layout(tuple(rows), tied=tuple((f"{name}.weight", "shared.weight") for name in names))


def _t5_stack(fields: Fields, base: str, layers: int, *, decoder: bool, everywhere: bool) -> list[Row]:
    hidden, heads = fields.count("d_model"), fields.count("num_heads")
    inner = heads * fields.count("d_kv")
    buckets = fields.count("relative_attention_num_buckets", 32)
    sizes = {"q": (inner, hidden), "k": (inner, hidden), "v": (inner, hidden), "o": (hidden, inner)}
    rows: list[Row] = []
    for layer in range(layers):
        prefix = f"{base}block.{layer}.layer."
        rows += linears(f"{prefix}0.SelfAttention.", sizes, Role.ATTENTION)
        if layer == 0 or everywhere:
            rows += table(f"{prefix}0.SelfAttention.relative_attention_bias", buckets, heads)
        rows += norm(f"{prefix}0.layer_norm", hidden)
        if decoder:
            rows += linears(f"{prefix}1.EncDecAttention.", sizes, Role.ATTENTION)
            rows += norm(f"{prefix}1.layer_norm", hidden)
        last = f"{prefix}{2 if decoder else 1}."
        rows += _t5_mlp(fields, f"{last}DenseReluDense.", hidden)
        rows += norm(f"{last}layer_norm", hidden)
    return [*rows, *norm(f"{base}final_layer_norm", hidden)]


def _t5_mlp(fields: Fields, prefix: str, hidden: int) -> list[Row]:
    width, gated = fields.count("d_ff"), fields.word("feed_forward_proj", "relu").startswith("gated")
    entries = ("wi_0", "wi_1") if gated else ("wi",)
    sizes = {**dict.fromkeys(entries, (width, hidden)), "wo": (hidden, width)}
    return linears(prefix, sizes, Role.MLP)


def whisper(fields: Fields) -> Layout | None:
    """Whisper: two convolutions, an encoder with fixed positions, a decoder; keys without bias, tied head."""
    if fields.task() not in ("", "ForConditionalGeneration"):
        return None
    hidden, vocab = fields.count("d_model"), fields.count("vocab_size")
    frames = fields.count("max_source_positions", 1500)
    encoder, decoder = "model.encoder.", "model.decoder."
    rows = convolution(f"{encoder}conv1", hidden, fields.count("num_mel_bins", 80), 3, bias=True)
    rows += convolution(f"{encoder}conv2", hidden, hidden, 3, bias=True)
    rows.append(Row(f"{encoder}embed_positions.weight", (frames, hidden), Role.EMBEDDING, trainable=False))
    rows += _seq2seq_layers(fields, encoder, hidden, decoder=False, key_bias=False)
    rows += norm(f"{encoder}layer_norm", hidden, True)
    rows += table(f"{decoder}embed_tokens", vocab, hidden)
    rows += table(f"{decoder}embed_positions", fields.count("max_target_positions", 448), hidden)
    rows += _seq2seq_layers(fields, decoder, hidden, decoder=True, key_bias=False)
    rows += norm(f"{decoder}layer_norm", hidden, True)
    tied = fields.flag("tie_word_embeddings", True)
    rows += [] if tied else linear("proj_out", vocab, hidden, Role.HEAD)
    pairs = (("proj_out.weight", f"{decoder}embed_tokens.weight"),) if tied else ()
    return Layout(tuple(rows), tied=pairs)


def bart(fields: Fields) -> Layout | None:
    """BART: two more position rows than positions, norms after the embeddings, one table for all ends."""
    if fields.task() not in ("", "ForConditionalGeneration") or not fields.flag("tie_word_embeddings", True):
        return None
    hidden, vocab = fields.count("d_model"), fields.count("vocab_size")
    rows = table("model.shared", vocab, hidden)
    for base, decoder in (("model.encoder.", False), ("model.decoder.", True)):
        rows += table(f"{base}embed_positions", fields.count("max_position_embeddings", 1024) + 2, hidden)
        rows += _seq2seq_layers(fields, base, hidden, decoder=decoder, key_bias=True)
        rows += norm(f"{base}layernorm_embedding", hidden, True)
    names = ("model.encoder.embed_tokens", "model.decoder.embed_tokens", "lm_head")
    return Layout(tuple(rows), tied=tuple((f"{name}.weight", "model.shared.weight") for name in names))


def _seq2seq_layers(fields: Fields, base: str, hidden: int, *, decoder: bool, key_bias: bool) -> list[Row]:
    part = "decoder" if decoder else "encoder"
    ffn = fields.count(f"{part}_ffn_dim")
    squares = dict.fromkeys(_KVQ, (hidden, hidden))
    biased = _KVQ if key_bias else _KVQ[1:]
    rows: list[Row] = []
    for layer in range(fields.layers(f"{part}_layers")):
        prefix = f"{base}layers.{layer}."
        for name in ("self_attn", "encoder_attn") if decoder else ("self_attn",):
            rows += linears(f"{prefix}{name}.", squares, Role.ATTENTION, biased)
            rows += norm(f"{prefix}{name}_layer_norm", hidden, True)
        rows += linear(f"{prefix}fc1", ffn, hidden, Role.MLP, True)
        rows += linear(f"{prefix}fc2", hidden, ffn, Role.MLP, True)
        rows += norm(f"{prefix}final_layer_norm", hidden, True)
    return rows
