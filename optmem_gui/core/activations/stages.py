"""The stages of a step - one layer, the loss, the embedding - counted once each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from optmem_gui.core.activations.attention import attend, rotate, sizes_of
from optmem_gui.core.activations.choice import Kernel, attention_kernel
from optmem_gui.core.activations.experts import mix_experts
from optmem_gui.core.activations.plan import Plan
from optmem_gui.core.activations.program import Program
from optmem_gui.core.activations.tape import (
    AUTOCAST,
    GRADIENTS,
    Ledger,
    Point,
    Region,
    Step,
    Value,
)
from optmem_gui.core.activations.walk import run_backward, run_forward
from optmem_gui.core.dtypes import BF16, F16, DType
from optmem_gui.core.reasons import Reason
from optmem_gui.core.transformer import TransformerShape

Saved = tuple[tuple[str, int, int], ...]
"""What is kept, as (label, bytes, tensors)."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Bytes of one stage, relative to what lives outside it.

    Attributes:
        forward_peak: Largest moment of its forward, its input included.
        kept: What stays for backward, its input included if it was saved, its result not.
        saved: ``kept`` itemised.
        cached: Autocast copies that only autocast's cache holds, until the region ends.
        backward_peak: Largest moment of its backward, ``kept`` included.
        gradients: Parameter gradients it leaves, bytes.
        input_bytes: Its input.
        keeps_input: The input is part of ``kept``.
        needs_grad: Its result needs a gradient.
        lead: Gradients alive when its backward first asks for a saved tensor.
        again_peak: Largest moment of its second run, which stops at the last saved tensor.
    """

    forward_peak: Point
    kept: Point
    saved: Saved
    cached: int
    backward_peak: Point
    gradients: int
    input_bytes: int
    keeps_input: bool
    needs_grad: bool
    lead: int
    again_peak: Point


def stream_dtype(plan: Plan) -> DType:
    """Type of the residual stream: what the embedding gives, widened by norms that are wider."""
    return plan.matrix("embed_tokens").dtype


def kernel_of(plan: Plan) -> tuple[Kernel, Reason]:
    """The attention kernel that runs, with the reason."""
    wide = plan.matrix("q_proj")
    half = plan.autocast is not None or wide.dtype in (BF16, F16)
    if wide.packed:
        half = plan.autocast is not None or stream_dtype(plan) in (BF16, F16)
    return attention_kernel(plan.attention, half=half, shape=plan.shape, target="cpu" if plan.cpu else "cuda")


def layer_program(plan: Plan, *, input_needs_grad: bool) -> tuple[list[Step], Value, Value]:
    """The operations of one block, with its input and its result."""
    shape, tokens = plan.shape, plan.token_count
    program = Program(plan.autocast, plan.cpu)
    x = program.value(plan.stream_count * shape.hidden, stream_dtype(plan), input_needs_grad, "residual")
    first = gathered(program, plan, apply_norm(program, plan, x, "input_layernorm"))
    q, k, v = project(program, plan, first)
    if _rotary(shape):
        q, k = (rotate(program, part, stream_dtype(plan), "attention") for part in (q, k))
    start = len(program.ops)
    mixed = attend(program, (q, k, v), kernel_of(plan)[0], sizes_of(shape, plan.batch, plan.sequence))
    head, tail = program.ops[:start], len(program.ops)
    core = program.ops[start:tail]
    program.hold(first)
    if shape.fused and _rotary(shape) and kernel_of(plan)[0] not in ("eager", "math"):
        mixed = program.copy(mixed, "linear_input")  # its queries lie heads first, and so does the result
    branch = scattered(program, plan, program.linear(mixed, plan.matrix("o_proj"), tokens, "residual"))
    if shape.norms_after:
        branch = apply_norm(program, plan, branch, "post_attention_layernorm")
    middle = program.add(x, program.dropout(branch, shape.dropout, "residual"), "residual")
    before = "pre_feedforward_layernorm" if shape.norms_after else "post_attention_layernorm"
    second = gathered(program, plan, apply_norm(program, plan, middle, before))
    if shape.experts:
        branch = mix_experts(program, plan, second)
        program.hold(second)
    else:
        branch = feed_forward(program, plan, second)
    branch = scattered(program, plan, branch)
    if shape.norms_after:
        branch = apply_norm(program, plan, branch, "post_feedforward_layernorm")
    result = program.add(middle, program.dropout(branch, shape.dropout, "residual"), "residual")
    program.hold(x)
    middle_ops: list[Step] = [Region(tuple(core), (q, k, v), mixed)] if plan.recompute_attention else [*core]
    return [*head, *middle_ops, *program.ops[tail:]], x, result


def gathered(program: Program, plan: Plan, x: Value) -> Value:
    """All tokens of what a norm makes of this rank's: the linear layers keep them (sequence parallel).

    Source: torch ``distributed/tensor/parallel/style.py`` (``SequenceParallel``, and ``PrepareModuleInput``
    from ``Shard(1)`` to ``Replicate``), laid out as torchtitan does for Llama.
    """
    return x if plan.along == 1 else program.copy(x, "linear_input", plan.token_count * plan.shape.hidden)


def scattered(program: Program, plan: Plan, x: Value) -> Value:
    """This rank's tokens of a sum over ranks (``RowwiseParallel`` to ``Shard(1)``)."""
    return x if plan.along == 1 else program.copy(x, "residual", plan.stream_count * plan.shape.hidden)


