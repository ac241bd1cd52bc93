"""Indexing: the sizes of recordings, their order, and the closed form for large embeddings."""

from __future__ import annotations

import pytest

from optmem_gui.core.kernels.indexing import (
    embedding_backward_buffers,
    host_index_buffers,
    index_put_buffers,
    sort_pairs_bytes,
)


@pytest.mark.parametrize(("count", "recorded"), [(512, 1), (2048, 1), (4096, 72_191), (8192, 138_751)])
def test_the_scratch_of_a_sort_is_the_recorded_one(count: int, recorded: int) -> None:
    # 8192 pairs of 8 + 8 B, 14 bits (10,000 rows): 2 passes; 255 + 2 x 2048 + 3 x 1024 + 2 x 65,536 + 256
    assert sort_pairs_bytes(count, 8, 8, 14) == recorded


def test_one_pass_needs_no_second_pair_of_buffers() -> None:
    assert sort_pairs_bytes(4096, 8, 8, 8) == 255 + 2048 + 2 * 1024 + 256


def test_index_put_takes_its_buffers_in_the_recorded_order() -> None:
    steps = index_put_buffers(4096, (False,), 10_000).steps
    assert [(step.name, step.size_bytes if step.takes else 0) for step in steps] == [
        ("wrapped index 0", 32_768),
        ("linear index 0", 32_768),
        ("wrapped index 0", 0),
        ("sorted indices", 32_768),
        ("original indices", 32_768),
        ("range", 32_768),
        ("sort", 72_191),
        ("sort", 0),
        ("range", 0),
        ("original indices", 0),
        ("sorted indices", 0),
        ("linear index 0", 0),
    ]


def test_a_second_index_is_folded_in_and_a_host_index_is_copied_once() -> None:
    steps = index_put_buffers(100, (False, True), 50).steps
    names = [step.name for step in steps if step.takes]
    assert names[:3] == ["wrapped index 0", "linear index 0", "linear index 1"]
    assert sum(step.size_bytes if step.takes else -step.size_bytes for step in steps) == 0


def test_values_that_are_not_contiguous_are_copied_until_the_linear_index_goes() -> None:
    steps = index_put_buffers(100, (False,), 50, values_bytes=4_000).steps
    assert [step.name for step in steps][-2:] == ["values", "linear index 0"]


def test_without_an_integer_index_nothing_is_sorted() -> None:
    assert index_put_buffers(100, (), 50).steps == ()


def test_a_host_index_is_copied_before_the_output() -> None:
    buffers = host_index_buffers((512,))
    assert buffers.before_output
    assert [(step.size_bytes, step.takes) for step in buffers.steps] == [(4096, True)]


def test_a_small_embedding_is_not_sorted() -> None:
    assert embedding_backward_buffers(3072, 4096, 32_000).steps == ()


def test_a_large_embedding_takes_partial_gradients() -> None:
    # 32,768 tokens, 32,000 rows of 4096: parts = 3276 + 32,000 = 35,276; x 4096 x 4 B = 551 MiB of the 563
    buffers = embedding_backward_buffers(32_768, 4096, 32_000)
    partial = next(step for step in buffers.steps if step.name == "partial gradients")
    assert partial.size_bytes == 35_276 * 4096 * 4 == 577_961_984
    # beside it: sorted, original, segment offsets (n), segments' parts and offsets (32,000), part offsets
    beside = 8 * (3 * 32_768 + 2 * 32_000 + 35_276) + 16
    assert buffers.peak_bytes == partial.size_bytes + beside
    assert buffers.kept_bytes == 0
    assert not buffers.proven
