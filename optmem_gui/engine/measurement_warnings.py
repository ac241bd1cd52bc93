"""What makes the figures of a finished measurement less than exact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from optmem_gui.core.observing import NOTICED_BYTES, Others, disturbed
from optmem_gui.core.protocol import Hello, PhaseSample, Sample, SamplerNote, StepResult
from optmem_gui.core.reasons import Reason, Value
from optmem_gui.core.requests import MeasureRequest


class Heard(Protocol):
    """What was heard of a measurement."""

    request: MeasureRequest
    hello: Hello | None
    baseline: int | None
    phases: list[PhaseSample]
    steps: list[StepResult]
    samples: list[Sample]
    others: list[Others]


def warnings_of(heard: Heard) -> tuple[Reason, ...]:
    """What makes the figures of a measurement that finished less than exact."""
    total = None if heard.hello is None else heard.hello.total_bytes
    used = [s.device_used_bytes for s in heard.samples if s.device_used_bytes is not None]
    change = used[-1] - heard.baseline if used and heard.baseline is not None else 0
    return (
        *([Reason("measure.compiled")] if heard.request.compiled else ()),
        *spill(total, heard.phases),
        *growth(heard.steps),
        *disturbance(change, heard.others),
    )


def spill(total_bytes: int | None, phases: Sequence[PhaseSample]) -> Iterator[Reason]:
    """More was held than the GPU has: the driver moved the rest to host memory."""
    reserved = max((p.peak_reserved_bytes or 0 for p in phases), default=0)
    if total_bytes is not None and reserved > total_bytes:
        yield Reason("measure.spilled", {"reserved_bytes": reserved, "total_bytes": total_bytes})


def growth(steps: Sequence[StepResult]) -> Iterator[Reason]:
    """The optimizer's state still grew in the last step, so that was not the steady one."""
    states = [step.categories.optimizer_state for step in steps[1:]]
    if len(states) > 1 and states[-1] > states[-2]:
        grown = states[-1] - states[-2]
        yield Reason("measure.still_growing", {"grown_bytes": grown, "steps": len(steps)})


def seen(others: Sequence[Others], notes: Sequence[SamplerNote]) -> tuple[Others, ...]:
    """Who else used the GPU; nobody is known where the worker may be in the list under another number."""
    hidden = any(note.series == "process" for note in notes)
    return () if hidden else tuple(others)


def disturbance(change_bytes: int, others: Sequence[Others]) -> Iterator[Reason]:
    """Other processes changed what they use of the GPU meanwhile.

    Args:
        change_bytes: What the device holds after the worker has gone less what it held before.
        others: Who else was seen on the GPU.
    """
    named = disturbed(others)
    for other in named:
        who: dict[str, Value] = {"name": other.process.name or "?", "pid": other.process.pid}
        yield Reason("measure.other_changed", {**who, "change_bytes": other.bytes})
    if abs(change_bytes) > NOTICED_BYTES and not named:
        yield Reason("measure.others_changed", {"change_bytes": change_bytes})
