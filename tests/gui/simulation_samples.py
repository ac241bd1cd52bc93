"""A simulated run made by hand for the tests of the window: how it is shown matters, not how it arises."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from optmem_gui.core.reasons import Reason
from optmem_gui.core.simulated import SimulatedRow
from optmem_gui.core.simulating import (
    CATEGORIES,
    AliveRow,
    SimulatedPhase,
    SimulatedPoint,
    SimulationReport,
    SimulationTarget,
    TracedNote,
)
from optmem_gui.core.units import GIB, MIB
from optmem_gui.gui.snapshot import Simulated, SimulateStage, SimulationState, Snapshot

LAYERS = 4
PEAK_EVENT = 200 + 50 + 30
"""Half-way through backward of the second step."""

TARGET = SimulationTarget("2.13", "sm_90", 132, 2048, 79 * GIB)


def _parts(**sizes: int) -> tuple[int, ...]:
    return tuple(sizes.get(name, 0) for name in CATEGORIES)


def _points() -> tuple[SimulatedPoint, ...]:
    """Two steps after loading: 100 events each, activations rise and fall, gradients rise meanwhile."""
    points = [
        SimulatedPoint(0, 0, "load", _parts(), 0),
        SimulatedPoint(99, 0, "load", _parts(weights=8 * GIB), 8 * GIB),
    ]
    for step in (1, 2):
        start = 100 * step
        state = 0 if step == 1 else 16 * GIB
        for event in range(100):
            rising = event / 50 if event < 50 else max(0.0, (80 - event) / 30)
            phase = (
                "forward"
                if event < 50
                else "backward"
                if event < 80
                else "optimizer_step"
                if event < 95
                else "between_steps"
            )
            grown = min(1.0, max(0.0, (event - 50) / 30)) if event < 95 else 0.0
            parts = _parts(
                weights=8 * GIB,
                gradients=int(grown * 8 * GIB),
                optimizer_state=16 * GIB if event >= 80 else state,
                activations=int(rising * 12 * GIB),
                inputs=1 * MIB if event < 80 else 0,
                temporaries=1 * GIB if 80 <= event < 95 else 0,
                workspace=32 * MIB,
            )
            points.append(SimulatedPoint(start + event, step, phase, parts, max(sum(parts), 30 * GIB) + GIB))
    return tuple(points)


def _phases(points: tuple[SimulatedPoint, ...]) -> tuple[SimulatedPhase, ...]:
    found = []
    for step, phase in dict.fromkeys((point.step, point.phase) for point in points):
        inside = [point for point in points if (point.step, point.phase) == (step, phase)]
        sizes = [sum(point.parts) for point in inside]
        held = [point.reserved_bytes for point in inside]
        found.append(SimulatedPhase(step, phase, sizes[0], sizes[-1], max(sizes), held[-1], max(held)))
    return tuple(found)


def report(**changes: Any) -> SimulationReport:
    """A run whose peak is at event 280 of 300; changes replace fields of it."""
    points = _points()
    peak = next(point for point in points if point.event == PEAK_EVENT)
    categories = dict(zip(CATEGORIES, peak.parts, strict=True))
    alive = [
        AliveRow("weights", f"layers.{layer}.mlp", "aten::empty", 0, "load", 3, 2 * GIB, 2 * GIB - 512)
        for layer in range(LAYERS)
    ]
    alive += [
        AliveRow("optimizer_state", "", "aten::zeros_like", 1, "optimizer_step", 24, 16 * GIB, 16 * GIB),
        AliveRow("activations", "layers.3.attention", "aten::mm", 2, "forward", 7, 3 * GIB, 3 * GIB),
        AliveRow("workspace", "layers.0.mlp", "aten::mm:cublas", 1, "forward", 1, 32 * MIB, 32 * MIB),
    ]
    made = SimulationReport(
        traced_by="2.13.0",
        target=TARGET,
        phases=_phases(points),
        peak_bytes=sum(peak.parts),
        peak_high_bytes=sum(peak.parts),
        peak_phase=peak.phase,
        peak_event=peak.event,
        peak_reserved_bytes=max(point.reserved_bytes for point in points),
        categories=categories,
        largest=categories,
        alive=tuple(alive),
        points=points,
        event_count=300,
        operator_count=1234,
        param_count=4_000_000_000,
        trainable_count=4_000_000_000,
        seconds=1.25,
        notes=(TracedNote("simulate.superseded"),),
    )
    return replace(made, **changes)


ROWS = (
    SimulatedRow("component", "weights", 8 * GIB, 8 * GIB),
    SimulatedRow(
        "component", "activations", 5 * GIB, 4 * GIB, Reason("simulated.rounding", {"rounding_bytes": GIB})
    ),
    SimulatedRow("peak", "allocated", 37 * GIB, 36 * GIB),
)


def simulated(snapshot: Snapshot, **changes: Any) -> SimulationState:
    """A finished simulation of what a snapshot shows."""
    assert snapshot.breakdown is not None
    usable = snapshot.gpu.usable_bytes if snapshot.gpu is not None else None
    result = Simulated(snapshot.scenario, report(**changes), snapshot.breakdown, ROWS, usable)
    return SimulationState(SimulateStage.DONE, snapshot.scenario, result=result)
