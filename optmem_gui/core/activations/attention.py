"""Attention: what each kernel keeps and what its backward needs.

Sources: saved tensors from ``derivatives.yaml`` (``_scaled_dot_product_flash_attention``,
``_scaled_dot_product_efficient_attention``, ``_scaled_dot_product_cudnn_attention``,
``_scaled_dot_product_flash_attention_for_cpu``, ``bmm``, ``_softmax``); backward buffers from
``core/kernels/attention.py``. The flash and cuDNN sizes have not yet been compared with a GPU.
"""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.activations.choice import Kernel
from optmem_gui.core.activations.program import Program
from optmem_gui.core.activations.rotary import HEADS_FIRST
from optmem_gui.core.activations.scores import LIKE_QUERIES, WIDE_PRODUCT, bend
from optmem_gui.core.activations.tape import Op, Value
from optmem_gui.core.dtypes import F32, INT64, DType
from optmem_gui.core.kernels.attention import (
    AttentionCall,
    efficient_backward_buffers,
    flash_backward_buffers,
    flash_statistics_bytes,
)
from optmem_gui.core.layer_form import Scores
from optmem_gui.core.transformer import TransformerShape

QueryKeyValue = tuple[Value, Value, Value]


@dataclass(frozen=True, slots=True)
class AttentionSizes:
    """Dimensions one attention call sees.

    Attributes:
        batch: Sequences.
        sequence: Tokens of each.
        heads: Query heads.
        kv_heads: Key and value heads.
        head_dim: Elements of one head.
        dropout: Probability, 0 for none.
        keys: Tokens of the keys and values where they are others than those of the queries.
        causal: A token looks back only; kernels without a rule of their own for it make a mask.
        values_dim: Elements of one head of the values where they are others than those of queries and keys.
        masked: A mask is given, which the kernels make numbers of in every layer.
        laid: Queries and keys lie heads first already.
    """

    batch: int
    sequence: int
    heads: int
    kv_heads: int
    head_dim: int
    dropout: float
    keys: int | None = None
    causal: bool = True
    values_dim: int = 0
    masked: bool = False
    laid: bool = False

    @property
    def result_count(self) -> int:
        """Elements of what attention gives."""
        return self.row_count * (self.values_dim or self.head_dim)

    @property
    def key_tokens(self) -> int:
        """Tokens of the keys."""
        return self.sequence if self.keys is None else self.keys

    @property
    def query_count(self) -> int:
        """Elements of the queries."""
        return self.batch * self.sequence * self.heads * self.head_dim

    @property
    def row_count(self) -> int:
        """Rows of the score matrix: batch x heads x sequence."""
        return self.batch * self.heads * self.sequence


def sizes_of(shape: TransformerShape, batch: int, sequence: int) -> AttentionSizes:
    """Sizes for one micro-batch."""
    return AttentionSizes(
        batch,
        sequence,
        shape.heads,
        shape.kv_heads,
        shape.head_dim,
        shape.attention_dropout,
        values_dim=shape.value_dim,
        masked=shape.form.masked,
        laid=shape.rotary in HEADS_FIRST,
    )


def attend(
    program: Program, qkv: QueryKeyValue, kernel: Kernel, sizes: AttentionSizes, scores: Scores = "softmax"
) -> Value:
    """Append the attention core; returns a tensor of the queries' size, tokens before heads.

    Args:
        program: Where to.
        qkv: Queries, keys and values.
        kernel: The kernel that runs.
        sizes: Dimensions.
        scores: What eager attention does between its two products.
    """
    q, k, v = qkv
    if sizes.kv_heads != sizes.heads and kernel not in ("flash", "cudnn"):
        k, v = (_expand(program, x, sizes) for x in (k, v))
    if kernel == "eager":
        return _eager(program, (q, k, v), sizes, scores)
    if program.autocast is not None:
        q, k, v = (program.cast(x, program.autocast, "attention") for x in (q, k, v))
    if kernel == "math":
        return _math(program, q, k, v, sizes)
    return _fused(program, (q, k, v), kernel, sizes)


def _expand(program: Program, x: Value, sizes: AttentionSizes) -> Value:
    out = program.value(sizes.query_count, x.dtype, x.needs_grad, "attention")
    program.ops.append(Op((x,), out))
    return out


