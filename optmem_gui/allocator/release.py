"""Giving cached memory back to the device.

Source: c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.13, functions named below.
"""

from __future__ import annotations

from collections.abc import Iterable

from optmem_gui.allocator.device import Device
from optmem_gui.allocator.expandable import unmap_whole_pages
from optmem_gui.core.blocks import Block, Pool


def release_cached(device: Device, pools: Iterable[Pool]) -> None:
    """Give back every segment that is one free block, and every free page of expandable segments.

    Source: ``release_blocks``.
    """
    for pool in pools:
        growing: list[Block] = []
        for block in pool.blocks():
            if block.base >= 0:
                growing.append(block)
            elif not block.split:
                device.give_back(block)
        for block in growing:
            unmap_whole_pages(device, block)


def release_available(device: Device, pool: Pool, size: int, stream: int) -> bool:
    """Give back only as many oversize blocks as the request needs; nothing without ``max_split_size_mb``.

    Source: ``release_available_cached_blocks``.

    Returns:
        Whether enough was given back to try again.
    """
    limit = device.config.max_split_bytes
    if limit is None:
        return False
    wanted = max(size, limit)
    blocks = [block for block in pool.blocks() if block.stream == stream]
    fitting = next((block for block in blocks if block.size >= wanted), None)
    if fitting is not None:
        device.give_back(fitting)
        return True
    released = 0
    for block in reversed(blocks):
        if released >= wanted or block.size < limit:
            break
        released += block.size
        device.give_back(block)
    return released >= wanted


def collect_garbage(device: Device, large: Pool) -> None:
    """Give back large blocks that have not been used for long, until the threshold is kept.

    Older than the average age first; everything that old goes, also beyond the target.
    Source: ``garbage_collect_cached_blocks``.
    """
    limit = device.limit_bytes
    if limit is None or device.config.garbage_collection_threshold <= 0.0:
        return
    target = device.statistics.reserved - int(device.config.garbage_collection_threshold * limit)
    cached = [block for block in large.blocks() if not block.split and block.base < 0]
    total_age = sum(large.searches - block.age_base for block in cached)
    while target > 0 and cached:
        mean_age = total_age / len(cached)
        old = [block for block in cached if large.searches - block.age_base >= mean_age]
        if not old:
            return
        for block in old:
            target -= block.size
            total_age -= large.searches - block.age_base
            device.give_back(block)
        cached = [block for block in cached if block not in old]
