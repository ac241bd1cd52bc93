"""Second moments factored over two axes that the library chooses by its own rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.declare import ShapeRule, Subject

MIN_SIZE = "min_dim_size_to_factor"
"""Option of timm's classes: how long the axes must be."""

Axes = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Factored:
    """Averages along one axis and along another in place of the full moment.

    Attributes:
        axes: The two axes, None where a parameter is not factored. The first factor averages the second of
            them away.
        kept: An averaged axis stays, with length 1.
    """

    axes: Callable[[Subject], Axes | None]
    kept: bool = False

    @property
    def rows(self) -> ShapeRule:
        """The moment with the second axis averaged away."""
        return ShapeRule("factor_rows", lambda subject: self._without(subject, 1))

    @property
    def columns(self) -> ShapeRule:
        """The moment with the first axis averaged away."""
        return ShapeRule("factor_columns", lambda subject: self._without(subject, 0))

    @property
    def rest(self) -> ShapeRule:
        """The full moment where a parameter is not factored."""
        return ShapeRule(
            "not_factored", lambda subject: None if self.axes(subject) is not None else subject.shape
        )

    def _without(self, subject: Subject, which: int) -> Shape | None:
        axes = self.axes(subject)
        if axes is None:
            return None
        away, shape = axes[which], subject.shape
        return (*shape[:away], *((1,) if self.kept else ()), *shape[away + 1 :])


def leading_or_last_two(subject: Subject) -> Axes | None:
    """Channel axes of a convolution, else the last two, if both are longer than the option: timm's Adafactor.

    Source: ``_get_options`` of timm/optim/adafactor.py 1.0.31.
    """
    shape, least = subject.shape, subject.settings.whole(MIN_SIZE)
    if len(shape) > 2 and min(shape[:2]) > least:
        return 0, 1
    if len(shape) > 1 and min(shape[-2:]) > least:
        return len(shape) - 2, len(shape) - 1
    return None


def two_largest(subject: Subject) -> Axes | None:
    """Big Vision's Adafactor: the two longest axes, if the second of them is as long as the option says.

    Source: ``_factored_dims`` of timm/optim/adafactor_bv.py 1.0.31.
    """
    order = sorted(range(len(subject.shape)), key=lambda axis: (subject.shape[axis], axis))
    if len(order) < 2 or subject.shape[order[-2]] < subject.settings.whole(MIN_SIZE):
        return None
    return order[-2], order[-1]
