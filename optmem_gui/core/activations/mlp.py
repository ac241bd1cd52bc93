"""The MLP of a layer: gated or not, from one product or two, or experts in its place.

Source: the MLP classes in ``modeling_*.py`` and ``activations.py`` of transformers 5.24.
"""

from __future__ import annotations

from optmem_gui.core.activations.experts import mix_experts
from optmem_gui.core.activations.gated import gated_mlp
from optmem_gui.core.activations.plan import Plan
from optmem_gui.core.activations.program import Program
from optmem_gui.core.activations.tape import Op, Value


def feed_forward(program: Program, plan: Plan, x: Value, *, dense: bool) -> Value:
    """The MLP that the shape has.

    Args:
        program: Where to.
        plan: The step.
        x: What it reads.
        dense: The layer has a plain MLP although others have experts.
    """
    shape, tokens = plan.shape, plan.token_count
    if shape.experts and not dense:
        out = mix_experts(program, plan, x)
        program.hold(x)
        return out
    if shape.gated and shape.fused_gate:
        both = program.linear(x, plan.matrix("gate_up_proj"), tokens, "mlp")
        inner = program.gated_halves(both, "mlp")
    elif shape.gated:
        return gated_mlp(program, plan, x)
    else:
        inner = _bend(program, plan, program.linear(x, plan.matrix("up_proj"), tokens, "mlp"))
    program.hold(x)
    return program.linear(inner, plan.matrix("down_proj"), tokens, "residual")


def _bend(program: Program, plan: Plan, up: Value) -> Value:
    kind = "steps" if plan.shape.gelu_steps else plan.shape.form.activation
    if kind == "steps":
        return program.gelu_steps(up, "mlp")
    if kind == "relu":
        return program.result(up, "mlp")
    if kind == "fast":
        return _fast(program, up)
    if kind == "recomputed":
        # BLOOM's function writes GELU out: at most three tensors beside its result, four in its backward
        out, size = program.value(up.count, up.dtype, up.needs_grad, "mlp"), up.size_bytes
        saved = (up,) if up.needs_grad else ()
        program.ops.append(Op((up,), out, saved, scratch=3 * size, backward_scratch=4 * size))
        return out
    return program.unary(up, "mlp")


def _fast(program: Program, up: Value) -> Value:
    """``0.5 * x * (1 + tanh(x * 0.7978845608 * (1 + 0.044715 * x * x)))``, operation by operation."""
    half, scaled = program.scale(up, "mlp"), program.scale(up, "mlp")
    squared = program.multiply(program.scale(up, "mlp"), up, "mlp")
    bent = program.result(program.multiply(scaled, _raised(program, squared), "mlp"), "mlp")
    return program.multiply(half, _raised(program, bent), "mlp")


def _raised(program: Program, x: Value) -> Value:
    """``1 + x``: saves nothing."""
    out = program.value(x.count, x.dtype, x.needs_grad, "mlp")
    program.ops.append(Op((x,), out, passes=True))
    return out
