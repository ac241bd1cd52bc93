"""Buffers inside kernels in a trace: the right ones, in the right place."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F  # noqa: N812  # the name everyone knows it by

from optmem_gui.core.kernels.gemm import CUBLAS_BYTES, CUBLAS_LARGE_BYTES, CUBLASLT_BYTES
from tests.worker.simulate.tracing import A100, H100, events, now, taken, tracing


def _workspaces(found: list[tuple[str, int]]) -> list[tuple[str, int]]:
    return [(name.partition(":")[2], size) for name, size in found if "workspace" in name]


@pytest.mark.parametrize(("target", "size"), [(A100, CUBLAS_BYTES), (H100, CUBLAS_LARGE_BYTES)])
def test_forward_and_backward_have_a_workspace_each(target: object, size: int) -> None:
    with tracing(target) as tracker:  # type: ignore[arg-type]  # values of a table of cases
        x = torch.zeros(8, 8, device="cuda", requires_grad=True)
        ((x @ x) @ x).sum().backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
        (x @ x).sum().backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
    assert _workspaces(events(tracker)) == [("cuBLAS workspace", size)] * 2


def test_workspace_follows_the_first_product_of_its_thread() -> None:
    with tracing() as tracker:
        x = torch.zeros(8, 8, device="cuda")
        start = now(tracker)
        kept = x @ x  # noqa: F841  # or its end would be an event
        names = [name for name, _ in events(tracker, start)]
    assert names == ["mm", "mm:cuBLAS workspace"]


def test_workspace_config_replaces_the_default() -> None:
    with tracing(replace(A100, cublas_workspace=":16:8")) as tracker:
        x = torch.zeros(8, 8, device="cuda")
        torch.mm(x, x)
    assert _workspaces(events(tracker)) == [("cuBLAS workspace", 16 * 1024 * 8)]


@pytest.mark.parametrize(("release", "events_of_two"), [("2.6", 4), ("2.9", 1), ("2.13", 0)])
def test_linear_with_bias_has_the_workspace_of_its_release(release: str, events_of_two: int) -> None:
    """A call each, then kept, then cuBLAS's own."""
    with tracing(replace(A100, torch=release)) as tracker:
        layer = torch.nn.Linear(8, 8, device="cuda")
        for _ in range(2):
            layer(torch.zeros(4, 8, device="cuda"))
        found = [pair for pair in _workspaces(events(tracker)) if pair[0].startswith("cuBLASLt")]
    assert len(found) == events_of_two
    assert all(abs(size) == CUBLASLT_BYTES for _, size in found)


def test_expanded_gradient_is_copied_for_its_products() -> None:
    """The gradient of ``sum()`` is one number seen as a matrix; both products of the backward copy it."""
    with tracing() as tracker:
        layer = torch.nn.Linear(64, 128, bias=False, device="cuda")
        x = torch.zeros(32, 64, device="cuda", requires_grad=True)
        start = now(tracker)
        layer(x).sum().backward()
    copies = [pair for pair in taken(tracker, start) if pair[0] == "mm:operand copy"]
    assert copies == [("mm:operand copy", 32 * 128 * 4)] * 2


def test_sum_over_rows_takes_twice_its_input() -> None:
    """[4, 256, 1024] -> [1024] on an H100: 8 MiB and 32 B, as recorded."""
    with tracing(H100) as tracker:
        x = torch.zeros(4, 256, 1024, device="cuda")
        start = now(tracker)
        x.sum((0, 1))
    assert [size for _, size in taken(tracker, start)] == [4096, 8 << 20, 32]


def test_reduction_is_a_band_where_the_gpu_is_not_known() -> None:
    with tracing(replace(A100, sm_count=None)) as tracker:
        x = torch.zeros(4096, 4096, device="cuda")
        x.sum(0)
    buffer = next(block for block in tracker.tape.events if ":partial" in block.op)
    assert tracker.banded
    assert buffer.requested < buffer.most


def test_elementwise_maximum_is_no_reduction() -> None:
    with tracing() as tracker:
        x = torch.zeros(4096, 4096, device="cuda")
        start = now(tracker)
        torch.max(x, x)
    assert taken(tracker, start) == [("maximum", 4096 * 4096 * 4)]


