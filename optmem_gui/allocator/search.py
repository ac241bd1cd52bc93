"""Which free block a request gets.

Source: ``get_free_block`` in c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.13.
"""

from __future__ import annotations

from bisect import bisect_left

from optmem_gui.allocator.config import AllocatorConfig
from optmem_gui.core.blocks import Block, Pool


def best_fit(pool: Pool, size: int, stream: int, config: AllocatorConfig) -> Block | None:
    """The smallest free block of the stream that holds ``size`` bytes, at the lowest address among equals.

    The block stays in the pool.

    Returns:
        None where there is none, or the settings protect the one there is.
    """
    keys = pool.free.get(stream)
    if not keys:
        return None
    index = bisect_left(keys, (size, 0))
    if index == len(keys):
        return None
    block = pool.at[keys[index][1]]
    if block.base >= 0:
        found = _in_expandable(pool, keys, index, config)
        if found is None:
            return None
        block = found
    if config.max_split_bytes is not None and not _within_protection(block.size, size, config):
        return None
    return block


def _in_expandable(
    pool: Pool, keys: list[tuple[int, int]], index: int, config: AllocatorConfig
) -> Block | None:
    """The best fit where blocks can grow, or the first that cannot where expandable segments are off."""
    block = pool.at[keys[index][1]]
    if not config.expandable_segments:
        for _, address in keys[index + 1 :]:
            if pool.at[address].base < 0:
                return pool.at[address]
        return None
    for _, address in keys[index + 1 :]:
        following = pool.at[address]
        if block.base < 0 or grown_size(following) >= grown_size(block):
            break
        block = following
    return block


def grown_size(block: Block) -> int:
    """Bytes a block can grow to: it counts as that large when the best fit is chosen."""
    following = block.next
    return block.size if following is None or following.mapped else block.size + following.size


def _within_protection(found: int, wanted: int, config: AllocatorConfig) -> bool:
    """Whether ``max_split_size_mb`` lets a block of ``found`` bytes serve ``wanted`` bytes.

    Blocks from that size on serve only requests from that size on, and of those only what leaves less
    than ``max_non_split_rounding_mb`` unused.
    """
    limit = config.max_split_bytes
    if limit is None:
        return True
    if wanted < limit:
        return found < limit
    return found < wanted + config.max_non_split_rounding_bytes
