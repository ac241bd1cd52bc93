"""The ``.index`` file of a TensorFlow checkpoint: its variables, how large they are and where they lie.

It is a sorted string table (the format of LevelDB) whose values are protocol buffers. The index is read
whole; of the ``.data`` files only the sizes are looked at.

Sources: ``tensorflow/core/lib/io/format.cc`` and ``table_builder.cc`` (blocks and footer),
``tensorflow/core/protobuf/tensor_bundle.proto``, ``tensorflow/core/util/saved_tensor_slice_util.h`` (keys of
slices begin with a zero byte), ``types.proto``, TensorFlow 2.21.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from optmem_gui.checkpoints.contents import Reading, refused, shown
from optmem_gui.checkpoints.files import HeaderFile
from optmem_gui.checkpoints.snappy import decompress, varint
from optmem_gui.core.dtypes import DTYPES, DType
from optmem_gui.core.model import Shape
from optmem_gui.core.units import MAX_PARAM_COUNT

MAX_INDEX_BYTES = 256 << 20
"""Largest index read; a model of 100,000 variables has one of about 10 MB."""

MAX_BLOCK_BYTES = 4 << 20
"""Largest block after decompression; TensorFlow makes them about 256 KiB long."""

MAX_KEY_BYTES = 1 << 16
"""Longest key; names of variables take a few hundred bytes."""

MAX_RANK = 254
"""``TensorShape::MaxDimensions``."""

_MAGIC = (0xDB4775248B80FB57).to_bytes(8, "little")
_FOOTER_BYTES = 48
_TRAILER_BYTES = 5
_SNAPPY = 1
_TYPES: dict[int, DType] = {
    number: DTYPES[name]
    for number, name in (
        (1, "fp32"),
        (2, "fp64"),
        (3, "int32"),
        (4, "uint8"),
        (5, "int16"),
        (6, "int8"),
        (8, "complex64"),
        (9, "int64"),
        (10, "bool"),
        (11, "int8"),  # quantised, as are 12, 13, 15 and 16
        (12, "uint8"),
        (13, "int32"),
        (14, "bf16"),
        (15, "int16"),
        (16, "uint16"),
        (17, "uint16"),
        (18, "complex128"),
        (19, "fp16"),
        (22, "uint32"),
        (23, "uint64"),
        (24, "fp8_e5m2"),
        (25, "fp8_e4m3"),
    )
}
"""``DataType`` of ``types.proto``; texts, resources and variants are left out."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One variable.

    Attributes:
        name: Its key.
        shape: Its full shape, also when it is stored in slices.
        dtype: Its type; None for text, resources and variants.
        shard: Number of the data file; None when it is stored in slices.
        end: Where its data end in that file.
    """

    name: str
    shape: Shape
    dtype: DType | None
    shard: int | None
    end: int


@dataclass(frozen=True, slots=True)
class Index:
    """A checkpoint's index.

    Attributes:
        entries: Its variables, in the order of their names.
        shard_count: How many data files there are.
        ends: Where the last data end, by number of the data file.
    """

    entries: list[Entry]
    shard_count: int
    ends: dict[int, int]


def read_index_file(file: HeaderFile, reading: Reading) -> Index:
    """Read an ``.index`` file.

    Raises:
        UserError: Empty, too large, no table, compressed, big endian, or damaged.
    """
    name = shown(file.path)
    if not file.size:
        raise refused("checkpoint.empty_file", file=name)
    if file.size > MAX_INDEX_BYTES:
        raise refused(
            "checkpoint.file_too_large", file=name, size_bytes=file.size, limit_bytes=MAX_INDEX_BYTES
        )
    data = file.read(file.size)
    if file.size < _FOOTER_BYTES or data[-8:] != _MAGIC:
        raise refused("checkpoint.not_tensor_bundle", file=name)
    try:
        return _index(data, reading, name)
    except (IndexError, ValueError):
        raise refused("checkpoint.tensor_bundle_damaged", file=name) from None


def _index(data: bytes, reading: Reading, name: str) -> Index:
    entries: list[Entry] = []
    ends: dict[int, int] = {}
    shard_count = 1
    for number, (key, value) in enumerate(_table(data, name)):
        if number % 1000 == 0:
            reading.check()
        if not key:
            shard_count = _header(value, name)
            continue
        entry = _entry(key, value, name)
        if entry.shard is not None:
            ends[entry.shard] = max(ends.get(entry.shard, 0), entry.end)
        if key[0]:  # a slice begins with zero; the variable it is part of has an entry of its own
            entries.append(entry)
    if not 0 < shard_count <= 100_000 or any(shard >= shard_count for shard in ends):
        raise ValueError(shard_count)
    return Index(entries, shard_count, ends)


def _table(data: bytes, name: str) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values of a table, in order; each must be greater than the one before."""
    place = len(data) - _FOOTER_BYTES
    for _ in range(2):  # the index of meta blocks stands before the one of data blocks
        offset, place = varint(data, place)
        size, place = varint(data, place)
    before, read_bytes = None, 0
    for _, handle in _block(data, offset, size, name):
        offset, place = varint(handle, 0)
        size, _ = varint(handle, place)
        read_bytes += size
        if read_bytes > len(data):  # blocks that overlap
            raise ValueError(offset)
        for key, value in _block(data, offset, size, name):
            if before is not None and key <= before:
                raise ValueError(key)
            before = key
            yield key, value


