"""Where HDF5 keeps the entries of a group: symbol tables of old groups, fractal heaps and trees of new ones.

Source: HDF5 File Format Specification 3.0, sections III.A (B-trees), III.B (symbol tables), III.D (local
heaps), III.G (fractal heaps).
"""

from __future__ import annotations

from collections.abc import Iterator

from optmem_gui.checkpoints.hdf5_bytes import Bytes, Fields

MAX_DEPTH = 16
"""Levels of a tree; ten levels hold more entries than any file."""

_SOFT_LINK = 2


def symbol_table(source: Bytes, tree: int, heap: int) -> Iterator[tuple[str, int | None]]:
    """Names and object addresses of an old group; None instead of an address for a soft link."""
    names = _local_heap(source, heap)
    head = 8 + 2 * source.offset_bytes
    stack, seen = [tree], {tree}
    while stack:
        address = stack.pop()
        fields = source.fields(source.at(address, head))
        signature = fields.take(4)
        if signature == b"SNOD":
            yield from _symbols(source, address, names)
            continue
        kind, _, used = fields.number(1), fields.number(1), fields.number(2)
        if signature != b"TREE" or kind:
            raise source.damaged(address)
        entry = source.length_bytes + source.offset_bytes
        fields = source.fields(source.at(address + head, used * entry + source.length_bytes))
        children = []
        for _ in range(used):
            fields.length()
            children.append(fields.offset())
        stack += [child for child in reversed(children) if child not in seen]
        seen.update(children)


def _local_heap(source: Bytes, address: int) -> bytes:
    fields = source.fields(source.at(address, 8 + 2 * source.length_bytes + source.offset_bytes))
    fields.expect(b"HEAP")
    fields.skip(4)
    size = fields.length()
    fields.length()
    return source.at(fields.offset(), size)


def _symbols(source: Bytes, address: int, names: bytes) -> Iterator[tuple[str, int | None]]:
    count = source.fields(source.at(address, 8), 6).number(2)
    entry = 2 * source.offset_bytes + 24
    fields = source.fields(source.at(address + 8, count * entry))
    for _ in range(count):
        place, target, cache = fields.offset(), fields.offset(), fields.number(4)
        fields.skip(20)
        name = names[place : max(names.find(b"\0", place), place)]
        yield name.decode("utf-8", "replace"), None if cache == _SOFT_LINK else target


def tree_records(source: Bytes, address: int) -> Iterator[Fields]:
    """The records of a version 2 B-tree, in its order."""
    fields = source.fields(source.at(address, 22 + source.offset_bytes + source.length_bytes))
    fields.expect(b"BTHD")
    fields.skip(2)
    node_size, record_size, depth = fields.number(4), fields.number(2), fields.number(2)
    fields.skip(2)
    root, count = fields.offset(), fields.number(2)
    if depth > MAX_DEPTH or not record_size or node_size <= 10 + record_size:
        raise source.damaged(address)
    if source.defined(root) and count:
        yield from _Tree(source, node_size, record_size, depth).walk(root, count, depth)


class _Tree:
    """Widths of the fields in a tree's nodes, which follow from how many records its nodes can hold."""

    def __init__(self, source: Bytes, node_size: int, record_size: int, depth: int) -> None:
        self._source = source
        self._record = record_size
        most = total = (node_size - 10) // record_size
        self._count_bytes = _width(most)
        self._total_bytes = [0]
        for _ in range(depth):
            pointer = source.offset_bytes + self._count_bytes + self._total_bytes[-1]
            most = (node_size - 10 - pointer) // (record_size + pointer)
            if most < 1:
                raise source.damaged(0)
            total = (most + 1) * total + most
            self._total_bytes.append(_width(total))
        self._seen: set[int] = set()

    def walk(self, address: int, count: int, level: int) -> Iterator[Fields]:
        """The records below one node."""
        source = self._source
        if address in self._seen:
            raise source.damaged(address)
        self._seen.add(address)
        pointer = source.offset_bytes + self._count_bytes + self._total_bytes[max(level - 1, 0)]
        size = 6 + count * self._record + (level > 0) * (count + 1) * pointer
        fields = source.fields(source.at(address, size))
        fields.expect(b"BTIN" if level else b"BTLF")
        fields.skip(2)
        records = [fields.take(self._record) for _ in range(count)]
        if not level:
            yield from (source.fields(record) for record in records)
            return
        for index in range(count + 1):
            child, below = fields.offset(), fields.number(self._count_bytes)
            fields.skip(self._total_bytes[level - 1])
            yield from self.walk(child, below, level - 1)
            if index < count:
                yield source.fields(records[index])


