"""Folders of accelerate's ``save_state`` with sharded FSDP: model and optimizers in folders of their own.

Source: ``accelerate/utils/fsdp_utils.py`` and ``constants.py`` of accelerate 1.15.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from optmem_gui.checkpoints import distributed
from optmem_gui.checkpoints.contents import Contents, Reading

_MODEL = "pytorch_model_fsdp_"
_OPTIMIZER = "optimizer_"


def sniff(files: Collection[str], folders: Collection[str]) -> bool:
    """Whether a folder has a sharded model in it."""
    return any(name.startswith(_MODEL) for name in folders)


def read(folder: Path, reading: Reading) -> Contents:
    """Read the first model and its optimizer.

    Raises:
        UserError: One of them is damaged.
    """
    names = sorted(path.name for path in folder.iterdir() if (path / distributed.INDEX).is_file())
    model = next((name for name in names if name.startswith(_MODEL)), _MODEL)
    contents = distributed.read(folder / model, reading)
    optimizer = f"{_OPTIMIZER}{model.removeprefix(_MODEL)}"
    if optimizer not in names:
        return contents
    other = distributed.read(folder / optimizer, reading)
    kept = [reason for reason in other.warnings if reason not in contents.warnings]
    return replace(
        contents,
        optimizer=other.optimizer,
        warnings=(*contents.warnings, *kept),
        complete=contents.complete and other.complete,
        file_bytes=contents.file_bytes + other.file_bytes,
        file_count=contents.file_count + other.file_count,
    )