def feed_forward(program: Program, plan: Plan, second: Value) -> Value:
    """The MLP that the shape has."""
    shape, tokens = plan.shape, plan.token_count
    if shape.gated and shape.fused:
        both = program.linear(second, plan.matrix("gate_up_proj"), tokens, "mlp")
        inner = program.gated_halves(both, "mlp")
    elif shape.gated:
        gate = program.unary(program.linear(second, plan.matrix("gate_proj"), tokens, "mlp"), "mlp")
        inner = program.multiply(gate, program.linear(second, plan.matrix("up_proj"), tokens, "mlp"), "mlp")
    else:
        up = program.linear(second, plan.matrix("up_proj"), tokens, "mlp")
        inner = program.gelu_steps(up, "mlp") if shape.gelu_steps else program.unary(up, "mlp")
    program.hold(second)
    return program.linear(inner, plan.matrix("down_proj"), tokens, "residual")


def _rotary(shape: TransformerShape) -> bool:
    return shape.norm == "rms" and not shape.positions


def project(program: Program, plan: Plan, x: Value) -> tuple[Value, Value, Value]:
    """Query, key and value; with head norms each is normed before the next is projected.

    From one product they are views of one tensor. The value keeps all of it, also when query and key go on
    as rotated copies.
    """
    shape, tokens = plan.shape, plan.token_count
    if shape.fused and _rotary(shape):
        both = program.linear(x, plan.matrix("qkv_proj"), tokens, "attention")
        q, k = (
            program.copy(both, "attention", tokens * heads * shape.head_dim)
            for heads in (shape.heads, shape.kv_heads)
        )
        return q, k, both
    if shape.fused:
        x = program.cast(x, plan.autocast or plan.matrix("q_proj").dtype, "linear_input")
    found = []
    for leaf, heads in (("q_proj", shape.heads), ("k_proj", shape.kv_heads), ("v_proj", 0)):
        part = program.linear(x, plan.matrix(leaf), tokens, "attention")
        if shape.head_norms and heads:
            norm = plan.matrix(f"{leaf[0]}_norm")
            part = program.rms_norm(part, norm, tokens * heads, "attention", offset=shape.norm_offset)
        found.append(part)
    q, k, v = found
    return q, k, v


def apply_norm(program: Program, plan: Plan, x: Value, leaf: str) -> Value:
    """Append the norm that the shape has."""
    if plan.shape.norm == "layer":
        return program.layer_norm(x, plan.matrix(leaf), plan.stream_count)
    return program.rms_norm(x, plan.matrix(leaf), plan.stream_count, offset=plan.shape.norm_offset)


@lru_cache(maxsize=256)
def layer_stage(plan: Plan, *, input_needs_grad: bool, keep: bool) -> Stage:
    """Count one block.

    Args:
        plan: The step.
        input_needs_grad: Whether backward goes on before this block.
        keep: False for its first run inside a checkpointed region.
    """
    ops, x, result = layer_program(plan, input_needs_grad=input_needs_grad)
    return measure(plan, ops, x, result, keep=keep)


def measure(plan: Plan, ops: list[Step], x: Value, result: Value, *, keep: bool) -> Stage:
    """Walk a stage forward and backward.

    Args:
        plan: The step.
        ops: The operations.
        x: Their input.
        result: Their result; backward starts from its gradient.
        keep: Save for backward; without, the backward is not walked.
    """
    ledger = Ledger(plan.unit, plan.accumulating)
    cached = run_forward(ops, ledger, (x,), result, keep=keep)
    forward = closing(ledger, cached, result)
    saved = itemise(ops, ledger) if keep else ()
    if keep and result.needs_grad:
        run_backward(ops, ledger, {result.name: ledger.fresh(result.size_bytes)})
    return finish(ledger, forward, saved, x, needs_grad=result.needs_grad)


@dataclass(frozen=True, slots=True)
class _Forward:
    peak: Point
    kept: Point
    cached: int
    alive: frozenset[str]
    again: Point


def closing(ledger: Ledger, cached: list[str], result: Value | None = None) -> _Forward:
    """End a stage's forward: what it leaves without its result and without autocast's cache."""
    before = ledger.totals[AUTOCAST]
    for name in cached:
        ledger.drop(name)
    held = before - ledger.totals[AUTOCAST]
    if result is not None:
        ledger.drop(result.name)
    forward = _Forward(ledger.peak, ledger.point(), held, frozenset(ledger.live), ledger.again)
    ledger.restart()
    return forward


def finish(ledger: Ledger, forward: _Forward, saved: Saved, x: Value, *, needs_grad: bool) -> Stage:
    """End a stage's backward."""
    return Stage(
        forward.peak,
        forward.kept,
        saved,
        forward.cached,
        ledger.peak,
        ledger.totals[GRADIENTS],
        ledger.rounded(x.size_bytes),
        x.name in forward.alive,
        needs_grad,
        ledger.lead or 0,
        forward.again,
    )


def itemise(ops: Sequence[Step], ledger: Ledger) -> Saved:
    """Everything still alive, by label."""
    values: dict[str, Value] = {}
    for op in ops:
        inner = () if isinstance(op, Region) else (*op.saved, *op.extras, *op.parts)
        for value in (*op.inputs, *inner, *(() if op.output is None else (op.output,))):
            values[value.name] = value
    found: dict[str, tuple[int, int]] = {}
    for name, block in ledger.live.items():
        if block.size == 0 or (block.views is not None and name != block.views[0]):
            continue
        label = "weight_copy" if block.category == AUTOCAST else values[name].label
        size, count = found.get(label, (0, 0))
        found[label] = (size + block.size, count + 1)
    return tuple((label, size, count) for label, (size, count) in found.items())
