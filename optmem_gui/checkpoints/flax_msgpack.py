"""The arrays of a Flax msgpack file, found without reading them.

The file is one msgpack value: maps of maps with arrays at the leaves. An array is extension type 1, whose
payload is msgpack again: shape, name of the type, bytes. Larger ones are cut into chunks under a map with
the key ``__msgpack_chunked_array__``.

Sources: msgpack ``spec.md``; ``flax/serialization.py``, Flax 0.12.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from optmem_gui.checkpoints.bounds import MAX_NAMES_LETTERS
from optmem_gui.checkpoints.contents import Reading, refused, shown
from optmem_gui.checkpoints.files import HeaderFile
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import Shape
from optmem_gui.core.units import MAX_PARAM_COUNT

MAX_DEPTH = 64
"""Maps within maps."""

MAX_LEAVES = 100_000
MAX_KEY_BYTES = 4096
MAX_RANK = 64

CHUNKED = "__msgpack_chunked_array__"
_ARRAY, _COMPLEX, _SCALAR = 1, 2, 3
_WINDOW_BYTES = 4096
_FIXED = {0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
_TEXT = {0xD9: 1, 0xDA: 2, 0xDB: 4}
_BYTES = {0xC4: 1, 0xC5: 2, 0xC6: 4}
_LIST = {0xDC: 2, 0xDD: 4}
_MAP = {0xDE: 2, 0xDF: 4}
_EXTENSION = {0xC7: 1, 0xC8: 2, 0xC9: 4}
_FIXED_EXTENSION = {0xD4: 1, 0xD5: 2, 0xD6: 4, 0xD7: 8, 0xD8: 16}


@dataclass(frozen=True, slots=True)
class Array:
    """One array.

    Attributes:
        path: Keys that lead to it.
        shape: Its shape.
        type_name: NumPy's name of its type.
        held_bytes: Bytes it takes in the file.
    """

    path: tuple[str, ...]
    shape: Shape
    type_name: str
    held_bytes: int


@dataclass(frozen=True, slots=True)
class _Head:
    """What a value begins with: its kind, and its size as a count of bytes, items or pairs."""

    kind: str
    size: int = 0
    code: int = 0


class _Cursor:
    """Reads a file forwards through a small window, so that skipping an array costs nothing."""

    def __init__(self, file: HeaderFile) -> None:
        self._file = file
        self._window = b""
        self._start = 0
        self.place = 0

    def damaged(self) -> UserError:
        """The error for what is no msgpack."""
        return refused("checkpoint.msgpack_damaged", file=shown(self._file.path), position_count=self.place)

    def left(self) -> int:
        """Bytes behind the position."""
        return self._file.size - self.place

    def take(self, count: int) -> bytes:
        """The next bytes."""
        if count > self.left():
            raise self.damaged()
        begin = self.place - self._start
        if begin < 0 or begin + count > len(self._window):
            if self._start + len(self._window) != self.place:
                self._file.seek(self.place)
            self._window = self._file.read(min(max(count, _WINDOW_BYTES), self.left()))
            self._start, begin = self.place, 0
        self.place += count
        return self._window[begin : begin + count]

    def skip(self, count: int) -> None:
        """Pass over bytes, which must be there."""
        if count > self.left():
            raise self.damaged()
        self.place += count

    def number(self, width: int) -> int:
        """A big-endian count."""
        return int.from_bytes(self.take(width), "big")

    def head(self) -> _Head:  # noqa: PLR0911  # one line a family of msgpack types
        """What the next value is."""
        first = self.take(1)[0]
        if first < 0x80 or first >= 0xE0:
            return _Head("number", 0, first if first < 0x80 else first - 256)
        if first < 0xA0:
            return _Head("map" if first < 0x90 else "list", first & 15)
        if first < 0xC0:
            return _Head("text", first & 31)
        if first in _FIXED:
            return _Head("number", _FIXED[first], first)
        if first in _FIXED_EXTENSION:
            return _Head("extension", _FIXED_EXTENSION[first], self.take(1)[0])
        if first in _EXTENSION:
            size = self.number(_EXTENSION[first])
            return _Head("extension", size, self.take(1)[0])
        for kind, widths in (("text", _TEXT), ("bytes", _BYTES), ("list", _LIST), ("map", _MAP)):
            if first in widths:
                return _Head(kind, self.number(widths[first]))
        if first in (0xC0, 0xC2, 0xC3):
            return _Head("nothing")
        raise self.damaged()

    def text(self) -> str:
        """The next value, which must be a short text; a number is taken as its digits."""
        head = self.head()
        if head.kind == "number" and not head.size:
            return str(head.code)
        if head.kind not in ("text", "bytes") or head.size > MAX_KEY_BYTES:
            raise self.damaged()
        return self.take(head.size).decode("utf-8", "replace")

    def integer(self) -> int:
        """The next value, which must be a whole number of at least 0."""
        head = self.head()
        if head.kind != "number" or (head.size and not 0xCC <= head.code <= 0xD3) or head.code < 0:
            raise self.damaged()
        number = head.code if not head.size else self.number(head.size)
        if number >= 1 << 63:
            raise self.damaged()
        return number


def _check_bounds(leaves: int, letters: int, file: HeaderFile) -> None:
    """Refuse more entries, or longer names of them, than any model has."""
    if leaves > MAX_LEAVES:
        raise refused("checkpoint.msgpack_too_many", file=shown(file.path), limit_count=MAX_LEAVES)
    if letters > MAX_NAMES_LETTERS:
        raise refused("checkpoint.names_too_long", file=shown(file.path), limit_count=MAX_NAMES_LETTERS)


def arrays(file: HeaderFile, reading: Reading) -> Iterator[Array]:
    """Every array, in file order; chunks are put together again.

    Raises:
        UserError: No msgpack, no map, nested too deeply, or an array whose bytes do not follow from it.
    """
    cursor = _Cursor(file)
    head = cursor.head()
    if head.kind != "map":
        raise cursor.damaged()
    leaves = letters = 0
    stack: list[tuple[tuple[str, ...], str, int]] = [((), "map", head.size)]
    while stack:
        path, kind, left = stack.pop()
        if not left:
            continue
        if left > cursor.left():  # each needs a byte at least
            raise cursor.damaged()
        stack.append((path, kind, left - 1))
        key = cursor.text() if kind == "map" else str(left - 1)
        leaves += 1
        letters += len(key) + sum(map(len, path))
        _check_bounds(leaves, letters, file)
        if leaves % 1000 == 0:
            reading.check()
        if key == CHUNKED and kind == "map":
            _skip_value(cursor)
            stack.pop()
            yield _chunked(cursor, path, left - 1)
            continue
        head = cursor.head()
        if head.kind in ("map", "list"):
            if len(path) >= MAX_DEPTH:
                raise refused("checkpoint.nested_too_deeply", file=shown(file.path))
            stack.append(((*path, key), head.kind, head.size))
        elif head.kind == "extension" and head.code in (_ARRAY, _SCALAR):
            yield _array(cursor, (*path, key), head.size)
        else:
            _skip_rest(cursor, head)
    if cursor.left():
        raise cursor.damaged()


def _array(cursor: _Cursor, path: tuple[str, ...], size: int) -> Array:
    """An array's shape and type; its bytes are passed over."""
    end = cursor.place + size
    head = cursor.head()
    if head.kind != "list" or head.size != 3:
        raise cursor.damaged()
    shape = _shape(cursor)
    type_name = cursor.text()
    head = cursor.head()
    if head.kind not in ("bytes", "text") or cursor.place + head.size != end:
        raise cursor.damaged()
    cursor.skip(head.size)
    return Array(path, shape, type_name, head.size)


