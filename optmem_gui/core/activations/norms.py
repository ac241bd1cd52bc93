"""The norms of decoders: which one a shape has, and those that are written out in elementary steps.

Source: the norms in ``modeling_*.py`` of transformers 5.24; saved tensors from ``derivatives.yaml``.
"""

from __future__ import annotations

from dataclasses import replace

from optmem_gui.core.activations.plan import Plan
from optmem_gui.core.activations.program import Matrix, Program
from optmem_gui.core.activations.tape import Op, Value
from optmem_gui.core.dtypes import F32


def apply_norm(
    program: Program,
    plan: Plan,
    x: Value,
    leaf: str,
    *,
    rows: int | None = None,
    label: str = "linear_input",
) -> Value:
    """Append the norm that the shape has.

    Args:
        program: Where to.
        plan: The step.
        x: What is normed.
        leaf: The norm.
        rows: Vectors that are normed one by one; the tokens of the residual stream unless given.
        label: What the result is for.
    """
    shape, weight = plan.shape, plan.matrix(leaf)
    rows = plan.stream_count if rows is None else rows
    if shape.norm == "layer":
        return program.layer_norm(x, weight, rows)
    if shape.norm == "layer_wide":
        wide, none = (
            program.cast(x, F32, "norm"),
            replace(weight, dtype=F32, trained=False),
        )  # it has no weight
        return program.cast(program.layer_norm(wide, none, rows), x.dtype, label)
    if shape.norm == "layer_steps":
        return _layer_steps(program, x, weight, rows, label)
    wide_scale = shape.norm == "rms_wide"
    return program.rms_norm(x, weight, rows, label, offset=shape.norm_offset, wide=wide_scale)


def _layer_steps(program: Program, x: Value, weight: Matrix, rows: int, label: str) -> Value:
    """``CohereLayerNorm``: the distance from the mean is taken twice, once to square and once to scale."""
    full, needs = program.cast(x, F32, "norm"), x.needs_grad
    mean = program.value(rows, F32, needs, "norm_statistics")
    program.ops.append(Op((full,), mean))
    apart = _apart(program, full, mean)
    square = program.value(x.count, F32, needs)
    scratch = 2 * square.size_bytes
    program.ops.append(Op((apart,), square, (apart,) if needs else (), backward_scratch=scratch))
    variance, shifted, root = (program.value(rows, F32, needs, "norm_statistics") for _ in range(3))
    program.ops.append(Op((square,), variance))
    again = _apart(program, full, mean)
    program.ops.append(Op((variance,), shifted, passes=True))
    program.ops.append(Op((shifted,), root, (root,) if needs else ()))
    normed = program.value(x.count, F32, needs, "norm")
    kept = (again, root) if needs else ()
    program.ops.append(Op((again, root), normed, kept, backward_scratch=again.size_bytes))
    program.hold(mean)
    factor = weight.dtype != F32
    out = program.scaled(normed, weight, F32, label, factor=factor)
    return program.cast(out, x.dtype, label)


def _apart(program: Program, x: Value, mean: Value) -> Value:
    """``x - mean``: saves nothing; the gradient of the mean is a sum."""
    out = program.value(x.count, F32, x.needs_grad, "norm")
    program.ops.append(Op((x, mean), out, passes=True))
    return out
