"""Orbax checkpoints: folders in which every array of a tree is a Zarr array.

Shapes and types come from the arrays' own descriptions (``.zarray`` or ``zarr.json``), which lie in one
folder an array or in an OCDBT store. ``_METADATA`` gives the tree: the keys of every array, and arrays
that should be there. Without any array its shapes are offered, as what they are.

A checkpoint can be an item itself, a folder of named items, or a manager's folder of numbered steps, whose
last one counts.

Sources: ``orbax/checkpoint/_src/metadata/tree.py``, ``_src/handlers/composite_checkpoint_handler.py`` and
``_src/serialization``, Orbax 0.12; Zarr specifications 2 and 3.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from typing import Any

from optmem_gui.checkpoints.bounds import check_json
from optmem_gui.checkpoints.contents import Contents, Reading, refused, remark, shown
from optmem_gui.checkpoints.files import HeaderFile, read_small
from optmem_gui.checkpoints.flax_files import read_leaves
from optmem_gui.checkpoints.flax_tree import Leaf, element_type, tree_contents
from optmem_gui.checkpoints.ocdbt import MANIFEST, Store
from optmem_gui.core.dtypes import DTYPES, DType
from optmem_gui.core.model import Shape
from optmem_gui.core.reasons import Reason
from optmem_gui.core.units import MAX_PARAM_COUNT

MAX_DESCRIPTION_BYTES = 1 << 20
"""Largest description of one array."""

MAX_METADATA_BYTES = 32 << 20
"""Longest description of the tree."""

MAX_ENTRIES = 1_000_000
"""Files and folders of a checkpoint that are looked at."""

MAX_RANK = 64
_METADATA = "_METADATA"
_ROOT = "_CHECKPOINT_METADATA"
_AGGREGATE = "checkpoint"
_DESCRIPTIONS = (".zarray", "zarr.json")
_PLAIN_ITEMS = frozenset(("default", "items", "state", "train_state", "model", "model_params"))
"""Names of items that say nothing about what is in them."""

_KINDS = {"f": "float", "i": "int", "u": "uint", "c": "complex", "b": "bool"}
_Path = tuple[str, ...]


@dataclass(slots=True)
class _Item:
    """What has been found in a checkpoint so far."""

    leaves: list[Leaf] = field(default_factory=list)
    warnings: list[Reason] = field(default_factory=list)
    complete: bool = True
    odd: list[str] = field(default_factory=list)


def sniff_folder(files: Collection[str], folders: Collection[str]) -> bool:
    """Whether a folder is an item, a checkpoint of items, arrays side by side, or steps of a manager."""
    if not {_METADATA, _ROOT, MANIFEST}.isdisjoint(files):
        return True
    if _AGGREGATE in files and folders:
        return not any(name.endswith(".index") for name in files)
    return bool(folders) and not files and all(name.isascii() and name.isdigit() for name in folders)


def read_folder(folder: Path, reading: Reading) -> Contents:
    """Read a checkpoint.

    Raises:
        UserError: No arrays and nothing that tells of them, or damaged.
    """
    folder = _step(folder)
    found = _Item()
    items = _items(folder)
    for item in reading.files(items):
        prefix = () if item == folder or item.name in _PLAIN_ITEMS else (item.name,)
        _read_item(item, prefix, found, reading)
    if not found.leaves:
        raise refused("checkpoint.orbax_no_arrays", file=shown(folder))
    if found.odd:
        names = ", ".join(found.odd[:3]) + (f" (+{len(found.odd) - 3})" if len(found.odd) > 3 else "")
        found.warnings.append(remark("checkpoint.array_types_unknown", names=names, count=len(found.odd)))
    file_bytes, file_count = _folder_size(folder, reading)
    contents = tree_contents(found.leaves, file_bytes, found.warnings, complete=found.complete)
    return replace(contents, file_count=file_count)


def _step(folder: Path) -> Path:
    """The last step of a manager's folder; any other folder as it is."""
    if any((folder / name).exists() for name in (_METADATA, _ROOT, MANIFEST, _AGGREGATE)):
        return folder
    steps = [path for path in folder.iterdir() if path.name.isdigit() and path.is_dir()]
    return max(steps, key=lambda path: int(path.name)) if steps else folder


def _items(folder: Path) -> list[Path]:
    """The folders that hold arrays: the checkpoint itself, or its items."""
    if _is_item(folder):
        return [folder]
    inner = sorted(path for path in folder.iterdir() if path.is_dir() and _is_item(path))
    return inner or [folder]


def _is_item(folder: Path) -> bool:
    return any((folder / name).is_file() for name in (_METADATA, MANIFEST, _AGGREGATE))


def _read_item(folder: Path, prefix: _Path, found: _Item, reading: Reading) -> None:
    """Add the arrays of one item."""
    tree = _tree(folder, reading)
    held: set[str] = set()
    before = len(found.leaves)
    for name, data in _descriptions(folder, found, reading):
        held.add(name)
        shape, dtype, said = _array(data, name, shown(folder))
        if dtype is None:
            found.odd.append(f"{name} ({said})")
        else:
            keys = tree[name][0] if name in tree else tuple(name.replace("/", ".").split("."))
            found.leaves.append(((*prefix, *keys), shape, dtype))
    for path, shape, dtype in _aggregate(folder, reading):
        name = ".".join(path)
        if name not in held:
            held.add(name)
            found.leaves.append(((*prefix, *path), shape, dtype))
    absent = {name: entry for name, entry in tree.items() if entry[1] is not None and name not in held}
    if absent and len(found.leaves) == before:
        for keys, written in absent.values():
            found.leaves.append(((*prefix, *keys), written or (), DTYPES["unknown"]))
        found.complete = False
        found.warnings.append(remark("checkpoint.orbax_shapes_only", count=len(absent)))
    elif absent:
        found.complete = False
        found.warnings.append(remark("checkpoint.orbax_absent", count=len(absent), name=next(iter(absent))))


