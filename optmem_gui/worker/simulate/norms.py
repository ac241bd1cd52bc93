"""Normalisation, dropout and convolution."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from optmem_gui.core.kernels.convolution import CUDNN_WORKSPACE_MAX_BYTES, CUDNN_WORKSPACE_MIN_BYTES
from optmem_gui.core.kernels.norms import (
    batch_norm_unused_gradient_bytes,
    foreach_norm_buffers,
    layer_norm_backward_buffers,
)
from optmem_gui.worker.simulate.dispatch import Args, Kwargs
from optmem_gui.worker.simulate.reductions import dtype_of, play_reduction
from optmem_gui.worker.simulate.shapes import compute
from optmem_gui.worker.simulate.tracker import Tracker, plain


def layer_norm_backward(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """Very many short rows are summed in two passes."""
    out = plain(tracker, op, name, args, kwargs)
    source, shape = args[1], args[2]
    dtype = dtype_of(source)
    if source.is_meta and dtype is not None:
        width = math.prod(shape)
        rows = source.numel() // max(width, 1)
        tracker.play(
            name,
            lambda processors: layer_norm_backward_buffers(
                rows, width, dtype, processors, release=tracker.machine.release
            ),
        )
    return out


def batch_norm_backward(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """The gradients of weight and bias are computed whether or not they are wanted."""
    out = plain(tracker, op, name, args, kwargs)
    source = args[1]
    if source.is_meta:
        sizes = batch_norm_unused_gradient_bytes(source.shape[1])
        wanted = args[-1][1:]
        unused = [size for size, want in zip(sizes, wanted, strict=True) if not want]
        held = [tracker.take(f"{name}:unused gradient", size) for size in unused]
        for block in held:
            tracker.free(block)
    return out


def foreach_norm(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """Norms of a list of tensors: a buffer of partial norms lives as long as the operator."""
    out = compute(op, args, kwargs)
    dtype = dtype_of(args[0][0])
    if not args[0][0].is_meta or dtype is None:
        return out
    buffers = foreach_norm_buffers([each.numel() for each in args[0]], dtype)
    tracker.unproven.add(name)
    held = [tracker.take(f"{name}:{step.name}", step.size_bytes) for step in buffers.steps if step.takes]
    tracker.see(out, name)
    for block in held:
        tracker.free(block)
    return out


def dropout(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """The mask is allocated before the result (native/cuda/Dropout.cu)."""
    out = compute(op, args, kwargs)
    tracker.see(out[1], name)
    tracker.see(out[0], name)
    return out


def convolution(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """A workspace that nothing but cuDNN knows; a band."""
    out = plain(tracker, op, name, args, kwargs)
    source = args[0]
    if not isinstance(source, Tensor) or not source.is_meta:
        return out
    tracker.passing(f"{name}:cuDNN workspace", CUDNN_WORKSPACE_MIN_BYTES, CUDNN_WORKSPACE_MAX_BYTES)
    tracker.banded = True
    tracker.note("simulate.cudnn_workspace", most_bytes=CUDNN_WORKSPACE_MAX_BYTES)
    bias = out[2] if name == "convolution_backward" else None
    if bias is not None:
        dims = [dim for dim in range(source.dim()) if dim != 1]
        play_reduction(tracker, name, "sum", source, dims=dims, out=bias)
    return out
