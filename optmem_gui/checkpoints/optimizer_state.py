"""The optimizer in a checkpoint: which one it is and how much it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from optmem_gui.checkpoints.contents import OptimizerInFile
from optmem_gui.checkpoints.pickle_values import Made, Value
from optmem_gui.checkpoints.torch_values import Tensor
from optmem_gui.core.dtypes import F32

COUNTERS = frozenset(("step", "mu_product", "eta", "mu", "func_evals", "n_iter", "t", "H_diag"))
"""State entries that are one number a parameter, not a tensor like it."""

_KINDS: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (kind, frozenset(states.split()))
    for kind, states in (
        ("adafactor", "exp_avg_sq_row exp_avg_sq_col"),
        ("adafactor", "row_var col_var"),
        ("nadam", "exp_avg exp_avg_sq mu_product"),
        ("adam", "exp_avg exp_avg_sq"),
        ("adamax", "exp_avg exp_inf"),
        ("lion", "exp_avg"),
        ("adadelta", "square_avg acc_delta"),
        ("rmsprop", "square_avg"),
        ("rprop", "prev step_size"),
        ("adagrad", "sum"),
        ("asgd", "ax"),
        ("lbfgs", "old_dirs old_stps"),
        ("sgd-momentum", "momentum_buffer"),
        ("blockwise-8bit", "state1"),
    )
)
"""First rule whose states are all there wins. Sources: ``torch/optim/*.py`` (torch 2.13),
transformers ``Adafactor``, lion-pytorch, bitsandbytes ``optim/optimizer.py``."""


def summarise(dicts: list[Mapping[Value, Value]]) -> OptimizerInFile | None:
    """Describe all optimizer state dicts of a checkpoint together; None without any."""
    if not dicts:
        return None
    states: dict[str, None] = {}
    dtypes: dict[str, int] = {}
    element_count = state_bytes = step_count = step_bytes = param_count = 0
    for entry in _entries(dicts):
        largest = 0
        for name, value in entry.items():
            if name in COUNTERS:
                step_count += 1
                step_bytes += _bytes(value) if isinstance(value, Tensor) else 0
                states.setdefault(str(name))
                continue
            for tensor in _tensors(value):
                states.setdefault(str(name))
                dtype = tensor.dtype or F32
                dtypes[dtype.id] = dtypes.get(dtype.id, 0) + tensor.numel
                element_count += tensor.numel
                state_bytes += _bytes(tensor)
                largest = max(largest, tensor.numel)
        param_count += largest
    kind = _kind(frozenset(states), _group_keys(dicts))
    tensors = tuple(name for name in states if name not in COUNTERS)
    return OptimizerInFile(
        kind, tensors, element_count, state_bytes, dtypes, step_count, step_bytes, param_count
    )


def _kind(states: frozenset[str], options: frozenset[str]) -> str:
    if states == {"momentum_buffer"} and "ns_steps" in options:
        return "muon"
    for kind, needed in _KINDS:
        if needed <= states:
            return "radam" if kind == "adam" and _is_radam(options) else kind
    return "sgd" if not states and "nesterov" in options else "unknown"


def _is_radam(options: frozenset[str]) -> bool:
    """Torch's RAdam keeps Adam's states but has no ``amsgrad`` option."""
    return "decoupled_weight_decay" in options and "amsgrad" not in options


def _entries(dicts: list[Mapping[Value, Value]]) -> Iterator[Mapping[Value, Value]]:
    for optimizer in dicts:
        state = optimizer["state"]
        if isinstance(state, Made):  # a defaultdict in a pickled optimizer
            state = state.items
        if isinstance(state, dict):
            yield from (entry for entry in state.values() if isinstance(entry, dict))


def _group_keys(dicts: list[Mapping[Value, Value]]) -> frozenset[str]:
    keys: set[str] = set()
    for optimizer in dicts:
        groups = optimizer.get("param_groups")
        for group in groups if isinstance(groups, (list, tuple)) else ():
            if isinstance(group, dict):
                keys.update(key for key in group if isinstance(key, str))
    return frozenset(keys)


def _tensors(value: Value) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        yield from (item for item in value if isinstance(item, Tensor))


def _bytes(tensor: Tensor) -> int:
    return (tensor.dtype or F32).bytes_for(tensor.addressed)
