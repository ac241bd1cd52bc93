"""The same step traced for training on the CPU: every storage torch takes there, at its exact size.

torch's own fake tensors say that they are on the CPU, so operators, autocast and optimizers choose what
they choose there: no attention kernel of a GPU, no lists of tensors, no workspace, no blocks of 512 bytes.

Not on the tape are the scalars that operators make of a Python number of theirs for their own time, 8 bytes
and a copy in the type of the operands (``wrapped_scalar_tensor`` in ATen/ScalarOps.h), and what kernels of
the CPU take for themselves: the packed matrices of oneDNN for products in 16 bits depend on the processor,
the rows of ``native_layer_norm_backward`` and of attention on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from optmem_gui.worker.simulate.calibration import adds_in_place
from optmem_gui.worker.simulate.dispatch import Args, Kwargs
from optmem_gui.worker.simulate.facts import Machine
from optmem_gui.worker.simulate.in_place import Counts, is_fresh, references, sums_into
from optmem_gui.worker.simulate.numbers import Numbers
from optmem_gui.worker.simulate.places import program_line
from optmem_gui.worker.simulate.tape import Block
from optmem_gui.worker.simulate.trace import Trace
from optmem_gui.worker.simulate.tracker import Tracker
from optmem_gui.worker.sources.answers import answer

_NUMBER = 0.5
"""Value of a number nobody knows: optimizers divide by 1 less a power of their step, or by their step."""

_FILLED = ("zeros", "ones", "full")
_INTO_ZEROS = ("scatter", "scatter_add", "index_add", "index_put", "_unsafe_index_put")
"""What formulas of autograd write into zeros that they have just made."""


class CpuTracker(Tracker):
    """Notes what operators on fake tensors allocate.

    Attributes:
        alone: References that a gradient has here when nothing but autograd's sum holds it.
    """

    def __init__(self, machine: Machine, cancelled: Callable[[], bool]) -> None:
        super().__init__(machine, {}, cancelled)
        self._flags: set[Block] = set()
        self._numbers = Numbers(self)
        self.alone = Counts(-1, -1, adds_in_place=False)

    def _plan(self, op: Any) -> Callable[[Any, Args, Kwargs], Any]:
        schema = op._schema  # noqa: SLF001  # the only place of an operator's name
        name = schema.name.removeprefix("aten::")
        takes_number = len(schema.arguments) > 1 and str(schema.arguments[1].type) == "Tensor"

        def planned(op: Any, args: Args, kwargs: Kwargs) -> Any:
            self.operator = name
            if name == "_local_scalar_dense":
                return self._value(args[0])
            if name.startswith("_amp_foreach_non_finite_check"):
                self._note_flag(args[1])
            self._numbers.settle(name)
            if name == "add" and sums_into(self, args, kwargs, self.alone):
                return args[0]
            if name in _INTO_ZEROS and is_fresh(self, args[0]):
                return args[0]
            numbers = self._numbers.take(name, args) if takes_number else []
            out = op(*args, **kwargs)
            if name in _FILLED:
                _remember(out, op, args, kwargs)
            self.see(out, name)
            self._numbers.free(numbers, name, args, out)
            return out

        return planned

    def _see(self, tensor: Tensor, name: str) -> None:
        self._watch(tensor, name)

    def _note_flag(self, tensor: Tensor) -> None:
        """GradScaler's ``found_inf``: nothing overflows, so that the optimizer steps."""
        block = self.block_of(tensor)
        if block is not None:
            self._flags.add(block)

    def _value(self, tensor: Tensor) -> bool | int | float:
        """``.item()``: but for single numbers there is no value, so a branch on it may go the wrong way."""
        if isinstance(tensor, FakeTensor) and tensor.constant is not None:
            with _disable_current_modes():
                counted: bool | int | float = tensor.constant.item()
            return counted  # such as the steps an optimizer has done
        block, line = self.block_of(tensor), program_line()
        operator = "" if block is None else block.op
        value, sure = answer(operator, tensor.dtype, "" if line is None else line[0])
        if not sure and tensor.dtype.is_floating_point and block not in self._flags:
            value = _NUMBER
        if line is not None and not sure:
            place = f"{Path(line[0]).name}:{line[1]}"
            module = self.places.here(None) or "-"
            self.note("simulate.value_read", place=place, module=module, value=str(value))
        return value


def _remember(out: Any, op: Any, args: Args, kwargs: Kwargs) -> None:
    """Keep the value of a number that stands in a tensor; fake tensors forget those made by filling."""
    if isinstance(out, FakeTensor) and out.dim() == 0:
        with _disable_current_modes():
            out.constant = op(*args, **kwargs)
        out.fake_mode.fake_tensor_converter.add_constant_storage_mapping(out)


class _Seeing(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves its hooks untyped
    """Hands every operator to the tracker."""

    def __init__(self, tracker: Tracker) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # the library leaves it untyped
        self._tracker = tracker

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run one operator."""
        return self._tracker.handle(func, *args, **(kwargs or {}))


class CpuTrace(Trace):
    """One traced run on the CPU."""

    device = torch.device("cpu")

    @staticmethod
    def _new_tracker(machine: Machine, cancelled: Callable[[], bool]) -> Tracker:
        return CpuTracker(machine, cancelled)

    @contextmanager
    def _traced(self) -> Iterator[None]:
        adds = adds_in_place()
        fake = FakeTensorMode(allow_non_fake_inputs=True)
        with fake, self.tracker.places.watching():
            if isinstance(self.tracker, CpuTracker):
                self.tracker.alone = _counts_alone(adds)
            with _Seeing(self.tracker):
                yield


class _Counting(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves its hooks untyped
    """Counts references to the first of two gradients that autograd adds up."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # the library leaves it untyped
        self.seen = (-1, -1)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run one operator."""
        return self._handle(func, *args, **(kwargs or {}))

    def _handle(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """Called as the tracker is: what is passed on counts as well."""
        if func is torch.ops.aten.add.Tensor and not torch.is_grad_enabled():
            self._look(args)
        return func(*args, **kwargs)

    def _look(self, args: Args) -> None:
        self.seen = references(args[0])


def _counts_alone(adds: bool) -> Counts:
    """What torch says of two gradients that nobody else holds, asked in the modes that are active."""
    leaf = torch.ones(1, requires_grad=True)
    inner = leaf * 2.0
    loss = inner.tanh() + inner.sigmoid()
    del inner
    with _Counting() as counting:
        loss.backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
    tensor, storage = counting.seen
    return Counts(tensor, storage, adds_in_place=adds)
