"""Forward and backward of a network as requests to the allocator, in the order in which they come."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from optmem_gui.core.activations.chain import Requested, Walk
from optmem_gui.core.activations.memory import Memory
from optmem_gui.core.activations.network import chain_of
from optmem_gui.core.activations.setting import Setting
from optmem_gui.core.activations.tape import KEPT, PRODUCT
from optmem_gui.core.blocks import Block


class NetworkPasses:
    """Micro-batches of one run, played on its memory.

    Args:
        setting: What is played.
        memory: Where.
        workspace_bytes: cuBLAS's workspace of one thread.
        added: Every gradient is added to a buffer and let go at once.
    """

    def __init__(self, setting: Setting, memory: Memory, *, workspace_bytes: int, added: bool) -> None:
        self._requested, self._memory = _requested(setting), memory
        self._workspace_bytes, self._added = workspace_bytes, added
        self._multiplied: set[bool] = set()
        self._places: dict[str, Block | None] = {}
        self._gradients: dict[str, Block | None] = {}

    def forward(self) -> None:
        """From the batch to the loss."""
        self.drop_logits()
        self._play(self._requested.forward, in_backward=False)

    def backward(self) -> None:
        """From the loss to the gradients."""
        self._play(self._requested.backward, in_backward=True)
        for name in self._requested.gradients:
            self._keep(name)

    def drop_logits(self) -> None:
        """The training loop lets go of the logits, and of the batch."""
        for held in self._places.values():
            self._memory.let_go(held)
        self._places.clear()

    def drop_gradients(self) -> None:
        """``zero_grad``."""
        for held in self._gradients.values():
            self._memory.let_go(held)
        self._gradients.clear()

    def _play(self, events: Iterable[tuple[str, int]], *, in_backward: bool) -> None:
        memory, places = self._memory, self._places
        for name, size in events:
            if size > 0:
                places[name] = memory.take(size)
            elif name == PRODUCT:
                if in_backward not in self._multiplied:
                    self._multiplied.add(in_backward)
                    memory.take(self._workspace_bytes)
            elif size == KEPT:
                self._keep(name)
            else:
                memory.let_go(places.pop(name))

    def _keep(self, name: str) -> None:
        """A parameter's gradient, unless there is one that it was added to."""
        block = self._places.pop(name)
        if self._added or name in self._gradients:
            self._memory.let_go(block)
            return
        self._gradients[name] = block


@lru_cache(maxsize=64)
def _requested(setting: Setting) -> Requested:
    """Every layer is walked through: what one finds free depends on those before it."""
    walk = Walk(chain_of(setting, every_layer=True), setting.unit, accumulating=setting.accumulating)
    walk.run()
    return walk.requested()
