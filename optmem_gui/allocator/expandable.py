"""Segments that grow: a range of addresses whose pages are mapped when they are needed.

Source: note "Expandable Segments" and ``find_expandable_block``, ``map_block``, ``unmap_block``,
``try_allocate_expandable_block`` in c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.13.
"""

from __future__ import annotations

from optmem_gui.allocator.device import Device
from optmem_gui.allocator.sizes import page_bytes
from optmem_gui.core.blocks import Block, Pool, merge


def grow(device: Device, pool: Pool, size: int, stream: int) -> Block | None:
    """A free block of at least ``size`` bytes, taken out of its pool, after mapping what it lacks.

    Returns:
        None where the device has no room; what was mapped until then stays mapped, as in PyTorch.
    """
    block = _lowest_room(pool, size, stream) or device.new_range(pool, size, stream)
    if not block.mapped and not map_pages(device, block, min(block.size, size)):
        return None
    while block.size < size:
        following = block.next
        if following is None:
            raise AssertionError("a block with room for the request ends its segment")
        if not map_pages(device, following, min(size - block.size, following.size)):
            return None
        block = following  # it took the block before it in
    pool.remove(block)
    return block


def _lowest_room(pool: Pool, size: int, stream: int) -> Block | None:
    """The lowest address from which free and unmapped blocks in a row hold ``size`` bytes."""
    for unmapped in pool.unmapped_of(stream):
        before = unmapped.previous
        start = before if before is not None and before.free else unmapped
        if _holds(start, size):
            return start
    return None


def _holds(start: Block, size: int) -> bool:
    room, block = 0, start
    while room < size:
        if not block.free:
            return False
        room += block.size
        if block.next is None:
            break
        block = block.next
    return room >= size


def map_pages(device: Device, block: Block, size: int) -> bool:
    """Put whole pages behind the first ``size`` bytes of an unmapped block (``map_block``).

    The block becomes free, merged with its free neighbours.

    Returns:
        Whether the device had room.
    """
    pool = block.pool
    page = page_bytes(small=pool.small, config=device.config)
    mapped = min(-(-size // page) * page, block.size)
    if not device.has_room(mapped):
        return False
    address = block.address
    pool.remove_unmapped(block)
    block.mapped = True
    if mapped < block.size:
        rest = Block(address + mapped, block.size - mapped, pool, block.stream, block.base)
        rest.mapped = False
        rest.insert_after(block)
        pool.add_unmapped(rest)
        block.size = mapped
    merge(block, block.previous)
    merge(block, block.next)
    pool.add(block)
    device.count_mapped(address, mapped, block.stream)
    return True


def unmap_whole_pages(device: Device, block: Block) -> None:
    """Take the memory of every page that lies inside a free block back (``unmap_block``)."""
    page = page_bytes(small=block.pool.small, config=device.config)
    start = block.base + -(-(block.address - block.base) // page) * page
    end = block.base + (block.address + block.size - block.base) // page * page
    if start < end:
        unmap_range(device, block, start, end)


def unmap_range(device: Device, block: Block, start: int, end: int) -> None:
    """Take the memory of the addresses from ``start`` to ``end`` inside a free block back.

    A range of which nothing is left is dropped (``release_expandable_segment``).
    """
    pool = block.pool
    pool.remove(block)
    block_end = block.address + block.size
    if block.address < start:
        before = Block(block.address, start - block.address, pool, block.stream, block.base)
        before.insert_before(block)
        pool.add(before)
    if end < block_end:
        after = Block(end, block_end - end, pool, block.stream, block.base)
        after.insert_after(block)
        pool.add(after)
    block.address, block.size, block.mapped = start, end - start, False
    merge(block, block.previous)
    merge(block, block.next)
    device.count_unmapped(start, end - start, block.stream)
    if block.split:
        pool.add_unmapped(block)
