"""Estimated beside measured, component by component, with the signed error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from optmem_gui.core.breakdown import PHASE_IDS, Breakdown
from optmem_gui.core.units import signed_error

if TYPE_CHECKING:  # named in signatures only; the window starts without them
    from optmem_gui.core.protocol import PhaseSample, Result

Kind = Literal["component", "phase", "peak", "reserved"]


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One row.

    Attributes:
        kind: What is compared: a component, the largest moment of a phase, the peak of a step, or what
            the caching allocator reserved.
        id: Component or phase; ``allocated`` and ``reserved`` for the last two kinds.
        estimated: Bytes predicted.
        measured: Bytes measured.
    """

    kind: Kind
    id: str
    estimated: int
    measured: int

    @property
    def difference_bytes(self) -> int:
        """Prediction less measurement."""
        return self.estimated - self.measured

    @property
    def error(self) -> float | None:
        """(prediction - measured) / measured; None where something was predicted and nothing measured."""
        return signed_error(self.estimated, self.measured)


def compare(breakdown: Breakdown, result: Result) -> tuple[ComparedRow, ...]:
    """Every figure that both sides have.

    Args:
        breakdown: The estimate for the device the measurement ran on
            (:func:`optmem_gui.core.measuring.measured_scenario`).
        result: The measurement. Its last step is the steady state that the estimate is about.

    Returns:
        Components first, then phases in order, then the peak and, on a GPU, what was reserved.
        Activations are what forward leaves behind, autocast copies included: the measurement cannot tell
        the two apart. Temporaries are what the optimizer's step takes beyond what stood before it.
    """
    steady = result.steady.phases
    rows = [*_components(breakdown, result), *_phases(breakdown, result)]
    rows.append(ComparedRow("peak", "allocated", breakdown.peak_bytes, max(_peaks(steady))))
    reserved = [sample.peak_reserved_bytes for sample in steady if sample.peak_reserved_bytes is not None]
    if reserved:
        middle = (breakdown.reserved.low + breakdown.reserved.high) // 2
        rows.append(ComparedRow("reserved", "reserved", middle, max(reserved)))
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
        "activations": result.steady.activations,
        "temporaries": _step_temporaries(result),
    }


def _components(breakdown: Breakdown, result: Result) -> Iterable[ComparedRow]:
    estimated = {
        "activations": _kept_by_forward(breakdown),
        "temporaries": breakdown.phase("optimizer_step").parts.get("temporaries", 0),
    }
    for component_id, measured in measured_sizes(result).items():
        exact = breakdown.component(component_id).bytes
        yield ComparedRow("component", component_id, estimated.get(component_id, exact), measured)


def _kept_by_forward(breakdown: Breakdown) -> int:
    forward = [moment for moment in breakdown.timeline if moment.phase == "forward"]
    if not forward:
        return 0
    return sum(forward[-1].parts.get(part, 0) for part in ("activations", "autocast_copies"))


def _step_temporaries(result: Result) -> int:
    steps = [sample for sample in result.steady.phases if sample.phase == "optimizer_step"]
    return max((sample.peak_bytes - sample.start_bytes for sample in steps), default=0)


def _phases(breakdown: Breakdown, result: Result) -> Iterable[ComparedRow]:
    samples = (result.load, *result.steady.phases)
    for phase_id in PHASE_IDS:
        measured = _peaks([sample for sample in samples if sample.phase == phase_id])
        if measured:
            yield ComparedRow("phase", phase_id, breakdown.phase(phase_id).bytes, max(measured))


def _peaks(samples: Sequence[PhaseSample]) -> list[int]:
    return [sample.peak_bytes for sample in samples]
