"""Settings are taken and refused as PyTorch's own parser takes and refuses them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from optmem_gui.allocator.config import INTERVALS, MIB, AllocatorConfig, parse_settings, recorded_config
from optmem_gui.core.errors import UserError

RESET = "large_segment_size_mb:20,max_split_size_mb:20,max_non_split_rounding_mb:20"

TAKEN = (
    "",
    "expandable_segments:True",
    "expandable_segments:True,",
    " expandable_segments : False , max_split_size_mb : 64 ",
    "max_split_size_mb:20",
    "max_non_split_rounding_mb:20",
    "large_segment_size_mb:11,max_split_size_mb:11",
    "large_segment_size_mb:30,max_split_size_mb:30,max_non_split_rounding_mb:30",
    "garbage_collection_threshold:0.8",
    "roundup_power2_divisions:8",
    "roundup_power2_divisions:[256:1,512:2,1024:4,>:8]",
    "roundup_power2_divisions:[64:0]",
    "roundup_power2_divisions:[]",
    "pinned_use_background_threads:True",
)
REFUSED = (
    "expandable_segments:true",
    "expandable_segments",
    "expandable_segments:",
    "expandable_segments:True max_split_size_mb:64",
    "max_split_size_mb:19",
    "max_split_size_mb:many",
    "max_split_size_mb:[64]",
    "max_non_split_rounding_mb:19",
    "large_segment_size_mb:10",
    "large_segment_size_mb:30,max_split_size_mb:29",
    "garbage_collection_threshold:0",
    "garbage_collection_threshold:1.0",
    "roundup_power2_divisions:3",
    "roundup_power2_divisions:0",
    "roundup_power2_divisions:[256:3]",
    "roundup_power2_divisions:[255:2]",
)


@pytest.fixture(autouse=True)
def _torch_as_it_was() -> Iterator[None]:
    """PyTorch keeps what a string does not name from the one before."""
    torch._C._accelerator_setAllocatorSettings(RESET)
    yield
    torch._C._accelerator_setAllocatorSettings(RESET)


@pytest.mark.parametrize("text", TAKEN)
def test_what_pytorch_takes_is_taken(text: str) -> None:
    torch._C._accelerator_setAllocatorSettings(text)
    parse_settings(text)


@pytest.mark.parametrize("text", REFUSED)
def test_what_pytorch_refuses_is_refused_in_one_line_that_names_the_field(text: str) -> None:
    with pytest.raises((RuntimeError, ValueError)):
        torch._C._accelerator_setAllocatorSettings(text)
    with pytest.raises(UserError) as refused:
        parse_settings(text, "--what-if")
    assert str(refused.value).startswith("--what-if: ")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("nonsense:1", "allocator.setting_unknown"),
        ("backend:cudaMallocAsync", "allocator.setting_backend"),
        ("expandable_segments:True,,max_split_size_mb:64", "allocator.setting_malformed"),
        ("max_split_size_mb:64x", "allocator.setting_not_whole"),
        ("max_split_size_mb:-1", "allocator.setting_not_whole"),
        ("per_process_memory_fraction:1.5", "allocator.setting_not_ratio"),
        ("roundup_power2_divisions:[256:2", "allocator.setting_malformed"),
        ("roundup_power2_divisions:[256]", "allocator.setting_malformed"),
    ],
)
def test_what_pytorch_lets_pass_in_silence_is_refused_too(text: str, code: str) -> None:
    with pytest.raises(UserError) as refused:
        parse_settings(text)
    assert refused.value.code == code


def test_values_are_in_bytes() -> None:
    text = "max_split_size_mb:64,max_non_split_rounding_mb:32,garbage_collection_threshold:0.5"
    assert parse_settings(text) == AllocatorConfig(
        max_split_bytes=64 * MIB, max_non_split_rounding_bytes=32 * MIB, garbage_collection_threshold=0.5
    )
    assert parse_settings("per_process_memory_fraction:1.0").memory_fraction == 1.0


def test_rounding_by_interval() -> None:
    # Intervals 0..15 begin at 1, 2, 4 ... MiB. The first bound (4 MiB, interval 2) also fills what lies below
    # it; 16 MiB is interval 4; > begins after the last bound named; what no pair names stays 0.
    parsed = parse_settings("roundup_power2_divisions:[4:8,16:2]").roundup_divisions
    assert parsed == (8, 8, 8, 0, 2, *[0] * 11)
    parsed = parse_settings("roundup_power2_divisions:[4:8,16:2,>:1]").roundup_divisions
    assert parsed == (8, 8, 8, 0, 2, *[1] * 11)
    # PyTorch's own expectation (c10/test/core/AllocatorConfig_test.cpp): up to 64 MiB 8, 128 MiB 2,
    # 256 MiB 4, 512 MiB 2, 1 GiB 4, from 2 GiB on 1.
    parsed = parse_settings("roundup_power2_divisions:[64:8,128:2,256:4,512:2,1024:4,>:1]").roundup_divisions
    assert parsed == (*[8] * 7, 2, 4, 2, 4, *[1] * 5)
    assert parse_settings("roundup_power2_divisions:4").roundup_divisions == (4,) * INTERVALS


def test_recorded_settings_are_numbers() -> None:
    divisions = {str(1 << index): 0 for index in range(INTERVALS)} | {"4": 8}
    settings = {
        "PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True",
        "max_split_size": 64 * MIB,
        "garbage_collection_threshold": 0.5,
        "expandable_segments": True,
        "roundup_power2_divisions": divisions,
    }
    config = recorded_config(settings)
    assert config.expandable_segments
    assert config.max_split_bytes == 64 * MIB
    assert config.garbage_collection_threshold == 0.5
    assert config.roundup_divisions == (0, 0, 8, *[0] * 13)
    assert recorded_config({"max_split_size": -1}) == AllocatorConfig()


@pytest.mark.parametrize(
    "settings",
    [
        {"max_split_size": "64"},
        {"expandable_segments": 1},
        {"garbage_collection_threshold": None},
        {"roundup_power2_divisions": {"1": 3}},
        {"roundup_power2_divisions": [1]},
        {"PYTORCH_CUDA_ALLOC_CONF": 5},
    ],
)
def test_recorded_settings_that_no_pytorch_writes_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(UserError) as refused:
        recorded_config(settings)
    assert refused.value.code == "allocator.setting_inconsistent"
