"""Preconditioners of whole sides: squares and packed triangles, of merged axes and of blocks.

DistributedShampoo drops axes of length 1, merges neighbouring axes from the last one on while their product
stays within the limit, cuts what is longer into blocks, and keeps for each side of a block a packed
triangle or a square. SOAP can merge from the first axis on and keeps squares of sides within the limit.
Source: distributed_shampoo/utils/shampoo_utils.py, SOAP's soap.py (see the declarations for versions).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.declare import Option, ShapeRule, Subject

LIMIT = Option("max_preconditioner_dim", "int", 1024, ("state",), minimum=1, maximum=1_000_000)
SOAP_LIMIT = Option("max_precond_dim", "int", 10000, ("state",), minimum=1, maximum=1_000_000)
MERGE = Option("merge_dims", "bool", False, ("state",))
VECTORS_TOO = Option("precondition_1d", "bool", False, ("state",))


def merged_from_last(shape: Shape, limit: int) -> Shape:
    """Neighbouring axes multiplied up, the last ones first, while they stay within the limit."""
    axes = [axis for axis in reversed(shape) if axis != 1] or [1]
    merged = axes[:1]
    for axis in axes[1:]:
        if merged[-1] * axis <= limit:
            merged[-1] *= axis
        else:
            merged.append(axis)
    return tuple(reversed(merged))


def merged_from_first(shape: Shape, limit: int) -> Shape:
    """The same from the first axis on, as SOAP does it."""
    merged: list[int] = []
    running = 1
    for axis in shape:
        if running * axis <= limit:
            running *= axis
        elif running > 1:
            merged.append(running)
            running = axis
        else:
            merged.append(axis)
            running = 1
    if running > 1 or not merged:
        merged.append(running)
    return tuple(merged)


def blocks(subject: Subject) -> Iterable[Shape]:
    """Blocks of one parameter, each side at most as long as the limit."""
    limit = subject.settings.whole("max_preconditioner_dim")
    sides = [
        [limit] * (length // limit) + ([length % limit] if length % limit else [])
        for length in merged_from_last(subject.shape, limit)
    ]
    return product(*sides)


def _per_side(size: Callable[[int], Shape]) -> Callable[[Subject], Iterable[Shape]]:
    return lambda subject: (size(side) for block in blocks(subject) for side in block)


def _soap_sides(subject: Subject) -> Iterable[Shape]:
    limit, shape = subject.settings.whole("max_precond_dim"), subject.shape
    if len(shape) == 1 and not subject.settings.on("precondition_1d"):
        return
    if len(shape) != 1 and subject.settings.on("merge_dims"):
        shape = merged_from_first(shape, limit)
    for side in shape:
        if side <= limit:
            yield side, side


def _none(subject: Subject) -> None:
    del subject


TRIANGLES = ShapeRule("packed_triangles", _none, several=_per_side(lambda side: (side * (side + 1) // 2,)))
"""One packed triangle for each side of each block: side x (side + 1) / 2 elements."""

BLOCKS = ShapeRule("blocks", _none, several=blocks)
"""As many elements as the parameter, one tensor a block."""

SOAP_SQUARES = ShapeRule("side_squares", _none, several=_soap_sides)
"""One square for each side within the limit."""
