"""The answer in sentences: how much, where, and whether it fits."""

from __future__ import annotations

from optmem_gui.core.breakdown import Breakdown, Fit
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.units import format_bytes, format_count
from optmem_gui.report.tables import plain_name


def peak_sentence(scenario: Scenario, breakdown: Breakdown) -> str:
    """The peak with its exact bytes, its phase, and of which rank it is."""
    peak = f"{format_bytes(breakdown.peak_bytes)} ({format_count(breakdown.peak_bytes)} bytes)"
    return f"Peak {peak} in {plain_name(breakdown.peak_phase).lower()}{_worst(breakdown, scenario)}"


def _worst(breakdown: Breakdown, scenario: Scenario) -> str:
    """Which of several ranks the figures are of."""
    if not breakdown.ranks:
        return ""
    why = breakdown.ranks[breakdown.rank].why
    return f", on the worst of {format_count(scenario.parallel.gpus)} ranks ({why})"


def verdict(breakdown: Breakdown, fit: Fit, gpu: Gpu) -> str:
    """Whether it fits, in one sentence with the numbers that decide."""
    usable = f"{format_bytes(fit.usable)} usable on {gpu.name}"
    if fit.fits == "yes":
        return f"Fits: {format_bytes(fit.free)} free of {usable}"
    low, high = format_bytes(breakdown.process.low), format_bytes(breakdown.process.high)
    if fit.fits == "tight":
        return f"Tight: the process takes {low} to {high} of {usable}"
    return f"Does not fit: the process takes at least {low}, {usable}"


def answer(scenario: Scenario, breakdown: Breakdown, gpu: Gpu | None) -> tuple[str, ...]:
    """The lines at the top of whatever is printed or saved."""
    fit = breakdown.fit
    lines = (peak_sentence(scenario, breakdown),)
    return lines if fit is None or gpu is None else (*lines, verdict(breakdown, fit, gpu))
