"""torch.distributed.checkpoint: one index says what all files together hold.

``.metadata`` is a pickle of a ``Metadata`` object. It is walked, never unpickled; the ``.distcp`` files are
not opened, only their sizes are held against what the index says lies in them. Sources:
``torch/distributed/checkpoint/metadata.py`` and ``filesystem.py`` of torch 2.13; Megatron-Core 0.14,
``dist_checkpointing``, for its names of optimizer state.
"""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path

from optmem_gui.checkpoints.bounds import MAX_ITEM_BYTES
from optmem_gui.checkpoints.contents import Contents, Reading, refused, remark, shown
from optmem_gui.checkpoints.distributed_tree import nested
from optmem_gui.checkpoints.files import read_small
from optmem_gui.checkpoints.pickle_values import Made, Symbol, Value
from optmem_gui.checkpoints.pickles import Walked, walk_pickle
from optmem_gui.checkpoints.torch_contents import Storages, to_contents
from optmem_gui.checkpoints.torch_values import REBUILDERS, Tensor, counts, dtype_of
from optmem_gui.core.dtypes import F32
from optmem_gui.core.model import Shape
from optmem_gui.core.reasons import Reason

INDEX = ".metadata"
_CLASS = "torch.distributed.checkpoint.metadata.Metadata"
_TENSOR = "TensorStorageMetadata"
_RANK = re.compile(r"__(\d+)_\d+\.distcp\Z", re.ASCII)


@dataclass(slots=True)
class _Stored:
    """What lies in the files, by the index.

    Attributes:
        ends: Last byte that is used, by file.
        lengths: Bytes of each tensor or object, by name.
        packed: Names of what was transformed (compressed) on the way to the disk.
    """

    ends: dict[str, int]
    lengths: dict[str, int]
    packed: set[str]


def sniff(files: Collection[str], folders: Collection[str]) -> bool:
    """Whether a folder is a torch distributed checkpoint."""
    return INDEX in files


def read(folder: Path, reading: Reading) -> Contents:
    """Read the index of a torch distributed checkpoint.

    Raises:
        UserError: The index is damaged, hostile or something else.
    """
    values, walked, size = read_index(folder, reading)
    contents = to_contents(
        Walked(nested(values.tensors, values.paths), walked.named, frozenset()),
        Storages(None),
        INDEX,
        size,
        reading.check,
    )
    return against_files(folder, values, contents)


@dataclass(frozen=True, slots=True)
class Index:
    """The index, as far as sizes go.

    Attributes:
        tensors: Every tensor by its name; None for an object that is no tensor.
        paths: Keys that lead to it in the nested state dict, where the index says so.
        uncovered: Names of tensors whose chunks do not add up.
        chunk_bytes: Bytes of the chunks, by name.
        stored: Where they lie.
    """

    tensors: Mapping[str, Tensor | None]
    paths: Mapping[str, tuple[Value, ...]]
    uncovered: list[str]
    chunk_bytes: Mapping[str, int]
    stored: _Stored


def read_index(folder: Path, reading: Reading) -> tuple[Index, Walked, int]:
    """Walk ``.metadata``.

    Raises:
        UserError: It is damaged, hostile or something else.
    """
    data = read_small(folder / INDEX, MAX_ITEM_BYTES, reading)
    walked = walk_pickle(io.BytesIO(data), REBUILDERS, INDEX, reading.check)
    fields = _fields(walked.value)
    listed = fields.get("state_dict_metadata")
    if not isinstance(walked.value, Made) or walked.value.path != _CLASS or not isinstance(listed, dict):
        raise refused("checkpoint.dcp_metadata", file=f"{shown(folder)}/{INDEX}")
    tensors: dict[str, Tensor | None] = {}
    chunk_bytes: dict[str, int] = {}
    uncovered: list[str] = []
    for name, item in listed.items():
        if isinstance(name, str):
            tensor = tensors[name] = _tensor(item)
            if tensor is not None:
                chunk_count = _chunked(item, tensor.shape, name)
                chunk_bytes[name] = (tensor.dtype or F32).bytes_for(chunk_count)
                if chunk_count != tensor.numel:
                    uncovered.append(name)
    plan = fields.get("planner_data")
    paths = {
        name: path
        for name, path in (plan.items() if isinstance(plan, dict) else ())
        if isinstance(path, tuple)
    }
    return Index(tensors, paths, uncovered, chunk_bytes, _stored(fields)), walked, len(data)


