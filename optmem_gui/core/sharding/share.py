"""What one data-parallel rank keeps, and what it holds for a while to work or to talk to the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from optmem_gui.core.dtypes import DType
from optmem_gui.core.layout import Layout, PlacedGroup
from optmem_gui.core.model import Role, TensorGroup


@dataclass(frozen=True, slots=True)
class Buffers:
    """Memory that exists because there are other ranks, bytes.

    Attributes:
        standing: Kept all the time: buckets, gathered small parameters.
        forward: More of it while forward runs: gathered parameters.
        backward: More of it while backward runs: gathered parameters, gradients before they are shared out.
        step: More of it during the optimizer's step.
    """

    standing: int = 0
    forward: int = 0
    backward: int = 0
    step: int = 0


NO_BUFFERS = Buffers()


@dataclass(frozen=True, slots=True)
class Share:
    """One rank's part.

    Attributes:
        weights: Parameters it keeps, as it keeps them.
        gradients: The same for gradients, between backward and the step.
        optimized: What its optimizer sees; master weights are counted here.
        buffers: What it holds for a while.
        flat: The optimizer sees vectors cut without regard for the parameters' shapes.
        gradients_stand: Gradients live in a buffer that is never freed.
        gathers: Parameters are gathered for each layer, in the type of the computation.
        host_state: Optimizer state and master weights live in host memory.
        host_weights: So do the parameters it keeps.
        host_gradients: So do the gradients it keeps; on the GPU they pass through a buffer.
    """

    weights: Layout
    gradients: Layout
    optimized: Layout
    buffers: Buffers = NO_BUFFERS
    flat: bool = False
    gradients_stand: bool = False
    gathers: bool = False
    host_state: bool = False
    host_weights: bool = False
    host_gradients: bool = False


def whole(layout: Layout) -> Share:
    """Nothing is shared out."""
    return Share(layout, layout, layout)


def cut(
    layout: Layout, part: Callable[[PlacedGroup], tuple[int, ...]], *, knows_whole: bool = False
) -> Layout:
    """A layout in which every tensor is replaced by a rank's part of it.

    Args:
        layout: Whole tensors.
        part: Shape of the part; no elements where the rank has none.
        knows_whole: The part is a sharded tensor: what works on it sees the shape of the whole.
    """
    placed = (
        resized(placed, part(placed), placed.group.shape if knows_whole else None) for placed in layout.placed
    )
    return replace(layout, placed=tuple(placed))


def resized(placed: PlacedGroup, shape: tuple[int, ...], whole: tuple[int, ...] | None = None) -> PlacedGroup:
    """The same parameters with another shape; packed weights and their scales shrink alike.

    Args:
        placed: The parameters.
        shape: What a rank has of one of them.
        whole: The shape that the optimizer sees, where it knows of the others' parts.
    """
    # built by hand: planning makes thousands of these, and dataclasses.replace takes five times as long
    old = placed.group
    group = TensorGroup(shape, old.dtype, old.role, old.leaf, old.field, old.trainable, old.count)
    if len(placed.weight_blocks) == 1:
        blocks: tuple[int, ...] = (placed.weights.bytes_for(group.numel),)
    else:
        whole_count = max(1, placed.group.numel)
        blocks = tuple(-(-block * group.numel // whole_count) for block in placed.weight_blocks)
    return PlacedGroup(
        group, placed.weights, blocks, placed.gradients, placed.master, placed.optimized, whole
    )


def flattened(layout: Layout, elements: Callable[[int], int], alone: Callable[[PlacedGroup], bool]) -> Layout:
    """Everything trained as one vector a type, of which a rank has a part.

    Args:
        layout: Whole tensors.
        elements: A rank's part of so many elements.
        alone: Groups that are not part of the vector.
    """
    sums: dict[tuple[DType, DType | None, DType | None, DType | None], int] = {}
    for placed in layout.trained:
        if not alone(placed):
            key = (placed.weights, placed.gradients, placed.master, placed.optimized)
            sums[key] = sums.get(key, 0) + placed.group.param_count
    vectors = []
    for (weights, gradients, master, optimized), count in sums.items():
        part = elements(count)
        group = TensorGroup((part,), weights, Role.OTHER, "", "flat", True, 1)
        blocks = (weights.bytes_for(part),)
        vectors.append(PlacedGroup(group, weights, blocks, gradients, master, optimized))
    return replace(layout, placed=tuple(vectors), neighbours=frozenset())


def ceil_part(count: int, ranks: int) -> int:
    """The first rank's part of so many elements."""
    return -(-count // ranks)


def part_of(count: int, ranks: int, index: int) -> int:
    """One rank's part where every part but the last ones is the first one's, as ``torch.chunk`` cuts."""
    each = ceil_part(count, ranks)
    return max(0, min(each, count - index * each))
