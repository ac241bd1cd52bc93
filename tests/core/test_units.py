"""Parameter counts as people type them, sizes as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.core.texts import TEMPLATES
from optmem_gui.core.units import (
    MAX_PARAM_COUNT,
    CountError,
    format_bytes,
    format_count,
    format_short_count,
    in_unit,
    parse_count,
    signed_error,
)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("7B", 7_000_000_000),
        ("7b", 7_000_000_000),
        (" 7 B ", 7_000_000_000),
        ("6.74e9", 6_740_000_000),
        ("125M", 125_000_000),
        ("7,000,000,000", 7_000_000_000),
        ("7.000.000.000", 7_000_000_000),
        ("35_952_000_000", 35_952_000_000),
        ("35,9B", 35_900_000_000),
        ("6.738B", 6_738_000_000),
        ("1\u202f500\u202f000", 1_500_000),
        ("1'500'000", 1_500_000),
        ("1,500", 1_500),
        ("1.5e3", 1_500),
        ("0.5B", 500_000_000),
        ("1,000.5k", 1_000_500),
        ("1T", 10**12),
        ("1", 1),
        ("1e18", 10**18),
    ],
)
def test_reads_what_people_write(text: str, count: int) -> None:
    assert parse_count(text) == count


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("", "count.empty"),
        ("   ", "count.empty"),
        ("0", "count.zero"),
        ("0B", "count.zero"),
        ("-7B", "count.negative"),
        ("nan", "count.not_a_number"),
        ("inf", "count.not_a_number"),
        ("seven", "count.not_a_number"),
        ("7Q", "count.not_a_number"),
        ("1,2,3", "count.not_a_number"),
        ("١٢", "count.not_a_number"),
        ("1.500", "count.ambiguous"),
        ("1,500M", "count.ambiguous"),
        ("1.5", "count.not_whole"),
        ("1,5", "count.not_whole"),
        ("1e400", "count.too_large"),
        ("1e19", "count.too_large"),
        ("9" * 400, "count.too_large"),
    ],
)
def test_refuses_what_could_be_misread(text: str, key: str) -> None:
    with pytest.raises(CountError) as caught:
        parse_count(text)
    assert caught.value.key == key


@given(st.integers(1, MAX_PARAM_COUNT))
def test_a_printed_count_can_be_typed_back(count: int) -> None:
    assert parse_count(format_count(count)) == count
    assert parse_count(str(count)) == count


@given(st.text(max_size=20))
def test_any_text_is_a_count_or_a_reason(text: str) -> None:
    try:
        count = parse_count(text)
    except CountError as error:
        count, refused = 1, error.key in TEMPLATES
    else:
        refused = True
    assert refused
    assert 1 <= count <= MAX_PARAM_COUNT


def test_sizes_carry_their_unit() -> None:
    # 4e9 B = 4e9 / 2^30 GiB = 3.7253 GiB
    assert format_bytes(4_000_000_000) == "3.73 GiB"
    assert format_bytes(4_000_000_000, "GB") == "4.00 GB"
    # An H100's NVML total
    assert format_bytes(85_520_809_984) == "79.6 GiB"
    assert format_bytes(85_520_809_984, "GB") == "85.5 GB"
    assert format_bytes(0) == "0 B"
    assert format_bytes(-512) == "-512 B"
    assert format_bytes(3 << 20) == "3.00 MiB"


def test_column_cells_leave_the_unit_to_the_header() -> None:
    assert in_unit(4_000_000_000, "GiB") == "3.73"
    assert in_unit(-4_000_000_000, "GB") == "-4.00"
    assert in_unit(4_000_000_000_000, "GB") == "4,000"


@pytest.mark.parametrize(
    ("count", "text"),
    [(6_738_415_616, "6.74B"), (125_000_000, "125M"), (512, "512"), (2_500, "2.5k"), (10**18, "1,000,000T")],
)
def test_short_counts(count: int, text: str) -> None:
    assert format_short_count(count) == text


@pytest.mark.parametrize(
    ("predicted", "measured", "error"),
    [(110, 100, 0.1), (90, 100, -0.1), (0, 0, 0.0), (1, 0, None), (None, 5, None), (5, None, None)],
)
def test_an_error_has_the_sign_of_the_prediction(
    predicted: int | None, measured: int | None, error: float | None
) -> None:
    assert signed_error(predicted, measured) == error
