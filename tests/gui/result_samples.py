"""Results made by hand for the tests of the panels: how they are shown matters, not how they arise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from optmem_gui.core.breakdown import (
    COMPONENT_IDS,
    PHASE_IDS,
    Band,
    Breakdown,
    Component,
    Fit,
    Moment,
    ParameterCounts,
    Phase,
)
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.optimizer_rows import OptimizerRow
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.units import MIB
from optmem_gui.gui.snapshot import Snapshot

H100 = Gpu("h100-80gb", "NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3", 81559, 553, True, "sm_90", "H", "")
"""Total as its driver reports it; usable 79.1 GiB."""

_SPANS = {
    "load": (0.0, 0.06),
    "forward": (0.06, 0.36),
    "backward": (0.36, 0.78),
    "optimizer_step": (0.78, 0.94),
    "between_steps": (0.94, 1.0),
}


def breakdown(
    param_count: int = 7_000_000_000,
    *,
    gpu: Gpu | None = H100,
    each: Mapping[str, int] | None = None,
    activations: int | None = None,
    host_bytes: int = 0,
) -> Breakdown:
    """A step whose components take whole bytes a parameter.

    Args:
        param_count: Parameters.
        gpu: What the verdict is for.
        each: Bytes a parameter by component; pure bf16 with Adam when left out.
        activations: Bytes of activations, None for "not counted".
        host_bytes: Part of the optimizer state in host memory.
    """
    sizes: dict[str, int] = dict.fromkeys(COMPONENT_IDS, 0)
    per: Mapping[str, int] = each or {"weights": 2, "gradients": 2, "optimizer_state": 4, "temporaries": 2}
    sizes |= {name: size * param_count for name, size in per.items()}
    sizes["activations"] = activations or 0
    step = {name: size for name, size in sizes.items() if size and name != "activations"}
    loaded = _parts(step, "weights", "master_weights")
    base = _parts(step, "weights", "master_weights", "optimizer_state")
    busy = {**base, "activations": sizes["activations"]}
    phases: dict[str, dict[str, int]] = {
        "load": loaded,
        "forward": busy,
        "backward": {**busy, "gradients": step.get("gradients", 0)},
        "optimizer_step": step,
        "between_steps": base,
    }
    totals = {phase: sum(parts.values()) for phase, parts in phases.items() if phase != "load"}
    peak_phase = max(totals, key=lambda phase: totals[phase])
    peak, parts = totals[peak_phase], phases[peak_phase]
    process = Band(peak + 250 * MIB, peak + peak // 20 + 650 * MIB)
    return Breakdown(
        parameters=ParameterCounts(param_count, param_count, param_count),
        components=tuple(
            Component(
                id=name,
                bytes=sizes[name],
                at_peak=parts.get(name, 0),
                host_bytes=host_bytes if name == "optimizer_state" else 0,
                dtype="bf16" if sizes[name] else "",
                counted=not (name == "activations" and activations is None),
                formula=Reason(
                    "formula.per_parameter", {"count": param_count, "each": str(per.get(name, 0))}
                ),
                why=Reason("precision.bf16"),
            )
            for name in COMPONENT_IDS
        ),
        phases=tuple(Phase(phase, phases[phase]) for phase in PHASE_IDS),
        peak_bytes=peak,
        peak_phase=peak_phase,
        reserved=Band(peak, peak + peak // 20),
        process=process,
        fit=None if gpu is None else _fit(gpu, process),
        timeline=_timeline(phases),
        assumptions=(Reason("assume.steady_step"),),
        warnings=(Reason("warn.pure_fp16"),),
    )


def _parts(sizes: Mapping[str, int], *names: str) -> dict[str, int]:
    return {name: sizes[name] for name in names if name in sizes}


def _fit(gpu: Gpu, process: Band) -> Fit:
    usable = gpu.usable_bytes
    fits = "yes" if process.high <= usable else "no" if process.low > usable else "tight"
    return Fit(gpu.id, usable, fits, usable - process.high)


def _timeline(phases: Mapping[str, Mapping[str, int]]) -> tuple[Moment, ...]:
    moments = []
    before: Mapping[str, int] = {}
    for phase, (start, end) in _SPANS.items():
        moments += [Moment(phase, start, before), Moment(phase, (start + end) / 2, phases[phase])]
        moments.append(Moment(phase, end, phases[phase]))
        before = phases[phase]
    return tuple(moments)


def snapshot(result: Breakdown | None = None, *, gpu: Gpu | None = H100, **fields: Any) -> Snapshot:
    """A snapshot that shows a result."""
    shown = breakdown(gpu=gpu) if result is None else result
    scenario = Scenario(synthetic_ref(shown.parameters.total), gpu=gpu.id if gpu else None)
    return Snapshot(inputs=fields.pop("inputs", None), scenario=scenario, breakdown=shown, gpu=gpu, **fields)


def comparison() -> tuple[OptimizerRow, ...]:
    """A few optimizers on 7B parameters in pure bf16, one of them refused."""
    count = 7_000_000_000

    def row(name: str, state: int, temporaries: int, fits: str | None) -> OptimizerRow:
        peak = (4 + state + temporaries) * count
        return OptimizerRow(name, state * count, temporaries * count, peak, "optimizer_step", fits)

    return (
        row("torch.AdamW", 4, 2, "yes"),
        row("torch.SGD", 0, 0, "yes"),
        row("torch.RMSprop", 2, 2, "yes"),
        row("torch.LBFGS", 400, 8, "no"),
        OptimizerRow("torch.SparseAdam", 0, 0, 0, "", None, Reason("warn.pure_fp16")),
    )
