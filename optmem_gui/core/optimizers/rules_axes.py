"""Shape rules of states that belong to the axes of a parameter: vectors and square matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import prod

from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.declare import Predicate, ShapeRule, Subject, always


def has_axes(least: int) -> Callable[[Subject], bool]:
    """Whether a parameter has at least so many axes."""
    return lambda subject: len(subject.shape) >= least


def is_matrix(subject: Subject) -> bool:
    """Whether a parameter has exactly two axes."""
    return len(subject.shape) == 2


def _rest(subject: Subject) -> Shape:
    return (prod(subject.shape[1:]),)


REST_OF_FIRST = ShapeRule("rest_of_first", _rest)
"""The parameter with its first axis averaged away: numel / d[0] elements; one for vectors and numbers."""


def _smaller(subject: Subject) -> Shape | None:
    return (min(subject.together), min(subject.together)) if is_matrix(subject) else None


SQUARE_OF_SMALLER = ShapeRule("square_of_smaller", _smaller)
"""One square matrix a matrix, as wide as its smaller axis; of a sharded matrix all of it on every rank."""


@dataclass(frozen=True, slots=True)
class Squares:
    """One square matrix for each axis of a parameter.

    Attributes:
        longest: Option that says up to which length an axis has one; None where all have.
        excluded: The longest length itself has none.
        vectors: Whether parameters of one axis have one.
        matrices_only: Only parameters of exactly two axes have them.
    """

    longest: str | None = None
    excluded: bool = False
    vectors: Predicate = always
    matrices_only: bool = False

    def __call__(self, subject: Subject) -> Iterable[Shape]:
        """Shapes for one parameter."""
        axes = subject.shape
        if self.matrices_only and len(axes) != 2:
            return ()
        if len(axes) == 1 and not self.vectors(subject.settings):
            return ()
        return ((length, length) for length in axes if self._within(length, subject))

    def _within(self, length: int, subject: Subject) -> bool:
        if self.longest is None:
            return True
        limit = subject.settings.whole(self.longest)
        return length < limit or (length == limit and not self.excluded)


def _none(subject: Subject) -> None:
    del subject


def squares(
    longest: str | None = None,
    *,
    excluded: bool = False,
    vectors: Predicate = always,
    matrices_only: bool = False,
) -> ShapeRule:
    """The rule of :class:`Squares`, whose attributes the arguments are."""
    return ShapeRule("side_squares", _none, several=Squares(longest, excluded, vectors, matrices_only))
