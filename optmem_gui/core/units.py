"""Numbers as people write them: parameter counts in, sizes out.

The program's decimal mark is the dot and its grouping mark the comma, in every language it speaks,
so what it prints can be typed back. What could be read two ways is refused, never guessed.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from math import ceil
from typing import Literal

KIB, MIB, GIB, TIB = 1 << 10, 1 << 20, 1 << 30, 1 << 40
SizeUnit = Literal["GiB", "GB"]

MAX_PARAM_COUNT = 10**18
"""Largest parameter count accepted: one million times today's largest published models."""

_SUFFIX = {"": 0, "k": 3, "m": 6, "b": 9, "g": 9, "t": 12}
_GROUPED = re.compile(r"\d{1,3}([,._' \u00a0\u202f])\d{3}(?:\1\d{3})*\Z")
_NUMBER = re.compile(
    r"(?P<digits>[0-9][0-9.,_' \u00a0\u202f]*)(?:e(?P<exponent>\+?[0-9]{1,3}))?\s*(?P<suffix>[a-z]?)\Z"
)
_BINARY = {"GiB": (("TiB", TIB), ("GiB", GIB), ("MiB", MIB), ("KiB", KIB))}
_DECIMAL = {"GB": (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3))}
_STEPS = {**_BINARY, **_DECIMAL}
_SIZE = re.compile(r"(?P<number>[0-9]{1,18}(?:[.][0-9]{1,9})?)\s*(?P<unit>[A-Za-z]{1,3})")
_FACTORS = {"b": 1} | {name.lower(): factor for steps in _STEPS.values() for name, factor in steps}


class CountError(ValueError):
    """A parameter count that cannot be read.

    Attributes:
        key: Name of the template that says why (``count.empty``, ``count.ambiguous`` ...).
        text: What was typed.
    """

    def __init__(self, key: str, text: str) -> None:
        super().__init__(f"{key}: {text!r}")
        self.key = key
        self.text = text


def parse_count(text: str) -> int:
    """Read a number of parameters: ``7B``, ``6.74e9``, ``125M``, ``7,000,000,000``, ``35,9B``.

    A comma followed by exactly three digits groups thousands where no suffix follows; with a suffix
    ("1,500M") it could also be a decimal comma and is refused, as is a lone "1.500".

    Returns:
        An exact count, 1 to :data:`MAX_PARAM_COUNT`.

    Raises:
        CountError: Empty, not a number, ambiguous, not whole, zero, negative or too large.
    """
    raw = text.strip()
    if not raw:
        raise CountError("count.empty", text)
    if raw.startswith("-"):
        raise CountError("count.negative", text)
    match = _NUMBER.match(raw.lower().removesuffix("params").removesuffix("parameters").strip())
    if match is None or match["suffix"] not in _SUFFIX:
        raise CountError("count.not_a_number", text)
    power = _SUFFIX[match["suffix"]] + int(match["exponent"] or 0)
    if power > 40:
        raise CountError("count.too_large", text)
    bare = power == 0
    try:
        value = Decimal(_plain(match["digits"].rstrip(), text, bare=bare)).scaleb(power)
    except InvalidOperation:
        raise CountError("count.not_a_number", text) from None
    if value > MAX_PARAM_COUNT:
        raise CountError("count.too_large", text)
    if value != value.to_integral_value():
        raise CountError("count.not_whole", text)
    if value == 0:
        raise CountError("count.zero", text)
    return int(value)


def parse_bytes(text: str) -> int:
    """Read a size with its unit: ``5GiB``, ``1.5 GB``, ``512 MiB``, ``700B``.

    Returns:
        Whole bytes, rounded up.

    Raises:
        CountError: No number, no unit of bytes, zero or too large.
    """
    match = _SIZE.fullmatch(text.strip())
    factor = None if match is None else _FACTORS.get(match["unit"].lower())
    if match is None or factor is None:
        raise CountError("size.not_a_size", text)
    size = ceil(Decimal(match["number"]) * factor)
    if not 0 < size <= MAX_PARAM_COUNT:
        raise CountError("size.not_a_size", text)
    return size


