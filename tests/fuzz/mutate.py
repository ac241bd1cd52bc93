"""Changes that know the structure: what a checksum, a length or a bracket guards is changed behind it."""

from __future__ import annotations

import io
import json
import pickletools
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

MAX_BYTES = 1 << 17
"""Longest input; a reader's limits are met by numbers in it, not by its length."""

_NUMBERS = (
    0,
    1,
    2,
    3,
    7,
    8,
    16,
    64,
    100,
    127,
    128,
    255,
    256,
    1000,
    32767,
    65535,
    65536,
    1 << 20,
    1 << 24,
    1 << 28,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
    1 << 32,
    1 << 48,
    (1 << 63) - 1,
    1 << 63,
    (1 << 64) - 1,
)
_TOKENS = (
    b"../outside.bin",
    b"/etc/passwd",
    b"..\\outside.bin",
    b"file:///etc/passwd",
    b"\x00",
    b"\xff" * 8,
    b"{" * 200,
    b"[" * 2000,
    b"\x91" * 500,
    b"\x81" * 500,
    b"(" * 500,
    b"]" * 500,
    b"cos\nsystem\n",
    b"\x8c\x02os\x8c\x06system\x93",
    b"c__builtin__\neval\n(S'1'\ntR",
    b"NaN",
    b"1e999",
    b"-1",
    b"9" * 400,
    b"\xed\xa0\x80",
    b"\xe2\x80\xae",
    b"\n\r\t",
    b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
    b"\x80" * 12,
    b"PK\x03\x04",
    b"PK\x01\x02",
    b"PK\x05\x06",
    b"GGUF",
    b".",
    b"\x89HDF\r\n\x1a\n",
    b"TREE",
    b"SNOD",
    b"HEAP",
    b"FRHP",
    b"OHDR",
    b"OCHK",
    b"\xc6\xff\xff\xff\xff",
    b"\xdf\xff\xff\xff\xff",
)
_LEAVES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    3,
    7,
    1 << 31,
    1 << 53,
    1 << 64,
    10**30,
    0.5,
    -0.0,
    1e300,
    float("nan"),
    float("inf"),
    "",
    "0",
    "-1",
    "x" * 500,
    "../outside.bin",
    "/etc/passwd",
    "F32",
    "I64",
    "float32",
    "\u202e\x1b[31m",
    "\ud800",
    [],
    {},
    [[]],
    [0],
    [-1],
    [1 << 40, 1 << 40],
    {"": {}},
    ["a", 1, None],
    [[[[[[]]]]]],
    "a.b.c",
    "os.system",
)
_SMALL = 1 << 15
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    RuntimeError,
    EOFError,
    NotImplementedError,
    OSError,
    OverflowError,
    KeyError,
    IndexError,
    struct.error,
)


def mutate(data: bytes, rng: random.Random) -> bytes:
    """An input near another one, by one to six changes."""
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 6))):
        data = _once(data, rng)
    return data[:MAX_BYTES]


def _once(data: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.75:
        for recognise, change in _STRUCTURES:
            if recognise(data):
                changed = change(data, rng)
                if changed is not None:
                    return changed
    return _bytes(data, rng)


def _bytes(data: bytes, rng: random.Random) -> bytes:  # noqa: PLR0911  # one line a kind of change
    """Any file: a few bytes at a place near the beginning or anywhere."""
    end = len(data)
    place = rng.randrange(min(end, rng.choice((64, 512, 1 << 20))) + 1)
    kind = rng.randrange(9)
    if kind == 0:
        return data[:place]
    if kind == 1:
        return data[:place] + data[place + rng.choice((1, 2, 4, 8, 33)) :]
    if kind == 2:
        return data[:place] + rng.choice(_TOKENS) + data[place:]
    if kind == 3:
        token = rng.choice(_TOKENS)
        return data[:place] + token + data[place + len(token) :]
    if kind == 4:
        start = rng.randrange(end + 1)
        return data[:place] + data[start : start + rng.choice((1, 4, 16, 64, 300))] + data[place:]
    if kind in (5, 6):
        width = rng.choice((1, 2, 4, 8))
        number = (rng.choice(_NUMBERS) + rng.choice((0, 0, -1, 1))) % (1 << 8 * width)
        return data[:place] + number.to_bytes(width, rng.choice(("little", "big"))) + data[place + width :]
    if not data:
        return rng.randbytes(rng.randrange(40))
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(changed))
        changed[at] = changed[at] ^ (1 << rng.randrange(8)) if kind == 7 else rng.randrange(256)
    return bytes(changed)


def _json(data: bytes, rng: random.Random) -> bytes | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    text = json.dumps(_tree(value, rng, 0))
    if rng.random() < 0.05:  # a key twice, which no dictionary can hold
        text = text[:-1] + ',"' + rng.choice(("embed.weight", "metadata", "weight_map")) + '":1}'
    return text.encode("utf-8", "surrogatepass")


def _tree(value: Any, rng: random.Random, depth: int) -> Any:  # noqa: PLR0911  # one line a kind of change
    """The value with one place of it changed."""
    if depth > 50 or not value or not isinstance(value, (dict, list)) or rng.random() < 0.1:
        return rng.choice(_LEAVES)
    if isinstance(value, dict):
        key = rng.choice(list(value))
        kind = rng.randrange(10)
        if kind == 0:
            return {name: held for name, held in value.items() if name != key}
        if kind == 1:
            other = (
                str(rng.choice(_LEAVES))[:100] if rng.random() < 0.7 else key + rng.choice((".1", "_scale"))
            )
            return {other if name == key else name: held for name, held in value.items()}
        if kind == 2:
            return {**value, str(rng.choice(_LEAVES))[:60]: rng.choice((value[key], rng.choice(_LEAVES)))}
        return {**value, key: _tree(value[key], rng, depth + 1)}
    index = rng.randrange(len(value))
    kind = rng.randrange(8)
    if kind == 0:
        return value[:index] + value[index + 1 :]
    if kind == 1:
        return value + value[index:] * rng.choice((1, 2, 50))
    return [_tree(held, rng, depth + 1) if at == index else held for at, held in enumerate(value)]


