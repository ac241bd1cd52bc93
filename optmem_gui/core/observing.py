"""What the driver says beside the samples: the device itself, and who else uses it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from optmem_gui.core.units import MIB

NOTICED_BYTES = 64 * MIB
"""Changes of other processes below this are the driver's own."""


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """What the driver says of a GPU once.

    Attributes:
        uuid: The driver's name for it.
        driver: Version of the driver; empty where it does not say.
        total_bytes: Memory, the driver's reserve included.
        reserved_bytes: The driver's own part; None where its query hides it in what is used.
        version: Version of the query that answered; 0 where the figure is the whole system's.
    """

    uuid: str
    driver: str
    total_bytes: int
    reserved_bytes: int | None
    version: int


@dataclass(frozen=True, slots=True)
class OtherProcess:
    """A process on the GPU that is not the worker.

    Attributes:
        pid: As the driver numbers it.
        name: Its program, where the driver may tell; empty otherwise.
        used_bytes: Memory of the GPU it uses; None where the driver does not say.
    """

    pid: int
    name: str
    used_bytes: int | None


@dataclass(frozen=True, slots=True)
class Others:
    """Every other process on the GPU from one moment on; said anew when something changed.

    Attributes:
        clock_ns: Sampler's monotonic clock.
        processes: By process id.
    """

    clock_ns: int
    processes: tuple[OtherProcess, ...]


@dataclass(frozen=True, slots=True)
class OtherChange:
    """How much one process changed its use of the GPU while a measurement ran.

    Attributes:
        process: As it was seen first.
        low_bytes: Its smallest use, 0 where it came or went.
        high_bytes: Its largest use.
    """

    process: OtherProcess
    low_bytes: int
    high_bytes: int

    @property
    def bytes(self) -> int:
        """Distance between the two."""
        return self.high_bytes - self.low_bytes


def other_changes(seen: Sequence[Others]) -> Iterator[OtherChange]:
    """What every process seen did meanwhile, the largest change first; one without a figure is left out."""
    first: dict[int, OtherProcess] = {}
    for others in seen:
        for process in others.processes:
            first.setdefault(process.pid, process)
    found = []
    for pid, process in first.items():
        sizes = [next((one.used_bytes for one in others.processes if one.pid == pid), 0) for others in seen]
        known = [size for size in sizes if size is not None]
        if len(known) == len(sizes):
            found.append(OtherChange(process, min(known), max(known)))
    yield from sorted(found, key=lambda change: -change.bytes)


def disturbed(seen: Sequence[Others]) -> tuple[OtherChange, ...]:
    """The changes of other processes that are large enough to matter."""
    return tuple(change for change in other_changes(seen) if change.bytes > NOTICED_BYTES)
