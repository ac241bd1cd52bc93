"""Scratch of normalisation and of gradient norms.

Sources: ``native/cuda/layer_norm_kernel.cu`` (``LayerNormBackwardKernelImplInternal``),
``cudnn/BatchNorm.cpp``, ``native/cuda/ForeachReduceOp.cu``. Batch normalisation equals a recording; the two
others have not been compared.
"""

from __future__ import annotations

from collections.abc import Sequence

from optmem_gui.core.dtypes import F32, DType
from optmem_gui.core.kernels.processors import Processors
from optmem_gui.core.kernels.reductions import Operand, reduction_buffers
from optmem_gui.core.kernels.releases import NEWEST, Release
from optmem_gui.core.kernels.steps import NO_BUFFERS, Buffers, Script, ceil_div

_MANY_ROWS = 64 * 1024
_CHUNK = 65_536


def layer_norm_backward_buffers(
    rows: int, width: int, dtype: DType, processors: Processors, *, release: Release = NEWEST
) -> Buffers:
    """Buffers of the gradients of a layer norm's weight and bias; they follow the gradient of the input.

    Only for very many short rows: partial sums of blocks of rows, then a sum over the blocks.

    Args:
        rows: Rows that are normalised.
        width: Elements of one.
        dtype: Element type of the input.
        processors: The GPU's multiprocessors.
        release: Release of torch.
    """
    if not (rows > _MANY_ROWS and width // 32 < processors.count // 2):
        return NO_BUFFERS
    blocks = min(32_768 // ceil_div(width, 32), ceil_div(rows, 32))
    script = Script()
    partial = dtype.bytes_for(blocks * width)
    script.take("weight gradient of blocks", partial)
    script.take("bias gradient of blocks", partial)
    operand = Operand((blocks, width), (width, 1), dtype)
    for place in ("weight", "bias"):
        for step in reduction_buffers("sum", operand, (0,), dtype, processors, release=release).steps:
            name = f"{place}: {step.name}"
            if step.takes:
                script.take(name, step.size_bytes)
            else:
                script.free(name)
    script.free("bias gradient of blocks", "weight gradient of blocks")
    return script.done(proven=False)


def batch_norm_unused_gradient_bytes(channels: int) -> tuple[int, int]:
    """Gradients of weight and bias that cuDNN's backward computes whether or not they are asked for."""
    return F32.bytes_for(channels), F32.bytes_for(channels)


def foreach_norm_buffers(counts: Sequence[int], out: DType) -> Buffers:
    """Buffer of ``_foreach_norm``, which ``clip_grad_norm_`` calls; it precedes the norms.

    Args:
        counts: Elements of each tensor of the list.
        out: Element type of the norms; the buffer is in fp32 or wider.
    """
    if not counts:
        return NO_BUFFERS
    chunks = max(ceil_div(count, _CHUNK) for count in counts)
    script = Script()
    script.take("norms of chunks", max(4, out.bytes_for(1)) * len(counts) * chunks)
    return script.done(proven=False, before_output=True)
