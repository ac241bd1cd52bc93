"""What sums over rows take beside their result: the gradient of a bias is one over all tokens."""

from __future__ import annotations

from functools import lru_cache

from optmem_gui.core.dtypes import DType
from optmem_gui.core.kernels.processors import Processors
from optmem_gui.core.kernels.reductions import Operand, reduction_buffers


@lru_cache(maxsize=512)
def summed_rows_bytes(rows: int, columns: int, dtype: DType, processors: Processors | None) -> int:
    """Partial results of ``sum(0)`` of a (rows, columns) tensor, which wait beside its result.

    ``AddmmBackward0`` hands a bias the gradient of all rows, and ``validate_outputs`` of ``engine.cpp`` sums
    it up (``at::sum_to``).

    Args:
        rows: Rows that are summed.
        columns: Results.
        dtype: Element type.
        processors: The GPU's multiprocessors; None, on the CPU and where they are not known, counts none.
    """
    if processors is None:
        return 0
    operand = Operand((rows, columns), (columns, 1), dtype)
    return reduction_buffers("sum", operand, (0,), dtype, processors).peak_bytes
