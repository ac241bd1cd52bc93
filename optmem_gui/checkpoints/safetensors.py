"""Safetensors: an 8-byte length, a JSON header, then the data.

Source of the layout and of what is invalid: safetensors 0.8.0, README "Format" and
``safetensors/src/tensor.rs`` (``SafeTensors::read_metadata``, ``Metadata::validate``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from optmem_gui.checkpoints.bounds import MAX_NAME_LETTERS, MAX_TENSORS, check_json
from optmem_gui.checkpoints.contents import Contents, Reading, refused, remark, shown
from optmem_gui.checkpoints.dtypes import SAFETENSORS
from optmem_gui.checkpoints.files import HeaderFile
from optmem_gui.checkpoints.safetensors_checks import (
    MAX_COUNT,
    MAX_DIMENSIONS,
    decode_carefully,
    explain_layout,
)
from optmem_gui.core.reasons import Reason

FORMAT_HEADER_BYTES = 100_000_000
"""The format's own limit (``MAX_HEADER_SIZE`` in tensor.rs)."""

MAX_HEADER_BYTES = 24 << 20
"""Longest header that is read: 91,280 tensors under names of 180 letters, and more than any file has."""

_Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_COUNT)]
_Shape = Annotated[tuple[_Count, ...], msgspec.Meta(max_length=MAX_DIMENSIONS)]
if TYPE_CHECKING:
    _TypeName = str
else:  # checked and interned by the decoder
    _TypeName = Literal[tuple(SAFETENSORS)]


class Entry(msgspec.Struct, gc=False):
    """One tensor in a header."""

    dtype: _TypeName
    shape: _Shape
    data_offsets: tuple[_Count, _Count]


@dataclass(frozen=True, slots=True)
class Header:
    """A checked header.

    Attributes:
        entries: Tensor name to type, shape and place.
        data_bytes: Bytes of tensor data that the header promises.
        missing_bytes: How much of that the file lacks.
        shared: Pairs (other name, name with the same bytes), which the format forbids.
        declared: A total number of parameters the file claims.
    """

    entries: dict[str, Entry]
    data_bytes: int
    missing_bytes: int = 0
    shared: tuple[tuple[str, str], ...] = ()
    declared: int | None = None


_METADATA_FIRST = re.compile(
    rb"""\s*+\{\s*+"__metadata__"\s*+:\s*+(null|\{(?:[^{}\\"]++|"[^"\\]*+")*+\})\s*+(?:,(?=\s*")|(?=\}))"""
)
"""A header that begins with its metadata, as writers make it, and no escape in it."""

_ENTRIES = msgspec.json.Decoder(dict[str, Entry])
_METADATA = msgspec.json.Decoder(dict[str, str] | None)
_FAST_DECODER_GIVES_UP = (
    msgspec.DecodeError,
    UnicodeDecodeError,
    RecursionError,
    ValueError,
    OverflowError,
)
_BITS = {name: dtype.bits for name, dtype in SAFETENSORS.items()}


def sniff(head: bytes, path: Path) -> bool:
    """Whether a file's first bytes, or else its name, say safetensors."""
    if head[8:].lstrip(b" \t\r\n").startswith(b"{"):
        length = int.from_bytes(head[:8], "little")
        return length <= 10 * FORMAT_HEADER_BYTES or path.suffix == ".safetensors"
    return path.suffix == ".safetensors"


def read(file: HeaderFile, reading: Reading) -> Contents:
    """Everything in one file: 8 bytes and the header are read, nothing else.

    Raises:
        UserError: The file is no valid safetensors file.
    """
    header = read_header(file)
    entries = header.entries
    if header.shared:
        others = {other for other, _ in header.shared}
        entries = {name: entry for name, entry in entries.items() if name not in others}
    rows = [(name, entry.shape, SAFETENSORS[entry.dtype]) for name, entry in entries.items()]
    return Contents(
        rows,
        header.shared,
        warnings=tuple(_warnings(header, file.path)),
        complete=not header.missing_bytes,
        file_bytes=file.size,
        tensor_bytes=header.data_bytes,
        declared=header.declared,
    )


def read_header(file: HeaderFile) -> Header:
    """Read and check one header.

    Raises:
        UserError: The file is no valid safetensors file.
    """
    path, size = file.path, file.size
    length = _header_length(file.read(8), size, path)
    raw = file.read(length)
    entries, declared = _decode(raw, path)
    data_bytes, shared = _lay_out(entries, path)
    held = size - 8 - length
    if held > data_bytes:
        raise refused("checkpoint.surplus_data", file=shown(path), count=held - data_bytes)
    if 100 * held < data_bytes:
        raise refused("checkpoint.data_absent", file=shown(path), data_bytes=data_bytes, held_bytes=held)
    return Header(entries, data_bytes, data_bytes - held, shared, declared)


