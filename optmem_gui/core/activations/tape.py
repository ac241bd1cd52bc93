"""The words a step is written down in, and the ledger that adds up what is alive.

A step is a list of :class:`Op`: what each operation makes, what it saves for backward and what its
backward makes. :mod:`optmem_gui.core.activations.walk` goes through such a list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from optmem_gui.core.blocks import SMALL_BYTES, rounded
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
        late: It is summed up after the operation itself is done (a linear layer's bias).
        scratch: Bytes alive while it is made: partial results of a sum.
    """

    made: int
    kept: int
    converted: bool = False
    waits: bool = False
    late: bool = False
    scratch: int = 0


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
        parts: Its results are parts of its one input, in the storage of that.
        joined: One node (``split``, ``chunk``) joins the gradients of all parts; else every part is a slice
            of its own, whose backward makes a tensor as large as the input. Of several inputs (``cat``):
            their gradients are views of the incoming one.
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
    parts: tuple[Value, ...] = ()
    joined: bool = False

    @property
    def saves(self) -> bool:
        """Whether it saves anything, its own weight included (only products give views)."""
        return bool(self.saved) or self.views


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


NEW_SEGMENTS = 0
"""In place of a unit: requests take blocks, and what they would leave of new segments."""

LET_GO, KEPT = 0, -1
"""In place of bytes: the block is let go, or is a parameter's gradient from here on unless there is one."""

PASSING, PRODUCT = "~", "@"
"""In place of a name: bytes that are let go at once (and their number), or a direction's first product."""


@dataclass(slots=True)
class Diary:
    """What one stage asks of the allocator beyond 1 MiB, and lets go, in order.

    Attributes:
        events: Name, and bytes or one of the marks above.
        again: Events before the end of a second run of the forward; None where all of it is run.
        forward: Events of the forward.
        closed: Events before backward starts.
        result: The forward's result; empty where it is a number.
        cached: What autocast's cache holds until its region ends.
        entry: The gradient that backward starts from; empty where it is a number's.
        reached: Gradient of each value that backward has come to, by the value's name.
        multiplied: A product was run in this direction.
    """

    events: list[tuple[str, int]] = field(default_factory=list)
    again: int | None = None
    forward: int = 0
    closed: int = 0
    result: str = ""
    cached: tuple[str, ...] = ()
    entry: str = ""
    reached: dict[str, str] = field(default_factory=dict)
    multiplied: bool = False

    def keep(self) -> None:
        """What was let go last was added to a parameter's gradient, or is it."""
        self.events[-1] = (self.events[-1][0], KEPT)

    def passing(self, size: int, each: int) -> None:
        """Bytes that are let go at once: tensors of a size that divides them, or one."""
        count = size // each if each and size % each == 0 else 1
        names = [f"{PASSING}{number}" for number in range(count)]
        self.events += [(name, size // count) for name in names]
        self.events += [(name, LET_GO) for name in names]

    def product(self, multiplies: bool) -> None:
        """A product may run: cuBLAS takes its workspace with a thread's first."""
        if multiplies and not self.multiplied:
            self.events.append((PRODUCT, LET_GO))
            self.multiplied = True

    def end_forward(self, cached: Sequence[str], result: str) -> None:
        """What is let go from here on, until backward starts, is let go later in a whole step."""
        self.forward, self.cached, self.result = len(self.events), tuple(cached), result
        self.multiplied = False


@dataclass(slots=True)
class _Block:
    requested: int
    size: int
    refs: int
    category: str
    views: list[str] | None = None


@lru_cache(maxsize=4096)
def in_block(size: int, unit: int) -> int:
    """What a request takes where every allocation is a multiple of ``unit`` bytes, or in a new segment.

    Where the unit is 512, :mod:`optmem_gui.core.ends` adds the ends of segments that stay with blocks.
    """
    return rounded(size) if unit == NEW_SEGMENTS else -(-size // unit) * unit


@dataclass(slots=True)
class Ledger:
    """What is alive, and the largest it has been.

    Attributes:
        unit: Every allocation is a multiple of this many bytes (512 on CUDA, 1 on the CPU), or
            ``NEW_SEGMENTS``.
        accumulating: Gradients exist from an earlier micro-batch: new ones are temporaries.
        live: Everything alive, by name.
        totals: Bytes alive by category.
        peak: The largest moment so far.
        views: Gradients that cannot be added into in place.
        again: Largest moment of the forward up to its last saved tensor: a recomputation stops there.
        lead: Temporaries alive when backward first asks for a saved tensor: a recomputation starts there.
        diary: What is asked of the allocator and let go, in order.
    """

    unit: int
    accumulating: bool = False
    live: dict[str, _Block] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_CATEGORIES, 0))
    peak: Point = Point()
    views: set[str] = field(default_factory=set)
    lead: int | None = None
    again: Point = Point()
    diary: Diary = field(default_factory=Diary)
    _serial: int = 0
    _alive: int = 0  # the sum of the totals: a step is marked far more often than it has a new peak
    _most: int = 0

    def rounded(self, size: int) -> int:
        """What a request takes."""
        return in_block(size, self.unit)

    def add(self, name: str, size: int, category: str, refs: int) -> None:
        """Allocate."""
        taken = size if category == GRADIENTS else self.rounded(size)
        self.live[name] = _Block(size, taken, refs, category)
        self.totals[category] += taken
        self._alive += taken
        if size > SMALL_BYTES:
            if category == GRADIENTS:
                self.diary.keep()
            else:
                self.diary.events.append((name, taken))

    def share(self, name: str, base: str, refs: int) -> None:
        """A view: another name of what lives under ``base``, with holders of its own."""
        block = self.live[base]
        block.views = [*(block.views or (base,)), name]
        block.refs += refs
        self.live[name] = block

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
            self._alive -= block.size
            names = block.views or (name,)
            for each in names:
                del self.live[each]
                self.views.discard(each)
            if block.requested > SMALL_BYTES:
                self.diary.events.append((names[0], LET_GO))

    def recategorize(self, name: str, category: str) -> None:
        """The same bytes, now counted as something else."""
        block = self.live[name]
        self.totals[block.category] -= block.size
        self._alive -= block.size
        if category == GRADIENTS:
            block.size = block.requested  # what rounding adds to gradients is counted with the layout
        self.totals[category] += block.size
        self._alive += block.size
        block.category = category

    def point(self, scratch: int = 0) -> Point:
        """What is alive now."""
        return Point(
            self.totals[ACTIVATIONS],
            self.totals[AUTOCAST],
            self.totals[GRADIENTS],
            self.totals[TEMPORARIES] + scratch,
        )

    def mark(self, scratch: int = 0, each: int = 0) -> None:
        """Remember this moment if it is the largest yet; existing gradients are no reason to.

        Args:
            scratch: Bytes that are let go at once.
            each: They are tensors of this size, where that divides them.
        """
        if scratch > SMALL_BYTES:
            self.diary.passing(scratch, self.rounded(each))
        weight = self._alive + scratch - (self.totals[GRADIENTS] if self.accumulating else 0)
        if weight > self._most:
            self._most, self.peak = weight, self.point(scratch)

    def restart(self) -> None:
        """Look for the largest moment from here on: the forward is over."""
        self._most, self.peak = 0, Point()
        self.diary.closed = len(self.diary.events)

    def reach_last_saved(self) -> None:
        """A second run of the forward ends here: nothing after it is saved."""
        self.mark()
        self.again = self.peak
        self.diary.again = len(self.diary.events)

    def incoming(self, size: int) -> str:
        """The gradient of the result, which is there before backward starts."""
        self.diary.entry = self.fresh(size)
        return self.diary.entry
