"""Megatron-LM's checkpoints: distributed ones of both backends, and a folder a rank.

``torch_dist`` is torch's distributed checkpoint with ``common.pt`` beside it; ``zarr`` is one folder an array
with its shape in ``.zarray``; the older layout has ``mp_rank_00/model_optim_rng.pt`` a tensor- and
pipeline-parallel rank. Source: ``megatron/core/dist_checkpointing``, ``megatron/training/checkpointing.py``
of Megatron-Core 0.14; the zarr v2 specification.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from math import prod
from pathlib import Path

from optmem_gui.checkpoints import distributed
from optmem_gui.checkpoints.contents import Contents, Reading, refused, remark, shown
from optmem_gui.checkpoints.distributed_tree import nested
from optmem_gui.checkpoints.files import HeaderFile, read_small, unreadable
from optmem_gui.checkpoints.optimizer_state import groups_of
from optmem_gui.checkpoints.pickle_values import Value
from optmem_gui.checkpoints.pickles import Walked
from optmem_gui.checkpoints.torch_contents import Storages, to_contents
from optmem_gui.checkpoints.torch_files import read_zip, walk_zip
from optmem_gui.checkpoints.torch_values import Tensor
from optmem_gui.core.dtypes import DTYPES, DType
from optmem_gui.core.errors import UserError

TRACKER = "latest_checkpointed_iteration.txt"
COMMON = "common.pt"
MAX_ARRAYS = 200_000
_MAX_ARRAY_BYTES = 1 << 20
_RANK = re.compile(r"mp_rank_(\d+)(?:_\d+)*\Z", re.ASCII)
_RANK_FILES = ("model_optim_rng.pt", "model_rng.pt")
_ZARR = {
    f"{kind}{size}": DTYPES[type_id]
    for kind, size, type_id in (
        ("f", 8, "fp64"), ("f", 4, "fp32"), ("f", 2, "fp16"), ("i", 8, "int64"), ("i", 4, "int32"),
        ("i", 2, "int16"), ("i", 1, "int8"), ("u", 8, "uint64"), ("u", 4, "uint32"), ("u", 2, "uint16"),
        ("u", 1, "uint8"), ("b", 1, "bool"),
    )
}  # fmt: skip
"""NumPy's type strings without their byte order; Megatron writes ``bfloat16`` by name."""


def sniff(files: Collection[str], folders: Collection[str]) -> bool:
    """Whether a folder is one iteration of a Megatron-LM run, or the run."""
    return (
        (COMMON in files and "metadata.json" in files)
        or TRACKER in files
        or any(_RANK.match(name) for name in folders)
    )


def read(folder: Path, reading: Reading) -> Contents:
    """Read one iteration; of a run, the one that its tracker names.

    Raises:
        UserError: The tracker leads nowhere, or what it leads to is damaged.
    """
    folder = _iteration(folder, reading)
    if (folder / distributed.INDEX).is_file():
        contents = _of_torch(folder, reading)
    elif (folder / COMMON).is_file():
        contents = _of_zarr(folder, reading)
    else:
        return _of_ranks(folder, reading)
    return contents


def _iteration(folder: Path, reading: Reading) -> Path:
    tracker = folder / TRACKER
    if not tracker.is_file():
        return folder
    said = read_small(tracker, 1024, reading).decode("ascii", "replace").strip()
    name = f"iter_{int(said):07d}" if said.isdigit() and said.isascii() else said
    if name != "release" and not re.fullmatch(r"iter_\d{7,10}", name, re.ASCII):
        raise refused("checkpoint.tag_missing", file=f"{shown(folder)}/{TRACKER}", name=name)
    if not (folder / name).is_dir():
        raise refused("checkpoint.tag_missing", file=f"{shown(folder)}/{TRACKER}", name=name)
    return folder / name


