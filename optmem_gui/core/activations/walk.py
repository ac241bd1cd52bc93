"""What autograd keeps and frees: the arithmetic behind every activation figure.

Rules of the walk, with their sources in PyTorch:

- a tensor dies with its last use unless an operation saved it (``torch/csrc/autograd/saved_variable.h``);
- a node's saved tensors are released after its gradients exist (``engine.cpp``, ``release_variables``
  after ``call_function``), nodes run in the reverse of their creation order (``sequence_nr``);
- a second gradient of the same tensor is added in place when nobody else holds the first one, else into
  a new tensor (``input_buffer.cpp``, ``can_accumulate_inplace``);
- the first gradient of a parameter is kept as it is, later ones are added to it and freed
  (``accumulate_grad.h``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from optmem_gui.core.activations.tape import (
    ACTIVATIONS,
    AUTOCAST,
    GRADIENTS,
    TEMPORARIES,
    Ledger,
    Op,
    Region,
    Step,
    Value,
    WeightGradient,
)


def run_forward(
    ops: Sequence[Step],
    ledger: Ledger,
    inputs: Iterable[Value],
    result: Value,
    *,
    keep: bool,
    others: Iterable[Value] = (),
) -> list[str]:
    """Walk the operations forward.

    Args:
        ops: The operations, in order.
        ledger: Where to count.
        inputs: Tensors that exist before; those not alive yet are counted from here on.
        result: Tensor that outlives the list.
        keep: Save for backward; False inside a checkpointed region.
        others: Further tensors that outlive the list.

    Returns:
        Names of autocast's weight copies, still held by its cache: drop them where the region ends.
    """
    uses = Counter(value.name for op in ops for value in op.inputs)
    outliving = (result, *others)
    uses.update(value.name for value in outliving)
    for value in inputs:
        if value.name not in ledger.live:
            ledger.add(value.name, value.size_bytes, ACTIVATIONS, 0)
        ledger.live[value.name].refs += uses[value.name]
    cached: list[str] = []
    last = max((index for index, op in enumerate(ops) if not isinstance(op, Region) and op.saves), default=-1)
    for index, op in enumerate(ops):
        if isinstance(op, Region):
            cached += _enter_region(op, ledger, uses[op.output.name], keep=keep)
            continue
        _make(op, ledger, uses, last=index == last)
        for value in op.saved if keep else ():
            _save(value, ledger)
        for value in op.cached:
            ledger.hold(value.name)
            cached.append(value.name)
        for value in (*op.extras, *op.inputs):
            ledger.drop(value.name)
    for value in outliving:
        if ledger.live[value.name].category == TEMPORARIES:
            ledger.recategorize(value.name, ACTIVATIONS)
    ledger.mark()
    return cached


def _save(value: Value, ledger: Ledger) -> None:
    """Keep for backward: it is an activation from here on."""
    ledger.hold(value.name)
    if ledger.live[value.name].category == TEMPORARIES:
        ledger.recategorize(value.name, ACTIVATIONS)


def _make(op: Op, ledger: Ledger, uses: Mapping[str, int], *, last: bool) -> None:
    """Allocate what an operation makes; a second run stops once the last saved tensor is there."""
    for part in op.parts:
        ledger.share(part.name, op.inputs[0].name, uses[part.name])
    for extra in op.extras:
        ledger.add(extra.name, extra.size_bytes, _category(extra), 1)
    stops_after = _keeps_result(op) if last else None
    if stops_after is False:
        ledger.reach_last_saved()
    if op.output is not None:
        ledger.add(op.output.name, op.output.size_bytes, _category(op.output), uses[op.output.name])
    ledger.diary.product(op.views)
    ledger.mark(ledger.rounded(op.scratch))
    if stops_after:
        ledger.reach_last_saved()


def _keeps_result(op: Op) -> bool:
    """Whether it saves what it makes: inputs are saved before it runs, results after."""
    made = {value.name for value in (*op.extras, *(() if op.output is None else (op.output,)))}
    return any(value.name in made for value in op.saved)


def _category(value: Value) -> str:
    return AUTOCAST if value.autocast else TEMPORARIES


def _enter_region(region: Region, ledger: Ledger, uses: int, *, keep: bool) -> list[str]:
    cached = run_forward(region.ops, ledger, region.inputs, region.output, keep=False)
    ledger.live[region.output.name].refs = uses
    for value in region.inputs:
        if keep and region.output.needs_grad:
            _save(value, ledger)
        ledger.drop(value.name)
    return cached


def _leave_region(region: Region, ledger: Ledger, gradients: dict[str, str]) -> None:
    """Run the region again, this time saving, then backward through it."""
    cached = run_forward(region.ops, ledger, region.inputs, region.output, keep=True)
    for name in (*cached, region.output.name):
        ledger.drop(name)
    run_backward(region.ops, ledger, gradients, region.inputs)


def run_backward(
    ops: Sequence[Step],
    ledger: Ledger,
    gradients: dict[str, str],
    arguments: Iterable[Value] = (),
    *,
    held: bool = False,
) -> None:
    """Walk the operations backward.

    Args:
        ops: The operations that :func:`run_forward` kept.
        ledger: The same ledger.
        gradients: Name of a value -> name of its gradient in the ledger. Holds the gradient of the
            result on entry and those of the inputs afterwards.
        arguments: Tensors that are let go together with the last saved tensor.
        held: Saved tensors are let go of after the gradients of biases are summed up (``validate_outputs``
            in ``engine.cpp``); those of a second run are before, because nothing but the node holds them.
    """
    last = next((index for index, op in enumerate(ops) if not isinstance(op, Region) and op.saved), 0)
    for index in reversed(range(len(ops))):
        op = ops[index]
        if isinstance(op, Region):
            if op.output.needs_grad:
                _leave_region(op, ledger, gradients)
            continue
        if op.parts:
            _join_gradients(op, ledger, gradients)
        if op.output is None or not op.output.needs_grad:
            continue
        if op.saves and ledger.lead is None:
            ledger.lead = ledger.totals[TEMPORARIES]
        incoming = gradients.pop(op.output.name)
        made, weights = _gradients_of(op, op.output, ledger, incoming)
        ledger.mark(ledger.rounded(op.backward_scratch), op.output.size_bytes)
        if held:
            weights += _late(op, ledger)
            ledger.mark()
        for value in op.saved:
            ledger.drop(value.name)
        for value in arguments if index == last else ():
            ledger.drop(value.name)
        if not held:
            weights += _late(op, ledger)
            ledger.mark()
        ledger.drop(incoming)
        for weight, name in weights:
            convert_gradient(ledger, weight, name)
        for value, name in made:
            _accumulate(ledger, gradients, value, name)
    ledger.diary.reached = gradients


def _gradients_of(
    op: Op, output: Value, ledger: Ledger, incoming: str
) -> tuple[list[tuple[Value, str]], list[tuple[WeightGradient, str]]]:
    """Gradients of the inputs and of the parameters, in the order in which they are made.

    ``MmBackward0`` begins with its second factor, ``AddmmBackward0`` with its first.
    """
    first = op.views and not any(weight.late for weight in op.weights)
    weights: list[tuple[WeightGradient, str]] = []
    if first:
        weights = [(weight, ledger.fresh(weight.made)) for weight in op.weights]
        ledger.diary.product(op.views)
    made = _input_gradients(op, output, ledger, incoming)
    if not first:
        ledger.diary.product(op.views)
        weights = [(weight, ledger.fresh(weight.made)) for weight in op.weights if not weight.late]
    return made, weights


def _late(op: Op, ledger: Ledger) -> list[tuple[WeightGradient, str]]:
    summed: list[tuple[WeightGradient, str]] = []
    for weight in op.weights:
        if weight.late:
            summed.append((weight, ledger.fresh(weight.made)))
            ledger.mark(ledger.rounded(weight.scratch))
    return summed


def _join_gradients(op: Op, ledger: Ledger, gradients: dict[str, str]) -> None:
    """The gradient of a tensor from those of its parts."""
    base = op.inputs[0]
    found = [gradients.pop(part.name) for part in reversed(op.parts) if part.name in gradients]
    for pieces in [found] if op.joined and found else [[piece] for piece in found]:
        whole = ledger.fresh(base.size_bytes)
        ledger.mark()
        for piece in pieces:
            ledger.drop(piece)
        _accumulate(ledger, gradients, base, whole)


def _input_gradients(op: Op, output: Value, ledger: Ledger, incoming: str) -> list[tuple[Value, str]]:
    """One gradient for each input that needs one: a new tensor, or the incoming one handed on."""
    made: list[tuple[Value, str]] = []
    for value in reversed(op.inputs) if op.views else op.inputs:
        if not value.needs_grad:
            continue
        alike = op.joined or value.count == output.count
        if (op.passes or op.joined) and alike and value.dtype == output.dtype:
            ledger.hold(incoming)
            name = incoming
        else:
            name = ledger.fresh(value.size_bytes)
            if op.views:
                ledger.views.add(name)
        made.append((value, name))
    return made[::-1] if op.views else made


def convert_gradient(ledger: Ledger, weight: WeightGradient, name: str) -> None:
    """Hand a finished gradient over: it becomes the parameter's, or is added to it and freed.

    Args:
        ledger: Where it is counted.
        weight: What it is a gradient of; one that waits stays a temporary.
        name: The gradient.
    """
    if weight.converted:
        wide = ledger.fresh(weight.kept)
        ledger.mark()
        ledger.drop(name)
        name = wide
    if weight.waits:
        return
    block = ledger.live[name]
    if ledger.accumulating:
        ledger.mark()
        ledger.drop(name)
        ledger.fresh(block.requested, GRADIENTS)
    else:
        ledger.recategorize(name, GRADIENTS)


def _accumulate(ledger: Ledger, gradients: dict[str, str], value: Value, name: str) -> None:
    """Add a gradient to what has already arrived for the same tensor."""
    held = gradients.get(value.name)
    if held is None:
        gradients[value.name] = name
    elif ledger.live[held].refs == 1 and held not in ledger.views:
        ledger.drop(name)
    else:
        gradients[value.name] = ledger.fresh(value.size_bytes)
        ledger.mark()
        ledger.drop(held)
        ledger.drop(name)
