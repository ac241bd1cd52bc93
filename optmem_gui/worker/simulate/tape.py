"""What a traced run allocates and frees, in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Block:
    """One allocation.

    Attributes:
        requested: Bytes that were asked for.
        most: The same with the largest buffer that unknown facts of the GPU allow.
        op: Operator that made it; ``OP:NAME`` for a buffer inside a kernel.
        module: Path of the module whose code made it; empty outside one.
        step: Step it was made in, 0 for load.
        phase: Phase it was made in.
        category: One of :data:`optmem_gui.core.simulating.CATEGORIES`; empty until it is known.
        node: Number of autograd's node it was made in; None in forward.
    """

    __slots__ = ("category", "module", "most", "node", "op", "phase", "requested", "step")

    def __init__(self, requested: int, op: str, module: str, step: int, phase: str) -> None:
        self.requested = self.most = requested
        self.op, self.module = op, module
        self.step, self.phase = step, phase
        self.category = ""
        self.node: int | None = None

    def twin(self) -> Block:
        """Another allocation of the same kind."""
        made = Block(self.requested, self.op, self.module, self.step, self.phase)
        made.most, made.category = self.most, self.category
        return made


class Mark(NamedTuple):
    """Where a phase begins.

    Attributes:
        event: Events before it.
        step: Step it belongs to.
        phase: Its id.
    """

    event: int
    step: int
    phase: str


@dataclass(slots=True)
class Tape:
    """The events of a run.

    Attributes:
        events: Every block twice: where it is taken and where it is freed; once if it is never freed.
        marks: Where the phases begin.
        end: Events before the end of the last phase.
        empties: Events before which ``torch.cuda.empty_cache`` was called.
    """

    events: list[Block] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    end: int = 0
    empties: list[int] = field(default_factory=list)
