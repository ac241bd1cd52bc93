"""Ends of segments that stay with large blocks: how much more than was asked for is allocated.

A block of more than 1 MiB that is found for a smaller request is split only where more than 1 MiB stays;
what stays otherwise counts as allocated. Which block a request finds depends on everything before it, so
the requests of loading and of two steps are played in order through the rules of the allocator: in the first
step the optimizer's state takes what activations have left, and keeps it; the second already finds what its
twin left, as every later step does. Small requests leave nothing and are left out.

Of deeper models than are played everything is counted as new segments leave it
(:func:`optmem_gui.core.blocks.rounded`). Source: ``c10/cuda/CUDACachingAllocator.cpp`` (``get_free_block``,
``alloc_block``, ``should_split``, ``free_block``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from optmem_gui.core.activations.course import course_of
from optmem_gui.core.activations.memory import Memory
from optmem_gui.core.activations.network_playing import NetworkPasses
from optmem_gui.core.activations.plan import Plan
from optmem_gui.core.activations.playing import Passes
from optmem_gui.core.activations.setting import Setting
from optmem_gui.core.blocks import Block

_STEPS = 2
"""The first makes the optimizer's state; from the second on every step is the same."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """What is allocated for one parameter, bytes each.

    Attributes:
        weights: Each separate allocation of it.
        master: The copy that the optimizer updates, 0 without one.
        gradient: Its gradient as it persists, 0 where it is frozen.
        copy: The gradient's copy in the master's type at the step.
        state: Its optimizer state on the device.
        optimized: What the optimizer sees of it.
    """

    weights: tuple[int, ...]
    master: int = 0
    gradient: int = 0
    copy: int = 0
    state: tuple[int, ...] = ()
    optimized: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """What is played.

    Attributes:
        plan: Forward and backward; None where they are not known.
        tensors: Its parameters in their order.
        workspace: cuBLAS's, of each of two threads.
        state_at_load: The optimizer's constructor makes its state.
        lists: Lists as long as all parameters that the optimizer's step makes.
        pieces: Other temporaries of the step.
        stand: Gradients live in buffers that are made before training.
        freed: Gradients are freed after the step.
        micro_batches: Forwards and backwards of a step: one, or two that stand for several.
        logits: Bytes that a training loop holds through the step.
    """

    plan: Plan | Setting | None
    tensors: tuple[Tensor, ...] = ()
    workspace: int = 0
    state_at_load: bool = False
    lists: int = 0
    pieces: tuple[int, ...] = ()
    stand: bool = False
    freed: bool = True
    micro_batches: int = 1
    logits: int = 0


@dataclass(frozen=True, slots=True)
class Ends:
    """Bytes that stay with blocks at the largest moment of each phase, or at one moment of it.

    Attributes:
        load: After loading.
        forward: Largest moment of forward.
        backward: Largest moment of backward.
        ready: Before the optimizer steps.
        step: Largest moment of the optimizer's step.
        between: Between steps.
    """

    load: int = 0
    forward: int = 0
    backward: int = 0
    ready: int = 0
    step: int = 0
    between: int = 0

    def at(self, phase: str) -> int:
        """Those of the largest moment of a phase, by its id."""
        phases = {
            "load": self.load,
            "forward": self.forward,
            "backward": self.backward,
            "optimizer_step": self.step,
            "between_steps": self.between,
        }
        return phases[phase]


NO_ENDS = Ends()


@lru_cache(maxsize=512)
def ends_of(run: Run) -> Ends:
    """Play a run.

    Raises:
        UserError: The attention kernel cannot take these types.
    """
    return _Player(run).play()


class _Player:
    """One run on its way."""

    def __init__(self, run: Run) -> None:
        self._run, self._memory = run, Memory()
        self._passes = _passes(run, self._memory)
        self._gradients: list[Block | None] = []

    def play(self) -> Ends:
        """Load, then every step."""
        self._load()
        load, ends = self._memory.ends, NO_ENDS
        for step in range(_STEPS):
            self._memory.restart()
            forward = backward = 0
            for _ in range(self._run.micro_batches):
                forward, backward = self._pass()
            ready = self._memory.ends
            highest = self._step(first=step == 0)
            self._zero()
            ends = Ends(load, forward, backward, ready, highest, self._memory.ends)
        return ends

    def _load(self) -> None:
        run = self._run
        self._take(lambda tensor: tensor.weights)
        self._take(lambda tensor: (tensor.master,))
        if run.stand:
            self._take(lambda tensor: (tensor.gradient,))
        if run.state_at_load:
            self._take(lambda tensor: tensor.state)

    def _pass(self) -> tuple[int, int]:
        """One micro-batch: ends at the largest moments of forward and of backward."""
        memory, passes = self._memory, self._passes
        memory.restart()
        if passes is not None:
            passes.forward()
        forward = memory.highest_ends
        memory.restart()
        if passes is not None:
            passes.backward()
        elif not self._run.stand and not self._gradients:
            self._gradients = self._take(lambda tensor: (tensor.gradient,), backwards=True)
        return forward, memory.highest_ends

    def _step(self, *, first: bool) -> int:
        """The optimizer's step: ends at its largest moment."""
        run, memory = self._run, self._memory
        memory.restart()
        copies = self._take(lambda tensor: (tensor.copy,))
        if first and not run.state_at_load:
            self._take(lambda tensor: tensor.state)
        made = [*copies]
        for _ in range(run.lists):
            made += self._take(lambda tensor: (tensor.optimized,))
        made += [memory.take(size) for size in run.pieces]
        for held in made:
            memory.let_go(held)
        return memory.highest_ends

    def _zero(self) -> None:
        if self._passes is not None:
            self._passes.drop_logits()
        if not self._run.freed:
            return
        if self._passes is not None:
            self._passes.drop_gradients()
        for held in self._gradients:
            self._memory.let_go(held)
        self._gradients = []

    def _take(
        self, sizes: Callable[[Tensor], tuple[int, ...]], *, backwards: bool = False
    ) -> list[Block | None]:
        """Ask for something of every parameter, in their order or from the last to the first."""
        taken: list[Block | None] = []
        for tensor in reversed(self._run.tensors) if backwards else self._run.tensors:
            taken += [self._memory.take(size) for size in sizes(tensor)]
        return taken


def _passes(run: Run, memory: Memory) -> Passes | NetworkPasses | None:
    """Forward and backward of a run; None where they are not known."""
    plan, workspace_bytes, added = run.plan, run.workspace, run.stand
    if plan is None:
        return None
    if isinstance(plan, Setting):
        return NetworkPasses(plan, memory, workspace_bytes=workspace_bytes, added=added)
    return Passes(
        course_of(plan), memory, workspace_bytes=workspace_bytes, logits_bytes=run.logits, added=added
    )
