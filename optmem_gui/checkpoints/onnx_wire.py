"""Protocol buffers' wire format, walked in a file: lengths are followed, contents are read on request.

Source: "Encoding" of the Protocol Buffers documentation. Groups (wire types 3 and 4) are not used by ONNX
and make no sense here.
"""

from __future__ import annotations

from collections.abc import Iterator

from optmem_gui.checkpoints.contents import Reading, refused, shown
from optmem_gui.checkpoints.files import HeaderFile
from optmem_gui.core.errors import UserError

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
MAX_DEPTH = 64
MAX_FIELDS = 2_000_000
"""Fields that are looked at: a graph of 100,000 nodes has a million."""

_SMALL, _LARGE = 1 << 12, 1 << 18
_VARINT_BYTES = 10

Field = tuple[int, int, int, int]
"""Number, wire type, value, and place. The value of a field of bytes is their count; the place is where
they begin."""


class Wire:
    """Random access to a file by small reads, with a window that grows while the walk goes straight on.

    Args:
        file: The file.
        reading: The opening under way; each new window is a chance to stop it.
    """

    def __init__(self, file: HeaderFile, reading: Reading) -> None:
        self.file, self._reading = file, reading
        self._window, self._start, self._next = b"", 0, _SMALL
        self._left = MAX_FIELDS

    def damaged(self, place: int) -> UserError:
        """The error that refuses what stands at a place."""
        return refused("checkpoint.header_senseless", file=shown(self.file.path), position_count=place)

    def bytes(self, place: int, count: int) -> bytes:
        """Bytes at a place; the file has them.

        Raises:
            UserError: The file ends before.
        """
        offset = place - self._start
        if offset < 0 or offset + count > len(self._window):
            self._move(place, count)
            offset = 0
        return self._window[offset : offset + count]

    def text(self, place: int, count: int, limit: int = 4096) -> str:
        """A text, cut where it is too long for a name."""
        return self.bytes(place, min(count, limit)).decode("utf-8", "replace")

    def fields(self, start: int, stop: int) -> Iterator[Field]:
        """The fields of the message between two places.

        Raises:
            UserError: The message makes no sense.
        """
        place = start
        while place < stop:
            self._left -= 1
            if self._left < 0:
                raise refused(
                    "checkpoint.too_many_fields", file=shown(self.file.path), limit_count=MAX_FIELDS
                )
            key, place = self._varint(place, stop)
            kind = key & 7
            if kind == VARINT:
                value, after = self._varint(place, stop)
                yield key >> 3, kind, value, place
                place = after
                continue
            if kind == BYTES:
                size, place = self._varint(place, stop)
            elif kind in (FIXED32, FIXED64):
                size = 4 if kind == FIXED32 else 8
            else:
                raise self.damaged(place)
            if place + size > self.file.size:
                raise refused("checkpoint.header_ends", file=shown(self.file.path))
            if size > stop - place:
                raise self.damaged(place)
            yield key >> 3, kind, size, place
            place += size

    def varints(self, place: int, count: int) -> Iterator[int]:
        """Packed whole numbers."""
        stop = place + count
        while place < stop:
            value, place = self._varint(place, stop)
            yield value

    def _varint(self, place: int, stop: int) -> tuple[int, int]:
        offset = place - self._start
        if 0 <= offset < len(self._window) and (byte := self._window[offset]) < 128:
            return byte, place + 1  # most keys and most lengths
        if offset < 0 or offset + _VARINT_BYTES > len(self._window):
            self._move(place, 1)
            offset = 0
        window, value, shift = self._window, 0, 0
        end = min(len(window), offset + min(_VARINT_BYTES, stop - place))
        for index in range(offset, end):
            byte = window[index]
            value |= (byte & 127) << shift
            if byte < 128:
                return value, place + index - offset + 1
            shift += 7
        raise self.damaged(place)

    def _move(self, place: int, count: int) -> None:
        """Put the window's beginning to a place."""
        self._reading.check()
        straight = self._start <= place <= self._start + len(self._window)
        self._next = min(2 * self._next, _LARGE) if straight and self._window else _SMALL
        self.file.seek(place)
        self._window, self._start = self.file.read(max(self._next, count)), place
        if len(self._window) < count:
            raise refused("checkpoint.header_ends", file=shown(self.file.path))