def _safetensors(data: bytes, rng: random.Random) -> bytes | None:
    length = int.from_bytes(data[:8], "little")
    if 8 + length > len(data):
        return None
    header = _json(data[8 : 8 + length], rng)
    if header is None:
        return None
    return len(header).to_bytes(8, "little") + header + data[8 + length :]


def _zip(data: bytes, rng: random.Random) -> bytes | None:
    """Put an archive together again around a changed member, with its checksum right."""
    members = list(_members(data))
    if not members or rng.random() < 0.1:
        return _bytes(data, rng)
    likely = [at for at, (name, held) in enumerate(members) if held and "/data/" not in name]
    at = rng.choice(likely) if likely else rng.randrange(len(members))
    name, held = members[at]
    kind = rng.randrange(20)
    if kind == 0:
        del members[at]
    elif kind == 1:
        members.append((rng.choice((name, f"../{name}", f"{name}/data.pkl", "/etc/x", "a" * 5000)), held))
    elif kind == 2:
        members[at] = (rng.choice((name[: len(name) // 2], f"x/{name}", "data.pkl", ".")), held)
    else:
        members[at] = (name, _once(held, rng))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as made:
        for name, held in members:
            record = zipfile.ZipInfo(name or "x")
            record.compress_type = made.compression
            made.writestr(record, held)
    return stream.getvalue()


@lru_cache(128)
def _members(data: bytes) -> tuple[tuple[str, bytes], ...]:
    """Names and contents; nothing for an archive that cannot be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            records = archive.infolist()
            if sum(record.file_size for record in records) > MAX_BYTES * 4:
                return ()
            return tuple((record.filename, archive.read(record)) for record in records)
    except _BROKEN:
        return ()


def _pickle(data: bytes, rng: random.Random) -> bytes | None:
    """Take out, double, exchange or replace single instructions."""
    parts = list(_instructions(data))
    if not parts:
        return None
    at, other = rng.randrange(len(parts)), rng.randrange(len(parts))
    kind = rng.randrange(6)
    if kind == 0:
        del parts[at]
    elif kind == 1:
        parts.insert(at, parts[other])
    elif kind == 2:
        parts[at], parts[other] = parts[other], parts[at]
    elif kind == 3:
        parts[at] = rng.choice(_OPCODES)
    elif kind == 4:
        parts.insert(at, rng.choice(_OPCODES))
    else:
        parts[at] = parts[at][:1] + _bytes(parts[at][1:], rng)
    return b"".join(parts)


@lru_cache(128)
def _instructions(data: bytes) -> tuple[bytes, ...]:
    """The single instructions, as far as they can be told; what follows is part of the last."""
    places = []
    try:
        for _, _, place in pickletools.genops(data):
            places.append(place or 0)
    except (ValueError, IndexError, KeyError, MemoryError, OverflowError):
        if not places:
            return ()
    return tuple(data[start:end] for start, end in zip(places, [*places[1:], len(data)], strict=True))


_OPCODES: Sequence[bytes] = (
    *(bytes([code]) for code in b"()]}0NtalseudoRbQ2.1\x85\x86\x87\x88\x89\x81\x92\x93\x94\x8f\x90\x91"),
    b"K\x00",
    b"K\xff",
    b"J\xff\xff\xff\xff",
    b"\x8a\x08" + b"\xff" * 7 + b"\x7f",
    b"\x8a\x09" + bytes(8) + b"\x01",
    b"\x8b\xff\xff\xff\x7f",
    b"X\xff\xff\xff\xff",
    b"B\xff\xff\xff\x7f",
    b"\x8e" + b"\xff" * 8,
    b"\x95" + b"\xff" * 8,
    b"h\x00",
    b"j\xff\xff\xff\xff",
    b"r\xff\xff\xff\x7f",
    b"q\x00",
    b"X\x05\x00\x00\x00a.b.c",
    b"cos\nsystem\n",
    b"ctorch._utils\n_rebuild_tensor_v2\n",
    b"ctorch\nFloatStorage\n",
    b"ccollections\nOrderedDict\n",
    b"ctorch._utils\n_rebuild_parameter\n",
    b"ctorch.storage\n_load_from_bytes\n",
    b"ctorch\nSize\n",
    b"I1e9\n",
    b"F1e999\n",
    b"P../outside.bin\n",
    b"cnumpy.core.multiarray\n_reconstruct\n",
    b"ccodecs\nencode\n",
    b"]\x942h\x00a",
    b"}\x942h\x00s",
    b"ctorch._tensor\n_rebuild_from_type_v2\n",
    b"L" + b"9" * 5000 + b"L\n",
    b"\x80\x05",
    b"\x80\xff",
    b"\x82\x01",
    b"cbuiltins\ngetattr\n",
    b"c_codecs\nencode\n",
    b"ctorch._utils\n_rebuild_wrapper_subclass\n",
)


def _is_pickle(data: bytes) -> bool:
    return len(data) < _SMALL and data[:1] == b"\x80" and data[1:2] in b"\x02\x03\x04\x05"


_STRUCTURES: tuple[tuple[Callable[[bytes], bool], Callable[[bytes, random.Random], bytes | None]], ...] = (
    (lambda data: data[:1] in (b"{", b"["), _json),
    (lambda data: data[8:9] == b"{", _safetensors),
    (lambda data: data[:2] == b"PK", _zip),
    (_is_pickle, _pickle),
)
