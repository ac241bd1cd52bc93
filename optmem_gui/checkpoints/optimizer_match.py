"""Which implementation of the catalogue left a state: by its names, sizes and types, and by its options.

Two witnesses are heard. The catalogue's own declarations say which tensors an implementation keeps for a
parameter; they are evaluated for the shapes that a parameter with this state can have, and compared with
what is there. ``optimizer_groups.json`` holds what every implementation writes into its parameter groups,
recorded from the libraries by ``tools/record_optimizer_groups.py``; it tells apart what keeps the same
state, such as Adam and AdamW.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from math import prod
from typing import Any

from optmem_gui.checkpoints.optimizer_found import FROM_TRAINING, Entry, Groups, Held, OptimizerMatch
from optmem_gui.core.dtypes import F32, DType
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import Role, Shape
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.optimizers.declare import Implementation, Settings, Subject
from optmem_gui.core.optimizers.options import checked
from optmem_gui.core.scenario import Options, OptionValue
from optmem_gui.paths import data_file

MAX_ENTRIES = 24
"""Kinds of entries that are compared in full; a model has fewer than that of any importance."""

MAX_SHAPES = 12
"""Shapes tried for one entry."""

_FIRST_LOOK = 3
_SHORT_LIST = 12
_ENOUGH = 0.6
"""Part of the state that must agree before an implementation is named."""

_SAME = 0.02
_Tensors = Counter[tuple[str, int, str]]
_NUMBERED = re.compile(r"_\d+\Z")
_ROLES = {True: (Role.MLP, Role.EMBEDDING), False: (Role.NORM,)}


@dataclass(frozen=True, slots=True)
class _Candidate:
    implementation: Implementation
    options: Options
    settings: Settings
    by_groups: float
    shared: frozenset[str]
    """Names that are not looked for in a parameter's own state."""


def best_match(
    entries: Sequence[Entry], groups: Groups, shapes: Sequence[Shape] = (), *, plain_steps: bool = False
) -> tuple[OptimizerMatch, dict[int, Shape]] | None:
    """The implementation that fits best, and the shape of the parameter behind each entry.

    Args:
        entries: The state, equal entries together.
        groups: The parameter groups.
        shapes: Shapes of the model's parameters, for state that does not show them.
        plain_steps: Steps are counted in Python numbers, as torch did before 1.12.

    Returns:
        The match and shapes by index of the entry; None where nothing fits.
    """
    order = sorted(range(len(entries)), key=lambda index: (-entries[index].count, index))[:MAX_ENTRIES]
    chosen = [entries[index] for index in order]
    found = [_counted(entry.tensors) for entry in chosen]
    places = [_places(entry, shapes) for entry in chosen]
    names = {name for tensors in found for name, _, _ in tensors}
    first = range(min(_FIRST_LOOK, len(chosen)))
    scored = []
    for candidate in _candidates(names, groups, old=plain_steps and "step" not in names):
        looks = [_look(candidate, places[index], found[index]) for index in first]
        scored.append((_total(looks, chosen, candidate.by_groups), candidate))
    scored.sort(key=lambda pair: -pair[0])
    results = []
    for _, candidate in scored[:_SHORT_LIST]:
        looks = [_look(candidate, place, held) for place, held in zip(places, found, strict=True)]
        results.append((_total(looks, chosen, candidate.by_groups), candidate, looks))
    results.sort(key=lambda result: -result[0])
    if not results:
        return None
    total, winner, looks = results[0]
    structure = _structure(looks, chosen)
    if structure < _ENOUGH:
        return None
    also = [other.implementation.id for score, other, _ in results[1:] if score >= total - _SAME]
    match = OptimizerMatch(winner.implementation.id, winner.options, structure == 1.0, tuple(also[:4]))
    return match, {index: look[1] for index, look in zip(order, looks, strict=True)}


def family_of(match: OptimizerMatch | None) -> str:
    """What the algorithm of an implementation belongs to; ``unknown`` without one."""
    return CATALOGUE[match.id].family if match else "unknown"


def _candidates(names: set[str], groups: Groups, *, old: bool) -> Iterator[_Candidate]:
    """Implementations that share a name with the state; without any state, those that keep none.

    An old release of torch has no tensor for the step and fewer keys in its groups than the recorded one.
    """
    for implementation in CATALOGUE.values():
        if implementation.runtime != "torch":
            continue
        own = {_bare(state.name) for state in implementation.states}
        if names and not names & own:
            continue
        options = _options(implementation, groups)
        settings = implementation.settings(options, "cuda")
        of_old = old and implementation.library == "torch"
        by_groups = _by_groups(implementation, groups, old=of_old)
        if not names and (by_groups < 1.5 or any(s.when(settings) for s in implementation.states)):
            continue
        each = {_bare(state.name) for state in implementation.states if not state.whole}
        absent = {"step"} if of_old else set()
        yield _Candidate(implementation, options, settings, by_groups, frozenset((own - each) | absent))


def _options(implementation: Implementation, groups: Groups) -> Options:
    """Options that the groups show; a value that the catalogue does not take is left at its default."""
    given: dict[str, OptionValue] = {}
    for option in implementation.options:
        value = groups.tensor_lr if option.name == "tensor_lr" else groups.values.get(option.name)
        if value is not None:
            given[option.name] = float(value) if option.kind == "float" and type(value) is int else value
    kept: Options = ()
    for _ in range(2):  # Nesterov is refused without momentum, which may come after it
        for name, value in given.items():
            with suppress(UserError):
                kept = checked(implementation, (*(pair for pair in kept if pair[0] != name), (name, value)))
    return kept


