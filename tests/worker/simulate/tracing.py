"""Trace pieces of a program in a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from optmem_gui.core.simulating import SimulationTarget
from optmem_gui.worker.simulate.facts import machine_of
from optmem_gui.worker.simulate.rules import RULES
from optmem_gui.worker.simulate.tape import Block
from optmem_gui.worker.simulate.trace import traced
from optmem_gui.worker.simulate.tracker import Tracker

A100 = SimulationTarget(torch="2.13", architecture="sm_80", sm_count=108, threads_per_sm=2048)
H100 = SimulationTarget(torch="2.13", architecture="sm_90", sm_count=132, threads_per_sm=2048)
MIB = 1 << 20


@contextmanager
def tracing(target: SimulationTarget = A100) -> Iterator[Tracker]:
    """A tracker that sees everything inside."""
    tracker = Tracker(machine_of(target), RULES, bool)
    with traced(tracker):
        yield tracker


def now(tracker: Tracker) -> int:
    """Events so far."""
    return len(tracker.tape.events)


def events(tracker: Tracker, start: int = 0) -> list[tuple[str, int]]:
    """(operator, bytes) from an event on, frees negative."""
    alive: set[Block] = set()
    found = []
    for index, block in enumerate(tracker.tape.events):
        taken = block not in alive
        alive.symmetric_difference_update((block,))
        if index >= start:
            found.append((block.op, block.requested if taken else -block.requested))
    return found


def taken(tracker: Tracker, start: int = 0) -> list[tuple[str, int]]:
    """(operator, bytes) of the allocations from an event on, without workspaces that stay."""
    return [pair for pair in events(tracker, start) if pair[1] > 0 and "workspace" not in pair[0]]


def kept(tracker: Tracker, start: int) -> int:
    """Requested bytes more than at an event, without what is inside kernels."""
    return sum(size for op, size in events(tracker, start) if ":" not in op)


def peak(tracker: Tracker, start: int = 0) -> int:
    """Most requested bytes from an event on, without what is inside kernels."""
    total = most = 0
    for index, (op, size) in enumerate(events(tracker)):
        if ":" not in op:
            total += size
            if index >= start:
                most = max(most, total)
    return most
