"""The values of a checkpoint, put into a model that was made with random ones.

Files are mapped, not read: a tensor's bytes are taken from disk when it is copied into its parameter, one
tensor after the other. A safetensors header is JSON behind eight bytes of length (safetensors 0.5,
"Format"); a torch checkpoint is opened with ``weights_only``, so that nothing in it is executed.
"""

from __future__ import annotations

import json
import mmap
import pickle
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from optmem_gui.core.errors import UserError
from optmem_gui.worker.job import Job

_SAFETENSORS = ".safetensors"
_MOST_HEADER_BYTES = 100 << 20
"""The format's own limit."""

_MOST_DEPTH = 4
"""Containers around the tensors of a torch checkpoint, such as ``state_dict`` or ``model``."""

_DTYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F8_E4M3": torch.float8_e4m3fn,
    "F8_E5M2": torch.float8_e5m2,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U8": torch.uint8,
    "BOOL": torch.bool,
}
_END = 2
"""Parts of a name that are the same wherever a module stands: its own and its tensor's."""


@dataclass(frozen=True, slots=True)
class Found:
    """One tensor of a file.

    Attributes:
        file: Name of the file.
        tensor: Its values, still on disk.
    """

    file: str
    tensor: Tensor


def load_into(job: Job, paths: Sequence[str]) -> None:
    """Copy the values of a checkpoint into the parameters.

    Args:
        job: The model, or the bare tensors of the same checkpoint.
        paths: The checkpoint's files.

    Raises:
        UserError: A file cannot be read, a parameter has no values there, or of another shape or type.
    """
    held = {name: found for path in paths for name, found in _tensors_of(Path(path))}
    files = ", ".join(Path(path).name for path in paths[:3])
    pairs = _bare(job, held, files) if job.module is None else _of_module(job.module, held, files)
    with torch.no_grad():
        for name, parameter, found in pairs:
            _check(name, parameter, found)
            parameter.copy_(found.tensor)


def _check(name: str, parameter: nn.Parameter, found: Found) -> None:
    wanted, given = tuple(parameter.shape), tuple(found.tensor.shape)
    if wanted != given:
        shapes = {"wanted": _times(wanted), "found": _times(given)}
        raise UserError("weights.shape", file=found.file, tensor=name, **shapes)
    if parameter.is_floating_point() != found.tensor.is_floating_point():
        kinds = {"wanted": _kind(parameter), "found": _kind(found.tensor)}
        raise UserError("weights.dtype", file=found.file, tensor=name, **kinds)


def _times(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "a single number"


def _kind(tensor: Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


Pairs = Iterator[tuple[str, nn.Parameter, Found]]


def _of_module(module: nn.Module, held: Mapping[str, Found], files: str) -> Pairs:
    """By name; a wrapper or a head around the model in either of the two puts a prefix before it."""
    by_end: dict[str, str | None] = {}
    for name in held:
        for end in _ends(name):
            by_end[end] = None if end in by_end else name
    names: dict[int, list[str]] = defaultdict(list)
    owners: dict[int, nn.Parameter] = {}
    for name, parameter in module.named_parameters(remove_duplicate=False):
        names[id(parameter)].append(name)
        owners[id(parameter)] = parameter
    for key, parameter in owners.items():
        found = next((entry for name in names[key] if (entry := _named(name, held, by_end))), None)
        if found is None:
            raise UserError("weights.missing", file=files, tensor=names[key][0])
        yield names[key][0], parameter, found


def _ends(name: str) -> list[str]:
    """A name without the first parts of it, from the whole one on."""
    parts = name.split(".")
    return [".".join(parts[start:]) for start in range(min(_MOST_DEPTH, len(parts)))]


def _named(name: str, held: Mapping[str, Found], by_end: Mapping[str, str | None]) -> Found | None:
    """The only tensor that ends so; a name that lost a part of its own must still say where it stands."""
    for end in _ends(name):
        if end in held:
            return held[end]
        only = by_end.get(end)
        if only is not None and (end == name or end.count(".") >= _END):
            return held[only]
    return None


def _bare(job: Job, held: Mapping[str, Found], files: str) -> Pairs:
    """Tensors without a model: the next one of the file with the same shape and end of its name."""
    waiting: dict[tuple[str, tuple[int, ...]], list[str]] = defaultdict(list)
    for name, found in reversed(tuple(held.items())):
        waiting[_end(name), tuple(found.tensor.shape)].append(name)
    for name, parameter in zip(job.names, job.parameters, strict=True):
        there = waiting.get((_end(name.partition(".")[2]), tuple(parameter.shape)))
        if not there:
            raise UserError("weights.missing", file=files, tensor=name.partition(".")[2])
        yield name, parameter, held[there.pop()]


def _end(name: str) -> str:
    return ".".join(name.split(".")[-_END:])


def _tensors_of(path: Path) -> Iterator[tuple[str, Found]]:
    try:
        found = _safetensors(path) if path.suffix == _SAFETENSORS else _torch(path)
        for name, tensor in found:
            yield name, Found(path.name, tensor)
    except OSError as error:
        raise UserError("weights.unreadable", file=str(path), cause=error.strerror or str(error)) from error
    except (ValueError, KeyError, TypeError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
        cause = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise UserError("weights.unreadable", file=str(path), cause=cause) from error


def _safetensors(path: Path) -> Iterator[tuple[str, Tensor]]:
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > min(_MOST_HEADER_BYTES, path.stat().st_size):
            raise ValueError("its header is longer than the file")
        header = json.loads(file.read(length))
        mapped = mmap.mmap(
            file.fileno(), 0, access=mmap.ACCESS_COPY
        )  # torch warns about what it cannot write
    for name, entry in header.items():
        if name != "__metadata__":
            yield name, _slice(mapped, 8 + length, entry)


def _slice(mapped: mmap.mmap, base: int, entry: Mapping[str, Any]) -> Tensor:
    dtype, shape = _DTYPES[entry["dtype"]], tuple(entry["shape"])
    start, end = entry["data_offsets"]
    count = prod(shape)
    if end - start != count * dtype.itemsize or not 0 <= base + start <= base + end <= len(mapped):
        raise ValueError(f"a tensor of {count} elements lies at {start} to {end}")
    if not count:
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(mapped, dtype=dtype, count=count, offset=base + start).reshape(shape)


def _torch(path: Path) -> Iterator[tuple[str, Tensor]]:
    try:
        content = torch.load(path, map_location="cpu", mmap=True, weights_only=True)
    except RuntimeError as error:
        if "mmap" not in str(error):
            raise
        content = torch.load(path, map_location="cpu", weights_only=True)  # older than the zip format
    return _flat(content, "", _MOST_DEPTH)


def _flat(content: object, prefix: str, depth: int) -> Iterator[tuple[str, Tensor]]:
    if isinstance(content, Tensor):
        yield prefix, content
    elif depth and isinstance(content, Mapping):
        for name, item in content.items():
            yield from _flat(item, f"{prefix}.{name}" if prefix else str(name), depth - 1)
