"""The header of a ``.npy`` array: a Python literal, read by rules of its own and never evaluated.

Source: ``numpy/lib/_format_impl.py`` (numpy 2.4), versions 1.0 to 3.0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod

from optmem_gui.core.dtypes import DTYPES, DType
from optmem_gui.core.model import Shape

MAGIC = b"\x93NUMPY"
MAX_HEADER_BYTES = 10_000
"""numpy's own limit (``_MAX_HEADER_SIZE``)."""

MAX_ELEMENTS = 10**18
_START_BYTES = 12
_MAX_DIMENSIONS = 64
_MAX_DEPTH = 16
_MAX_ITEM_BYTES = 1 << 31

_TYPES: dict[str, DType] = {
    name: DTYPES[type_id]
    for name, type_id in (
        ("f8", "fp64"),
        ("f4", "fp32"),
        ("f2", "fp16"),
        ("c16", "complex128"),
        ("c8", "complex64"),
        ("i8", "int64"),
        ("i4", "int32"),
        ("i2", "int16"),
        ("i1", "int8"),
        ("u8", "uint64"),
        ("u4", "uint32"),
        ("u2", "uint16"),
        ("u1", "uint8"),
        ("b1", "bool"),
        ("V2", "bf16"),  # numpy has no name for what ml_dtypes adds: bfloat16 is stored so, and
        ("V1", "unknown"),  # so are the types of 8 bits and fewer
    )
}
_UNITS = {"U": 4}
"""Bytes of one unit where they are not 1."""

_TOKEN = re.compile(
    r"""\s*(?:(?P<text>'[^'\\]*'|"[^"\\]*")|(?P<number>[0-9]{1,20})L?|(?P<word>True|False)|(?P<mark>[][(){},:]))"""
)

_SIZE = re.compile(r"[0-9]{1,10}")

_Literal = object


class BadHeaderError(ValueError):
    """The header makes no sense."""


@dataclass(frozen=True, slots=True)
class Column:
    """One plain array, or one field of a structured one.

    Attributes:
        name: The field's name; empty for a plain array.
        shape: Its shape, that of the whole array included.
        dtype: Element type; None for texts, dates and raw bytes, which are no numbers.
        code: The type as numpy writes it.
    """

    name: str
    shape: Shape
    dtype: DType | None
    code: str


@dataclass(frozen=True, slots=True)
class ArrayHeader:
    """What a header says.

    Attributes:
        columns: The array, or its fields.
        data_bytes: Bytes of data that follow.
        objects: Elements are pickled Python objects.
    """

    columns: tuple[Column, ...]
    data_bytes: int
    objects: bool = False


def read_start(read: Callable[[int], bytes]) -> tuple[ArrayHeader, int]:
    """The header at the beginning of an array, and the bytes it takes.

    Args:
        read: Gives the next bytes, fewer only at the end.

    Raises:
        BadHeaderError: A version that is not known, a text longer than numpy allows, or no header at all.
    """
    start = read(_START_BYTES)
    if not start.startswith(MAGIC) or len(start) < _START_BYTES or start[6] not in (1, 2, 3):
        raise BadHeaderError
    begin = 10 if start[6] == 1 else 12
    length = int.from_bytes(start[8:begin], "little")
    if length > MAX_HEADER_BYTES:
        raise BadHeaderError
    text = (start + read(max(0, begin + length - _START_BYTES)))[begin : begin + length]
    if len(text) < length:
        raise BadHeaderError
    return parse_header(text), begin + length


