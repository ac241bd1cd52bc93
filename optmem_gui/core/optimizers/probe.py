"""From what a probe saw to the rules of an optimizer, checked on shapes they were not made from.

For each state tensor the simplest rule is looked for that explains every shape of one set: one size for all
shapes, or two sizes told apart by one or two conditions on the shape. The rule then has to predict the
second set, which it has never seen, element for element and type for type. A state that no rule explains,
or whose rule fails there, is named; nothing is guessed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

from optmem_gui.core.dtypes import DTYPES
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.probed_rules import (
    LIBRARY,
    LIKE,
    Case,
    Condition,
    ProbedState,
    Size,
    UserOptimizer,
)
from optmem_gui.core.optimizers.sizes_seen import sizes_for
from optmem_gui.core.probing import ProbedParameter, ProbedTensor, ProbeReport, ProbeRequest
from optmem_gui.core.reasons import Reason, Value
from optmem_gui.core.scenario import Options, OptionValue

_THRESHOLDS = (256, 1024, 2048, 4096, 16384, 65536)
"""Elements at which libraries begin to quantize, page or factor; each is tried from both sides."""

_SIDES = (16, 32, 64, 128, 256)
"""Sides at which libraries begin to factor or to project."""

_LONGEST_SIDES = (1024, 2048, 4096, 8192, 10_000)
"""Sides beyond which libraries give up square preconditioners."""

_BLOCKS = (64, 128, 256, 2048)

_FEWEST = 2
"""Shapes that each of two sizes must be seen on."""

FITTED: tuple[Shape, ...] = (
    (1,),
    (3,),
    (40,),
    (24, 56),
    (56, 24),
    (1, 80),
    (80, 1),
    (48, 48),
    (160, 288),
    (288, 160),
    (4, 6, 10),
    (5, 3, 7, 2),
    (12, 8, 3, 3),
    *((elements - 1,) for elements in _THRESHOLDS),
    *((elements,) for elements in _THRESHOLDS),
    *((4, elements // 4) for elements in _THRESHOLDS[:4]),
    *((side - 1, side + 37) for side in _SIDES),
    *((side, side + 37) for side in _SIDES),
    *((side - 1, 3) for side in _LONGEST_SIDES),
    *((side, 3) for side in _LONGEST_SIDES),
    (100, 41),
    (4100,),
)
"""Shapes that rules are made from: every number of axes, and both sides of every usual threshold."""

HELD_OUT: tuple[Shape, ...] = (
    (17,),
    (513,),
    (5000,),
    (20_480,),
    (70_001,),
    (30, 44),
    (44, 30),
    (72, 120),
    (136, 152),
    (320, 200),
    (1500, 6),
    (9000, 2),
    (3, 5, 9),
    (6, 4, 3, 5),
    (16, 8, 5, 5),
)
"""Shapes that rules are checked on."""


@dataclass(frozen=True, slots=True)
class Inference:
    """What could be made of a report.

    Attributes:
        entry: The optimizer as an entry of the catalogue; None where something is not explained.
        states: The rules that were found.
        problems: What could not be explained, and why there is no entry.
    """

    entry: UserOptimizer | None
    states: tuple[ProbedState, ...]
    problems: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class _Seen:
    """One state of one parameter: its elements and type, None and empty where it has none."""

    shape: Shape
    parameter: str
    elements: int | None
    dtype: str


def probe_request(path: str, options: Options, folder: str = "") -> ProbeRequest:
    """What to ask the worker for.

    Args:
        path: ``package.module:Class`` or the same with a dot.
        options: Keywords of the constructor.
        folder: Folder in which the module is looked for first.

    Raises:
        UserError: It is no import path of a class.
    """
    dotted = path.strip().replace(":", ".")
    parts = dotted.split(".")
    if len(parts) < 2 or not all(part.isidentifier() for part in parts):
        raise UserError("probe.path", given=path.strip() or "''")
    return ProbeRequest(dotted, FITTED + HELD_OUT, options, folder)


def probe_options(text: str) -> Options:
    """Read keywords of a constructor as they are typed, ``lr=0.001 rank=8 fused=true``.

    Raises:
        UserError: A word is not ``name=value``.
    """
    found: dict[str, OptionValue] = {}
    for word in text.replace(",", " ").split():
        name, sign, value = word.partition("=")
        if not sign or not name.isidentifier() or not value:
            raise UserError("probe.option", given=word)
        found[name] = _value(value)
    return tuple(found.items())


def _value(text: str) -> OptionValue:
    words: dict[str, OptionValue] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if math.isfinite(number):
            return number
    return text


def infer(request: ProbeRequest, report: ProbeReport) -> Inference:
    """Find the rules behind what was seen.

    Args:
        request: What was probed.
        report: What the worker saw.

    Raises:
        UserError: The class takes none of the parameters.
    """
    taken = [seen for seen in report.parameters if not seen.refused]
    if not taken:
        said = next((seen.refused for seen in report.parameters), "")
        raise UserError("probe.all_refused", path=request.path, cause=said)
    dtypes = tuple(dict.fromkeys(seen.dtype for seen in taken))
    tried = [seen for seen in report.parameters if seen.dtype in dtypes]
    problems = list(_outside(report))
    trains = _trains(tried)
    if trains is None:
        problems.append(
            Reason("probe.unclear_refusal", {"cause": next(s.refused for s in tried if s.refused)})
        )
    states = []
    for name in dict.fromkeys(tensor.name for seen in taken for tensor in seen.tensors):
        found = _state(name, taken, report)
        if isinstance(found, Reason):
            problems.append(found)
        else:
            states.append(found)
    entry = UserOptimizer(
        id=f"{LIBRARY}.{request.path.rpartition('.')[2]}",
        path=request.path,
        proven=report.version,
        states=tuple(states),
        options=request.options,
        dtypes=dtypes,
        trains=trains or (),
        at_construction=report.at_construction,
        step_tensors=report.step_tensors or 0.0,
        folder=request.folder,
        tables=report.tables,
    )
    if not problems:
        problems += _shared(entry, report, dtypes[0], taken)
    return Inference(None if problems else entry, tuple(states), tuple(problems))


def predicted_bytes(entry: UserOptimizer, shape: Shape, dtype: str) -> int:
    """Bytes of state that the rules give one parameter."""
    total = 0
    for state in entry.states:
        case = state.case(shape)
        elements = None if case is None else case.size.elements(shape)
        if case is not None and elements is not None:
            total += DTYPES[dtype if case.dtype == LIKE else case.dtype].bytes_for(elements)
    return total


def _outside(report: ProbeReport) -> Iterator[Reason]:
    """What the rules cannot say: tensors kept elsewhere, and state that grows from step to step."""
    for tensor in report.outside:
        values: dict[str, Value] = {"state": tensor.name, "size_bytes": tensor.bytes}
        yield Reason("probe.outside", values)
    for tensor in report.tables:
        if tensor.dtype not in DTYPES:
            yield Reason("probe.unknown_dtype", {"state": tensor.name, "dtype": tensor.dtype})
    for name in report.growing:
        yield Reason("probe.grows", {"state": name})


def _shared(
    entry: UserOptimizer, report: ProbeReport, dtype: str, taken: Iterable[ProbedParameter]
) -> list[Reason]:
    """State that is kept once for all parameters shows when they are in one optimizer."""
    if report.together_bytes is None:
        return []
    alone = sum(predicted_bytes(entry, seen.shape, dtype) for seen in taken if seen.dtype == dtype)
    alone += sum(tensor.bytes for tensor in entry.tables)
    if alone == report.together_bytes:
        return []
    return [Reason("probe.shared", {"alone_bytes": alone, "together_bytes": report.together_bytes})]


def _trains(tried: Sequence[ProbedParameter]) -> tuple[Condition, ...] | None:
    """Conditions under which a parameter is taken; None where no conditions tell."""
    if not any(seen.refused for seen in tried):
        return ()
    for when in _splits():
        if all(_hold(when, seen.shape) == (not seen.refused) for seen in tried):
            return when
    return None


def _state(name: str, taken: Sequence[ProbedParameter], report: ProbeReport) -> ProbedState | Reason:
    seen = [_seen(name, parameter) for parameter in taken]
    unknown = {each.dtype for each in seen if each.dtype and each.dtype not in DTYPES}
    if unknown:
        return Reason("probe.unknown_dtype", {"state": name, "dtype": ", ".join(sorted(unknown))})
    fitted = [each for each in seen if each.shape in FITTED]
    held_out = [each for each in seen if each.shape in HELD_OUT]
    cases = _cases(fitted)
    if cases is None:
        return Reason("probe.unexplained", {"state": name, "examples": _examples(fitted)})
    rule = ProbedState(name, cases, host=report.on_host is not None and name in report.on_host)
    wrong = [each for each in held_out if not _explains(rule, each)]
    if wrong:
        return Reason("probe.not_confirmed", {"state": name, "examples": _examples(wrong)})
    return rule


def _seen(name: str, parameter: ProbedParameter) -> _Seen:
    tensor = next((tensor for tensor in parameter.tensors if tensor.name == name), None)
    if tensor is None:
        return _Seen(parameter.shape, parameter.dtype, None, "")
    return _Seen(parameter.shape, parameter.dtype, _elements(tensor), tensor.dtype)


def _elements(tensor: ProbedTensor) -> int:
    return prod(tensor.shape)


def _cases(fitted: Sequence[_Seen]) -> tuple[Case, ...] | None:
    """The simplest cases that explain all that was seen."""
    whole = _one_case(fitted, ())
    if whole is not None:
        return (whole,)
    for when in _splits():
        inside = [each for each in fitted if _hold(when, each.shape)]
        outside = [each for each in fitted if not _hold(when, each.shape)]
        if any(len({each.shape for each in side}) < _FEWEST for side in (inside, outside)):
            continue  # one shape proves nothing
        first = _one_case(inside, when)
        second = None if first is None else _one_case(outside, ())
        if first is not None and second is not None:
            return (first, second)
    return None


def _splits() -> Iterator[tuple[Condition, ...]]:
    """Single conditions, the plainest first, then pairs of different kinds."""
    singles = [
        *(Condition("ndim", axes) for axes in (2, 3, 4)),
        *(Condition("exactly_ndim", axes) for axes in (2, 3)),
        *(Condition("numel", elements) for elements in (2, *_THRESHOLDS)),
        *(Condition("smaller_side", side) for side in (2, *_SIDES)),
        *(Condition("larger_side", side) for side in _LONGEST_SIDES),
        *(Condition("multiple_of", block) for block in _BLOCKS),
    ]
    for condition in singles:
        yield (condition,)
    for first, second in combinations(singles, 2):
        if first.what != second.what:
            yield (first, second)


def _hold(when: Iterable[Condition], shape: Shape) -> bool:
    return all(condition.holds(shape) for condition in when)


def _one_case(seen: Sequence[_Seen], when: tuple[Condition, ...]) -> Case | None:
    """One size and one type for all of these, if there is one."""
    present = {each.shape: each.elements for each in seen if each.elements is not None}
    if not present:
        return Case(Size("none"), LIKE, when)
    if [each for each in seen if each.elements is None]:
        return None
    if any(present[each.shape] != each.elements for each in seen):
        return None
    dtype = _dtype(seen)
    size = None if dtype is None else _size(present)
    return None if size is None or dtype is None else Case(size, dtype, when)


def _dtype(seen: Iterable[_Seen]) -> str | None:
    pairs = {(each.parameter, each.dtype) for each in seen}
    if all(parameter == dtype for parameter, dtype in pairs):
        return LIKE
    kinds = {dtype for _, dtype in pairs}
    return kinds.pop() if len(kinds) == 1 else None


def _size(present: Mapping[Shape, int | None]) -> Size | None:
    for size in sizes_for(present):
        if all(size.elements(shape) == elements for shape, elements in present.items()):
            return size
    return None


def _explains(rule: ProbedState, seen: _Seen) -> bool:
    case = rule.case(seen.shape)
    elements = None if case is None else case.size.elements(seen.shape)
    if elements is None or case is None:
        return seen.elements is None
    return elements == seen.elements and seen.dtype == (seen.parameter if case.dtype == LIKE else case.dtype)


def _examples(seen: Sequence[_Seen]) -> str:
    """A few of the shapes with what was there, the largest first."""
    largest = sorted(seen, key=lambda each: -prod(each.shape))
    shown = [f"{_said(each.shape)}: {each.elements or 0} {each.dtype}".rstrip() for each in largest]
    return "; ".join(list(dict.fromkeys(shown))[:3])


def _said(shape: Shape) -> str:
    return " x ".join(map(str, shape)) or "()"
