"""What can be decided about the present inputs, and the scenario they are set against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # named in the fields only; the start does without them
    from optmem_gui.core.breakdown import Breakdown
    from optmem_gui.core.gpu_fits import GpuFit
    from optmem_gui.core.gpus import Gpu
    from optmem_gui.core.scenario import Scenario
    from optmem_gui.core.solve import Solution
    from optmem_gui.core.ways import Way


@dataclass(frozen=True, slots=True)
class Decisions:
    """Answers about one scenario, as far as they are known.

    Attributes:
        scenario: What they are about.
        gpu: The GPU that batch and sequence are to fit on; None where none is chosen.
        batch: The largest batch; None where it is not known or has no meaning.
        sequence: The longest sequence, likewise.
        ways: Single changes that lower the peak.
        fits: Every GPU of the table.
        done: Nothing more comes.
    """

    scenario: Scenario
    gpu: Gpu | None
    batch: Solution | None = None
    sequence: Solution | None = None
    ways: tuple[Way, ...] = ()
    fits: tuple[GpuFit, ...] = ()
    done: bool = False


@dataclass(frozen=True, slots=True)
class Pinned:
    """A scenario that the present one is set against.

    Attributes:
        title: What to call it: a file's name, or empty for one that was pinned as it stood.
        scenario: The scenario.
        breakdown: Its estimate.
    """

    title: str
    scenario: Scenario
    breakdown: Breakdown
