"""ONNX: a graph and its tensors in one protocol buffer, the elements inside it or in files beside it.

Only descriptions are read. Files beside the model are measured and never opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from pathlib import Path, PurePosixPath

from optmem_gui.checkpoints.contents import Contents, Known, Packing, Reading, Row, refused, remark, shown
from optmem_gui.checkpoints.dtypes import ONNX
from optmem_gui.checkpoints.files import HeaderFile
from optmem_gui.checkpoints.onnx_graph import Model, Tensor, Walk
from optmem_gui.checkpoints.onnx_roles import OPERATORS, Roles, roles_of
from optmem_gui.checkpoints.onnx_wire import Wire
from optmem_gui.core.reasons import Reason

SUFFIXES = (".onnx",)
_MAX_ELEMENTS = 10**18
_TEXT = 8
_KEYS = frozenset((0x10, 0x12, 0x1A, 0x22, 0x28, 0x32, 0x3A, 0x42))
"""Keys of the fields that may follow ``ir_version`` in a ``ModelProto``."""


@dataclass(slots=True)
class _Beside:
    """The files beside a model.

    Attributes:
        sizes: Size of each by its name; -1 for one that is not there.
        missing_bytes: How much they are too short, by name.
    """

    sizes: dict[str, int] = field(default_factory=dict)
    missing_bytes: dict[str, int] = field(default_factory=dict)

    @property
    def absent(self) -> list[str]:
        """Names of the files that are not there."""
        return [name for name, size in self.sizes.items() if size < 0]


def sniff(head: bytes, path: Path) -> bool:
    """Whether a file's name, or else its first bytes, say ONNX."""
    begins = len(head) > 2 and head[0] == 8 and 0 < head[1] < 32 and head[2] in _KEYS
    return path.suffix.lower() in SUFFIXES or begins


def read(file: HeaderFile, reading: Reading) -> Contents:
    """The descriptions of all tensors in a model.

    Raises:
        UserError: Damaged, not a model, a size that does not fit its type and shape, or a file outside.
    """
    name = shown(file.path)
    if not file.size:
        raise refused("checkpoint.empty_file", file=name)
    model = Walk(Wire(file, reading), OPERATORS).model()
    if not model.graphs:
        raise refused("checkpoint.no_graph", file=name)
    tensors = [tensor for tensor in model.tensors if tensor.type_number != _TEXT]
    beside = _Beside()
    sizes = [_size(tensor, file, beside) for tensor in tensors]
    rows: list[Row] = [(tensor.name, tensor.shape, ONNX[tensor.type_number]) for tensor in tensors]
    by_name = {row[0]: row for row in rows}
    if len(by_name) < len(rows):
        raise refused("checkpoint.duplicate_name", file=name, name=_first_twice(rows))
    roles = roles_of(model.nodes, by_name)
    there = [size for size in beside.sizes.values() if size >= 0]
    return Contents(
        rows,
        known=_known(model, tensors, roles),
        warnings=tuple(_warnings(model, tensors, beside, name)),
        complete=not beside.absent and not beside.missing_bytes,
        file_bytes=file.size + sum(there),
        tensor_bytes=sum(sizes),
        file_count=1 + len(there),
        packing=Packing(roles.weights, frozenset(roles.companions)),
    )


def _first_twice(rows: list[Row]) -> str:
    seen: set[str] = set()
    for row in rows:
        if row[0] in seen:
            return row[0]
        seen.add(row[0])
    return ""


def _size(tensor: Tensor, file: HeaderFile, beside: _Beside) -> int:
    """Bytes of a tensor, held against what is there."""
    name = shown(file.path)
    dtype = ONNX.get(tensor.type_number)
    if dtype is None:
        raise refused("checkpoint.unknown_dtype", file=name, name=tensor.name, dtype=str(tensor.type_number))
    if prod(tensor.shape) > _MAX_ELEMENTS:
        raise refused("checkpoint.tensor_too_large", file=name, name=tensor.name)
    count = prod(tensor.shape) if tensor.sparse_count is None else tensor.sparse_count
    size, held = dtype.bytes_for(count), tensor.raw_bytes
    if tensor.outside:
        held = _outside(tensor, size, file.path, beside)
    elif tensor.number_bytes and count <= 4 * tensor.number_bytes:
        held = size  # numbers of varying length: each takes a byte at least, and holds up to four elements
    if held != size:
        raise refused(
            "checkpoint.size_mismatch",
            file=name,
            name=tensor.name,
            dtype=dtype.id,
            shape=str(list(tensor.shape)),
            held_count=held,
        )
    return size


def _outside(tensor: Tensor, size: int, path: Path, beside: _Beside) -> int:
    """Bytes that a file beside the model holds for a tensor, as the model says.

    A link is followed for its size only: in Hugging Face's cache every file is one.
    """
    location, file = tensor.external.get("location", ""), shown(path)
    place = PurePosixPath(location)
    if (
        not location
        or place.is_absolute()
        or ".." in place.parts
        or any(char in location for char in ("\\", ":", "\0"))
    ):
        raise refused("checkpoint.index_leaves_folder", file=file, name=location)
    offset = _number(tensor.external.get("offset", "0"), file)
    length = _number(tensor.external.get("length", str(size)), file)
    name = str(place)
    if name not in beside.sizes:
        try:
            beside.sizes[name] = (path.parent / name).stat().st_size
        except (OSError, ValueError):
            beside.sizes[name] = -1
    there = beside.sizes[name]
    if 0 <= there < offset + length:
        lacking = offset + length - there
        beside.missing_bytes[name] = max(lacking, beside.missing_bytes.get(name, 0))
    return length


def _number(text: str, file: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise refused("checkpoint.bad_external", file=file, given=text)
    return int(text)


def _known(model: Model, tensors: list[Tensor], roles: Roles) -> dict[str, Known]:
    """Constants, single numbers and running statistics are not trained; a training part says what is."""
    known: dict[str, Known] = {}
    for tensor in tensors:
        dtype = ONNX[tensor.type_number]
        if not dtype.is_floating or tensor.name in roles.companions or tensor.name in roles.weights:
            continue
        if tensor.constant or not tensor.shape or tensor.name in roles.settings:
            known[tensor.name] = Known(False)
        elif model.updated is not None:
            known[tensor.name] = Known(True, tensor.name in model.updated)
    return known


def _warnings(model: Model, tensors: list[Tensor], beside: _Beside, file: str) -> Iterator[Reason]:
    constants = sum(prod(t.shape) for t in tensors if t.constant and ONNX[t.type_number].is_floating)
    if constants:
        yield remark("checkpoint.onnx_constants", count=constants)
    if beside.absent:
        yield remark(
            "checkpoint.external_missing",
            count=len(beside.absent),
            total_count=len(beside.sizes),
            name=beside.absent[0],
        )
    for name, missing in beside.missing_bytes.items():
        yield remark("checkpoint.truncated", file=name, missing_bytes=missing, missing_count=missing)
    if model.training_tensors:
        count = sum(prod(tensor.shape) for tensor in model.training_tensors)
        yield remark("checkpoint.onnx_training", count=count)
    texts = sum(tensor.type_number == _TEXT for tensor in model.tensors)
    if texts:
        first = next(tensor.name for tensor in model.tensors if tensor.type_number == _TEXT)
        yield remark("checkpoint.no_numbers", count=texts, name=first)
