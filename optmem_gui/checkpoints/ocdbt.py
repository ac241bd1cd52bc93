"""Stores of TensorStore's OCDBT format, in which Orbax keeps its arrays: all keys, and single values.

A manifest names the root of a tree of nodes, which lie in data files beside it. Only nodes and the values
that are asked for are read. Paths that leave the folder are refused.

Source: ``tensorstore/kvstore/ocdbt/index.rst`` (storage format), ``format/config.cc``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from optmem_gui.checkpoints.contents import Reading, refused, shown
from optmem_gui.checkpoints.files import HeaderFile
from optmem_gui.checkpoints.snappy import varint
from optmem_gui.checkpoints.zstd import decompress
from optmem_gui.core.errors import UserError

MANIFEST = "manifest.ocdbt"
MAX_NODE_BYTES = 64 << 20
"""Largest node after decompression; writers keep to 8 MiB or 100 MB, with far less in practice."""

MAX_NODES = 100_000
MAX_KEYS = 2_000_000
MAX_DEPTH = 32
_MAX_PATH = 65_535

_MANIFEST_MAGIC, _NODE_MAGIC = 0x0CDB3A2A, 0x0CDB20DE
_NUMBERED = 1
"""The kind of manifest whose versions stand in other files."""


@dataclass(frozen=True, slots=True)
class Value:
    """Where the value of a key is.

    Attributes:
        size: Its length in bytes.
        inline: The value, when it stands in the tree.
        file: Data file that holds it otherwise, relative to the store.
        offset: Where it begins there.
    """

    size: int
    inline: bytes | None
    file: str
    offset: int


@dataclass(frozen=True, slots=True)
class _Place:
    """A node: the file it is in, where, how long, and the path its own table builds on."""

    file: str
    base: str
    offset: int
    length: int


class _Fields:
    """Fields of a body, in columns."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    def number(self) -> int:
        """A varint."""
        value, self._place = varint(self._data, self._place)
        return value

    def numbers(self, count: int) -> list[int]:
        """A column of varints, each of which takes a byte at least."""
        if count > len(self._data) - self._place:
            raise ValueError(count)
        return [self.number() for _ in range(count)]

    def take(self, count: int) -> bytes:
        """Bytes."""
        if count > len(self._data) - self._place:
            raise ValueError(count)
        self._place += count
        return self._data[self._place - count : self._place]


class Store:
    """A store, opened by its manifest.

    Args:
        folder: Where the manifest lies.
        reading: The opening under way.

    Raises:
        UserError: No manifest, a damaged one, or one that is kept in several files.
    """

    def __init__(self, folder: Path, reading: Reading) -> None:
        self._folder = folder
        self._reading = reading
        self._nodes = 0
        self.name = f"{shown(folder)}/{MANIFEST}"
        with HeaderFile(folder / MANIFEST, reading) as file:
            if file.size > MAX_NODE_BYTES:
                raise refused(
                    "checkpoint.file_too_large",
                    file=self.name,
                    size_bytes=file.size,
                    limit_bytes=MAX_NODE_BYTES,
                )
            data = file.read(file.size)
        try:
            self._root, self._height = self._latest(_Fields(_body(data, _MANIFEST_MAGIC)))
        except (ValueError, IndexError):
            raise self._damaged() from None

    def items(self) -> Iterator[tuple[str, Value]]:
        """All keys in order, with the places of their values.

        Raises:
            UserError: A node is missing or damaged.
        """
        if self._root is None:
            return
        for count, (key, value) in enumerate(self._walk(self._root, self._height, b"")):
            if count == MAX_KEYS:
                raise refused("checkpoint.ocdbt_too_large", file=self.name, limit_count=MAX_KEYS)
            yield key.decode("utf-8", "replace"), value

    def read(self, value: Value, limit_bytes: int) -> bytes:
        """A value.

        Raises:
            UserError: It is larger than the limit, or its data file is missing or cut short.
        """
        if value.size > limit_bytes:
            raise refused(
                "checkpoint.file_too_large", file=self.name, size_bytes=value.size, limit_bytes=limit_bytes
            )
        if value.inline is not None:
            return value.inline
        return self._read(value.file, value.offset, value.size)

    def _latest(self, fields: _Fields) -> tuple[_Place | None, int]:
        """The root of the newest version, and its height."""
        fields.take(16)  # the id of the database
        kind = fields.number()
        if kind == _NUMBERED:
            raise refused("checkpoint.ocdbt_numbered", file=self.name)
        fields.numbers(2)  # sizes of inline values and nodes
        fields.take(1)
        if fields.number():  # compression
            fields.take(4)
        files = _file_table(fields, "")
        count = fields.number()
        if not count:
            return None, 0
        fields.numbers(count)
        heights = fields.take(count)
        ids, offsets, lengths = (fields.numbers(count) for _ in range(3))
        file, base = files[ids[-1]]
        if not lengths[-1]:
            return None, 0
        return _Place(file, base, offsets[-1], lengths[-1]), heights[-1]

    def _walk(self, place: _Place, height: int, prefix: bytes) -> Iterator[tuple[bytes, Value]]:
        """Keys and values below a node."""
        self._nodes += 1
        if self._nodes > MAX_NODES or height > MAX_DEPTH:
            raise refused("checkpoint.ocdbt_too_large", file=self.name, limit_count=MAX_NODES)
        self._reading.check()
        data = self._read(place.file, place.offset, place.length)
        try:
            leaf, children = _node(data, height, place.base)
        except (ValueError, IndexError):
            raise self._damaged() from None
        yield from ((prefix + key, value) for key, value in leaf)
        for key, child in children:
            yield from self._walk(child, height - 1, prefix + key)

    def _read(self, file: str, offset: int, length: int) -> bytes:
        path = self._folder / file
        if not file or file.startswith("/") or ".." in Path(file).parts or "\0" in file or "\\" in file:
            raise refused("checkpoint.index_leaves_folder", file=self.name, name=file)
        if length > MAX_NODE_BYTES:
            raise self._damaged()
        with HeaderFile(path, self._reading) as data:
            if offset + length > data.size:
                missing = offset + length - data.size
                raise refused("checkpoint.ocdbt_cut", file=shown(path), missing_bytes=missing)
            data.seek(offset)
            return data.read(length)

    def _damaged(self) -> UserError:
        return refused("checkpoint.ocdbt_damaged", file=self.name)


