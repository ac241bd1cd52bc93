"""The kernel of attention that CUDA would take."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F  # noqa: N812  # the name everyone knows it by
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from tests.worker.simulate.tracing import A100, kept, now, taken, tracing

_BF16 = torch.bfloat16


def _parts(
    *, heads: int = 8, kv_heads: int = 8, tokens: int = 64, width: int = 64, dtype: torch.dtype = _BF16
) -> tuple[Tensor, Tensor, Tensor]:
    def make(count: int) -> Tensor:
        return torch.zeros(2, count, tokens, width, device="cuda", dtype=dtype, requires_grad=True)

    return make(heads), make(kv_heads), make(kv_heads)


def _kernel(found: list[tuple[str, int]]) -> str:
    for name in ("flash", "efficient", "cudnn"):
        if any(f"_{name}_attention" in op for op, _ in found):
            return name
    return "math"


@pytest.mark.parametrize(
    ("parts", "options", "expected"),
    [
        ({}, {"is_causal": True}, "flash"),
        ({"dtype": torch.float32}, {"is_causal": True}, "efficient"),
        ({"width": 256}, {}, "flash"),
        ({"width": 512}, {}, "efficient"),
        ({"width": 100}, {}, "flash"),
        ({"width": 100, "dtype": torch.float32}, {}, "efficient"),
        ({"width": 102, "dtype": torch.float32}, {}, "math"),
        ({"kv_heads": 2}, {"enable_gqa": True}, "flash"),
        ({"kv_heads": 2, "dtype": torch.float32}, {"enable_gqa": True}, "math"),
        ({"dtype": torch.float64}, {}, "math"),
    ],
)
def test_kernel_follows_type_and_shape(
    parts: dict[str, object], options: dict[str, bool], expected: str
) -> None:
    with tracing() as tracker:
        start = now(tracker)
        F.scaled_dot_product_attention(*_parts(**parts), **options)  # type: ignore[arg-type]  # values of a table of cases
    assert _kernel(taken(tracker, start)) == expected


def test_mask_leaves_flash() -> None:
    with tracing() as tracker:
        mask = torch.zeros(64, 64, device="cuda", dtype=torch.bool)
        start = now(tracker)
        F.scaled_dot_product_attention(*_parts(), attn_mask=mask)
    assert _kernel(taken(tracker, start)) == "efficient"


def test_old_gpu_has_no_flash() -> None:
    with tracing(replace(A100, architecture="sm_75")) as tracker:
        start = now(tracker)
        F.scaled_dot_product_attention(*_parts(dtype=torch.float16))
    assert _kernel(taken(tracker, start)) == "efficient"


@pytest.mark.parametrize(
    ("backend", "expected"),
    [
        (SDPBackend.FLASH_ATTENTION, "flash"),
        (SDPBackend.EFFICIENT_ATTENTION, "efficient"),
        (SDPBackend.CUDNN_ATTENTION, "cudnn"),
        (SDPBackend.MATH, "math"),
    ],
)
def test_program_may_choose(backend: SDPBackend, expected: str) -> None:
    with tracing() as tracker, sdpa_kernel([backend]):
        start = now(tracker)
        F.scaled_dot_product_attention(*_parts())
    assert _kernel(taken(tracker, start)) == expected


def test_flash_keeps_output_statistics_and_random_state() -> None:
    with tracing() as tracker:
        parts = _parts()
        start = now(tracker)
        out = F.scaled_dot_product_attention(*parts)
    assert kept(tracker, start) == out.numel() * 2 + 4 * 2 * 8 * 64 + 16 + 8


def test_flash_pads_a_head_to_a_multiple_of_eight() -> None:
    with tracing() as tracker:
        parts = _parts(width=100)
        start = now(tracker)
        out = F.scaled_dot_product_attention(*parts)
    padded = 2 * 8 * 64 * 104 * 2
    assert out.shape[-1] == 100
    assert [size for _, size in taken(tracker, start)].count(padded) == 4  # three inputs and the output


def test_efficient_keeps_no_random_state_on_the_gpu() -> None:
    with tracing() as tracker:
        parts = _parts(dtype=torch.float32, tokens=50)
        start = now(tracker)
        out = F.scaled_dot_product_attention(*parts)
    assert kept(tracker, start) == out.numel() * 4 + 4 * 2 * 8 * 64  # rows in blocks of 32


def test_efficient_backward_takes_what_was_recorded() -> None:
    """1000 tokens of 2 heads of 64 in fp32; the sizes of a recording scale with batch and heads."""
    with tracing() as tracker:
        q, k, v = (torch.zeros(1, 32, 1000, 64, device="cuda", requires_grad=True) for _ in "qkv")
        loss = F.scaled_dot_product_attention(q, k, v).sum()
        start = now(tracker)
        loss.backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
    name = "_scaled_dot_product_efficient_attention_backward:"
    sizes = [size for op, size in taken(tracker, start) if op.startswith(name)]
    assert sizes == [8_192_000, 128_000, 128_000, 4 * 32 * 16 * 4100]


def test_flash_backward_sums_in_fp32() -> None:
    with tracing() as tracker:
        loss = F.scaled_dot_product_attention(*_parts(tokens=100)).sum()
        start = now(tracker)
        loss.backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
    name = "_scaled_dot_product_flash_attention_backward:"
    sizes = [size for op, size in taken(tracker, start) if op.startswith(name)]
    assert sizes == [4 * 2 * 8 * 128, 4 * 2 * 128 * 8 * 64]
    assert "_scaled_dot_product_flash_attention" in tracker.unproven


def test_attention_inside_multihead_attention_is_found() -> None:
    """``F.multi_head_attention_forward`` calls it from Python code of torch."""
    with tracing() as tracker:
        layer = torch.nn.MultiheadAttention(64, 4, batch_first=True, device="cuda", dtype=_BF16)
        x = torch.zeros(2, 16, 64, device="cuda", dtype=_BF16, requires_grad=True)
        start = now(tracker)
        layer(x, x, x, need_weights=False)
    assert _kernel(taken(tracker, start)) == "flash"
