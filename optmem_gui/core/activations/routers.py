"""Routers: which experts a token visits, and with what shares.

Source: the routers of ``qwen3_moe``, ``mixtral``, ``deepseek_v2``, ``deepseek_v3`` and ``gpt_oss`` in
transformers 5.24; saved tensors from ``derivatives.yaml``. What is only chosen by dies with the choice.
"""

from __future__ import annotations

from collections.abc import Callable

from optmem_gui.core.activations.plan import Plan
from optmem_gui.core.activations.program import Program
from optmem_gui.core.activations.tape import Op, Value
from optmem_gui.core.dtypes import BOOL, F32, INT64
from optmem_gui.core.layer_form import Router

Routed = tuple[Value, Value]
"""Shares of the visited experts, and the scores, which the calling code holds while the experts run."""


def route(program: Program, plan: Plan, x: Value) -> Routed:
    """Append the router."""
    return _KINDS[plan.shape.mixture.router](program, plan, x)


def _softmax(program: Program, plan: Plan, x: Value) -> Routed:
    """Softmax over the experts in fp32, the largest few, and their shares of the sum."""
    logits = program.linear(x, plan.matrix("gate"), plan.token_count, "routing")
    shares = program.result(program.cast(logits, F32, "routing"), "routing")
    chosen = _largest(program, plan, shares)
    if plan.shape.mixture.normed:
        chosen = _normed(program, plan, chosen)
    chosen = chosen if plan.shape.router_fp32 else program.cast(chosen, logits.dtype, "routing")
    return chosen, logits


def _wide_logits(program: Program, plan: Plan, x: Value) -> Value:
    """Input and weight are widened to fp32 first, which autocast undoes."""
    wide = program.cast(x, F32, "routing")
    logits = program.linear(wide, plan.matrix("gate"), plan.token_count, "routing", compute=F32)
    program.hold(wide)
    return logits


def _wide_softmax(program: Program, plan: Plan, x: Value) -> Routed:
    """DeepSeek-V2: scores of groups that were not chosen are overwritten; the shares stay as they are."""
    logits = _wide_logits(program, plan, x)
    shares = program.result(program.cast(logits, F32, "routing"), "routing")
    if plan.shape.mixture.grouped:
        count, needs = shares.count, shares.needs_grad
        mask = program.value(count, BOOL, False, "routing")
        masked = program.value(count, F32, needs, "routing")
        program.ops.append(Op((shares,), masked, (mask,) if needs else (), (mask,)))
        shares = masked
    return program.scale(_largest(program, plan, shares), "routing"), logits


def _wide_sigmoid(program: Program, plan: Plan, x: Value) -> Routed:
    """DeepSeek-V3: chosen by corrected scores, which leave nothing; the shares are the scores themselves."""
    logits = _wide_logits(program, plan, x)
    scores = program.result(logits, "routing")
    pairs = plan.token_count * plan.shape.experts_used
    index = program.value(pairs, INT64, False, "routing")
    chosen = program.value(pairs, scores.dtype, scores.needs_grad, "routing")
    # beside the scores: corrected ones, the mask of their groups, and what is left of them
    scratch = 3 * F32.bytes_for(scores.count)
    program.ops.append(Op((), None, scratch=scratch))
    program.ops.append(Op((scores,), chosen, (index,) if scores.needs_grad else (), (index,)))
    if plan.shape.mixture.normed:
        chosen = _normed(program, plan, chosen)
    return program.scale(chosen, "routing"), logits


def _chosen(program: Program, plan: Plan, x: Value) -> Routed:
    """gpt-oss: softmax over the largest few alone, in the type of the scores."""
    logits = program.linear(x, plan.matrix("gate"), plan.token_count, "routing")
    return program.result(_largest(program, plan, logits), "routing"), logits


def _largest(program: Program, plan: Plan, scores: Value) -> Value:
    """``topk``: keeps which they are."""
    pairs, needs = plan.token_count * plan.shape.experts_used, scores.needs_grad
    index = program.value(pairs, INT64, False, "routing")
    chosen = program.value(pairs, scores.dtype, needs, "routing")
    program.ops.append(Op((scores,), chosen, (index,) if needs else (), (index,)))
    return chosen


def _normed(program: Program, plan: Plan, chosen: Value) -> Value:
    """Divided in place by the sum of each token: autograd keeps a copy of what was divided."""
    needs = chosen.needs_grad
    total = program.value(plan.token_count, chosen.dtype, needs, "routing")
    program.ops.append(Op((chosen,), total))
    kept = program.value(chosen.count, chosen.dtype, False, "routing")
    out = program.value(chosen.count, chosen.dtype, needs, "routing")
    program.ops.append(Op((chosen, total), out, (kept, total) if needs else (), (kept,)))
    return out


_KINDS: dict[Router, Callable[[Program, Plan, Value], Routed]] = {
    "softmax": _softmax,
    "wide_softmax": _wide_softmax,
    "wide_sigmoid": _wide_sigmoid,
    "chosen": _chosen,
}