def parse_header(text: bytes) -> ArrayHeader:
    """Understand the text of a header.

    Raises:
        BadHeaderError: It is not the literal that numpy writes.
    """
    try:
        found = _literal(_tokens(text.decode("utf-8")), 0)
    except (UnicodeDecodeError, StopIteration):
        try:
            found = _literal(_tokens(text.decode("latin-1")), 0)
        except StopIteration:
            raise BadHeaderError from None
    if not isinstance(found, dict) or found.keys() != {"descr", "fortran_order", "shape"}:
        raise BadHeaderError
    shape = _shape(found["shape"])
    columns = tuple(_columns(found["descr"], "", shape, 0))
    objects = any(column.code.startswith("O") for column in columns)
    named = tuple(column for column in columns if column.code[:1] != "V" or column.dtype or column.name)
    return ArrayHeader(named, 0 if objects else sum(map(_size, columns)), objects)


def _size(column: Column) -> int:
    return prod(column.shape) * _item_bytes(column.code)


def _item_bytes(code: str) -> int:
    kind, digits = code[0], code[1:].partition("[")[0]
    size = int(digits) * _UNITS.get(kind, 1) if _SIZE.fullmatch(digits) else -1
    if not 0 <= size <= _MAX_ITEM_BYTES:
        raise BadHeaderError
    return size


def _columns(described: _Literal, name: str, shape: Shape, depth: int) -> Iterator[Column]:
    """Follow a type description; a field may hold fields and have a shape of its own."""
    if isinstance(described, str):
        code = described.lstrip("<>|=")
        if not code or code[0] not in "biufcSUVMmOa":
            raise BadHeaderError
        if code[0] != "O":
            _item_bytes(code)
        if prod(shape) > MAX_ELEMENTS or len(shape) > _MAX_DIMENSIONS:
            raise BadHeaderError
        yield Column(name, shape, _TYPES.get(code), code)
    elif isinstance(described, list) and depth < _MAX_DEPTH:
        for field in described:
            if not isinstance(field, tuple) or not 2 <= len(field) <= 3:
                raise BadHeaderError
            own = field[0][1] if isinstance(field[0], tuple) and len(field[0]) == 2 else field[0]
            if not isinstance(own, str):
                raise BadHeaderError
            inner = (*shape, *(_shape(field[2]) if len(field) == 3 else ()))
            for column in _columns(field[1], f"{name}.{own}" if name else own, inner, depth + 1):
                yield column if own else Column("", column.shape, None, column.code)  # no name: padding
    else:
        raise BadHeaderError


def _shape(value: _Literal) -> Shape:
    items = value if isinstance(value, tuple) else (value,)
    if not all(type(item) is int and 0 <= item <= MAX_ELEMENTS for item in items):
        raise BadHeaderError
    return tuple(item for item in items if isinstance(item, int))


def _tokens(text: str) -> Iterator[re.Match[str]]:
    place, text = 0, text.rstrip(" \n\0")
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise BadHeaderError
        place = match.end()
        yield match


_CLOSING = {"(": ")", "[": "]", "{": "}"}


def _literal(tokens: Iterator[re.Match[str]], depth: int, first: re.Match[str] | None = None) -> _Literal:
    """One literal: a text, a number, a truth value, a tuple, a list or a dict."""
    token = first or next(tokens)
    if token["text"] is not None:
        return token["text"][1:-1]
    if token["number"] is not None:
        return int(token["number"])
    if token["word"] is not None:
        return token["word"] == "True"
    if token["mark"] not in _CLOSING or depth > 2 * _MAX_DEPTH:
        raise BadHeaderError
    items: list[_Literal] = []
    keys: list[_Literal] = []
    commas = 0
    while (token2 := next(tokens))["mark"] != _CLOSING[token["mark"]]:
        if token2["mark"] == ",":
            commas += 1
            continue
        value = _literal(tokens, depth + 1, token2)
        if token["mark"] == "{":
            if next(tokens)["mark"] != ":":
                raise BadHeaderError
            keys.append(value)
            value = _literal(tokens, depth + 1)
        items.append(value)
    if token["mark"] == "{":
        if not all(isinstance(key, str) for key in keys):
            raise BadHeaderError
        return dict(zip(keys, items, strict=True))
    if token["mark"] == "(" and (commas or not items):
        return tuple(items)
    return items if token["mark"] == "[" else items[0]
