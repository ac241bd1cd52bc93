"""PyTorch's caching allocator on one device, in addresses and bytes only.

Source of every rule: c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.13 (``DeviceCachingAllocator``).
"""

from __future__ import annotations

from optmem_gui.allocator.config import AllocatorConfig
from optmem_gui.allocator.device import Addresses, Device, is_private
from optmem_gui.allocator.expandable import grow
from optmem_gui.allocator.release import collect_garbage, release_available, release_cached
from optmem_gui.allocator.search import best_fit
from optmem_gui.allocator.sizes import block_bytes, is_small, segment_bytes, should_split
from optmem_gui.allocator.statistics import Statistics
from optmem_gui.core.blocks import DEFAULT_POOL, Block, Pool, PoolId, merge


class DeviceOutOfMemoryError(MemoryError):
    """The device has no room for a request, also after everything cached was given back.

    Attributes:
        size: Bytes of the block that was wanted.
        allocated: Bytes in use then.
        reserved: Bytes held then.
    """

    def __init__(self, size: int, statistics: Statistics) -> None:
        super().__init__(f"{size} bytes beyond {statistics.reserved} reserved")
        self.size = size
        self.allocated = statistics.allocated
        self.reserved = statistics.reserved


class CachingAllocator:
    """Hands out blocks of segments and keeps freed ones for the next request.

    Attributes:
        config: Its settings.
        device: Where segments come from.
        statistics: Its counters.
        blocks: Blocks that are in use or wait for another stream, by address.
    """

    def __init__(
        self,
        config: AllocatorConfig | None = None,
        capacity_bytes: int | None = None,
        addresses: Addresses | None = None,
    ) -> None:
        """Begin with nothing.

        Args:
            config: Settings; PyTorch's defaults when left out.
            capacity_bytes: What the device hands out to this process; None without an end.
            addresses: Where segments come to lie; invented when left out.
        """
        self.config = AllocatorConfig() if config is None else config
        self.device = Device(self.config, capacity_bytes, addresses)
        self.statistics = self.device.statistics
        self.blocks: dict[int, Block] = {}
        self._pools = {DEFAULT_POOL: (Pool(small=True), Pool(small=False))}
        self._freeable: list[PoolId] = []
        self._ages = self.device.limit_bytes is not None and self.config.garbage_collection_threshold > 0

    def malloc(self, requested: int, stream: int = 0, pool_id: PoolId = DEFAULT_POOL) -> int:
        """Hand out a block.

        Args:
            requested: Bytes.
            stream: The stream that will use it; blocks are reused within a stream only.
            pool_id: A private pool, as a CUDA graph that is being captured has one.

        Returns:
            Its address; 0, as in PyTorch, for 0 bytes.

        Raises:
            DeviceOutOfMemoryError: The device has no room for it.
        """
        if requested == 0:
            return 0
        size = block_bytes(requested, self.config)
        pool = self.pool(pool_id, small=is_small(size))
        if self._ages:
            pool.searches += 1
        block = best_fit(pool, size, stream, self.config)
        if block is None:
            block = self._obtain(pool, size, stream)
        else:
            pool.remove(block)
        return self.hand_out(block, size, requested).address

    def pool(self, pool_id: PoolId = DEFAULT_POOL, *, small: bool) -> Pool:
        """The pool that serves small or large requests of a private pool, or of everything else."""
        pools = self._pools.get(pool_id)
        if pools is None:
            pools = (Pool(small=True, owner=pool_id), Pool(small=False, owner=pool_id))
            self._pools[pool_id] = pools
        return pools[0] if small else pools[1]

    @property
    def pools(self) -> tuple[Pool, ...]:
        """Every pool there is."""
        return tuple(pool for pair in self._pools.values() for pool in pair)

    def hand_out(self, block: Block, size: int, requested: int) -> Block:
        """Bring a block that is in no pool into use, and keep its rest (``alloc_found_block``)."""
        statistics = self.statistics
        was_split = block.previous is not None or block.next is not None
        rest_bytes = block.size - size
        if rest_bytes and should_split(block.size, size, self.config, small=block.pool.small):
            front = Block(block.address, size, block.pool, block.stream, block.base)
            front.insert_before(block)
            block.address += size
            block.size = rest_bytes
            block.pool.add(block)
            if block.base < 0:
                statistics.inactive_split += -size if was_split else rest_bytes
            block = front
        elif was_split and block.base < 0:
            statistics.inactive_split -= block.size
        block.allocated = True
        block.requested = requested
        self.blocks[block.address] = block
        statistics.hand_out(block.size, requested)
        return block

    def free(self, address: int) -> None:
        """Free a block that no other stream uses."""
        if address:
            block = self.blocks.pop(address)
            block.allocated = False
            self.statistics.allocated -= block.size
            self._keep(block)

    def free_requested(self, address: int) -> None:
        """The program lets go of a block; it stays active until :meth:`free_completed`.

        The time between is that of a block with ``record_stream``, whose other streams must finish first.
        """
        block = self.blocks[address]
        block.allocated = False
        block.awaiting = True
        self.statistics.allocated -= block.size

    def free_completed(self, address: int) -> None:
        """No other stream uses a block any more."""
        block = self.blocks.pop(address)
        block.awaiting = False
        self._keep(block)

    def _keep(self, block: Block) -> None:
        """A block goes back to its pool, joined with its free neighbours (``free_block``)."""
        statistics = self.statistics
        statistics.active -= block.size
        statistics.requested -= block.requested
        joined = merge(block, block.previous) + merge(block, block.next)
        block.pool.add(block)
        if block.base < 0:
            rest = 0 if block.previous is None and block.next is None else block.size
            statistics.inactive_split += rest - joined

    def empty_cache(self) -> None:
        """Give back what is cached (``release_cached_blocks``); streams that are waited for finish first."""
        for address in [block.address for block in self.blocks.values() if block.awaiting]:
            self.free_completed(address)
        small, large = self._pools[DEFAULT_POOL]
        release_cached(self.device, (large, small))
        for pool_id in self._freeable:
            release_cached(self.device, self._pools[pool_id])

    def release_pool(self, pool_id: PoolId) -> None:
        """A graph is gone: its pool's free segments may be given back (``releasePool``)."""
        if pool_id in self._pools and pool_id not in self._freeable:
            self._freeable.append(pool_id)

    def _obtain(self, pool: Pool, size: int, stream: int) -> Block:
        """A block from the device, giving cached ones back where it has no room otherwise (``malloc``)."""
        collect_garbage(self.device, self.pool(small=False))
        block = self._take(pool, size, stream)
        if block is None and release_available(self.device, pool, size, stream):
            block = self._take(pool, size, stream)
        if block is None and not is_private(pool):  # giving back is not allowed while a graph is captured
            self.empty_cache()
            self.statistics.retries += 1
            block = self._take(pool, size, stream)
        if block is None:
            self.statistics.out_of_memory += 1
            raise DeviceOutOfMemoryError(size, self.statistics)
        return block

    def _take(self, pool: Pool, size: int, stream: int) -> Block | None:
        """One attempt to get memory from the device (``alloc_block``)."""
        segment = segment_bytes(size, self.config)
        if not self.device.within_limit(segment):
            return None
        if self.config.expandable_segments:
            return grow(self.device, pool, size, stream)
        return self.device.new_segment(pool, segment, stream)
