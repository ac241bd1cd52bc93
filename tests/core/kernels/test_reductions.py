"""Reductions: the sizes that recordings of GPUs hold, and the arithmetic of their loops."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.core.dtypes import BF16, BOOL, F16, F32, INT64
from optmem_gui.core.kernels.iterator import reduced_iterator
from optmem_gui.core.kernels.processors import FEWEST, MOST, Processors
from optmem_gui.core.kernels.reductions import Operand, Reduction, accumulator_bytes, reduction_buffers
from optmem_gui.core.kernels.steps import Buffers

A100 = Processors(108, 2048)
H100 = Processors(132, 2048)
AD102 = Processors(128, 1536)
TU102 = Processors(72, 1024)


def taken(buffers: Buffers) -> list[int]:
    return [step.size_bytes for step in buffers.steps if step.takes]


def row_major(*shape: int) -> tuple[int, ...]:
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


@pytest.mark.parametrize(
    ("rows", "width", "recorded"),
    [
        (10 * 100, 512, []),
        (10 * 150, 512, [6_291_456, 16]),
        (10 * 200, 512, [8_388_608, 16]),
        (4 * 128, 1024, []),
        (4 * 256, 1024, [8 << 20, 32]),
        (4 * 512, 1024, [16 << 20, 32]),
        (4 * 1024, 1024, [32 << 20, 32]),
    ],
)
def test_sums_over_rows_take_what_was_recorded(rows: int, width: int, recorded: list[int]) -> None:
    # 1500 rows of 512: threads load 4 results, blocks are 32 wide and 4 high, 4 of them cover the outputs;
    # a thread has 375 values, so 24 shares: 4 B x 512 x 24 x 32 x 4 = 6,291,456, and 4 semaphores of 4 B.
    operand = Operand((rows, width), row_major(rows, width), F32)
    buffers = reduction_buffers("sum", operand, (0,), F32, H100)
    assert taken(buffers) == recorded
    assert buffers.proven


@pytest.mark.parametrize(
    ("kind", "rows", "recorded"),
    [
        ("index", 512, [164_626_432, 16]),
        ("index", 1024, [329_252_864, 32]),
        ("index", 2048, [553_648_128, 64]),
        ("sum", 512, [41_156_608, 16]),
    ],
)
def test_logits_with_a_strided_vocabulary_take_what_was_recorded(
    kind: Reduction, rows: int, recorded: list[int]
) -> None:
    logits = Operand((rows, 10_000), (1, rows), F32)
    assert taken(reduction_buffers(kind, logits, (1,), F32, H100)) == recorded


def test_a_full_sum_takes_one_result_a_block() -> None:
    # 128 multiprocessors x floor(1536 / 512) blocks = 384 blocks; 384 x 4 B, and one semaphore of 4 B
    operand = Operand((40_960_000,), (1,), F32)
    assert taken(reduction_buffers("sum", operand, (), F32, AD102)) == [384 * 4, 4] == [1_536, 4]


def test_a_full_mean_takes_one_result_a_block() -> None:
    # 72 multiprocessors x floor(1024 / 512) = 144 blocks
    operand = Operand((4, 1, 1024, 1024), row_major(4, 1, 1024, 1024), F32)
    assert taken(reduction_buffers("mean", operand, (), F32, TU102)) == [144 * 4, 4] == [576, 4]


@pytest.mark.parametrize(
    ("count", "recorded"),
    [
        (65_536, []),
        (131_072, [16, 4]),
        (262_144, [32, 4]),
        (524_288, [64, 4]),
        (1_048_576, [128, 4]),
        (1_966_080, [144, 4]),
    ],
)
def test_any_takes_a_byte_a_block(count: int, recorded: list[int]) -> None:
    operand = Operand((count,), (1,), BOOL)
    assert taken(reduction_buffers("logic", operand, (), BOOL, TU102)) == recorded


def test_the_closed_form_of_sums_over_rows() -> None:
    # 65536 rows of 4096: a warp loads 128 results, so 32 blocks along the outputs; a thread row of 4 threads
    # has 16384 values. Blocks of 128 threads: 132 x 16 = 2112 fit. shares = max(min(66, 1024), 64) = 66;
    # 4 B x 4096 x 66 x 32 x 4.
    operand = Operand((65_536, 4_096), (4_096, 1), F32)
    buffers = reduction_buffers("sum", operand, (0,), F32, H100)
    assert taken(buffers) == [4 * 4_096 * 66 * 128, 4 * 32]


def test_buffers_are_freed_in_reverse() -> None:
    operand = Operand((2_000, 512), (512, 1), F32)
    names = [(step.name, step.takes) for step in reduction_buffers("sum", operand, (0,), F32, H100).steps]
    assert names == [
        ("partial results 0", True),
        ("semaphores 0", True),
        ("semaphores 0", False),
        ("partial results 0", False),
    ]


def test_accumulators_by_operator() -> None:
    assert [accumulator_bytes("sum", dtype) for dtype in (F32, BF16, INT64)] == [4, 4, 8]
    assert [accumulator_bytes("index", F32), accumulator_bytes("moments", F32)] == [16, 16]
    assert [accumulator_bytes("extremum", F16), accumulator_bytes("logic", BOOL)] == [2, 1]


def test_a_sum_of_booleans_reads_a_converted_copy() -> None:
    buffers = reduction_buffers("sum", Operand((1_000,), (1,), BOOL), (), INT64, H100)
    assert taken(buffers) == [8_000]
    assert buffers.kept_bytes == 0
    assert not buffers.proven


def test_more_than_32_bit_offsets_are_reduced_in_parts() -> None:
    # 2^30 elements of fp32 are 4 GiB; two halves of the rows have offsets below 2^31 bytes
    rows, width = 1 << 18, 1 << 12
    operand = Operand((rows, width), (width, 1), F32)
    buffers = reduction_buffers("sum", operand, (0,), F32, H100)
    halves = [step.name for step in buffers.steps if step.takes and step.name.startswith("partial")]
    whole = reduction_buffers("sum", Operand((rows // 2, width), (width, 1), F32), (0,), F32, H100)
    assert len(halves) == 2
    assert buffers.peak_bytes == whole.peak_bytes
    assert not buffers.proven


def test_sixteen_bit_results_beyond_32_bits_are_accumulated_apart() -> None:
    rows, width = 1 << 20, 1 << 12
    operand = Operand((rows, width), (width, 1), BF16)
    buffers = reduction_buffers("sum", operand, (0,), BF16, H100)
    assert (buffers.steps[0].name, buffers.steps[0].size_bytes) == ("accumulator", 4 * width)
    assert buffers.kept_bytes == 0


shapes = st.lists(st.integers(1, 9), min_size=1, max_size=4)


@given(shapes, st.data())
def test_merging_keeps_every_element(shape: list[int], data: st.DataObject) -> None:
    dims = data.draw(st.lists(st.sampled_from(range(len(shape))), unique=True, min_size=1))
    order = data.draw(st.sampled_from(list(permutations(range(len(shape))))))
    strides, step = [0] * len(shape), 1
    for dim in order:
        strides[dim] = step
        step *= shape[dim]
    loops = reduced_iterator(shape, strides, 4, dims, 4)
    inputs = outputs = 1
    for dim, size in enumerate(shape):
        inputs *= size if dim in dims else 1
        outputs *= 1 if dim in dims else size
    assert loops.output_count * loops.input_count == inputs * outputs
    if inputs > 1 and outputs > 1:
        assert (loops.input_count, loops.output_count) == (inputs, outputs)


@given(st.integers(1, 1 << 14), st.integers(1, 1 << 12), st.booleans(), st.sampled_from(["sum", "index"]))
def test_the_band_of_an_unknown_gpu_holds_every_gpu(rows: int, width: int, first: bool, kind: Any) -> None:
    operand = Operand((rows, width), (width, 1), F32)
    dims = (0,) if first else (1,)
    low, high = (reduction_buffers(kind, operand, dims, F32, p).peak_bytes for p in (FEWEST, MOST))
    for processors in (A100, H100, AD102, TU102):
        assert low <= reduction_buffers(kind, operand, dims, F32, processors).peak_bytes <= high
