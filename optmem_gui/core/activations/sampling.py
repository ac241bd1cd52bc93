"""Which layers get a moment of their own in the course of a step: between them it is a straight line."""

from __future__ import annotations

from collections.abc import Iterable

_MOMENT_LAYERS = 64
"""Layers that are drawn at most."""


def sampled_layers(layers: int, span: int) -> Iterable[int]:
    """Layers that get a moment: all of a small model, evenly spread ones of a large, both ends always."""
    if layers <= _MOMENT_LAYERS:
        return range(layers)
    chosen = {index * (layers - 1) // (_MOMENT_LAYERS - 1) for index in range(_MOMENT_LAYERS)}
    # the last layer of the last whole unit and of the first hold the most
    ends = {min(span, layers) - 1, layers // span * span - 1, (layers - 1) // span * span}
    return sorted(chosen | {end for end in ends if 0 <= end < layers})


def end_layers(layers: int, span: int) -> Iterable[int]:
    """Layers between which the course is a straight line, segment by segment and within each of them.

    The first layer differs from the others, and so does the first of a segment that is computed again.
    """
    last = (layers - 1) // span
    whole = layers // span - 1
    chosen = set()
    for segment in {0, min(1, last), max(0, whole), last}:
        start, end = segment * span, min((segment + 1) * span, layers) - 1
        chosen |= {start, min(start + 1, end), min(start + 2, end), end}
    return sorted(chosen)
