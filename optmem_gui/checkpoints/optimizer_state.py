"""The optimizer in a checkpoint: which one it is, and how much it holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod

from optmem_gui.checkpoints.optimizer_found import (
    FROM_TRAINING,
    Entry,
    Groups,
    Held,
    OptimizerInFile,
    StateInFile,
)
from optmem_gui.checkpoints.pickle_values import Made, Value
from optmem_gui.checkpoints.torch_values import Tensor
from optmem_gui.core.dtypes import F32
from optmem_gui.core.model import Shape

COUNTERS = frozenset(("step", "mu_product", "eta", "mu", "func_evals", "n_iter", "t", "H_diag"))
"""State entries that are one number a parameter, not a tensor like it."""

MAX_DEPTH = 8
"""Levels of containers inside one parameter's state."""

MAX_IN_ENTRY = 4096
"""Tensors of one parameter's state that are looked at; a history of LBFGS has a few hundred."""

_KINDS: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (kind, frozenset(states.split()))
    for kind, states in (
        ("adafactor", "exp_avg_sq_row exp_avg_sq_col"),
        ("adafactor", "row_var col_var"),
        ("nadam", "exp_avg exp_avg_sq mu_product"),
        ("soap", "exp_avg exp_avg_sq GG"),
        ("adam", "exp_avg exp_avg_sq"),
        ("adam", "exp_avg.codes exp_avg_sq.codes"),
        ("adamax", "exp_avg exp_inf"),
        ("lion", "exp_avg"),
        ("adadelta", "square_avg acc_delta"),
        ("rmsprop", "square_avg"),
        ("rprop", "prev step_size"),
        ("adagrad", "sum"),
        ("asgd", "ax"),
        ("lbfgs", "old_dirs old_stps"),
        ("sgd-momentum", "momentum_buffer"),
        ("blockwise-8bit", "state1 absmax1"),
    )
)
"""First rule whose states are all there wins. Sources: ``torch/optim/*.py`` (torch 2.13),
transformers ``Adafactor``, lion-pytorch, torchao ``optim``, bitsandbytes ``optim/optimizer.py``."""


def summarise(
    dicts: Sequence[Mapping[Value, Value]],
    masters: Iterable[Tensor] = (),
    shapes: Sequence[Shape] = (),
) -> OptimizerInFile | None:
    """Describe all optimizer state dicts of a checkpoint together; None without any.

    Args:
        dicts: State dicts with ``state`` and mostly ``param_groups``.
        masters: Separate master weights that the trainer saved beside them.
        shapes: Shapes of the model's parameters, for state that does not show them.
    """
    held = [(tensor.numel, _bytes(tensor)) for tensor in masters]
    if not dicts and not held:
        return None
    from optmem_gui.checkpoints.optimizer_match import best_match, family_of  # noqa: PLC0415  # only a file with an optimizer needs the whole catalogue

    kinds, order = _kinds(dicts)
    groups = groups_of(dicts)
    rows = _rows(kinds)
    tensors = [row for row in rows if not _is_counter(row.name, row.element_count, row.tensor_count)]
    counters = [row for row in rows if _is_counter(row.name, row.element_count, row.tensor_count)]
    dtypes: dict[str, int] = {}
    for row in tensors:
        dtypes[row.dtype] = dtypes.get(row.dtype, 0) + row.element_count
    entries = [Entry(key[0], key[1], count) for key, count in kinds.items()]
    plain_steps = sum(1 for entry in _entries(dicts) for name in entry if _plain_counter(name, entry[name]))
    found = best_match(entries, groups, shapes, plain_steps=plain_steps > 0)
    match, seen = (None, dict[int, Shape]()) if found is None else found
    states = tuple(dict.fromkeys(name for name in order if any(row.name == name for row in tensors)))
    return OptimizerInFile(
        _kind(frozenset(order), groups.keys) or family_of(match),
        states,
        sum(row.element_count for row in tensors),
        sum(row.bytes for row in tensors),
        dtypes,
        sum(row.tensor_count for row in counters) + plain_steps,
        sum(row.bytes for row in counters),
        sum(_numel(entry, seen.get(index)) * entry.count for index, entry in enumerate(entries)),
        rows,
        sum(entry.count for entry in entries),
        sum(numel for numel, _ in held),
        sum(size for _, size in held),
        _step(dicts),
        match,
    )


def _numel(entry: Entry, shape: Shape | None) -> int:
    """Elements of the parameter behind a state: of the recognised shape, else of the largest state."""
    if shape is not None:
        return prod(shape)
    return max((prod(held) for _, held, _ in entry.tensors), default=0)


def _kinds(
    dicts: Iterable[Mapping[Value, Value]],
) -> tuple[Counter[tuple[tuple[Held, ...], tuple[Shape, ...]]], list[str]]:
    """Equal entries together, and the names of all states in the order they stand in."""
    kinds: Counter[tuple[tuple[Held, ...], tuple[Shape, ...]]] = Counter()
    order: dict[str, None] = {}
    for optimizer in dicts:
        seen: set[tuple[str, int, Shape]] = set()
        for entry in _entries([optimizer]):
            held, outer = _held(entry, seen)
            order |= dict.fromkeys(name for name, _, _ in held)
            if held:
                kinds[tuple(held), tuple(outer)] += 1
    return kinds, list(order)


