"""Every tensor that an optimizer keeps, wherever it keeps it: its state, its groups, its attributes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import torch

Kept = dict[str, tuple[int, int]]
"""Tensors and bytes by name: the key in the state, in a group, or the attribute."""


def kept(optimizer: Any, parameters: Iterable[torch.Tensor]) -> Kept:
    """What an optimizer holds beside parameters and gradients; a storage counts once, with all its bytes."""
    parameters = list(parameters)
    seen = {p.untyped_storage()._cdata for p in parameters}
    seen |= {p.grad.untyped_storage()._cdata for p in parameters if p.grad is not None}
    found: Kept = {}
    met: set[int] = set()
    for name, value in _places(optimizer):
        for tensor in tensors_in(value):
            if id(tensor) in met:
                continue
            met.add(id(tensor))
            storage = tensor.untyped_storage()
            mine = storage._cdata not in seen or _shared(name, found)
            if not mine or not tensor.numel():
                continue
            count, size = found.get(name, (0, 0))
            found[name] = (count + 1, size + (0 if storage._cdata in seen else storage.nbytes()))
            seen.add(storage._cdata)
    return found


def _shared(name: str, found: Kept) -> bool:
    """A view of a storage that was counted: another tensor, no more bytes."""
    return name in found


def _places(optimizer: Any) -> Iterator[tuple[str, Any]]:
    for owner, entry in optimizer.state.items():
        if isinstance(owner, torch.Tensor):
            for name, value in entry.items():  # heavyball keeps one entry a view of the parameter
                yield from value.items() if isinstance(name, int) else ((name, value),)
        else:
            yield str(owner), entry
    for group in optimizer.param_groups:
        yield from ((name, value) for name, value in group.items() if name != "params")
    for name, value in vars(optimizer).items():
        if name not in ("state", "param_groups", "defaults"):
            yield name, value


def tensors_in(value: Any, depth: int = 6) -> Iterator[torch.Tensor]:
    """Tensors in nested containers and plain objects."""
    if isinstance(value, torch.Tensor):
        yield value
    elif depth and isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item, depth - 1)
    elif depth and isinstance(value, list | tuple | set | deque):
        for item in value:
            yield from tensors_in(item, depth - 1)
    elif depth and hasattr(value, "__dict__") and not isinstance(value, type) and not callable(value):
        for item in vars(value).values():
            yield from tensors_in(item, depth - 1)
