"""BERT and RoBERTa with the head that trains them: words are predicted, or sequences or tokens classified.

Source: ``modeling_bert.py`` and ``modeling_roberta.py`` of transformers 5.24, operation by operation: the
norm comes after each branch is added, and nothing is padded.
"""

from __future__ import annotations

from collections.abc import Iterator

from optmem_gui.core.activations.attention import AttentionSizes
from optmem_gui.core.activations.chain import DRAWN_LAYERS, Chain, ChainStage, Shared, chain_stage
from optmem_gui.core.activations.forms import (
    activate,
    add_rows,
    attend_all,
    embed,
    first_token,
    indices,
    kernel_of,
    loss_of,
    predict_words,
    program_of,
    shared_parameter,
    token_ids,
)
from optmem_gui.core.activations.program import Program
from optmem_gui.core.activations.setting import Setting, Weight
from optmem_gui.core.activations.tape import Value
from optmem_gui.core.model import Role
from optmem_gui.core.networks import BertShape

_PROJECTIONS = ("query", "key", "value")


def bert_weights(shape: BertShape) -> Iterator[Weight]:
    """The parameters, by what the programs call them."""
    hidden, ffn, vocab = shape.hidden, shape.ffn, shape.vocab
    square = (hidden, hidden)
    yield Weight("words", Role.EMBEDDING, "word_embeddings", (vocab, hidden))
    yield Weight("positions", Role.EMBEDDING, "position_embeddings", (shape.positions, hidden))
    yield Weight("types", Role.EMBEDDING, "token_type_embeddings", (shape.types, hidden))
    yield Weight("norm", Role.NORM, "LayerNorm", (hidden,), bias=True)
    for name in _PROJECTIONS:
        yield Weight(name, Role.ATTENTION, name, square, bias=True)
    yield Weight("output", Role.ATTENTION, "dense", square, bias=True)
    yield Weight("up", Role.MLP, "dense", (ffn, hidden), bias=True)
    yield Weight("down", Role.MLP, "dense", (hidden, ffn), bias=True)
    yield from _head_weights(shape, square)


def _head_weights(shape: BertShape, square: tuple[int, int]) -> Iterator[Weight]:
    hidden, vocab = shape.hidden, shape.vocab
    if shape.head == "words":
        yield Weight("transform", Role.HEAD, "dense", square, bias=True)
        if shape.numbered:
            yield Weight("head_norm", Role.NORM, "layer_norm", (hidden,), bias=True)
        if shape.tied:
            yield Weight("head", Role.EMBEDDING, "word_embeddings", (vocab, hidden))
        else:
            yield Weight("head", Role.HEAD, "decoder", (vocab, hidden))
        yield Weight("bias", Role.BIAS, "lm_head" if shape.numbered else "predictions", (vocab,))
        return
    if shape.head == "token":
        yield Weight("classifier", Role.HEAD, "classifier", (shape.labels, hidden), bias=True)
        return
    yield Weight("pooler", Role.HEAD if shape.numbered else Role.OTHER, "dense", square, bias=True)
    leaf = "out_proj" if shape.numbered else "classifier"
    yield Weight("classifier", Role.HEAD, leaf, (shape.labels, hidden), bias=True)


def bert_chain(setting: Setting, shape: BertShape, drawn: int = DRAWN_LAYERS) -> Chain:
    """The step, operation by operation, with so many of its layers at most."""
    tokens = setting.batch * setting.sequence
    ids = token_ids("ids", tokens)
    labels = token_ids("labels", setting.batch if shape.head == "sequence" else tokens)
    words = setting.matrix("words")
    shared = shared_parameter("shared", words) if shape.head == "words" and shape.tied else None
    stages = [_embedding(setting, shape, ids, shared)]
    embedded = x = stages[0].outputs[0]
    count = min(shape.layers, drawn)
    for layer in range(count):
        program = program_of(setting, f"layer{layer}")
        result = _layer(program, setting, shape, x)
        if layer == count - 1:
            program.hold(embedded)  # the model's forward refers to it until its layers are done
        stages.append(chain_stage("layer", program.ops, result, stack=0, recomputed=setting.recomputed))
        x = result
    stages.append(_loss(setting, shape, x, labels, shared))
    return Chain((ids, labels), tuple(stages), (shape.layers,), () if shared is None else (shared,))


