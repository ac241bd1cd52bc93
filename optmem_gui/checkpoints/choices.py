"""What the numbers of a checkpoint mean, and the choices that change it: weights, freezing, ties."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from optmem_gui.checkpoints.checkpoint import Checkpoint
from optmem_gui.checkpoints.contents import Row, refused, remark, shown
from optmem_gui.checkpoints.inventory import Inventory, Kind, take_inventory
from optmem_gui.checkpoints.names import EMA_ROOTS, Part
from optmem_gui.core.reasons import Reason

Weights = Literal["model", "average"]

RULES: tuple[Reason, ...] = tuple(
    Reason(f"checkpoint.rule.{name}") for name in ("auxiliary", "buffers", "ties", "trainable")
)
"""The rules that tell parameters, buffers and bookkeeping apart, in words."""


@dataclass(frozen=True, slots=True)
class Choices:
    """How a checkpoint is to be understood.

    Attributes:
        weights: The model's own weights, or their averaged copy (EMA).
        frozen: Regular expression searched for in names: what it finds is not trained; empty for none.
        tied: Tensors that share storage count once; False counts each on its own.
    """

    weights: Weights = "model"
    frozen: str = ""
    tied: bool = True


def apply(checkpoint: Checkpoint, choices: Choices) -> Checkpoint:
    """The same checkpoint, understood as chosen; nothing is read again.

    Raises:
        UserError: No averaged copy is there, or the pattern is no regular expression.
    """
    if choices.weights == "average":
        checkpoint = _averaged(checkpoint)
    if not choices.tied and checkpoint.tied:
        checkpoint = _untied(checkpoint)
    if choices.frozen:
        checkpoint = _frozen(checkpoint, choices.frozen)
    return checkpoint


def has_average(checkpoint: Checkpoint) -> bool:
    """Whether there is an averaged copy to choose."""
    return bool(checkpoint.averages or _averages_among(checkpoint))


def _averages_among(checkpoint: Checkpoint) -> list[Row]:
    """Averaged tensors that stand among the others under a name of their own."""
    return [
        (next(name.removeprefix(root) for root in EMA_ROOTS if name.startswith(root)), shape, dtype)
        for name, shape, dtype in checkpoint.inventory.rows
        if name.startswith(EMA_ROOTS)
    ]


def _averaged(checkpoint: Checkpoint) -> Checkpoint:
    rows = list(checkpoint.averages) or _averages_among(checkpoint)
    if not rows:
        raise refused("checkpoint.no_average", file=shown(checkpoint.path))
    inventory = take_inventory(rows, {}, checkpoint.inventory.packing)
    return replace(
        checkpoint,
        inventory=inventory,
        tied=(),
        averages=(),
        tensor_bytes=_bytes(inventory),
        warnings=(*checkpoint.warnings, remark("checkpoint.average_chosen")),
    )


def _bytes(inventory: Inventory) -> int:
    return sum(kind.count * kind.stored_dtype.bytes_for(kind.stored_count) for kind in inventory.kinds)


def _untied(checkpoint: Checkpoint) -> Checkpoint:
    """Count every tied tensor on its own, as the kind of the one that it shares storage with."""
    inventory = checkpoint.inventory
    at = {row[0]: index for index, row in enumerate(inventory.rows)}
    kinds = [replace(kind) for kind in inventory.kinds]
    rows, places = list(inventory.rows), list(inventory.places)
    added = 0
    for other, owner in checkpoint.tied:
        index = at.get(owner)
        if index is None:
            continue
        _, shape, dtype = inventory.rows[index]
        kind = replace(kinds[inventory.places[index]], name=other, count=1)
        kinds.append(kind)
        rows.append((other, shape, dtype))
        places.append(len(kinds) - 1)
        added += 1
    whole = Inventory(rows, kinds, places, inventory.packing)
    return replace(
        checkpoint,
        inventory=whole,
        tied=(),
        tensor_bytes=_bytes(whole),
        warnings=(*checkpoint.warnings, remark("checkpoint.untied", count=added)),
    )


def _frozen(checkpoint: Checkpoint, pattern: str) -> Checkpoint:
    """Freeze the parameters whose name the pattern finds; kinds are split where it finds only some."""
    try:
        wanted = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise refused("checkpoint.freeze_pattern", given=pattern, why=str(error)) from None
    inventory = checkpoint.inventory
    kinds = [replace(kind, count=0) for kind in inventory.kinds]
    split: dict[int, int] = {}
    places = []
    for (name, _, _), found in zip(inventory.rows, inventory.places, strict=True):
        kind, place = kinds[found], found
        if kind.part is Part.PARAMETER and kind.trainable and wanted.search(name):
            place = split.setdefault(found, len(kinds))
            if place == len(kinds):
                kinds.append(replace(kind, name=name, trainable=False, count=0))
        kinds[place].count += 1
        places.append(place)
    return replace(checkpoint, inventory=_in_order(inventory, kinds, places))


def _in_order(inventory: Inventory, kinds: list[Kind], places: list[int]) -> Inventory:
    """The kinds that something is left of, in the order in which they first appear."""
    new: Mapping[int, int] = {old: index for index, old in enumerate(dict.fromkeys(places))}
    return Inventory(
        inventory.rows, [kinds[old] for old in new], [new[place] for place in places], inventory.packing
    )
