"""Rules of a user's own optimizer, as plain data that goes into a file and comes back.

A declaration in the program says its rules as functions; what was found by probing has to be saved, so it
is put together from the few kinds here: under which conditions a state exists, how many elements it has,
and which type. From there it is a declaration like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Literal

from optmem_gui.core.dtypes import DTYPES, DType
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.declare import (
    DTypeRule,
    Implementation,
    Requirement,
    ShapeRule,
    State,
    Subject,
    always,
    never,
)
from optmem_gui.core.optimizers.per_tensor import PerTensor
from optmem_gui.core.optimizers.rules import fixed
from optmem_gui.core.probing import ProbedTensor
from optmem_gui.core.scenario import Options

LIKE = "like"
"""Stands for the type of the parameter where an id of a type is expected."""

LIBRARY = "user"

What = Literal["ndim", "exactly_ndim", "numel", "smaller_side", "larger_side", "multiple_of"]
Kind = Literal[
    "none", "scalar", "constant", "full", "packed", "blocks", "axis", "rest", "square", "triangle", "low_rank"
]
Side = Literal["", "larger", "smaller", "first", "last"]

_KEYS: dict[Kind, str] = {
    "scalar": "scalar",
    "constant": "probed_constant",
    "full": "like_parameter",
    "packed": "probed_packed",
    "blocks": "probed_blocks",
    "axis": "probed_axis",
    "rest": "probed_rest",
    "square": "probed_square",
    "triangle": "probed_triangle",
    "low_rank": "probed_low_rank",
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A property of the parameter's shape: at least so much of something, or a multiple of it.

    Attributes:
        what: Axes (at least, or exactly), elements, the smaller or larger of the last two sides (0 for
            fewer than two axes), or elements as a multiple.
        value: The least that is asked for, or what is to be divided by.
    """

    what: What
    value: int

    def holds(self, shape: Shape) -> bool:
        """Whether a shape has it."""
        if self.what == "ndim":
            return len(shape) >= self.value
        if self.what == "exactly_ndim":
            return len(shape) == self.value
        if self.what == "numel":
            return prod(shape) >= self.value
        if self.what == "multiple_of":
            return prod(shape) % self.value == 0
        sides = shape[-2:] if len(shape) > 1 else (0,)
        return (min(sides) if self.what == "smaller_side" else max(sides)) >= self.value


