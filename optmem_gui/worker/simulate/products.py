"""Matrix products: workspaces of cuBLAS and cuBLASLt, and operands that must be copied first."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from optmem_gui.core.kernels.gemm import operand_copy_bytes, uses_cublaslt
from optmem_gui.worker.simulate.dispatch import Args, Kwargs
from optmem_gui.worker.simulate.shapes import compute
from optmem_gui.worker.simulate.tracker import Tracker

_WITH_SUM = frozenset({"addmm", "addmm_", "baddbmm", "baddbmm_", "addbmm", "addbmm_", "addmv", "addmv_"})


def product(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """A product of matrices or of batches of them."""
    out = compute(op, args, kwargs)
    if not out.is_meta:
        return out
    tracker.see(out, name)
    factors = args[1:3] if name in _WITH_SUM else args[:2]
    machine = tracker.machine
    if name == "addmm" and _is_linear(args):
        workspace = machine.cublaslt
        if workspace.life == "call":
            tracker.passing(f"{name}:cuBLASLt workspace", workspace.size_bytes)
        elif workspace.life == "kept":
            tracker.keep_workspace("cuBLASLt", workspace.size_bytes)
    tracker.keep_workspace("cuBLAS", machine.cublas_bytes)
    copies = []
    for factor in factors:
        if factor.dim() > 1:
            size = operand_copy_bytes(tuple(factor.shape), factor.stride(), factor.element_size())
            if size:
                copies.append(tracker.take(f"{name}:operand copy", size))
    for block in reversed(copies):
        tracker.free(block)
    return out


def _is_linear(args: Args) -> bool:
    bias, factor = args[0], args[2]
    if not isinstance(bias, Tensor) or bias.dim() != 1:
        return False
    return uses_cublaslt(tuple(bias.shape), bias.stride(), tuple(factor.shape))
