"""Operations that the encoders of transformers share: embeddings, attention without a mask, heads.

Sources: ``modeling_bert.py``, ``modeling_vit.py``, ``integrations/sdpa_attention.py`` and
``masking_utils.py`` of transformers 5.24 (no mask is made where nothing is padded); saved tensors from
``derivatives.yaml`` of PyTorch; casts from the lists of ``aten/src/ATen/autocast_mode.h`` (CUDA runs softmax
in fp32, the CPU in the type it is given).
"""

from __future__ import annotations

from dataclasses import replace

from optmem_gui.core.activations.attention import (
    AttentionSizes,
    QueryKeyValue,
    attend,
    half,
    mix,
    scores_of,
)
from optmem_gui.core.activations.chain import Shared
from optmem_gui.core.activations.choice import Heads, Kernel, attention_kernel
from optmem_gui.core.activations.loss import cross_entropy, nll_loss
from optmem_gui.core.activations.program import Matrix, Program, promote
from optmem_gui.core.activations.setting import Setting
from optmem_gui.core.activations.sums import summed_rows_bytes
from optmem_gui.core.activations.tape import Op, Value, WeightGradient
from optmem_gui.core.dtypes import BF16, F16, F32, INT64, DType
from optmem_gui.core.networks import Activation
from optmem_gui.core.reasons import Reason


def program_of(setting: Setting, prefix: str) -> Program:
    """An empty list of operations whose tensors start with this."""
    return Program(setting.autocast, setting.cpu, prefix=f"{prefix}.", processors=setting.processors)


def token_ids(name: str, count: int) -> Value:
    """A batch of token ids or labels."""
    return Value(name, count, INT64)


def kernel_of(setting: Setting, heads: Heads, matrix: str) -> tuple[Kernel, Reason]:
    """The attention kernel that runs on what this projection gives, with the reason."""
    held = setting.matrix(matrix).dtype
    return attention_kernel(
        setting.attention,
        half=setting.autocast is not None or held in (BF16, F16),
        shape=heads,
        target="cpu" if setting.cpu else "cuda",
    )


def shared_parameter(name: str, matrix: Matrix) -> Shared:
    """A weight that several operations use."""
    count, kept = matrix.rows * matrix.columns, matrix.gradient
    gradient = WeightGradient(matrix.dtype.bytes_for(count), kept.bytes_for(count), matrix.dtype != kept)
    return Shared(Value(name, count, matrix.dtype, matrix.trained), gradient)


def embed(
    program: Program, matrix: Matrix, ids: Value | None, rows: int, shared: Shared | None = None
) -> Value:
    """``nn.Embedding``: keeps the indices.

    Args:
        program: Where to append.
        matrix: Its table.
        ids: Indices; None for a buffer of the model, which is there anyway.
        rows: Vectors looked up.
        shared: The table where others use it, too.
    """
    out = program.value(rows * matrix.columns, matrix.dtype, matrix.trained, "residual")
    read = () if ids is None else (ids,)
    kept = read if matrix.trained else ()
    if shared is not None:
        program.ops.append(Op((*read, shared.value), out, kept))
    else:
        weights = (program.gradient_of(matrix),) if matrix.trained else ()
        program.ops.append(Op(read, out, kept, weights=weights))
    return out


def indices(program: Program, count: int) -> Value:
    """Indices that the model makes itself."""
    out = program.value(count, INT64, False, "batch")
    program.ops.append(Op((), out))
    return out


def add_rows(program: Program, x: Value, y: Value, label: str) -> Value:
    """``x + y`` where ``y`` is the same for every sequence: its gradient is a sum over them."""
    needs = x.needs_grad or y.needs_grad
    out = program.value(x.count, promote(x.dtype, y.dtype), needs, label)
    program.ops.append(Op((x, y), out, passes=True))
    return out


def activate(program: Program, x: Value, kind: Activation, label: str) -> Value:
    """The MLP's activation: ReLU keeps its result, which the next layer keeps, too; GELU its input."""
    if kind == "gelu_new":
        return program.gelu_steps(x, label)
    if kind == "gelu":
        return program.unary(x, label)
    return program.result(x, label)


