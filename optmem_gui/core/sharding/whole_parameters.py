"""Whole parameters dealt out among ranks, as ZeroRedundancyOptimizer does it."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from optmem_gui.core.layout import Layout, PlacedGroup
from optmem_gui.core.model import TensorGroup


def dealt_part(layout: Layout, ranks: int, index: int | None = None) -> Layout:
    """The parameters of one rank.

    Args:
        layout: Whole tensors.
        ranks: Ranks that share them.
        index: Which rank; None for the one that has the most elements, of equals the first.
    """
    trained = layout.trained
    sizes = tuple((placed.group.numel, placed.group.count) for placed in trained)
    takers, fullest = _deal(sizes, ranks)
    chosen = fullest if index is None else index
    held = tuple(
        _some(placed, count)
        for placed, taken in zip(trained, takers, strict=True)
        if (count := taken.count(chosen))  # ranks beyond the number of parameters have none
    )
    return replace(layout, placed=held, neighbours=frozenset())


def _some(placed: PlacedGroup, count: int) -> PlacedGroup:
    """So many of a group's parameters; built by hand, because planning makes thousands of these."""
    old = placed.group
    group = TensorGroup(old.shape, old.dtype, old.role, old.leaf, old.field, old.trainable, count)
    return PlacedGroup(
        group, placed.weights, placed.weight_blocks, placed.gradients, placed.master, placed.optimized
    )


def dealt(sizes: tuple[tuple[int, int], ...], ranks: int) -> tuple[tuple[int, ...], ...]:
    """How many parameters of each kind every rank has: the largest first, each to the rank with the least.

    Source: torch/distributed/optim/zero_redundancy_optimizer.py, ``_partition_parameters``.

    Args:
        sizes: Elements and number of equal parameters, kind by kind, in parameter order.
        ranks: Ranks that share them.
    """
    takers, _ = _deal(sizes, ranks)
    used = min(ranks, sum(count for _, count in sizes))
    return tuple(tuple(taken.count(rank) for taken in takers) for rank in range(used))


@lru_cache(maxsize=64)
def _deal(sizes: tuple[tuple[int, int], ...], ranks: int) -> tuple[tuple[Sequence[int], ...], int]:
    """Which rank takes each parameter, kind by kind, and which rank has the most elements in the end."""
    used = min(ranks, sum(count for _, count in sizes))
    heap = [(0, rank) for rank in range(used)]
    takers: list[list[int]] = [[] for _ in sizes]
    empty = 0  # as long as some rank has nothing, the next parameter goes to the first of those
    for kind in sorted(range(len(sizes)), key=lambda kind: -sizes[kind][0]):
        numel, count = sizes[kind]
        for _ in range(count):
            if numel and empty < used:
                rank, heap[empty] = empty, (numel, empty)
                empty += 1
                if empty == used:
                    heapq.heapify(heap)
            else:
                load, rank = heap[0]
                heapq.heapreplace(heap, (load + numel, rank))
            takers[kind].append(rank)
    fullest = max(heap, key=lambda entry: (entry[0], -entry[1]), default=(0, 0))[1]
    return tuple(map(tuple, takers)), fullest
