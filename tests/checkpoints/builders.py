"""Checkpoint files written byte by byte, so that a test decides about every one of them."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from optmem_gui.checkpoints.checkpoint import Checkpoint
from optmem_gui.checkpoints.opening import open_checkpoint
from optmem_gui.core.errors import UserError

Entries = Mapping[str, tuple[str, list[int]]]

_BITS = {"F64": 64, "F32": 32, "F16": 16, "BF16": 16, "I64": 64, "I32": 32, "U8": 8, "I8": 8, "F8_E4M3": 8}
_BITS |= {"U32": 32, "I16": 16, "F8_E8M0": 8, "BOOL": 8}


FIRST = {"embed": ("BF16", [100, 10])}
SECOND = {"lm_head": ("BF16", [100, 10]), "norm": ("BF16", [10])}
NAMES = ("model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors")
WEIGHT_MAP = {"embed": NAMES[0], "lm_head": NAMES[1], "norm": NAMES[1]}
TOTAL, TOTAL_BYTES = 2010, 4020
"""Two shards of 1000 + 1000 + 10 parameters in bf16."""


def header_of(entries: Entries, **extra: object) -> dict[str, Any]:
    """A safetensors header with the tensors one after another."""
    header, end = dict[str, Any](extra), 0
    for name, (dtype, shape) in entries.items():
        size = _BITS[dtype]
        for dimension in shape:
            size *= dimension
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + size // 8]}
        end += size // 8
    return header


def data_size(header: Mapping[str, Any]) -> int:
    """Bytes of data that a header promises."""
    ends = [entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"]
    return max(ends, default=0)


def write_raw(path: Path, header: bytes, data_bytes: int, *, length: int | None = None) -> Path:
    """A safetensors file of any header text; its data is a hole in the file."""
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(header) if length is None else length) + header)
        file.truncate(file.tell() + data_bytes)
    return path


def write_safetensors(path: Path, entries: Entries, **extra: object) -> Path:
    """A valid safetensors file."""
    header = header_of(entries, **extra)
    return write_raw(path, json.dumps(header).encode(), data_size(header))


def write_zip(path: Path, pickled: bytes, storages: Mapping[str, bytes] | None = None) -> Path:
    """A torch zip around any pickle."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", pickled)
        for key, data in (storages or {}).items():
            archive.writestr(f"archive/data/{key}", data)
        archive.writestr("archive/version", "3\n")
    return path


def write_index(folder: Path, weight_map: Mapping[str, str], **metadata: object) -> Path:
    """A ``model.safetensors.index.json``."""
    path = folder / "model.safetensors.index.json"
    path.write_text(json.dumps({"metadata": metadata, "weight_map": dict(weight_map)}), encoding="utf-8")
    return path


def refusal(path: Path) -> UserError:
    """The error that opening a path ends in; it is one line and names the file."""
    try:
        open_checkpoint(path)
    except UserError as error:
        text = str(error)
        assert "\n" not in text
        assert len(text) < 600
        return error
    raise AssertionError(f"{path} was opened")


def codes(checkpoint: Checkpoint) -> set[str]:
    """The warnings' codes without their area."""
    for reason in checkpoint.warnings:
        assert str(reason)
    return {reason.key.partition(".")[2] for reason in checkpoint.warnings}