def attend_all(
    program: Program, qkv: QueryKeyValue, kernel: Kernel, sizes: AttentionSizes, *, wide_softmax: bool
) -> tuple[Value, tuple[Value, ...]]:
    """Attention of every token to every other; nothing is padded, so there is no mask.

    Beside the result stand the probabilities that the eager form hands to the layer, which holds them.

    Args:
        program: Where to append.
        qkv: Queries, keys and values.
        kernel: What runs.
        sizes: Dimensions.
        wide_softmax: The eager form asks for its softmax in fp32 (ViT).
    """
    if kernel != "eager":
        return attend(program, qkv, kernel, sizes), ()
    q, k, v = qkv
    scores = scores_of(program, half(program, q), half(program, k), sizes)
    scaled = program.scale(scores, "attention_scores")
    weights = eager_softmax(program, scaled, q.dtype if wide_softmax else None)
    weights = program.dropout(weights, sizes.dropout, "attention_scores")
    out = mix(program, half(program, weights), half(program, v), sizes, scores.dtype)
    program.hold(q, k, v, weights)
    return out, (weights,)


def eager_softmax(program: Program, x: Value, narrowed: DType | None) -> Value:
    """Softmax in fp32 and back to ``narrowed``; without that as autocast has it."""
    if narrowed is not None:
        return program.cast(
            program.result(program.cast(x, F32, "attention_scores"), "attention_scores"),
            narrowed,
            "attention_scores",
        )
    if program.autocast is not None and not program.cpu:
        x = program.cast(x, F32, "attention_scores")
    return program.result(x, "attention_scores")


def first_token(program: Program, hidden: Value, count: int) -> Value:
    """``hidden[:, 0]`` of so many elements: a view, whose gradient is as large as all of ``hidden``."""
    first = program.value(count, hidden.dtype, hidden.needs_grad, "linear_input")
    program.ops.append(Op((hidden,), None, parts=(first,)))
    return first


def made_in(matrix: Matrix, dtype: DType, *, late: bool = False) -> WeightGradient:
    """The gradient of a weight that is used in another type than its own."""
    count, kept = matrix.rows * matrix.columns, matrix.gradient
    return WeightGradient(dtype.bytes_for(count), kept.bytes_for(count), dtype != kept, late=late)


def predict_words(
    program: Program, x: Value, matrix: Matrix, shared: Shared | None, bias: Matrix | None = None
) -> Value:
    """Logits over the vocabulary: ``F.linear`` with a weight of its own, or with one that others use.

    Args:
        program: Where to append.
        x: Hidden states.
        matrix: The head.
        shared: The word embedding where the head shares it.
        bias: A bias that is a parameter of its own.
    """
    tokens = x.count // matrix.columns
    if shared is None:
        return program.linear(x, replace(matrix, bias=bias is not None), tokens, "logits")
    compute = program.autocast or matrix.dtype
    x = program.cast(x, compute, "linear_input")
    weight = shared.value
    if weight.dtype != compute:
        copy = program.value(weight.count, compute, weight.needs_grad, "weight_copy", autocast=True)
        program.ops.append(Op((weight,), copy, cached=(copy,) if weight.needs_grad else ()))
        weight = copy
    out = program.value(tokens * matrix.rows, compute, x.needs_grad or weight.needs_grad, "logits")
    saved = (*((x,) if weight.needs_grad else ()), *((weight,) if x.needs_grad and weight.autocast else ()))
    extras, gradients = _own_bias(program, bias, compute, tokens)
    program.ops.append(Op((x, weight), out, saved, extras, extras, views=True, weights=gradients))
    return out


def _own_bias(
    program: Program, bias: Matrix | None, compute: DType, tokens: int
) -> tuple[tuple[Value, ...], tuple[WeightGradient, ...]]:
    """Autocast's copy of a bias, and its gradient."""
    if bias is None:
        return (), ()
    copied = bias.dtype != compute
    copies = (program.value(bias.rows, compute, False, "weight_copy", autocast=True),) if copied else ()
    if not bias.trained:
        return copies, ()
    scratch = summed_rows_bytes(tokens, bias.rows, compute, program.processors)
    return copies, (replace(made_in(bias, compute, late=True), scratch=scratch),)


def loss_of(program: Program, logits: Value) -> Value:
    """Cross-entropy in the type of the logits.

    Under autocast the CPU widens them; CUDA widens what ``log_softmax`` gives, because ``cross_entropy_loss``
    names that one's type (``fp32_set_opt_dtype`` leaves a type that is named alone).
    """
    if program.autocast is None:
        return nll_loss(program, program.result(logits, "logits"))
    if program.cpu:
        return cross_entropy(program, logits)
    return nll_loss(program, program.cast(program.result(logits, "logits"), F32, "logits"))
