"""Indexing with tensors, and the gradients of it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from optmem_gui.core.kernels.indexing import (
    embedding_backward_buffers,
    host_index_buffers,
    index_put_buffers,
)
from optmem_gui.core.kernels.steps import Buffers
from optmem_gui.worker.simulate.dispatch import Args, Kwargs
from optmem_gui.worker.simulate.in_place import is_fresh
from optmem_gui.worker.simulate.shapes import compute
from optmem_gui.worker.simulate.tracker import Tracker, plain


def index(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """``x[i]``: indices that lie on the host are copied for the time of the operator."""
    hosted = [
        each.numel()
        for each in args[1]
        if isinstance(each, Tensor) and each.device.type == "cpu" and each.dim() > 0
    ]
    if not hosted or not args[0].is_meta:
        return plain(tracker, op, name, args, kwargs)
    held = [tracker.take(f"{name}:{step.name}", step.size_bytes) for step in host_index_buffers(hosted).steps]
    out = plain(tracker, op, name, args, kwargs)
    for block in reversed(held):
        tracker.free(block)
    return out


def index_put(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """``x[i] = v`` and its sum form, the gradient of ``x[i]``: indices are sorted before values are added."""
    target = args[0]
    if not target.is_meta:
        return plain(tracker, op, name, args, kwargs)
    if name.endswith("_") or name == "_index_put_impl_" or is_fresh(tracker, target):
        out = target
    else:
        out = compute(op, args, kwargs)
        tracker.see(out, name)
    accumulate = args[3] if len(args) > 3 else kwargs.get("accumulate", False)
    buffers = _sort_buffers(target, args[1], args[2]) if accumulate else None
    if buffers is not None:
        tracker.play(name, lambda _: buffers)
    return out


def _sort_buffers(target: Tensor, indices: Any, values: Tensor) -> Buffers | None:
    given = [each for each in indices if each is not None]
    if not given or any(each.dtype in (torch.bool, torch.uint8) for each in given):
        return None
    count = 1
    for size in torch.broadcast_shapes(*(each.shape for each in given)):  # type: ignore[no-untyped-call]  # the library leaves it untyped
        count *= size
    rows = 1
    for dim, each in enumerate(indices):
        if each is not None:
            rows *= target.shape[dim]
    copied = 0 if values.is_contiguous() else values.numel() * values.element_size()
    hosted = [each.device.type == "cpu" for each in given]
    return index_put_buffers(count, hosted, rows, values_bytes=copied)


def embedding_backward(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """The gradient of an embedding table: tokens are sorted, then summed in segments."""
    out = plain(tracker, op, name, args, kwargs)
    gradient, tokens, rows = args[:3]
    if gradient.is_meta:
        buffers = embedding_backward_buffers(
            tokens.numel(), gradient.shape[-1], int(rows), tokens.element_size()
        )
        tracker.play(name, lambda _: buffers)
    return out
