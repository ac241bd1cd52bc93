"""The peak of a step alone, for when many are set against each other: no rows, no reasons, no timeline.

The optimizer's state is the same at every moment of a step, so the largest moment of forward and of
backward stays the largest whatever the state; only the optimizer's own step is walked through for each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from optmem_gui.core.activations import ActivationMoment, Activations
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.gradients import Gradients
from optmem_gui.core.ground import Ground, grounds_of, host_sizes
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.state import optimizer_state, step_temporaries
from optmem_gui.core.phases import Standing, StepCost, course, peak_of, phases
from optmem_gui.core.scenario import Options, Scenario
from optmem_gui.core.sharding.allowed import check_optimizer


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

    def worst(self, implementation: Implementation, options: Options) -> RankPeak:
        """The rank that needs the most with this optimizer; of equals the first.

        Raises:
            UserError: The optimizer cannot train this model, or not in this layout.
        """
        peaks = [self._peak(implementation, options, *ranked) for ranked in self.grounds]
        return max(peaks, key=lambda peak: peak.bytes)

    def _peak(
        self, implementation: Implementation, options: Options, ground: Ground, highest: Activations | None
    ) -> RankPeak:
        target, share = self.scenario.target, ground.share
        check_optimizer(implementation, replace(self.scenario, options=options), share)
        gradients = ground.gradients_for(implementation)
        state = optimizer_state(implementation, options, share.optimized, target)
        need = None
        if not share.host_state:
            need = step_temporaries(implementation, options, share.optimized, target)
        step = StepCost.of(need, gradients, on_gpu=ground.on_gpu)
        peak = peak_of(phases(course(ground.standing_with(implementation, state), gradients, highest, step)))
        return RankPeak(
            ground=ground,
            state_bytes=state.bytes,
            host_bytes=sum(host_sizes(ground, state).values()),
            temporaries_bytes=step.temporaries + gradients.step_copy_bytes,
            bytes=peak.bytes,
            phase=peak.id,
        )


def _highest(ground: Ground) -> Activations | None:
    """The activations with their largest moment of forward and of backward alone."""
    activations = ground.activations
    if activations is None:
        return None
    kept = []
    for phase in ("forward", "backward"):
        own = [moment for moment in activations.moments if moment.phase == phase]
        kept.append(max(own, key=lambda moment: _size(moment, ground.standing, ground.gradients)))
    return replace(activations, moments=tuple(kept))


def _size(moment: ActivationMoment, standing: Standing, gradients: Gradients) -> int:
    """What differs between moments of one phase, added up as :func:`optmem_gui.core.phases.course` does."""
    made = moment.gradients
    if standing.gradient_share is not None and standing.gradient_share[1]:
        made = made * standing.gradient_share[0] // standing.gradient_share[1]
    alive = gradients.bytes if gradients.in_forward else made
    rounding = standing.gradient_rounding * alive // gradients.bytes if gradients.bytes else 0
    arriving = gradients.arriving_bytes if moment.phase == "backward" else 0
    return moment.activations + moment.autocast_copies + alive + rounding + max(moment.temporaries, arriving)
