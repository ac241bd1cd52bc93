"""Estimated beside measured, size by size, with the signed error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from optmem_gui.core.breakdown import PHASE_IDS, Breakdown
from optmem_gui.core.units import signed_error

if TYPE_CHECKING:  # named in signatures only; the window starts without them
    from optmem_gui.core.protocol import PhaseSample, Result

Kind = Literal["component", "phase", "peak", "reserved", "process"]
Tier = Literal["state", "allocated", "reserved", "process"]


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One size three times; None where a side does not know it.

    Attributes:
        kind: A component, the largest moment of a phase, the peak of a step, what the caching allocator
            reserves or what the driver shows for the process.
        id: Component or phase; ``allocated``, ``reserved`` or ``fragmentation``; ``process`` or ``context``.
        estimated: Bytes by the closed form; of a band its middle.
        simulated: Bytes of the traced step, whole blocks on a GPU.
        measured: Bytes of the real step.
    """

    kind: Kind
    id: str
    estimated: int | None
    simulated: int | None
    measured: int | None

    @property
    def tier(self) -> Tier:
        """How much of the machine the figure takes in; accuracy is told apart by it."""
        if self.kind in ("reserved", "process"):
            return "reserved" if self.kind == "reserved" else "process"
        return "state" if self.id == "optimizer_state" else "allocated"

    @property
    def difference_bytes(self) -> int | None:
        """Estimate less measurement; None where one of them is not known."""
        return less(self.estimated, self.measured)

    @property
    def estimated_error(self) -> float | None:
        """(estimated - measured) / measured; None where one of them is not known or nothing was measured."""
        return signed_error(self.estimated, self.measured)

    @property
    def simulated_error(self) -> float | None:
        """The same of the simulation."""
        return signed_error(self.simulated, self.measured)


def less(whole: int | None, part: int | None) -> int | None:
    """What is left of a size without another; None where one of them is not known."""
    return None if whole is None or part is None else whole - part


def compare(breakdown: Breakdown, result: Result) -> tuple[ResultRow, ...]:
    """Every figure that both sides have.

    Args:
        breakdown: The estimate for the device the measurement ran on
            (:func:`optmem_gui.core.measuring.measured_scenario`).
        result: The measurement. Its last step is the steady state that the estimate is about.

    Returns:
        Components first, then phases in order, then the peak and, on a GPU, what was reserved.
        Activations are what forward leaves behind, autocast copies included: the measurement cannot tell
        the two apart. Temporaries are what the optimizer's step takes beyond what stood before it,
        communication is what stands between two steps.
    """
    steady = result.steady.phases
    rows = [*_components(breakdown, result), *_phases(breakdown, result)]
    rows.append(ResultRow("peak", "allocated", breakdown.peak_bytes, None, max(_peaks(steady))))
    reserved = [sample.peak_reserved_bytes for sample in steady if sample.peak_reserved_bytes is not None]
    if reserved:
        middle = (breakdown.reserved.low + breakdown.reserved.high) // 2
        rows.append(ResultRow("reserved", "reserved", middle, None, max(reserved)))
    return tuple(rows)


def measured_sizes(result: Result) -> dict[str, int]:
    """Bytes by component in the last step."""
    found = result.steady.categories
    return {
        "weights": found.weights,
        "gradients": found.gradients,
        "master_weights": found.master_weights,
        "optimizer_state": found.optimizer_state,
        "buffers": found.buffers,
        "communication": found.communication,
        "activations": result.steady.activations,
        "temporaries": _step_temporaries(result),
    }


def _components(breakdown: Breakdown, result: Result) -> Iterable[ResultRow]:
    estimated = {
        "activations": _kept_by_forward(breakdown),
        "temporaries": breakdown.phase("optimizer_step").parts.get("temporaries", 0),
        "communication": breakdown.phase("between_steps").parts.get("communication", 0),
    }
    for component_id, measured in measured_sizes(result).items():
        exact = breakdown.component(component_id).bytes
        yield ResultRow("component", component_id, estimated.get(component_id, exact), None, measured)


def _kept_by_forward(breakdown: Breakdown) -> int:
    forward = [moment for moment in breakdown.timeline if moment.phase == "forward"]
    if not forward:
        return 0
    return sum(forward[-1].parts.get(part, 0) for part in ("activations", "autocast_copies"))


def _step_temporaries(result: Result) -> int:
    steps = [sample for sample in result.steady.phases if sample.phase == "optimizer_step"]
    return max((sample.peak_bytes - sample.start_bytes for sample in steps), default=0)


def _phases(breakdown: Breakdown, result: Result) -> Iterable[ResultRow]:
    samples = (result.load, *result.steady.phases)
    for phase_id in PHASE_IDS:
        measured = _peaks([sample for sample in samples if sample.phase == phase_id])
        if measured:
            yield ResultRow("phase", phase_id, breakdown.phase(phase_id).bytes, None, max(measured))


def _peaks(samples: Sequence[PhaseSample]) -> list[int]:
    return [sample.peak_bytes for sample in samples]
