"""The stack machine of the pickle format, with every instruction of protocols 0 to 5 and no way out of it.

Source of the instructions: Python's ``Lib/pickletools.py``.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Mapping
from typing import BinaryIO

from optmem_gui.checkpoints.bounds import LARGE_PICKLE, MAX_ITEM_BYTES, PickleLimits
from optmem_gui.checkpoints.pickle_values import Made, Persistent, Rebuild, Symbol, Value

CHECK_EVERY = 50_000
"""Instructions between two looks at whether the user wants to stop."""

MAX_STEPS, MAX_PENDING = 1 << 26, 1 << 19
"""Instructions, and values that wait for their container; picklers fill those by 1,000 items."""

_MARK = object()
DAMAGE = (
    IndexError,
    KeyError,
    ValueError,
    TypeError,
    AttributeError,
    OverflowError,
    EOFError,
    RecursionError,
    struct.error,
)
"""What running off damaged instructions can raise."""


class TooMuchError(Exception):
    """A pickle that makes more than any checkpoint does."""


class Machine:
    """The stack machine of the pickle format."""

    def __init__(
        self, stream: BinaryIO, rebuilders: Mapping[str, Rebuild], limits: PickleLimits = LARGE_PICKLE
    ) -> None:
        self.limits, self.text_left = limits, limits.text_bytes
        self.read = stream.read
        self.readline = stream.readline
        self.rebuilders = rebuilders
        self.stack: list[Value] = []
        self.memo: dict[int, Value] = {}
        self.named: set[str] = set()
        self.called: set[str] = set()
        self.steps = 0

    def run(self, check: Callable[[], None]) -> Value:
        """Follow the instructions to STOP and give what they leave on the stack.

        Raises:
            TooMuchError: One of the limits is passed.
        """
        table, read = HANDLERS, self.read
        blocks = sys.getallocatedblocks()
        while True:
            count = 0
            try:
                for count in range(1, CHECK_EVERY + 1):  # noqa: B007  # counted here, told below
                    code = read(1)
                    if code == b".":
                        return self.pop()
                    table[code](self)
            finally:
                self.steps += count
            check()
            taken = sys.getallocatedblocks() - blocks
            if self.steps > MAX_STEPS or len(self.stack) > MAX_PENDING or taken > self.limits.blocks:
                raise TooMuchError

    def take(self, count: int) -> bytes:
        """Exactly ``count`` bytes of the pickle."""
        self.text_left -= count
        if count > MAX_ITEM_BYTES:
            raise ValueError
        if self.text_left < 0:
            raise TooMuchError
        data = self.read(count)
        if len(data) != count:
            raise EOFError
        return data

    def line(self) -> bytes:
        """Bytes up to the next line feed, as protocol 0 writes arguments."""
        data = self.readline()
        if not data.endswith(b"\n"):
            raise EOFError
        return data[:-1]

    def number(self, size: int) -> int:
        """An unsigned number of ``size`` bytes."""
        return int.from_bytes(self.take(size), "little")

    def push(self, value: Value) -> None:
        """Put a value on the stack."""
        self.stack.append(value)

    def pop(self) -> Value:
        """Take a value off the stack; a mark is no value."""
        value = self.stack.pop()
        if value is _MARK:
            raise ValueError
        return value

    def since_mark(self) -> list[Value]:
        """Take everything above the last mark, and the mark, off the stack."""
        stack = self.stack
        at = len(stack) - 1
        while stack[at] is not _MARK:
            at -= 1
            if at < 0:
                raise IndexError
        items = stack[at + 1 :]
        del stack[at:]
        return items

    def name(self, module: Value, name: Value) -> None:
        """Put a name on the stack, as text; it is never looked up."""
        if not isinstance(module, str) or not isinstance(name, str):
            raise TypeError
        path = f"{module}.{name}"
        self.named.add(path)
        self.push(Symbol(path))

    def call(self, maker: Value, args: Value) -> Value:
        """What a call stands for: a value the caller knows how to rebuild, or its description."""
        if isinstance(maker, Symbol):
            rebuild = self.rebuilders.get(maker.path)
            if rebuild is not None and isinstance(args, tuple):
                try:
                    return rebuild(args)
                except (IndexError, TypeError, ValueError, AttributeError):
                    return Made(maker, args)  # not the arguments this call takes: leave it described
            self.called.add(maker.path)
        return Made(maker, args)

    def store(self, target: Value, pairs: list[Value]) -> None:
        """Keys and values, alternating, into a dict or a described object."""
        if len(pairs) % 2:
            raise ValueError
        into = target.items if isinstance(target, Made) else target
        if not isinstance(into, dict):
            raise TypeError
        for index in range(0, len(pairs), 2):
            into[_key(pairs[index])] = pairs[index + 1]

    def extend(self, target: Value, items: list[Value]) -> None:
        """Values to the end of a list or a described object."""
        into = target.elements if isinstance(target, Made) else target
        if not isinstance(into, list):
            raise TypeError
        into.extend(items)


def _key(value: Value) -> Value:
    """A key that is safe to hash: plain values and described objects, anything else as a marker."""
    if isinstance(value, (str, int, float, bytes, Symbol, Made)) or value is None:
        return value
    if isinstance(value, tuple) and all(isinstance(item, (str, int, float, bytes)) for item in value):
        return value
    return f"<{type(value).__name__} {id(value)}>"


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _float_line(machine: Machine) -> None:
    machine.push(float(machine.line()))


def _int_line(machine: Machine) -> None:
    line = machine.line()
    machine.push({b"00": False, b"01": True}[line] if line in (b"00", b"01") else int(line))


def _signed(machine: Machine, data: bytes) -> None:
    machine.push(int.from_bytes(data, "little", signed=True))


def _quoted(machine: Machine) -> None:
    line = machine.line().strip()
    if len(line) < 2 or line[:1] != line[-1:] or line[:1] not in (b'"', b"'"):
        raise ValueError
    machine.push(line[1:-1].decode("latin-1"))


def _global(machine: Machine) -> None:
    machine.name(_text(machine.line()), _text(machine.line()))


def _stack_global(machine: Machine) -> None:
    name = machine.pop()
    machine.name(machine.pop(), name)


def _extension(machine: Machine, size: int) -> None:
    machine.name("copyreg", f"extension_{machine.number(size)}")


def _reduce(machine: Machine) -> None:
    args = machine.pop()
    machine.push(machine.call(machine.pop(), args))


def _new_object(machine: Machine) -> None:
    args = machine.pop()
    machine.push(machine.call(machine.pop(), args))


def _new_object_ex(machine: Machine) -> None:
    machine.pop()
    _new_object(machine)


def _instance(machine: Machine) -> None:
    module, name = _text(machine.line()), _text(machine.line())
    args = tuple(machine.since_mark())
    machine.name(module, name)
    machine.push(machine.call(machine.pop(), args))


def _object(machine: Machine) -> None:
    maker, *args = machine.since_mark()
    machine.push(machine.call(maker, tuple(args)))


def _build(machine: Machine) -> None:
    state = machine.pop()
    target = machine.stack[-1]
    if isinstance(target, Made):
        target.state = state


# What nearly all of a checkpoint's instructions are, without a call inside: they take half of the time.


def _put_short(machine: Machine) -> None:
    machine.memo[machine.read(1)[0]] = machine.stack[-1]


def _put_long(machine: Machine) -> None:
    machine.memo[int.from_bytes(machine.read(4), "little")] = machine.stack[-1]


def _get_short(machine: Machine) -> None:
    machine.stack.append(machine.memo[machine.read(1)[0]])


def _get_long(machine: Machine) -> None:
    machine.stack.append(machine.memo[int.from_bytes(machine.read(4), "little")])


def _byte(machine: Machine) -> None:
    machine.stack.append(machine.read(1)[0])


def _short_text(machine: Machine) -> None:
    machine.stack.append(
        machine.take(int.from_bytes(machine.read(4), "little")).decode("utf-8", "surrogatepass")
    )


def _tuple(machine: Machine) -> None:
    machine.stack.append(tuple(machine.since_mark()))


def _put(machine: Machine, index: int) -> None:
    machine.memo[index] = machine.stack[-1]


def _get(machine: Machine, index: int) -> None:
    machine.push(machine.memo[index])


def _append(machine: Machine) -> None:
    value = machine.pop()
    machine.extend(machine.stack[-1], [value])


def _appends(machine: Machine) -> None:
    items = machine.since_mark()
    machine.extend(machine.stack[-1], items)


def _set_item(machine: Machine) -> None:
    value = machine.pop()
    key = machine.pop()
    machine.store(machine.stack[-1], [key, value])


def _set_items(machine: Machine) -> None:
    pairs = machine.since_mark()
    machine.store(machine.stack[-1], pairs)


def _dict(machine: Machine) -> None:
    pairs = machine.since_mark()
    machine.push({})
    machine.store(machine.stack[-1], pairs)


def _tuple_of(machine: Machine, count: int) -> None:
    if len(machine.stack) < count or _MARK in machine.stack[-count:]:
        raise IndexError
    items = tuple(machine.stack[-count:])
    del machine.stack[-count:]
    machine.push(items)


def _persistent(machine: Machine) -> None:
    machine.push(Persistent(machine.pop()))


def _frame(machine: Machine) -> None:
    machine.number(8)


def _no_buffer(machine: Machine) -> None:
    machine.push(Made(Symbol("pickle.PickleBuffer")))


HANDLERS: dict[bytes, Callable[[Machine], Value]] = {
    b"(": lambda m: m.stack.append(_MARK),
    b"0": lambda m: m.stack.pop(),
    b"1": lambda m: m.since_mark(),
    b"2": lambda m: m.push(m.stack[-1]),
    b"F": _float_line,
    b"I": _int_line,
    b"J": lambda m: _signed(m, m.take(4)),
    b"K": _byte,
    b"L": lambda m: m.push(int(m.line().rstrip(b"L"))),
    b"M": lambda m: m.push(m.number(2)),
    b"N": lambda m: m.push(None),
    b"P": lambda m: m.push(Persistent(_text(m.line()))),
    b"Q": _persistent,
    b"R": _reduce,
    b"S": _quoted,
    b"T": lambda m: m.push(m.take(m.number(4)).decode("latin-1")),
    b"U": lambda m: m.push(m.take(m.number(1)).decode("latin-1")),
    b"V": lambda m: m.push(m.line().decode("raw-unicode-escape")),
    b"X": _short_text,
    b"a": _append,
    b"b": _build,
    b"c": _global,
    b"d": _dict,
    b"}": lambda m: m.stack.append({}),
    b"e": _appends,
    b"g": lambda m: _get(m, int(m.line())),
    b"h": _get_short,
    b"i": _instance,
    b"j": _get_long,
    b"l": lambda m: m.push(m.since_mark()),
    b"]": lambda m: m.push([]),
    b"o": _object,
    b"p": lambda m: _put(m, int(m.line())),
    b"q": _put_short,
    b"r": _put_long,
    b"s": _set_item,
    b"t": _tuple,
    b")": lambda m: m.stack.append(()),
    b"u": _set_items,
    b"G": lambda m: m.push(struct.unpack(">d", m.take(8))[0]),
    b"B": lambda m: m.push(m.take(m.number(4))),
    b"C": lambda m: m.push(m.take(m.number(1))),
    b"\x80": lambda m: m.number(1),
    b"\x81": _new_object,
    b"\x82": lambda m: _extension(m, 1),
    b"\x83": lambda m: _extension(m, 2),
    b"\x84": lambda m: _extension(m, 4),
    b"\x85": lambda m: _tuple_of(m, 1),
    b"\x86": lambda m: _tuple_of(m, 2),
    b"\x87": lambda m: _tuple_of(m, 3),
    b"\x88": lambda m: m.push(True),
    b"\x89": lambda m: m.stack.append(False),
    b"\x8a": lambda m: _signed(m, m.take(m.number(1))),
    b"\x8b": lambda m: _signed(m, m.take(m.number(4))),
    b"\x8c": lambda m: m.push(_text(m.take(m.number(1)))),
    b"\x8d": lambda m: m.push(_text(m.take(m.number(8)))),
    b"\x8e": lambda m: m.push(m.take(m.number(8))),
    b"\x8f": lambda m: m.push([]),  # a set, kept as a list: its members need no hash
    b"\x90": _appends,
    b"\x91": lambda m: m.push(m.since_mark()),
    b"\x92": _new_object_ex,
    b"\x93": _stack_global,
    b"\x94": lambda m: _put(m, len(m.memo)),
    b"\x95": _frame,
    b"\x96": lambda m: m.push(bytearray(m.take(m.number(8)))),
    b"\x97": _no_buffer,
    b"\x98": lambda m: None,
}
