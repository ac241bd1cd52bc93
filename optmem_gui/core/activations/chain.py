"""A whole network written down, stage after stage, and the walk through it.

Layers of one stack are alike but for the first, which may make what all of them read, and the last, whose
result goes elsewhere. So three of them are written down; what the others add is what the middle one does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from optmem_gui.core.activations.tape import (
    ACTIVATIONS,
    AUTOCAST,
    GRADIENTS,
    LET_GO,
    TEMPORARIES,
    Ledger,
    Op,
    Point,
    Value,
    WeightGradient,
)
from optmem_gui.core.activations.walk import convert_gradient, run_backward, run_forward
from optmem_gui.core.blocks import SMALL_BYTES

_NOTHING = Point()

DRAWN_LAYERS = 3
"""Layers of a stack that are written down: the first, one of the middle, the last."""


@dataclass(frozen=True, slots=True)
class ChainStage:
    """Operations between two points at which the calling code has let go of everything else.

    Attributes:
        label: ``embedding``, ``layer`` or ``loss``.
        ops: The operations, in order.
        inputs: What it reads of earlier stages.
        outputs: What later stages read; the first is its result.
        stack: Stack that it is a layer of, -1 for none.
        recomputed: It is run without saving and once more in backward.
    """

    label: str
    ops: tuple[Op, ...]
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    stack: int = -1
    recomputed: bool = False


def chain_stage(
    label: str, ops: Iterable[Op], *outputs: Value, stack: int = -1, recomputed: bool = False
) -> ChainStage:
    """A stage whose inputs are what its operations read and do not make."""
    listed = tuple(ops)
    made: set[str] = set()
    inputs: dict[str, Value] = {}
    for op in listed:
        inputs |= {value.name: value for value in op.inputs if value.name not in made}
        made |= {value.name for value in _made(op)}
    return ChainStage(label, listed, tuple(inputs.values()), outputs, stack, recomputed)


@dataclass(frozen=True, slots=True)
class Shared:
    """A parameter that several operations use: its gradients add up before it gets the sum.

    Attributes:
        value: What stands for it among the inputs of operations.
        gradient: The gradient it gets.
    """

    value: Value
    gradient: WeightGradient


@dataclass(frozen=True, slots=True)
class Chain:
    """A network's step.

    Attributes:
        given: The batch, which the training loop holds through the step.
        stages: What runs, in order; the last one's result is the loss.
        stacks: Layers that each stack really has.
        shared: Parameters with more than one use.
    """

    given: tuple[Value, ...]
    stages: tuple[ChainStage, ...]
    stacks: tuple[int, ...]
    shared: tuple[Shared, ...] = ()

    def middle(self, stack: int) -> int | None:
        """The stage that stands for all layers of a stack but its ends; None where there are no more."""
        places = [index for index, stage in enumerate(self.stages) if stage.stack == stack]
        return places[1] if self.stacks[stack] > DRAWN_LAYERS else None


@dataclass(frozen=True, slots=True)
class More:
    """What one more layer of a stack adds.

    Attributes:
        forward: Behind it, while forward runs on.
        kept: From the end of forward to its backward.
        gradients: Parameter gradients that it leaves, bytes.
    """

    forward: Point = _NOTHING
    kept: Point = _NOTHING
    gradients: int = 0


@dataclass(frozen=True, slots=True)
class Walked:
    """What the walk through the stages that are written down found.

    Attributes:
        forward: Largest moment of each stage's forward.
        backward: Largest moment of each stage's backward; None where none runs.
        saved: Bytes at the end of forward.
        end: Bytes after backward.
        more: What one more layer adds, stack by stack.
        items: What is saved at the end of forward: stage, label, bytes, tensors; the batch at stage -1.
    """

    forward: tuple[Point, ...]
    backward: tuple[Point | None, ...]
    saved: Point
    end: Point
    more: tuple[More, ...]
    items: tuple[tuple[int, str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Requested:
    """What a walk asks of the allocator beyond 1 MiB, and lets go, as :class:`~.tape.Diary` writes it down.

    Attributes:
        forward: In order.
        backward: In order.
        gradients: Parameters' gradients that are there after it, and were not before.
    """

    forward: tuple[tuple[str, int], ...]
    backward: tuple[tuple[str, int], ...]
    gradients: tuple[str, ...]


class Walk:
    """One way forward and back.

    Args:
        chain: The step.
        unit: Allocation granularity, bytes.
        accumulating: Gradients exist from an earlier micro-batch.
    """

    def __init__(self, chain: Chain, unit: int, *, accumulating: bool) -> None:
        self._chain, self._ledger = chain, Ledger(unit, accumulating)
        held = {value.name for value in (*chain.given, *(shared.value for shared in chain.shared))}
        self._last_reader = {
            value.name: index
            for index, stage in enumerate(chain.stages)
            for value in stage.inputs
            if value.name not in held
        }
        self._made_in, self._labels = _places(chain)
        self._turn = 0

    def run(self) -> Walked:
        """Walk all of it."""
        chain, ledger = self._chain, self._ledger
        for value in chain.given:
            ledger.add(value.name, value.size_bytes, ACTIVATIONS, 1)
        for shared in chain.shared:
            ledger.add(shared.value.name, 0, ACTIVATIONS, 1)  # it is counted with the weights
        forward, after = self._forward()
        saved, items = ledger.point(), tuple(self._items())
        middles = [chain.middle(stack) for stack in range(len(chain.stacks))]
        kept = [Point() if middle is None else self._kept(middle) for middle in middles]
        backward, gradients = self._backward()
        more = tuple(
            More() if middle is None else More(_beyond(after, middle), held, gradients[middle])
            for middle, held in zip(middles, kept, strict=True)
        )
        return Walked(tuple(forward), tuple(backward), saved, ledger.point(), more, items)

    def requested(self) -> Requested:
        """What :meth:`run` asked of the allocator."""
        events, ledger = self._ledger.diary.events, self._ledger
        made = tuple(
            name
            for name, block in ledger.live.items()
            if block.category == GRADIENTS and block.requested > SMALL_BYTES and not ledger.accumulating
        )
        return Requested(tuple(events[: self._turn]), tuple(events[self._turn :]), made)

    def _forward(self) -> tuple[list[Point], list[Point]]:
        """Largest moments, and what is alive behind each stage."""
        ledger = self._ledger
        peaks: list[Point] = []
        after: list[Point] = []
        cached: list[str] = []
        for index, stage in enumerate(self._chain.stages):
            ledger.restart()
            cached += self._run(stage, keep=not stage.recomputed)
            if stage.recomputed and stage.outputs[0].needs_grad:
                for value in stage.inputs:
                    ledger.hold(value.name)
            peaks.append(ledger.peak)
            for value in stage.inputs:
                if self._last_reader.get(value.name) == index:
                    ledger.drop(value.name)
            after.append(ledger.point())
        for name in cached:  # autocast's region ends
            ledger.drop(name)
        self._turn, ledger.diary.multiplied = len(ledger.diary.events), False
        return peaks, after

    def _run(self, stage: ChainStage, *, keep: bool) -> list[str]:
        result, *others = stage.outputs
        return run_forward(stage.ops, self._ledger, stage.inputs, result, keep=keep, others=others)

    def _backward(self) -> tuple[list[Point | None], list[int]]:
        """Largest moments, and the parameter gradients that each stage leaves."""
        ledger, stages = self._ledger, self._chain.stages
        peaks: list[Point | None] = [None] * len(stages)
        left = [0] * len(stages)
        loss = stages[-1].outputs[0]
        gradients = {loss.name: ledger.fresh(loss.size_bytes)} if loss.needs_grad else {}
        for index in reversed(range(len(stages))):
            if not any(value.name in gradients for value in stages[index].outputs):
                continue
            before = ledger.totals[GRADIENTS]
            peaks[index] = self._back_through(stages[index], gradients)
            for shared in self._chain.shared:
                self._hand_over(shared, index, gradients)
            left[index] = ledger.totals[GRADIENTS] - before
        return peaks, left

    def _back_through(self, stage: ChainStage, gradients: dict[str, str]) -> Point:
        ledger = self._ledger
        if not stage.recomputed:
            ledger.restart()
            run_backward(stage.ops, ledger, gradients, held=True)
            return ledger.peak
        before = ledger.totals[TEMPORARIES]
        ledger.restart()
        ledger.diary.again = None
        for name in (*self._run(stage, keep=True), *(value.name for value in stage.outputs)):
            ledger.drop(name)
        self._stop_early()
        again, ledger.lead = ledger.again, None
        ledger.restart()
        run_backward(stage.ops, ledger, gradients, stage.inputs)
        # it is run again when backward first asks for a saved tensor: what comes before needs none
        again += Point(temporaries=(ledger.lead or before) - before)
        return max((again, ledger.peak), key=lambda point: point.total)

    def _stop_early(self) -> None:
        """A second run ends with what is saved last: nothing is asked for after it."""
        diary = self._ledger.diary
        if diary.again is None:
            return
        never = {name for name, size in diary.events[diary.again :] if size != LET_GO}
        left = [event for event in diary.events[diary.again :] if event[0] not in never]
        diary.events[diary.again :] = left

    def _hand_over(self, shared: Shared, index: int, gradients: dict[str, str]) -> None:
        """Give a shared parameter its gradient after the backward of the first stage that uses it."""
        name = shared.value.name
        first = next(i for i, s in enumerate(self._chain.stages) if any(v.name == name for v in s.inputs))
        if first == index and name in gradients:
            convert_gradient(self._ledger, shared.gradient, gradients.pop(name))

    def _kept(self, stage: int) -> Point:
        """What a stage made and is still alive."""
        sizes = {ACTIVATIONS: 0, AUTOCAST: 0}
        for name, size, category in self._alive():
            if self._made_in.get(name) == stage:
                sizes[category] += size
        return Point(activations=sizes[ACTIVATIONS], autocast_copies=sizes[AUTOCAST])

    def _items(self) -> Iterator[tuple[int, str, int, int]]:
        for name, size, category in self._alive():
            label = "weight_copy" if category == AUTOCAST else self._labels[name]
            yield self._made_in.get(name, -1), label, size, 1

    def _alive(self) -> Iterator[tuple[str, int, str]]:
        """Name, bytes and category of every block; of one with views, the name of the whole."""
        seen: set[int] = set()
        for name, block in self._ledger.live.items():
            if block.size and id(block) not in seen:
                seen.add(id(block))
                yield name, block.size, block.category


def _beyond(after: Sequence[Point], middle: int) -> Point:
    """What is alive behind a stage less what was before it."""
    return after[middle] + after[middle - 1] * -1


def _made(op: Op) -> tuple[Value, ...]:
    return (*op.extras, *op.parts, *(() if op.output is None else (op.output,)))


def _places(chain: Chain) -> tuple[dict[str, int], dict[str, str]]:
    """The stage that makes each tensor, and what each is."""
    made_in: dict[str, int] = {}
    labels = {value.name: "batch" for value in chain.given}
    for index, stage in enumerate(chain.stages):
        inputs = {value.name for value in stage.inputs}
        for op in stage.ops:
            for value in _made(op):
                made_in[value.name] = index
                labels[value.name] = value.label
            if stage.recomputed:
                labels |= {name: "checkpoint" for name in inputs if labels.get(name) != "batch"}
    return made_in, labels
