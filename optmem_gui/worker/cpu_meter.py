"""What torch allocates on the CPU, phase by phase.

Torch's profiler reports every allocation and release with the running total
(``ProfiledCPUMemoryReporter`` in c10/core/CPUAllocator.cpp). The total survives from one recording to the
next, so it is exact as long as tensors are made and dropped inside phases only. Its public class would
record every operation beside that, which multiplies the time of an optimizer over many small tensors;
what it is built on takes the kinds of operations as an argument.

It reports what its own thread does, and what other threads release stays in the total for good unless the
flag ``caffe2_report_cpu_memory_usage`` of the same file is set. Between ranks, gloo's threads let go of what
was sent: :func:`every_thread_counted` sets the flag.
"""

from __future__ import annotations

import ctypes
import logging
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path

import torch
from torch._C._autograd import _ProfilerResult
from torch._C._profiler import (
    ProfilerActivity,
    ProfilerConfig,
    ProfilerState,
    RecordScope,
    _ExperimentalConfig,
    _ExtraFields_Allocation,
)
from torch.autograd import (  # type: ignore[attr-defined]  # the stubs leave them out
    _disable_profiler,
    _enable_profiler,
    _prepare_profiler,
)

from optmem_gui.core.protocol import PhaseSample
from optmem_gui.worker.ledger import Block, Known, Ledger

MAX_POINTS = 120
"""Points of a phase's course that are sent; a plot is not wider."""

_ACTIVITIES = {ProfilerActivity.CPU}
_NO_OPERATIONS = {RecordScope.LITE_INTERPRETER}
"""A kind of operation that no training step has; an empty set would mean all kinds."""

_CONFIG = ProfilerConfig(
    ProfilerState.KINETO,
    False,  # shapes
    True,  # memory
    False,  # stacks
    False,  # flops
    False,  # modules
    _ExperimentalConfig(),
)

Sink = Callable[[PhaseSample], None]

_log = logging.getLogger(__name__)
_LIBRARY = {"win32": "c10.dll", "darwin": "libc10.dylib"}.get(sys.platform, "libc10.so")
_FLAG = "FLAGS_caffe2_report_cpu_memory_usage"


@contextmanager
def every_thread_counted() -> Iterator[None]:
    """Let torch's total follow the releases of every thread; without its flag the total is that of one."""
    try:
        library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / _LIBRARY))
        flag = ctypes.c_bool.in_dll(library, _FLAG)
    except (OSError, ValueError) as error:
        _log.warning("what other threads release stays counted: %s", error)
        yield
        return
    before, flag.value = flag.value, True
    try:
        yield
    finally:
        flag.value = before


class CpuMeter:
    """torch's own allocation events on the CPU."""

    def __init__(self, sink: Sink, known: Known = dict) -> None:
        self._sink = sink
        self._ledger = Ledger(known)
        self._allocated = 0

    @contextmanager
    def phase(self, step: int, phase: str) -> Iterator[None]:
        """Record one phase."""
        start_ns, epoch_ns = time.monotonic_ns(), time.time_ns()
        _prepare_profiler(_CONFIG, _ACTIVITIES)
        _enable_profiler(_CONFIG, _ACTIVITIES, _NO_OPERATIONS)  # type: ignore[call-arg]  # stubs lack the third
        try:
            yield
        finally:
            recording = _disable_profiler()
            end_ns = time.monotonic_ns()
            events = _allocations(recording, start_ns - epoch_ns)
            # Another recording of this process may have moved the total: the first event knows better.
            start = events[0].total - events[0].change if events else self._allocated
            self._allocated = events[-1].total if events else start
            shown = thinned([event.total for event in events], MAX_POINTS)
            points = ((min(max(events[at].at_ns, start_ns), end_ns), events[at].total) for at in shown)
            self._sink(
                PhaseSample(
                    step=step,
                    phase=phase,
                    start_ns=start_ns,
                    end_ns=end_ns,
                    start_bytes=start,
                    allocated_bytes=self._allocated,
                    peak_bytes=max(start, max((event.total for event in events), default=start)),
                    points=tuple(points),
                    parts=self._ledger.enter(phase, events, shown),
                    alloc_count=sum(event.change > 0 for event in events),
                )
            )

    def close(self) -> None:
        """Nothing is open between two phases."""


def _allocations(recording: _ProfilerResult, shift_ns: int) -> list[Block]:
    """Every allocation and release on the CPU, in order of time; as it was told where the clock did not tick.

    Args:
        recording: What the profiler kept.
        shift_ns: From its clock, which counts from the epoch, to the monotonic one.
    """
    events: list[Block] = []
    stack = list(reversed(recording.experimental_event_tree()))
    while stack:
        event = stack.pop()
        fields = event.extra_fields
        if isinstance(fields, _ExtraFields_Allocation):
            if fields.device.type == "cpu":
                at_ns = event.start_time_ns + shift_ns
                events.append(Block(at_ns, fields.ptr, fields.alloc_size, fields.total_allocated))
        else:
            stack.extend(reversed(event.children))
    events.sort(key=attrgetter("at_ns"))
    return events


def thinned(totals: Sequence[int], limit: int) -> tuple[int, ...]:
    """Indices of at most ``limit`` of them: the largest of each stretch, and the last one."""
    count = len(totals)
    if count <= limit:
        return tuple(range(count))
    stride = -(-count // (limit - 1))
    stretches = (range(at, min(at + stride, count)) for at in range(0, count, stride))
    largest = [max(stretch, key=totals.__getitem__) for stretch in stretches]
    return (*largest, count - 1) if largest[-1] != count - 1 else tuple(largest)
