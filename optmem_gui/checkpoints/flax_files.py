"""Flax msgpack files: ``flax_model.msgpack`` of Hugging Face, ``to_bytes`` and ``checkpoint_N`` of Flax."""

from __future__ import annotations

import re
from math import prod
from pathlib import Path

from optmem_gui.checkpoints.contents import Contents, Reading, refused, remark, shown
from optmem_gui.checkpoints.files import HeaderFile
from optmem_gui.checkpoints.flax_msgpack import Array, arrays, too_large
from optmem_gui.checkpoints.flax_tree import Leaf, element_type, tree_contents

SUFFIXES = (".msgpack",)
_STEP = re.compile(r"checkpoint_\d+(?:\.\d+)?\Z", re.ASCII)


def sniff(head: bytes, path: Path) -> bool:
    """Whether a file is called like one of Flax's and begins with a map."""
    return path.suffix.lower() in SUFFIXES or (
        bool(_STEP.match(path.name)) and bool(head) and (0x80 <= head[0] < 0x90 or head[0] in (0xDE, 0xDF))
    )


def read(file: HeaderFile, reading: Reading) -> Contents:
    """Read the shapes and types of all arrays; their bytes are passed over.

    Raises:
        UserError: No msgpack, damaged, or cut short.
    """
    if not file.size:
        raise refused("checkpoint.empty_file", file=shown(file.path))
    leaves, odd = read_leaves(file, reading)
    warnings = []
    if odd:
        names = ", ".join(odd[:3]) + (f" (+{len(odd) - 3})" if len(odd) > 3 else "")
        warnings.append(remark("checkpoint.array_types_unknown", names=names, count=len(odd)))
    return tree_contents(leaves, file.size, warnings)


def read_leaves(file: HeaderFile, reading: Reading) -> tuple[list[Leaf], list[str]]:
    """All arrays, and the names of those whose element type is not known."""
    leaves: list[Leaf] = []
    odd: list[str] = []
    for array in arrays(file, reading):
        leaf = _leaf(array, shown(file.path))
        if leaf is None:
            odd.append(f"{'.'.join(array.path)} ({array.type_name})")
        else:
            leaves.append(leaf)
    return leaves, odd


def _leaf(array: Array, file: str) -> Leaf | None:
    """An array with its type, its size held against its shape; None for a type that is not known."""
    dtype = element_type(array.type_name)
    name = ".".join(array.path)
    if too_large(array):
        raise refused("checkpoint.tensor_too_large", file=file, name=name)
    if dtype is None:
        return None
    if array.held_bytes != dtype.bytes_for(prod(array.shape)):
        raise refused(
            "checkpoint.size_mismatch",
            file=file,
            name=name,
            dtype=dtype.id,
            shape=str(list(array.shape)),
            held_count=array.held_bytes,
        )
    return array.path, array.shape, dtype