def _warnings(header: Header, path: Path) -> Iterator[Reason]:
    missing = header.missing_bytes
    if missing:
        yield remark("checkpoint.truncated", file=shown(path), missing_bytes=missing, missing_count=missing)
    if header.shared:
        second, first = header.shared[0]
        yield remark("checkpoint.shared_range", first=first, second=second, pair_count=len(header.shared))


def _header_length(first: bytes, size: int, path: Path) -> int:
    """The header's length, compared with the file and the limit before anything is read."""
    file = shown(path)
    if size == 0:
        raise refused("checkpoint.empty_file", file=file)
    if len(first) < 8:
        raise refused("checkpoint.shorter_than_length", file=file, size_count=size)
    length = int.from_bytes(first, "little")
    if size == 8:
        raise refused("checkpoint.ends_after_length", file=file, length_count=length)
    if length > size - 8:
        key = "checkpoint.header_cut" if length <= FORMAT_HEADER_BYTES else "checkpoint.not_safetensors"
        raise refused(key, file=file, length_count=length, rest_count=size - 8)
    if length > FORMAT_HEADER_BYTES:
        raise refused(
            "checkpoint.header_too_long", file=file, length_count=length, limit_count=FORMAT_HEADER_BYTES
        )
    if length > MAX_HEADER_BYTES:
        raise refused(
            "checkpoint.header_beyond_models", file=file, length_count=length, limit_count=MAX_HEADER_BYTES
        )
    return length


def _decode(raw: bytes, path: Path) -> tuple[dict[str, Entry], int | None]:
    """The header's entries and the total it claims; the careful decoder takes what the fast one cannot.

    The fast one keeps the last of two equal keys. Every entry has a key ``"data_offsets"``, and without
    escapes in the text each occurrence of it is such a key; so as many occurrences as entries means
    that no name came twice. As many are all that it makes, so they bound what is taken into memory.
    """
    keys = raw.count(b'"data_offsets"')
    if keys > MAX_TENSORS:
        raise refused("checkpoint.too_many_tensors", file=shown(path), limit_count=MAX_TENSORS)
    first = _METADATA_FIRST.match(raw)
    body = raw if first is None else b"{" + raw[first.end() :]
    if b"\\" in body:
        return _carefully(raw, path)
    if first is not None:
        check_json(first[1], shown(path))
    try:
        entries = _ENTRIES.decode(body)
        metadata = None if first is None else _METADATA.decode(first[1])
    except _FAST_DECODER_GIVES_UP:
        return _carefully(raw, path)
    if entries and max(map(len, entries)) > MAX_NAME_LETTERS:
        raise refused("checkpoint.names_too_long", file=shown(path), limit_count=MAX_NAME_LETTERS)
    return (entries, _declared(metadata)) if keys == len(entries) else _carefully(raw, path)


def _carefully(raw: bytes, path: Path) -> tuple[dict[str, Entry], int | None]:
    rows, metadata = decode_carefully(raw, shown(path))
    return {name: Entry(*row) for name, row in rows.items()}, _declared(metadata)


def _declared(metadata: dict[str, str] | None) -> int | None:
    """A total the file claims for itself; what is no plain number is ignored."""
    claim = (metadata or {}).get("total_parameters", "")
    return int(claim) if claim.isascii() and claim.isdigit() and len(claim) <= 18 else None


def _lay_out(entries: dict[str, Entry], path: Path) -> tuple[int, tuple[tuple[str, str], ...]]:
    """Check each size against its type and shape, and that the data has neither hole nor overlap.

    Writers list tensors in the order of their data, so one pass is enough; anything else is sorted out
    slowly.

    Returns:
        Bytes of data, and pairs of tensors on the same bytes.
    """
    end, bits = 0, _BITS
    for entry in entries.values():
        start, stop = entry.data_offsets
        if start != end or (stop - start) * 8 != prod(entry.shape) * bits[entry.dtype]:
            break
        end = stop
    else:
        return end, ()
    rows = {name: (entry.dtype, entry.shape, entry.data_offsets) for name, entry in entries.items()}
    return explain_layout(rows, _BITS, shown(path))
