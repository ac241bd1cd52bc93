"""Normalisation and gradient norms: sizes by hand."""

from __future__ import annotations

from optmem_gui.core.dtypes import BF16, F32
from optmem_gui.core.kernels.norms import (
    batch_norm_unused_gradient_bytes,
    foreach_norm_buffers,
    layer_norm_backward_buffers,
)
from optmem_gui.core.kernels.processors import Processors, threads_of

H100 = Processors(132, 2048)


def test_usual_layer_norms_need_no_scratch() -> None:
    assert layer_norm_backward_buffers(65_536, 256, F32, H100).steps == ()
    assert layer_norm_backward_buffers(1 << 20, 4096, F32, H100).steps == ()


def test_many_short_rows_are_summed_in_two_passes() -> None:
    # 131,072 rows of 256: min(32768 / 8, 4096) = 4096 blocks x 256 x 4 B, for weight and bias
    buffers = layer_norm_backward_buffers(131_072, 256, F32, H100)
    assert [step.size_bytes for step in buffers.steps[:2]] == [4 << 20, 4 << 20]
    assert buffers.kept_bytes == 0
    assert buffers.steps[-1].name == "weight gradient of blocks"
    # the sums over 4096 rows are reductions with buffers of their own
    assert buffers.peak_bytes > 8 << 20


def test_batch_norms_gradients_are_fp32_a_channel() -> None:
    assert batch_norm_unused_gradient_bytes(64) == (256, 256)


def test_gradient_norms_are_summed_in_chunks_of_the_longest_tensor() -> None:
    # the longest of three has 2 chunks of 65,536: 3 x 2 x 4 B
    buffers = foreach_norm_buffers((10, 70_000, 3), BF16)
    assert [step.size_bytes for step in buffers.steps] == [24]
    assert foreach_norm_buffers((), F32).steps == ()


def test_threads_follow_from_the_compute_capability() -> None:
    assert [threads_of(f"sm_{cc}") for cc in (75, 80, 86, 89, 90, 100, 120)] == [
        1024,
        2048,
        1536,
        1536,
        2048,
        2048,
        1536,
    ]
    assert threads_of("sm_35") is None
