"""Which layers get a moment of their own in the course of a step: between them it is a straight line."""

from __future__ import annotations

from collections.abc import Iterable

_MOMENT_LAYERS = 64
"""Layers that are drawn at most."""


def sampled_layers(layers: int, span: int, change: int = 0) -> Iterable[int]:
    """Layers that get a moment: all of a small model, evenly spread ones of a large, both ends always.

    Args:
        layers: Layers there are.
        span: Layers recomputed as one unit.
        change: Where layers of another kind begin, 0 for nowhere.
    """
    if layers <= _MOMENT_LAYERS:
        return range(layers)
    chosen = {index * (layers - 1) // (_MOMENT_LAYERS - 1) for index in range(_MOMENT_LAYERS)}
    # the last layer of the last whole unit and of the first hold the most
    ends = {min(span, layers) - 1, layers // span * span - 1, (layers - 1) // span * span}
    ends |= {change - 1, change}
    return sorted(chosen | {end for end in ends if 0 <= end < layers})


def end_layers(layers: int, span: int, change: int = 0) -> Iterable[int]:
    """Layers between which the course is a straight line, segment by segment and within each of them.

    The first layer differs from the others, and so does the first of a segment that is computed again.

    Args:
        layers: Layers there are.
        span: Layers recomputed as one unit.
        change: Where layers of another kind begin, 0 for nowhere.
    """
    last = (layers - 1) // span
    whole = layers // span - 1
    chosen = {layer for layer in (change - 1, change, change + 1) if 0 <= layer < layers}
    around = {min(last, max(0, change // span + step)) for step in (-1, 0, 1)}
    for segment in {0, min(1, last), max(0, whole), last} | around:
        start, end = segment * span, min((segment + 1) * span, layers) - 1
        chosen |= {start, min(start + 1, end), min(start + 2, end), end}
    return sorted(chosen)