def _plain(digits: str, text: str, *, bare: bool) -> str:
    """The digits with grouping removed and a dot for the decimal mark."""
    marks = [c for c in digits if not c.isdigit()]
    if not marks:
        return digits
    if len(set(marks)) == 1:
        mark = marks[0]
        if _GROUPED.match(digits) and (len(marks) > 1 or mark not in ".,"):
            return digits.replace(mark, "")
        if len(marks) > 1 and mark != "_":
            raise CountError("count.not_a_number", text)
        if mark == "_":
            return digits.replace("_", "")
        return _one_mark(digits, mark, text, bare=bare)
    *grouping, decimal = marks
    if len(set(grouping)) != 1 or decimal not in ".," or grouping[0] == decimal:
        raise CountError("count.not_a_number", text)
    whole, _, fraction = digits.rpartition(decimal)
    if not _GROUPED.match(whole):
        raise CountError("count.not_a_number", text)
    return f"{whole.replace(grouping[0], '')}.{fraction}"


def _one_mark(digits: str, mark: str, text: str, *, bare: bool) -> str:
    """One dot or comma: a decimal mark, a thousands mark, or refused."""
    fraction = digits.partition(mark)[2]
    groups = len(fraction) == 3 and _GROUPED.match(digits) is not None
    if mark == ".":
        if groups and bare:
            raise CountError("count.ambiguous", text)
        return digits
    if mark == ",":
        if groups and not bare:
            raise CountError("count.ambiguous", text)
        return digits.replace(",", "") if groups else digits.replace(",", ".")
    raise CountError("count.not_a_number", text)


def format_count(count: int) -> str:
    """A count with thousands separators: ``7,000,000,000``."""
    return f"{count:,}"


def format_short_count(count: int) -> str:
    """A count as people say it, three significant digits: ``6.74B``, ``125M``, ``512``."""
    for suffix, scale in (("T", 10**12), ("B", 10**9), ("M", 10**6), ("k", 10**3)):
        if count >= scale:
            short = f"{Decimal(count) / scale:.3g}" if count < 1000 * scale else f"{count // scale:,}"
            return f"{short}{suffix}"
    return str(count)


def format_bytes(size_bytes: int, unit: SizeUnit = "GiB") -> str:
    """A size with the unit that suits it: ``21.9 GiB`` or ``23.5 GB``, never unlabelled.

    Args:
        size_bytes: Bytes, negative for a difference.
        unit: ``GiB`` for powers of 1024, ``GB`` for powers of 1000.
    """
    sign, size = ("-" if size_bytes < 0 else ""), abs(size_bytes)
    name, scale = scale_of(size, unit)
    return f"{sign}{size if scale == 1 else _three_digits(size, scale)} {name}"


def scale_of(size_bytes: int, unit: SizeUnit = "GiB") -> tuple[str, int]:
    """The unit that suits a size, and its bytes: what an axis or a column up to that size is headed with."""
    return next(((name, scale) for name, scale in _STEPS[unit] if size_bytes >= scale), ("B", 1))


def in_unit(size_bytes: int, unit: SizeUnit) -> str:
    """A size in exactly this unit, without its name: the cells of a column headed GiB or GB."""
    sign = "-" if size_bytes < 0 else ""
    return f"{sign}{_three_digits(abs(size_bytes), _STEPS[unit][1][1])}"


def _three_digits(size: int, scale: int) -> str:
    value = Decimal(size) / scale
    if value >= 100:
        return f"{value:,.0f}" if value >= 1000 else f"{value:.1f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def signed_error(predicted: int | None, measured: int | None) -> float | None:
    """(predicted - measured) / measured; 0 where both are 0, None where it has no meaning."""
    if predicted is None or measured is None:
        return None
    if measured == 0:
        return 0.0 if predicted == 0 else None
    return (predicted - measured) / measured
