"""The stages of a step - one layer, the loss, the embedding - counted once each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from optmem_gui.core.activations.layers import layer_program
from optmem_gui.core.activations.plan import Plan
from optmem_gui.core.activations.requests import Requests, requests_of
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
        requests: What it asks of the allocator, in order.
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
    requests: Requests


@lru_cache(maxsize=256)
def layer_stage(plan: Plan, *, input_needs_grad: bool, keep: bool, dense: bool = False) -> Stage:
    """Count one block.

    Args:
        plan: The step.
        input_needs_grad: Whether backward goes on before this block.
        keep: False for its first run inside a checkpointed region.
        dense: It has a plain MLP although others have experts.
    """
    ops, x, result = layer_program(plan, input_needs_grad=input_needs_grad, dense=dense)
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
        run_backward(ops, ledger, {result.name: ledger.incoming(result.size_bytes)})
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
    ledger.diary.end_forward(cached, "" if result is None else result.name)
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
        requests_of(ledger, x.name),
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
