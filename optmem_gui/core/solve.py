"""The largest batch, or the longest sequence, that fits on a GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Literal

from optmem_gui.core.errors import UserError
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.ground import Parts
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.overhead import process_band, reserved_band
from optmem_gui.core.peaks import DOUBT_BYTES, PhasesAt, Ranks
from optmem_gui.core.scenario import Scenario, Target

What = Literal["batch", "sequence"]

MOST = 10**9
"""Where the search gives up: no batch and no sequence is larger."""

_FURTHER = 64
"""Where sizes do not grow yet, the next number is so many times the last."""

_TILES = 64
"""Sizes of numbers closer than this part of them say little of the slope: kernels work in tiles."""

_NEAR = 8
"""Numbers that are this close to each other are near, however small they are."""

_MISS = 128
"""A line misses the limit by about this part of the way that it went, where sizes are smooth ..."""

_LEAST_MISS = 2
"""... and hardly by less than this, where they go up in steps."""

_WIDER = 4
"""How many times further is aimed where the far end has still not come near."""

_PATIENCE = 64
"""Numbers looked at before lines are left for halves: only sizes that fall lead lines astray so long."""

Sizes = tuple[int, ...]
"""What must stay within a limit for one number, each part on its own: parts grow evenly, their largest does
not."""


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
        UserError: The model's architecture is not known, its activations are not counted in this set-up, the
            other of the two is missing, or the scenario is impossible.
    """
    if not scenario.model.is_known:
        raise UserError("solve.no_architecture")
    if what == "sequence" and scenario.model.own_sequence is not None:
        raise UserError("solve.own_sequence", tokens=scenario.model.own_sequence)
    other = scenario.tokens if what == "batch" else scenario.batch
    if other is None:
        raise UserError(f"solve.{what}_needs")
    most = MOST if what == "batch" else scenario.model.most_tokens or MOST
    start = min((scenario.batch if what == "batch" else scenario.sequence) or 1, most)
    at_start = replace(scenario, batch=start) if what == "batch" else replace(scenario, sequence=start)
    _check_counted(at_start, gpu)
    ranks = scenario.parallel.gpus
    limits = [most_bytes(gpu, scenario.target, ranks, sure=sure) for sure in (True, False)]
    size = _Size(scenario, gpu, what, limits)
    known: dict[int, Sizes] = {}
    sure, perhaps = (largest(size, limit, most, known=known, start=start) for limit in limits)
    return Solution(what, sure, perhaps)


def _check_counted(scenario: Scenario, gpu: Gpu) -> None:
    """Without its activations a step takes the same at any size, and any size would seem to fit."""
    if scenario.model.network is None:  # decoders have rules for every set-up
        return
    for ground in Parts(scenario, gpu).grounds(scenario.parallel):
        if ground.uncounted is not None:
            raise UserError("solve.not_counted", why=str(ground.uncounted))


class _Size:
    """Sizes of one scenario at any value of what is looked for."""

    def __init__(self, scenario: Scenario, gpu: Gpu, what: What, limits: Sequence[int]) -> None:
        self._scenario, self._gpu, self._what, self._limits = scenario, gpu, what, limits
        self._phases, self._implementation = PhasesAt(scenario, gpu), find(scenario.optimizer)

    def __call__(self, value: int) -> Sizes:
        batch, sequence = self._scenario.batch or value, self._scenario.sequence or value
        batch, sequence = (value, sequence) if self._what == "batch" else (batch, value)
        sizes = self._phases(batch, sequence)
        if all(abs(max(sizes) - limit) > DOUBT_BYTES for limit in self._limits):
            return sizes
        scenario = replace(self._scenario, batch=batch, sequence=sequence)
        exact = Ranks.of(scenario, self._gpu).worst(self._implementation, scenario.options)
        return (exact.bytes,) * len(sizes)


