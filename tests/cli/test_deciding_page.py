"""The page of examples says what the program says."""

from __future__ import annotations

from tools.deciding import EXAMPLES, PAGE, page


def test_the_page_is_what_the_commands_print() -> None:
    written = PAGE.read_text(encoding="utf-8")
    assert written == page(), "python tools/deciding.py writes it anew"
    assert written.count("$ optmem") == len(EXAMPLES)
