"""A mixture of experts: what the gathered tokens and the experts keep for backward.

Source: ``grouped_mm_experts_forward`` in ``integrations/moe.py`` of transformers 5.24, which its mixtures
run by default; saved tensors from ``derivatives.yaml``. Every token is copied once for each expert that it
visits, so the size does not depend on which experts those are: there is no capacity and nothing is dropped.
``grouped_mm`` is not known to autocast: the experts run in the type of their weights. Not yet compared with a
GPU.
"""

from __future__ import annotations

from dataclasses import replace

from optmem_gui.core.activations.gated import gated_mlp
from optmem_gui.core.activations.plan import Plan
from optmem_gui.core.activations.program import Matrix, Program, promote
from optmem_gui.core.activations.routers import route
from optmem_gui.core.activations.tape import Op, Value, WeightGradient
from optmem_gui.core.dtypes import INT32, INT64


def mix_experts(program: Program, plan: Plan, x: Value) -> Value:
    """Append router, experts and what every token visits in place of an MLP; returns a tensor like ``x``."""
    mixture = plan.shape.mixture
    if not mixture.shared_ffn:
        return _routed(program, plan, x)
    if not mixture.shared_gate:
        routed = _routed(program, plan, x)
        return program.add(routed, gated_mlp(program, plan, x, "shared."), "residual")
    shared = gated_mlp(program, plan, x, "shared.")
    routed = _routed(program, plan, x)
    share = program.linear(x, plan.matrix("shared_expert_gate"), plan.token_count, "routing")
    weighed = _weigh(program, shared, program.result(share, "routing"))
    program.hold(x)
    return program.add(routed, weighed, "residual")


def _routed(program: Program, plan: Plan, x: Value) -> Value:
    """The experts that the router sends tokens to."""
    shape, tokens = plan.shape, plan.token_count
    pairs = tokens * shape.experts_used
    weights, logits = route(program, plan, x)
    rows = _gather(program, x, pairs * shape.hidden, pairs, "expert_input")
    sorted_weights = _gather(program, weights, pairs, pairs, "routing")
    offsets = program.value(shape.experts, INT32, False, "routing")
    chosen = (program.value(pairs, INT64, False, "routing"),) if shape.mixture.biased else ()
    program.ops.append(Op((), offsets))
    program.ops.extend(Op((), index) for index in chosen)
    kept = (offsets, *chosen)
    both, added = _grouped(
        program, rows, plan.matrix("experts.gate_up_proj"), 2 * pairs * shape.ffn, kept=kept
    )
    inner = _clamped(program, both) if shape.mixture.biased else program.gated_halves(both, "mlp")
    out, last = _grouped(
        program, inner, plan.matrix("experts.down_proj"), pairs * shape.hidden, kept=kept, before=added
    )
    scaled = _weigh(program, out, sorted_weights)
    program.hold(rows, *kept, *last)
    ordered = _gather(program, scaled, pairs * shape.hidden, pairs, "expert_output")
    summed = program.value(tokens * shape.hidden, ordered.dtype, ordered.needs_grad, "residual")
    program.ops.append(Op((ordered,), summed))
    program.hold(weights, sorted_weights, logits)
    return program.cast(summed, x.dtype, "residual")


def _clamped(program: Program, both: Value) -> Value:
    """gpt-oss: even columns are the gate, odd ones what it opens; both are clamped, ``x * sigmoid(a x)``."""
    half = both.count // 2
    gate, up = program.views(both, (half, half), joined=False)
    gate, up = (program.unary(part, "mlp") for part in (gate, up))
    opened = program.result(program.scale(gate, "mlp"), "mlp")
    glu = program.multiply(gate, opened, "mlp")
    raised = program.value(half, up.dtype, up.needs_grad, "mlp")
    program.ops.append(Op((up,), raised, passes=True))
    out = program.multiply(raised, glu, "mlp")
    program.hold(both, up)
    return out


def _gather(program: Program, x: Value, count: int, pairs: int, label: str) -> Value:
    """``x[index]``: a copy; the index is kept."""
    index = program.value(pairs, INT64, False, "routing")
    out = program.value(count, x.dtype, x.needs_grad, label)
    program.ops.append(Op((x,), out, (index,) if x.needs_grad else (), (index,)))
    return out


def _grouped(
    program: Program,
    x: Value,
    matrix: Matrix,
    count: int,
    *,
    kept: tuple[Value, ...],
    before: tuple[Value, ...] = (),
) -> tuple[Value, tuple[Value, ...]]:
    """One product for all experts; keeps its input if they are trained, and where each expert begins.

    Args:
        program: Where to.
        x: Rows sorted by expert.
        matrix: The weights of all experts.
        count: Elements of the result.
        kept: Where each expert begins; with biases the expert of every row, too.
        before: What the calling code lets go of once the biases are looked up.

    Returns:
        The result, and the bias of every row, which is added in place and held until the next.
    """
    added: tuple[Value, ...] = ()
    if len(kept) > 1:
        added = (program.value(count, matrix.dtype, False),)
        program.ops.append(Op((), added[0]))
        program.hold(*before)
    x = program.cast(x, matrix.dtype, "expert_input")
    out = program.value(count, matrix.dtype, x.needs_grad or matrix.trained, "mlp")
    weights: tuple[WeightGradient, ...] = (program.gradient_of(matrix),) if matrix.trained else ()
    if matrix.trained and added:
        bias = replace(matrix, columns=1)
        weights = (*weights, replace(program.gradient_of(bias), late=True))
    saved = (*((x,) if matrix.trained else ()), *(kept if out.needs_grad else ()))
    program.ops.append(Op((x, *kept, *added), out, saved, views=True, weights=weights))
    return out, added


def _weigh(program: Program, x: Value, weights: Value) -> Value:
    """Scale every row by its share; the gradient of the shares sums a product as large as the rows."""
    needs = x.needs_grad or weights.needs_grad
    out = program.value(x.count, promote(x.dtype, weights.dtype), needs, "expert_output")
    saved = tuple(kept for kept, other in ((x, weights), (weights, x)) if other.needs_grad)
    # where types differ the CPU first copies the rows in the wider one; CUDA converts while it multiplies
    copied = out.size_bytes if program.cpu and x.dtype != out.dtype else 0
    scratch = out.size_bytes if weights.needs_grad else 0
    if scratch and x.dtype != out.dtype:
        # the gradient of the rows is made in the wider type, and narrowed before that of the shares is summed
        scratch += out.size_bytes - weights.size_bytes
    program.ops.append(Op((x, weights), out, saved, scratch=copied, backward_scratch=scratch))
    return out