def _block(data: bytes, offset: int, size: int, name: str) -> Iterator[tuple[bytes, bytes]]:
    """Entries of a block, whose keys leave out what they share with the key before."""
    end = offset + size
    if end + _TRAILER_BYTES > len(data):
        raise ValueError(offset)
    if data[end] > _SNAPPY:
        raise refused("checkpoint.tensor_bundle_compressed", file=name)
    block = data[offset:end]
    return _entries(decompress(block, MAX_BLOCK_BYTES) if data[end] == _SNAPPY else block)


def _entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    end = len(block) - 4
    stop = end - 4 * int.from_bytes(block[end:], "little")
    key, place = b"", 0
    while place < stop:
        shared, place = varint(block, place)
        own, place = varint(block, place)
        length, place = varint(block, place)
        if shared > len(key) or shared + own > MAX_KEY_BYTES or place + own + length > stop:
            raise ValueError(place)
        key = key[:shared] + block[place : place + own]
        place += own + length
        yield key, block[place - length : place]
    if place != stop:
        raise ValueError(place)


def _header(data: bytes, name: str) -> int:
    """The number of data files, from ``BundleHeaderProto``."""
    count, endianness = 0, 0
    for field, value in message_fields(data):
        if field == 1 and isinstance(value, int):
            count = value
        elif field == 2 and isinstance(value, int):
            endianness = value
    if endianness:
        raise refused("checkpoint.tensor_bundle_big_endian", file=name)
    return count


def _entry(key: bytes, data: bytes, name: str) -> Entry:
    """A variable, from ``BundleEntryProto``; its size is held against its shape."""
    kind = shard = offset = size = 0
    shape: Shape = ()
    sliced = False
    for field, value in message_fields(data):
        if isinstance(value, int):
            kind = value if field == 1 else kind
            shard = value if field == 3 else shard
            offset = value if field == 4 else offset
            size = value if field == 5 else size
        elif field == 2:
            shape = _shape(value)
        elif field == 7:
            sliced = True
    dtype = _TYPES.get(kind)
    label = key.decode("utf-8", "replace")
    count = prod(shape)
    if count > MAX_PARAM_COUNT:
        raise refused("checkpoint.tensor_too_large", file=name, name=label)
    if dtype is not None and not sliced and size != dtype.bytes_for(count):
        raise refused(
            "checkpoint.size_mismatch",
            file=name,
            name=label,
            dtype=dtype.id,
            shape=str(list(shape)),
            held_count=size,
        )
    return Entry(label, shape, dtype, None if sliced else shard, offset + size)


def _shape(data: bytes) -> Shape:
    """Dimensions of a ``TensorShapeProto``."""
    shape: list[int] = []
    for field, value in message_fields(data):
        if field == 2 and not isinstance(value, int):
            sizes = [size for inner, size in message_fields(value) if inner == 1 and isinstance(size, int)]
            shape.append(sizes[-1] if sizes else 0)
    if len(shape) > MAX_RANK or any(size >= 1 << 63 for size in shape):  # -1 stands for unknown
        raise ValueError(shape)
    return tuple(shape)


def message_fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Numbers and contents of the fields of a protocol buffer; fixed-size fields come as bytes.

    Raises:
        ValueError: Damaged.
        IndexError: Cut short.
    """
    place, end = 0, len(data)
    while place < end:
        tag, place = varint(data, place)
        kind = tag & 7
        if kind == 0:
            number, place = varint(data, place)
            yield tag >> 3, number
            continue
        if kind == 2:
            length, place = varint(data, place)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise ValueError(kind)
        if place + length > end:
            raise ValueError(place)
        yield tag >> 3, data[place : place + length]
        place += length
