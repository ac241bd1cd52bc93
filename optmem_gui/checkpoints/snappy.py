"""Snappy: the compression of the blocks in many TensorFlow indexes.

Source: ``format_description.txt`` of github.com/google/snappy.
"""

from __future__ import annotations


def decompress(data: bytes, limit_bytes: int) -> bytes:
    """The content of a raw Snappy stream.

    Args:
        data: The stream.
        limit_bytes: Most that it may hold.

    Raises:
        ValueError: Damaged, or larger than the limit.
        IndexError: Cut short.
    """
    length, place = varint(data, 0)
    if length > limit_bytes:
        raise ValueError(length)
    out = bytearray()
    while place < len(data):
        tag = data[place]
        place += 1
        kind = tag & 3
        if kind == 0:
            size = (tag >> 2) + 1
            if size > 60:  # the size stands in the next bytes
                width = size - 60
                size = int.from_bytes(data[place : place + width], "little") + 1
                place += width
            if place + size > len(data):
                raise ValueError(place)
            out += data[place : place + size]
            place += size
        else:
            if kind == 1:
                size, distance = (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[place]
                place += 1
            else:
                width = 2 if kind == 2 else 4
                size, distance = (tag >> 2) + 1, int.from_bytes(data[place : place + width], "little")
                place += width
            if not 0 < distance <= len(out):
                raise ValueError(distance)
            while size > 0:  # a copy may reach into what it writes itself
                piece = out[len(out) - distance :][:size]
                out += piece
                size -= len(piece)
        if len(out) > length:
            raise ValueError(len(out))
    if len(out) != length:
        raise ValueError(length)
    return bytes(out)


def varint(data: bytes, place: int) -> tuple[int, int]:
    """A number of seven bits a byte, low ones first, and the position behind it.

    Raises:
        ValueError: More than 64 bits.
        IndexError: The data end in it.
    """
    number = shift = 0
    while True:
        byte = data[place]
        place += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, place
        shift += 7
        if shift > 63:
            raise ValueError(place)
