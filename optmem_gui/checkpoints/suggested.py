"""The scenario that the state of an optimizer in a checkpoint tells: implementation, options, precision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from optmem_gui.checkpoints.checkpoint import Checkpoint
from optmem_gui.checkpoints.names import Part

if TYPE_CHECKING:
    from optmem_gui.core.scenario import Options

_PURE = ("fp32", "bf16", "fp16")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What to set.

    Attributes:
        optimizer: Id in the catalogue.
        options: Options that differ from its defaults.
        precision: Id of the precision scheme; None where the file fits more than one.
    """

    optimizer: str
    options: Options
    precision: str | None


def suggested(checkpoint: Checkpoint) -> Suggestion | None:
    """What the file's optimizer would be as a scenario; None where no implementation fits.

    The precision follows from two types that the file holds. 16-bit weights beside separate fp32 ones are a
    scheme with master weights; weights and state of one type are that type throughout. Anything else (bf16
    weights with fp32 state, say) can come from several schemes, and none is chosen.
    """
    found = checkpoint.optimizer
    if found is None or found.match is None:
        return None
    weights = _most(_trained(checkpoint))
    state = _most(found.dtypes)
    precision = None
    if found.master_count and weights in ("bf16", "fp16"):
        precision = f"{weights}-master"
    elif weights == state and weights in _PURE:
        precision = weights
    return Suggestion(found.match.id, found.match.options, precision)


def _trained(checkpoint: Checkpoint) -> dict[str, int]:
    counts: dict[str, int] = {}
    for kind in checkpoint.inventory.of(Part.PARAMETER):
        if kind.trainable:
            counts[kind.dtype.id] = counts.get(kind.dtype.id, 0) + kind.param_count
    return counts


def _most(counts: Mapping[str, int]) -> str:
    return max(counts, key=lambda dtype: counts[dtype], default="")