def _of_torch(folder: Path, reading: Reading) -> Contents:
    index, walked, size = distributed.read_index(folder, reading)
    root = nested(index.tensors, index.paths)
    _add_groups(root, _groups(folder, reading))
    contents = to_contents(
        Walked(root, walked.named, frozenset()), Storages(None), distributed.INDEX, size, reading.check
    )
    return distributed.against_files(folder, index, contents)


def _groups(folder: Path, reading: Reading) -> list[Value]:
    """Parameter groups of the optimizer, which stand in ``common.pt``; none where it cannot be read."""
    try:
        with HeaderFile(folder / COMMON, reading) as file:
            value = walk_zip(file, reading)[0].value
    except UserError:
        return []
    for _ in range(4):  # optimizer, and once more inside it
        if not isinstance(value, dict):
            return []
        groups = value.get("param_groups")
        if isinstance(groups, list):
            return groups
        value = value.get("optimizer")
    return []


def _add_groups(root: dict[Value, Value], groups: list[Value]) -> None:
    """Give the groups to the optimizer that has none of its own."""
    for value in root.values():
        inner = value.get("state_dict", value) if isinstance(value, dict) else None
        if isinstance(inner, dict) and "state" in inner and not groups_of([inner]).keys:
            inner["param_groups"] = groups


def _of_zarr(folder: Path, reading: Reading) -> Contents:
    tensors: dict[str, Tensor | None] = {}
    held_bytes = 0
    for name in _arrays(folder, reading):
        tensors[name] = _array(folder / name / ".zarray", reading)
    root = nested(tensors, {})
    _add_groups(root, _groups(folder, reading))
    contents = to_contents(
        Walked(root, frozenset(), frozenset()), Storages(None), shown(folder), held_bytes, reading.check
    )
    return replace(contents, file_bytes=contents.tensor_bytes, file_count=len(tensors))


def _arrays(folder: Path, reading: Reading) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            names: list[str] = []
            for entry in entries:
                if len(names) >= MAX_ARRAYS:
                    raise refused("checkpoint.zarr_too_many", file=shown(folder), limit_count=MAX_ARRAYS)
                if entry.is_dir(follow_symlinks=False):
                    names.append(entry.name)
    except OSError as error:
        raise unreadable(folder, error) from None
    for index, name in enumerate(sorted(names)):
        if index % 500 == 0:
            reading.check()
        if (folder / name / ".zarray").is_file():
            yield name


def _array(path: Path, reading: Reading) -> Tensor:
    """Shape and type of a zarr v2 array."""
    data = read_small(path, _MAX_ARRAY_BYTES, reading)
    try:
        fields = json.loads(data)
        shape = tuple(fields["shape"])
        dtype = _dtype(fields["dtype"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise refused("checkpoint.zarr_array", file=f"{shown(path.parent)}/.zarray") from None
    if len(shape) > 64 or any(type(size) is not int or not 0 <= size < 2**63 for size in shape):
        raise refused("checkpoint.zarr_array", file=f"{shown(path.parent)}/.zarray")
    stride = tuple(prod(shape[index + 1 :]) for index in range(len(shape)))
    return Tensor(None, 0, shape, stride, dtype)


def _dtype(text: object) -> DType | None:
    if not isinstance(text, str):  # zarr gives a list for records, which no model has
        return None
    return DTYPES["bf16"] if text == "bfloat16" else _ZARR.get(text.lstrip("<>|="))


def _of_ranks(folder: Path, reading: Reading) -> Contents:
    """The first tensor- and pipeline-parallel rank; of several it is a part, and said to be."""
    ranks = sorted(entry.name for entry in folder.iterdir() if _RANK.match(entry.name))
    for name in ranks[:1]:
        for file_name in _RANK_FILES:
            path = folder / name / file_name
            if path.is_file():
                with HeaderFile(path, reading) as file:
                    contents = read_zip(file, reading)
                if len(ranks) == 1:
                    return contents
                part = remark("checkpoint.tensor_parallel", rank_count=len(ranks))
                return replace(contents, warnings=(*contents.warnings, part), complete=False)
    raise refused("checkpoint.no_weights_there", file=shown(folder))
