"""How large a block and a segment are for a request.

Source of every rule: c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.13; the constants stand in
c10/core/AllocatorConfig.h.
"""

from __future__ import annotations

from optmem_gui.allocator.config import INTERVALS, MIB, AllocatorConfig
from optmem_gui.core.blocks import (
    MIN_BLOCK_BYTES,
    MIN_OWN_SEGMENT_BYTES,
    SMALL_BYTES,
    new_segment_bytes,
    whole_blocks,
)

SMALL_SEGMENT_BYTES = 2 * MIB


def block_bytes(requested_bytes: int, config: AllocatorConfig) -> int:
    """Bytes of the block for a request (``round_size``).

    512 at least and in steps of 512; or in steps of 1/n of the power of two below, where
    ``roundup_power2_divisions`` says so.
    """
    if requested_bytes <= MIN_BLOCK_BYTES:
        return MIN_BLOCK_BYTES
    interval = min(max(requested_bytes.bit_length() - 21, 0), INTERVALS - 1)
    divisions = config.roundup_divisions[interval]
    if divisions > 1 and requested_bytes > MIN_BLOCK_BYTES * divisions:
        return _power2_division(requested_bytes, divisions)
    return whole_blocks(requested_bytes)


def _power2_division(size_bytes: int, divisions: int) -> int:
    """The next of ``divisions`` steps between two powers of two (``roundup_power2_next_division``)."""
    floor = 1 << (size_bytes.bit_length() - 1)
    step = max(floor // divisions, 1)
    return -(-size_bytes // step) * step


def is_small(size_bytes: int) -> bool:
    """Whether a block belongs to the pool of small ones (``get_pool``)."""
    return size_bytes <= SMALL_BYTES


def segment_bytes(size_bytes: int, config: AllocatorConfig) -> int:
    """Bytes that are asked of the device for a block (``get_allocation_size``)."""
    if size_bytes <= SMALL_BYTES:
        return SMALL_SEGMENT_BYTES
    if size_bytes < MIN_OWN_SEGMENT_BYTES:
        return config.large_segment_bytes
    return new_segment_bytes(size_bytes)


def page_bytes(*, small: bool, config: AllocatorConfig) -> int:
    """Bytes by which an expandable segment grows (``find_expandable_block``)."""
    return SMALL_SEGMENT_BYTES if small else config.large_segment_bytes


def should_split(found_bytes: int, wanted_bytes: int, config: AllocatorConfig, *, small: bool) -> bool:
    """Whether the rest of a found block becomes a block of its own (``should_split``).

    Small pool and expandable segments: from 512 bytes on. Large pool: from more than 1 MiB on, and never
    for a block that ``max_split_size_mb`` protects.
    """
    rest_bytes = found_bytes - wanted_bytes
    if small or config.expandable_segments:
        return rest_bytes >= MIN_BLOCK_BYTES
    splittable = config.max_split_bytes is None or wanted_bytes < config.max_split_bytes
    return splittable and rest_bytes > SMALL_BYTES
