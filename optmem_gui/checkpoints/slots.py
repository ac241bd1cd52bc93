"""Optimizer state that is stored variable by variable, as Keras, TensorFlow and Optax do it.

Such files name the optimizer's class or its states, or neither. The catalogue's declarations say which
tensors an implementation keeps for the model's parameters; those that give exactly what is there fit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

from optmem_gui.checkpoints.contents import Row
from optmem_gui.checkpoints.optimizer_found import OptimizerInFile, OptimizerMatch, StateInFile
from optmem_gui.core.dtypes import DType
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import Role, Shape
from optmem_gui.core.optimizers.declare import Implementation, Subject
from optmem_gui.core.scenario import Options, OptionValue

_KINDS = {
    "adamw": "adam",
    "adamweightdecay": "adam",
    "sgd": "sgd-momentum",
    "momentum": "sgd-momentum",
    "schedulefreeadamw": "schedule-free",
}
"""Kinds of optimizers whose class is called otherwise."""

_SWITCHES: dict[str, OptionValue] = {
    "amsgrad": True,
    "momentum": 0.9,
    "centered": True,
    "use_ema": True,
    "gradient_accumulation_steps": 2,
}
"""Options that add a state, each with a value that does."""

_Held = Counter[tuple[int, str]]
_States = dict[tuple[int, str], dict[str, int]]
"""How many tensors of each state there are, by elements and type."""


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable of an optimizer.

    Attributes:
        state: The state it is part of, as far as its name tells.
        shape: Its shape.
        dtype: Its type.
    """

    state: str
    shape: Shape
    dtype: DType


def describe(
    variables: Sequence[Variable], said: str, libraries: Sequence[str], trained: Sequence[Row]
) -> OptimizerInFile | None:
    """What the variables of an optimizer are together; None where there are none.

    Args:
        variables: All of them, counters and settings included: those are single numbers.
        said: Class of the optimizer as far as the file names it, such as ``Custom>AdamW``.
        libraries: Libraries of the catalogue that can have written it, likeliest first.
        trained: The parameters that get a gradient.
    """
    if not variables:
        return None
    tensors = [item for item in variables if item.shape]
    numbers = [item for item in variables if not item.shape]
    held, named = _held(tensors), class_of(said)
    names = {item.state for item in tensors if item.state}
    match, states = _match(held, named, names, libraries, trained)
    for shown in _shown_by(tensors) if tensors and not (match and match.exact) else ():
        other = _match(held, named, names, libraries, shown)
        if other[0] is not None and other[0].exact and _are_among(shown, trained):
            (match, states), trained = other, shown
            break
    rows = _rows(_renamed(tensors, states))
    dtypes: Counter[str] = Counter()
    for row in rows:
        dtypes[row.dtype] += row.element_count
    kind = named or (match.id.rpartition(".")[2].lower() if match is not None else "unknown")
    if not tensors:
        param_count, kind = 0, "sgd" if kind in ("sgd", "unknown") else kind
    else:
        kind = _KINDS.get(kind, kind)
        largest = max(_totals(rows).values())
        param_count = sum(prod(shape) for _, shape, _ in trained) if match and match.exact else largest
    return OptimizerInFile(
        kind,
        tuple(dict.fromkeys(row.name for row in rows)),
        sum(row.element_count for row in rows),
        sum(row.bytes for row in rows),
        dict(dtypes),
        len(numbers),
        sum(item.dtype.bytes_for(1) for item in numbers),
        param_count,
        rows,
        entry_count=len(trained) if tensors else 0,
        match=match,
    )


def class_of(said: str) -> str:
    """An optimizer's class as a key: ``Custom>AdamW`` and ``adam_w`` are ``adamw``."""
    return said.rpartition(">")[2].rpartition(".")[2].replace("_", "").lower()


def _totals(rows: Iterable[StateInFile]) -> dict[str, int]:
    totals: Counter[str] = Counter()
    for row in rows:
        totals[row.name] += row.element_count
    return dict(totals)


def _held(tensors: Iterable[Variable]) -> _Held:
    """Sizes and types of what is there; what has one element can be a placeholder or a setting."""
    return Counter((prod(item.shape), item.dtype.id) for item in tensors if prod(item.shape) > 1)


