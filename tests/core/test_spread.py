from __future__ import annotations

from optmem_gui.core.protocol import PhaseSample
from optmem_gui.core.spread import Spread, spread_told, spreads


def sample(step: int, phase: str, peak: int, took: int) -> PhaseSample:
    return PhaseSample(step, phase, 100, 100 + took, 0, 0, peak)


def test_the_first_step_stands_apart_from_its_repeats() -> None:
    """Steps 2 to 4 peak at 12, 10 and 11; micro-batches of a step add up in time, not in size."""
    phases = (
        sample(0, "load", 5, 9),
        sample(1, "forward", 20, 50),
        sample(2, "forward", 12, 3),
        sample(2, "forward", 9, 4),
        sample(3, "forward", 10, 5),
        sample(4, "forward", 11, 6),
    )
    assert spreads(phases) == (Spread("forward", 3, 20, 10, 11, 12, 5, 6, 7),)


def test_one_step_has_no_spread() -> None:
    assert spreads((sample(0, "load", 5, 9), sample(1, "forward", 20, 50))) == ()


def test_of_two_repeats_the_middle_is_one_that_was_measured() -> None:
    (found,) = spreads((sample(2, "backward", 4, 2), sample(3, "backward", 7, 8)))
    assert (found.low_bytes, found.median_bytes, found.high_bytes) == (4, 4, 7)
    assert found.first_bytes == 0


def test_the_phase_that_peaks_is_told() -> None:
    forward = [sample(step, "forward", 10 + step, 1) for step in (1, 2, 3)]
    phases = (*forward, sample(2, "backward", 3, 1))
    told = spread_told(phases)
    assert told is not None
    assert told.values["phase"] == "forward"
    assert (told.values["low_bytes"], told.values["high_bytes"], told.values["first_bytes"]) == (12, 13, 11)
    assert "12 B to 13 B" in str(told)
    assert spread_told(phases[:2]) is None