def _held(entry: Mapping[Value, Value], seen: set[tuple[str, int, Shape]]) -> tuple[list[Held], list[Shape]]:
    """Tensors of one entry, without the tables that all parameters share; logical shapes of subclasses."""
    held: list[Held] = []
    outer: list[Shape] = []
    for name, tensor in _tensors(entry, "", 0):
        if tensor.storage is not None and tensor.numel:
            view = (tensor.storage.key, tensor.offset + tensor.storage.start, tensor.shape)
            if view in seen:
                continue
            seen.add(view)
        if tensor.parts:
            outer.append(tensor.shape)
            held += [(f"{name}.{part}", inner.shape, inner.dtype or F32) for part, inner in tensor.parts]
        else:
            held.append((name, tensor.shape, tensor.dtype or F32))
        if len(held) >= MAX_IN_ENTRY:
            break
    return held, outer


def _rows(kinds: Counter[tuple[tuple[Held, ...], tuple[Shape, ...]]]) -> tuple[StateInFile, ...]:
    sums: dict[tuple[str, str, bool], list[int]] = {}
    for (tensors, _), count in kinds.items():
        for name, shape, dtype in tensors:
            numel = prod(shape)
            key = (name, dtype.id, name in COUNTERS and numel == 1)
            row = sums.setdefault(key, [0, 0, 0])
            for index, amount in enumerate((1, numel, dtype.bytes_for(numel))):
                row[index] += count * amount
    return tuple(StateInFile(name, dtype, *amounts) for (name, dtype, _), amounts in sums.items())


def _is_counter(name: str, element_count: int, tensor_count: int) -> bool:
    return name in COUNTERS and element_count == tensor_count


def _plain_counter(name: Value, value: Value) -> bool:
    return name in COUNTERS and not isinstance(value, (Tensor, list, tuple, dict, Made))


def _kind(states: frozenset[str], options: frozenset[str]) -> str:
    if states - COUNTERS == {"momentum_buffer"} and "ns_steps" in options:
        return "muon"
    for kind, needed in _KINDS:
        if needed <= states:
            return "radam" if kind == "adam" and _is_radam(options) else kind
    if not states - COUNTERS and "nesterov" in options:
        return "sgd"
    return ""


def _is_radam(options: frozenset[str]) -> bool:
    """Torch's RAdam keeps Adam's states but has no ``amsgrad`` option."""
    return "decoupled_weight_decay" in options and "amsgrad" not in options


def _entries(dicts: Iterable[Mapping[Value, Value]]) -> Iterator[Mapping[Value, Value]]:
    """The state of one parameter after another."""
    for optimizer in dicts:
        state = optimizer["state"]
        if isinstance(state, Made):  # a defaultdict in a pickled optimizer
            state = state.items
        if isinstance(state, dict):
            yield from (entry for entry in map(_table, state.values()) if entry is not None)


def _table(value: Value) -> Mapping[Value, Value] | None:
    """A dict, also where it was pickled as an object of a class of its own."""
    if isinstance(value, dict):
        return value
    return value.items if isinstance(value, Made) and value.items else None


def groups_of(dicts: Iterable[Mapping[Value, Value]]) -> Groups:
    """What the parameter groups of all state dicts say; of several values the first counts."""
    keys: dict[str, None] = {}
    values: dict[str, Value] = {}
    tensor_lr = False
    for optimizer in dicts:
        groups = optimizer.get("param_groups")
        for group in groups if isinstance(groups, (list, tuple)) else ():
            for key, value in (_table(group) or {}).items():
                if not isinstance(key, str) or key in FROM_TRAINING:
                    continue
                keys.setdefault(key)
                tensor_lr = tensor_lr or (key == "lr" and isinstance(value, Tensor))
                if value is None or isinstance(value, (bool, int, float, str)):
                    values.setdefault(key, value)
                elif isinstance(value, (list, tuple)):
                    values.setdefault(key, list(value)[:4])
    return Groups(frozenset(keys), values, tensor_lr)


def _step(dicts: Iterable[Mapping[Value, Value]]) -> int | None:
    """Steps taken, where a state or a group holds them as a plain number."""
    steps = [entry.get("step") for entry in _entries(dicts)]
    for optimizer in dicts:
        groups = optimizer.get("param_groups")
        listed = groups if isinstance(groups, (list, tuple)) else ()
        steps += [(_table(group) or {}).get("step") for group in listed]
    plain = [step for step in steps if type(step) is int and step >= 0]
    return max(plain, default=None)


def _tensors(value: Value, name: str, depth: int) -> Iterator[tuple[str, Tensor]]:
    """Every tensor in one parameter's state, under the innermost name that leads to it."""
    if isinstance(value, Tensor):
        yield name, value
    elif depth >= MAX_DEPTH:
        return
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _tensors(item, name, depth + 1)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _tensors(item, key if isinstance(key, str) else name, depth + 1)
    elif isinstance(value, Made):
        for inner in (value.items, value.elements, value.state):
            yield from _tensors(inner, name, depth + 1)


def _bytes(tensor: Tensor) -> int:
    if tensor.parts:
        return sum(_bytes(part) for _, part in tensor.parts)
    return (tensor.dtype or F32).bytes_for(tensor.addressed)
