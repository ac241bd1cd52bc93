"""Where in a torch checkpoint the model is, and where the optimizer.

Training scripts nest state dicts as they like. The rules:

* a dict with ``state`` and ``param_groups`` is an optimizer, wherever it stands; so is one with
  ``state`` alone under a key that says so;
* the keys of :data:`NOT_MODEL` (schedulers, gradient scalers, random states, callbacks, settings), in
  the outer two levels, hold no model;
* a pickled ``nn.Module`` says itself what is a parameter and what a buffer;
* a copy under a key that names an average (``ema``, ``shadow_params``) counts only where there is
  nothing else;
* every other tensor belongs to the model, at any depth.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from optmem_gui.checkpoints.pickle_values import Made, Value
from optmem_gui.checkpoints.torch_values import Tensor

NOT_MODEL = re.compile(
    r"optim\w*|\w*optimizer\w*|\w*sched\w*|(grad_?)?scaler\w*|amp|\w*rng\w*|random\w*|numpy|callbacks|loops"
    r"|hyper_?param\w*|hparams\w*|args|config|cfg|opt|metrics|history|train_state|dataloader\w*|data_loader\w*"
    r"|rerun_state_machine\w*|client_state\w*|ds_config",
    re.IGNORECASE,
)
MASTERS = frozenset(
    [
        "master_weights",
        "single_partition_of_fp32_groups",  # DeepSpeed ZeRO 1 and 2
        "fp32_flat_groups",  # DeepSpeed ZeRO 3
        "fp32_groups_flat",  # DeepSpeed FP16_Optimizer
        "fp32_groups",
        "fp32_from_fp16_params",  # Megatron-LM, apex
        "fp32_from_float16_params",
    ]
)
"""Keys under which trainers save separate master weights."""

MAX_DEPTH = 100
"""Levels of nesting that are followed; real checkpoints use fewer than 30."""

_AVERAGE = re.compile(r"(^|[_.])ema([_.]|$)|shadow|averaged", re.IGNORECASE)
_CONTAINERS = frozenset(
    ["model", "module", "net", "network", "weights", "params", "generator", "ema", "model_ema", "ema_model"]
)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A tensor and the keys that lead to it.

    Attributes:
        path: Keys from the root.
        tensor: The tensor.
        parameter: What the module that owns it says; None where only a name is known.
    """

    path: tuple[str, ...]
    tensor: Tensor
    parameter: bool | None = None


@dataclass(slots=True)
class Tree:
    """What was found.

    Attributes:
        model: Tensors of the model, in file order.
        averages: Tensors of averaged copies.
        other_count: Elements of tensors that belong to neither model nor optimizer.
        optimizers: Optimizer state dicts.
        param_shapes: Names and shapes that DeepSpeed ZeRO stores beside partitioned weights.
        frozen_shapes: The same for parameters that are not trained.
        buffer_names: What DeepSpeed says are buffers.
        masters: Tensors of separate master weights.
    """

    model: list[Leaf] = field(default_factory=list)
    averages: list[Leaf] = field(default_factory=list)
    other_count: int = 0
    optimizers: list[Mapping[Value, Value]] = field(default_factory=list)
    param_shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    frozen_shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    buffer_names: frozenset[str] = frozenset()
    masters: list[Tensor] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Stop:
    """One place still to be visited."""

    path: tuple[str, ...]
    value: Value
    parameter: bool | None = None
    model: bool = True
    average: bool = False
    master: bool = False


def search(root: Value, check: Callable[[], None] = lambda: None) -> Tree:
    """Visit everything once, without recursion, in file order.

    Args:
        root: The object a checkpoint's pickle describes.
        check: Called now and then; may raise to stop.
    """
    tree = Tree()
    todo: list[Iterator[_Stop]] = [iter((_Stop((), root),))]  # of each level what is left of it
    seen: set[int] = set()
    visits = 0
    while todo:
        stop = next(todo[-1], None)
        if stop is None:
            todo.pop()
            continue
        visits += 1
        if visits % 10_000 == 0:
            check()
        value = stop.value
        if isinstance(value, Tensor):
            _keep(tree, stop, value)
        elif len(stop.path) > MAX_DEPTH:
            continue
        elif isinstance(value, (dict, list, tuple, Made)) and id(value) not in seen:
            seen.add(id(value))
            todo.append(_children(tree, stop))
    return tree


def _keep(tree: Tree, stop: _Stop, tensor: Tensor) -> None:
    if stop.master:
        tree.masters.append(tensor)
        return
    if not stop.model:
        tree.other_count += tensor.numel
        return
    known = True if tensor.parameter else stop.parameter
    (tree.averages if stop.average else tree.model).append(Leaf(stop.path, tensor, known))


