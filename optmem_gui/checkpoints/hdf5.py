"""HDF5 from its metadata: groups, attributes, and the shape, type and place of every data set.

A walk of our own and not h5py, because a damaged file can take the C library and with it the window down,
and because the bytes that are read stay countable. Links that leave the file, data in other files and
virtual data sets are named and never followed.

Source: HDF5 File Format Specification, version 3.0, superblocks 0 to 3, object headers 1 and 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from optmem_gui.checkpoints.contents import refused, shown
from optmem_gui.checkpoints.files import HeaderFile
from optmem_gui.checkpoints.hdf5_bytes import Bytes, Fields
from optmem_gui.checkpoints.hdf5_heaps import FractalHeap, symbol_table, tree_records
from optmem_gui.checkpoints.hdf5_values import (
    Attribute,
    HeapText,
    StoredType,
    Value,
    attribute,
    dataspace,
    stored_type,
    value_of,
)
from optmem_gui.core.model import Shape

SIGNATURE = b"\x89HDF\r\n\x1a\n"
MAX_OBJECTS = 500_000
"""Groups and data sets of one file."""

_SPACE, _LINK_INFO, _TYPE, _LINK, _EXTERNAL, _LAYOUT = 0x01, 0x02, 0x03, 0x06, 0x07, 0x08
_ATTRIBUTE, _CONTINUATION, _SYMBOLS, _ATTRIBUTE_INFO = 0x0C, 0x10, 0x11, 0x15
_COMPACT, _CONTIGUOUS, _CHUNKED, _VIRTUAL = range(4)
_SHARED = 2
_MAX_CHUNKS = 4096
"""Continuation blocks of one object header."""

_Message = tuple[int, int, bytes]


@dataclass(frozen=True, slots=True)
class Dataset:
    """One data set.

    Attributes:
        shape: Its shape; None for a null data set.
        stored: Its element type.
        held_bytes: Bytes set aside for it in this file; None where chunks or filters make that unknowable.
        missing: Why its data are not in this file: ``external``, ``virtual``, ``unwritten``, ``cut``.
    """

    shape: Shape | None
    stored: StoredType
    held_bytes: int | None
    missing: str = ""


class Node:
    """A group or a data set, its header read when it is asked for.

    Attributes:
        address: Where its header lies.
    """

    def __init__(self, file: Hdf5, address: int) -> None:
        self.address = address
        self._file = file

    @cached_property
    def _messages(self) -> list[_Message]:
        return list(self._file.messages(self.address))

    @cached_property
    def attributes(self) -> Mapping[str, Value]:
        """What the object says about itself, as far as it is text or whole numbers."""
        return {found.name: self._file.value(found) for found in self._file.attributes(self._messages)}

    @cached_property
    def dataset(self) -> Dataset | None:
        """Shape, type and place, when this is a data set."""
        return self._file.dataset(self._messages)

    @cached_property
    def children(self) -> Mapping[str, Node]:
        """What a group holds, in the order of its links; empty for a data set."""
        return dict(self._file.links(self._messages))


class Hdf5:
    """An HDF5 file, or one stored in another file.

    Attributes:
        root: Its root group.
        skipped: Links that were not followed: soft and external ones.
        missing_bytes: How much of the file is not there, going by its superblock.

    Raises:
        UserError: Damaged.
    """

    def __init__(self, file: HeaderFile, start: int, size: int, check: Callable[[], None]) -> None:
        self.skipped: list[str] = []
        self._source = Bytes(file, start, size, check)
        self._heap_text = HeapText(self._source)
        self._objects: dict[int, Node] = {}
        self.root = self._node(self._superblock(shown(file.path)))

    def _superblock(self, name: str) -> int:
        """Find and read the superblock: at 0, or at a power of two after a block of the user's."""
        source, place = self._source, 0
        while source.at(place, 8) != SIGNATURE:
            place = place * 2 or 512
            if place + 8 > source.size:
                raise refused("checkpoint.not_hdf5", file=name)
        source.base = place
        version = source.at(8, 1)[0]
        if version > 3:  # the newest there is
            raise refused("checkpoint.hdf5_version", file=name, version=version)
        sizes = source.at(13, 2) if version < 2 else source.at(9, 2)  # the layout changed with 2
        source.offset_bytes, source.length_bytes = sizes
        if source.offset_bytes not in (2, 4, 8) or source.length_bytes not in (2, 4, 8):
            raise source.damaged(13)
        if version >= 2:
            fields = source.fields(source.at(12, 4 * source.offset_bytes))
            base, _, end, root = (fields.offset() for _ in range(4))
        else:
            fields = source.fields(source.at(24 + 4 * version, 6 * source.offset_bytes))
            base, _, end, _, _, root = (fields.offset() for _ in range(6))
        source.base = base if base <= source.size else place
        self.missing_bytes = max(0, end + source.base - source.size)
        return root

    def _node(self, address: int) -> Node:
        node = self._objects.get(address)
        if node is None:
            if len(self._objects) >= MAX_OBJECTS:
                raise refused("checkpoint.hdf5_objects", file=self._source.name, limit_count=MAX_OBJECTS)
            node = self._objects[address] = Node(self, address)
        return node

    def value(self, found: Attribute) -> Value:
        """What an attribute says."""
        return value_of(found, self._source, self._heap_text)

    def messages(self, address: int) -> Iterator[_Message]:
        """Type, flags and data of every message of an object header."""
        source = self._source
        if source.at(address, 4) == b"OHDR":
            start, size, tracked = self._header(address)
        else:
            prefix = source.fields(source.at(address, 16))
            if prefix.number(1) != 1:
                raise source.damaged(address)
            prefix.skip(7)
            start, size, tracked = address + 16, prefix.number(4), None
        blocks, done = [(start, size)], 0
        while blocks:
            place, length = blocks.pop(0)
            done += 1
            if done > _MAX_CHUNKS:
                raise source.damaged(place)
            for message in self._block(source.fields(source.at(place, length)), tracked):
                if message[0] != _CONTINUATION:
                    yield message
                    continue
                fields = source.fields(message[2])
                place, length = fields.offset(), fields.length()
                if tracked is not None:
                    source.fields(source.at(place, 4)).expect(b"OCHK")
                    place, length = place + 4, length - 8
                blocks.append((place, length))

    def _header(self, address: int) -> tuple[int, int, bool]:
        """Start and size of the messages of a version 2 header, and whether they are numbered."""
        source = self._source
        flags = source.at(address, 6)[5]
        before = 6 + (16 if flags & 32 else 0) + (4 if flags & 16 else 0)
        width = 1 << (flags & 3)
        size = int.from_bytes(source.at(address + before, width), "little")
        return address + before + width, size, bool(flags & 4)

    def _block(self, fields: Fields, tracked: bool | None) -> Iterator[_Message]:
        """The messages of one block; ``tracked`` is None in a header of version 1."""
        head = 8 if tracked is None else 4 + 2 * tracked
        while fields.where + head <= len(fields.data):
            if tracked is None:
                kind, size, flags = fields.number(2), fields.number(2), fields.number(1)
                fields.skip(3)
            else:
                kind, size, flags = fields.number(1), fields.number(2), fields.number(1)
                fields.skip(2 * tracked)
            yield kind, flags, fields.take(size)

    def attributes(self, messages: list[_Message]) -> Iterator[Attribute]:
        """The attributes of an object, those in its header and those in a heap."""
        source = self._source
        for kind, flags, data in messages:
            if kind == _ATTRIBUTE and not flags & _SHARED:
                yield attribute(data, source)
            elif kind == _ATTRIBUTE_INFO:
                for record in self._dense(data, creation_bytes=2, id_first=True):
                    yield attribute(record, source)

    def links(self, messages: list[_Message]) -> Iterator[tuple[str, Node]]:
        """The members of a group."""
        source = self._source
        numbered: list[tuple[int, str, Node]] = []
        for kind, _, data in messages:
            fields = source.fields(data)
            if kind == _SYMBOLS:
                for name, address in symbol_table(source, fields.offset(), fields.offset()):
                    if address is None:
                        self.skipped.append(name)
                    else:
                        yield name, self._node(address)
            elif kind == _LINK:
                numbered += self._link(data, len(numbered))
            elif kind == _LINK_INFO:
                for record in self._dense(data, creation_bytes=8, id_first=False):
                    numbered += self._link(record, len(numbered))
        yield from ((name, node) for _, name, node in sorted(numbered, key=lambda link: link[:2]))

    def _link(self, data: bytes, order: int) -> list[tuple[int, str, Node]]:
        """One link: its place in the order of creation, its name and its target; none if not followed."""
        fields = self._source.fields(data)
        fields.skip(1)
        flags = fields.number(1)
        kind = fields.number(1) if flags & 8 else 0
        order = fields.number(8) if flags & 4 else order
        fields.skip(1 if flags & 16 else 0)
        name = fields.take(fields.number(1 << (flags & 3))).decode("utf-8", "replace")
        if kind:
            self.skipped.append(name)
            return []
        return [(order, name, self._node(fields.offset()))]

    def _dense(self, data: bytes, creation_bytes: int, *, id_first: bool) -> Iterator[bytes]:
        """The messages that an info message says are in a heap, found through the tree of their names."""
        source = self._source
        fields = source.fields(data)
        fields.skip(1)
        fields.skip(creation_bytes if fields.number(1) & 1 else 0)
        heap_address, tree = fields.offset(), fields.offset()
        if not source.defined(heap_address) or not source.defined(tree):
            return
        heap = FractalHeap(source, heap_address)
        for record in tree_records(source, tree):
            record.skip(0 if id_first else 4)  # the hash of the name
            found = heap.get(record.take(heap.id_bytes))
            if found is not None:
                yield found

    def dataset(self, messages: list[_Message]) -> Dataset | None:
        """What the messages say, when they are those of a data set."""
        by_kind: dict[int, tuple[int, bytes]] = {}
        for kind, flags, data in messages:
            by_kind.setdefault(kind, (flags, data))
        if _LAYOUT not in by_kind or _TYPE not in by_kind or _SPACE not in by_kind:
            return None
        source = self._source
        stored = self._type(*by_kind[_TYPE])
        shape = dataspace(source.fields(by_kind[_SPACE][1]), source)
        if _EXTERNAL in by_kind:
            return Dataset(shape, stored, None, "external")
        held, missing = self._place(source.fields(by_kind[_LAYOUT][1]))
        return Dataset(shape, stored, held, missing)

    def _type(self, flags: int, data: bytes) -> StoredType:
        """A data set's type, also when it is a named one that stands elsewhere in the file."""
        source = self._source
        if not flags & _SHARED:
            return stored_type(source.fields(data))
        fields = source.fields(data)
        fields.skip(7 if fields.number(1) == 1 else 1)
        address = fields.offset()
        for kind, inner, body in self.messages(address):
            if kind == _TYPE and not inner & _SHARED:
                return stored_type(source.fields(body))
        return StoredType(0)

    def _place(self, fields: Fields) -> tuple[int | None, str]:
        """Bytes a data set has in this file, and why it has none; from its layout message."""
        source = self._source
        version = fields.number(1)
        if version < 3:  # before HDF5 1.6.3
            rank, layout = fields.number(1), fields.number(1)
            fields.skip(5)
            address = 0 if layout == _COMPACT else fields.offset()
            sizes = [fields.number(4) for _ in range(rank)]
            if layout == _CONTIGUOUS and not source.defined(address):
                return None, "unwritten"
            return (fields.number(4), "") if layout == _COMPACT else (None, "") if sizes else (0, "")
        layout = fields.number(1)
        if layout == _COMPACT:
            return fields.number(2), ""
        if layout == _CONTIGUOUS:
            address, size = fields.offset(), fields.length()
            if not source.defined(address):
                return 0, "unwritten"
            cut = source.base + address + size > source.size
            return size, "cut" if cut else ""
        return None, "virtual" if layout == _VIRTUAL else ""
