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
from optmem_gui.core.activations.tape import Op, Value
from optmem_gui.core.dtypes import F32, INT64, DType
from optmem_gui.core.kernels.attention import (
    AttentionCall,
    efficient_backward_buffers,
    flash_backward_buffers,
    flash_statistics_bytes,
)
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
    """

    batch: int
    sequence: int
    heads: int
    kv_heads: int
    head_dim: int
    dropout: float
    keys: int | None = None
    causal: bool = True

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
    return AttentionSizes(batch, sequence, shape.heads, shape.kv_heads, shape.head_dim, shape.dropout)


def rotate(program: Program, x: Value, dtype: DType, label: str) -> Value:
    """Rotary positions: ``x * cos + cat(-x2, x1) * sin``.

    Nothing of ``x`` is saved: only cos and sin, which all layers share. Backward makes a full-size zero
    tensor for each of the two slices (``slice_backward``).
    """
    needs = x.needs_grad
    half = program.value(x.count // 2, x.dtype, needs)
    program.ops.append(Op((x,), half, backward_scratch=x.size_bytes))
    swapped = program.value(x.count, x.dtype, needs)
    program.ops.append(Op((half, x), swapped))
    wide = F32 if F32 in (x.dtype, dtype) else x.dtype
    by_cos = program.value(x.count, wide, needs)
    by_sin = program.value(x.count, wide, needs)
    program.ops.append(Op((x,), by_cos))
    program.ops.append(Op((swapped,), by_sin))
    return program.add(by_cos, by_sin, label)


def attend(program: Program, qkv: QueryKeyValue, kernel: Kernel, sizes: AttentionSizes) -> Value:
    """Append the attention core; returns a tensor of the queries' size, tokens before heads."""
    q, k, v = qkv
    if sizes.kv_heads != sizes.heads and kernel not in ("flash", "cudnn"):
        k, v = (_expand(program, x, sizes) for x in (k, v))
    if kernel == "eager":
        return _eager(program, q, k, v, sizes)
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
    out = program.value(q.count, q.dtype, needs, "attention")
    rows = sizes.row_count
    if kernel == "efficient":
        rows = sizes.batch * sizes.heads * -(-sizes.sequence // 32) * 32
    extras = [program.value(rows, F32, False, "attention_statistics")]
    if not program.cpu and (kernel != "efficient" or sizes.dropout):
        # state of the random generator: seed and offset, and an unused element
        extras += [program.value(count, INT64, False, "attention_statistics") for count in (2, 1)]
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


def _eager(program: Program, q: Value, k: Value, v: Value, sizes: AttentionSizes) -> Value:
    """Hugging Face's eager attention: matmul, scale, mask, fp32 softmax, cast, dropout, matmul."""
    held = (q, k, v)
    mask = program.value(sizes.sequence**2, q.dtype, False)
    program.ops.append(Op((), mask, scratch=mask.size_bytes))
    scores = scores_of(program, half(program, q), half(program, k), sizes)
    scaled = program.scale(scores, "attention_scores")
    masked = program.add(scaled, mask, "attention_scores")
    program.hold(scaled)
    weights = softmax(program, program.cast(masked, F32, "attention_scores"))
    weights = program.cast(weights, q.dtype, "attention_scores")
    program.hold(masked)
    weights = program.dropout(weights, sizes.dropout, "attention_scores")
    weights = program.cast(weights, scores.dtype, "attention_scores")
    out = mix(program, weights, half(program, v), sizes, scores.dtype)
    program.hold(mask, *held)
    return out


def scores_of(program: Program, q: Value, k: Value, sizes: AttentionSizes) -> Value:
    """Queries times keys."""
    q = _contiguous(program, q, sizes)
    if sizes.kv_heads == sizes.heads:
        k = _contiguous(program, k, sizes)
    return _bmm(program, q, k, sizes.row_count * sizes.key_tokens, "attention_scores")


def mix(program: Program, weights: Value, v: Value, sizes: AttentionSizes, dtype: DType) -> Value:
    """Probabilities times values, laid out with tokens first."""
    if sizes.kv_heads == sizes.heads:
        v = _contiguous(program, v, sizes)
    out = program.cast(_bmm(program, weights, v, sizes.query_count, "attention"), dtype, "attention")
    if sizes.heads == 1 or sizes.sequence == 1:
        return out
    # heads first -> tokens first: the reshape before the output projection copies
    laid = program.value(out.count, out.dtype, out.needs_grad, "linear_input")
    program.ops.append(Op((out,), laid))
    return laid


def half(program: Program, x: Value) -> Value:
    """In the type that autocast multiplies in."""
    return program.cast(x, program.autocast or x.dtype, "attention")


def softmax(program: Program, x: Value) -> Value:
    """Softmax: keeps its result."""
    out = program.value(x.count, x.dtype, x.needs_grad, "attention_scores")
    program.ops.append(Op((x,), out, (out,) if x.needs_grad else ()))
    return out


def _math(program: Program, q: Value, k: Value, v: Value, sizes: AttentionSizes) -> Value:
    """``_scaled_dot_product_attention_math``: 16-bit inputs are widened, q and k scaled, scores fp32.

    Source: ``aten/src/ATen/native/transformers/attention.cpp``; the mask is added in place.
    """
    held, narrow = (q, k, v), q.dtype
    q, k, v = (program.cast(x, F32, "attention") for x in (q, k, v))
    masks = (program.value(sizes.sequence**2, F32, False),) if sizes.causal else ()
    q = program.scale(q, "attention")
    program.ops.extend(Op((), mask) for mask in masks)
    k = program.scale(k, "attention")
    scores = scores_of(program, q, k, sizes)
    weights = program.dropout(softmax(program, scores), sizes.dropout, "attention_scores")
    out = mix(program, weights, v, sizes, narrow)
    program.hold(*masks, *held)
    return out
