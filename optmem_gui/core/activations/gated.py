"""``down(silu(gate(x)) * up(x))``, of a layer or of an expert that every token visits."""

from __future__ import annotations

from optmem_gui.core.activations.plan import Plan
from optmem_gui.core.activations.program import Program
from optmem_gui.core.activations.tape import Value


def gated_mlp(program: Program, plan: Plan, x: Value, prefix: str = "") -> Value:
    """Append it.

    Args:
        program: Where to.
        plan: The step.
        x: What it reads.
        prefix: What the names of its weights start with.
    """
    tokens = plan.token_count
    gate = program.unary(program.linear(x, plan.matrix(f"{prefix}gate_proj"), tokens, "mlp"), "mlp")
    up = program.linear(x, plan.matrix(f"{prefix}up_proj"), tokens, "mlp")
    inner = program.multiply(gate, up, "mlp")
    program.hold(x)
    return program.linear(inner, plan.matrix(f"{prefix}down_proj"), tokens, "residual")
