"""Checkpoints that other libraries saved, and what those libraries say is in them.

Made by ``tools/record_other_checkpoints.py``.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from optmem_gui.checkpoints.checkpoint import Checkpoint
from optmem_gui.core.dtypes import DTYPES
from optmem_gui.core.model import Shape

DATA = Path(__file__).parent / "data"
TYPES = {
    "float32": "fp32",
    "float64": "fp64",
    "float16": "fp16",
    "bfloat16": "bf16",
    "int64": "int64",
    "int32": "int32",
}
Rows = dict[str, tuple[Shape, str]]


def unpack(library: str, folder: Path) -> Path:
    """The checkpoints that a library saved."""
    with zipfile.ZipFile(DATA / f"{library}.zip") as archive:
        archive.extractall(folder)
    return folder


@cache
def said(library: str) -> Mapping[str, Any]:
    """What the library says of each."""
    document: dict[str, Any] = json.loads((DATA / f"{library}.json").read_text(encoding="utf-8"))
    checkpoints: dict[str, Any] = document["checkpoints"]
    return checkpoints


def rows(recorded: list[list[Any]]) -> Rows:
    """Recorded variables by name."""
    return {dots(name): (tuple(shape), TYPES.get(dtype, dtype)) for name, shape, dtype, _ in recorded}


def dots(name: str) -> str:
    """A recorded name as the program writes it; Keras begins some with the name of the whole model."""
    return re.sub(r":\d+$", "", name).replace("/", ".").removeprefix("sequential.")


def held(checkpoint: Checkpoint) -> Rows:
    """What the program found."""
    return {name: (shape, dtype.id) for name, shape, dtype in checkpoint.inventory.rows}


def trainable(checkpoint: Checkpoint) -> set[str]:
    """Names of the parameters that get a gradient."""
    return {parameter.name for parameter in checkpoint.spec.parameters if parameter.trainable}


def state_of(recorded: list[list[Any]]) -> tuple[int, int, int]:
    """Elements and bytes of the state tensors, and how many single numbers there are beside them."""
    tensors = [row for row in recorded if row[1]]
    elements = nbytes = 0
    for _, shape, dtype, _ in tensors:
        count = 1
        for size in shape:
            count *= size
        elements += count
        nbytes += DTYPES[TYPES[dtype]].bytes_for(count)
    return elements, nbytes, len(recorded) - len(tensors)