class FractalHeap:
    """A heap of links or attributes of a new group, addressed by heap ids."""

    def __init__(self, source: Bytes, address: int) -> None:
        self._source = source
        offset, length = source.offset_bytes, source.length_bytes
        fields = source.fields(source.at(address, 26 + 12 * length + 3 * offset))
        fields.expect(b"FRHP")
        fields.skip(1)
        self.id_bytes, filtered = fields.number(2), fields.number(2)
        fields.skip(1)
        largest = fields.number(4)
        fields.skip(2 * length + offset)  # huge objects: next id, tree; free space
        fields.skip(offset + 8 * length)
        self._columns, self._start, self._direct = fields.number(2), fields.length(), fields.length()
        heap_bits = fields.number(2)
        fields.skip(2)
        self._root, self._rows = fields.offset(), fields.number(2)
        bad = (
            not 0 < self._start <= self._direct or not self._columns or heap_bits > 64
        )  # an offset has 8 bytes at most
        if filtered or bad:  # filters on metadata: nobody writes them
            raise source.damaged(address)
        self._place_bytes = -(-heap_bits // 8)
        self._size_bytes = min(_width(self._direct), _width(largest))

    def get(self, heap_id: bytes) -> bytes | None:
        """The object with an id; None for one too large for the heap's own blocks."""
        kind = heap_id[0] >> 4 & 3
        if kind == 2:  # a tiny object stands in its id
            return heap_id[1 : 2 + (heap_id[0] & 15)]
        if kind:
            return None
        fields = self._source.fields(heap_id, 1)
        place, size = fields.number(self._place_bytes), fields.number(self._size_bytes)
        block, start, length = self._block(place)
        if place - start + size > length:
            raise self._source.damaged(block)
        return self._source.at(block + place - start, size)

    def _block(self, place: int) -> tuple[int, int, int]:
        """The direct block that holds a position of the heap: its address, first position and size."""
        address, start, rows = self._root, 0, self._rows
        for _ in range(MAX_DEPTH):
            if not rows:
                return address, start, self._start  # a root without rows is a single block
            row, column, first, size = self._find(place - start, rows)
            entry = row * self._columns + column
            head = 5 + self._source.offset_bytes + self._place_bytes
            address = self._source.fields(
                self._source.at(address + head + entry * self._source.offset_bytes, self._source.offset_bytes)
            ).offset()
            if not self._source.defined(address):
                raise self._source.damaged(place)
            start += first
            if size <= self._direct:
                return address, start, size
            rows = self._rows_of(size)
        raise self._source.damaged(place)

    def _find(self, place: int, rows: int) -> tuple[int, int, int, int]:
        """Row and column of the block at a position of an indirect block, its first position and size."""
        first = 0
        for row in range(rows):
            size = self._start << max(row - 1, 0)
            if place < first + size * self._columns:
                column = (place - first) // size
                return row, column, first + column * size, size
            first += size * self._columns
        raise self._source.damaged(place)

    def _rows_of(self, size: int) -> int:
        """Rows of an indirect block that spans so many bytes."""
        return (size // (self._start * self._columns)).bit_length()


def _width(largest: int) -> int:
    """Bytes that numbers up to this take."""
    return max(largest.bit_length() - 1, 0) // 8 + 1
