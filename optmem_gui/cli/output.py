"""What the command line prints: one result, on stdout."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from optmem_gui.core.breakdown import Breakdown
from optmem_gui.core.gpu_fits import GpuFit
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.planner import NODE_GPUS
from optmem_gui.core.units import format_bytes, format_count, in_unit
from optmem_gui.core.ways import Way
from optmem_gui.report.answer import answer
from optmem_gui.report.tables import NOT_COUNTED, Table, plain_name, to_aligned


def say(text: str) -> None:
    """Print a result."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")


def estimate_text(scenario: Scenario, breakdown: Breakdown, gpu: Gpu | None) -> str:
    """The estimate for people: the answer first, then where it goes, then what it rests on."""
    counts = breakdown.parameters
    trained = "" if counts.trainable == counts.total else f", {format_count(counts.trainable)} trained"
    model = f"{scenario.model.title} ({format_count(counts.total)} in all{trained})"
    lines = [
        f"{model}, {scenario.optimizer}, {scenario.precision}",
        *answer(scenario, breakdown, gpu),
        "",
        to_aligned(_components(breakdown)),
        to_aligned(_totals(breakdown)),
        *_ranks(breakdown, scenario.parallel),
        *_notes("Warnings", breakdown.warnings),
        *_notes("Assumptions", breakdown.assumptions),
    ]
    return "\n".join(lines)


def _ranks(breakdown: Breakdown, parallel: Parallel) -> list[str]:
    """Every kind of rank, and what a machine has to hold for each where something is offloaded."""
    if not breakdown.ranks:
        return []
    rows = tuple(
        (
            "worst" if place == breakdown.rank else "",
            format_count(row.param_count),
            in_unit(row.peak_bytes, "GiB"),
            _phase(row.peak_phase),
            in_unit(row.host_bytes, "GiB"),
            str(row.why),
        )
        for place, row in enumerate(breakdown.ranks)
    )
    heads = ("rank", "parameters", "peak GiB", "in", "host GiB", "what sets it apart")
    table = to_aligned(Table(heads, rows, frozenset({1, 2, 4})))
    if parallel.offload == "none":
        return [table]
    together = min(parallel.gpus, NODE_GPUS)
    host = max(row.host_bytes for row in breakdown.ranks)
    total = format_bytes(host * together)
    return [table, f"Host memory: up to {format_bytes(host)} a GPU, {total} a machine of {together}"]


def ways_table(ways: Iterable[Way]) -> str:
    """Single changes, what each saves and costs."""
    rows = tuple(
        (
            plain_name(way.id),
            in_unit(way.saved_bytes, "GiB"),
            in_unit(way.peak_bytes, "GiB"),
            "" if way.fit is None else way.fit.fits,
            str(way.cost),
        )
        for way in ways
    )
    heads = ("way", "saves GiB", "peak GiB", "fits", "what it is and costs")
    return to_aligned(Table(heads, rows, frozenset({1, 2})))


def fits_table(fits: Iterable[GpuFit]) -> str:
    """Every GPU with its verdict, and how many would be enough."""
    rows = tuple(
        (
            found.gpu.id,
            found.gpu.name,
            in_unit(found.fit.usable, "GiB"),
            found.fit.fits,
            in_unit(found.fit.free, "GiB"),
            "" if found.needed is None else format_count(found.needed),
        )
        for found in fits
    )
    heads = ("gpu", "name", "usable GiB", "fits", "free GiB", "needed")
    return to_aligned(Table(heads, rows, frozenset({2, 4, 5})))


def _components(breakdown: Breakdown) -> Table:
    """Rows that are not zero; a component that is not counted stays and says so."""
    rows = tuple(
        (
            plain_name(row.id),
            row.dtype,
            f"{row.bytes_per_parameter(breakdown.parameters.total):.3g}" if row.counted else "",
            in_unit(row.bytes, "GiB") if row.counted else NOT_COUNTED,
            format_count(row.bytes) if row.counted else "",
            format_count(row.at_peak) if row.counted else "",
        )
        for row in breakdown.components
        if row.bytes or not row.counted
    )
    headers = ("component", "dtype", "bytes/parameter", "GiB", "bytes", "at the peak")
    return Table(headers, rows, frozenset(range(2, 6)))


def _totals(breakdown: Breakdown) -> Table:
    phases = tuple(
        (plain_name(p.id), in_unit(p.bytes, "GiB"), format_count(p.bytes)) for p in breakdown.phases
    )
    bands = tuple(
        (name, f"{in_unit(band.low, 'GiB')} to {in_unit(band.high, 'GiB')}", "")
        for name, band in (("Reserved", breakdown.reserved), ("Process", breakdown.process))
    )
    return Table(("allocated in", "GiB", "bytes"), (*phases, *bands), frozenset({1, 2}))


def _notes(title: str, reasons: Iterable[Reason]) -> list[str]:
    notes = [f"  - {reason}" for reason in reasons]
    return [title, *notes] if notes else []


def _phase(phase_id: str) -> str:
    return plain_name(phase_id).lower()
