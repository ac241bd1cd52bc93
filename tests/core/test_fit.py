from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.core.fit import fits_free_memory, largest_param_count
from optmem_gui.core.reasons import Reason

GIB = 1 << 30


@given(st.integers(0, 10**12), st.integers(1, 10**12))
def test_the_answer_is_the_last_that_fits(limit: int, upper: int) -> None:
    assert largest_param_count(lambda count: count <= limit, upper) == min(limit, upper)


def test_few_questions_are_asked() -> None:
    asked: list[int] = []

    def fits(count: int) -> bool:
        asked.append(count)
        return count <= 123_456_789

    assert largest_param_count(fits, 10**12) == 123_456_789
    assert len(asked) <= 42  # log2(10^12) = 39.9


def test_a_run_that_fits_is_not_warned_about() -> None:
    assert fits_free_memory(GIB, GIB, lambda count: 16 * count, 10) is None


def test_nothing_is_said_where_nobody_knows_what_is_free() -> None:
    assert fits_free_memory(GIB, None, lambda count: 16 * count, 10) is None


def test_the_largest_model_that_fits_is_offered() -> None:
    # 1 GiB free at 16 bytes a parameter and 100 MiB beside them: (1024 - 100) MiB / 16
    warning = fits_free_memory(17 * GIB, GIB, lambda count: 16 * count + (100 << 20), (17 * GIB) // 16)
    assert warning is not None
    assert warning.values["count"] == (924 << 20) // 16
    assert "17.0 GiB" in str(warning)
    assert "60,555,264 parameters" in str(warning)


def test_where_not_even_one_parameter_fits_it_says_so() -> None:
    warning = fits_free_memory(2 * GIB, 1000, lambda count: GIB + count, 100)
    assert warning == Reason("measure.nothing_fits", {"needed_bytes": 2 * GIB, "free_bytes": 1000})
