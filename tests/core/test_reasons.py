"""Numbers in sentences: the same form in every template, whatever a placeholder is called."""

from __future__ import annotations

from string import Formatter

import pytest

from optmem_gui.core.errors import UserError
from optmem_gui.core.reasons import NAMES, Reason
from optmem_gui.core.texts import TEMPLATES
from optmem_gui.core.units import GIB

LARGE = 1_234_567_890


def _placeholders(key: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(TEMPLATES[key]) if name}


@pytest.mark.parametrize("key", sorted(key for key in TEMPLATES if _placeholders(key)))
def test_a_number_is_written_for_people_in_every_template(key: str) -> None:
    names = _placeholders(key)
    said = str(UserError(key, **dict.fromkeys(names, LARGE)))
    counted = [name for name in names if name not in NAMES and not name.endswith("bytes")]
    assert ("1,234,567,890" in said) == bool(counted)
    assert ("1234567890" in said) == bool(names & NAMES)
    assert ("1.15 GiB" in said) == any(name.endswith("bytes") for name in names)


def test_text_and_truth_are_shown_as_they_are() -> None:
    assert str(Reason("cli.out_of_range", {"option": "--batch", "given": "0", "low": 1, "high": 10**9})) == (
        "--batch: 0 is not a whole number from 1 to 1,000,000,000"
    )
    typed = Reason("cli.out_of_range", {"option": "--batch", "given": "99999999999", "low": 1, "high": 2})
    assert "99999999999 is" in str(typed)
    assert "True" in str(Reason("report.asked_batch", {"value": True}))


def test_a_size_is_no_count() -> None:
    assert "1.00 GiB" in str(Reason("report.low_high", {"low_bytes": GIB, "high_bytes": 2 * GIB}))