def _fields(value: Value) -> Mapping[Value, Value]:
    return value.state if isinstance(value, Made) and isinstance(value.state, dict) else {}


def _tensor(item: Value) -> Tensor | None:
    """A tensor without storage, of the size and type that the index gives."""
    fields = _fields(item)
    if not isinstance(item, Made) or not item.path.endswith(_TENSOR):
        return None
    properties = fields.get("properties")
    said = properties.state if isinstance(properties, Made) else None
    if isinstance(said, dict):  # before __getstate__ was added
        said = (said.get("dtype"),)
    try:
        shape = counts(fields.get("size"))
    except (TypeError, ValueError):
        raise refused("checkpoint.dcp_metadata", file=INDEX) from None
    dtype = dtype_of(said[0]) if isinstance(said, tuple) and said and isinstance(said[0], Symbol) else None
    stride = tuple(prod(shape[index + 1 :]) for index in range(len(shape)))
    return Tensor(None, 0, shape, stride, dtype)


def _chunked(item: Value, shape: Shape, name: str) -> int:
    """Elements of all chunks of a tensor; each must lie inside it."""
    total = 0
    chunks = _fields(item).get("chunks")
    for chunk in chunks if isinstance(chunks, list) else ():
        fields = _fields(chunk)
        try:
            offsets, sizes = counts(fields.get("offsets")), counts(fields.get("sizes"))
        except (TypeError, ValueError):
            raise refused("checkpoint.dcp_metadata", file=INDEX) from None
        inside = len(offsets) == len(sizes) == len(shape) and all(
            start + size <= whole for start, size, whole in zip(offsets, sizes, shape, strict=True)
        )
        if not inside:
            raise refused("checkpoint.dcp_chunk", file=INDEX, name=name)
        total += prod(sizes)
    return total


def _stored(fields: Mapping[Value, Value]) -> _Stored:
    stored = _Stored({}, {}, set())
    table = fields.get("storage_data")
    for key, value in table.items() if isinstance(table, dict) else ():
        place, of = _fields(value), _fields(key)
        path, offset, length = (place.get(name) for name in ("relative_path", "offset", "length"))
        if not isinstance(path, str) or type(offset) is not int or type(length) is not int:
            continue
        if not path or path.startswith(".") or "/" in path or "\\" in path or "\0" in path:
            raise refused("checkpoint.dcp_path", file=INDEX, name=path)
        stored.ends[path] = max(stored.ends.get(path, 0), offset + length)
        name = of.get("fqn")
        if isinstance(name, str):
            stored.lengths[name] = stored.lengths.get(name, 0) + length
            if place.get("transform_descriptors"):
                stored.packed.add(name)
    return stored


def against_files(folder: Path, index: Index, contents: Contents) -> Contents:
    """Hold what the index promises against the sizes of the files."""
    warnings, sizes, short = [], dict[str, int](), list[str]()
    for name, end in index.stored.ends.items():
        try:
            sizes[name] = (folder / name).stat().st_size
        except OSError:
            short.append(name)
            continue
        if sizes[name] < end:
            short.append(name)
    if short:
        warnings.append(remark("checkpoint.dcp_files_missing", count=len(short), name=short[0]))
    return replace(
        contents,
        warnings=(*contents.warnings, *warnings, *_about_chunks(index), *_about_ranks(index.stored.ends)),
        complete=contents.complete and not short,
        file_bytes=contents.file_bytes + sum(sizes.values()),
        file_count=len(sizes) + 1,
    )


def _about_chunks(index: Index) -> Iterator[Reason]:
    if index.uncovered:
        yield remark("checkpoint.dcp_uncovered", count=len(index.uncovered), name=index.uncovered[0])
    lengths, packed = index.stored.lengths, index.stored.packed
    low = [
        name
        for name, needed in index.chunk_bytes.items()
        if name in lengths and name not in packed and lengths[name] < needed
    ]
    if low:
        yield remark("checkpoint.dcp_short_chunks", count=len(low), name=low[0])


def _about_ranks(files: Collection[str]) -> Iterator[Reason]:
    ranks = {match[1] for match in map(_RANK.match, files) if match}
    if len(ranks) > 1:
        yield remark("checkpoint.saved_by_ranks", rank_count=len(ranks), file_count=len(files))
