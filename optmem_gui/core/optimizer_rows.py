"""Every optimizer on one scenario, at the price of one: what they share is computed once.

Weights, gradients, activations and the course of forward and backward do not depend on the optimizer. Its
state is the same at every moment of a step, so the largest moment of forward and of backward stays the
largest whatever the state; only the optimizer's own step is walked through again for each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from optmem_gui.core.errors import UserError
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.layout import place
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.overhead import fit_on, process_band, reserved_band
from optmem_gui.core.peaks import Ranks
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Options, Scenario


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
    """What all rows have in common."""

    def __init__(self, scenario: Scenario, gpu: Gpu | None) -> None:
        self.gpu, self.ranks = gpu, Ranks.of(scenario, gpu)
        self.param_count = place(scenario).total_count


def _row(implementation: Implementation, options: Options, shared: _Shared) -> OptimizerRow:
    worst = shared.ranks.worst(implementation, options)
    if implementation.runtime != "torch":
        return OptimizerRow(
            optimizer=implementation.id,
            state_bytes=worst.state_bytes,
            temporaries_bytes=0,
            peak_bytes=0,
            peak_phase="",
            fits=None,
            param_count=shared.param_count,
            state_only=True,
        )
    scenario, gpu = shared.ranks.scenario, shared.gpu
    reserved = reserved_band(worst.bytes, scenario.target)
    process = process_band(reserved, scenario.target, scenario.parallel.gpus, gpu)
    return OptimizerRow(
        optimizer=implementation.id,
        state_bytes=worst.state_bytes,
        temporaries_bytes=worst.temporaries_bytes,
        peak_bytes=worst.bytes,
        peak_phase=worst.phase,
        fits=None if gpu is None else fit_on(gpu, process).fits,
        param_count=shared.param_count,
    )
