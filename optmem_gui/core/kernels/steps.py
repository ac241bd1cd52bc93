"""What a kernel does with the allocator: an ordered list of takes and frees."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """One call on the caching allocator inside a kernel.

    Attributes:
        name: The buffer, unique within its kernel.
        size_bytes: Requested bytes, before the allocator rounds them.
        takes: True where the buffer is taken, False where it is freed.
    """

    name: str
    size_bytes: int
    takes: bool


@dataclass(frozen=True, slots=True)
class Buffers:
    """What one kernel takes and frees besides its outputs, in the order it does so.

    Attributes:
        steps: Takes and frees; a buffer that is never freed is kept.
        proven: Every size and its place among the events has matched a recording of a GPU.
        before_output: The steps come before the output is allocated, not after it.
    """

    steps: tuple[Step, ...] = ()
    proven: bool = True
    before_output: bool = False

    @property
    def peak_bytes(self) -> int:
        """The most they take at one time, requested bytes."""
        used = peak = 0
        for step in self.steps:
            used += step.size_bytes if step.takes else -step.size_bytes
            peak = max(peak, used)
        return peak

    @property
    def kept_bytes(self) -> int:
        """What stays after the kernel, requested bytes."""
        return sum(step.size_bytes if step.takes else -step.size_bytes for step in self.steps)


NO_BUFFERS = Buffers()


class Script:
    """Writes the steps of one kernel: ``take`` and ``free`` by name, ``done`` for the result."""

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._held: dict[str, int] = {}

    def take(self, name: str, size_bytes: int) -> None:
        """Allocate; a request of 0 bytes allocates nothing, as in torch."""
        self._held[name] = size_bytes
        if size_bytes:
            self._steps.append(Step(name, size_bytes, takes=True))

    def free(self, *names: str) -> None:
        """Free buffers, in this order."""
        for name in names:
            size_bytes = self._held.pop(name)
            if size_bytes:
                self._steps.append(Step(name, size_bytes, takes=False))

    def holds(self, name: str) -> bool:
        """Whether a buffer is taken and not yet freed."""
        return name in self._held

    def done(self, *, proven: bool, before_output: bool = False) -> Buffers:
        """The steps written so far."""
        return Buffers(tuple(self._steps), proven, before_output)


def ceil_div(a: int, b: int) -> int:
    """``a / b`` rounded up."""
    return -(-a // b)


def round_up(value: int, multiple: int) -> int:
    """``value`` rounded up to a multiple."""
    return ceil_div(value, multiple) * multiple


def count_of(shape: Iterable[int]) -> int:
    """Elements of a tensor of this shape."""
    count = 1
    for size in shape:
        count *= size
    return count
