"""Headers of very many tiny entries, up to what each reader takes: ``python -m tests.fuzz.hostile FOLDER``.

Each is written and opened in a process of its own, which has imported no writer; what is printed of each is
the most memory that the process had, its processor time, and the answer.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import pkgutil
import struct
import sys
import time
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import optmem_gui.checkpoints
from optmem_gui.checkpoints.bounds import MAX_JSON_BYTES, MAX_TENSORS
from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.checkpoints.safetensors import MAX_HEADER_BYTES
from optmem_gui.core.errors import UserError
from optmem_gui.report.checkpoint_document import checkpoint_text

_WIDE = "\U0001f600"
"""Makes a text take four bytes a letter."""

_MANY = range(MAX_TENSORS - 1)


def _safetensors(entries: Iterable[str], size: int = 0) -> bytes:
    header = f"{{{','.join(entries)}}}".encode()
    return len(header).to_bytes(8, "little") + header + bytes(size)


def _entry(name: str, place: int) -> str:
    return f'"{name}":{{"dtype":"U8","shape":[1],"data_offsets":[{place},{place + 1}]}}'


def _tensors(prefix: str) -> bytes:
    return _safetensors((_entry(f"{prefix}{place:05x}", place) for place in _MANY), len(_MANY))


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def _gguf(tensors: Iterable[bytes] = (), fields: Iterable[bytes] = ()) -> bytes:
    tensors, fields = list(tensors), list(fields)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(fields))
    return head + b"".join(fields) + b"".join(tensors) + bytes(32 * len(tensors) + 64)


def _varint(number: int) -> bytes:
    data = b""
    while number > 127:
        data += bytes([number & 127 | 128])
        number >>= 7
    return data + bytes([number])


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _onnx(entries: Iterable[bytes]) -> bytes:
    return b"\x08\x08" + _field(7, b"".join(entries))


def _pickle(body: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("archive/data.pkl", b"\x80\x02" + body + b".")
    return stream.getvalue()


def _pairs(first: int) -> bytes:
    return b"(" + b"".join(b"X\6\0\0\0%06xK\1" % place for place in range(first, first + 1000)) + b"u"


def _msgpack(leaf: bytes) -> bytes:
    """A map of names; the array of one byte is ``[[1], "uint8", b"0"]`` in an extension of type 1."""
    entries = (b"\xa5%05x" % place + leaf for place in range(990_000))
    return b"\xdf" + struct.pack(">I", 990_000) + b"".join(entries)


_ARRAY = b"\xc7\x0c\x01\x93\x91\x01\xa5uint8\xc4\x01\0"

HOSTILE: dict[str, tuple[str, Callable[[], bytes]]] = {
    "tensors": ("m.safetensors", lambda: _tensors("")),
    "wide names": ("m.safetensors", lambda: _tensors(f"{_WIDE}{'a' * 45}")),
    "one name": (
        "m.safetensors",
        lambda: _safetensors([_entry(_WIDE + "a" * 24_000_000, 0)], 1),
    ),
    "escaped keys": (
        "m.safetensors",
        lambda: _safetensors(_entry(f"{i:x}", i).replace("data_", "data\\u005f") for i in range(300_000)),
    ),
    "objects": ("m.safetensors", lambda: _safetensors(['"a":[' + "{}," * (MAX_JSON_BYTES // 3 - 9) + "{}]"])),
    "a shape": (
        "m.safetensors",
        lambda: _safetensors([_entry("a", 0).replace("[1]", f"[{'1,' * (MAX_HEADER_BYTES // 2 - 99)}1]")], 1),
    ),
    "metadata": (
        "m.safetensors",
        lambda: _safetensors(['"__metadata__":' + json.dumps({f"{i:x}": "" for i in range(1_500_000)})]),
    ),
    "index": (
        "m.safetensors.index.json",
        lambda: json.dumps({"weight_map": {f"layers.{i}": f"a{i % 99}" for i in range(590_000)}}).encode(),
    ),
    "gguf names": (
        "m.gguf",
        lambda: _gguf(_text(f"{_WIDE}{i:0110x}") + struct.pack("<IQIQ", 1, 1, 0, 32 * i) for i in _MANY),
    ),
    "gguf arrays": (
        "m.gguf",
        lambda: _gguf(
            fields=[_text("a") + struct.pack("<IIQ", 9, 9, 2_000_000) + struct.pack("<IQ", 0, 0) * 2_000_000]
        ),
    ),
    "onnx fields": ("m.onnx", lambda: _onnx([b"\x30\0" * 5_000_000])),
    "onnx nodes": ("m.onnx", lambda: _onnx([_field(1, b"") * 1_000_000])),
    "onnx tensors": (
        "m.onnx",
        lambda: _onnx(
            _field(5, b"\x08\1\x10\1" + _field(8, f"{_WIDE}{i:0100x}".encode()) + _field(9, bytes(4)))
            for i in _MANY
        ),
    ),
    "msgpack arrays": ("m.msgpack", lambda: _msgpack(_ARRAY)),
    "pickled lists": ("m.pt", lambda: _pickle(b"]" + (b"(" + b"]" * 1000 + b"e") * 8000)),
    "pickled pairs": ("m.pt", lambda: _pickle(b"}" + b"".join(_pairs(1000 * i) for i in range(3000)))),
    "pickled text": ("m.pt", lambda: _pickle(b"]" + (b"X\0\0\x90\0" + bytes(9 << 20) + b"a") * 5)),
}
"""File name and content by what there is very much of."""


def _peak_mib() -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) >> 10
    return 0


def _open(path: Path) -> str:
    start = time.process_time()
    try:
        checkpoint_text(open_checkpoint(path))
        answer = "opened"
    except UserError as error:
        answer = error.code
    return f"{_peak_mib()}\t{time.process_time() - start:.2f}\t{answer}"


def main(folder: Path) -> None:
    """Write and open each; one line of name, MiB, seconds and answer, split by tabs."""
    for module in pkgutil.iter_modules(optmem_gui.checkpoints.__path__, "optmem_gui.checkpoints."):
        importlib.import_module(module.name)
    for name, (file, content) in HOSTILE.items():
        path = folder / file
        writer = os.fork()
        if not writer:
            path.write_bytes(content())
            os._exit(0)
        os.waitpid(writer, 0)
        reader = os.fork()
        if not reader:
            print(f"{name}\t{_open(path)}", flush=True)  # noqa: T201  # the figures are the point
            os._exit(0)
        os.waitpid(reader, 0)
        path.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
