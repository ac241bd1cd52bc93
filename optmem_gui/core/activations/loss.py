"""The last norm, the head and the cross-entropy: usually where a step peaks.

Sources: transformers' ``ForCausalLMLoss`` (logits in the compute type, ``.float()``, then
``F.cross_entropy``: log_softmax keeps its fp32 result, nll_loss makes an fp32 gradient of the same size);
Liger-Kernel's fused linear cross-entropy (Hsu et al., arXiv 2410.10989) for ``fused``.
"""

from __future__ import annotations

from functools import lru_cache

from optmem_gui.core.activations.choice import loss_chunk_tokens
from optmem_gui.core.activations.layers import gathered, stream_dtype
from optmem_gui.core.activations.norms import apply_norm
from optmem_gui.core.activations.plan import Plan
from optmem_gui.core.activations.program import Matrix, Program
from optmem_gui.core.activations.stages import Stage, closing, finish, itemise, measure
from optmem_gui.core.activations.tape import (
    ACTIVATIONS,
    Ledger,
    Op,
    Region,
    Step,
    Value,
    WeightGradient,
)
from optmem_gui.core.activations.walk import convert_gradient, run_backward, run_forward
from optmem_gui.core.dtypes import F32, DType


@lru_cache(maxsize=256)
def loss_stage(plan: Plan, *, input_needs_grad: bool) -> Stage:
    """Count everything after the last block."""
    program = Program(plan.autocast, plan.cpu)
    x = program.value(plan.stream_count * plan.shape.hidden, stream_dtype(plan), input_needs_grad, "residual")
    hidden = gathered(program, plan, apply_norm(program, plan, x, "norm"))
    if plan.loss == "full":
        loss = _full(program, plan, hidden)
        program.hold(hidden)
        return measure(plan, list(program.ops), x, loss, keep=True)
    if plan.loss == "chunked":
        return _chunked(program, plan, x, hidden)
    return _fused(program, plan, x, hidden)


def logits_bytes(plan: Plan) -> int:
    """Bytes of all logits in the type the head gives them."""
    head = plan.matrix("lm_head")
    return (plan.autocast or head.dtype).bytes_for(plan.token_count * plan.shape.vocab)


def _full(program: Program, plan: Plan, hidden: Value) -> Value:
    logits = program.linear(hidden, plan.matrix("lm_head"), plan.token_count, "logits")
    logits = _bent(program, plan, logits)
    loss = cross_entropy(program, logits)
    program.hold(logits)
    return loss


def _bent(program: Program, plan: Plan, logits: Value) -> Value:
    """Logits as the family has them: capped by a tanh that is kept (Gemma 2), or scaled (Cohere)."""
    form = plan.shape.form
    if form.capped_logits:
        logits = program.result(program.scale(logits, "logits"), "logits")
    return program.scale(logits, "logits") if form.capped_logits or form.scaled_logits else logits


def cross_entropy(program: Program, logits: Value) -> Value:
    """The loss of logits that are widened first, as the decoders of transformers do."""
    wide = program.cast(logits, F32, "logits")
    loss = nll_loss(program, program.result(wide, "logits"))
    program.hold(wide)
    return loss


def nll_loss(program: Program, x: Value) -> Value:
    """One number; its gradient is as large as its input."""
    loss, weight = program.value(1, x.dtype, x.needs_grad, "loss"), program.value(1, x.dtype, False, "loss")
    program.ops.append(Op((x,), loss, (x, weight) if x.needs_grad else (), (weight,)))
    return loss


def _chunked(program: Program, plan: Plan, x: Value, hidden: Value) -> Stage:
    """Slices of the hidden states go through head and loss one at a time, and again in backward.

    ``split`` gives views, its backward concatenates; the weight's gradients of the slices add up in
    autograd's input buffer, in the type of the product, until the last has come.
    """
    head = plan.matrix("lm_head")
    norm_ops: list[Step] = list(program.ops)
    compute = plan.autocast or head.dtype
    weight = Value("weight", head.rows * head.columns, compute, head.trained)
    size = loss_chunk_tokens(plan.token_count, plan.shape)
    regions: list[Region] = []
    once_more: list[Region] = []
    for start in range(0, plan.token_count, size):
        count = min(size, plan.token_count - start)
        part = program.value(count * plan.shape.hidden, hidden.dtype, hidden.needs_grad, "linear_input")
        regions.append(_slice(plan, part, weight, count, copies=start == 0))
        once_more.append(_slice(plan, part, weight, count, copies=True))
    ledger = Ledger(plan.unit, plan.accumulating)
    cached = run_forward(norm_ops, ledger, (x,), hidden, keep=True)
    # slices are views: the first, which backward needs last, stands for the whole
    ledger.add(weight.name, 0, ACTIVATIONS, 1)
    for index, region in enumerate(regions):
        ledger.add(region.inputs[0].name, 0 if index else hidden.size_bytes, ACTIVATIONS, 1)
    ledger.drop(hidden.name)
    for region in regions:
        cached += run_forward([region], ledger, region.inputs, region.output, keep=True)
        ledger.drop(region.output.name)
    for region in regions:
        ledger.drop(region.inputs[0].name)
    forward = closing(ledger, cached)
    saved = itemise([*norm_ops, *regions], ledger)
    if not hidden.needs_grad and not head.trained:
        return finish(ledger, forward, saved, x, needs_grad=False)
    gradients = {region.output.name: ledger.fresh(4) for region in once_more}
    for region in reversed(once_more):
        run_backward([region], ledger, gradients)
    if head.trained:
        convert_gradient(ledger, _whole_gradient(head, compute), gradients.pop(weight.name))
    if hidden.needs_grad:
        pieces = [gradients.pop(region.inputs[0].name) for region in regions]
        gradients[hidden.name] = ledger.fresh(hidden.size_bytes)
        ledger.mark()
        for piece in pieces:
            ledger.drop(piece)
        run_backward(norm_ops, ledger, gradients)
    return finish(ledger, forward, saved, x, needs_grad=True)


