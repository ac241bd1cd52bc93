"""Zstandard decompression of small blocks, such as the nodes of the trees that Orbax writes.

Python has no decoder of its own before 3.14. Input is taken apart strictly and output is bounded, so that
hostile data end in a ValueError or IndexError. Checksums are not looked at.

Source: RFC 8878.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

_MAGIC = b"\x28\xb5\x2f\xfd"
_MAX_BLOCK = 1 << 17
_LITERAL_LENGTHS = ([(n, 0) for n in range(16)] + [(16, 1), (18, 1), (20, 1), (22, 1), (24, 2), (28, 2)]
    + [(32, 3), (40, 3), (48, 4), (64, 6)] + [(1 << n, n) for n in range(7, 17)])  # fmt: skip
_MATCH_LENGTHS = ([(n + 3, 0) for n in range(32)] + [(35, 1), (37, 1), (39, 1), (41, 1), (43, 2), (47, 2)]
    + [(51, 3), (59, 3), (67, 4), (83, 4), (99, 5)] + [((1 << n) + 3, n) for n in range(7, 17)])  # fmt: skip
"""Base value and extra bits by code: tables 16 and 17."""

_DEFAULT_LITERALS = (
    [4, 3] + [2] * 11 + [1] * 3 + [2] * 9 + [3, 2] + [1] * 5 + [-1] * 4,
    6,
)
_DEFAULT_MATCHES = ([1, 4, 3] + [2] * 6 + [1] * 37 + [-1] * 7, 6)
_DEFAULT_OFFSETS = ([1] * 6 + [2] * 3 + [1] * 15 + [-1] * 5, 5)
"""Distributions and accuracy where a block brings none: section 3.1.1.3.2.2."""


@dataclass(frozen=True, slots=True)
class _States:
    """A decoding table of finite state entropy: symbol, bits and base of the next state, by state."""

    symbols: list[int]
    bits: list[int]
    bases: list[int]
    log: int


@dataclass(frozen=True, slots=True)
class _Prefixes:
    """A Huffman table: symbol and length of its code, by the next ``log`` bits."""

    symbols: bytes
    bits: bytes
    log: int


@dataclass(slots=True)
class _Frame:
    """What one block leaves to the next."""

    out: bytearray
    limit: int
    prefixes: _Prefixes | None = None
    tables: list[_States | None] = field(default_factory=lambda: [None, None, None])
    offsets: list[int] = field(default_factory=lambda: [1, 4, 8])


def decompress(data: bytes, limit_bytes: int) -> bytes:
    """The content of a Zstandard stream.

    Args:
        data: One or more frames.
        limit_bytes: Most that it may hold.

    Raises:
        ValueError: Damaged, larger than the limit, or made with a dictionary.
        IndexError: Cut short.
    """
    out, place = bytearray(), 0
    while place < len(data):
        place = _frame(data, place, out, limit_bytes)
    return bytes(out)


def _frame(data: bytes, place: int, out: bytearray, limit: int) -> int:
    if data[place + 1 : place + 4] == b"\x2a\x4d\x18" and data[place] >> 4 == 5:
        return place + 8 + _little(data, place + 4, 4)  # a frame to be skipped
    if data[place : place + 4] != _MAGIC:
        raise ValueError(place)
    descriptor = data[place + 4]
    place += 5 + (not descriptor & 32)
    dictionary_bytes = (0, 1, 2, 4)[descriptor & 3]
    if _little(data, place, dictionary_bytes):
        raise ValueError(place)
    place += dictionary_bytes
    size_bytes = (descriptor >> 5 & 1, 2, 4, 8)[descriptor >> 6]
    content = _little(data, place, size_bytes) + 256 * (size_bytes == 2)
    place += size_bytes
    begin = len(out)
    if size_bytes and begin + content > limit:
        raise ValueError(content)
    frame, last = _Frame(out, limit), False
    while not last:
        head = _little(data, place, 3)
        place += 3
        last, kind, size = bool(head & 1), head >> 1 & 3, head >> 3
        if size > _MAX_BLOCK or kind == 3:
            raise ValueError(place)
        if kind == 0:
            out += _part(data, place, size)
        elif kind == 1:
            out += data[place : place + 1] * size
            size = 1
        else:
            _block(_part(data, place, size), frame)
        place += size
        if len(out) > limit:
            raise ValueError(len(out))
    if size_bytes and len(out) - begin != content:
        raise ValueError(content)
    return place + 4 * (descriptor >> 2 & 1)


def _block(data: bytes, frame: _Frame) -> None:
    literals, place = _literals(data, frame)
    first = data[place]
    if first < 128:
        count, place = first, place + 1
    elif first < 255:
        count, place = (first - 128 << 8) + data[place + 1], place + 2
    else:
        count, place = _little(data, place + 1, 2) + 0x7F00, place + 3
    if not count:
        frame.out += literals
        return
    modes = data[place]
    place += 1
    kinds = (
        (modes >> 6, _DEFAULT_LITERALS, 9, 36),
        (modes >> 4 & 3, _DEFAULT_OFFSETS, 8, 32),
        (modes >> 2 & 3, _DEFAULT_MATCHES, 9, 53),
    )
    for index, (mode, default, most, symbols) in enumerate(kinds):
        if mode == 0:
            frame.tables[index] = _states(*default)
        elif mode == 1:
            if data[place] >= symbols:
                raise ValueError(place)
            frame.tables[index] = _States([data[place]], [0], [0], 0)
            place += 1
        elif mode == 2:
            counts, log, place = _distribution(data, place, most, symbols)
            frame.tables[index] = _states(counts, log)
    _sequences(_Backwards(data[place:]), count, literals, frame)


def _sequences(bits: _Backwards, count: int, literals: bytes, frame: _Frame) -> None:
    """Carry out the sequences of a block: literals, then a match, by turns."""
    lengths, offsets, matches = frame.tables
    if lengths is None or offsets is None or matches is None:
        raise ValueError(count)
    at_length, at_offset, at_match = bits.take(lengths.log), bits.take(offsets.log), bits.take(matches.log)
    out, taken = frame.out, 0
    for left in range(count - 1, -1, -1):
        code = offsets.symbols[at_offset]
        distance = (1 << code) + bits.take(code)
        base, extra = _MATCH_LENGTHS[matches.symbols[at_match]]
        match = base + bits.take(extra)
        base, extra = _LITERAL_LENGTHS[lengths.symbols[at_length]]
        literal = base + bits.take(extra)
        if taken + literal > len(literals):
            raise ValueError(taken)
        out += literals[taken : taken + literal]
        taken += literal
        _copy(out, _distance(frame.offsets, distance, literal), match, frame.limit)
        if left:
            at_length = lengths.bases[at_length] + bits.take(lengths.bits[at_length])
            at_match = matches.bases[at_match] + bits.take(matches.bits[at_match])
            at_offset = offsets.bases[at_offset] + bits.take(offsets.bits[at_offset])
    if bits.left:
        raise ValueError(bits.left)
    out += literals[taken:]


def _distance(recent: list[int], value: int, literal: int) -> int:
    """How far back a match lies; values up to 3 repeat one of the last distances (section 3.1.1.5)."""
    if value > 3:
        recent[:] = [value - 3, recent[0], recent[1]]
        return recent[0]
    index = value - 1 + (literal == 0)
    distance = recent[index] if index < 3 else recent[0] - 1
    if index:
        recent[:] = [distance, recent[0], recent[2] if index == 1 else recent[1]]
    return distance


def _copy(out: bytearray, distance: int, size: int, limit: int) -> None:
    if not 0 < distance <= len(out) or len(out) + size > limit:
        raise ValueError(distance)
    while size > 0:  # a match may reach into what it writes itself
        piece = out[len(out) - distance :][:size]
        out += piece
        size -= len(piece)


def _literals(data: bytes, frame: _Frame) -> tuple[bytes, int]:
    """The literals of a block, and where its sequences begin."""
    kind, shape = data[0] & 3, data[0] >> 2 & 3
    if kind < 2:
        width, shift = ((1, 3), (2, 4), (1, 3), (3, 4))[shape]
        size = _little(data, 0, width) >> shift
        if size > _MAX_BLOCK:
            raise ValueError(size)
        if kind == 0:
            return _part(data, width, size), width + size
        return data[width : width + 1] * size, width + 1
    width, bits = ((3, 10), (3, 10), (4, 14), (5, 18))[shape]
    head = _little(data, 0, width) >> 4
    size, packed = head & (1 << bits) - 1, head >> bits & (1 << bits) - 1
    if size > _MAX_BLOCK:
        raise ValueError(size)
    end, place = width + packed, width
    if kind == 2:
        frame.prefixes, place = _huffman(_part(data, 0, end), place)
    if frame.prefixes is None:
        raise ValueError(kind)
    body = _part(data, place, end - place)
    if not shape:
        return _decode(body, size, frame.prefixes), end
    jumps = [_little(body, at, 2) for at in (0, 2, 4)]
    each, begin, parts = (size + 3) // 4, 6, []
    for index in range(4):
        stop = begin + jumps[index] if index < 3 else len(body)
        part = each if index < 3 else size - 3 * each
        if stop > len(body) or part < 0:
            raise ValueError(begin)
        parts.append(_decode(body[begin:stop], part, frame.prefixes))
        begin = stop
    return b"".join(parts), end


def _decode(data: bytes, size: int, table: _Prefixes) -> bytes:
    bits, out = _Backwards(data), bytearray(size)
    for index in range(size):
        code = bits.peek(table.log)
        out[index] = table.symbols[code]
        bits.drop(table.bits[code])
    if bits.left:
        raise ValueError(bits.left)
    return bytes(out)


def _huffman(data: bytes, place: int) -> tuple[_Prefixes, int]:
    """A Huffman table, from the weights of its symbols (section 4.2.1)."""
    head = data[place]
    place += 1
    if head >= 128:
        count = head - 127
        packed = _part(data, place, (count + 1) // 2)
        weights = [byte >> shift & 15 for byte in packed for shift in (4, 0)][:count]
        place += len(packed)
    else:
        weights = _weights(_part(data, place, head))
        place += head
    total = sum(1 << weight >> 1 for weight in weights)
    log = total.bit_length()
    rest = (1 << log) - total
    if not total or log > 11 or rest & rest - 1:
        raise ValueError(total)
    weights.append(rest.bit_length())
    symbols, bits = bytearray(), bytearray()
    for weight in range(1, log + 1):
        for symbol, own in enumerate(weights):
            if own == weight:
                symbols += bytes([symbol]) * (1 << weight - 1)
                bits += bytes([log + 1 - weight]) * (1 << weight - 1)
    return _Prefixes(bytes(symbols), bytes(bits), log), place


def _weights(data: bytes) -> list[int]:
    """Weights packed by two states that take turns."""
    counts, log, place = _distribution(data, 0, 6, 13)
    table, bits = _states(counts, log), _Backwards(data[place:])
    states = [bits.take(log), bits.take(log)]
    weights: list[int] = []
    while len(weights) < 255:
        turn = len(weights) & 1
        state = states[turn]
        weights.append(table.symbols[state])
        if table.bits[state] > bits.left:
            weights.append(table.symbols[states[1 - turn]])
            return weights
        states[turn] = table.bases[state] + bits.take(table.bits[state])
    raise ValueError(len(weights))


def _distribution(data: bytes, place: int, most: int, symbols: int) -> tuple[list[int], int, int]:
    """Normalised counts of symbols, the accuracy, and where they end (section 4.1.1)."""
    number, used = int.from_bytes(data[place : place + 256], "little"), 4
    log = (number & 15) + 5
    if log > most:
        raise ValueError(log)
    left, counts = 1 << log, list[int]()
    while left > 0:
        width = (left + 1).bit_length()
        value = number >> used & (1 << width) - 1
        low, threshold = (1 << width - 1) - 1, (1 << width) - 1 - (left + 1)
        if value & low < threshold:
            value &= low
            used -= 1
        elif value > low:
            value -= threshold
        used += width
        counts.append(value - 1)
        left -= abs(value - 1)
        while not counts[-1] and value == 1:
            zeros = number >> used & 3
            used += 2
            counts += [0] * zeros
            if zeros < 3 or len(counts) > symbols:
                break
        if len(counts) > symbols:
            raise ValueError(len(counts))
    end = place + (used + 7) // 8
    if left or end > len(data):
        raise ValueError(left)
    return counts, log, end


def _states(counts: Sequence[int], log: int) -> _States:
    """The decoding table of a distribution (section 4.1.1)."""
    size = 1 << log
    symbols, free = [0] * size, size
    for symbol, count in enumerate(counts):
        if count < 0:
            free -= 1
            symbols[free] = symbol
    step, place = (size >> 1) + (size >> 3) + 3, 0
    for symbol, count in enumerate(counts):
        for _ in range(max(count, 0)):
            symbols[place] = symbol
            place = (place + step) & size - 1
            while place >= free:
                place = (place + step) & size - 1
    if place:
        raise ValueError(place)
    following = [abs(count) for count in counts]
    bits, bases = [0] * size, [0] * size
    for state, symbol in enumerate(symbols):
        number = following[symbol]
        following[symbol] += 1
        bits[state] = log + 1 - number.bit_length()
        bases[state] = (number << bits[state]) - size
    return _States(symbols, bits, bases, log)


class _Backwards:
    """Bits read from the end of a block towards its beginning.

    Attributes:
        left: Bits that are left.
    """

    def __init__(self, data: bytes) -> None:
        if not data or not data[-1]:  # the highest bit that is set marks the end
            raise ValueError(len(data))
        self._data = data
        self.left = 8 * len(data) - 9 + data[-1].bit_length()

    def take(self, count: int) -> int:
        """The next bits."""
        if count > self.left:
            raise ValueError(count)
        self.left -= count
        return self._at(self.left, count)

    def peek(self, count: int) -> int:
        """The next bits, zeros behind the last one, without going on."""
        if count <= self.left:
            return self._at(self.left - count, count)
        return self._at(0, self.left) << count - self.left

    def _at(self, position: int, count: int) -> int:
        first = position >> 3
        number = int.from_bytes(self._data[first : (position + count + 7) >> 3], "little")
        return number >> (position & 7) & (1 << count) - 1

    def drop(self, count: int) -> None:
        """Go on by so many bits."""
        if count > self.left:
            raise ValueError(count)
        self.left -= count


def _little(data: bytes, place: int, count: int) -> int:
    return int.from_bytes(_part(data, place, count), "little")


def _part(data: bytes, place: int, count: int) -> bytes:
    if place + count > len(data):
        raise IndexError(place)
    return data[place : place + count]
