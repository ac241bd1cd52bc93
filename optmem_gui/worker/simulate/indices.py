"""Slices ``x[:, i]`` in older releases: a full slice is an operator with a gradient of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import torch
from torch import Tensor

from optmem_gui.core.kernels.releases import Release

FULL_SLICES_UNTIL: Release = (2, 8)
"""Seen in recordings of torch 2.6; not in torch 2.13."""

_END = (1 << 63) - 1


@contextmanager
def with_full_slices() -> Iterator[None]:
    """Indexing takes every slice as an operator inside."""
    indexed = torch.Tensor.__getitem__

    def get(tensor: Tensor, index: Any) -> Tensor:
        parts = index if isinstance(index, tuple) else (index,)
        if tensor.is_meta and all(_is_basic(part) for part in parts):
            return _sliced(tensor, parts)
        return indexed(tensor, index)

    with mock.patch.object(torch.Tensor, "__getitem__", get):
        yield


def _is_basic(part: Any) -> bool:
    if isinstance(part, slice):
        return all(value is None or type(value) is int for value in (part.start, part.stop, part.step))
    return part is None or part is Ellipsis or type(part) is int


def _sliced(tensor: Tensor, parts: tuple[Any, ...]) -> Tensor:
    dim, aten = 0, torch.ops.aten
    for place, part in enumerate(parts):
        if part is None:
            tensor = tensor.unsqueeze(dim)
            dim += 1
        elif part is Ellipsis:
            dim = tensor.dim() - sum(1 for rest in parts[place + 1 :] if rest is not None)
        elif isinstance(part, slice):
            stop = _END if part.stop is None else part.stop
            tensor = aten.slice.Tensor(tensor, dim, part.start or 0, stop, part.step or 1)
            dim += 1
        else:
            tensor = aten.select.int(tensor, dim, part)
    return tensor
