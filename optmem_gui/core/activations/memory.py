"""Memory that a step is played on: blocks of the allocator, and what they hold beyond the requests."""

from __future__ import annotations

from collections.abc import Iterable

from optmem_gui.core.activations.requests import Event
from optmem_gui.core.activations.tape import KEPT
from optmem_gui.core.blocks import SMALL_BYTES, Block, LargePool, whole_blocks

Places = list[Block | None]
"""Blocks by the place of a tensor in its stage; None for what is small, or not there."""


class Memory:
    """The large pool, and its ends at the largest moment since :meth:`restart`."""

    def __init__(self) -> None:
        self._pool = LargePool()
        self._shared: dict[Block, int] = {}
        self._highest = self._highest_ends = 0

    @property
    def ends(self) -> int:
        """Bytes beyond the requests now."""
        return self._pool.ends

    @property
    def asked_bytes(self) -> int:
        """What is in use, without ends."""
        return self._pool.allocated - self._pool.ends

    @property
    def highest_ends(self) -> int:
        """Bytes beyond the requests at the largest moment."""
        return self._highest_ends

    def restart(self) -> None:
        """Look for the largest moment from here on."""
        self._highest, self._highest_ends = 0, self.ends

    def take(self, size_bytes: int) -> Block | None:
        """Ask for bytes; None for a small request, which leaves no ends."""
        if size_bytes <= SMALL_BYTES:
            return None
        block = self._pool.take(whole_blocks(size_bytes))
        if self._pool.allocated > self._highest:
            self._highest, self._highest_ends = self._pool.allocated, self.ends
        return block

    def play(self, events: Iterable[Event], places: Places) -> Iterable[tuple[int, Block | None]]:
        """What a stage asks for and lets go, in order.

        Args:
            events: Of the stage.
            places: Its blocks, which change.

        Yields:
            What is not for the allocator to decide, when it comes: a place and its block, which is a
            parameter's gradient from here on; a place below 0, where a product is the first.
        """
        pool, pool_take, give_back = self._pool, self._pool.take, self._pool.give_back
        shared = self._shared
        for place, size in events:
            if size > 0:
                places[place] = pool_take(size)
                if pool.allocated > self._highest:
                    self._highest = pool.allocated
                    self._highest_ends = pool.ends
            elif size == KEPT or place < 0:
                block = None
                if place >= 0:
                    block, places[place] = places[place], None
                yield place, block
            else:
                block, places[place] = places[place], None
                if block in shared:
                    self.let_go(block)
                elif block is not None:
                    give_back(block)

    def share(self, block: Block | None) -> None:
        """One more holds it."""
        if block is not None:
            self._shared[block] = self._shared.get(block, 0) + 1

    def let_go(self, block: Block | None) -> None:
        """One holder fewer; the last one gives the block back."""
        if block is None:
            return
        others = self._shared.get(block)
        if others:
            if others == 1:
                del self._shared[block]
            else:
                self._shared[block] = others - 1
            return
        self._pool.give_back(block)
