"""From a scenario to the request that traces it, and the estimate beside what the trace says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from optmem_gui.core.breakdown import COMPONENT_IDS, PHASE_IDS, Band, Breakdown
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.measuring import measure_request, measured_scenario
from optmem_gui.core.overhead import process_band
from optmem_gui.core.reasons import Reason
from optmem_gui.core.requests import SimulateRequest
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.simulating import AliveRow, SimulatedPhase, SimulationReport, SimulationTarget
from optmem_gui.core.units import signed_error

_COMPONENT_OF = {"inputs": "activations"}
"""Tokens and labels live as long as activations and have no component of their own."""

Kind = Literal["component", "phase", "peak", "reserved"]


def simulated_scenario(scenario: Scenario, *, built: bool = False) -> Scenario:
    """The scenario that a simulation traces: on its target, a GPU with the one that was chosen.

    Args:
        scenario: What was asked for.
        built: The worker builds the model from its config, or a user's function does.
    """
    traced = measured_scenario(scenario, scenario.target, built=built)
    return traced if scenario.target == "cpu" else replace(traced, gpu=scenario.gpu)


def simulated_notes(scenario: Scenario) -> tuple[Reason, ...]:
    """What of a scenario is not traced."""
    if scenario.parallel.gpus == 1:
        return ()
    return (Reason("simulate.one_gpu", {"gpus": scenario.parallel.gpus}),)


def simulate_request(
    scenario: Scenario,
    target: SimulationTarget,
    *,
    config: str = "",
    function: str = "",
    every_block: bool = False,
) -> SimulateRequest:
    """What to ask the worker.

    Args:
        scenario: What to trace.
        target: The machine it stands for (:func:`optmem_gui.core.simulation_target.target_of`).
        config: Text of the model's ``config.json``, for transformers to build it from.
        function: The user's own function, ``FILE.py:NAME``; it goes before everything else.
        every_block: Trace every repeated block, instead of one that is replayed.

    Raises:
        UserError: There is no such optimizer, or it cannot be built from a list of parameters in torch.
    """
    work = measure_request(scenario, target.device, config=config, function=function)
    return SimulateRequest(work, target, every_block)


@dataclass(frozen=True, slots=True)
class SimulatedRow:
    """One figure that both sides have.

    Attributes:
        kind: A component at its largest, the largest moment of a phase, the peak of a step, or what the
            caching allocator reserves.
        id: Component or phase; ``allocated`` and ``reserved`` for the last two kinds.
        estimated: Bytes by the closed form.
        simulated: Bytes of the traced step, whole blocks.
        why: What makes the difference; None where there is none.
    """

    kind: Kind
    id: str
    estimated: int
    simulated: int
    why: Reason | None = None

    @property
    def difference_bytes(self) -> int:
        """Estimate less simulation."""
        return self.estimated - self.simulated

    @property
    def error(self) -> float | None:
        """(estimated - simulated) / simulated; None where something was estimated and nothing simulated."""
        return signed_error(self.estimated, self.simulated)


def simulated_peak_parts(report: SimulationReport) -> Mapping[str, int]:
    """Bytes in use at the peak by component, as they were asked for; what blocks add is ``rounding``.

    They sum to the peak.
    """
    parts: Counter[str] = Counter()
    for row in report.alive:
        parts[_component(row.category)] += row.requested_bytes
        parts["rounding"] += row.bytes - row.requested_bytes
    missing = report.peak_bytes - sum(parts.values())
    parts["rounding"] += missing
    return {component: parts[component] for component in COMPONENT_IDS if parts[component]}


def simulated_largest(report: SimulationReport) -> Mapping[str, int]:
    """Largest size of each component in the steady step, whole blocks."""
    sizes: Counter[str] = Counter()
    for category, size in report.largest.items():
        sizes[_component(category)] += size
    return {component: sizes[component] for component in COMPONENT_IDS if sizes[component]}


def steady_phases(report: SimulationReport) -> tuple[SimulatedPhase, ...]:
    """Phases of the last step."""
    last = max((phase.step for phase in report.phases), default=0)
    return tuple(phase for phase in report.phases if phase.step == last)


def simulated_process(report: SimulationReport, gpu: Gpu | None = None) -> Band:
    """What the driver shows for the process: what is reserved, with the band of the CUDA context.

    Of a CPU, what the operating system shows.
    """
    reserved = Band(report.peak_reserved_bytes, report.peak_reserved_bytes)
    return process_band(reserved, report.target.device, gpu=gpu)


def compare_simulated(breakdown: Breakdown, report: SimulationReport) -> tuple[SimulatedRow, ...]:
    """Every figure that both sides have, with the reason of each difference.

    Args:
        breakdown: The estimate of :func:`simulated_scenario`.
        report: The traced run. Its last step is the steady state that the estimate is about.

    Returns:
        Components first, then phases in order, then the peak and, on a GPU, what is reserved.
    """
    largest, rounding = simulated_largest(report), _rounding(report)
    rows = [
        _component_row(component, breakdown, largest.get(component, 0), report, rounding)
        for component in COMPONENT_IDS
        if component != "rounding"
    ]
    rows = [row for row in rows if row.estimated or row.simulated]
    rows += _phase_rows(breakdown, report)
    rows.append(_peak_row(breakdown, report))
    if report.target.device == "cpu":
        return tuple(rows)  # nothing is reserved there
    middle = (breakdown.reserved.low + breakdown.reserved.high) // 2
    reserved = report.peak_reserved_bytes
    between = breakdown.reserved.low <= reserved <= breakdown.reserved.high
    why = None if between else Reason("simulated.reserved_outside", {"high_bytes": breakdown.reserved.high})
    rows.append(SimulatedRow("reserved", "reserved", middle, reserved, why))
    return tuple(rows)


def _component(category: str) -> str:
    return _COMPONENT_OF.get(category, category)


def _rounding(report: SimulationReport) -> Mapping[str, int]:
    ends: Counter[str] = Counter()
    for row in report.alive:
        ends[_component(row.category)] += row.bytes - row.requested_bytes
    return ends


def _component_row(
    component: str,
    breakdown: Breakdown,
    simulated: int,
    report: SimulationReport,
    rounding: Mapping[str, int],
) -> SimulatedRow:
    found = breakdown.component(component)
    estimated = found.bytes - found.host_bytes
    if not found.counted:
        why: Reason | None = Reason("simulated.not_counted")
    elif estimated == simulated:
        why = None
    elif estimated + rounding.get(component, 0) == simulated:
        why = Reason("simulated.rounding", {"rounding_bytes": rounding[component]})
    else:
        why = _largest_parts(component, report)
    return SimulatedRow("component", component, estimated, simulated, why)


def _largest_parts(component: str, report: SimulationReport) -> Reason | None:
    """What most of a component is at the peak: buffers inside kernels, or an operator's result."""
    rows = [row for row in report.alive if _component(row.category) == component]
    if not rows:
        return Reason("simulated.not_at_peak", {"phase": report.peak_phase})
    hidden = sum(row.bytes for row in rows if ":" in row.op.rpartition("::")[2])
    if 2 * hidden > sum(row.bytes for row in rows):
        return Reason("simulated.kernel_buffers", {"hidden_bytes": hidden, "op": _by_op(rows)})
    return Reason("simulated.largest", {"op": _by_op(rows), "part_bytes": _op_sizes(rows)[_by_op(rows)]})


