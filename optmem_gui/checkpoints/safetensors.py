"""Safetensors: an 8-byte length, a JSON header, then the data.

Source of the layout and of what is invalid: safetensors 0.8.0, README "Format" and
``safetensors/src/tensor.rs`` (``SafeTensors::read_metadata``, ``Metadata::validate``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

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

MAX_HEADER_BYTES = 100_000_000
"""The format's own limit (``MAX_HEADER_SIZE`` in tensor.rs)."""

_Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_COUNT)]
_Shape = Annotated[tuple[_Count, ...], msgspec.Meta(max_length=MAX_DIMENSIONS)]
if TYPE_CHECKING:
    _TypeName = str
else:  # checked and interned by the decoder
    _TypeName = Literal[tuple(SAFETENSORS)]


class Entry(msgspec.Struct, gc=False):
    """One tensor in a header; everything is None in the ``__metadata__`` object."""

    dtype: _TypeName | None = None
    shape: _Shape | None = None
    data_offsets: tuple[_Count, _Count] | None = None


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


class _Metadata(msgspec.Struct):
    metadata: dict[str, str] | None = msgspec.field(default=None, name="__metadata__")


_ENTRIES = msgspec.json.Decoder(dict[str, Entry | None])
_METADATA = msgspec.json.Decoder(_Metadata)
_BITS = {name: dtype.bits for name, dtype in SAFETENSORS.items()}


def sniff(head: bytes, path: Path) -> bool:
    """Whether a file's first bytes, or else its name, say safetensors."""
    if head[8:].lstrip(b" \t\r\n").startswith(b"{"):
        length = int.from_bytes(head[:8], "little")
        return length <= 10 * MAX_HEADER_BYTES or path.suffix == ".safetensors"
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
    rows = [(name, entry.shape or (), SAFETENSORS[entry.dtype or ""]) for name, entry in entries.items()]
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
    entries = _decode(raw, path)
    data_bytes, shared = _lay_out(entries, path)
    held = size - 8 - length
    if held > data_bytes:
        raise refused("checkpoint.surplus_data", file=shown(path), count=held - data_bytes)
    if 100 * held < data_bytes:
        raise refused("checkpoint.data_absent", file=shown(path), data_bytes=data_bytes, held_bytes=held)
    return Header(entries, data_bytes, data_bytes - held, shared, _declared(raw))


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
        key = "checkpoint.header_cut" if length <= MAX_HEADER_BYTES else "checkpoint.not_safetensors"
        raise refused(key, file=file, length_count=length, rest_count=size - 8)
    if length > MAX_HEADER_BYTES:
        raise refused(
            "checkpoint.header_too_long", file=file, length_count=length, limit_count=MAX_HEADER_BYTES
        )
    return length


def _decode(raw: bytes, path: Path) -> dict[str, Entry]:
    """The header's entries; what the fast decoder cannot vouch for goes through the careful one.

    The fast one keeps the last of two equal keys. Without escapes in the text, every occurrence of
    ``"data_offsets"`` is one key, so as many of them as entries means that no name came twice.
    """
    try:
        decoded = _ENTRIES.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError, OverflowError):
        return _carefully(raw, path)
    decoded.pop("__metadata__", None)
    if b"\\" in raw or raw.count(b'"data_offsets"') != len(decoded):
        return _carefully(raw, path)
    return decoded  # type: ignore[return-value]  # an entry that is null would have lowered the count


def _carefully(raw: bytes, path: Path) -> dict[str, Entry]:
    rows = decode_carefully(raw, shown(path))
    return {name: Entry(*row) for name, row in rows.items()}


def _lay_out(entries: dict[str, Entry], path: Path) -> tuple[int, tuple[tuple[str, str], ...]]:
    """Check each size against its type and shape, and that the data has neither hole nor overlap.

    Writers list tensors in the order of their data, so one pass is enough; anything else is sorted out
    slowly.

    Returns:
        Bytes of data, and pairs of tensors on the same bytes.
    """
    end, bits = 0, _BITS
    try:
        for entry in entries.values():
            start, stop = entry.data_offsets  # type: ignore[misc]  # None raises, and is explained below
            if start != end or (stop - start) * 8 != prod(entry.shape) * bits[entry.dtype]:  # type: ignore[arg-type, index]  # likewise
                break
            end = stop
        else:
            return end, ()
    except (TypeError, KeyError):
        pass  # an entry lacks a field: explain_layout names it
    rows = {name: (entry.dtype, entry.shape, entry.data_offsets) for name, entry in entries.items()}
    return explain_layout(rows, _BITS, shown(path))


def _declared(raw: bytes) -> int | None:
    """A total the file claims for itself; what is no plain number is ignored."""
    start = raw.find(b'"__metadata__"')
    if start < 0 or b'"total_parameters"' not in raw[start : raw.find(b'"dtype"', start)]:
        return None
    try:
        metadata = _METADATA.decode(raw).metadata or {}
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    claim = metadata.get("total_parameters", "")
    return int(claim) if claim.isascii() and claim.isdigit() and len(claim) <= 18 else None
