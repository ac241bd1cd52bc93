"""The page about several GPUs says what the program says now."""

from __future__ import annotations

from tests.sharding.page import PAGE, page


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()
