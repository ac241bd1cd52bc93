"""The header of a GGUF file: fields and tensor descriptions, walked without building what is not needed.

A vocabulary of 128,000 tokens is three arrays of that length in the header, most of its bytes; they are
stepped over. Source of the layout: ``docs/gguf.md`` of ggml, versions 1 to 3, and ``gguf.cpp`` of
llama.cpp for what is invalid.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from optmem_gui.checkpoints.bounds import MAX_NAMES_LETTERS, MAX_TENSORS
from optmem_gui.checkpoints.contents import Reading, refused, shown
from optmem_gui.checkpoints.files import HeaderFile
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import Shape

MAGIC = (b"GGUF", b"FUGG")
"""The second is what a writer of the other byte order makes of it."""

MAX_DIMENSIONS = 4
"""``GGML_MAX_DIMS``."""

MAX_FIELDS = 65_536
MAX_STRINGS = 8_000_000
"""Texts in arrays that are stepped over; the largest vocabularies have less than a million."""

MAX_NESTED = 100_000
"""Arrays inside arrays, each of which is looked at."""

_MAX_TEXT_BYTES = 65_535
_MAX_KEPT = 1024
"""Numbers of an array that are kept: one a layer is what models need."""

_MAX_KEPT_TEXT, _MAX_KEPT_NUMBERS = MAX_NAMES_LETTERS, 1 << 16
"""Bytes of names and texts, and numbers in arrays, that are kept in all; no model comes near."""

_FIRST_WINDOW, _WINDOW = 1 << 16, 1 << 18
_STRING, _ARRAY = 8, 9
_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""``enum gguf_type`` to a struct format."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array in the header.

    Attributes:
        count: Its elements.
        values: They, where they are numbers and few.
    """

    count: int
    values: tuple[int | float, ...] = ()


Value = int | float | str | Array


@dataclass(frozen=True, slots=True)
class Stored:
    """One tensor as the header describes it.

    Attributes:
        name: Its name.
        shape: Dimensions, outermost first; the file has them the other way round.
        type_number: Its ``ggml_type``.
        offset: First byte, counted from the start of the data.
    """

    name: str
    shape: Shape
    type_number: int
    offset: int

    @property
    def numel(self) -> int:
        """Elements."""
        return prod(self.shape)


@dataclass(frozen=True, slots=True)
class Header:
    """A header.

    Attributes:
        version: 1, 2 or 3.
        fields: What the file says about itself; long arrays by their length only.
        tensors: In file order.
        data_start: Where the data begins.
    """

    version: int
    fields: dict[str, Value]
    tensors: list[Stored]
    data_start: int