@dataclass(frozen=True, slots=True)
class Size:
    """Elements of a state tensor.

    Attributes:
        kind: ``none``; one (``scalar``); as many as the parameter (``full``), half of that
            (``packed``), one a block; as many as one axis is long or as all others are together
            (``axis``, ``rest``), its square or the triangle of it; ``low_rank``: rank times one side.
        value: The constant, the block, the axis, or the rank.
        side: Which side a low-rank factor keeps.
    """

    kind: Kind
    value: int = 0
    side: Side = ""

    def elements(self, shape: Shape) -> int | None:
        """Elements for a parameter; None where it has no such tensor."""
        numel = prod(shape)
        plain = {"none": None, "scalar": 1, "constant": self.value, "full": numel, "packed": -(-numel // 2)}
        if self.kind in plain:
            return plain[self.kind]
        if self.kind == "blocks":
            return -(-numel // self.value)
        if self.kind == "low_rank":
            return self._low_rank(shape)
        place = self.value if self.value >= 0 else len(shape) + self.value
        if not 0 <= place < len(shape):
            return None
        side = shape[place]
        along = {
            "axis": side,
            "rest": numel // side if side else 0,
            "square": side * side,
            "triangle": side * (side + 1) // 2,
        }
        return along[self.kind]

    def _low_rank(self, shape: Shape) -> int | None:
        if len(shape) != 2:
            return None
        rank = min(self.value, *shape)
        sides = {"larger": max(shape), "smaller": min(shape), "first": shape[0], "last": shape[1]}
        return rank * sides[self.side]


@dataclass(frozen=True, slots=True)
class Case:
    """How large a state is, and of which type, where all conditions hold.

    Attributes:
        size: Elements.
        dtype: Id of the type, or :data:`LIKE` for that of the parameter.
        when: Conditions; none for all that earlier cases left over.
    """

    size: Size
    dtype: str
    when: tuple[Condition, ...] = ()

    def holds(self, shape: Shape) -> bool:
        """Whether the conditions hold."""
        return all(condition.holds(shape) for condition in self.when)


@dataclass(frozen=True, slots=True)
class ProbedState:
    """The rule of one state tensor.

    Attributes:
        name: Its key in the optimizer's state.
        cases: The first that holds counts.
        host: It stays in host memory while the parameters are on a GPU.
    """

    name: str
    cases: tuple[Case, ...]
    host: bool = False

    def case(self, shape: Shape) -> Case | None:
        """The case that counts for a parameter."""
        return next((case for case in self.cases if case.holds(shape)), None)


@dataclass(frozen=True, slots=True)
class UserOptimizer:
    """An optimizer that a user added.

    Attributes:
        id: ``user.Name``.
        path: Import path of the class.
        proven: Library and version that were probed.
        states: What it keeps.
        options: Keywords that its constructor was given; other options were not probed.
        dtypes: Ids of the types of parameters that it takes.
        trains: Conditions that a parameter must meet.
        at_construction: The state is made by the constructor.
        step_tensors: What a step takes, in tensors as large as the parameter.
        folder: Folder in which its module was found.
        tables: Tensors of a fixed size that it keeps once for all parameters.
    """

    id: str
    path: str
    proven: str
    states: tuple[ProbedState, ...]
    options: Options = ()
    dtypes: tuple[str, ...] = ("fp32", "bf16")
    trains: tuple[Condition, ...] = ()
    at_construction: bool = False
    step_tensors: float = 0.0
    folder: str = ""
    tables: tuple[ProbedTensor, ...] = ()


def implementation(entry: UserOptimizer) -> Implementation:
    """The declaration of a user's optimizer."""
    requirement = None
    if entry.trains:
        requirement = Requirement(
            lambda group: all(condition.holds(group.shape) for condition in entry.trains),
            "probe.shape_refused",
        )
    return Implementation(
        id=entry.id,
        path=entry.path,
        family=LIBRARY,
        options=(),
        states=(
            *(_declared(state, place, entry) for state in entry.states for place in _kept(state)),
            *(_table(tensor) for tensor in entry.tables),
        ),
        temporaries=PerTensor(own=entry.step_tensors),
        source=entry.proven,
        arguments=entry.options,
        proven=entry.proven,
        created="construction" if entry.at_construction else "first_step",
        requirement=requirement,
        cautions=("probe.caution",),
    )


def _kept(state: ProbedState) -> tuple[int, ...]:
    return tuple(place for place, case in enumerate(state.cases) if case.size.kind != "none")


def _declared(state: ProbedState, place: int, entry: UserOptimizer) -> State:
    case = state.cases[place]

    def shape(subject: Subject) -> Shape | None:
        if state.case(subject.shape) is not case:
            return None
        elements = case.size.elements(subject.shape)
        return None if elements is None else (elements,)

    one = case.size.kind == "scalar"
    key = _KEYS[case.size.kind] if not state.host or one else "full"
    whole = case.size.kind == "full" and len(state.cases) == 1
    rule = ShapeRule(key, shape, full_size=whole)
    return State(state.name, rule, _dtype(case, entry), host=always if state.host else never)


def _table(tensor: ProbedTensor) -> State:
    rule = ShapeRule("probed_constant", lambda _subject: tensor.shape)
    return State(tensor.name, rule, fixed(DTYPES[tensor.dtype]), whole=True)


def _dtype(case: Case, entry: UserOptimizer) -> DTypeRule:
    given = None if case.dtype == LIKE else fixed(DTYPES[case.dtype])

    def dtype(subject: Subject) -> DType:
        # Types of half the width that were not tried behave as bf16 does, or the class refuses them itself.
        if subject.dtype.id not in entry.dtypes and not (subject.dtype.bits == 16 and "bf16" in entry.dtypes):
            known = ", ".join(entry.dtypes)
            raise UserError("probe.dtype_refused", optimizer=entry.id, dtype=subject.dtype.id, known=known)
        return subject.dtype if given is None else given.dtype(subject)

    return DTypeRule("like_parameter" if given is None else "fixed", dtype)
