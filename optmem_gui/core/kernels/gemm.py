"""What matrix products take besides their result: workspaces of cuBLAS and cuBLASLt, copies of operands.

Sources: ``aten/src/ATen/cuda/CublasHandlePool.cpp`` and its changes (pytorch pulls 89027, 156495, 168175,
175344, 175879), ``CUDABlas.cpp`` (``gemm_and_bias``), ``native/cuda/Blas.cpp``, ``cuBlasCommonArgs.h``. The
sizes 8,519,680 and 33,554,432 B, the 1 MiB of cuBLASLt (a call each in torch 2.6, kept in 2.9) and the copies
equal recordings.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from optmem_gui.core.kernels.releases import NEWEST, Release
from optmem_gui.core.kernels.steps import count_of

CUBLAS_BYTES = 4096 * 1024 * 2 + 16 * 1024 * 8
"""Two buffers of 4096 KiB and eight of 16 KiB."""

CUBLAS_LARGE_BYTES = 32 * 1024 * 1024
"""On Hopper, and on Blackwell with newer releases."""

CUBLASLT_BYTES = 1024 * 1024
_CONFIG = re.compile(r":([0-9]+):([0-9]+)")
_LARGE_SINCE: dict[str, Release] = {"9": (2, 0), "10": (2, 12), "12": (2, 12), "11": (2, 14)}


def cublas_workspace_bytes(architecture: str | None, release: Release = NEWEST, config: str = "") -> int:
    """Workspace that every thread with a matrix product takes once and keeps.

    A training process has two: the forward thread's and the autograd thread's.

    Args:
        architecture: Compute capability such as ``sm_90``; None or empty when no GPU is chosen.
        release: Release of torch.
        config: ``CUBLAS_WORKSPACE_CONFIG``, pairs ``:SIZE_KIB:COUNT``; torch ignores what does not match.
    """
    pairs = _CONFIG.findall(config)
    if pairs:
        return sum(int(size) * 1024 * int(count) for size, count in pairs)
    major, minor = _capability(architecture)
    since = _LARGE_SINCE.get(major)
    large = since is not None and release >= since and (major != "9" or minor == "0")
    return CUBLAS_LARGE_BYTES if large else CUBLAS_BYTES


def _capability(architecture: str | None) -> tuple[str, str]:
    digits = (architecture or "").removeprefix("sm_")
    return digits[:-1], digits[-1:]


@dataclass(frozen=True, slots=True)
class LtWorkspace:
    """Scratch of a product with a bias.

    Attributes:
        life: ``call``: taken and freed by every call; ``kept``: once a thread; ``shared``: cuBLAS's own.
        size_bytes: Its size; 0 where it is shared.
    """

    life: Literal["call", "kept", "shared"]
    size_bytes: int


def cublaslt_workspace(release: Release = NEWEST) -> LtWorkspace:
    """How cuBLASLt gets its workspace: per call before torch 2.9, then kept, from 2.12 cuBLAS's own."""
    if release >= (2, 12):
        return LtWorkspace("shared", 0)
    return LtWorkspace("kept" if release >= (2, 9) else "call", CUBLASLT_BYTES)


def uses_cublaslt(bias_shape: Sequence[int], bias_strides: Sequence[int], mat2_shape: Sequence[int]) -> bool:
    """Whether ``addmm`` takes cuBLASLt, which adds the bias in its epilogue.

    Args:
        bias_shape: Of the first argument.
        bias_strides: Of the same.
        mat2_shape: Of the last argument.
    """
    if len(bias_shape) != 1 or len(mat2_shape) != 2 or bias_strides[0] != 1:
        return False
    return bias_shape[0] == mat2_shape[1] and mat2_shape[0] > 1 and mat2_shape[1] > 1


def operand_copy_bytes(shape: Sequence[int], strides: Sequence[int], element_bytes: int) -> int:
    """Bytes of the copy that cuBLAS needs of a matrix (or batch of matrices); 0 where it reads it as it lies.

    It reads rows or columns whose distance is at least their length; others, such as the expanded gradient
    of ``sum()``, are copied, and the copy lives as long as the operator.
    """
    if count_of(shape) == 0 or (len(shape) == 2 and _is_dense(shape, strides)):
        return 0
    rows, columns = shape[-2:]
    row_step, column_step = strides[-2:]
    if row_step == 1 and column_step >= max(1, rows):
        return 0
    if column_step == 1 and row_step >= max(1, columns):
        return 0
    return 0 if _is_contiguous(shape, strides) else count_of(shape) * element_bytes


def _is_dense(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether the elements fill a block of memory without gap or overlap, in any order."""
    step = 1
    for stride, size in sorted(zip(strides, shape, strict=True)):
        if size == 1:
            continue
        if stride != step:
            return False
        step *= size
    return True


def _is_contiguous(shape: Sequence[int], strides: Sequence[int]) -> bool:
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1 and stride != step:
            return False
        step *= size
    return True
