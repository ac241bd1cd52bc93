"""What torch allocates on a GPU, phase by phase, from the caching allocator's statistics and its history.

The statistics (``torch.cuda.memory_stats``) give every figure; the history
(``torch.cuda.memory._record_memory_history``) gives the single allocations, from which the course of a
phase is told apart by what the bytes are. It is recorded without stacks, which costs next to nothing, unless
the history itself was asked for as a file (``torch.cuda.memory._dump_snapshot``).

Source: ``c10/cuda/CUDACachingAllocator.cpp``: ``alloc`` and ``free_requested`` carry the bytes that were
asked for, and the allocated bytes fall at ``free_requested``.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from optmem_gui.core.blocks import whole_blocks
from optmem_gui.core.errors import UserError
from optmem_gui.core.protocol import PhaseSample
from optmem_gui.worker.cpu_meter import MAX_POINTS, Sink, thinned
from optmem_gui.worker.ledger import Block, Known, Ledger

_MOST_EVENTS = 1_000_000
"""Kept by the allocator; a run with more has no course by component from there on."""


class CudaMeter:
    """The caching allocator's statistics.

    Args:
        device: The GPU.
        sink: Told about every phase.
        known: What the worker's tensors are, by address.
        history: File for the allocator's history, empty for none.
    """

    def __init__(self, device: torch.device, sink: Sink, known: Known = dict, history: str = "") -> None:
        self._device, self._sink, self._history = device, sink, history
        self._ledger = Ledger(known)
        self._seen_count = 0
        torch.cuda.memory._record_memory_history(  # noqa: SLF001  # torch's documented name of it
            "all", context="all" if history else None, stacks="python", max_entries=_MOST_EVENTS
        )

    @contextmanager
    def phase(self, step: int, phase: str) -> Iterator[None]:
        """Measure one phase between two synchronisations."""
        torch.cuda.synchronize(self._device)
        torch.cuda.reset_peak_memory_stats(self._device)
        start_ns, epoch_ns = time.monotonic_ns(), time.time_ns()
        before = torch.cuda.memory_stats(self._device)
        try:
            yield
        finally:
            torch.cuda.synchronize(self._device)
            stats = torch.cuda.memory_stats(self._device)
            end_ns = time.monotonic_ns()
            start, peak = _figure(before, "allocated_bytes.all.current"), stats["allocated_bytes.all.peak"]
            events = self._new_events(start, peak, start_ns - epoch_ns)
            shown = thinned([event.total for event in events], MAX_POINTS)
            points = ((min(max(events[at].at_ns, start_ns), end_ns), events[at].total) for at in shown)
            self._sink(
                PhaseSample(
                    step=step,
                    phase=phase,
                    start_ns=start_ns,
                    end_ns=end_ns,
                    start_bytes=start,
                    allocated_bytes=stats["allocated_bytes.all.current"],
                    peak_bytes=peak,
                    reserved_bytes=stats["reserved_bytes.all.current"],
                    peak_reserved_bytes=stats["reserved_bytes.all.peak"],
                    points=tuple(points),
                    parts=self._ledger.enter(phase, events, shown),
                    active_bytes=stats["active_bytes.all.current"],
                    peak_active_bytes=stats["active_bytes.all.peak"],
                    alloc_count=stats["allocation.all.allocated"]
                    - _figure(before, "allocation.all.allocated"),
                    retry_count=stats["num_alloc_retries"] - _figure(before, "num_alloc_retries"),
                )
            )

    def _new_events(self, start: int, peak: int, shift_ns: int) -> list[Block]:
        """What was allocated and released since the last phase; nothing once the history is full."""
        snapshot: Mapping[str, Any] = torch.cuda.memory._snapshot()  # noqa: SLF001  # as above
        traces = snapshot["device_traces"]
        entries = traces[self._device.index or 0] if traces else []
        fresh, self._seen_count = entries[self._seen_count :], len(entries)
        if self._seen_count >= _MOST_EVENTS:
            return []
        events, total = [], start
        for entry in fresh:
            sign = {"alloc": 1, "free_requested": -1}.get(entry["action"])
            if sign is None:
                continue
            size = entry["size"]
            total += sign * whole_blocks(size)
            at_ns = entry["time_us"] * 1000 + shift_ns
            events.append(Block(at_ns, entry["addr"], sign * size, min(total, peak)))
        return events

    def close(self) -> None:
        """Write the history, where one was asked for, and stop recording it.

        Raises:
            UserError: The file cannot be written.
        """
        if self._history:
            try:
                torch.cuda.memory._dump_snapshot(  # type: ignore[no-untyped-call]  # noqa: SLF001  # as above
                    self._history
                )
            except OSError as error:
                cause = error.strerror or str(error)
                raise UserError("measure.history_not_written", path=self._history, cause=cause) from error
        torch.cuda.memory._record_memory_history(None)  # noqa: SLF001  # as above


def _figure(stats: Mapping[str, int], name: str) -> int:
    """A statistic; before the first allocation there are none."""
    return stats.get(name, 0)
