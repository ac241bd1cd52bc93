"""Every optimizer on one scenario, at the price of one: what they share is computed once.

Weights, gradients, activations and the course of forward and backward do not depend on the optimizer. Its
state is the same at every moment of a step, so the largest moment of forward and of backward stays the
largest whatever the state; only the optimizer's own step is walked through again for each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from optmem_gui.core.activations import Activations
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import peak_of
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.ground import Ground, grounds_of
from optmem_gui.core.layout import place
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.state import optimizer_state, step_temporaries
from optmem_gui.core.overhead import fit_on, process_band, reserved_band
from optmem_gui.core.parallel import ONE_GPU
from optmem_gui.core.phases import StepCost, course, phases
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Options, Scenario
from optmem_gui.core.sharding.allowed import check_optimizer


@dataclass(frozen=True, slots=True)
class OptimizerRow:
    """One optimizer on the present model, everything else as chosen.

    Attributes:
        optimizer: Id in the catalogue.
        state_bytes: Optimizer state, what lives in host memory included.
        temporaries_bytes: What its step takes beside that, copies of the gradients included.
        peak_bytes: Largest number allocated in a step.
        peak_phase: Phase it falls in.
        fits: ``yes``, ``tight``, ``no``, or None without a GPU.
        refused: Why this optimizer cannot run here; the bytes are 0 then.
        param_count: Parameters of the whole model, adapters included.
        state_only: It runs in another runtime, whose step is not predicted: only the state is.
    """

    optimizer: str
    state_bytes: int
    temporaries_bytes: int
    peak_bytes: int
    peak_phase: str
    fits: str | None
    refused: Reason | None = None
    param_count: int = 0
    state_only: bool = False

    @property
    def state_bytes_per_parameter(self) -> float:
        """Bytes of state a parameter of the whole model."""
        return self.state_bytes / self.param_count if self.param_count else 0.0


def optimizer_rows(scenario: Scenario, gpu: Gpu | None, ids: Iterable[str]) -> Iterator[OptimizerRow]:
    """Set optimizers against each other on one scenario, one row at a time.

    Args:
        scenario: What is trained; its own optimizer keeps its options, the others have their defaults.
        gpu: The GPU the verdict is for.
        ids: Optimizers by id, in the order of the rows.

    Yields:
        One row an id. An optimizer that cannot train this model has a row that says why.

    Raises:
        UserError: The scenario itself is impossible, or an id is not known.
    """
    shared = _Shared(scenario, gpu)
    for optimizer in ids:
        implementation = find(optimizer)
        options = scenario.options if optimizer == scenario.optimizer else ()
        try:
            yield _row(implementation, options, shared)
        except UserError as error:
            yield OptimizerRow(optimizer, 0, 0, 0, "", None, error.reason)


class _Shared:
    """What all rows have in common: every kind of rank, with its largest moments."""

    def __init__(self, scenario: Scenario, gpu: Gpu | None) -> None:
        self.scenario, self.gpu = scenario, gpu
        self.grounds = tuple((ground, _highest(ground)) for ground in grounds_of(scenario, gpu))
        # one GPU holds the whole model; with several its parts are counted from the model itself
        self.param_count = self.grounds[0][0].layout.total_count
        if scenario.parallel != ONE_GPU:
            self.param_count = place(scenario).total_count


def _row(implementation: Implementation, options: Options, shared: _Shared) -> OptimizerRow:
    """The row of the rank that needs the most."""
    chosen = replace(shared.scenario, optimizer=implementation.id, options=options)
    rows = [_rank_row(implementation, chosen, shared, *ranked) for ranked in shared.grounds]
    return max(rows, key=lambda row: row.peak_bytes)


def _rank_row(
    implementation: Implementation,
    scenario: Scenario,
    shared: _Shared,
    ground: Ground,
    highest: Activations | None,
) -> OptimizerRow:
    target, gpu, layout = scenario.target, shared.gpu, ground.share.optimized
    check_optimizer(implementation, scenario, ground.share)
    gradients = ground.gradients_for(implementation)
    state = optimizer_state(implementation, scenario.options, layout, target)
    count = shared.param_count
    if implementation.runtime != "torch":
        return OptimizerRow(
            implementation.id, state.bytes, 0, 0, "", None, param_count=count, state_only=True
        )
    need = 0
    if not ground.share.host_state:
        need = step_temporaries(implementation, scenario.options, layout, target).bytes
    step = StepCost(need, gradients.step_copy_bytes, gradients.clip_bytes)
    moments = course(ground.standing_with(implementation, state), gradients, highest, step)
    peak = peak_of(phases(moments))
    reserved = reserved_band(peak.bytes, target)
    process = process_band(reserved, target, ranks=scenario.parallel.gpus)
    return OptimizerRow(
        optimizer=implementation.id,
        state_bytes=state.bytes,
        temporaries_bytes=need + gradients.step_copy_bytes,
        peak_bytes=peak.bytes,
        peak_phase=peak.id,
        fits=None if gpu is None else fit_on(gpu, process).fits,
        param_count=count,
    )


def _highest(ground: Ground) -> Activations | None:
    """The activations with their largest moment of forward and of backward alone."""
    activations = ground.activations
    if activations is None:
        return None
    moments = course(ground.standing, ground.gradients, activations, StepCost(0, 0, 0))
    kept = []
    for phase in ("forward", "backward"):
        sizes = [sum(moment.parts.values()) for moment in moments if moment.phase == phase]
        own = [moment for moment in activations.moments if moment.phase == phase]
        kept.append(own[sizes.index(max(sizes))])
    return replace(activations, moments=tuple(kept))