def _children(tree: Tree, stop: _Stop) -> Iterator[_Stop]:
    """What may hold tensors inside a value; numbers, texts and empty containers do not."""
    value = stop.value
    if isinstance(value, Made):
        yield from _inside_object(tree, stop, value)
    elif isinstance(value, dict):
        if _is_optimizer(value, stop):
            tree.optimizers.append(value)
            return
        yield from (_step(tree, stop, key, item) for key, item in value.items() if _may_hold(item))
    else:
        yield from (_at(stop, str(index), item) for index, item in enumerate(value) if _may_hold(item))


def _may_hold(item: Value) -> bool:
    return isinstance(item, (Tensor, Made)) or (isinstance(item, (dict, list, tuple)) and bool(item))


def _is_optimizer(value: dict[Value, Value], stop: _Stop) -> bool:
    if "param_groups" in value:
        return "state" in value
    return isinstance(value.get("state"), dict) and any("optim" in key.lower() for key in stop.path)


def _step(tree: Tree, stop: _Stop, key: Value, item: Value) -> _Stop:
    """One key further down, with what the key says about what lies below."""
    name = key if isinstance(key, str) else str(key)
    if not stop.path:
        _beside_weights(tree, name, item)
        if name == "frozen_param_fragments":  # a second copy of what stands among the weights
            return _Stop((name,), None)
    if name == "base_optimizer_state" and isinstance(item, list):  # one entry a group, laid end to end
        tree.optimizers.append({"state": dict(enumerate(item)), "param_groups": []})
        return _Stop((*stop.path, name), None)
    outer = len(stop.path) < 2 and not isinstance(item, Tensor)
    model = stop.model and not (outer and NOT_MODEL.fullmatch(name))
    average = stop.average or (outer and bool(_AVERAGE.search(name)))
    master = stop.master or name in MASTERS
    return _Stop((*stop.path, name), item, stop.parameter, model, average, master)


def _beside_weights(tree: Tree, name: str, item: Value) -> None:
    """What DeepSpeed's engine writes beside the weights (``deepspeed/runtime/engine.py``)."""
    if name == "param_shapes":
        tree.param_shapes = _shapes(item)
    elif name == "frozen_param_shapes":
        tree.frozen_shapes = _shapes(item)
    elif name == "buffer_names" and isinstance(item, (list, tuple)):
        tree.buffer_names = frozenset(each for each in item if isinstance(each, str))


def _at(stop: _Stop, name: str, item: Value, parameter: bool | None = None) -> _Stop:
    known = stop.parameter if parameter is None else parameter
    return _Stop((*stop.path, name), item, known, stop.model, stop.average, stop.master)


def _inside_object(tree: Tree, stop: _Stop, made: Made) -> Iterator[_Stop]:
    state = made.state[0] if isinstance(made.state, tuple) and made.state else made.state
    if isinstance(state, dict) and {"state", "param_groups"} <= state.keys():
        tree.optimizers.append(state)  # a pickled optimizer; its parameters are the model's
        return
    if isinstance(state, dict) and isinstance(state.get("_modules"), (dict, Made)):
        yield from _members(stop, state.get("_parameters"), True)
        yield from _members(stop, state.get("_buffers"), False)
        yield from _members(stop, state.get("_modules"), None)
        return
    inner: list[Iterable[tuple[Value, Value]]] = [made.items.items(), enumerate(made.elements)]
    if isinstance(state, dict):
        inner.append(state.items())
    elif isinstance(state, (tuple, list, Made, Tensor)):
        inner.append((("state", state),))
    if isinstance(made.args, (tuple, list)):
        inner.append(enumerate(made.args))
    yield from (_at(stop, str(key), item) for items in inner for key, item in items if _may_hold(item))


def _members(stop: _Stop, members: Value, parameter: bool | None) -> Iterator[_Stop]:
    table = members.items if isinstance(members, Made) else members
    for name, item in table.items() if isinstance(table, dict) else ():
        if _may_hold(item):
            yield _at(stop, str(name), item, parameter)


def _shapes(value: Value) -> dict[str, tuple[int, ...]]:
    """DeepSpeed's ``param_shapes``: a list of dicts from name to shape."""
    shapes: dict[str, tuple[int, ...]] = {}
    for table in value if isinstance(value, (list, tuple)) else [value]:
        if not isinstance(table, dict):
            continue
        for name, shape in table.items():
            whole = isinstance(shape, (tuple, list)) and all(type(n) is int and 0 <= n < 2**63 for n in shape)
            if isinstance(name, str) and whole:
                shapes[name] = tuple(shape)
    return shapes


def names(leaves: list[Leaf]) -> list[str]:
    """Dotted names, without the keys of the containers that all of them share."""
    drop = 0
    while leaves and all(len(leaf.path) > drop + 1 for leaf in leaves):
        first = leaves[0].path[drop]
        if first not in _CONTAINERS and not first.endswith("state_dict"):
            break
        if any(leaf.path[drop] != first for leaf in leaves):
            break
        drop += 1
    return [".".join(leaf.path[drop:]) or "tensor" for leaf in leaves]