def _match(
    held: _Held, named: str, names: Collection[str], libraries: Sequence[str], trained: Sequence[Row]
) -> tuple[OptimizerMatch | None, _States]:
    """The implementation that keeps exactly this, else the one that is named; and its states by size."""
    exact: list[tuple[Implementation, Options, _States]] = []
    candidates = [item for item in _candidates(named, libraries) if named or _has(item, names)]
    for implementation in candidates if held else []:
        for options in _options(implementation):
            expected = _expected(implementation, options, trained)
            if {key: sum(names.values()) for key, names in expected.items()} == held:
                exact.append((implementation, options, expected))
                break
    if exact:
        exact.sort(key=lambda found: len(found[1]))  # the plainest first
        implementation, options, states = exact[0]
        also = tuple(other.id for other, _, _ in exact[1:5])
        return OptimizerMatch(implementation.id, options, True, also), states
    if named and candidates:
        return OptimizerMatch(
            candidates[0].id, (), not held and not _expected(candidates[0], (), trained)
        ), {}
    return None, {}


def _has(implementation: Implementation, names: Collection[str]) -> bool:
    """Whether an implementation has states of all these names."""
    return {state.name for state in implementation.states}.issuperset(names)


def _are_among(shown: Sequence[Row], trained: Sequence[Row]) -> bool:
    """Whether the model has all these parameters."""
    return Counter(row[1] for row in shown) <= Counter(row[1] for row in trained)


def _shown_by(tensors: Sequence[Variable]) -> Iterator[list[Row]]:
    """Parameters that the state itself shows, if each has one, two, three or four tensors like it."""
    shapes = Counter((item.shape, item.dtype) for item in tensors)
    for each in range(1, 5):
        if all(count % each == 0 for count in shapes.values()):
            yield [
                ("", shape, dtype) for (shape, dtype), count in shapes.items() for _ in range(count // each)
            ]


def _candidates(named: str, libraries: Sequence[str]) -> Iterator[Implementation]:
    from optmem_gui.core.optimizers.catalogue import CATALOGUE  # noqa: PLC0415  # only a file with an optimizer needs all of it

    for library in libraries:
        for implementation in CATALOGUE.values():
            owner, _, name = implementation.id.partition(".")
            if owner == library and (not named or name.replace("_", "").lower() == named):
                yield implementation


def _options(implementation: Implementation) -> Iterator[Options]:
    """No options, and those that add a state, alone and in pairs."""
    own = [option.name for option in implementation.options if option.name in _SWITCHES]
    for count in range(3):
        for names in combinations(own, count):
            yield tuple((name, _SWITCHES[name]) for name in names)


def _expected(implementation: Implementation, options: Options, trained: Sequence[Row]) -> _States:
    """What the implementation keeps for all these parameters."""
    found: _States = {}
    try:
        settings = implementation.settings(options, "cuda")
    except UserError:
        return found
    states = [state for state in implementation.states if not state.whole and state.when(settings)]
    kinds = Counter((shape, dtype, "embed" in name) for name, shape, dtype in trained)
    for (shape, dtype, is_embedding), count in kinds.items():
        role = Role.EMBEDDING if is_embedding else Role.MLP
        subject = Subject(shape, dtype, role, "mlp", settings, "weight")
        for state in states:
            for tensor in state.shape.tensors(subject):
                if prod(tensor) > 1:
                    key = prod(tensor), state.dtype.dtype(subject).id
                    names = found.setdefault(key, {})
                    names[state.name] = names.get(state.name, 0) + count
    return found


def _renamed(tensors: Iterable[Variable], states: _States) -> Iterator[Variable]:
    """Give variables without a name the names of the states that have their size."""
    left = {key: dict(names) for key, names in states.items()}
    for item in tensors:
        names = left.get((prod(item.shape), item.dtype.id), {})
        name = item.state or next(iter(names), "slot")
        if not item.state and names:
            names[name] -= 1
            if not names[name]:
                del names[name]
        yield Variable(name, item.shape, item.dtype)


def _rows(tensors: Iterable[Variable]) -> tuple[StateInFile, ...]:
    rows: dict[tuple[str, str], list[int]] = {}
    for item in tensors:
        row = rows.setdefault((item.state, item.dtype.id), [0, 0, 0])
        count = prod(item.shape)
        row[0] += 1
        row[1] += count
        row[2] += item.dtype.bytes_for(count)
    return tuple(StateInFile(name, dtype, *row) for (name, dtype), row in rows.items())
