"""The answer: what one training step holds, component by component and phase by phase."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from optmem_gui.core.reasons import Reason

COMPONENT_IDS = (
    "weights",
    "gradients",
    "master_weights",
    "optimizer_state",
    "buffers",
    "activations",
    "autocast_copies",
    "temporaries",
    "communication",
    "workspace",
    "other_models",
    "rounding",
)
"""Every component, in the order it is stacked and listed."""

PHASE_IDS = ("load", "forward", "backward", "optimizer_step", "between_steps")
"""Every phase, in the order it runs; in a tie the earliest is the peak."""


@dataclass(frozen=True, slots=True)
class Detail:
    """One line below a component: a part that deserves its own number and reason."""

    bytes: int
    why: Reason


@dataclass(frozen=True, slots=True)
class Component:
    """One row of the breakdown.

    Attributes:
        id: One of :data:`COMPONENT_IDS`.
        bytes: Largest size in a steady step, host memory included for the optimizer state.
        at_peak: Its part of the peak on the device.
        host_bytes: Part of ``bytes`` that lives in host memory.
        dtype: Types it is made of, joined by ``+``; empty where there is none.
        counted: False where nothing is known (no architecture): the row says "not counted", never 0.
        formula: How the number was made.
        why: What it is and why it exists.
        details: Parts of it, each with its own reason.
    """

    id: str
    bytes: int
    at_peak: int
    host_bytes: int
    dtype: str
    counted: bool
    formula: Reason
    why: Reason
    details: tuple[Detail, ...] = ()

    def bytes_per_parameter(self, param_count: int) -> float:
        """Bytes a parameter of the whole model."""
        return self.bytes / param_count if param_count else 0.0


@dataclass(frozen=True, slots=True)
class Phase:
    """The moment inside one phase at which most is allocated.

    Attributes:
        id: One of :data:`PHASE_IDS`.
        parts: Bytes on the device by component id at that moment.
    """

    id: str
    parts: Mapping[str, int]

    @property
    def bytes(self) -> int:
        """Bytes allocated at that moment."""
        return sum(self.parts.values())


@dataclass(frozen=True, slots=True)
class Moment:
    """One point of the estimated timeline.

    Attributes:
        phase: Phase it belongs to.
        at: Place on a unit time axis, 0 to 1 over load and one steady step; schematic, not seconds.
        parts: Bytes on the device by component id.
    """

    phase: str
    at: float
    parts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Band:
    """A number known between two bounds, bytes."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class ParameterCounts:
    """Parameters of the model, adapters included; ``active`` is used by one token."""

    total: int
    trainable: int
    active: int


@dataclass(frozen=True, slots=True)
class Fit:
    """The verdict for one GPU.

    Attributes:
        gpu: Id of the GPU.
        usable: Driver's total less its reserve, bytes.
        fits: ``yes``, ``tight`` or ``no``.
        free: ``usable`` less ``process.high``; negative when it does not fit.
    """

    gpu: str
    usable: int
    fits: str
    free: int


@dataclass(frozen=True, slots=True)
class RankRow:
    """One kind of rank of a run over several GPUs.

    Attributes:
        stage: Place of its pipeline stage, 0 first.
        param_count: Parameters of the part of the model it computes with.
        peak_bytes: Largest number allocated in a step.
        peak_phase: Phase it falls in.
        host_bytes: What it keeps in host memory.
        why: What sets it apart.
    """

    stage: int
    param_count: int
    peak_bytes: int
    peak_phase: str
    host_bytes: int
    why: Reason


@dataclass(frozen=True, slots=True)
class Breakdown:
    """What :func:`optmem_gui.core.estimate.compute` answers.

    Attributes:
        parameters: Counts.
        components: Rows in the order of :data:`COMPONENT_IDS`; ``at_peak`` sums to ``peak_bytes``.
        phases: Phases in the order they run.
        peak_bytes: Largest number allocated in a step.
        peak_phase: Phase it falls in.
        reserved: What the caching allocator holds.
        process: What the driver shows for the process.
        fit: The verdict, None without a GPU.
        timeline: Estimated course of one step.
        assumptions: What was taken for granted, and what is not counted.
        warnings: What the user should change or check.
        state_only: The optimizer runs outside torch: its step and so the peak are not predicted.
        ranks: With several GPUs, every kind of rank; the figures above are those of the worst.
        rank: Index into ``ranks`` of the worst.
    """

    parameters: ParameterCounts
    components: tuple[Component, ...]
    phases: tuple[Phase, ...]
    peak_bytes: int
    peak_phase: str
    reserved: Band
    process: Band
    fit: Fit | None
    timeline: tuple[Moment, ...]
    assumptions: tuple[Reason, ...]
    warnings: tuple[Reason, ...]
    state_only: bool = False
    ranks: tuple[RankRow, ...] = ()
    rank: int = 0

    @property
    def host_bytes(self) -> int:
        """What one rank keeps in host memory."""
        return sum(row.host_bytes for row in self.components)

    def component(self, component_id: str) -> Component:
        """The row of one component."""
        return next(row for row in self.components if row.id == component_id)

    def phase(self, phase_id: str) -> Phase:
        """The row of one phase."""
        return next(row for row in self.phases if row.id == phase_id)

    def peak_moment(self) -> int | None:
        """Index of the moment of the timeline at which the peak is reached; None without a timeline."""
        return next(
            (
                index
                for index, moment in enumerate(self.timeline)
                if moment.phase == self.peak_phase and sum(moment.parts.values()) == self.peak_bytes
            ),
            None,
        )
