"""Which parameters are gathered together: one layer, and what lies outside the layers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from optmem_gui.core.dtypes import DType
from optmem_gui.core.layout import Layout, PlacedGroup
from optmem_gui.core.model import Role, TensorGroup
from optmem_gui.core.sharding.share import resized

_Kind = tuple[bool, bool, tuple[DType, DType | None, DType | None, DType | None]]
"""In the layers, an expert, and the types of its copies: what one flat vector can hold."""


@dataclass(frozen=True, slots=True)
class Units:
    """Elements of one layer and of the rest, padded as an engine pads them.

    Attributes:
        layer: Elements of one layer.
        layer_trained: Those of them that get a gradient.
        root: Elements outside the layers.
        root_trained: Those of them that get a gradient.
    """

    layer: int
    layer_trained: int
    root: int
    root_trained: int


def units_of(layout: Layout, layers: int, ranks: int) -> Units:
    """What is gathered at once when every layer is one unit and the rest another.

    Args:
        layout: Whole tensors.
        layers: Layers of the model.
        ranks: Ranks that share it; each tensor's first axis is padded to a multiple of it.
    """
    layer = layer_trained = root = root_trained = 0
    for placed in layout.placed:
        size = _padded(placed, ranks)
        if is_inner(placed, layers):
            each = -(-placed.group.count // layers)
            layer += size * each
            layer_trained += size * each if placed.trainable else 0
        else:
            root += size * placed.group.count
            root_trained += size * placed.group.count if placed.trainable else 0
    return Units(layer, layer_trained, root, root_trained)


def is_inner(placed: PlacedGroup, layers: int) -> bool:
    """Whether a group belongs to the layers: every layer has one, or a few layers do."""
    outside = (Role.EMBEDDING, Role.HEAD)
    if placed.group.role in outside:
        return False
    return placed.group.count >= layers > 1 or placed.group.role in (Role.EXPERT, Role.ATTENTION, Role.MLP)


def unit_vectors(layout: Layout, layers: int, part: Callable[[PlacedGroup, int], int]) -> Layout:
    """Every layer, and what lies outside the layers, as one vector a type, cut among ranks.

    Packed weights are cut one by one: their scales are tensors of their own.

    Args:
        layout: Whole tensors.
        layers: Layers of the model.
        part: A rank's part of so many elements of a vector that such a group is in.
    """
    sums: dict[_Kind, int] = {}
    firsts: dict[_Kind, PlacedGroup] = {}
    vectors = []
    for placed in layout.placed:
        if len(placed.weight_blocks) > 1:
            vectors.append(resized(placed, (part(placed, placed.group.numel),)))
            continue
        copies = (placed.weights, placed.gradients, placed.master, placed.optimized)
        key = (is_inner(placed, layers), placed.group.role is Role.EXPERT, copies)
        firsts.setdefault(key, placed)
        sums[key] = sums.get(key, 0) + placed.group.param_count
    for key, first in firsts.items():
        count = layers if key[0] else 1
        size = part(first, -(-sums[key] // count))
        group = TensorGroup((size,), first.weights, Role.OTHER, "", "flat", first.group.trainable, count)
        blocks = (first.weights.bytes_for(size),)
        vectors.append(replace(first, group=group, weight_blocks=blocks))
    return replace(layout, placed=tuple(vectors), neighbours=frozenset())


def _padded(placed: PlacedGroup, ranks: int) -> int:
    rows, *rest = placed.group.shape or (1,)
    size = -(-rows // ranks) * ranks
    for length in rest:
        size *= length
    return size