def most_bytes(gpu: Gpu, target: Target, ranks: int, *, sure: bool) -> int:
    """The highest peak that fits on a GPU; -1 where none does.

    Args:
        gpu: The GPU.
        target: Whose rules apply.
        ranks: GPUs of the run.
        sure: At the upper end of the bands, not at the lower.
    """
    low, high = -1, gpu.usable_bytes + 1
    while high - low > 1:
        middle = (low + high) // 2
        band = process_band(reserved_band(middle, target), target, ranks, gpu)
        if (band.high if sure else band.low) > gpu.usable_bytes:
            high = middle
        else:
            low = middle
    return low


def largest(
    size: Callable[[int], Sizes],
    limit: int,
    most: int = MOST,
    *,
    known: dict[int, Sizes] | None = None,
    start: int = 1,
) -> int:
    """The largest whole number whose sizes are all within a limit; 0 where those of 1 are not.

    Each part grows between proportionally and with the square, and in small steps where kernels work in
    tiles and the allocator in blocks. Its trend comes near at once; aiming beyond it brings the other end
    near, and lines and halves in the small bracket do the rest. Whatever the sizes do, those of the answer
    are within the limit and those of the next number are not; where they never fall, it is the largest.

    Args:
        size: Sizes for a number of 1 or more.
        limit: Largest size allowed.
        most: Largest number looked at.
        known: Sizes at hand by number; those that are computed are added.
        start: Number to begin with.
    """
    known = {} if known is None else known
    last = min(max(start, 1), most)
    for value in (1, last):
        if value not in known:
            known[value] = size(value)
        if value == 1 and max(known[1]) > limit:
            return 0
    again, way = 0, 0
    moved_low: bool | None = None
    while True:
        low = max(value for value, found in known.items() if max(found) <= limit)
        high = min((value for value, found in known.items() if max(found) > limit), default=most + 1)
        if high - low <= 1:
            return low
        guess = _aim(known, limit, low, high)
        if again and high in known:
            step = max(_LEAST_MISS, way // _MISS) * _WIDER ** (again - 1)
            middle = (low + high) // 2
            guess = min(guess + step, middle) if moved_low else max(guess - step, middle)
        elif again > 1:
            guess += guess - low
        if len(known) > _PATIENCE:
            guess = (low + high) // 2 if high in known else 2 * low
        guess = min(max(guess, low + 1), high - 1)
        known[guess] = size(guess)
        fits = max(known[guess]) <= limit
        again = again + 1 if fits is moved_low else 0
        moved_low, way, last = fits, abs(guess - last), guess


def _aim(known: dict[int, Sizes], limit: int, low: int, high: int) -> int:
    """Where sizes are thought to reach the limit: along a line once both ends are near, else by the trend."""
    guess = _trend(known, limit)
    bracketed = high in known
    if bracketed and (high - low <= max(_NEAR, low // _TILES) or not low < guess < high):
        return _between(known, limit, low, high)
    return guess


def _between(known: dict[int, Sizes], limit: int, low: int, high: int) -> int:
    """Where straight lines from the last number that fits to the first that does not reach the limit."""
    return min(
        low + (limit - below) * (high - low) // (above - below)
        for below, above in zip(known[low], known[high], strict=True)
        if above > limit
    )


def _trend(known: dict[int, Sizes], limit: int) -> int:
    """Where the first of the parts reaches the limit."""
    parts = range(len(known[1]))
    return min(_reach({value: sizes[part] for value, sizes in known.items()}, limit) for part in parts)


def _reach(sizes: dict[int, int], limit: int) -> int:
    """Where the line through the two sizes closest to the limit reaches it; far off where none grew yet.

    Beyond both of them sizes grow at least as from the start in proportion, at most with the square.
    """
    start = sizes[1]
    room = max(0, limit - start)
    grown = {value: size - start for value, size in sizes.items() if size > start}
    if not grown:
        return max(sizes) * _FURTHER
    (one, its), *others = sorted(grown.items(), key=lambda item: abs(item[1] - room))
    in_proportion = one * room / its
    for other, theirs in others:
        if theirs != its and abs(other - one) >= max(1, one // _TILES):
            line = one + (room - its) * (one - other) / (its - theirs)
            return int(min(max(line, one * sqrt(room / its)), in_proportion) if room > its else line)
    return int(in_proportion)