def _embedding(setting: Setting, shape: BertShape, ids: Value, shared: Shared | None) -> ChainStage:
    program = program_of(setting, "embedding")
    tokens, sequence = ids.count, setting.sequence
    places = indices(program, tokens) if shape.numbered else None
    kinds = indices(program, tokens if shape.numbered else sequence)
    words = embed(program, setting.matrix("words"), ids, tokens, shared)
    types = embed(program, setting.matrix("types"), kinds, tokens)
    summed = program.add(words, types, "residual")
    rows = embed(program, setting.matrix("positions"), places, tokens if shape.numbered else sequence)
    summed = add_rows(program, summed, rows, "residual")
    normed = program.layer_norm(summed, setting.matrix("norm"), tokens)
    result = program.dropout(normed, shape.dropout, "residual")
    program.hold(words, types, rows, normed)
    return chain_stage("embedding", program.ops, result)


def _layer(program: Program, setting: Setting, shape: BertShape, x: Value) -> Value:
    tokens, matrix = setting.batch * setting.sequence, setting.matrix
    q, k, v = (program.linear(x, matrix(name), tokens, "attention") for name in _PROJECTIONS)
    kernel, _ = kernel_of(setting, shape.attention, "query")
    mixed, handed = attend_all(program, (q, k, v), kernel, sizes_of(setting, shape), wide_softmax=False)
    branch = program.linear(mixed, matrix("output"), tokens, "residual")
    middle = _add_and_norm(program, setting, shape, branch, x)
    program.hold(mixed)
    inner = activate(program, program.linear(middle, matrix("up"), tokens, "mlp"), shape.activation, "mlp")
    branch = program.linear(inner, matrix("down"), tokens, "residual")
    result = _add_and_norm(program, setting, shape, branch, middle)
    program.hold(inner, middle, x, *handed)
    return result


def sizes_of(setting: Setting, shape: BertShape) -> AttentionSizes:
    """Dimensions of a layer's attention."""
    heads = shape.attention
    return AttentionSizes(
        setting.batch, setting.sequence, heads.count, heads.count, heads.head_dim, heads.dropout, causal=False
    )


def _add_and_norm(program: Program, setting: Setting, shape: BertShape, branch: Value, x: Value) -> Value:
    dropped = program.dropout(branch, shape.dropout, "residual")
    summed = program.add(dropped, x, "residual")
    normed = program.layer_norm(summed, setting.matrix("norm"), setting.batch * setting.sequence)
    program.hold(dropped)
    return normed


def _loss(setting: Setting, shape: BertShape, x: Value, labels: Value, shared: Shared | None) -> ChainStage:
    program = program_of(setting, "loss")
    logits = (
        _words(program, setting, shape, x, shared)
        if shape.head == "words"
        else _classes(program, setting, shape, x)
    )
    loss = loss_of(program, logits)
    program.hold(logits, x, labels)
    kept = (logits,) if setting.keep_logits else ()
    return chain_stage("loss", program.ops, loss, *kept)


def _words(program: Program, setting: Setting, shape: BertShape, x: Value, shared: Shared | None) -> Value:
    tokens, matrix = setting.batch * setting.sequence, setting.matrix
    dense = program.linear(x, matrix("transform"), tokens, "mlp")
    active = activate(program, dense, shape.activation, "mlp")
    normed = program.layer_norm(active, matrix("head_norm" if shape.numbered else "norm"), tokens)
    logits = predict_words(program, normed, matrix("head"), shared, matrix("bias"))
    program.hold(normed)
    return logits


def _classes(program: Program, setting: Setting, shape: BertShape, x: Value) -> Value:
    batch, hidden, matrix = setting.batch, shape.hidden, setting.matrix
    if shape.head == "token":
        tokens = batch * setting.sequence
        return program.linear(
            program.dropout(x, shape.head_dropout, "linear_input"), matrix("classifier"), tokens, "logits"
        )
    first = first_token(program, x, batch * hidden)
    if shape.numbered:
        first = program.dropout(first, shape.head_dropout, "linear_input")
    pooled = program.linear(first, matrix("pooler"), batch, "mlp")
    pooled = program.dropout(program.result(pooled, "mlp"), shape.head_dropout, "linear_input")
    return program.linear(pooled, matrix("classifier"), batch, "logits")