def _whole_gradient(head: Matrix, made: DType) -> WeightGradient:
    count, kept = head.rows * head.columns, head.gradient
    return WeightGradient(made.bytes_for(count), kept.bytes_for(count), made != kept, head.waits)


def _slice(plan: Plan, part: Value, weight: Value, count: int, *, copies: bool) -> Region:
    """Head and loss of one slice; the weight is an input here, so that its gradients can add up.

    Args:
        plan: The step.
        part: Hidden states of the slice.
        weight: What the products read: the head, or its copy in autocast's cache.
        count: Tokens of the slice.
        copies: Autocast copies the weight here; False where its cache has the copy already.
    """
    head = plan.matrix("lm_head")
    program = Program(plan.autocast, plan.cpu, prefix=f"{part.name}.")
    compute = plan.autocast or head.dtype
    x = program.cast(part, compute, "linear_input")
    copy: tuple[Value, ...] = ()
    if head.dtype != compute and copies:
        copy = (program.value(weight.count, compute, False, "weight_copy", autocast=True),)
        program.ops.append(Op((), copy[0], cached=copy if head.trained else ()))
    logits = program.value(count * head.rows, compute, x.needs_grad or head.trained, "logits")
    saved = ((x,) if head.trained else ()) + (copy if x.needs_grad else ())
    program.ops.append(Op((x, weight, *copy), logits, saved, views=True))
    loss = cross_entropy(program, _bent(program, plan, logits))
    return Region(tuple(program.ops), (part, weight), loss)


def _fused(program: Program, plan: Plan, x: Value, hidden: Value) -> Stage:
    """Gradients of the hidden states and of the weight are made in the forward pass and kept instead."""
    head, ledger = plan.matrix("lm_head"), Ledger(plan.unit, plan.accumulating)
    norm_ops: list[Step] = list(program.ops)
    cached = run_forward(norm_ops, ledger, (x,), hidden, keep=True)
    compute = plan.autocast or head.dtype
    count, size = head.rows * head.columns, loss_chunk_tokens(plan.token_count, plan.shape)
    matrix = ledger.fresh(compute.bytes_for(count)) if compute != head.dtype else None
    kept: list[Value] = []
    if hidden.needs_grad:
        kept.append(program.value(hidden.count, hidden.dtype, False, "fused_gradients"))
    if head.trained:
        kept.append(program.value(count, head.dtype, False, "fused_gradients"))
    for value in kept:
        ledger.add(value.name, value.size_bytes, ACTIVATIONS, 1)
    ledger.mark(_fused_scratch(plan, size, hidden))
    if matrix is not None:
        ledger.drop(matrix)
    ledger.drop(hidden.name)
    forward = closing(ledger, cached)
    saved = itemise([*norm_ops, Op((), None, tuple(kept))], ledger)
    if not kept:
        return finish(ledger, forward, saved, x, needs_grad=False)
    if head.trained:
        convert_gradient(ledger, _whole_gradient(head, head.dtype), kept[-1].name)
    if hidden.needs_grad:
        run_backward(norm_ops, ledger, {hidden.name: kept[0].name})
    return finish(ledger, forward, saved, x, needs_grad=True)


def _fused_scratch(plan: Plan, size: int, hidden: Value) -> int:
    """Bytes alive inside the fused loss while it works on one slice."""
    head = plan.matrix("lm_head")
    compute = plan.autocast or head.dtype
    logits, narrow = F32.bytes_for(size * head.rows), compute.bytes_for(size * head.rows)
    part = compute.bytes_for(size * head.columns) if compute != hidden.dtype else 0
    product = compute.bytes_for(size * head.columns)
    if head.trained:
        added = compute.bytes_for(head.rows * head.columns)
        added += head.dtype.bytes_for(head.rows * head.columns) if compute != head.dtype else 0
        product = max(product, added)
    narrow = narrow if compute != F32 else 0
    return part + max(2 * logits, logits + narrow, (narrow or logits) + product)
