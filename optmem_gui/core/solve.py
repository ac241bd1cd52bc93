"""The largest batch, or the longest sequence, that fits on a GPU."""

from __future__ import annotations

from collections.abc import Callable
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
    known: dict[int, Band] = {}

    def process(value: int) -> Band:
        if value not in known:
            chosen = replace(scenario, batch=value) if what == "batch" else replace(scenario, sequence=value)
            worst = Ranks.of(chosen, gpu).worst(implementation, scenario.options)
            reserved = reserved_band(worst.bytes, scenario.target)
            known[value] = process_band(reserved, scenario.target, ranks=scenario.parallel.gpus)
        return known[value]

    usable = gpu.usable_bytes
    return Solution(
        what,
        sure=largest(lambda value: process(value).high, usable),
        perhaps=largest(lambda value: process(value).low, usable),
    )


def largest(size: Callable[[int], int], limit: int, most: int = MOST) -> int:
    """The largest whole number whose size is within a limit; 0 where that of 1 is not.

    Sizes grow almost in proportion, so a straight line through two of them comes close at once; from there
    the answer is bracketed and halved.

    Args:
        size: Size for a number of 1 or more; it never falls.
        limit: Largest size allowed.
        most: Largest number looked at.
    """
    first = size(1)
    if first > limit:
        return 0
    slope = max(1, (size(min(most, 1024)) - first) // 1023)
    low, high = 1, most + 1
    guess = min(most, 1 + (limit - first) // slope)
    reach = 1
    while high - low > 1:
        guess = min(max(guess, low + 1), high - 1)
        if size(guess) <= limit:
            low, guess = guess, guess + reach
        else:
            high, guess = guess, guess - reach
        # once both ends are near, halving is the shortest way
        reach = reach * 2 if high - low > 2 * reach else max(1, (high - low) // 2)
        if high <= most and high - low <= 4 * reach:
            guess = (low + high) // 2
    return low