def _shape(cursor: _Cursor) -> Shape:
    head = cursor.head()
    if head.kind not in ("list", "map") or head.size > MAX_RANK:
        raise cursor.damaged()
    sizes = []
    for _ in range(head.size):
        if head.kind == "map":  # a tuple as Flax writes it: {"0": 3, "1": 4}
            cursor.text()
        sizes.append(cursor.integer())
    return tuple(sizes)


def _chunked(cursor: _Cursor, path: tuple[str, ...], left: int) -> Array:
    """An array cut into flat chunks: the rest of its map, ``shape`` and ``chunks``."""
    shape: Shape | None = None
    pieces: list[Array] = []
    for _ in range(left):
        key = cursor.text()
        if key == "shape":
            shape = _shape(cursor)
        elif key == "chunks":
            pieces = _pieces(cursor, path)
        else:
            _skip_value(cursor)
    names = {piece.type_name for piece in pieces}
    if shape is None or len(names) != 1 or sum(prod(piece.shape) for piece in pieces) != prod(shape):
        raise cursor.damaged()
    return Array(path, shape, names.pop(), sum(piece.held_bytes for piece in pieces))


def _pieces(cursor: _Cursor, path: tuple[str, ...]) -> list[Array]:
    head = cursor.head()
    if head.kind not in ("list", "map") or head.size > cursor.left():
        raise cursor.damaged()
    pieces = []
    for _ in range(head.size):
        if head.kind == "map":
            cursor.text()
        inner = cursor.head()
        if inner.kind != "extension" or inner.code != _ARRAY:
            raise cursor.damaged()
        pieces.append(_array(cursor, path, inner.size))
    return pieces


def _skip_value(cursor: _Cursor) -> None:
    head = cursor.head()
    if head.kind in ("map", "list"):
        raise cursor.damaged()
    _skip_rest(cursor, head)


def _skip_rest(cursor: _Cursor, head: _Head) -> None:
    """Pass over what follows the head of a value that holds no others."""
    cursor.skip(head.size)


def too_large(array: Array) -> bool:
    """Whether an array claims more elements than any model has."""
    return prod(array.shape) > MAX_PARAM_COUNT
