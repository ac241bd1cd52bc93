"""Squarified rectangles: areas true to the sizes, together the whole box, none over another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.core.treemap import Box, squarify


def test_the_example_of_the_paper() -> None:
    """6, 6, 4, 3, 2, 2, 1 in 6 x 4 (figure 3 and 4): the two 6 share a column of width 3, 4 and 3 a row."""
    boxes = squarify([6, 6, 4, 3, 2, 2, 1], Box(0, 0, 6, 4))
    assert boxes[0] == pytest.approx((0, 0, 3, 2))
    assert boxes[1] == pytest.approx((0, 2, 3, 2))
    assert boxes[2] == pytest.approx((3, 0, 12 / 7, 7 / 3))
    assert boxes[3] == pytest.approx((3 + 12 / 7, 0, 9 / 7, 7 / 3))


def test_nothing_has_no_area() -> None:
    assert squarify([], Box(0, 0, 6, 4)) == []
    assert [box.area for box in squarify([0, 0], Box(0, 0, 6, 4))] == [0, 0]
    assert [box.area for box in squarify([3, 1], Box(0, 0, 0, 4))] == [0, 0]
    assert squarify([5, 0], Box(1, 2, 6, 4))[0] == pytest.approx((1, 2, 6, 4))


@given(
    st.lists(st.integers(0, 10**12), min_size=1, max_size=60).map(lambda sizes: sorted(sizes, reverse=True)),
    st.floats(1, 2000),
    st.floats(1, 2000),
)
def test_areas_are_true_and_nothing_overlaps(sizes: list[int], width: float, height: float) -> None:
    total = sum(sizes)
    boxes = squarify(sizes, Box(0, 0, width, height))
    assert len(boxes) == len(sizes)
    for size, box in zip(sizes, boxes, strict=True):
        wanted = width * height * size / total if total else 0.0
        assert box.area == pytest.approx(wanted, rel=1e-6, abs=1e-6 * width * height)
        assert -1e-6 <= box.x <= width * (1 + 1e-6)
        assert box.x + box.width <= width * (1 + 1e-6) + 1e-6
        assert box.y + box.height <= height * (1 + 1e-6) + 1e-6
    if total:
        assert sum(box.area for box in boxes) == pytest.approx(width * height, rel=1e-6)
