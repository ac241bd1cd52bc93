"""Rectangles whose areas are sizes: the squarified treemap.

Source: Bruls, Huizing, van Wijk, "Squarified treemaps", 2000: rows are laid along the shorter side as long
as the worst aspect ratio among them gets better.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float

    @property
    def area(self) -> float:
        """Its area."""
        return self.width * self.height


def squarify(sizes: Sequence[int], box: Box) -> list[Box]:
    """A rectangle for each size, together filling the box.

    Args:
        sizes: From the largest to the smallest, none of them negative.
        box: Where they go.

    Returns:
        Boxes in the order of the sizes; empty ones for sizes of 0.
    """
    total = sum(sizes)
    if total <= 0 or box.area <= 0:
        return [Box(box.x, box.y, 0.0, 0.0)] * len(sizes)
    scale = box.area / total
    areas = [size * scale for size in sizes]
    boxes: list[Box] = []
    start = 0
    while start < len(areas):
        side = min(box.width, box.height)
        end, row = start + 1, areas[start]
        while end < len(areas):
            longer = row + areas[end]
            if _worst(areas[start], areas[end], longer, side) > _worst(
                areas[start], areas[end - 1], row, side
            ):
                break
            row, end = longer, end + 1
        laid, box = _lay(areas[start:end], row, box)
        boxes += laid
        start = end
    return boxes


def _worst(largest: float, smallest: float, row: float, side: float) -> float:
    """The worst aspect ratio in a row; areas are sorted, so it is that of its first or its last."""
    if not smallest or not side:
        return float("inf")
    square = row * row
    return max(side * side * largest / square, square / (side * side * smallest))


def _lay(areas: Sequence[float], row: float, box: Box) -> tuple[list[Box], Box]:
    """One row along the shorter side, and what is left of the box."""
    x, y = box.x, box.y
    laid = []
    if box.width >= box.height:
        depth = row / box.height if box.height else 0.0
        for area in areas:
            height = area / depth if depth else 0.0
            laid.append(Box(x, y, depth, height))
            y += height
        return laid, Box(x + depth, box.y, max(0.0, box.width - depth), box.height)
    depth = row / box.width if box.width else 0.0
    for area in areas:
        width = area / depth if depth else 0.0
        laid.append(Box(x, y, width, depth))
        x += width
    return laid, Box(box.x, y + depth, box.width, max(0.0, box.height - depth))
