"""Reductions whose thread blocks meet in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from optmem_gui.core.dtypes import DTYPES, DType
from optmem_gui.core.kernels.reductions import Operand, Reduction, reduction_buffers
from optmem_gui.worker.job import TORCH_DTYPES
from optmem_gui.worker.simulate.dispatch import Args, Kwargs
from optmem_gui.worker.simulate.shapes import compute
from optmem_gui.worker.simulate.tracker import Tracker

_IDS = {dtype: key for key, dtype in TORCH_DTYPES.items()}

KINDS: dict[str, Reduction] = {
    "sum": "sum",
    "nansum": "sum",
    "mean": "mean",
    "prod": "prod",
    "linalg_vector_norm": "norm",
    "norm": "norm",
    "max": "index",
    "min": "index",
    "argmax": "index",
    "argmin": "index",
    "amax": "extremum",
    "amin": "extremum",
    "any": "logic",
    "all": "logic",
    "_is_any_true": "logic",
    "_is_all_true": "logic",
    "var": "moments",
    "std": "moments",
    "var_mean": "moments",
    "std_mean": "moments",
}
_DIM_PLACE = {"linalg_vector_norm": 2, "norm": 2}


def dtype_of(tensor: Tensor) -> DType | None:
    """The element type in the terms of the kernels; None for one they do not know."""
    key = _IDS.get(tensor.dtype)
    return None if key is None else DTYPES[key]


def operand_of(tensor: Tensor) -> Operand | None:
    """A tensor in the terms of the kernels."""
    dtype = dtype_of(tensor)
    return None if dtype is None else Operand(tuple(tensor.shape), tensor.stride(), dtype)


def reduce(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """One reduction: its results, then the buffer that blocks share."""
    out = compute(op, args, kwargs)
    source = args[0]
    if not isinstance(source, Tensor) or not source.is_meta:
        return out
    tracker.see(out, name)
    first = out[0] if isinstance(out, tuple) else out
    kind = KINDS[name]
    if name in ("max", "min") and not isinstance(out, tuple):
        if len(args) > 1 and isinstance(args[1], Tensor):
            return out  # elementwise maximum of two tensors
        kind = "extremum"
    place = _DIM_PLACE.get(name, 1)
    dim = args[place] if len(args) > place else kwargs.get("dim")
    play_reduction(tracker, name, kind, source, dims=_dims(dim), out=first)
    return out


def play_reduction(
    tracker: Tracker, name: str, kind: Reduction, source: Tensor, *, dims: Sequence[int], out: Tensor
) -> None:
    """The buffers of a reduction inside any operator."""
    operand, result = operand_of(source), dtype_of(out)
    if operand is None or result is None or not source.numel():
        return
    tracker.play(
        name,
        lambda processors: reduction_buffers(
            kind, operand, dims, result, processors, release=tracker.machine.release
        ),
    )


def _dims(dim: Any) -> tuple[int, ...]:
    if dim is None or isinstance(dim, bool):
        return ()
    return tuple(dim) if isinstance(dim, (list, tuple)) else (int(dim),)
