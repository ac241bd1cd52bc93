"""Shape rules, dtype rules and conditions that declarations are put together from."""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.dtypes import DType
from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.declare import DTypeRule, Predicate, Settings, ShapeRule, Subject


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The condition that so many of several conditions hold."""

    number: int
    conditions: tuple[Predicate, ...]

    def __call__(self, settings: Settings) -> bool:
        """Whether enough of them hold."""
        return sum(condition(settings) for condition in self.conditions) >= self.number


def any_of(*conditions: Predicate) -> Predicate:
    """The condition that at least one holds."""
    return AtLeast(1, conditions)


def all_of(*conditions: Predicate) -> Predicate:
    """The condition that every one holds."""
    return AtLeast(len(conditions), conditions)


@dataclass(frozen=True, slots=True)
class Not:
    """The condition that another does not hold."""

    condition: Predicate

    def __call__(self, settings: Settings) -> bool:
        """Whether the other does not hold."""
        return not self.condition(settings)


def _same(subject: Subject) -> Shape:
    return subject.shape


def _scalar(subject: Subject) -> Shape:
    del subject
    return ()


def _rows(subject: Subject) -> Shape | None:
    return (*subject.shape[:-1], 1) if len(subject.shape) > 1 else None


def _columns(subject: Subject) -> Shape | None:
    return (*subject.shape[:-2], 1, subject.shape[-1]) if len(subject.shape) > 1 else None


def _vector(subject: Subject) -> Shape | None:
    return subject.shape if len(subject.shape) < 2 else None


LIKE_PARAMETER = ShapeRule("like_parameter", _same, full_size=True)
"""As many elements as the parameter."""

FLAT_VECTOR = ShapeRule("flat_vector", _same)
"""All parameters laid end to end, for state that is kept once for the whole optimizer."""

SCALAR = ShapeRule("scalar", _scalar)
"""One element, whatever the parameter."""

ROWS_OF_LAST_TWO = ShapeRule("rows_of_last_two", _rows)
"""The parameter with its last axis averaged away: numel / d[-1] elements. Vectors have none."""

COLUMNS_OF_LAST_TWO = ShapeRule("columns_of_last_two", _columns)
"""The parameter with its last axis but one averaged away: numel / d[-2] elements. Vectors have none."""

VECTORS_ONLY = ShapeRule("vectors_only", _vector)
"""As many elements as the parameter where it has at most one axis, else nothing."""


def _follow(subject: Subject) -> DType:
    return subject.dtype


LIKE_DTYPE = DTypeRule("like_parameter", _follow)
"""The type of the parameter the optimizer sees: 16-bit parameters get 16-bit state."""


def fixed(dtype: DType) -> DTypeRule:
    """One type, whatever the parameter's."""

    def give(subject: Subject) -> DType:
        del subject
        return dtype

    return DTypeRule("fixed", give)
