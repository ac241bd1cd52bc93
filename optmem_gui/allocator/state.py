"""How an allocator stands, in the form a snapshot has."""

from __future__ import annotations

from optmem_gui.allocator.caching import CachingAllocator
from optmem_gui.allocator.recording import RecordedBlock, RecordedSegment
from optmem_gui.core.blocks import Block


def segments_of(allocator: CachingAllocator) -> tuple[RecordedSegment, ...]:
    """Every segment with its blocks, by address; of an expandable one every run of mapped pages.

    Source: ``snapshot`` in c10/cuda/CUDACachingAllocator.cpp.
    """
    blocks = [*allocator.blocks.values(), *(block for pool in allocator.pools for block in pool.at.values())]
    heads = [block for block in blocks if block.previous is None or not block.previous.mapped]
    return tuple(_segment(head) for head in sorted(heads, key=lambda block: block.address))


def _segment(head: Block) -> RecordedSegment:
    blocks: list[RecordedBlock] = []
    block: Block | None = head
    while block is not None and block.mapped:
        requested = 0 if block.free else block.requested
        blocks.append(RecordedBlock(block.address, block.size, requested, block.allocated, block.awaiting))
        block = block.next
    return RecordedSegment(
        address=head.address,
        size=sum(each.size for each in blocks),
        stream=head.stream,
        small=head.pool.small,
        expandable=head.base >= 0,
        blocks=tuple(blocks),
        pool_id=head.pool.owner,
    )
