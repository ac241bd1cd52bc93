"""Whole parameters dealt out among ranks, as ZeroRedundancyOptimizer does it."""

from __future__ import annotations

import heapq
from dataclasses import replace
from functools import lru_cache

from optmem_gui.core.layout import Layout


def dealt_part(layout: Layout, ranks: int, index: int | None = None) -> Layout:
    """The parameters of one rank.

    Args:
        layout: Whole tensors.
        ranks: Ranks that share them.
        index: Which rank; None for the one that has the most elements, of equals the first.
    """
    sizes = tuple((placed.group.numel, placed.group.count) for placed in layout.trained)
    counts = dealt(sizes, ranks)
    if index is None:
        total = [sum(sizes[kind][0] * count for kind, count in enumerate(rank)) for rank in counts]
        index = total.index(max(total))
    # ranks beyond the number of parameters have none
    chosen = counts[index] if index < len(counts) else (0,) * len(sizes)
    held = tuple(
        replace(placed, group=replace(placed.group, count=count))
        for placed, count in zip(layout.trained, chosen, strict=True)
        if count
    )
    return replace(layout, placed=held, neighbours=frozenset())


@lru_cache(maxsize=64)
def dealt(sizes: tuple[tuple[int, int], ...], ranks: int) -> tuple[tuple[int, ...], ...]:
    """How many parameters of each kind every rank has: the largest first, each to the rank with the least.

    Source: torch/distributed/optim/zero_redundancy_optimizer.py, ``_partition_parameters``.

    Args:
        sizes: Elements and number of equal parameters, kind by kind, in parameter order.
        ranks: Ranks that share them.
    """
    used = min(ranks, sum(count for _, count in sizes))
    heap = [(0, rank) for rank in range(used)]
    held = [[0] * len(sizes) for _ in range(used)]
    for kind in sorted(range(len(sizes)), key=lambda kind: -sizes[kind][0]):
        numel, count = sizes[kind]
        for _ in range(count):
            load, rank = heapq.heappop(heap)
            held[rank][kind] += 1
            heapq.heappush(heap, (load + numel, rank))
    return tuple(map(tuple, held))
