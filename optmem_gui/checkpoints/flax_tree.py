"""What the arrays in a tree of JAX are: parameters, statistics, optimizer state, averages.

Trees are named by convention: ``params`` and ``batch_stats`` of Flax's ``variables``, ``opt_state`` of its
``TrainState``, ``mu``, ``nu`` and ``trace`` of Optax. A tree without ``params`` is taken as parameters whole,
which is what Hugging Face saves.

Sources: ``flax/training/train_state.py``, ``flax/linen/module.py``, ``optax/_src/transform.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import prod

from optmem_gui.checkpoints.contents import Contents, Known, Row, refused, remark
from optmem_gui.checkpoints.dtypes import TORCH
from optmem_gui.checkpoints.slots import Variable, describe
from optmem_gui.core.dtypes import DTYPES, DType
from optmem_gui.core.model import Shape
from optmem_gui.core.reasons import Reason

Path = tuple[str, ...]
Leaf = tuple[Path, Shape, DType]

_OPTIMIZERS = frozenset(("opt_state", "opt_states", "optimizer", "optimizer_state", "opt"))
_PARAMS = frozenset(("params", "model", "model_params", "params_axes"))
_AVERAGES = frozenset(("ema_params", "params_ema", "ema", "ema_state", "averaged_params", "target_params"))
_OTHERS = frozenset(("step", "steps", "rng", "rngs", "dropout_rng", "key", "prng_key", "rng_key", "metrics"))
_STATES = frozenset(
    (
        "mu",
        "nu",
        "nu_max",
        "trace",
        "ema",
        "sum_of_squares",
        "v",
        "v_row",
        "v_col",
        "m",
        "acc_grads",
        "e_g",
        "e_x",
        "slow",
        "z",
        "momentum",
        "velocity",
        "accumulator",
        "diagonal",
    )
)
"""Names of state trees in Optax 0.2 and Keras 3."""

_WRAPPERS = frozenset(("value", "raw_value"))
"""What ``flax.nnx`` puts at the end of a path."""

_TYPES: dict[str, DType] = TORCH | {
    "int4": DTYPES["int8"],
    "uint4": DTYPES["uint8"],
    "float8_e4m3": DTYPES["fp8_e4m3"],
    "float8_e4m3b11fnuz": DTYPES["fp8_e4m3fnuz"],
}


def element_type(name: str) -> DType | None:
    """The type that NumPy or ``ml_dtypes`` calls so; 4-bit ones take a byte an element there."""
    return _TYPES.get(name)


@dataclass(slots=True)
class _Sorted:
    rows: list[Row] = field(default_factory=list)
    known: dict[str, Known] = field(default_factory=dict)
    optimizer: list[Variable] = field(default_factory=list)
    average_count: int = 0
    other_count: int = 0


def tree_contents(
    leaves: Sequence[Leaf], file_bytes: int, warnings: Iterable[Reason] = (), *, complete: bool = True
) -> Contents:
    """Everything a tree holds.

    Args:
        leaves: Its arrays with their paths.
        file_bytes: Size on disk.
        warnings: What is known about the reading already.
        complete: Everything was there.
    """
    found = _sort(leaves)
    trained = [row for row in found.rows if row[0] not in found.known and row[2].is_floating]
    remarks = list(warnings)
    if found.average_count:
        remarks.append(remark("checkpoint.average_ignored", count=found.average_count))
    if found.other_count:
        remarks.append(remark("checkpoint.other_tensors", count=found.other_count))
    return Contents(
        found.rows,
        (),
        found.known,
        describe(found.optimizer, "", ("optax",), trained),
        tuple(remarks),
        complete,
        file_bytes,
        sum(dtype.bytes_for(prod(shape)) for _, shape, dtype in found.rows),
    )


def _sort(leaves: Sequence[Leaf]) -> _Sorted:
    found = _Sorted()
    collections = any("params" in path[:-1] for path, _, _ in leaves)
    used: set[str] = set()
    scaled = {path[:-1] for path in map(_bare, (leaf[0] for leaf in leaves)) if path[-1] in ("scale", "bias")}
    for path, shape, dtype in leaves:
        place = _first(path, _OPTIMIZERS)
        if place is not None and (collections or place == 0):
            found.optimizer.append(Variable(_state(path[place + 1 :]), shape, dtype))
            continue
        if collections and _first(path, _AVERAGES) is not None:
            found.average_count += prod(shape)
            continue
        if collections and path[0] in _OTHERS:
            found.other_count += prod(shape)
            continue
        name = _name(path, collections=collections)
        if name in used:
            name = ".".join(path)
        if name in used:
            raise refused("checkpoint.duplicate_name", file=path[0], name=name)
        used.add(name)
        found.rows.append((name, shape, dtype))
        bare = _bare(path)
        statistic = bare[-1] in ("mean", "var") and bare[:-1] in scaled  # of nnx.BatchNorm
        if "batch_stats" in path or statistic or (collections and not _PARAMS.intersection(path)):
            found.known[name] = Known(False)
    return found


def _name(path: Path, *, collections: bool) -> str:
    """A parameter's name: its path without the collection it is in."""
    inner = _bare(path)
    if collections and "params" in inner[:-1]:
        inner = inner[inner.index("params") + 1 :]
    return ".".join(inner)


def _bare(path: Path) -> Path:
    return path[:-1] if len(path) > 1 and path[-1] in _WRAPPERS else path


def _first(path: Path, names: frozenset[str]) -> int | None:
    return next((index for index, part in enumerate(path) if part in names), None)


def _state(path: Path) -> str:
    """The state that an array below an optimizer is part of: ``0.mu.Dense_0.kernel`` is ``mu``."""
    return next((part for part in path if part in _STATES), "")
