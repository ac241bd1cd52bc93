"""Values that cross between the device and the host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from optmem_gui.worker.simulate.dispatch import Args, Kwargs, unseen
from optmem_gui.worker.simulate.places import program_line
from optmem_gui.worker.simulate.tracker import Tracker, plain
from optmem_gui.worker.sources.answers import answer

_SCALAR_BYTES = 8


def read_value(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """``.item()`` and ``bool()``: there is no value, so a branch on it may go the wrong way."""
    tensor = args[0]
    if not tensor.is_meta:
        return plain(tracker, op, name, args, kwargs)
    block = tracker.block_of(tensor)
    line = program_line()
    value, sure = answer("" if block is None else block.op, tensor.dtype, "" if line is None else line[0])
    if line is not None and not sure:
        place = f"{Path(line[0]).name}:{line[1]}"
        tracker.note(
            "simulate.value_read",
            place=place,
            module=tracker.places.here(None) or "-",
            value=str(value),
        )
    return value


def copy(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """``_to_copy``: to the host there is nothing to copy but the shape."""
    device = kwargs.get("device")
    tensor = args[0]
    if tensor.is_meta and device is not None and device.type == "cpu":
        dtype = kwargs.get("dtype") or tensor.dtype
        return torch.zeros(tensor.shape, dtype=dtype, device="cpu")
    return plain(tracker, op, name, args, kwargs)


def copy_into(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """``copy_``: nothing is read from a meta tensor; between types the GPU converts while it copies."""
    if args[0].is_meta or args[1].is_meta:
        return args[0]
    return plain(tracker, op, name, args, kwargs)


def power(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """``scalar ** tensor``: the scalar becomes a tensor for the time of the operator (native/Pow.cpp)."""
    out = plain(tracker, op, name, args, kwargs)
    if op is torch.ops.aten.pow.Scalar and isinstance(args[1], Tensor) and args[1].is_meta:
        tracker.passing(f"{name}:scalar", _SCALAR_BYTES)
    return out


def resize(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """``resize_``: a storage that grows is another allocation."""
    tensor = args[0]
    before = tracker.block_of(tensor) if tensor.is_meta else None
    with unseen():
        out = op(*args, **kwargs)
    if tensor.is_meta:
        size = tensor.untyped_storage().nbytes()
        if before is None:
            tracker.see(tensor, name)
        elif size > before.requested:
            tracker.replace(tensor, name, size)
    return out
