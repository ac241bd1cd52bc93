"""Block and segment sizes, worked out by hand from the constants of c10/core/AllocatorConfig.h."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.allocator.config import MIB, AllocatorConfig, parse_settings
from optmem_gui.allocator.sizes import block_bytes, segment_bytes, should_split

DEFAULT = AllocatorConfig()


@pytest.mark.parametrize(
    ("requested", "block", "segment"),
    [
        (1, 512, 2 * MIB),
        (512, 512, 2 * MIB),
        (513, 1024, 2 * MIB),
        (MIB, MIB, 2 * MIB),
        (MIB + 1, MIB + 512, 20 * MIB),
        (10 * MIB - 511, 10 * MIB, 10 * MIB),
        (10 * MIB - 512, 10 * MIB - 512, 20 * MIB),
        (10 * MIB + 1, 10 * MIB + 512, 12 * MIB),
        (21 * MIB, 21 * MIB, 22 * MIB),
    ],
)
def test_blocks_and_segments(requested: int, block: int, segment: int) -> None:
    assert block_bytes(requested, DEFAULT) == block
    assert segment_bytes(block, DEFAULT) == segment


@pytest.mark.parametrize(
    ("requested", "divisions", "block"),
    [
        # PyTorch's own example: between 1024 and 2048 four steps lie at 1024, 1280, 1536, 1792; from 1200 it
        # is 1280. Below 512 * divisions the rounding is off, so the same is tried 1024 times larger.
        (1200 * 1024, 4, 1280 * 1024),
        (1280 * 1024, 4, 1280 * 1024),
        (1793 * 1024, 4, 2048 * 1024),
        (2048, 4, 2048),
        (2049, 4, 2560),
        (2000, 4, 2048),  # not above 512 * 4: multiples of 512
        (3 * MIB + 1, 1, 3 * MIB + 512),
        (MIB + 1, 2, MIB + MIB // 2),
    ],
)
def test_rounding_between_powers_of_two(requested: int, divisions: int, block: int) -> None:
    assert block_bytes(requested, parse_settings(f"roundup_power2_divisions:{divisions}")) == block


def test_rounding_goes_by_the_interval_of_the_request() -> None:
    config = parse_settings(
        "roundup_power2_divisions:[4:2,8:1]"
    )  # up to 4 MiB in halves, 8 to 16 MiB in 512 B
    assert block_bytes(5 * MIB, config) == 6 * MIB  # 4 to 8 MiB is the interval of 4
    assert block_bytes(2 * MIB + 1, config) == 3 * MIB
    assert block_bytes(9 * MIB + 1, config) == 9 * MIB + 512


@given(st.integers(1, 1 << 40), st.sampled_from((0, 1, 2, 4, 8, 16)))
def test_a_block_holds_its_request_and_wastes_little(requested: int, divisions: int) -> None:
    config = AllocatorConfig(roundup_divisions=(divisions,) * 16)
    block = block_bytes(requested, config)
    assert block >= max(requested, 512)
    step = max(512, (1 << (requested.bit_length() - 1)) // divisions) if divisions > 1 else 512
    assert block - requested < step or block == 512


def test_what_is_split() -> None:
    assert should_split(1024, 512, DEFAULT, small=True)
    assert not should_split(20 * MIB, 19 * MIB, DEFAULT, small=False)  # exactly 1 MiB would remain
    assert should_split(20 * MIB, 19 * MIB - 512, DEFAULT, small=False)
    protected = AllocatorConfig(max_split_bytes=32 * MIB)
    assert not should_split(64 * MIB, 32 * MIB, protected, small=False)
    assert should_split(64 * MIB, 31 * MIB, protected, small=False)
    assert should_split(20 * MIB, 20 * MIB - 512, AllocatorConfig(expandable_segments=True), small=False)
