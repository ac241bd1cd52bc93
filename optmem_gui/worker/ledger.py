"""What every allocated byte is: single allocations, matched with the tensors that the worker knows.

An allocation that is given back within its phase was a temporary. One that stays is what the worker's
tensors say of its address at the end of the phase: weights, gradients, master weights, optimizer state,
buffers, or what is there because of other ranks. What forward leaves beside those is kept for backward:
activations, the batch included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from optmem_gui.worker.job import Job
from optmem_gui.worker.update import Update, local_part

Known = Callable[[], Mapping[int, str]]
"""Component of every tensor that the worker knows, by the address of its storage."""

_SENT = ("temporaries", "activations")
"""What is taken to be less where a thread of gloo released a block: only the totals tell of it, no event."""


@dataclass(frozen=True, slots=True)
class Block:
    """One allocation or release.

    Attributes:
        at_ns: When.
        address: Where.
        change: Its bytes, negative for a release.
        total: What is allocated after it, as the allocator says.
    """

    at_ns: int
    address: int
    change: int
    total: int


class Ledger:
    """The blocks that are allocated, from phase to phase."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self._live: dict[int, tuple[int, str]] = {}

    def enter(
        self, phase: str, events: Sequence[Block], wanted: Iterable[int]
    ) -> Mapping[str, tuple[int, ...]]:
        """Take in what happened in a phase.

        Args:
            phase: Its id.
            events: Every allocation and release in order.
            wanted: Indices of events, ascending.

        Returns:
            By component, the bytes after each of those events; together they are the total the allocator
            says. What it has beyond the blocks, ends of them for the most, is ``rounding``; what it has less
            was released by another thread.
        """
        known = self._known()
        names = _named(events, known, "activations" if phase == "forward" else "temporaries")
        self._let_go(known, {event.address for event in events})
        sizes = Counter[str]()
        for size, name in self._live.values():
            sizes[name] += size
        chosen = set(wanted)
        columns: list[Counter[str]] = []
        for index, event in enumerate(events):
            size, name = self._live.pop(event.address, (0, "temporaries"))
            sizes[name] -= size
            if event.change >= 0:
                self._live[event.address] = (event.change, names[index])
                sizes[names[index]] += event.change
            if index in chosen:
                columns.append(_column(sizes, event.total))
        self._live = {
            address: (size, known.get(address, name)) for address, (size, name) in self._live.items()
        }
        seen = sorted({name for column in columns for name, size in column.items() if size})
        return {name: tuple(column[name] for column in columns) for name in seen}

    def _let_go(self, known: Mapping[int, str], touched: Collection[int]) -> None:
        """Buckets that were replaced, and that no event of this thread releases: one of gloo's does."""
        for address, (size, name) in self._live.items():
            if name == "communication" and address not in known and address not in touched:
                self._live[address] = (size, "temporaries")


def _column(sizes: Counter[str], total: int) -> Counter[str]:
    """Bytes by component at one moment; together they are the total."""
    column = Counter(sizes)
    rest = total - sizes.total()
    for name in _SENT:
        released = min(max(0, -rest), column[name])
        column[name] -= released
        rest += released
    column["rounding"] += rest
    return column


def _named(events: Sequence[Block], known: Mapping[int, str], left: str) -> list[str]:
    """Component of each allocation; of a release it does not matter."""
    names = ["temporaries"] * len(events)
    last: dict[int, int] = {}
    for index, event in enumerate(events):
        if event.change >= 0:
            last[event.address] = index
        else:
            last.pop(event.address, None)
    for address, index in last.items():
        names[index] = known.get(address, left)
    return names


def known_tensors(job: Job, update: Update) -> Mapping[int, str]:
    """Component of every tensor of a model and its update, by the address of its storage."""
    found = {address: held.component for address, held in job.held().items()}
    _enter(found, (tensor for _, tensor in update.state()), "optimizer_state")
    _enter(found, update.gradients(), "gradients")
    _enter(found, update.masters, "master_weights")
    _enter(found, job.buffers, "buffers")
    _enter(found, job.parameters, "weights")
    return found


def _enter(found: dict[int, str], tensors: Iterable[Tensor], component: str) -> None:
    for tensor in tensors:
        found[local_part(tensor).untyped_storage().data_ptr()] = component
