"""From stored tensors to a checkpoint: what it is, what it holds, and what to warn about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from optmem_gui.checkpoints.checkpoint import Checkpoint
from optmem_gui.checkpoints.contents import Contents, Reading
from optmem_gui.checkpoints.inventory import Inventory, take_inventory
from optmem_gui.checkpoints.packed import NOTHING_PACKED, QUANTISED_TYPES, find_packing
from optmem_gui.checkpoints.remarks import model_warnings, packing_warnings
from optmem_gui.core.model import Source
from optmem_gui.core.transformer import TransformerShape


def assemble(
    contents: Contents,
    *,
    title: str,
    path: Path,
    format_id: str,
    reading: Reading,
    config: Mapping[str, Any] | None = None,
    architecture: TransformerShape | None = None,
) -> Checkpoint:
    """Tell parameters, buffers and bookkeeping apart and describe the whole.

    Args:
        contents: What a reader found.
        title: What to call the model.
        path: File or folder that was opened.
        format_id: Id of the format.
        reading: The opening under way, for its count of bytes.
        config: The folder's ``config.json``, if any: it says how weights are packed.
        architecture: Transformer dimensions from that config.
    """
    contents = _plain_names(contents)
    inventory = _sorted(contents, config or {})
    return Checkpoint(
        inventory=inventory,
        title=title,
        source=Source.FILE,
        format=format_id,
        path=path,
        tied=contents.tied,
        architecture=architecture,
        file_bytes=contents.file_bytes,
        tensor_bytes=contents.tensor_bytes,
        optimizer=contents.optimizer,
        complete=contents.complete,
        warnings=(
            *contents.warnings,
            *packing_warnings(inventory),
            *model_warnings(inventory, contents),
        ),
        bytes_read=reading.read_bytes,
        file_count=contents.file_count,
    )


def _sorted(contents: Contents, config: Mapping[str, Any]) -> Inventory:
    """Sort the rows; only where a stored type can hold quantised weights, look for them and sort again."""
    inventory = take_inventory(contents.rows, contents.known, NOTHING_PACKED)
    if any(kind.stored_dtype.id in QUANTISED_TYPES for kind in inventory.kinds):
        packing = find_packing(contents.rows, config)
        if packing.weights or packing.companions:
            return take_inventory(contents.rows, contents.known, packing)
    return inventory


def _plain_names(contents: Contents) -> Contents:
    """Undo what wrappers put into names: ``module.`` of DDP, ``_orig_mod.`` of ``torch.compile``."""
    rows = contents.rows
    wrapped = bool(rows) and all(row[0].startswith("module.") for row in rows)
    if not wrapped and not any("_orig_mod." in row[0] for row in rows):
        return contents

    def plain(name: str) -> str:
        return (name.removeprefix("module.") if wrapped else name).replace("_orig_mod.", "")

    return replace(
        contents,
        rows=[(plain(name), shape, dtype) for name, shape, dtype in rows],
        tied=tuple((plain(other), plain(name)) for other, name in contents.tied),
        known={plain(name): known for name, known in contents.known.items()},
    )
