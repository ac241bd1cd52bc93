"""Fused attention: the recorded backward of 22 layers, and the sizes of flash by hand."""

from __future__ import annotations

import pytest

from optmem_gui.core.kernels.attention import (
    AttentionCall,
    efficient_backward_buffers,
    efficient_statistics_bytes,
    flash_backward_buffers,
    flash_statistics_bytes,
)
from optmem_gui.core.kernels.processors import Processors


def test_the_memory_efficient_backward_equals_the_recording() -> None:
    # fp32, 1 x 32 heads x 1000 tokens x 64: 4 x 32 x 1000 x 64, twice 4 x 32 x 1000, 512 tiles of 16,400 B
    call = AttentionCall(1, 32, 1000, 1000, 64, 4, 32)
    buffers = efficient_backward_buffers(call)
    sizes = [step.size_bytes for step in buffers.steps if step.takes]
    assert sizes == [8_192_000, 128_000, 128_000, 8_396_800]
    assert [step.name for step in buffers.steps if not step.takes] == [
        "delta",
        "gradient * output",
        "delta, contiguous",
        "tiles",
    ]
    assert buffers.proven
    assert efficient_statistics_bytes(call) == 4 * 32 * 1024


def test_sixteen_bit_inputs_form_no_product() -> None:
    buffers = efficient_backward_buffers(AttentionCall(1, 32, 1000, 1000, 64, 2, 32))
    assert [step.size_bytes for step in buffers.steps if step.takes] == [128_000, 8_396_800]
    assert not buffers.proven


def test_flash_sums_the_gradient_of_queries_in_fp32() -> None:
    # 1000 rows are padded to 1024, heads of 80 to 96
    call = AttentionCall(2, 16, 1000, 1000, 80, 2, 16)
    buffers = flash_backward_buffers(call)
    assert [step.size_bytes for step in buffers.steps if step.takes] == [
        4 * 32 * 1024,
        4 * 32 * 1024 * 96,
    ]
    assert flash_statistics_bytes(call) == 4 * 32 * 1000
    assert not buffers.proven


def test_grouped_heads_get_gradients_of_every_head() -> None:
    call = AttentionCall(1, 32, 1024, 1024, 128, 2, 8)
    sizes = [step.size_bytes for step in flash_backward_buffers(call).steps if step.takes]
    assert sizes[2:] == [2 * 32 * 1024 * 128] * 2


def test_the_deterministic_form_has_a_copy_a_share_of_the_multiprocessors() -> None:
    call = AttentionCall(2, 16, 128, 128, 64, 2, 16)
    plain = flash_backward_buffers(call).steps[1].size_bytes
    several = flash_backward_buffers(call, deterministic=True, processors=Processors(132, 2048))
    assert several.steps[1].size_bytes == 5 * plain  # ceil(132 / 32)
    with pytest.raises(ValueError, match="number of multiprocessors"):
        flash_backward_buffers(call, deterministic=True)