def read_header(file: HeaderFile, reading: Reading) -> Header:
    """Walk a header.

    Raises:
        UserError: No GGUF file, a version that is not known, or a header that is cut or makes no sense.
    """
    name = shown(file.path)
    window = file.read(_FIRST_WINDOW)
    head = window[:8]
    if len(head) < 8 or not head.startswith(MAGIC):
        raise refused("checkpoint.header_ends", file=name)
    little, big = (int.from_bytes(head[4:], order) for order in ("little", "big"))
    order, version = ("<", little) if little < big else (">", big)
    if not 1 <= version <= 3:
        raise refused("checkpoint.gguf_version", file=name, version=version)
    walk = _Walk(file, reading, window, order, wide=version > 1)
    walk.step(8)
    tensor_count, field_count = walk.count(), walk.count()
    if tensor_count > min(MAX_TENSORS, file.size // 20) or field_count > min(MAX_FIELDS, file.size // 9):
        raise refused(
            "checkpoint.gguf_counts",
            file=name,
            tensor_count=tensor_count,
            field_count=field_count,
            size_bytes=file.size,
        )
    fields = dict(_fields(walk, field_count))
    if len(fields) < field_count:
        raise walk.damaged()
    tensors = [walk.tensor() for _ in range(tensor_count)]
    alignment = fields.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1):
        raise refused("checkpoint.gguf_alignment", file=name, given=str(alignment))
    return Header(version, fields, tensors, -(-walk.position // alignment) * alignment)


def _fields(walk: _Walk, count: int) -> Iterator[tuple[str, Value]]:
    for _ in range(count):
        key = walk.text()
        yield key, walk.value(walk.number("I"))


class _Walk:
    """Goes through a header from front to back, holding a window of it.

    Args:
        file: The file, at its start.
        reading: The opening under way; each new window is a chance to stop it.
        window: The first bytes of the file, already read.
        order: Byte order, as ``struct`` writes it.
        wide: Counts take 8 bytes; 4 in version 1.
    """

    def __init__(self, file: HeaderFile, reading: Reading, window: bytes, order: str, *, wide: bool) -> None:
        self._file, self._reading = file, reading
        self._order, self._size = order, "Q" if wide else "I"
        self._window = window
        self._start = self._place = 0
        self._strings = self._nested = 0
        self._text_left, self._numbers_left = _MAX_KEPT_TEXT, _MAX_KEPT_NUMBERS

    @property
    def position(self) -> int:
        """The next byte, counted from the start of the file."""
        return self._start + self._place

    def damaged(self) -> UserError:
        """The error that refuses what stands here."""
        return refused(
            "checkpoint.header_senseless", file=shown(self._file.path), position_count=self.position
        )

    def step(self, count: int) -> None:
        """Go on without looking."""
        self._place += count
        if self.position > self._file.size:
            raise refused("checkpoint.header_ends", file=shown(self._file.path))

    def take(self, count: int) -> bytes:
        """The next bytes."""
        self._hold(count)
        data = self._window[self._place : self._place + count]
        self._place += count
        return data

    def number(self, kind: str) -> int:
        """One whole number, by its struct format."""
        return int(self.numbers(kind)[0])

    def numbers(self, kinds: str) -> tuple[int | float, ...]:
        """Numbers that stand one after another."""
        packed = struct.Struct(self._order + kinds)
        return packed.unpack(self.take(packed.size))

    def count(self) -> int:
        """A length, in the width of the version."""
        return self.number(self._size)

    def text(self) -> str:
        """A text that is kept; replacement characters stand for what is no Unicode."""
        return self._text(self.count())

    def value(self, kind: int) -> Value:
        """What a field holds; long texts are stepped over and give an empty one."""
        if kind == _ARRAY:
            return self._array()
        if kind == _STRING:
            length = self.count()
            if length <= _MAX_TEXT_BYTES:
                return self._text(length)
            self.step(length)
            return ""
        if kind not in _FORMATS:
            raise self.damaged()
        return self.numbers(_FORMATS[kind])[0]

    def _text(self, length: int) -> str:
        self._text_left -= length
        if length > _MAX_TEXT_BYTES or self._text_left < 0:
            raise self.damaged()
        return self.take(length).decode("utf-8", "replace")

    def tensor(self) -> Stored:
        """One description of a tensor."""
        name, dimensions = self.text(), self.number("I")
        if dimensions > MAX_DIMENSIONS:
            raise refused(
                "checkpoint.too_many_dimensions",
                file=shown(self._file.path),
                name=name,
                given_count=dimensions,
                limit_count=MAX_DIMENSIONS,
            )
        *shape, type_number, offset = self.numbers(f"{dimensions}{self._size}IQ")
        return Stored(name, tuple(int(n) for n in reversed(shape)), int(type_number), int(offset))

    def _array(self, depth: int = 0) -> Array:
        kind, count = self.number("I"), self.count()
        if kind in _FORMATS:
            size = struct.calcsize(f"={_FORMATS[kind]}")
            if count <= min(_MAX_KEPT, self._numbers_left):
                self._numbers_left -= count
                return Array(count, self.numbers(f"{count}{_FORMATS[kind]}"))
            self.step(count * size)
            return Array(count)
        if kind not in (_STRING, _ARRAY) or depth > 1:
            raise self.damaged()
        if kind == _STRING:
            self._strings += count
            if self._strings > MAX_STRINGS:
                raise self.damaged()
            self._step_over(count)
        else:
            self._nested += count
            if self._nested > MAX_NESTED:
                raise self.damaged()
            for _ in range(count):
                self._array(depth + 1)
        return Array(count)

    def _step_over(self, count: int) -> None:
        """Go past texts: the one loop that decides how long a vocabulary takes."""
        length = struct.Struct(self._order + self._size)
        width, unpack = length.size, length.unpack_from
        while count:
            self._hold(width)
            window, place, last = self._window, self._place, len(self._window) - width
            left = count
            while place <= last and left:
                place += width + unpack(window, place)[0]
                left -= 1
            count, self._place = left, place
            self.step(0)

    def _hold(self, count: int) -> None:
        """Have the next ``count`` bytes in the window.

        Raises:
            UserError: The file ends before them.
        """
        if self._place + count <= len(self._window):
            return
        if self.position + count > self._file.size:
            raise refused("checkpoint.header_ends", file=shown(self._file.path))
        self._reading.check()
        self._start, held = self.position, self._window[self._place :]
        if not held:
            self._file.seek(self._start)
        self._window, self._place = held + self._file.read(max(_WINDOW, count) - len(held)), 0
        if len(self._window) < count:
            raise refused("checkpoint.header_ends", file=shown(self._file.path))
