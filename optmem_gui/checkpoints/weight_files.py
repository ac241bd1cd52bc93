"""The files of a checkpoint whose values a worker can load: safetensors or torch, whole or in shards."""

from __future__ import annotations

import json
from pathlib import Path

from optmem_gui.core.errors import UserError

_SAFETENSORS = ".safetensors"
_TORCH = (".bin", ".pt", ".pth", ".ckpt")
_INDEX = ".index.json"
_MOST_INDEX_BYTES = 64 << 20
_OTHERS = ("optimizer", "scheduler", "training_args", "rng_state")
"""Beginnings of files beside a model that hold something else."""


def weight_files(path: Path) -> tuple[str, ...]:
    """The files, in order.

    Args:
        path: A file, an index of shards, a config beside them, or a folder.

    Raises:
        UserError: There is nothing that a worker can load.
    """
    if path.is_file() and path.suffix in (_SAFETENSORS, *_TORCH):
        return (str(path.resolve()),)
    folder = path if path.is_dir() else path.parent
    index = path if path.name.endswith(_INDEX) else next(iter(sorted(folder.glob(f"*{_INDEX}"))), None)
    found = _in_folder(folder) if index is None else _listed(index)
    if not found:
        raise UserError("weights.no_files", path=str(path))
    return tuple(str(file.resolve()) for file in found)


def _in_folder(folder: Path) -> list[Path]:
    """Safetensors go before torch files: a folder that has both has the same values twice."""
    for suffixes in ((_SAFETENSORS,), _TORCH):
        found = [
            file
            for file in sorted(folder.iterdir())
            if file.is_file() and file.suffix in suffixes and not file.name.startswith(_OTHERS)
        ]
        if found:
            return found
    return []


def _listed(index: Path) -> list[Path]:
    """The shards that an index names; a name that leaves the folder is none of them."""
    try:
        if index.stat().st_size > _MOST_INDEX_BYTES:
            return []
        names = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return []
    shards = [index.parent / name for name in names if isinstance(name, str) and name == Path(name).name]
    return [shard for shard in shards if shard.is_file()]
