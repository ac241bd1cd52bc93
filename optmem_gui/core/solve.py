"""The largest batch, or the longest sequence, that fits on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from optmem_gui.core.breakdown import Band
from optmem_gui.core.errors import UserError
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.overhead import process_band, reserved_band
from optmem_gui.core.peaks import Ranks
from optmem_gui.core.scenario import Scenario

What = Literal["batch", "sequence"]

MOST = 10**9
"""Where the search gives up: no batch and no sequence is larger."""

_FURTHER = 64
"""Where sizes do not grow yet, the next number is so many times the last."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The largest value that fits.

    Attributes:
        what: What was looked for.
        sure: Largest value that fits even at the upper end of the bands; 0 where not even 1 does.
        perhaps: Largest value that may fit: the lower end of the bands does.
    """

    what: What
    sure: int
    perhaps: int


def solve(scenario: Scenario, gpu: Gpu, what: What) -> Solution:
    """Find the largest batch or sequence that fits, everything else as it is.

    Args:
        scenario: The set-up; for a batch it has a sequence length, for a sequence a batch.
        gpu: The GPU it must fit on.
        what: What to look for.

    Raises:
        UserError: The model's architecture is not known, the other of the two is missing, or the scenario
            is impossible.
    """
    if scenario.model.architecture is None:
        raise UserError("solve.no_architecture")
    other = scenario.sequence if what == "batch" else scenario.batch
    if other is None:
        raise UserError(f"solve.{what}_needs")
    implementation = find(scenario.optimizer)
    peaks: dict[int, int] = {}

    def process(value: int) -> Band:
        if value not in peaks:
            chosen = replace(scenario, batch=value) if what == "batch" else replace(scenario, sequence=value)
            peaks[value] = Ranks.of(chosen, gpu).worst(implementation, scenario.options).bytes
        reserved = reserved_band(peaks[value], scenario.target)
        return process_band(reserved, scenario.target, ranks=scenario.parallel.gpus)

    usable = gpu.usable_bytes
    sure = largest(lambda value: process(value).high, usable)
    perhaps = largest(lambda value: process(value).low, usable, tried=tuple(peaks))
    return Solution(what, sure, perhaps)


def largest(size: Callable[[int], int], limit: int, most: int = MOST, tried: Sequence[int] = ()) -> int:
    """The largest whole number whose size is within a limit; 0 where that of 1 is not.

    Sizes grow almost in proportion, so a straight line through the two that are closest to the limit comes
    near at once; from there the bracket around the answer is halved.

    Args:
        size: Size for a number of 1 or more; it never falls.
        limit: Largest size allowed.
        most: Largest number looked at.
        tried: Numbers whose size is at hand.
    """
    sizes = {1: size(1)}
    if sizes[1] > limit:
        return 0
    sizes |= {value: size(value) for value in tried}
    width = 0
    while True:
        low = max(value for value, found in sizes.items() if found <= limit)
        high = min((value for value, found in sizes.items() if found > limit), default=most + 1)
        if high - low <= 1:
            return low
        # sizes come in whole segments: where a line did not halve the bracket, it is halved
        halve = 0 < width < 2 * (high - low)
        guess = (low + high) // 2 if halve else _crossing(sizes, limit)
        width = 0 if halve or high > most else high - low
        guess = min(max(guess, low + 1), high - 1)
        sizes[guess] = size(guess)


def _crossing(sizes: dict[int, int], limit: int) -> int:
    """Where the line through the two sizes closest to the limit reaches it; far off where there is none."""
    (one, its), *others = sorted(sizes.items(), key=lambda item: abs(item[1] - limit))
    for other, theirs in others:
        if theirs != its and abs(other - one) >= one // 64:
            return one + (limit - its) * (other - one) // (theirs - its)
    return max(sizes) * _FURTHER
