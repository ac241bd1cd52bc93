"""Operators on lists of tensors that write into them."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from optmem_gui.worker.simulate.dispatch import Args, Kwargs
from optmem_gui.worker.simulate.tracker import Tracker, plain


def in_place(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """One kernel over all of them that allocates nothing: on meta tensors there is nothing to do."""
    first = args[0]
    if isinstance(first, (list, tuple)) and first and isinstance(first[0], Tensor) and first[0].is_meta:
        if name.startswith("_fused_"):
            tracker.unproven.add(name)
        return None
    return plain(tracker, op, name, args, kwargs)


def unscale(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """GradScaler's check for infinities writes into the gradients and one flag."""
    tracker.unproven.add("GradScaler")
    return in_place(tracker, op, name, args, kwargs)


def update_scale(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """GradScaler's new scale is written into the old one."""
    return args[0] if args[0].is_meta else plain(tracker, op, name, args, kwargs)
