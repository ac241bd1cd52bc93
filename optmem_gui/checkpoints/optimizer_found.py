"""The state of an optimizer as a checkpoint holds it, and which entry of the catalogue keeps such a state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from optmem_gui.core.dtypes import DType
from optmem_gui.core.model import Shape

if TYPE_CHECKING:
    from optmem_gui.core.scenario import Options

FROM_TRAINING = frozenset(("params", "initial_lr", "swa_lr", "param_names", "name", "max_lr", "min_lr"))
"""Keys of parameter groups that schedulers and trainers add."""

Held = tuple[str, Shape, DType]
"""Name, shape and type of one state tensor."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The state of parameters that nothing tells apart.

    Attributes:
        tensors: What is held for each.
        outer: Logical shapes of tensor subclasses among them.
        count: How many there are.
    """

    tensors: tuple[Held, ...]
    outer: tuple[Shape, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Groups:
    """What the parameter groups say.

    Attributes:
        keys: Their keys.
        values: Plain values of the first group that has each.
        tensor_lr: The learning rate is a tensor.
    """

    keys: frozenset[str] = frozenset()
    values: Mapping[str, Any] = field(default_factory=dict)
    tensor_lr: bool = False


@dataclass(frozen=True, slots=True)
class StateInFile:
    """All tensors of one name and type.

    Attributes:
        name: Key in the state, such as ``exp_avg``; ``exp_avg.codes`` inside a tensor subclass.
        dtype: Id of the element type.
        tensor_count: How many tensors.
        element_count: Elements of all of them.
        bytes: Bytes of all of them as stored.
    """

    name: str
    dtype: str
    tensor_count: int
    element_count: int
    bytes: int


@dataclass(frozen=True, slots=True)
class OptimizerMatch:
    """The implementation whose state looks like the one in the file.

    Attributes:
        id: Id in the catalogue.
        options: Options that its parameter groups show, those that repeat a default left out.
        exact: Every entry has the names, sizes and types that the implementation gives it.
        also: Other implementations that would have left the same file.
    """

    id: str
    options: Options
    exact: bool
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OptimizerInFile:
    """The state of an optimizer found in a checkpoint.

    Attributes:
        kind: ``adam``, ``sgd-momentum`` ...; ``unknown`` when the names fit no rule.
        states: Names of the state tensors, such as ``exp_avg``.
        element_count: Elements of all state tensors, step counters left out.
        state_bytes: Their bytes as stored.
        dtypes: Elements by type.
        step_count: Step counters, tensors or plain numbers.
        step_bytes: Bytes of the step counters that are tensors.
        param_count: Elements of the parameters that have state.
        rows: The tensors by name and type, step counters included.
        entry_count: Parameters that have state; pieces of them where a trainer laid them end to end.
        master_count: Elements of separate master weights that are saved beside the state.
        master_bytes: Their bytes.
        step: Steps taken, where the file holds it as a plain number.
        match: The implementation that fits best, if any does.
    """

    kind: str
    states: tuple[str, ...]
    element_count: int
    state_bytes: int
    dtypes: Mapping[str, int]
    step_count: int = 0
    step_bytes: int = 0
    param_count: int = 0
    rows: tuple[StateInFile, ...] = ()
    entry_count: int = 0
    master_count: int = 0
    master_bytes: int = 0
    step: int | None = None
    match: OptimizerMatch | None = None

    @property
    def total_bytes(self) -> int:
        """Bytes of the whole state, step counters included, master weights not."""
        return self.state_bytes + self.step_bytes

    @property
    def bytes_per_parameter(self) -> float:
        """Bytes of state a parameter that has state; 0 where there is none."""
        return self.total_bytes / self.param_count if self.param_count else 0.0