def _descriptions(folder: Path, found: _Item, reading: Reading) -> Iterator[tuple[str, bytes]]:
    """Names of the arrays with their descriptions, out of a store or out of folders."""
    if (folder / MANIFEST).is_file():
        store = Store(folder, reading)
        ends: dict[str, int] = {}
        for key, value in store.items():
            if value.inline is None:
                ends[value.file] = max(ends.get(value.file, 0), value.offset + value.size)
            name, _, last = key.rpartition("/")
            if last in _DESCRIPTIONS:
                yield name, store.read(value, MAX_DESCRIPTION_BYTES)
        _check_files(folder, ends, found)
        return
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries if entry.is_dir())
    for index, name in enumerate(names[:MAX_ENTRIES]):
        if index % 100 == 0:
            reading.check()
        for kind in _DESCRIPTIONS:
            path = folder / name / kind
            if path.is_file():
                yield name, read_small(path, MAX_DESCRIPTION_BYTES, reading)


def _check_files(folder: Path, ends: Mapping[str, int], found: _Item) -> None:
    """Whether the data files are there and long enough for what the store says is in them."""
    absent = []
    for file, end in ends.items():
        try:
            size = (folder / file).stat().st_size
        except (OSError, ValueError):
            absent.append(Path(file).name)
            continue
        if size < end:
            missing = end - size
            found.warnings.append(
                remark(
                    "checkpoint.truncated",
                    file=shown(Path(file)),
                    missing_bytes=missing,
                    missing_count=missing,
                )
            )
            found.complete = False
    if absent:
        found.complete = False
        names = ", ".join(absent[:3]) + (" ..." if len(absent) > 3 else "")
        found.warnings.append(
            remark(
                "checkpoint.data_files_missing",
                missing_count=len(absent),
                total_count=len(ends),
                names=names,
            )
        )


def _array(data: bytes, name: str, file: str) -> tuple[Shape, DType | None, str]:
    """Shape and type of a Zarr array, and what its type is called."""
    tree = _json(data)
    shape, said = tree.get("shape"), tree.get("dtype", tree.get("data_type"))
    if not isinstance(shape, list) or not isinstance(said, str) or len(shape) > MAX_RANK:
        raise refused("checkpoint.zarr_bad", file=file, name=name)
    if not all(isinstance(size, int) and not isinstance(size, bool) and size >= 0 for size in shape):
        raise refused("checkpoint.zarr_bad", file=file, name=name)
    if prod(shape) > MAX_PARAM_COUNT:
        raise refused("checkpoint.tensor_too_large", file=file, name=name)
    return tuple(shape), _type(said), said


def _type(said: str) -> DType | None:
    """A type by its name, or by NumPy's code such as ``<f4``."""
    if said[:1] in ("<", ">", "|") and said[1:2] in _KINDS and said[2:].isdigit() and len(said) < 5:
        kind = _KINDS[said[1]]
        said = kind if kind == "bool" else f"{kind}{8 * int(said[2:])}"
    return element_type(said)


def _tree(folder: Path, reading: Reading) -> dict[str, tuple[_Path, Shape | None]]:
    """Keys of every leaf by its name; the shape for arrays, None for what is no array."""
    if not (folder / _METADATA).is_file():
        return {}
    data = read_small(folder / _METADATA, MAX_METADATA_BYTES, reading)
    check_json(data, shown(folder / _METADATA), limit_bytes=MAX_METADATA_BYTES)
    listed = _json(data).get("tree_metadata")
    found: dict[str, tuple[_Path, Shape | None]] = {}
    for entry in listed.values() if isinstance(listed, dict) else ():
        keys = entry.get("key_metadata") if isinstance(entry, dict) else None
        if not isinstance(keys, list):
            continue
        path = tuple(str(key.get("key")) for key in keys if isinstance(key, dict))
        found[".".join(path)] = path, _written_shape(entry.get("value_metadata"))
    return found


def _written_shape(value: object) -> Shape | None:
    """The shape that an array's entry gives; None for texts and for empty nodes."""
    if not isinstance(value, dict) or value.get("skip_deserialize"):
        return None
    shape = value.get("write_shape")
    if not isinstance(shape, list) or len(shape) > MAX_RANK:
        return None
    sizes = [size for size in shape if isinstance(size, int) and 0 <= size < 1 << 62]
    return tuple(sizes) if len(sizes) == len(shape) and prod(sizes) <= MAX_PARAM_COUNT else None


def _aggregate(folder: Path, reading: Reading) -> list[Leaf]:
    """Arrays in the msgpack file in which older versions kept small ones."""
    path = folder / _AGGREGATE
    if not path.is_file():
        return []
    with HeaderFile(path, reading) as file:
        return read_leaves(file, reading)[0]


def _folder_size(folder: Path, reading: Reading) -> tuple[int, int]:
    """Bytes and number of all files below a folder; links are not followed."""
    total, files, seen, stack = 0, 0, 0, [folder]
    while stack:
        reading.check()
        with os.scandir(stack.pop()) as entries:
            for entry in entries:
                seen += 1
                if seen > MAX_ENTRIES:
                    raise refused("checkpoint.folder_too_large", file=shown(folder), limit_count=MAX_ENTRIES)
                if entry.is_dir(follow_symlinks=False):
                    stack.append(Path(entry.path))
                elif entry.is_file(follow_symlinks=False):
                    total += entry.stat(follow_symlinks=False).st_size
                    files += 1
    return total, files


def _json(data: bytes) -> dict[str, Any]:
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return tree if isinstance(tree, dict) else {}
