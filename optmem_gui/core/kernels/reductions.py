"""Scratch of reductions: where several thread blocks share an output, their partial results wait in memory.

Sources: ``aten/src/ATen/native/cuda/Reduce.cuh`` (``setReduceConfig``, ``global_memory_size``,
``semaphore_size``, ``gpu_reduce_kernel``); the accumulators in ``ReduceSumProdKernel.cu``,
``ReduceMomentKernel.cu``, ``ReduceArgMaxKernel.cu``, ``ReduceLogicKernel.cu``. Compared
with recordings of GPUs of 72, 128 and 132 multiprocessors: sum, mean, max over a dimension and any, in fp32
and bool, equal in every size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from optmem_gui.core.dtypes import DType
from optmem_gui.core.kernels.iterator import ReducedIterator, reduced_iterator
from optmem_gui.core.kernels.processors import Processors
from optmem_gui.core.kernels.releases import NEWEST, Release
from optmem_gui.core.kernels.steps import NO_BUFFERS, Buffers, Script, ceil_div, count_of

Reduction = Literal["sum", "mean", "prod", "norm", "index", "extremum", "logic", "moments"]
"""``index``: max and min over a dimension, argmax, argmin; ``extremum``: amax, amin, max and min of all
elements; ``logic``: any and all; ``moments``: var, std and their pairs with the mean."""

_CHECKED: frozenset[tuple[str, str]] = frozenset(
    {("sum", "fp32"), ("mean", "fp32"), ("index", "fp32"), ("logic", "bool")}
)
_MAX_THREADS = 512
_WARP = 32
_MIN_VALUES, _MAX_VALUES = 16, 256
_WIDE_LOADS: Release = (2, 10)
"""From here sums of 16-bit elements load eight at a time."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A tensor as a kernel sees it.

    Attributes:
        shape: Elements of each dimension.
        strides: Distance between neighbours of each dimension, in elements.
        dtype: Element type.
    """

    shape: Sequence[int]
    strides: Sequence[int]
    dtype: DType

    @property
    def element_bytes(self) -> int:
        """Bytes of one element."""
        return self.dtype.bytes_for(1)


def reduction_buffers(
    kind: Reduction,
    operand: Operand,
    dims: Sequence[int],
    out: DType,
    processors: Processors,
    *,
    release: Release = NEWEST,
) -> Buffers:
    """Buffers of one reduction; they follow its output.

    Args:
        kind: The family of the operator.
        operand: What is reduced.
        dims: Dimensions that vanish; empty for all of them.
        out: Element type of the (first) output.
        processors: The GPU's multiprocessors.
        release: Release of torch.
    """
    count = count_of(operand.shape)
    if count == 0:
        return NO_BUFFERS
    script = Script()
    read = operand
    if _is_converted(kind, operand.dtype, out):
        # the kernel reads its accumulation type only: the input is converted first
        script.take("converted", out.bytes_for(count))
        read = Operand(operand.shape, _dense_like(operand), out)
    iterator = reduced_iterator(read.shape, read.strides, read.element_bytes, dims, out.bytes_for(1))
    accumulator = accumulator_bytes(kind, read.dtype)
    parts = list(iterator.within_32_bits())
    split = len(parts) > 1
    if split and not _accumulates_in_output(kind, read.dtype, out):
        script.take("accumulator", accumulator * iterator.output_count)
    vector = _vector(kind, read.dtype, release)
    for index, part in enumerate(parts):
        grid = _grid(part, vector, read.element_bytes, processors)
        if grid is None:
            continue
        per_output, blocks, width = grid
        partial, semaphores = f"partial results {index}", f"semaphores {index}"
        script.take(partial, accumulator * part.output_count * per_output * width)
        script.take(semaphores, 4 * blocks)
        script.free(semaphores, partial)
    held = [name for name in ("accumulator", "converted") if script.holds(name)]
    script.free(*held)
    buffers = script.done(proven=(kind, operand.dtype.id) in _CHECKED and not held and not split)
    return buffers if buffers.steps else NO_BUFFERS


def accumulator_bytes(kind: Reduction, dtype: DType) -> int:
    """Bytes of what one thread accumulates.

    Sums keep fp32 for 16-bit elements; max with its place is a value and an int64; a variance is mean,
    squared deviations, a count and the count as a float.
    """
    size = dtype.bytes_for(1)
    if kind == "logic":
        return 1
    if kind == "index":
        return 16
    if kind == "extremum":
        return size
    if kind == "moments":
        return 24 if dtype.id == "fp64" else 16
    return max(4, size)


def _is_converted(kind: Reduction, dtype: DType, out: DType) -> bool:
    if kind not in ("sum", "mean", "prod") or dtype == out:
        return False
    return not (dtype.id in ("fp16", "bf16") and out.id == "fp32")


def _dense_like(operand: Operand) -> list[int]:
    """Strides of a copy that keeps the order of the dimensions."""
    order = sorted(range(len(operand.shape)), key=lambda d: (operand.strides[d], -d))
    strides, step = [0] * len(operand.shape), 1
    for dim in order:
        strides[dim] = step
        step *= operand.shape[dim]
    return strides


def _accumulates_in_output(kind: Reduction, dtype: DType, out: DType) -> bool:
    return kind not in ("index", "moments") and not (dtype == out and dtype.id in ("fp16", "bf16"))


def _vector(kind: Reduction, dtype: DType, release: Release) -> int:
    """Elements of one load where the reduced dimension is the contiguous one; 1 where loads are single."""
    if kind == "moments":
        return 2 if release >= _WIDE_LOADS else 1
    if kind == "sum" and dtype.bits == 16 and release >= _WIDE_LOADS:
        return 8
    return 4


def _grid(
    part: ReducedIterator, vector: int, element_bytes: int, processors: Processors
) -> tuple[int, int, int] | None:
    """Blocks an output, blocks along the outputs, and elements a block keeps of each output.

    None where one block does all the work of an output: nothing waits in memory then.
    """
    if not part.shape:
        return None
    outputs, inputs = part.output_count, part.input_count
    along = part.reduces_fastest
    dim0, dim1 = (inputs, outputs) if along else (outputs, inputs)
    output_vector = 1
    if part.fastest_stride == element_bytes:
        if along and dim0 >= 128 and part.reduced_dims == 1:
            dim0 //= vector
        elif not along:
            output_vector = part.output_vector(element_bytes)
            dim0 //= output_vector
    width, height = _block(dim0, dim1, _MAX_THREADS // output_vector)
    step_in, step_out = (width, 1) if along else (1, width)
    values = ceil_div(inputs, step_in)
    if values < min(height * 16, _MAX_VALUES):
        return None  # each warp has outputs of its own
    values = ceil_div(inputs, step_in * height)
    blocks = ceil_div(outputs // output_vector, step_out)
    target = processors.count * (processors.threads // (width * height))
    if values < _MAX_VALUES or blocks > target:
        return None
    shares = min(ceil_div(target, blocks), ceil_div(values, _MIN_VALUES))
    shares = max(shares, ceil_div(values, _MAX_VALUES))
    if shares <= 1:
        return None
    return shares, blocks, 1 if along else width * output_vector


def _block(dim0: int, dim1: int, most: int) -> tuple[int, int]:
    """Width and height of a thread block of at most ``most`` threads."""
    power0 = min(_power_below(dim0), most) if dim0 < most else most
    power1 = min(_power_below(dim1), most) if dim1 < most else most
    height = min(power1, most // min(power0, _WARP))
    return min(power0, most // height), height


def _power_below(value: int) -> int:
    return 1 << (value.bit_length() - 1) if value > 0 else 1