def test_gradient_of_an_index_sorts_its_indices() -> None:
    with tracing() as tracker:
        rows = torch.zeros(1000, 8, device="cuda", requires_grad=True)
        places = torch.zeros(4096, dtype=torch.int64, device="cuda")
        loss = rows[places].sum()
        start = now(tracker)
        loss.backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
    sizes = [size for name, size in taken(tracker, start) if name.startswith("index_put:")]
    # two of the linear index, a copy of the expanded gradient, three of the sort, and cub's, as recorded
    assert sizes == [4096 * 8] * 2 + [4096 * 8 * 4] + [4096 * 8] * 3 + [72_191]


def test_index_on_the_host_is_copied_first() -> None:
    with tracing() as tracker:
        rows = torch.zeros(1000, 8, device="cuda")
        places = torch.zeros(100, dtype=torch.int64)
        start = now(tracker)
        out = rows[places]
        found = [size for _, size in events(tracker, start)]
    assert found == [800, out.numel() * 4, -800]


def test_gradient_of_an_embedding_sorts_its_tokens() -> None:
    with tracing() as tracker:
        table = torch.nn.Embedding(5000, 16, device="cuda")
        loss = table(torch.zeros(8, 1024, dtype=torch.int64, device="cuda")).sum()
        start = now(tracker)
        loss.backward()
    inside = [name for name, _ in taken(tracker, start) if name.startswith("embedding_dense_backward:")]
    assert len(inside) >= 4
    assert "embedding_dense_backward" in tracker.unproven


def test_mask_of_dropout_comes_first() -> None:
    with tracing() as tracker:
        x = torch.zeros(100, device="cuda")
        start = now(tracker)
        F.dropout(x, 0.5)
    assert taken(tracker, start) == [("native_dropout", 100), ("native_dropout", 400)]


def test_dropout_without_chance_or_training_makes_no_mask() -> None:
    with tracing() as tracker:
        x = torch.zeros(100, device="cuda")
        start = now(tracker)
        F.dropout(x, 0.5, training=False)
        torch.nn.Dropout(0.3).eval()(x)
    assert taken(tracker, start) == []


def test_frozen_batch_norm_still_computes_its_gradients() -> None:
    with tracing() as tracker:
        norm = torch.nn.BatchNorm2d(64).to("cuda").requires_grad_(False)
        x = torch.zeros(2, 64, 8, 8, device="cuda", requires_grad=True)
        loss = norm(x).sum()
        start = now(tracker)
        loss.backward()
    unused = [size for name, size in taken(tracker, start) if name.endswith("unused gradient")]
    assert unused == [256, 256]


def test_layer_norm_of_very_many_short_rows_sums_in_two_passes() -> None:
    for rows, expected in ((1024, False), (1 << 17, True)):
        with tracing() as tracker:
            norm = torch.nn.LayerNorm(64, device="cuda")
            loss = norm(torch.zeros(rows, 64, device="cuda", requires_grad=True)).sum()
            start = now(tracker)
            loss.backward()
        found = any(name.startswith("native_layer_norm_backward:") for name, _ in taken(tracker, start))
        assert found is expected


def test_convolution_has_a_band() -> None:
    with tracing() as tracker:
        conv = torch.nn.Conv2d(3, 8, 3, device="cuda")
        conv(torch.zeros(1, 3, 32, 32, device="cuda"))
    workspace = next(block for block in tracker.tape.events if "cuDNN" in block.op)
    assert (workspace.requested, workspace.most) == (0, 128 << 20)
    assert [note.key for note in tracker.notes] == ["simulate.cudnn_workspace"]


def test_scalar_to_the_power_of_a_tensor_makes_a_tensor_of_it() -> None:
    with tracing() as tracker:
        x = torch.zeros(100, device="cuda")
        start = now(tracker)
        out = 2.0**x
        found = [size for _, size in events(tracker, start)]
    assert found == [400, 8, -8]
    assert out.shape == (100,)


def test_norms_of_gradients_have_a_buffer() -> None:
    with tracing() as tracker:
        weight = torch.nn.Parameter(torch.zeros(100_000, device="cuda"))
        weight.grad = torch.zeros_like(weight)
        start = now(tracker)
        torch.nn.utils.clip_grad_norm_([weight], 1.0)
    assert ("_foreach_norm:norms of chunks", 2 * 4) in taken(tracker, start)