def _body(data: bytes, magic: int) -> bytes:
    """What follows the header of a manifest or node, decompressed; the checksum at its end left out."""
    if int.from_bytes(data[:4], "big") != magic or int.from_bytes(data[4:12], "little") != len(data):
        raise ValueError(magic)
    version, place = varint(data, 12)
    compression, place = varint(data, place)
    if version or compression > 1 or len(data) < place + 4:
        raise ValueError(version)
    body = data[place:-4]
    return decompress(body, MAX_NODE_BYTES) if compression else body


def _node(
    data: bytes, height: int, base: str
) -> tuple[list[tuple[bytes, Value]], list[tuple[bytes, _Place]]]:
    """Entries of a node: keys and values of a leaf, or keys and children of another."""
    fields = _Fields(_body(data, _NODE_MAGIC))
    if fields.take(1)[0] != height:
        raise ValueError(height)
    files = _file_table(fields, base)
    count = fields.number()
    if height:
        return [], list(_children(fields, files, count))
    return list(_leaf(fields, files, count)), []


def _file_table(fields: _Fields, above: str) -> list[tuple[str, str]]:
    """Data files of a node: the path of each, and the part of it that its own children build on."""
    count = fields.number()
    if not count:
        return []
    prefixes = [0, *fields.numbers(count - 1)]
    suffixes, bases = fields.numbers(count), fields.numbers(count)
    files: list[tuple[str, str]] = []
    path = b""
    for prefix, suffix, base in zip(prefixes, suffixes, bases, strict=True):
        if prefix > len(path) or prefix + suffix > _MAX_PATH or base > prefix + suffix:
            raise ValueError(prefix)
        path = path[:prefix] + fields.take(suffix)
        text = above + path.decode("utf-8", "surrogateescape")
        files.append((text, above + path[:base].decode("utf-8", "surrogateescape")))
    return files


def _keys(fields: _Fields, count: int, *, interior: bool) -> Iterator[tuple[bytes, int]]:
    """Keys, which leave out what they share with the key before; and what a whole subtree shares."""
    prefixes = [0, *fields.numbers(max(count - 1, 0))]
    suffixes = fields.numbers(count)
    common = fields.numbers(count) if interior else suffixes
    key = b""
    for prefix, suffix, shared in zip(prefixes, suffixes, common, strict=False):
        if prefix > len(key) or prefix + suffix > _MAX_PATH:
            raise ValueError(prefix)
        key = key[:prefix] + fields.take(suffix)
        yield key, shared


def _leaf(fields: _Fields, files: list[tuple[str, str]], count: int) -> Iterator[tuple[bytes, Value]]:
    keys = [key for key, _ in _keys(fields, count, interior=False)]
    sizes, kinds = fields.numbers(count), fields.numbers(count)
    outside = sum(kind == 1 for kind in kinds)
    ids, offsets = iter(fields.numbers(outside)), iter(fields.numbers(outside))
    for key, size, kind in zip(keys, sizes, kinds, strict=True):
        if kind == 1:
            yield key, Value(size, None, files[next(ids)][0], next(offsets))
        elif kind == 0:
            yield key, Value(size, fields.take(size), "", 0)
        else:
            raise ValueError(kind)


def _children(fields: _Fields, files: list[tuple[str, str]], count: int) -> Iterator[tuple[bytes, _Place]]:
    keys = list(_keys(fields, count, interior=True))
    ids, offsets, lengths = (fields.numbers(count) for _ in range(3))
    for (key, shared), number, offset, length in zip(keys, ids, offsets, lengths, strict=True):
        file, base = files[number]
        yield key[:shared], _Place(file, base, offset, length)
