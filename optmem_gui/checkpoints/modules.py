"""A checkpoint's tensors by the modules that hold them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import prod

from optmem_gui.checkpoints.checkpoint import Checkpoint
from optmem_gui.checkpoints.inventory import Inventory, Kind
from optmem_gui.checkpoints.names import Part
from optmem_gui.core.module_tree import ModuleTree, TensorKind
from optmem_gui.core.trainable import ALL

_PARTS = {Part.BUFFER: "buffer", Part.AUXILIARY: "bookkeeping"}


def module_tree(checkpoint: Checkpoint, trained: str = "") -> ModuleTree:
    """The stored tensors as a tree; ties count once, as everywhere.

    Args:
        checkpoint: What was read, understood as chosen.
        trained: Pattern of the parameters that are trained; empty as the checkpoint says.
    """
    inventory = checkpoint.inventory
    names = [name for name, _, _ in inventory.rows]
    if not trained:
        kinds = [_kind(kind, trained=kind.trainable) for kind in inventory.kinds]
        return ModuleTree(names, inventory.places, kinds)
    both = [_kind(kind, trained=yes) for kind in inventory.kinds for yes in (False, True)]
    return ModuleTree(names, list(_places(inventory, trained)), both)


def _places(inventory: Inventory, trained: str) -> Iterable[int]:
    """Each kind stands twice, frozen and trained; the name decides."""
    wanted = re.compile("" if trained == ALL else trained)
    weights, kinds = inventory.packing.weights, inventory.kinds
    for (name, _, _), place in zip(inventory.rows, inventory.places, strict=True):
        kind = kinds[place]
        logical = weights[name].name if kind.packed else name
        yield 2 * place + (kind.dtype.is_floating and wanted.search(logical) is not None)


def _kind(kind: Kind, *, trained: bool) -> TensorKind:
    is_parameter = kind.part is Part.PARAMETER
    return TensorKind(
        _PARTS.get(kind.part, "parameter" if trained else "frozen"),
        kind.role,
        kind.shape,
        kind.dtype.id,
        kind.stored_dtype.id,
        prod(kind.shape) if is_parameter else 0,
        kind.stored_dtype.bytes_for(kind.stored_count),
    )
