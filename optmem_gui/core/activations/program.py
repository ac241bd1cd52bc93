"""The operations of a transformer step, each with what it saves and what its backward makes.

One function an operation. What is saved is what ``tools/autograd/derivatives.yaml`` of PyTorch names in
the formula of each backward:

==================  =====================================================================================
operation           saved for backward
==================  =====================================================================================
mm / addmm          the input if the weight is trained, the weight if the input needs a gradient
mul                 each factor if the other one needs a gradient
pow                 its input
rsqrt, softmax      their result
silu, gelu          their input
native_layer_norm   input, mean, rstd
native_dropout      the mask: 1 byte an element on CUDA; the CPU composite keeps a scaled mask
embedding           the indices
to / cat / add      nothing
==================  =====================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from optmem_gui.core.activations.sums import summed_rows_bytes
from optmem_gui.core.activations.tape import Op, Value, WeightGradient
from optmem_gui.core.dtypes import BOOL, F32, DType
from optmem_gui.core.kernels.processors import Processors


@dataclass(frozen=True, slots=True)
class Matrix:
    """A weight as the step meets it.

    Attributes:
        rows: Output features.
        columns: Input features.
        dtype: Type it is held in; for packed weights the type it is unpacked to.
        trained: Whether it gets a gradient.
        gradient: Type its gradient stays in.
        bias: Whether a bias of ``rows`` elements is added, trained like the weight.
        packed: Unpacked to a temporary at each use (nf4, int8).
        keeps_input: The implementation saves its input although the weight is frozen (int8).
        rank: Rank of the adapter on it, 0 without one.
        adapter: Type of that adapter.
        waits: Its gradient waits for a second use of the same weight (tied head).
    """

    rows: int
    columns: int
    dtype: DType
    trained: bool
    gradient: DType
    bias: bool = False
    packed: bool = False
    keeps_input: bool = False
    rank: int = 0
    adapter: DType = F32
    waits: bool = False


def promote(a: DType, b: DType) -> DType:
    """Type of ``a + b``: fp32 when either is, else the first (bf16 and fp16 never meet here)."""
    return F32 if F32 in (a, b) else a


@dataclass(slots=True)
class Program:
    """Builds a list of operations; every method appends some and returns the tensor they make.

    Attributes:
        autocast: Type of torch.autocast's casts, None without autocast.
        cpu: The CPU's rules apply.
        prefix: What names of tensors start with.
        processors: Those of the GPU that sums up gradients of biases; None counts no partial results.
    """

    autocast: DType | None
    cpu: bool
    prefix: str = "v"
    processors: Processors | None = None
    ops: list[Op] = field(default_factory=list)
    _serial: int = 0

    def value(
        self, count: int, dtype: DType, needs: bool, label: str = "other", autocast: bool = False
    ) -> Value:
        """A tensor with a name of its own."""
        self._serial += 1
        return Value(f"{self.prefix}{self._serial}", count, dtype, needs, label, autocast)

    def hold(self, *values: Value) -> None:
        """These are still referenced by the calling Python code at this point."""
        self.ops.append(Op(values, None))

    def cast(self, x: Value, dtype: DType, label: str) -> Value:
        """``x.to(dtype)``: a copy where the type differs; saves nothing."""
        if x.dtype == dtype:
            return x
        y = self.value(x.count, dtype, x.needs_grad, label)
        self.ops.append(Op((x,), y))
        return y

    def add(self, x: Value, y: Value, label: str) -> Value:
        """``x + y``: saves nothing; its backward hands the gradient to both.

        Where types differ the CPU first copies the narrower one; CUDA converts while it adds.
        """
        out = self.value(x.count, promote(x.dtype, y.dtype), x.needs_grad or y.needs_grad, label)
        copied = out.size_bytes if self.cpu and x.dtype != y.dtype and x.count == y.count else 0
        self.ops.append(Op((x, y), out, scratch=copied, passes=True))
        return out

    def copy(self, x: Value, label: str, count: int | None = None) -> Value:
        """A copy of ``x``, or of ``count`` elements of it; saves nothing."""
        out = self.value(x.count if count is None else count, x.dtype, x.needs_grad, label)
        self.ops.append(Op((x,), out))
        return out

    def views(self, x: Value, counts: Sequence[int], *, joined: bool) -> list[Value]:
        """Parts of ``x`` of so many elements, in its storage; see :class:`~.tape.Op` for ``joined``."""
        parts = [self.value(count, x.dtype, x.needs_grad, x.label) for count in counts]
        self.ops.append(Op((x,), None, parts=tuple(parts), joined=joined))
        return parts

    def join(self, parts: Sequence[Value], label: str) -> Value:
        """``cat``: saves nothing; gradients are views of the incoming one."""
        dtype = F32 if any(part.dtype == F32 for part in parts) else parts[0].dtype
        needs = any(part.needs_grad for part in parts)
        if self.autocast is not None:  # which brings all to the widest type first
            parts = [self.cast(part, dtype, label) for part in parts]
        out = self.value(sum(part.count for part in parts), dtype, needs, label)
        self.ops.append(Op(tuple(parts), out, joined=True))
        return out

    def result(self, x: Value, label: str) -> Value:
        """ReLU, tanh, sigmoid, softmax: saves its result."""
        out = self.value(x.count, x.dtype, x.needs_grad, label)
        self.ops.append(Op((x,), out, (out,) if x.needs_grad else ()))
        return out

    def scale(self, x: Value, label: str) -> Value:
        """``x * number``: saves nothing."""
        out = self.value(x.count, x.dtype, x.needs_grad, label)
        self.ops.append(Op((x,), out))
        return out

    def multiply(self, x: Value, y: Value, label: str) -> Value:
        """``x * y`` of equal shapes: each is saved for the other's gradient."""
        needs = x.needs_grad or y.needs_grad
        out = self.value(x.count, promote(x.dtype, y.dtype), needs, label)
        saved = tuple(kept for kept, other in ((x, y), (y, x)) if other.needs_grad)
        self.ops.append(Op((x, y), out, saved))
        return out

    def unary(self, x: Value, label: str) -> Value:
        """SiLU or GELU: saves its input."""
        out = self.value(x.count, x.dtype, x.needs_grad, label)
        self.ops.append(Op((x,), out, (x,) if x.needs_grad else ()))
        return out

    def gelu_steps(self, x: Value, label: str) -> Value:
        """``0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3)))``, operation by operation.

        Kept are ``x``, the tanh and both factors. Autocast runs ``pow`` in fp32 on CUDA.
        """
        needs = x.needs_grad
        half = self.scale(x, label)
        base = x if self.autocast is None or self.cpu else self.cast(x, F32, label)
        cube = self.value(base.count, base.dtype, needs)
        self.ops.append(Op((base,), cube, (base,) if needs else (), backward_scratch=2 * cube.size_bytes))
        inner = self.add(x, self.scale(cube, label), label)
        bent = self.value(inner.count, inner.dtype, needs, label)
        self.ops.append(Op((self.scale(inner, label),), bent, (bent,) if needs else ()))
        factor = self.value(bent.count, bent.dtype, needs, label)
        self.ops.append(Op((bent,), factor, passes=True))
        return self.multiply(half, factor, label)

    def gated_halves(self, both: Value, label: str) -> Value:
        """``silu(gate) * up`` of two halves of one tensor: keeps that tensor and the activated half."""
        half = both.count // 2
        active = self.value(half, both.dtype, both.needs_grad, label)
        out = self.value(half, both.dtype, both.needs_grad, label)
        self.ops.append(Op((both,), out, (both, active) if both.needs_grad else (), (active,)))
        return out

    def linear(
        self, x: Value, matrix: Matrix, tokens: int, label: str, *, compute: DType | None = None
    ) -> Value:
        """``F.linear``, its autocast casts, its adapter if it has one.

        Args:
            x: The input.
            matrix: The weight.
            tokens: Rows of the input.
            label: What the result is for.
            compute: Type that the weight is cast to first; autocast's goes before it.
        """
        y = self._matmul(x, matrix, tokens, label, compute)
        if not matrix.rank:
            return y
        down = Matrix(matrix.rank, matrix.columns, matrix.adapter, True, matrix.adapter)
        up = Matrix(matrix.rows, matrix.rank, matrix.adapter, True, matrix.adapter)
        wide = self.cast(x, matrix.adapter, "adapter_input")
        inner = self._matmul(wide, down, tokens, "adapter_rank")
        inner = self.scale(self._matmul(inner, up, tokens, "adapter"), "adapter")
        summed = self.add(y, inner, label)
        self.hold(wide)
        return self.cast(summed, y.dtype, label)

    def _matmul(
        self, x: Value, matrix: Matrix, tokens: int, label: str, compute: DType | None = None
    ) -> Value:
        given = x
        compute = x.dtype if matrix.keeps_input else self.autocast or compute or matrix.dtype
        x = self.cast(x, compute, "linear_input")
        needs = x.needs_grad or matrix.trained
        y = self.value(tokens * matrix.rows, compute, needs, label)
        count = matrix.rows * matrix.columns
        copies = self._autocast_copies(matrix, compute)
        size = compute.bytes_for(count)
        saved = [x] if matrix.trained or (matrix.keeps_input and x.needs_grad) else []
        if copies and x.needs_grad:
            saved.append(copies[0])
        weights: tuple[WeightGradient, ...] = ()
        if matrix.trained:
            weights = (self._weight(count, compute, matrix),)
            if matrix.bias:
                scratch = summed_rows_bytes(tokens, matrix.rows, compute, self.processors)
                bias = replace(self._weight(matrix.rows, compute, matrix), late=True, scratch=scratch)
                weights = (*weights, bias)
        unpacked = size if matrix.packed else 0
        # int8 multiplies a 16-bit, then an 8-bit copy of its input instead of unpacking the weight
        scratch = 3 * x.count if matrix.keeps_input else unpacked
        self.ops.append(
            Op(
                (x,),
                y,
                tuple(saved),
                copies,
                copies if matrix.trained and self.autocast is not None else (),
                scratch=scratch,
                backward_scratch=unpacked if x.needs_grad else 0,
                views=True,
                weights=weights,
            )
        )
        # bitsandbytes returns the type it was given
        return self.cast(y, given.dtype, label) if matrix.packed else y

    def _autocast_copies(self, matrix: Matrix, compute: DType) -> tuple[Value, ...]:
        """Copies of the weight and of its bias in the type of the product."""
        if matrix.dtype == compute or matrix.packed:
            return ()
        counts = (matrix.rows * matrix.columns, *((matrix.rows,) if matrix.bias else ()))
        cached = self.autocast is not None
        return tuple(self.value(count, compute, False, "weight_copy", autocast=cached) for count in counts)

    def gradient_of(self, matrix: Matrix) -> WeightGradient:
        """The gradient of a weight that is used in its own type."""
        return self._weight(matrix.rows * matrix.columns, matrix.dtype, matrix)

    def _weight(self, count: int, made: DType, matrix: Matrix) -> WeightGradient:
        kept = matrix.gradient
        return WeightGradient(made.bytes_for(count), kept.bytes_for(count), made != kept, matrix.waits)

    def rms_norm(
        self,
        x: Value,
        weight: Matrix,
        rows: int,
        label: str = "linear_input",
        *,
        offset: bool = False,
        wide: bool = False,
    ) -> Value:
        """``LlamaRMSNorm`` of transformers: to fp32, pow, mean, rsqrt, mul, cast back, times the weight.

        Args:
            x: What is normed.
            weight: Its scale.
            rows: Vectors of the weight's length in ``x``.
            label: What the result is for.
            offset: Gemma's form: times one plus the weight in fp32, then cast back.
            wide: OLMo 2's form: times the weight in fp32, then cast back.
        """
        full = self.cast(x, F32, "norm")
        needs = x.needs_grad
        square = self.value(x.count, F32, needs)
        # pow_backward holds x**1 and 2 * x**1 beside its result
        self.ops.append(Op((full,), square, (full,) if needs else (), backward_scratch=2 * square.size_bytes))
        mean, shifted, root = (self.value(rows, F32, needs, "norm_statistics") for _ in range(3))
        self.ops.append(Op((square,), mean))
        self.ops.append(Op((mean,), shifted, passes=True))
        self.ops.append(Op((shifted,), root, (root,) if needs else ()))
        normed = self.value(x.count, F32, needs, "norm")
        self.ops.append(
            Op((full, root), normed, (full, root) if needs else (), backward_scratch=full.size_bytes)
        )
        if offset:
            return self.cast(self.scaled(normed, weight, F32, label, factor=True), x.dtype, label)
        if wide:
            return self.cast(self.scaled(normed, weight, F32, label), x.dtype, label)
        normed = self.cast(normed, x.dtype, "norm")
        out = self.scaled(normed, weight, promote(normed.dtype, weight.dtype), label)
        self.hold(x)
        return out

    def scaled(
        self, normed: Value, weight: Matrix, dtype: DType, label: str, *, factor: bool = False
    ) -> Value:
        """Times a norm's weight, or times a factor made of it, which is then kept like any other."""
        out = self.value(normed.count, dtype, normed.needs_grad or weight.trained, label)
        weights = (self._weight(weight.rows, dtype if factor else weight.dtype, weight),)
        made = (self.value(weight.rows, F32, False, "norm"),) if factor else ()
        self.ops.append(
            Op(
                (normed,),
                out,
                (*((normed,) if weight.trained else ()), *(made if normed.needs_grad else ())),
                made,
                backward_scratch=out.size_bytes if weight.trained else 0,
                weights=weights if weight.trained else (),
            )
        )
        return out

    def layer_norm(self, x: Value, weight: Matrix, tokens: int) -> Value:
        """``F.layer_norm``; autocast runs it in fp32 on CUDA and leaves it alone on the CPU."""
        if self.autocast is not None and not self.cpu:
            x = self.cast(x, F32, "norm")
        needs = x.needs_grad or weight.trained
        out = self.value(x.count, x.dtype, needs, "linear_input")
        # the CPU keeps the statistics in the weight's type unless types are mixed; CUDA in fp32
        kind = promote(x.dtype, weight.dtype) if self.cpu else F32
        mean, rstd = (self.value(tokens, kind, False, "norm_statistics") for _ in range(2))
        weights: tuple[WeightGradient, ...] = ()
        if weight.trained:
            weights = (self._weight(weight.rows, weight.dtype, weight),) * (2 if weight.bias else 1)
        saved = (x, mean, rstd) if needs else ()
        self.ops.append(Op((x,), out, saved, (mean, rstd), weights=weights))
        return out

    def dropout(self, x: Value, probability: float, label: str) -> Value:
        """``F.dropout``: one byte an element on CUDA, a scaled mask of the input's type on the CPU."""
        if not probability:
            return x
        out = self.value(x.count, x.dtype, x.needs_grad, label)
        mask = self.value(x.count, x.dtype if self.cpu else BOOL, False, "dropout_mask")
        kept = (mask,) if x.needs_grad else ()
        if self.cpu:  # the mask, then a product with it
            self.ops += [Op((x,), mask), Op((x, mask), out, kept)]
        else:
            self.ops.append(Op((x,), out, kept, (mask,)))
        return out
