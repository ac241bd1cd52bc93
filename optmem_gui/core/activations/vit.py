"""ViT with its classifier: an image cut into patches, a class token before them, norms before each branch.

Source: ``modeling_vit.py`` of transformers 5.24, operation by operation. Pixels come in the type of the
weights, and an image has the size that the config names.
"""

from __future__ import annotations

from collections.abc import Iterator

from optmem_gui.core.activations.attention import AttentionSizes
from optmem_gui.core.activations.chain import DRAWN_LAYERS, Chain, ChainStage, chain_stage
from optmem_gui.core.activations.forms import (
    activate,
    attend_all,
    first_token,
    kernel_of,
    loss_of,
    made_in,
    program_of,
    token_ids,
)
from optmem_gui.core.activations.program import Matrix, Program
from optmem_gui.core.activations.setting import Setting, Weight
from optmem_gui.core.activations.tape import Op, Value, WeightGradient
from optmem_gui.core.model import Role
from optmem_gui.core.networks import VitShape

_PROJECTIONS = ("q_proj", "k_proj", "v_proj")


def vit_weights(shape: VitShape) -> Iterator[Weight]:
    """The parameters, by what the programs call them."""
    hidden, ffn = shape.hidden, shape.ffn
    square = (hidden, hidden)
    yield Weight("class", Role.EMBEDDING, "embeddings", (1, 1, hidden))
    yield Weight("positions", Role.EMBEDDING, "embeddings", (1, shape.own_sequence, hidden))
    patch = (hidden, shape.channels, shape.patch, shape.patch)
    yield Weight("patches", Role.CONVOLUTION, "projection", patch, bias=True)
    for name in _PROJECTIONS:
        yield Weight(name, Role.ATTENTION, name, square, bias=shape.qkv_biases)
    yield Weight("o_proj", Role.ATTENTION, "o_proj", square, bias=True)
    yield Weight("norm", Role.NORM, "layernorm", (hidden,), bias=True)
    yield Weight("fc1", Role.MLP, "fc1", (ffn, hidden), bias=True)
    yield Weight("fc2", Role.MLP, "fc2", (hidden, ffn), bias=True)
    yield Weight("classifier", Role.HEAD, "classifier", (shape.labels, hidden), bias=True)


def vit_chain(setting: Setting, shape: VitShape, drawn: int = DRAWN_LAYERS) -> Chain:
    """The step, operation by operation, with so many of its layers at most."""
    count = setting.batch * shape.channels * shape.image**2
    pixels = Value("pixels", count, setting.matrix("patches").dtype)
    labels = token_ids("labels", setting.batch)
    stages = [_embedding(setting, shape, pixels)]
    embedded = x = stages[0].outputs[0]
    drawn = min(shape.layers, drawn)
    for layer in range(drawn):
        program = program_of(setting, f"layer{layer}")
        result = _layer(program, setting, shape, x)
        if layer == drawn - 1:
            program.hold(embedded)  # the model's forward refers to it until its layers are done
        stages.append(chain_stage("layer", program.ops, result, stack=0, recomputed=setting.recomputed))
        x = result
    stages.append(_loss(setting, shape, x, labels))
    return Chain((pixels, labels), tuple(stages), (shape.layers,))


def _embedding(setting: Setting, shape: VitShape, pixels: Value) -> ChainStage:
    program, matrix = program_of(setting, "embedding"), setting.matrix
    patches = convolve(program, pixels, matrix("patches"), setting.batch * (setting.sequence - 1))
    first, places = matrix("class"), matrix("positions")
    needs = patches.needs_grad or first.trained
    patches = program.cast(patches, first.dtype, "residual")
    joined = program.value(setting.batch * setting.sequence * shape.hidden, first.dtype, needs, "residual")
    token = (made_in(first, first.dtype),) if first.trained else ()
    program.ops.append(Op((patches,), joined, joined=True, weights=token))
    placed = program.value(joined.count, joined.dtype, needs or places.trained, "residual")
    rows = (made_in(places, places.dtype, late=True),) if places.trained else ()
    program.ops.append(Op((joined,), placed, passes=True, weights=rows))
    result = program.dropout(placed, shape.dropout, "residual")
    return chain_stage("embedding", program.ops, result)


def convolve(program: Program, x: Value, matrix: Matrix, places: int) -> Value:
    """A convolution with a bias over what gets no gradient itself; input and weight are kept.

    Backward lays the incoming gradient out anew, channels first; the CPU makes the gradients of weight and
    bias in a layout of its own first. What its kernels for 16-bit types take beside that is left out.
    """
    compute = program.autocast or matrix.dtype
    x = program.cast(x, compute, "linear_input")
    out = program.value(places * matrix.rows, compute, matrix.trained, "residual")
    counts = (matrix.rows * matrix.columns, matrix.rows)
    copies: tuple[Value, ...] = ()
    if matrix.dtype != compute:
        copies = tuple(program.value(n, compute, False, "weight_copy", autocast=True) for n in counts)
    kept: tuple[Value, ...] = ()
    weights: tuple[WeightGradient, ...] = ()
    if matrix.trained:
        kept = (x, *copies[:1])
        bias = Matrix(matrix.rows, 1, matrix.dtype, True, matrix.gradient)
        weights = (made_in(matrix, compute), made_in(bias, compute))
    cached = copies if matrix.trained else ()
    scratch = out.size_bytes + (compute.bytes_for(sum(counts)) if program.cpu else 0)
    program.ops.append(Op((x,), out, kept, copies, cached, backward_scratch=scratch, weights=weights))
    return out


def _layer(program: Program, setting: Setting, shape: VitShape, x: Value) -> Value:
    tokens, matrix = setting.batch * setting.sequence, setting.matrix
    first = program.layer_norm(x, matrix("norm"), tokens)
    q, k, v = (program.linear(first, matrix(name), tokens, "attention") for name in _PROJECTIONS)
    kernel, _ = kernel_of(setting, shape.attention, "q_proj")
    heads = shape.attention
    sizes = AttentionSizes(
        setting.batch, setting.sequence, heads.count, heads.count, heads.head_dim, heads.dropout, causal=False
    )
    mixed, handed = attend_all(program, (q, k, v), kernel, sizes, wide_softmax=True)
    branch = program.linear(mixed, matrix("o_proj"), tokens, "residual")
    program.hold(first)
    middle = program.add(program.dropout(branch, shape.dropout, "residual"), x, "residual")
    second = program.layer_norm(middle, matrix("norm"), tokens)
    inner = activate(program, program.linear(second, matrix("fc1"), tokens, "mlp"), shape.activation, "mlp")
    branch = program.linear(inner, matrix("fc2"), tokens, "residual")
    program.hold(second)
    result = program.add(program.dropout(branch, shape.dropout, "residual"), middle, "residual")
    program.hold(x, *handed)
    return result


def _loss(setting: Setting, shape: VitShape, x: Value, labels: Value) -> ChainStage:
    program, batch = program_of(setting, "loss"), setting.batch
    normed = program.layer_norm(x, setting.matrix("norm"), batch * setting.sequence)
    first = first_token(program, normed, batch * shape.hidden)
    logits = program.linear(first, setting.matrix("classifier"), batch, "logits")
    loss = loss_of(program, logits)
    program.hold(logits, normed, labels)
    kept = (logits,) if setting.keep_logits else ()
    return chain_stage("loss", program.ops, loss, *kept)
