"""A small breakdown with every kind of row, made by hand: what reports are tested on."""

from __future__ import annotations

from optmem_gui.core.breakdown import COMPONENT_IDS, PHASE_IDS, Band, Breakdown, Component, Fit, Phase
from optmem_gui.core.breakdown import ParameterCounts as Counts
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref

SIZES = {"weights": 4000, "gradients": 4000, "optimizer_state": 8004, "temporaries": 4000}
REASON = Reason("count.zero")


def scenario() -> Scenario:
    return Scenario(synthetic_ref(1000), precision="fp32", gpu="h100-80gb")


def breakdown(not_counted: tuple[str, ...] = ("activations",)) -> Breakdown:
    parts = {**SIZES, "optimizer_state": 8000}
    components = tuple(
        Component(
            id=name,
            bytes=SIZES.get(name, 0),
            at_peak=parts.get(name, 0),
            host_bytes=4 if name == "optimizer_state" else 0,
            dtype="fp32" if name in SIZES else "",
            counted=name not in not_counted,
            formula=REASON,
            why=REASON,
        )
        for name in COMPONENT_IDS
    )
    step = Phase("optimizer_step", parts)
    phases = tuple(step if name == step.id else Phase(name, {"weights": 4000}) for name in PHASE_IDS)
    return Breakdown(
        parameters=Counts(1000, 1000, 1000),
        components=components,
        phases=phases,
        peak_bytes=20_000,
        peak_phase="optimizer_step",
        reserved=Band(20_000, 22_000),
        process=Band(500_000, 600_000),
        fit=Fit("h100-80gb", 1_000_000, "yes", 400_000),
        timeline=(),
        assumptions=(REASON,),
        warnings=(),
    )
