"""From stored tensors to a checkpoint: what it is, what it holds, and what to warn about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from optmem_gui.checkpoints.checkpoint import Checkpoint
from optmem_gui.checkpoints.contents import NOTHING_PACKED, Contents, Reading, remark
from optmem_gui.checkpoints.inventory import Inventory, take_inventory
from optmem_gui.checkpoints.packed import QUANTISED_TYPES, find_packing
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
    tied_head: bool = False,
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
        tied_head: The model's class ties its head to the token embedding, whatever the file holds.
    """
    contents = _plain_names(contents)
    if tied_head:
        contents = _tie_head(contents)
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
        averages=contents.averages,
    )


def _sorted(contents: Contents, config: Mapping[str, Any]) -> Inventory:
    """Sort the rows; only where a stored type can hold quantised weights, look for them and sort again."""
    if contents.packing is not NOTHING_PACKED:
        return take_inventory(contents.rows, contents.known, contents.packing)
    inventory = take_inventory(contents.rows, contents.known, NOTHING_PACKED)
    if any(kind.stored_dtype.id in QUANTISED_TYPES for kind in inventory.kinds):
        packing = find_packing(contents.rows, config)
        if packing.weights or packing.companions:
            return take_inventory(contents.rows, contents.known, packing)
    return inventory


_HEADS = ("lm_head.weight", "embed_out.weight", "language_model.lm_head.weight")
_EMBEDDINGS = (
    "model.embed_tokens.weight",
    "transformer.wte.weight",
    "gpt_neox.embed_in.weight",
    "model.decoder.embed_tokens.weight",
    "transformer.word_embeddings.weight",
    "model.language_model.embed_tokens.weight",
    "language_model.model.embed_tokens.weight",
)


def _tie_head(contents: Contents) -> Contents:
    """Count a head once that was saved although the class ties it to the embedding, as Qwen3-0.6B's was.

    Loading ties it again, so training holds one of the two.
    """
    shapes = {row[0]: row[1] for row in contents.rows if row[0] in _HEADS or row[0] in _EMBEDDINGS}
    for head in _HEADS:
        for embedding in _EMBEDDINGS:
            if head in shapes and shapes[head] == shapes.get(embedding):
                return replace(
                    contents,
                    rows=[row for row in contents.rows if row[0] != head],
                    tied=(*contents.tied, (head, embedding)),
                    warnings=(
                        *contents.warnings,
                        remark("checkpoint.head_saved", head=head, embedding=embedding),
                    ),
                )
    return contents


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
