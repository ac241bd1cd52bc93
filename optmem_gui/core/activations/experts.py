"""A mixture of experts: what routing, the gathered tokens and the experts keep for backward.

Source: ``grouped_mm_experts_forward`` in ``integrations/moe.py`` of transformers 5.24, which its mixtures
run by default, and the routers of ``qwen3_moe`` and ``mixtral``; saved tensors from ``derivatives.yaml``.
Every token is copied once for each expert that it visits, so the size does not depend on which experts
those are: there is no capacity and nothing is dropped. ``grouped_mm`` is not known to autocast: the
experts run in the type of their weights. Not yet compared with a GPU.
"""

from __future__ import annotations

from optmem_gui.core.activations.plan import Plan
from optmem_gui.core.activations.program import Matrix, Program, promote
from optmem_gui.core.activations.tape import Op, Value
from optmem_gui.core.dtypes import F32, INT32, INT64


def mix_experts(program: Program, plan: Plan, x: Value) -> Value:
    """Append router and experts in place of an MLP; returns a tensor like ``x``."""
    shape, tokens = plan.shape, plan.token_count
    pairs = tokens * shape.experts_used
    weights = _route(program, plan, x)
    rows = _gather(program, x, pairs * shape.hidden, pairs, "expert_input")
    sorted_weights = _gather(program, weights, pairs, pairs, "routing")
    offsets = program.value(shape.experts, INT32, False, "routing")
    both = _grouped(program, rows, plan.matrix("experts.gate_up_proj"), 2 * pairs * shape.ffn, (offsets,))
    inner = program.gated_halves(both, "mlp")
    out = _grouped(program, inner, plan.matrix("experts.down_proj"), pairs * shape.hidden, ())
    scaled = _weigh(program, out, sorted_weights)
    program.hold(rows)
    ordered = _gather(program, scaled, pairs * shape.hidden, pairs, "expert_output")
    summed = program.value(tokens * shape.hidden, ordered.dtype, ordered.needs_grad, "residual")
    program.ops.append(Op((ordered,), summed))
    program.hold(weights, sorted_weights)
    return program.cast(summed, x.dtype, "residual")


def _route(program: Program, plan: Plan, x: Value) -> Value:
    """Softmax over the experts in fp32, the largest few, and their shares of the sum."""
    shape, tokens = plan.shape, plan.token_count
    pairs = tokens * shape.experts_used
    logits = program.linear(x, plan.matrix("gate"), tokens, "routing")
    needs = logits.needs_grad
    wide = program.cast(logits, F32, "routing")
    shares = program.value(tokens * shape.experts, F32, needs, "routing")
    program.ops.append(Op((wide,), shares, (shares,) if needs else ()))
    chosen = program.value(pairs, F32, needs, "routing")
    index = program.value(pairs, INT64, False, "routing")
    program.ops.append(Op((shares,), chosen, (index,) if needs else (), (index,)))
    total = program.value(tokens, F32, needs, "routing")
    program.ops.append(Op((chosen,), total))
    # divided in place: autograd keeps a copy of what was divided
    kept = program.value(pairs, F32, False, "routing")
    normed = program.value(pairs, F32, needs, "routing")
    program.ops.append(Op((chosen, total), normed, (kept, total) if needs else (), (kept,)))
    return normed if shape.router_fp32 else program.cast(normed, logits.dtype, "routing")


def _gather(program: Program, x: Value, count: int, pairs: int, label: str) -> Value:
    """``x[index]``: a copy; the index is kept."""
    index = program.value(pairs, INT64, False, "routing")
    out = program.value(count, x.dtype, x.needs_grad, label)
    program.ops.append(Op((x,), out, (index,) if x.needs_grad else (), (index,)))
    return out


def _grouped(program: Program, x: Value, matrix: Matrix, count: int, extras: tuple[Value, ...]) -> Value:
    """One product for all experts; keeps its input if they are trained, and where each expert begins."""
    x = program.cast(x, matrix.dtype, "expert_input")
    out = program.value(count, matrix.dtype, x.needs_grad or matrix.trained, "mlp")
    weights = (program.gradient_of(matrix),) if matrix.trained else ()
    kept = (*((x,) if matrix.trained else ()), *(extras if out.needs_grad else ()))
    program.ops.append(Op((x,), out, kept, extras, views=True, weights=weights))
    return out


def _weigh(program: Program, x: Value, weights: Value) -> Value:
    """Scale every row by its share; the gradient of the shares sums a product as large as the rows."""
    needs = x.needs_grad or weights.needs_grad
    out = program.value(x.count, promote(x.dtype, weights.dtype), needs, "expert_output")
    saved = tuple(kept for kept, other in ((x, weights), (weights, x)) if other.needs_grad)
    scratch = out.size_bytes if weights.needs_grad else 0
    program.ops.append(Op((x, weights), out, saved, backward_scratch=scratch))
    return out
