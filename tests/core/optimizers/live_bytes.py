"""Live bytes during a call, as torch dispatches it: every storage an operator returns, until it is freed."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class LiveBytes(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves __init_subclass__ bare
    """Counts the storages that operators make while it is active, and those known before that are freed.

    Attributes:
        live: Bytes alive now, less those alive at the start.
        peak: Most of that at once.
    """

    def __init__(self, known: Iterable[torch.Tensor]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # torch leaves it bare
        self.live = 0
        self.peak = 0
        self._seen: set[int] = set()
        for tensor in known:
            self._note(tensor)
        self.live = 0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(result):
            if isinstance(leaf, torch.Tensor):
                self._note(leaf)
        self.peak = max(self.peak, self.live)
        return result

    def _note(self, tensor: torch.Tensor) -> None:
        for storage in _storages(tensor):
            key = storage._cdata
            if key not in self._seen:
                self._seen.add(key)
                self.live += storage.nbytes()
                weakref.finalize(storage, self._freed, key, storage.nbytes())

    def _freed(self, key: int, size: int) -> None:
        self._seen.discard(key)
        self.live -= size


def _storages(tensor: torch.Tensor) -> Iterator[torch.UntypedStorage]:
    if tensor.is_sparse:
        yield tensor._values().untyped_storage()
        yield tensor._indices().untyped_storage()
    else:
        yield tensor.untyped_storage()


def extra_peak(step: Callable[[], object], known: Iterable[torch.Tensor]) -> tuple[int, int]:
    """Most bytes alive during ``step`` beyond those alive before it, and how many are left after it.

    Args:
        step: What is run.
        known: Tensors that exist before; give an iterator, so that nothing here keeps them alive.
    """
    live = LiveBytes(known)
    with live:
        step()
    return live.peak, live.live
