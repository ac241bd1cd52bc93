"""The same step traced for training on the CPU: every storage torch takes there, at its exact size.

torch's own fake tensors say that they are on the CPU, so operators, autocast and optimizers choose what
they choose there: no attention kernel of a GPU, no lists of tensors, no workspace, no blocks of 512 bytes.

Not on the tape are the scalars that torch makes of a Python number for the time of one operator, 8 bytes and
its copy in the type of the operands (``wrapped_scalar_tensor`` in ATen/ScalarOps.h), of which autograd keeps
8 bytes from forward to backward, and what kernels of the CPU take for themselves: the packed matrices of
oneDNN for products in 16 bits depend on the processor, the rows of ``native_layer_norm_backward`` and of
attention on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from optmem_gui.worker.simulate.dispatch import Args, Kwargs
from optmem_gui.worker.simulate.facts import Machine
from optmem_gui.worker.simulate.places import program_line
from optmem_gui.worker.simulate.tape import Block
from optmem_gui.worker.simulate.trace import Trace
from optmem_gui.worker.simulate.tracker import Tracker
from optmem_gui.worker.sources.answers import answer

_NUMBER = 0.5
"""Value of a number nobody knows: optimizers divide by 1 less a power of their step, or by their step."""


class CpuTracker(Tracker):
    """Notes what operators on fake tensors allocate."""

    def __init__(self, machine: Machine, cancelled: Callable[[], bool]) -> None:
        super().__init__(machine, {}, cancelled)
        self._flags: set[Block] = set()

    def _plan(self, op: Any) -> Callable[[Any, Args, Kwargs], Any]:
        name = op._schema.name.removeprefix("aten::")  # noqa: SLF001  # the only place of an operator's name

        def planned(op: Any, args: Args, kwargs: Kwargs) -> Any:
            self.operator = name
            if name == "_local_scalar_dense":
                return self._value(args[0])
            if name.startswith("_amp_foreach_non_finite_check"):
                self._note_flag(args[1])
            out = op(*args, **kwargs)
            self.see(out, name)
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
        """``.item()``: there is no value, so a branch on it may go the wrong way."""
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
        fake = FakeTensorMode(allow_non_fake_inputs=True)
        with fake, self.tracker.places.watching(), _Seeing(self.tracker):
            yield
