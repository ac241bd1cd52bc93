"""How much repeated steps differ: the first one apart, smallest, middle and largest of the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low

from optmem_gui.core.breakdown import PHASE_IDS
from optmem_gui.core.protocol import PhaseSample
from optmem_gui.core.reasons import Reason

WARM_UP_STEPS = 1
"""The first step allocates the optimizer state and what libraries set up once: it repeats no other."""


@dataclass(frozen=True, slots=True)
class Spread:
    """One phase over the steps after the warm-up.

    Attributes:
        phase: Id of the phase.
        step_count: Steps it was seen in.
        first_bytes: Its largest moment in the first step.
        low_bytes: Smallest of its largest moments.
        median_bytes: The middle one; of an even number the lower of the two.
        high_bytes: Largest of them.
        low_ns: Shortest time that all its runs of one step took.
        median_ns: The middle one.
        high_ns: Longest.
    """

    phase: str
    step_count: int
    first_bytes: int
    low_bytes: int
    median_bytes: int
    high_bytes: int
    low_ns: int
    median_ns: int
    high_ns: int


def spreads(phases: Sequence[PhaseSample]) -> tuple[Spread, ...]:
    """The spread of every phase of the steps, in their order; none where no step came after the warm-up.

    Args:
        phases: Every phase that ran; micro-batches repeat forward and backward within a step.
    """
    runs: dict[tuple[str, int], list[PhaseSample]] = defaultdict(list)
    for phase in phases:
        runs[phase.phase, phase.step].append(phase)
    found = (
        _spread(phase, {step: each for (name, step), each in runs.items() if name == phase})
        for phase in PHASE_IDS
    )
    return tuple(spread for spread in found if spread is not None)


def spread_told(phases: Sequence[PhaseSample]) -> Reason | None:
    """The phase with the highest peak in one sentence; None where no two steps can be held side by side."""
    found = [spread for spread in spreads(phases) if spread.step_count > 1]
    if not found:
        return None
    highest = max(found, key=lambda spread: spread.high_bytes)
    return Reason(
        "measure.spread",
        {
            "phase": highest.phase,
            "steps": highest.step_count,
            "low_bytes": highest.low_bytes,
            "median_bytes": highest.median_bytes,
            "high_bytes": highest.high_bytes,
            "first_bytes": highest.first_bytes,
        },
    )


def _spread(phase: str, steps: dict[int, list[PhaseSample]]) -> Spread | None:
    repeats = [samples for step, samples in steps.items() if step > WARM_UP_STEPS]
    if not repeats:
        return None
    peaks = [max(sample.peak_bytes for sample in samples) for samples in repeats]
    times = [sum(sample.end_ns - sample.start_ns for sample in samples) for samples in repeats]
    return Spread(
        phase,
        len(repeats),
        max((sample.peak_bytes for sample in steps.get(1, ())), default=0),
        min(peaks),
        median_low(peaks),
        max(peaks),
        min(times),
        median_low(times),
        max(times),
    )
