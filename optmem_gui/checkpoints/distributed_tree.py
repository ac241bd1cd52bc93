"""From the flat names of a distributed checkpoint back to a model and the state dicts of optimizers."""

from __future__ import annotations

from collections.abc import Mapping

from optmem_gui.checkpoints.pickle_values import Made, Symbol, Value
from optmem_gui.checkpoints.torch_values import Tensor

Table = dict[Value, Value]

OBJECT = Made(Symbol("object"))
"""Stands for a saved object that is no tensor and whose value was not read."""

MASTERS = frozenset(("fp32_param", "master_param", "master_weights", "param"))
"""What trainers call separate master weights among optimizer state."""

_STATES_FIRST = MASTERS | {"exp_avg", "exp_avg_sq", "max_exp_avg_sq", "momentum_buffer", "step"}
"""Megatron-Core writes ``state.<state>.<parameter>``; others write ``state.<parameter>.<state>``."""

_OPTIMIZERS = ("optimizer.", "optim.", "chained_0.optimizer.")


def nested(tensors: Mapping[str, Tensor | None], paths: Mapping[str, tuple[Value, ...]]) -> Table:
    """The state dict that was saved, with :data:`OBJECT` where it held no tensor.

    Args:
        tensors: Every entry by its flat name.
        paths: Keys that lead to it, where the index says so; the name alone elsewhere.
    """
    root: Table = {}
    for name, tensor in tensors.items():
        path = paths.get(name, ())
        if len(path) < 2:
            path = _split(name)
        at = root
        for key in path[:-1]:
            below = at.setdefault(_plain(key), {})
            at = below if isinstance(below, dict) else {}
        at[_plain(path[-1])] = OBJECT if tensor is None else tensor
    for key, value in root.items():
        if isinstance(value, dict) and isinstance(key, str) and "optim" in key.lower():
            root[key] = _optimizer(value)
    return root


def _plain(key: Value) -> Value:
    return key if isinstance(key, (str, int)) else str(type(key))


def _split(name: str) -> tuple[str, ...]:
    """A flat name without a path: only optimizers are told from the model, by how they begin."""
    for prefix in _OPTIMIZERS:
        if name.startswith(prefix):
            return ("optimizer", name.removeprefix(prefix))
    return (name,)


def _optimizer(table: Table) -> Table:
    """A state dict as optimizers write it, also where its keys were joined by dots."""
    state: Table = {}
    groups: Table = {}
    masters: Table = {}
    rest: Table = {}
    for key, value in table.items():
        kind, _, inner = key.partition(".") if isinstance(key, str) else ("", "", "")
        if key == "state" and isinstance(value, dict):
            state.update(value)
        elif key == "param_groups" and isinstance(value, dict):
            groups.update(value)
        elif kind == "state" or (kind == "distributed" and isinstance(value, Tensor)):
            owner, name = _owner_and_state(inner)
            (masters if name in MASTERS else state.setdefault(owner, {}))[
                owner if name in MASTERS else name
            ] = value
        elif kind == "param_groups":
            groups.setdefault(0, {})[inner.rpartition(".")[2]] = value
        else:
            rest[key] = value
    if not state and not groups:
        return table
    found: Table = {**rest, "state": state, "param_groups": list(groups.values())}
    return {"state_dict": found, "master_weights": masters} if masters else found


def _owner_and_state(inner: str) -> tuple[str, str]:
    first, _, owner = inner.partition(".")
    if first in _STATES_FIRST and owner:
        return owner, first
    owner, _, name = inner.rpartition(".")
    return owner, name
