"""What autograd keeps and frees, as a small ledger: the arithmetic behind every activation figure.

A step is written down as a list of :class:`Op`: what each operation makes, what it saves for backward
and what its backward makes. :func:`run_forward` and :func:`run_backward` walk that list and add up what
is alive. Rules of the walk, with their sources in PyTorch:

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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from optmem_gui.core.dtypes import DType

ACTIVATIONS = "activations"
AUTOCAST = "autocast_copies"
GRADIENTS = "gradients"
TEMPORARIES = "temporaries"
_CATEGORIES = (ACTIVATIONS, AUTOCAST, GRADIENTS, TEMPORARIES)


@dataclass(frozen=True, slots=True)
class Value:
    """One tensor of the step.

    Attributes:
        name: Unique inside its list of operations.
        count: Elements.
        dtype: Their type.
        needs_grad: Whether backward computes a gradient for it.
        label: What it is, for the itemised list.
        autocast: It is a 16-bit copy of a weight that autocast made.
    """

    name: str
    count: int
    dtype: DType
    needs_grad: bool = False
    label: str = "other"
    autocast: bool = False

    @property
    def size_bytes(self) -> int:
        """Requested bytes."""
        return self.dtype.bytes_for(self.count)


@dataclass(frozen=True, slots=True)
class WeightGradient:
    """The gradient of one parameter.

    Attributes:
        made: Bytes in which the operation produces it.
        kept: Bytes in which it stays until the step.
        converted: It is made in one type and kept in another, so both exist for a moment.
        waits: The parameter is used twice (a tied head): this part waits for the other.
    """

    made: int
    kept: int
    converted: bool = False
    waits: bool = False


@dataclass(frozen=True, slots=True)
class Op:
    """One operation.

    Attributes:
        inputs: Tensors it reads.
        output: Tensor it makes; None only marks that the inputs are still held here.
        saved: Tensors kept for its backward: inputs, the output or extras.
        extras: Further tensors it makes; those not saved are freed at once.
        cached: Extras that live until autocast's region ends.
        scratch: Bytes alive only inside the operation.
        backward_scratch: Bytes alive only inside its backward.
        passes: Backward hands the incoming gradient on instead of making a new one.
        views: Backward's results are views (a transposed or reshaped product), which autograd does not add
            into in place.
        weights: Gradients of its parameters.
    """

    inputs: tuple[Value, ...]
    output: Value | None
    saved: tuple[Value, ...] = ()
    extras: tuple[Value, ...] = ()
    cached: tuple[Value, ...] = ()
    scratch: int = 0
    backward_scratch: int = 0
    passes: bool = False
    views: bool = False
    weights: tuple[WeightGradient, ...] = ()


@dataclass(frozen=True, slots=True)
class Region:
    """Operations that are run without saving and once more in backward (``torch.utils.checkpoint``).

    Attributes:
        ops: The operations.
        inputs: Arguments, held until the second run.
        output: Their result.
    """

    ops: tuple[Op, ...]
    inputs: tuple[Value, ...]
    output: Value


Step = Op | Region


@dataclass(frozen=True, slots=True)
class Point:
    """Bytes alive at one moment, by category."""

    activations: int = 0
    autocast_copies: int = 0
    gradients: int = 0
    temporaries: int = 0

    def __add__(self, other: Point) -> Point:
        return Point(
            self.activations + other.activations,
            self.autocast_copies + other.autocast_copies,
            self.gradients + other.gradients,
            self.temporaries + other.temporaries,
        )

    def __mul__(self, times: int) -> Point:
        return Point(
            self.activations * times,
            self.autocast_copies * times,
            self.gradients * times,
            self.temporaries * times,
        )

    @property
    def total(self) -> int:
        """Bytes of all categories."""
        return self.activations + self.autocast_copies + self.gradients + self.temporaries


@dataclass(slots=True)
class _Block:
    size: int
    refs: int
    category: str


@dataclass(slots=True)
class Ledger:
    """What is alive, and the largest it has been.

    Attributes:
        unit: Every allocation is a multiple of this many bytes (512 on CUDA, 1 on the CPU).
        accumulating: Gradients exist from an earlier micro-batch: new ones are temporaries.
        live: Everything alive, by name.
        totals: Bytes alive by category.
        peak: The largest moment so far.
        views: Gradients that cannot be added into in place.
    """

    unit: int
    accumulating: bool = False
    live: dict[str, _Block] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_CATEGORIES, 0))
    peak: Point = Point()
    views: set[str] = field(default_factory=set)
    _serial: int = 0

    def rounded(self, size: int) -> int:
        """What a request takes."""
        return -(-size // self.unit) * self.unit

    def add(self, name: str, size: int, category: str, refs: int) -> None:
        """Allocate."""
        taken = self.rounded(size)
        self.live[name] = _Block(taken, refs, category)
        self.totals[category] += taken

    def fresh(self, size: int, category: str = TEMPORARIES) -> str:
        """Allocate under a name nobody else has, held once."""
        self._serial += 1
        name = f"#{self._serial}"
        self.add(name, size, category, 1)
        return name

    def hold(self, name: str) -> None:
        """One more holder."""
        self.live[name].refs += 1

    def drop(self, name: str) -> None:
        """One holder fewer; the last one frees."""
        block = self.live[name]
        block.refs -= 1
        if block.refs <= 0:
            self.totals[block.category] -= block.size
            del self.live[name]
            self.views.discard(name)

    def recategorize(self, name: str, category: str) -> None:
        """The same bytes, now counted as something else."""
        block = self.live[name]
        self.totals[block.category] -= block.size
        self.totals[category] += block.size
        block.category = category

    def point(self, scratch: int = 0) -> Point:
        """What is alive now."""
        return Point(
            self.totals[ACTIVATIONS],
            self.totals[AUTOCAST],
            self.totals[GRADIENTS],
            self.totals[TEMPORARIES] + scratch,
        )

    def mark(self, scratch: int = 0) -> None:
        """Remember this moment if it is the largest yet; existing gradients are no reason to."""
        now = self.point(scratch)
        if self._weight(now) > self._weight(self.peak):
            self.peak = now

    def _weight(self, point: Point) -> int:
        return point.total - (point.gradients if self.accumulating else 0)


def run_forward(
    ops: Sequence[Step], ledger: Ledger, inputs: Iterable[Value], result: Value, *, keep: bool
) -> list[str]:
    """Walk the operations forward.

    Args:
        ops: The operations, in order.
        ledger: Where to count.
        inputs: Tensors that exist before; those not alive yet are counted from here on.
        result: Tensor that outlives the list.
        keep: Save for backward; False inside a checkpointed region.

    Returns:
        Names of autocast's weight copies, still held by its cache: drop them where the region ends.
    """
    uses = Counter(value.name for op in ops for value in op.inputs)
    uses[result.name] += 1
    for value in inputs:
        if value.name not in ledger.live:
            ledger.add(value.name, value.size_bytes, ACTIVATIONS, 0)
        ledger.live[value.name].refs += uses[value.name]
    cached: list[str] = []
    for op in ops:
        if isinstance(op, Region):
            cached += _enter_region(op, ledger, uses[op.output.name], keep=keep)
            continue
        if op.output is not None:
            ledger.add(op.output.name, op.output.size_bytes, _category(op.output), uses[op.output.name])
        for extra in op.extras:
            ledger.add(extra.name, extra.size_bytes, _category(extra), 1)
        ledger.mark(ledger.rounded(op.scratch))
        for value in op.saved if keep else ():
            ledger.hold(value.name)
            if ledger.live[value.name].category == TEMPORARIES:
                ledger.recategorize(value.name, ACTIVATIONS)
        for value in op.cached:
            ledger.hold(value.name)
            cached.append(value.name)
        for value in (*op.extras, *op.inputs):
            ledger.drop(value.name)
    if ledger.live[result.name].category == TEMPORARIES:
        ledger.recategorize(result.name, ACTIVATIONS)
    ledger.mark()
    return cached


def _category(value: Value) -> str:
    return AUTOCAST if value.autocast else TEMPORARIES


def _enter_region(region: Region, ledger: Ledger, uses: int, *, keep: bool) -> list[str]:
    cached = run_forward(region.ops, ledger, region.inputs, region.output, keep=False)
    ledger.live[region.output.name].refs = uses
    for value in region.inputs:
        if keep and region.output.needs_grad:
            ledger.hold(value.name)
            if ledger.live[value.name].category == TEMPORARIES:
                ledger.recategorize(value.name, ACTIVATIONS)
        ledger.drop(value.name)
    return cached


def _leave_region(region: Region, ledger: Ledger, gradients: dict[str, str]) -> None:
    """Run the region again, this time saving, then backward through it."""
    cached = run_forward(region.ops, ledger, region.inputs, region.output, keep=True)
    for name in (*cached, region.output.name):
        ledger.drop(name)
    run_backward(region.ops, ledger, gradients)
    for value in region.inputs:
        ledger.drop(value.name)


def run_backward(ops: Sequence[Step], ledger: Ledger, gradients: dict[str, str]) -> None:
    """Walk the operations backward.

    Args:
        ops: The operations that :func:`run_forward` kept.
        ledger: The same ledger.
        gradients: Name of a value -> name of its gradient in the ledger. Holds the gradient of the
            result on entry and those of the inputs afterwards.
    """
    for op in reversed(ops):
        if isinstance(op, Region):
            if op.output.needs_grad:
                _leave_region(op, ledger, gradients)
            continue
        if op.output is None or not op.output.needs_grad:
            continue
        incoming = gradients.pop(op.output.name)
        made: list[tuple[Value, str]] = []
        for value in op.inputs:
            if not value.needs_grad:
                continue
            if op.passes and value.dtype == op.output.dtype:
                ledger.hold(incoming)
                made.append((value, incoming))
            else:
                name = ledger.fresh(value.size_bytes)
                made.append((value, name))
                if op.views:
                    ledger.views.add(name)
        weights = [(weight, ledger.fresh(weight.made, TEMPORARIES)) for weight in op.weights]
        ledger.mark(ledger.rounded(op.backward_scratch))
        for value in op.saved:
            ledger.drop(value.name)
        ledger.drop(incoming)
        for weight, name in weights:
            convert_gradient(ledger, weight, name)
        for value, name in made:
            _accumulate(ledger, gradients, value, name)


def convert_gradient(ledger: Ledger, weight: WeightGradient, name: str) -> None:
    """Hand a parameter's gradient over to the step, in the type it stays in."""
    if weight.converted:
        wide = ledger.fresh(weight.kept)
        ledger.mark()
        ledger.drop(name)
        name = wide
    keep_gradient(ledger, name, waits=weight.waits)


def keep_gradient(ledger: Ledger, name: str, *, waits: bool) -> None:
    """A finished gradient becomes the parameter's, or is added to it and freed.

    Args:
        ledger: Where it is counted.
        name: The gradient.
        waits: The parameter is used a second time, so autograd holds this part until the other comes.
    """
    if waits:
        return
    block = ledger.live[name]
    if ledger.accumulating:
        ledger.mark()
        ledger.drop(name)
        ledger.fresh(block.size, GRADIENTS)
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