def _op_sizes(rows: Iterable[AliveRow]) -> Counter[str]:
    sizes: Counter[str] = Counter()
    for row in rows:
        sizes[row.op or row.category] += row.bytes
    return sizes


def _by_op(rows: Iterable[AliveRow]) -> str:
    return _op_sizes(rows).most_common(1)[0][0]


def _phase_rows(breakdown: Breakdown, report: SimulationReport) -> list[SimulatedRow]:
    peaks: dict[str, int] = {}
    for phase in (*(p for p in report.phases if p.step == 0), *steady_phases(report)):
        peaks[phase.phase] = max(phase.peak_bytes, peaks.get(phase.phase, 0))
    return [
        SimulatedRow("phase", phase, breakdown.phase(phase).bytes, peaks[phase])
        for phase in PHASE_IDS
        if phase in peaks
    ]


def _peak_row(breakdown: Breakdown, report: SimulationReport) -> SimulatedRow:
    why: Reason | None = None
    if breakdown.peak_phase != report.peak_phase:
        phases: dict[str, int | float | str] = {
            "estimated": breakdown.peak_phase,
            "simulated": report.peak_phase,
        }
        why = Reason("simulated.other_phase", phases)
    elif breakdown.peak_bytes != report.peak_bytes:
        why = _widest(breakdown, report)
    return SimulatedRow("peak", "allocated", breakdown.peak_bytes, report.peak_bytes, why)


def _widest(breakdown: Breakdown, report: SimulationReport) -> Reason:
    """The component that is furthest apart at the peak."""
    parts = simulated_peak_parts(report)
    gaps = {c: breakdown.component(c).at_peak - parts.get(c, 0) for c in COMPONENT_IDS}
    widest = max(gaps, key=lambda component: abs(gaps[component]))
    key = "simulated.more_estimated" if gaps[widest] > 0 else "simulated.more_simulated"
    return Reason(key, {"component": widest, "gap_bytes": abs(gaps[widest])})
