"""Optimizers that treat some parameters differently: hidden matrices one way, everything else another.

The split is the user's, made in parameter groups. Two are offered. ``hidden``, which the packages'
examples show: matrices that are neither an embedding nor the output head. ``matrices``: every tensor of
two axes but those of a single element. What the first half leaves goes to the second half, so no tensor is
left without an optimizer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import prod

from optmem_gui.core.layout import Layout
from optmem_gui.core.model import Role
from optmem_gui.core.optimizers.declare import (
    Need,
    Option,
    Settings,
    ShapeRule,
    Subject,
    TemporariesRule,
)
from optmem_gui.core.optimizers.rules import LIKE_PARAMETER
from optmem_gui.core.optimizers.rules_parts import only
from optmem_gui.core.optimizers.temporaries import seen_dtype

SPLIT = Option(
    "split", "choice", "hidden", ("state", "temporaries"), choices=("hidden", "matrices"), keyword=False
)

_OUTSIDE = (Role.EMBEDDING, Role.HEAD, Role.NORM, Role.BIAS)

Choice = Callable[[Subject], bool]


def chosen(subject: Subject) -> bool:
    """Whether the split gives a parameter to the first half: Muon, Dion, or a projection."""
    matrix = len(subject.shape) == 2 and prod(subject.together) > 1
    if subject.settings.values.get("split") == "matrices":
        return matrix
    return matrix and subject.role not in _OUTSIDE


def rest(subject: Subject) -> bool:
    """Whether it goes to the second half."""
    return not chosen(subject)


def _unforced(rule: ShapeRule) -> ShapeRule:
    return replace(rule, full_size=False)


CHOSEN_FULL = _unforced(only(LIKE_PARAMETER, chosen, "chosen"))
"""As many elements as each parameter of the first half."""

REST_FULL = _unforced(only(LIKE_PARAMETER, rest, "rest"))
"""As many elements as each parameter of the second half."""


def subjects(layout: Layout, settings: Settings) -> Iterator[tuple[Subject, int]]:
    """Every trained parameter as rules see it, and how many there are of its kind."""
    for placed in layout.trained:
        group = placed.group
        yield (
            Subject(
                group.shape, seen_dtype(placed), group.role, group.leaf, settings, group.field, placed.whole
            ),
            group.count,
        )


@dataclass(frozen=True, slots=True)
class Halves:
    """Temporaries of a step that updates the two halves one after the other.

    Attributes:
        first: Of the parameters that the split chooses.
        second: Of the others.
    """

    first: TemporariesRule
    second: TemporariesRule

    def __call__(self, layout: Layout, settings: Settings) -> Need:
        """Bytes of the half that takes more."""
        picks = [chosen(subject) for subject, _ in subjects(layout, settings)]
        halves = [
            tuple(placed for placed, pick in zip(layout.trained, picks, strict=True) if pick is wanted)
            for wanted in (True, False)
        ]
        needs = [
            rule(replace(layout, placed=half, neighbours=frozenset()), settings)
            for rule, half in zip((self.first, self.second), halves, strict=True)
        ]
        return max(needs, key=lambda need: need.bytes)
