"""What torch allocates on the CPU, phase by phase.

Torch's profiler reports every allocation and release with the running total
(``ProfiledCPUMemoryReporter`` in c10/core/CPUAllocator.cpp). The total survives from one recording to the
next, so it is exact as long as tensors are made and dropped inside phases only. Its public class would
record every operation beside that, which multiplies the time of an optimizer over many small tensors;
what it is built on takes the kinds of operations as an argument.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter

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

_MAX_POINTS = 120
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


class CpuMeter:
    """torch's own allocation events on the CPU."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
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
            course, change, before = _allocations(recording, start_ns - epoch_ns)
            shown = thinned(course, _MAX_POINTS)
            # Another recording of this process may have moved the total: the first event knows better.
            start = self._allocated if before is None else before
            self._allocated = start + change
            self._sink(
                PhaseSample(
                    step=step,
                    phase=phase,
                    start_ns=start_ns,
                    end_ns=end_ns,
                    start_bytes=start,
                    allocated_bytes=self._allocated,
                    peak_bytes=max(start, max((total for _, total in course), default=start)),
                    points=tuple((min(max(at, start_ns), end_ns), total) for at, total in shown),
                )
            )


Course = list[tuple[int, int]]


def _allocations(recording: _ProfilerResult, shift_ns: int) -> tuple[Course, int, int | None]:
    """Every allocation and release on the CPU.

    Args:
        recording: What the profiler kept.
        shift_ns: From its clock, which counts from the epoch, to the monotonic one.

    Returns:
        (time, running total after it) in order of time, by how much the total changed in all, and the
        total before the first of them; None where there was none.
    """
    events: list[tuple[int, int, int]] = []
    stack = recording.experimental_event_tree()
    while stack:
        event = stack.pop()
        fields = event.extra_fields
        if isinstance(fields, _ExtraFields_Allocation):
            if fields.device.type == "cpu":
                events.append((event.start_time_ns + shift_ns, fields.total_allocated, fields.alloc_size))
        else:
            stack.extend(event.children)
    events.sort(key=itemgetter(0))
    before = events[0][1] - events[0][2] if events else None
    return [(at, total) for at, total, _ in events], sum(size for _, _, size in events), before


def thinned(points: Sequence[tuple[int, int]], limit: int) -> tuple[tuple[int, int], ...]:
    """At most ``limit`` points: the largest of each stretch, and the last one."""
    if len(points) <= limit:
        return tuple(points)
    stride = -(-len(points) // (limit - 1))
    stretches = (points[at : at + stride] for at in range(0, len(points), stride))
    return (*(max(stretch, key=lambda pair: pair[1]) for stretch in stretches), points[-1])