def _by_groups(implementation: Implementation, groups: Groups, *, old: bool) -> float:
    """0 to about 2.4: how much the groups look like those the implementation writes."""
    row = recorded_groups().get(implementation.id)
    if row is None or not groups.keys:
        return 0.0
    written: dict[str, Any] = row["groups"]
    keys = groups.keys - FROM_TRAINING
    both = keys & written.keys()
    score = 2.0 * len(both) / max(1, len(keys if old else keys | written.keys()))
    known = [key for key in both if key in groups.values]
    switches = [key for key in known if isinstance(written[key], bool)]
    if switches:
        score += 0.3 * sum(groups.values[key] is written[key] for key in switches) / len(switches)
    if known:
        score += 0.1 * sum(groups.values[key] == written[key] for key in known) / len(known)
    return score


@cache
def recorded_groups() -> Mapping[str, Mapping[str, Any]]:
    """What implementations write into a state dict, by id: ``groups`` with their defaults, ``states``."""
    table: Mapping[str, Mapping[str, Any]] = json.loads(
        data_file("optimizer_groups.json").read_text(encoding="utf-8")
    )
    return table


def _places(entry: Entry, shapes: Sequence[Shape]) -> list[Subject]:
    """The parameters that an entry's state could be for, likeliest first."""
    dtypes = _dtypes(entry)
    return [
        Subject(shape, dtype, role, "mlp", field="weight")
        for shape in _shapes(entry, shapes)
        for role in _ROLES[len(shape) > 1]
        for dtype in dtypes
    ]


def _look(candidate: _Candidate, places: Sequence[Subject], held: _Tensors) -> tuple[float, Shape]:
    """How much of an entry agrees, and for which shape of its parameter."""
    best, best_shape = 0.0, places[0].shape
    held = Counter({key: count for key, count in held.items() if key[0] not in candidate.shared})
    for place in places:
        subject = replace(place, settings=candidate.settings)
        try:
            score = _agreement(held, _expected(candidate, subject))
        except UserError:  # it takes no parameter of this shape
            continue
        if score > best:
            best, best_shape = score, place.shape
        if score == 1.0:
            break
    return best, best_shape


def _expected(candidate: _Candidate, subject: Subject) -> _Tensors:
    """What the implementation keeps for one parameter, where it does not keep it once for all."""
    expected: _Tensors = Counter()
    settings = subject.settings
    for state in candidate.implementation.states:
        if state.when(settings) and not state.whole and _bare(state.name) not in candidate.shared:
            each = max(1, state.count(settings, 1))
            for shape in state.shape.tensors(subject):
                expected[_bare(state.name), prod(shape), state.dtype.dtype(subject).id] += each
    return expected


def _agreement(held: _Tensors, expected: _Tensors) -> float:
    either = (held | expected).total()
    return (held & expected).total() / either if either else 1.0


def _counted(tensors: Iterable[Held]) -> _Tensors:
    return Counter((_bare(name), prod(shape), dtype.id) for name, shape, dtype in tensors)


def _bare(name: str) -> str:
    """``pre_cond_0`` -> ``pre_cond``: a number tells the tensors of one state apart."""
    return _NUMBERED.sub("", name)


def _total(looks: Sequence[tuple[float, Shape]], entries: Sequence[Entry], by_groups: float) -> float:
    return 3.0 * _structure(looks, entries) + by_groups


def _structure(looks: Sequence[tuple[float, Shape]], entries: Sequence[Entry]) -> float:
    """Agreement over all entries, each kind weighed by how often it stands."""
    pairs = list(zip(looks, entries, strict=False))
    weight = sum(entry.count for _, entry in pairs)
    return sum(look[0] * entry.count for look, entry in pairs) / weight if weight else 1.0


def _largest(entry: Entry) -> Shape:
    every = [*entry.outer, *(shape for _, shape, _ in entry.tensors)]
    return max(every, key=prod, default=())


def _dtypes(entry: Entry) -> tuple[DType, ...]:
    """Types the parameter can have: those of its largest floating states, and fp32."""
    floating = [tensor for tensor in entry.tensors if tensor[2].is_floating and tensor[2].bits >= 16]
    floating.sort(key=lambda tensor: -prod(tensor[1]))
    return tuple(dict.fromkeys([*(tensor[2] for tensor in floating[:2]), F32]))


def _shapes(entry: Entry, model: Sequence[Shape]) -> list[Shape]:
    """Shapes that a parameter with this state can have, likeliest first.

    Its largest state's; for state of rows and columns what they span; for square matrices a side each.
    """
    largest = _largest(entry)
    found = dict.fromkeys([*entry.outer, largest])
    own = [shape for _, shape, _ in entry.tensors if prod(shape) > 1]
    for first, second in combinations(own[:6], 2):
        if len(first) == len(second):
            found.setdefault(tuple(max(pair) for pair in zip(first, second, strict=True)))
            if first:
                found.setdefault((*first, second[-1]))
        if len(first) == len(second) == 2:
            found.setdefault((first[0], second[1]))
            found.setdefault((second[0], first[1]))
    if len(largest) > 1:
        found.setdefault(largest[1:])  # two moments in one tensor
    found.update(dict.fromkeys(model[:MAX_SHAPES]))
    return list(found)[: 2 * MAX_SHAPES]
