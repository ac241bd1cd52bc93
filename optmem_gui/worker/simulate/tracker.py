"""Every storage on the device from its first sight to its end."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor

from optmem_gui.core.kernels.processors import Processors
from optmem_gui.core.kernels.steps import Buffers
from optmem_gui.core.simulating import TracedNote
from optmem_gui.worker.inbox import Cancelled
from optmem_gui.worker.simulate.dispatch import META, Args, Kwargs, composite, is_composite
from optmem_gui.worker.simulate.facts import Machine
from optmem_gui.worker.simulate.places import Places, node_number
from optmem_gui.worker.simulate.shapes import compute
from optmem_gui.worker.simulate.tape import Block, Mark, Tape

Rule = Callable[["Tracker", Any, str, Args, Kwargs], Any]
"""Runs one operator: (tracker, operator, its name, arguments, keyword arguments) to its result."""

_MOST_NOTES = 50


class _Storage(weakref.ref[Any]):
    """A storage that is alive."""

    __slots__ = ("block", "companion", "key")
    key: int
    block: Block
    companion: object


class Tracker:
    """Writes the tape.

    Attributes:
        machine: What is stood for.
        tape: Events so far.
        places: Modules that run.
        live: Storages that are alive, by their address in torch.
        unproven: Rules used that no recording of a GPU has confirmed.
        notes: Warnings and assumptions.
        banded: A buffer depends on facts of the GPU that are not known.
        operator_count: Operators seen.
        operator: The operator under way.
        step: Step under way, 0 for load.
        phase: Phase under way.
    """

    def __init__(self, machine: Machine, rules: dict[str, Rule], cancelled: Callable[[], bool]) -> None:
        self.machine = machine
        self.tape = Tape()
        self.places = Places()
        self.live: dict[int, _Storage] = {}
        self.unproven: set[str] = set()
        self.banded = False
        self.operator_count = 0
        self.operator = ""
        self._failed: dict[int, str] = {}
        self.step, self.phase = 0, "load"
        self.notes: list[TracedNote] = []
        self._rules = rules
        self._plans: dict[Any, Callable[[Any, Args, Kwargs], Any]] = {}
        self._cancelled = cancelled
        self._workspaces: set[str] = set()

    def handle(self, op: Any, *args: Any, **kwargs: Any) -> Any:
        """Run one operator and note what it allocates."""
        if self._cancelled():
            raise Cancelled
        self.operator_count += 1
        plan = self._plans.get(op)
        if plan is None:
            plan = self._plans[op] = self._plan(op)
        try:
            return plan(op, args, kwargs)
        except Exception as error:
            self._failed.setdefault(id(error), self.operator)
            raise

    def failed_operator(self, error: BaseException | None) -> str:
        """The operator that an error, or what it was raised from, came from; empty where none did."""
        while error is not None:
            if id(error) in self._failed:
                return self._failed[id(error)]
            error = error.__cause__
        return ""

    def begin(self, step: int, phase: str) -> None:
        """A phase begins."""
        self.step, self.phase = step, phase
        self.tape.marks.append(Mark(len(self.tape.events), step, phase))

    def _plan(self, op: Any) -> Callable[[Any, Args, Kwargs], Any]:
        """How to run an operator, settled when it is first seen."""
        name = op._schema.name  # noqa: SLF001  # the only place of an operator's name
        name = name.removeprefix("aten::")
        rule = self._rules.get(name)
        if rule is None and name.startswith(("_foreach_", "_fused_")) and name.endswith("_"):
            rule = self._rules["_foreach_"]
        if rule is None and is_composite(op):
            rule = decomposed
        run = rule or plain
        has_device = any(argument.name == "device" for argument in op._schema.arguments)  # noqa: SLF001  # no public way leads there

        def planned(op: Any, args: Args, kwargs: Kwargs) -> Any:
            self.operator = name
            if has_device:
                device = kwargs.get("device")
                if device is not None and device.type == "cuda":
                    kwargs["device"] = META
            return run(self, op, name, args, kwargs)

        return planned

    def see(self, result: Any, name: str) -> None:
        """Note the storages of a result that are new."""
        if isinstance(result, Tensor):
            self._see(result, name)
        elif isinstance(result, (tuple, list)):
            for each in result:
                self.see(each, name)

    def _see(self, tensor: Tensor, name: str) -> None:
        if tensor.is_meta:
            self._watch(tensor, name)

    def _watch(self, tensor: Tensor, name: str) -> None:
        """Note the storage of a tensor from its first sight to its end."""
        storage = tensor.untyped_storage()
        key = storage._cdata  # noqa: SLF001  # torch's only identity of a storage
        if key in self.live:
            return
        size = storage.nbytes()
        if size:
            watched = _Storage(storage, self._end)
            watched.key, watched.block = key, self.take(name, size)
            self.live[key] = watched

    def _end(self, storage: weakref.ref[Any]) -> None:
        assert isinstance(storage, _Storage)  # noqa: S101  # made in _see
        del self.live[storage.key]
        self.tape.events.append(storage.block)

    def keep_with(self, tensor: Tensor, kept: Tensor) -> None:
        """Keep the memory of one tensor as long as that of another."""
        watched = self.live.get(tensor.untyped_storage()._cdata)  # noqa: SLF001  # no public way leads there
        if watched is not None:
            watched.companion = kept.untyped_storage()

    def block_of(self, tensor: Tensor) -> Block | None:
        """The allocation behind a tensor; None where it lies elsewhere."""
        found = self.live.get(tensor.untyped_storage()._cdata)  # noqa: SLF001  # no public way leads there
        return None if found is None else found.block

    def label(self, tensors: Iterable[Tensor], category: str, module: str = "") -> None:
        """Say what the allocations behind tensors are, where that is not known yet."""
        for tensor in tensors:
            block = self.block_of(tensor)
            if block is not None and block.category in ("", "activations"):
                block.category = category
                block.module = module or block.module

    def label_new(self, category: str, phase: str) -> None:
        """Say what everything of this step's phase is that is still alive and not known yet."""
        for storage in self.live.values():
            block = storage.block
            if not block.category and block.step == self.step and block.phase == phase:
                block.category = category

    def take(self, op: str, size: int, most: int | None = None) -> Block:
        """Allocate."""
        node = node_number()
        block = Block(size, op, self.places.here(node), self.step, self.phase)
        if most is not None:
            block.most = most
        block.node = node
        if node is not None and torch.is_grad_enabled():
            block.category = "activations"  # a checkpoint's second forward
        self.tape.events.append(block)
        return block

    def free(self, block: Block) -> None:
        """Free what :meth:`take` gave."""
        self.tape.events.append(block)

    def replace(self, tensor: Tensor, name: str, size: int) -> None:
        """A storage got other memory: the new one is taken before the old one is freed."""
        watched = self.live[tensor.untyped_storage()._cdata]  # noqa: SLF001  # no public way leads there
        old, watched.block = watched.block, self.take(name, size)
        self.free(old)

    def passing(self, op: str, size: int, most: int | None = None) -> None:
        """Allocate and free at once."""
        self.free(self.take(op, size, most))

    def keep_workspace(self, library: str, size: int) -> None:
        """Allocate a workspace, once for the forward thread and once for autograd's."""
        key = f"{library} {'backward' if node_number() is not None else 'forward'}"
        if size and key not in self._workspaces:
            self._workspaces.add(key)
            self.take(f"{self.operator}:{library} workspace", size).category = "workspace"

    def play(self, name: str, buffers: Callable[[Processors], Buffers]) -> None:
        """Take and free a kernel's buffers; a band where the GPU is not known."""
        machine = self.machine
        high = buffers(machine.most)
        low = high if machine.is_known else buffers(machine.fewest)
        if high.steps and not high.proven:
            self.unproven.add(name)
        self.banded = self.banded or low != high
        sizes = {step.name: step.size_bytes for step in low.steps}
        held: dict[str, Block] = {}
        for step in high.steps:
            if step.takes:
                held[step.name] = self.take(f"{name}:{step.name}", sizes.get(step.name, 0), step.size_bytes)
            else:
                self.free(held.pop(step.name))

    def empty_cache(self) -> None:
        """``torch.cuda.empty_cache``."""
        self.tape.empties.append(len(self.tape.events))

    def note(self, key: str, **values: int | float | str) -> None:
        """Say something once."""
        note = TracedNote(key, values)
        if note not in self.notes and len(self.notes) < _MOST_NOTES:
            self.notes.append(note)


def plain(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """An operator whose allocations are its results."""
    out = compute(op, args, kwargs)
    tracker.see(out, name)
    return out


def decomposed(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """A function made of operators, whole because no autograd took it apart (inference mode)."""
    del tracker, name
    return composite(op, *args, **kwargs)
