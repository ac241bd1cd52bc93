"""Matrix products: workspaces by GPU and release, and which operands are copied."""

from __future__ import annotations

import pytest

from optmem_gui.core.kernels.gemm import (
    cublas_workspace_bytes,
    cublaslt_workspace,
    operand_copy_bytes,
    uses_cublaslt,
)
from optmem_gui.core.kernels.releases import NEWEST, Release, release_of


@pytest.mark.parametrize(
    ("architecture", "release", "size"),
    [
        ("sm_80", (2, 6), 8_519_680),
        ("sm_89", (2, 13), 8_519_680),
        ("sm_90", (2, 6), 33_554_432),
        ("sm_100", (2, 9), 8_519_680),
        ("sm_100", (2, 13), 33_554_432),
        ("sm_120", (2, 13), 33_554_432),
        ("", (2, 13), 8_519_680),
        (None, (2, 13), 8_519_680),
    ],
)
def test_the_workspace_by_gpu_and_release(architecture: str | None, release: Release, size: int) -> None:
    assert cublas_workspace_bytes(architecture, release) == size


def test_the_environment_decides_first() -> None:
    assert cublas_workspace_bytes("sm_90", config=":4096:8") == 4096 * 1024 * 8
    assert cublas_workspace_bytes("sm_80", config=":4096:2:16:8") == 8_519_680
    assert cublas_workspace_bytes("sm_90", config=":0:0") == 0
    # torch warns and takes its default
    assert cublas_workspace_bytes("sm_80", config="4096x2") == 8_519_680


@pytest.mark.parametrize(
    ("release", "life", "size"),
    [
        ((2, 6), "call", 1 << 20),
        ((2, 9), "kept", 1 << 20),
        ((2, 11), "kept", 1 << 20),
        ((2, 12), "shared", 0),
    ],
)
def test_the_workspace_of_cublaslt(release: Release, life: str, size: int) -> None:
    workspace = cublaslt_workspace(release)
    assert (workspace.life, workspace.size_bytes) == (life, size)


def test_a_product_with_a_row_of_bias_takes_cublaslt() -> None:
    assert uses_cublaslt((30,), (1,), (20, 30))
    assert not uses_cublaslt((30,), (2,), (20, 30))
    assert not uses_cublaslt((1,), (1,), (20, 30))
    assert not uses_cublaslt((1,), (1,), (20, 1))
    assert not uses_cublaslt((5, 30), (30, 1), (20, 30))


@pytest.mark.parametrize(
    ("shape", "strides", "copied"),
    [
        ((4096, 10_000), (10_000, 1), 0),
        ((4096, 10_000), (1, 4096), 0),
        ((4096, 10_000), (20_000, 1), 0),
        ((4096, 10_000), (0, 0), 4 * 40_960_000),  # the expanded gradient of logits.sum()
        ((4, 8, 8), (64, 8, 1), 0),
        ((4, 8, 8), (64, 1, 8), 0),
        ((4, 8, 8), (1, 32, 4), 4 * 256),
        ((0, 8), (8, 1), 0),
    ],
)
def test_which_operands_are_copied(shape: tuple[int, ...], strides: tuple[int, ...], copied: int) -> None:
    assert operand_copy_bytes(shape, strides, 4) == copied


def test_releases_are_read_from_versions() -> None:
    assert release_of("2.9.1+cu128") == (2, 9)
    assert release_of("2.13.0") == (2, 13)
    assert release_of("") == NEWEST
    with pytest.raises(ValueError, match="not a version: 'nightly'"):
        release_of("nightly")
