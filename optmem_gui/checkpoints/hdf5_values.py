"""Element types, shapes and attribute values in an HDF5 file.

Source: HDF5 File Format Specification 3.0, sections IV.A.2.b (dataspace), IV.A.2.d (datatype) and
IV.A.2.m (attribute).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from optmem_gui.checkpoints.hdf5_bytes import Bytes, Fields
from optmem_gui.core.dtypes import DTYPES, DType
from optmem_gui.core.model import Shape

MAX_RANK = 32
"""``H5S_MAX_RANK``."""

MAX_TEXTS = 100_000
"""Strings of one attribute: names of layers or weights."""

_FIXED, _FLOAT, _STRING, _COMPOUND, _ENUM, _VARIABLE = 0, 1, 3, 6, 8, 9
_COMPLEX = {8: "complex64", 16: "complex128"}
_FLOATS = {  # (bytes, exponent bits, mantissa bits)
    (8, 11, 52): "fp64",
    (4, 8, 23): "fp32",
    (2, 5, 10): "fp16",
    (2, 8, 7): "bf16",
    (1, 4, 3): "fp8_e4m3",
    (1, 5, 2): "fp8_e5m2",
}
Value = str | int | list[str] | None
"""What an attribute says, as far as it is text or one whole number."""


@dataclass(frozen=True, slots=True)
class StoredType:
    """A datatype message.

    Attributes:
        size: Bytes of one element.
        dtype: The element type; None for text, references and records.
        text: Fixed-length text.
        variable_text: Text of any length, stored in a heap.
    """

    size: int
    dtype: DType | None = None
    text: bool = False
    variable_text: bool = False


def stored_type(fields: Fields) -> StoredType:
    """Read a datatype message."""
    kind = fields.number(1) & 15
    flags = fields.number(3)
    size = fields.number(4)
    if kind == _FIXED:
        name = f"{'int' if flags & 8 else 'uint'}{size * 8}"
        return StoredType(size, DTYPES.get(name))
    if kind == _FLOAT:
        return StoredType(size, _float(fields, size))
    if kind == _ENUM and size == 1:
        return StoredType(size, DTYPES["bool"])  # how h5py stores NumPy's bool
    if kind == _COMPOUND and size in _COMPLEX and _is_complex(fields, flags):
        return StoredType(size, DTYPES[_COMPLEX[size]])
    text_of_any_length = kind == _VARIABLE and flags & 15 == 1
    return StoredType(size, text=kind == _STRING, variable_text=text_of_any_length)


def _float(fields: Fields, size: int) -> DType | None:
    fields.skip(5)  # bit offset, precision, exponent location
    exponent = fields.number(1)
    fields.skip(1)
    name = _FLOATS.get((size, exponent, fields.number(1)))
    return None if name is None else DTYPES[name]


def _is_complex(fields: Fields, flags: int) -> bool:
    """Whether a record is a complex number as h5py writes it: two members ``r`` and ``i``."""
    return flags & 0xFFFF == 2 and fields.data[fields.where : fields.where + 2] == b"r\0"


def dataspace(fields: Fields, source: Bytes) -> Shape | None:
    """Read a dataspace message; None for a null dataspace, which holds nothing."""
    version, rank = fields.number(1), fields.number(1)
    if version not in (1, 2) or rank > MAX_RANK:
        raise source.damaged(0)
    fields.skip(1)
    kind = fields.number(1)
    if version == 1:
        fields.skip(4)
    elif kind == 2:  # the null dataspace
        return None
    return tuple(fields.length() for _ in range(rank))


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute message, its data not yet interpreted."""

    name: str
    stored: StoredType
    shape: Shape | None
    data: bytes


def attribute(data: bytes, source: Bytes) -> Attribute:
    """Read an attribute message."""
    fields = source.fields(data)
    version, flags = fields.number(1), fields.number(1)
    if version not in (1, 2, 3):
        raise source.damaged(0)
    name_size, type_size, space_size = fields.number(2), fields.number(2), fields.number(2)
    if version == 3:  # which adds the character set of the name
        fields.skip(1)
    pad = 8 if version == 1 else 1
    name = _text(fields.take(-(-name_size // pad) * pad)[:name_size])
    type_data = fields.take(-(-type_size // pad) * pad)
    space_data = fields.take(-(-space_size // pad) * pad)
    shared = version > 1 and flags & 3
    stored = StoredType(0) if shared else stored_type(source.fields(type_data))
    shape = None if shared else dataspace(source.fields(space_data), source)
    return Attribute(name, stored, shape, fields.data[fields.where :])


def texts(found: Attribute, source: Bytes, heap_text: HeapText) -> list[str]:
    """The strings that an attribute holds, in order."""
    count = prod(found.shape) if found.shape is not None else 0
    size = found.stored.size
    if not 0 < size <= len(found.data) or count > MAX_TEXTS or count * size > len(found.data):
        return []
    pieces = (found.data[place : place + size] for place in range(0, count * size, size))
    if found.stored.text:
        return [_text(piece) for piece in pieces]
    return [heap_text(source.fields(piece)) for piece in pieces]


class HeapText:
    """Text of any length, which lies in global heap collections (section III.E of the specification)."""

    def __init__(self, source: Bytes) -> None:
        self._source = source
        self._collections: dict[int, dict[int, bytes]] = {}

    def __call__(self, reference: Fields) -> str:
        """The text that a reference stands for: its length, a collection and an index in it."""
        length, address, index = reference.number(4), reference.offset(), reference.number(4)
        if not length or not self._source.defined(address) or not address:
            return ""
        if address not in self._collections:
            self._collections[address] = self._collection(address)
        return _text(self._collections[address].get(index, b"")[:length])

    def _collection(self, address: int) -> dict[int, bytes]:
        source = self._source
        head = 8 + source.length_bytes
        fields = source.fields(source.at(address, head))
        fields.expect(b"GCOL")
        fields.skip(4)
        size = fields.length()
        fields = source.fields(source.at(address, size), head)
        found: dict[int, bytes] = {}
        while fields.where + head <= size:
            index = fields.number(2)
            fields.skip(6)
            length = fields.length()
            if not index:  # the free space that ends a collection
                break
            found[index] = fields.take(length)
            fields.skip(min(-length % 8, size - fields.where))
        return found


def value_of(found: Attribute, source: Bytes, heap_text: HeapText) -> Value:
    """What an attribute says; None for what is neither text nor one whole number."""
    if found.stored.text or found.stored.variable_text:
        said = texts(found, source, heap_text)
        if found.shape == ():
            return said[0] if said else ""
        return said
    dtype = found.stored.dtype
    if dtype is not None and dtype.id.startswith(("int", "uint")) and found.shape == ():
        return int.from_bytes(found.data[: found.stored.size], "little", signed=dtype.id.startswith("int"))
    return None


def _text(data: bytes) -> str:
    return data.split(b"\0", 1)[0].decode("utf-8", "replace")
