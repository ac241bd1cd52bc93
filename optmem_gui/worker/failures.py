"""What went wrong in the worker, as a message the user can act on."""

from __future__ import annotations

import re
import traceback

import torch

from optmem_gui.core.errors import UserError
from optmem_gui.core.protocol import Failed
from optmem_gui.worker.compiling import is_compilers
from optmem_gui.worker.update import first_line

_CPU_REQUEST = re.compile(r"you tried to allocate (\d+) bytes")
_CUDA_REQUEST = re.compile(r"Tried to allocate ([\d.]+) (bytes|KiB|MiB|GiB|TiB)")
_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_NO_ROOM = "CUDA error: out of memory"
"""Not the allocator's error: the driver had no room for a context or a kernel's own memory."""

_LOST = ("device-side", "unspecified launch failure", "illegal memory access", "GPU is lost", "ECC error")


def explain(error: Exception, step: int, phase: str, device: str, action: str = "measure") -> Failed:
    """Turn what was raised into a message.

    Args:
        error: What was raised.
        step: Step it happened in.
        phase: Phase it happened in.
        device: Device of the request.
        action: What was done, ``measure`` or ``simulate``: the area of the text.
    """
    detail = traceback.format_exception_only(type(error), error)[-1].strip()
    if isinstance(error, UserError):
        return Failed(error.code, error.code, error.reason.values, detail, step, phase)
    asked = asked_bytes(error)
    if asked is not None:
        return _out_of_memory(asked, detail, step, phase, device)
    if isinstance(error, MemoryError):
        return _out_of_memory(0, detail, step, phase, "cpu")
    cause = first_line(error)
    values: dict[str, int | float | str]
    if isinstance(error, RuntimeError) and _NO_ROOM in str(error):
        return Failed("out_of_memory", "measure.no_room_to_start", {"cause": cause}, detail, step, phase)
    if isinstance(error, RuntimeError) and any(sign in str(error) for sign in _LOST):
        return Failed("gpu_lost", "measure.gpu_failed", {"cause": cause}, detail, step, phase)
    where = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    if is_compilers(error):
        code, key, values = "compile_failed", "measure.compile_failed", {"cause": cause}
    else:
        code, key = "error", f"{action}.step_failed"
        values = {"phase": phase or "start", "step": step, "cause": f"{type(error).__name__}: {cause}"}
    return Failed(code, key, values, where, step, phase)


def asked_bytes(error: Exception) -> int | None:
    """Size of the allocation that failed, None for any other error; CUDA's text rounds it."""
    text = str(error)
    if isinstance(error, torch.OutOfMemoryError):
        found = _CUDA_REQUEST.search(text)
        return int(float(found[1]) * _UNITS[found[2]]) if found else 0
    found = _CPU_REQUEST.search(text)
    return int(found[1]) if isinstance(error, RuntimeError) and found else None


def _out_of_memory(asked: int, detail: str, step: int, phase: str, device: str) -> Failed:
    values: dict[str, int | float | str] = {"asked_bytes": asked, "phase": phase, "step": step}
    if device == "cpu":
        key = "measure.out_of_host_memory"
    else:
        key = "measure.out_of_memory"
        values["free_bytes"] = _free_bytes()
    return Failed("out_of_memory", key, values, detail, step, phase)


def _free_bytes() -> int:
    """What the GPU has left, 0 where an error that sticks keeps it from answering."""
    try:
        return int(torch.cuda.mem_get_info()[0])
    except RuntimeError:
        return 0
