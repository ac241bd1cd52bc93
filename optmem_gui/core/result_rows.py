"""Estimated, simulated and measured side by side, from the optimizer's state to what the driver shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from optmem_gui.core.breakdown import PHASE_IDS, Band, Breakdown
from optmem_gui.core.comparison import Kind, ResultRow, compare, less, measured_sizes
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.overhead import context_band
from optmem_gui.core.protocol import Result
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.core.simulated import simulated_largest, simulated_process, steady_phases
from optmem_gui.core.simulating import SimulatedPhase, SimulationReport


@dataclass(frozen=True, slots=True)
class Predictions:
    """What was predicted of the run that is measured, for the device it ran on.

    Attributes:
        breakdown: The estimate; None for a function of the user's own.
        report: The traced step; None where none was traced.
        gpu: The GPU of the table, with what was calibrated on it; None on the CPU or for one not known.
    """

    breakdown: Breakdown | None = None
    report: SimulationReport | None = None
    gpu: Gpu | None = None


def result_rows(
    predictions: Predictions, request: MeasureRequest, result: Result, process_bytes: int | None
) -> tuple[ResultRow, ...]:
    """Every figure that was measured, beside what was predicted of it.

    Args:
        predictions: What was predicted.
        request: What was measured.
        result: What came of it; its last step is the steady state.
        process_bytes: Most that the process took of the device, or of the host on a CPU; None where
            nobody says.

    Returns:
        Components, phases, the peak, what is reserved with its fragmentation, and the process with its
        context; rows that are 0 on every side are left out.
    """
    breakdown, report = predictions.breakdown, predictions.report
    estimated = {} if breakdown is None else _estimated(breakdown, result)
    simulated = {} if report is None else _simulated(report, breakdown)
    keys = [*_measured_keys(request, result)]
    rows = [
        ResultRow(kind, name, estimated.get((kind, name)), simulated.get((kind, name)), size)
        for (kind, name), size in keys
    ]
    rows += _totals(predictions, result, process_bytes)
    return tuple(row for row in rows if row.estimated or row.simulated or row.measured)


_Sizes = Mapping[tuple[Kind, str], int | None]


def _measured_keys(request: MeasureRequest, result: Result) -> Iterator[tuple[tuple[Kind, str], int]]:
    for component, size in measured_sizes(result).items():
        yield ("component", component), size
    workspace = _workspace(request, result)
    if workspace is not None:
        yield ("component", "workspace"), workspace
    samples = (result.load, *result.steady.phases)
    for phase in PHASE_IDS:
        peaks = [sample.peak_bytes for sample in samples if sample.phase == phase]
        if peaks:
            yield ("phase", phase), max(peaks)


def _workspace(request: MeasureRequest, result: Result) -> int | None:
    """What stays allocated between two steps and is none of the tensors known: cuBLAS keeps its workspace.

    The ends of blocks are in it. None on the CPU, which has none, and where the loop keeps tensors itself.
    """
    last = next((p for p in reversed(result.steady.phases) if p.phase == "between_steps"), None)
    if last is None or last.reserved_bytes is None or request.keep_logits:
        return None
    found = result.steady.categories
    stand = request.rank is not None and request.rank.bucket_view
    gradients = found.gradients if stand or not request.set_to_none else 0
    return max(0, last.allocated_bytes - found.persistent_bytes - gradients)


def _estimated(breakdown: Breakdown, result: Result) -> _Sizes:
    rows = compare(breakdown, result)
    sizes = {(row.kind, row.id): row.estimated for row in rows}
    sizes["component", "workspace"] = breakdown.component("workspace").bytes
    return sizes


def _simulated(report: SimulationReport, breakdown: Breakdown | None) -> _Sizes:
    """Sizes of the trace, as the worker takes its own.

    Activations are those at the end of the first forward pass, temporaries what the optimizer's step takes
    above what stood before it. What lives in host memory is not traced for a GPU; the estimate's part of it
    is added, because the measured state counts it too.
    """
    steady = steady_phases(report)
    sizes: dict[str, int] = dict.fromkeys(("weights", "gradients", "master_weights", "buffers"), 0)
    sizes |= dict(simulated_largest(report))
    host = 0 if breakdown is None else breakdown.component("optimizer_state").host_bytes
    sizes["optimizer_state"] = sizes.get("optimizer_state", 0) + host
    sizes["activations"] = next(
        (p.allocated_bytes - p.start_bytes for p in steady if p.phase == "forward"), 0
    )
    steps = [p.peak_bytes - p.start_bytes for p in steady if p.phase == "optimizer_step"]
    sizes["temporaries"] = max(steps, default=0)
    found: dict[tuple[Kind, str], int | None] = {("component", name): size for name, size in sizes.items()}
    for phase, size in _phase_peaks((*(p for p in report.phases if p.step == 0), *steady)).items():
        found["phase", phase] = size
    return found


def _phase_peaks(phases: Sequence[SimulatedPhase]) -> Mapping[str, int]:
    peaks: dict[str, int] = {}
    for phase in phases:
        peaks[phase.phase] = max(phase.peak_bytes, peaks.get(phase.phase, 0))
    return peaks


def _totals(predictions: Predictions, result: Result, process_bytes: int | None) -> Iterator[ResultRow]:
    """The peak, what is reserved, and the process; on the CPU there is nothing between the two."""
    breakdown, report = predictions.breakdown, predictions.report
    steady = result.steady.phases
    peak = max(sample.peak_bytes for sample in steady)
    held = [p.peak_reserved_bytes for p in (result.load, *steady) if p.peak_reserved_bytes is not None]
    estimated_peak = None if breakdown is None else breakdown.peak_bytes
    simulated_peak = None if report is None else report.peak_bytes
    yield ResultRow("peak", "allocated", estimated_peak, simulated_peak, peak)
    process = None if breakdown is None else _middle(breakdown.process)
    whole = None if report is None else _middle(simulated_process(report, predictions.gpu))
    if not held:
        yield ResultRow("process", "process", process, whole, process_bytes)
        return
    reserved = None if breakdown is None else _middle(breakdown.reserved)
    traced = None if report is None else report.peak_reserved_bytes
    yield ResultRow("reserved", "reserved", reserved, traced, max(held))
    yield ResultRow(
        "reserved",
        "fragmentation",
        less(reserved, estimated_peak),
        less(traced, simulated_peak),
        max(held) - peak,
    )
    context = _middle(context_band(predictions.gpu))
    yield ResultRow("process", "process", process, whole, process_bytes)
    yield ResultRow(
        "process",
        "context",
        None if process is None else context,
        None if whole is None else context,
        less(process_bytes, max(held)),
    )


def _middle(band: Band) -> int:
    return (band.low + band.high) // 2


@dataclass(frozen=True, slots=True)
class ResultChange:
    """One measured size in two results.

    Attributes:
        kind: As in :class:`ResultRow`.
        id: As there.
        first: Bytes in the first; None where it was not measured.
        second: Bytes in the second; None where it was not measured.
    """

    kind: Kind
    id: str
    first: int | None
    second: int | None

    @property
    def difference(self) -> int | None:
        """What the second has more, bytes; None where one of them is not known."""
        return less(self.second, self.first)

    @property
    def share(self) -> float | None:
        """The difference relative to the first; None where there is nothing to be relative to."""
        return None if self.difference is None or not self.first else self.difference / self.first


def result_changes(first: Sequence[ResultRow], second: Sequence[ResultRow]) -> tuple[ResultChange, ...]:
    """Two results beside each other: components, phases and totals in their order, what either has."""
    one = {(row.kind, row.id): row.measured for row in first}
    other = {(row.kind, row.id): row.measured for row in second}
    order: tuple[Kind, ...] = ("component", "phase", "peak", "reserved", "process")
    keys = sorted({**one, **other}, key=lambda key: order.index(key[0]))
    changes = (
        ResultChange(kind, name, one.get((kind, name)), other.get((kind, name))) for kind, name in keys
    )
    return tuple(change for change in changes if change.first or change.second)
