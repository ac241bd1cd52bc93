"""Where fp16 on the CPU takes more than is estimated: scratch of oneDNN's matrix product, nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from optmem_gui.core.protocol import PhaseSample
from optmem_gui.worker.cpu_meter import CpuMeter

M, K, N = 128, 64, 64


@pytest.fixture(autouse=True)
def _threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def product(dtype: torch.dtype) -> PhaseSample:
    """One matrix product, the second of its kind: what is set up once is set up."""
    first, second = torch.ones(M, K, dtype=dtype), torch.ones(K, N, dtype=dtype)
    _ = first @ second
    samples: list[PhaseSample] = []
    with CpuMeter(samples.append).phase(1, "forward"):
        kept = first @ second
    assert kept.shape == (M, N)
    return samples[0]


def scratch(sample: PhaseSample) -> int:
    return sample.peak_bytes - sample.allocated_bytes


def test_an_fp32_product_takes_no_scratch() -> None:
    sample = product(torch.float32)
    assert sample.alloc_count == 1  # the result
    assert scratch(sample) == 0


@pytest.mark.skipif(
    not torch.ops.mkldnn._is_mkldnn_fp16_supported(), reason="oneDNN has no fp16 product for this processor"
)
def test_an_fp16_product_takes_scratch_that_it_gives_back() -> None:
    """More than the result itself and more than bf16's, and never kept."""
    sample = product(torch.float16)
    assert sample.alloc_count == 2
    assert sample.allocated_bytes - sample.start_bytes == 2 * M * N
    assert scratch(sample) > max(2 * M * N, scratch(product(torch.bfloat16)))


@pytest.mark.skipif(
    not torch.ops.mkldnn._is_mkldnn_fp16_supported(), reason="oneDNN has no fp16 product for this processor"
)
def test_the_scratch_depends_on_the_threads() -> None:
    """Which is why no closed form counts it."""
    alone = scratch(product(torch.float16))
    torch.set_num_threads(2)
    assert scratch(product(torch.float16)) != alone
