"""How torch walks over the input and output of a reduction.

Source: ``aten/src/ATen/TensorIterator.cpp`` (``reorder_dimensions``, ``coalesce_dimensions``,
``can_use_32bit_indexing``, ``SplitUntil32Bit``). Strides are in bytes, the fastest dimension comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from optmem_gui.core.kernels.steps import count_of

_MAX_INT32 = 2**31 - 1


@dataclass(frozen=True, slots=True)
class ReducedIterator:
    """The loops of a reduction after sorting and merging.

    Attributes:
        shape: Elements of each loop, the fastest first.
        input_strides: Bytes between its steps in the input.
        output_strides: Bytes in the output; 0 where the loop is reduced.
        reduced_dims: How many of the first loops are reduced.
    """

    shape: tuple[int, ...]
    input_strides: tuple[int, ...]
    output_strides: tuple[int, ...]
    reduced_dims: int

    @property
    def output_count(self) -> int:
        """Number of results."""
        return count_of(self.shape[self.reduced_dims :])

    @property
    def input_count(self) -> int:
        """Elements that go into one result."""
        return count_of(self.shape) // self.output_count

    @property
    def reduces_fastest(self) -> bool:
        """Whether the loop with the smallest input stride is a reduced one."""
        first_kept = self.reduced_dims
        return first_kept == len(self.shape) or self.input_strides[0] < self.input_strides[first_kept]

    @property
    def fastest_stride(self) -> int:
        """Bytes between neighbours in the loop that a thread block runs along."""
        return self.input_strides[0 if self.reduces_fastest else self.reduced_dims]

    def output_vector(self, element_bytes: int) -> int:
        """Neighbouring results that one thread can load together: 4, 2 or 1."""
        vector = 4
        for value in (
            self.shape[self.reduced_dims],
            *(s // element_bytes for i, s in enumerate(self.input_strides) if i != self.reduced_dims),
        ):
            while value % vector:
                vector //= 2
        return vector

    def within_32_bits(self) -> Iterator[ReducedIterator]:
        """The parts that a launch with 32-bit offsets can address; itself where it already can."""
        if self._fits_32_bits():
            yield self
            return
        dim = max(range(len(self.shape)), key=self._extent)
        half = self.shape[dim] // 2
        for size in (half, self.shape[dim] - half):
            shape = (*self.shape[:dim], size, *self.shape[dim + 1 :])
            yield from replace(self, shape=shape).within_32_bits()

    def _extent(self, dim: int) -> int:
        return (self.shape[dim] - 1) * max(self.input_strides[dim], self.output_strides[dim])

    def _fits_32_bits(self) -> bool:
        if count_of(self.shape) > _MAX_INT32:
            return False
        return all(
            1 + sum((size - 1) * stride for size, stride in zip(self.shape, strides, strict=True))
            <= _MAX_INT32
            for strides in (self.input_strides, self.output_strides)
        )


def reduced_iterator(
    shape: Sequence[int], strides: Sequence[int], element_bytes: int, dims: Sequence[int], output_bytes: int
) -> ReducedIterator:
    """Sort and merge the dimensions of a reduction.

    Args:
        shape: Elements of the input.
        strides: Its strides in elements.
        element_bytes: Bytes of an input element.
        dims: Reduced dimensions, negative ones count from the end; empty for all.
        output_bytes: Bytes of an output element; the output is contiguous.
    """
    rank = len(shape)
    reduced = {dim % rank for dim in dims} if dims else set(range(rank))
    out = [0] * rank
    step = output_bytes
    for dim in reversed(range(rank)):
        if dim not in reduced:
            out[dim] = step
            step *= shape[dim]
    inputs = [stride * element_bytes for stride in strides]
    order = _sorted_dims(shape, inputs, out)
    merged = _merged([(shape[dim], inputs[dim], out[dim]) for dim in order])
    return ReducedIterator(
        tuple(loop[0] for loop in merged),
        tuple(loop[1] for loop in merged),
        tuple(loop[2] for loop in merged),
        sum(1 for loop in merged if loop[2] == 0),
    )


def _sorted_dims(shape: Sequence[int], inputs: Sequence[int], out: Sequence[int]) -> list[int]:
    """Reduced dimensions first, then by stride of output and input; an insertion sort, as torch's."""
    order = list(reversed(range(len(shape))))
    for start in range(1, len(order)):
        place = start
        for before in range(start - 1, -1, -1):
            verdict = _out_of_order(order[before], order[place], shape, inputs, out)
            if verdict > 0:
                order[before], order[place] = order[place], order[before]
                place = before
            elif verdict < 0:
                break
    return order


def _out_of_order(a: int, b: int, shape: Sequence[int], inputs: Sequence[int], out: Sequence[int]) -> int:
    """1 where ``b`` belongs before ``a``, -1 where the order is right, 0 where nothing tells."""
    if (out[a] == 0) != (out[b] == 0):
        return 1 if out[b] == 0 else -1
    for strides in (out, inputs):
        if strides[a] == 0 or strides[b] == 0:
            continue
        if strides[a] != strides[b]:
            return 1 if strides[a] > strides[b] else -1
        if shape[a] > shape[b]:
            return 1
    return 0


def _merged(loops: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Neighbouring loops that step evenly through both tensors become one."""
    merged = loops[:1]
    for size, stride, out in loops[1:]:
        last_size, last_stride, last_out = merged[-1]
        even = last_size * last_stride == stride and last_size * last_out == out
        if last_size == 1:
            merged[-1] = (size, stride, out)
        elif size == 1 or even:
            merged[-1] = (last_size * size, last_stride, last_out)
        else:
            merged.append((size, stride, out))
    return merged
