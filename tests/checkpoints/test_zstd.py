"""Zstandard and Snappy streams: what the reference library compresses comes out the same."""

from __future__ import annotations

from contextlib import suppress

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.checkpoints import snappy
from optmem_gui.checkpoints.zstd import decompress
from tests.examples import examples

LIMIT = 1 << 22
TEXT = b"".join(b"params.layer_%d.kernel/.zarray\0" % number for number in range(3000))
"""Literals, repeats and codes of every kind, over more than one window of matches."""


def packed(data: bytes, level: int = 3, *, size: bool = True, checksum: bool = False) -> bytes:
    return zstandard.ZstdCompressor(level, write_content_size=size, write_checksum=checksum).compress(data)


@pytest.mark.parametrize("level", [-5, 1, 3, 9, 15, 19])
@pytest.mark.parametrize("size", [False, True])
def test_levels_and_headers(level: int, size: bool) -> None:
    for data in (b"", b"a", bytes(300_000), TEXT, bytes(range(256)) * 700, TEXT[::-1] + TEXT):
        for checksum in (False, True):
            assert decompress(packed(data, level, size=size, checksum=checksum), LIMIT) == data


@examples(300)
@given(
    st.lists(st.binary(max_size=300) | st.text("ab/.", max_size=200).map(str.encode), max_size=30),
    st.integers(1, 4),
    st.sampled_from([1, 3, 12, 19]),
)
def test_any_content(parts: list[bytes], times: int, level: int) -> None:
    data = b"".join(parts) * times
    assert decompress(packed(data, level), LIMIT) == data


def test_frames_follow_each_other_and_some_are_skipped() -> None:
    skipped = b"\x52\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"
    assert decompress(packed(b"one") + skipped + packed(b"two"), LIMIT) == b"onetwo"


def test_what_is_larger_than_the_limit_is_refused() -> None:
    for size in (False, True):
        with pytest.raises(ValueError, match=r"\d+"):
            decompress(packed(bytes(5000), size=size), 4999)


@examples(400)
@given(
    st.integers(0, len(TEXT)),
    st.lists(st.tuples(st.integers(0), st.integers(0, 255)), min_size=1, max_size=5),
)
def test_damage_ends_soon(length: int, changes: list[tuple[int, int]]) -> None:
    data = bytearray(packed(TEXT[:length]))
    for place, value in changes:
        data[place % len(data)] = value
    with suppress(ValueError, IndexError):
        assert len(decompress(bytes(data), LIMIT)) <= LIMIT


def test_a_snappy_stream_worked_out_by_hand() -> None:
    # 12 bytes: the literal "abc" (tag 2 << 2), then a copy of 9 bytes from 3 back (8 << 2 | 2, two bytes)
    stream = bytes([12, 2 << 2]) + b"abc" + bytes([8 << 2 | 2, 3, 0])
    assert snappy.decompress(stream, 12) == b"abc" * 4
    # 11 bytes: a literal of 7, then a copy of 4 from 7 back (one-byte offset: 0 << 2 | 1)
    assert snappy.decompress(bytes([11, 6 << 2]) + b"layer_1" + bytes([1, 7]), 11) == b"layer_1laye"
    # a literal of 70 has its length less one in a byte of its own (tag 60 << 2)
    assert snappy.decompress(bytes([70, 60 << 2, 69]) + bytes(70), 70) == bytes(70)


@pytest.mark.parametrize(
    "stream",
    [
        b"",
        bytes([5, 2 << 2]) + b"abc",  # shorter than it says
        bytes([2, 2 << 2]) + b"abc",  # longer than it says
        bytes([12, 2 << 2]) + b"abc" + bytes([8 << 2 | 2, 4, 0]),  # from before the beginning
        bytes([12, 2 << 2]) + b"abc" + bytes([8 << 2 | 2, 0, 0]),  # from nowhere
        bytes([9, 8 << 2]) + b"abc",  # a literal that is cut short
        bytes([255] * 11),
        bytes([101, 0]),  # more than the limit
    ],
)
def test_damaged_snappy_streams(stream: bytes) -> None:
    with pytest.raises((ValueError, IndexError)):
        snappy.decompress(stream, 100)