def _fused(program: Program, qkv: QueryKeyValue, kernel: Kernel, sizes: AttentionSizes) -> Value:
    q, k, v = qkv
    if kernel in ("flash", "cudnn") and not program.cpu:
        q, k, v = (_pad_heads(program, x, sizes) for x in (q, k, v))
    needs = q.needs_grad or k.needs_grad or v.needs_grad
    width = sizes.values_dim or sizes.head_dim
    out = program.value(q.count * width // sizes.head_dim, q.dtype, needs, "attention")
    rows = sizes.row_count
    if kernel == "efficient":
        rows = sizes.batch * sizes.heads * -(-sizes.sequence // 32) * 32
    extras = [program.value(rows, F32, False, "attention_statistics")]
    if not program.cpu and (kernel != "efficient" or sizes.dropout):
        # state of the random generator: seed and offset, and an unused element
        extras += [program.value(count, INT64, False, "attention_statistics") for count in (2, 1)]
    if sizes.masked:
        extras.append(program.value(sizes.batch * sizes.sequence**2, q.dtype, False, "attention_mask"))
    saved = (q, k, v, out, *extras) if needs else ()
    scratch = _backward_scratch(program, kernel, q.dtype, sizes)
    program.ops.append(Op((q, k, v), out, saved, tuple(extras), backward_scratch=scratch))
    return out


def _pad_heads(program: Program, x: Value, sizes: AttentionSizes) -> Value:
    """Flash pads the head size to a multiple of 8: a copy where it is not one already."""
    width = -(-sizes.head_dim // 8) * 8
    if width == sizes.head_dim:
        return x
    out = program.value(x.count // sizes.head_dim * width, x.dtype, x.needs_grad, "attention")
    program.ops.append(Op((x,), out))
    return out


def _backward_scratch(program: Program, kernel: Kernel, dtype: DType, sizes: AttentionSizes) -> int:
    if program.cpu:
        return 0
    call = _call(dtype, sizes)
    if kernel == "flash":
        return flash_backward_buffers(call).peak_bytes
    if kernel == "efficient":
        return efficient_backward_buffers(call).peak_bytes
    return flash_statistics_bytes(call)


def _call(dtype: DType, sizes: AttentionSizes) -> AttentionCall:
    return AttentionCall(
        batch=sizes.batch,
        heads=sizes.heads,
        queries=sizes.sequence,
        keys=sizes.key_tokens,
        head_dim=sizes.head_dim,
        element_bytes=dtype.bytes_for(1),
        kv_heads=sizes.kv_heads,
    )


def _contiguous(program: Program, x: Value, sizes: AttentionSizes) -> Value:
    """``bmm`` needs [batch * heads, tokens, width]; a projection has its tokens first, so it is copied."""
    if sizes.batch == 1 or sizes.heads == 1:
        return x
    out = program.value(x.count, x.dtype, x.needs_grad, "attention")
    program.ops.append(Op((x,), out))
    return out


def _bmm(program: Program, a: Value, b: Value, count: int, label: str) -> Value:
    """A batched product: saves each factor if the other one needs a gradient."""
    out = program.value(count, a.dtype, a.needs_grad or b.needs_grad, label)
    saved = tuple(kept for kept, other in ((a, b), (b, a)) if other.needs_grad)
    program.ops.append(Op((a, b), out, saved))
    return out


def _eager(program: Program, qkv: QueryKeyValue, sizes: AttentionSizes, kind: Scores) -> Value:
    """Eager attention of transformers: a product, what the family does with it, a second product."""
    q, k, v = qkv
    mask = program.value(sizes.sequence**2, q.dtype, False)
    program.ops.append(Op((), mask, scratch=mask.size_bytes))
    if kind in WIDE_PRODUCT:
        q, k = (program.cast(x, F32, "attention") for x in (q, k))
    scores = scores_of(program, half(program, q), half(program, k), sizes)
    weights = bend(program, scores, mask, sizes, kind)
    asks = qkv[0] if kind in LIKE_QUERIES else v
    weights = program.cast(weights, asks.dtype, "attention_scores")
    weights = program.dropout(weights, sizes.dropout, "attention_scores")
    weights = program.cast(weights, program.autocast or weights.dtype, "attention_scores")
    out = mix(program, weights, half(program, v), sizes, weights.dtype)
    program.hold(mask, *qkv)
    return out


def scores_of(program: Program, q: Value, k: Value, sizes: AttentionSizes) -> Value:
    """Queries times keys."""
    if not sizes.laid:
        q = _contiguous(program, q, sizes)
        k = k if sizes.kv_heads != sizes.heads else _contiguous(program, k, sizes)
    return _bmm(program, q, k, sizes.row_count * sizes.key_tokens, "attention_scores")


def mix(program: Program, weights: Value, v: Value, sizes: AttentionSizes, dtype: DType) -> Value:
    """Probabilities times values, laid out with tokens first."""
    return lay_out(program, mix_heads(program, weights, v, sizes, dtype), sizes)


def mix_heads(program: Program, weights: Value, v: Value, sizes: AttentionSizes, dtype: DType) -> Value:
    """Probabilities times values, heads first."""
    if sizes.kv_heads == sizes.heads:
        v = _contiguous(program, v, sizes)
    return program.cast(_bmm(program, weights, v, sizes.result_count, "attention"), dtype, "attention")


def lay_out(program: Program, out: Value, sizes: AttentionSizes) -> Value:
    """Heads first -> tokens first: the reshape before the output projection copies."""
    if sizes.heads == 1 or sizes.sequence == 1:
        return out
    laid = program.value(out.count, out.dtype, out.needs_grad, "linear_input")
    program.ops.append(Op((out,), laid))
    return laid


def half(program: Program, x: Value) -> Value:
    """In the type that autocast multiplies in."""
    return program.cast(x, program.autocast or x.dtype, "attention")


def _math(program: Program, q: Value, k: Value, v: Value, sizes: AttentionSizes) -> Value:
    """``_scaled_dot_product_attention_math``: 16-bit inputs are widened, q and k scaled, scores fp32.

    Source: ``aten/src/ATen/native/transformers/attention.cpp``; the mask is added in place, and everything
    that has a name there lives until it returns, a narrowed copy of the probabilities included.
    """
    held, narrow = (q, k, v), q.dtype
    q, k, v = (program.cast(x, F32, "attention") for x in (q, k, v))
    wide = (q, k, v)
    masks = (program.value(sizes.sequence**2, F32, False),) if sizes.causal else ()
    q = program.scale(q, "attention")
    program.ops.extend(Op((), mask) for mask in masks)
    k = program.scale(k, "attention")
    scores = scores_of(program, q, k, sizes)
    weights = program.dropout(program.result(scores, "attention_scores"), sizes.dropout, "attention_scores")
    copies = () if narrow == F32 else (program.value(weights.count, narrow, False),)
    program.ops.extend(Op((weights,), copy) for copy in copies)
    out = mix_heads(program, weights, v, sizes, narrow)
    program.hold(q, weights, *copies, *wide, *masks)
    out = lay_out(program, out, sizes)
    program.hold(*held)
    return out
