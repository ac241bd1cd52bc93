"""The peak of a step alone, for when many are set against each other: no rows, no reasons, no timeline.

The optimizer's state is the same at every moment of a step, so the largest moment of forward and of
backward stays the largest whatever the state; only the optimizer's own step is walked through for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from optmem_gui.core.activations import ActivationMoment, Activations
from optmem_gui.core.breakdown import Phase
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.gradients import Gradients
from optmem_gui.core.ground import Ground, Parts, at_size, grounds_of, host_sizes
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.state import OptimizerState, Temporaries, optimizer_state, step_temporaries
from optmem_gui.core.phases import StepCost, course, peak_of, phases
from optmem_gui.core.played import ends_at
from optmem_gui.core.scenario import Options, Scenario
from optmem_gui.core.sharding.allowed import check_optimizer
from optmem_gui.core.sharding.ranks import rank_sequence

DOUBT_BYTES = 64
"""More than the whole bytes that sharing out can lose between the ends of a straight line."""


@dataclass(frozen=True, slots=True)
class RankPeak:
    """What one kind of rank comes to with one optimizer.

    Attributes:
        ground: The rank without its optimizer.
        state_bytes: Optimizer state, what lives in host memory included.
        host_bytes: What it keeps in host memory.
        temporaries_bytes: What the step takes beside that on the device, copies of the gradients included.
        bytes: Largest number allocated in a step.
        phase: Phase it falls in.
    """

    ground: Ground
    state_bytes: int
    host_bytes: int
    temporaries_bytes: int
    bytes: int
    phase: str


@dataclass(frozen=True, slots=True)
class Ranks:
    """Every kind of rank of a scenario, reduced to its largest moments.

    Attributes:
        scenario: The set-up.
        grounds: Ranks without their optimizer, each with its activations at their largest.
    """

    scenario: Scenario
    grounds: tuple[tuple[Ground, Activations | None], ...]

    @classmethod
    def of(cls, scenario: Scenario, gpu: Gpu | None) -> Ranks:
        """Compute what does not depend on the optimizer.

        Raises:
            UserError: The scenario is impossible.
        """
        return cls(scenario, tuple((ground, _highest(ground)) for ground in grounds_of(scenario, gpu)))

    @classmethod
    def among(cls, parts: Parts, scenario: Scenario) -> Ranks:
        """The same, from parts of the model that other layouts have too.

        Raises:
            UserError: The scenario is impossible.
        """
        grounds = parts.grounds(scenario.parallel)
        return cls(scenario, tuple((ground, _highest(ground)) for ground in grounds))

    def worst(self, implementation: Implementation, options: Options) -> RankPeak:
        """The rank that needs the most with this optimizer; of equals the first.

        Raises:
            UserError: The optimizer cannot train this model, or not in this layout.
        """
        scenario = (
            self.scenario if options == self.scenario.options else replace(self.scenario, options=options)
        )
        peaks = [self._peak(implementation, scenario, *ranked) for ranked in self.grounds]
        return max(peaks, key=lambda peak: peak.bytes)

    def _peak(
        self, implementation: Implementation, scenario: Scenario, ground: Ground, highest: Activations | None
    ) -> RankPeak:
        stepping = _Stepping.of(implementation, scenario, ground)
        peak = peak_of(stepping.phases(ground, highest))
        return RankPeak(
            ground=ground,
            state_bytes=stepping.state.bytes,
            host_bytes=sum(host_sizes(ground, stepping.state).values()),
            temporaries_bytes=stepping.cost.temporaries + stepping.gradients.step_copy_bytes,
            bytes=peak.bytes,
            phase=peak.id,
        )


@dataclass(frozen=True, slots=True)
class _Stepping:
    """What one optimizer adds to a rank."""

    implementation: Implementation
    options: Options
    gradients: Gradients
    state: OptimizerState
    need: Temporaries | None
    cost: StepCost

    @classmethod
    def of(cls, implementation: Implementation, scenario: Scenario, ground: Ground) -> _Stepping:
        target, options, share = scenario.target, scenario.options, ground.share
        check_optimizer(implementation, scenario, share)
        gradients = ground.gradients_for(implementation)
        state = optimizer_state(implementation, options, share.optimized, target)
        need = None
        if not share.host_state:
            need = step_temporaries(implementation, options, share.optimized, target)
        return cls(
            implementation,
            options,
            gradients,
            state,
            need,
            StepCost.of(need, gradients, on_gpu=ground.on_gpu),
        )

    def phases(self, ground: Ground, highest: Activations | None) -> tuple[Phase, ...]:
        standing = ground.standing_with(self.implementation, self.state)
        ends = ends_at(ground, self.implementation, self.options, self.need)
        return phases(course(standing, self.gradients, highest, self.cost, ends))


class PhasesAt:
    """The phases of one scenario at any batch and sequence: what does not depend on them is computed once.

    Raises:
        UserError: The scenario is impossible.
    """

    def __init__(self, scenario: Scenario, gpu: Gpu | None) -> None:
        parts = Parts(replace(scenario, batch=None, sequence=None), gpu)
        implementation = find(scenario.optimizer)
        self._parallel = scenario.parallel
        self._ranks = tuple(
            (part, ground, _Stepping.of(implementation, scenario, ground))
            for part, ground in zip(parts.parts(self._parallel), parts.grounds(self._parallel), strict=True)
        )

    def __call__(self, batch: int, sequence: int) -> tuple[int, ...]:
        """The largest moment of every phase on every kind of rank, bytes: the peak is the largest of them.

        Bytes that are shared out among the layers are rounded: the peak can be larger by less than
        :data:`DOUBT_BYTES`.
        """
        sequence = rank_sequence(sequence, self._parallel)
        return tuple(
            phase.bytes
            for part, ground, stepping in self._ranks
            for phase in _phases_at(at_size(ground, part, batch, sequence), stepping)
        )


def _phases_at(ground: Ground, stepping: _Stepping) -> tuple[Phase, ...]:
    return stepping.phases(ground, _highest(ground))


def _highest(ground: Ground) -> Activations | None:
    """The activations with their largest moment of forward and of backward alone; of equals the first."""
    activations = ground.activations
    if activations is None:
        return None
    best: dict[str, tuple[int, ActivationMoment]] = {}
    for moment, size in zip(activations.moments, _sizes(ground, activations.moments), strict=True):
        if moment.phase not in best or size > best[moment.phase][0]:
            best[moment.phase] = (size, moment)
    return replace(activations, moments=tuple(moment for _, moment in best.values()))


def _sizes(ground: Ground, moments: Sequence[ActivationMoment]) -> Iterator[int]:
    """What differs between moments of one phase, added up as :func:`optmem_gui.core.phases.course` does."""
    gradients, standing = ground.gradients, ground.standing
    kept, made = standing.gradient_share or (1, 1)
    whole, rounding, arriving = gradients.bytes, standing.gradient_rounding, gradients.arriving_bytes
    for moment in moments:
        alive = whole
        if not gradients.in_forward:
            alive = moment.gradients * kept // made if made else moment.gradients
        temporaries = moment.temporaries
        if moment.phase == "backward":
            temporaries = max(temporaries, arriving)
        sent = 0
        if moment.in_layer:
            sent = standing.messages.backward if moment.phase == "backward" else standing.messages.forward
        blocks = rounding * alive // whole if whole else 0
        yield moment.activations + moment.autocast_copies + alive + blocks + temporaries + sent
