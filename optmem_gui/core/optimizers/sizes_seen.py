"""Which sizes a state tensor could have, the simplest first, given what was seen of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.probed_rules import Side, Size

_BLOCKS = tuple(2**power for power in range(4, 15))
_SIDES: tuple[Side, ...] = ("larger", "smaller", "last", "first")
_LARGEST_RANK = 4096


def sizes_for(present: Mapping[Shape, int | None]) -> Iterator[Size]:
    """Candidates; whoever asks checks them on every shape.

    Args:
        present: Elements of the state by shape of the parameter.
    """
    yield Size("scalar")
    yield Size("full")
    shape, elements = max(present.items(), key=lambda item: prod(item[0]))
    yield from _along_axes(present)
    yield Size("packed")
    yield from (Size("blocks", block) for block in _BLOCKS)
    yield from _low_rank(present)
    if elements is not None and len(present) > 1 and shape:
        yield Size("constant", elements)


def _along_axes(present: Mapping[Shape, int | None]) -> Iterator[Size]:
    """From the end for the last two axes, as libraries count them, else from the front."""
    axes = max(len(shape) for shape in present)
    for place in (-1, -2, *range(axes)):
        yield Size("rest", place)
    for place in (-1, -2, *range(axes)):
        yield Size("axis", place)
        yield Size("square", place)
        yield Size("triangle", place)


def _low_rank(present: Mapping[Shape, int | None]) -> Iterator[Size]:
    """The rank shows at the matrix whose smaller side is the largest: there it is not cut short."""
    matrices = [shape for shape in present if len(shape) == 2]
    if not matrices:
        return
    widest = max(matrices, key=min)
    elements = present[widest] or 0
    sides = {"larger": max(widest), "smaller": min(widest), "last": widest[1], "first": widest[0]}
    for side in _SIDES:
        rank, left = divmod(elements, sides[side])
        if not left and 0 < rank <= _LARGEST_RANK:
            yield Size("low_rank", rank, side)
