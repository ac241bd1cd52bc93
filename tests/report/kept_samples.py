"""Measurements made by hand: how they are kept and shown matters, not how they arise."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone

from optmem_gui.core.estimate import compute
from optmem_gui.core.measuring import measured_scenario
from optmem_gui.core.observing import DeviceFacts, OtherProcess, Others
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.protocol import (
    Categories,
    Hello,
    PhaseSample,
    Result,
    Sample,
    SamplerNote,
    StateRow,
    StepResult,
)
from optmem_gui.core.rank_rows import ranked_scenario
from optmem_gui.core.reasons import Reason
from optmem_gui.core.requests import MeasureRequest, Rank
from optmem_gui.core.result_rows import Predictions
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.per_rank import held_by
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.units import GIB, MIB
from optmem_gui.engine.measurement import MeasurementResult
from optmem_gui.report.keeping import keep, keep_ranks
from optmem_gui.report.kept_result import KeptResult

GPU = "GPU-fake"
NAMES = ("forward", "backward", "optimizer_step", "between_steps")
MS = 1_000_000


def scenario(count: int = 1_000_000) -> Scenario:
    return Scenario(synthetic_ref(count), precision="fp32", batch=1, sequence=32)


def outcome(asked: Scenario, *, gpu: bool = True, more: int = 0) -> MeasurementResult:
    """Two steps; on a GPU torch reserves 100 MiB and the process holds 480 MiB beyond.

    Args:
        asked: What was asked for.
        gpu: It ran on one.
        more: Bytes that activations take beyond 2 MiB.
    """
    device = GPU if gpu else "cpu"
    reserved = 100 * MIB if gpu else None
    weights = 4 * asked.model.param_count
    standing = 3 * weights + (8 * MIB if gpu else 0)

    def phase(step: int, name: str, place: int, peak: int) -> PhaseSample:
        start = (10 + 40 * step + 10 * place) * MS
        points = () if gpu else ((start + MS, peak),)
        return PhaseSample(
            step,
            name,
            start,
            start + 9 * MS,
            standing,
            standing + 2 * MIB + more,
            peak,
            reserved,
            reserved,
            points,
        )

    def step(number: int) -> StepResult:
        peaks = (
            standing + 3 * MIB + more,
            standing + weights,
            standing + 2 * weights,
            standing + 2 * weights,
        )
        phases = tuple(
            phase(number, name, place, peak)
            for place, (name, peak) in enumerate(zip(NAMES, peaks, strict=True))
        )
        last = replace(phases[-1], allocated_bytes=standing)
        sizes = Categories(weights=weights, gradients=weights, optimizer_state=2 * weights)
        return StepResult(number, (*phases[:-1], last), sizes, 2 * MIB + more, 0.5)

    load = phase(0, "load", 0, weights)
    steps = (step(1), step(2))
    clocks = range(0, 140, 10)
    process = reserved + 480 * MIB if reserved is not None else None
    return MeasurementResult(
        "done",
        MeasureRequest(device, "torch.optim.AdamW", steps=2),
        hello=Hello(
            7, "3.11.9", "2.13.0", "NVIDIA H100 80GB HBM3" if gpu else "a CPU", GPU if gpu else None, None, 0
        ),
        result=Result(
            load,
            *steps,
            (StateRow("exp_avg", "float32", False, 1, weights),),
            weights // 4,
            weights // 4,
            0.2,
        ),
        phases=(load, *steps[0].phases, *steps[1].phases),
        samples=tuple(
            Sample(
                at * MS + 123_456, 2 * GIB + at if gpu else None, process if at % 20 == 0 else None, 300 * MIB
            )
            for at in clocks
        ),
        notes=() if gpu else (SamplerNote("device", "nvml.no_gpu", {}),),
        warnings=(Reason("measure.others_changed", {"change_bytes": GIB}),),
        baseline_bytes=2 * GIB if gpu else None,
        facts=DeviceFacts(GPU, "580.00", 80 * GIB, GIB, 2) if gpu else None,
        others=(Others(0, (OtherProcess(9, "/usr/bin/x", GIB),)),) if gpu else (),
        sample_hz=250,
    )


def kept(count: int = 1_000_000, *, gpu: bool = True, more: int = 0, minute: int = 0) -> KeptResult:
    asked = scenario(count)
    ran = outcome(asked, gpu=gpu, more=more)
    breakdown = compute(measured_scenario(asked, ran.request.device))
    return keep(asked, Predictions(breakdown), ran, at(minute))


def ranked(count: int = 1_000_000, ranks: int = 2, shard: str = "fsdp2") -> Scenario:
    return replace(scenario(count), parallel=Parallel(gpus=ranks, shard=shard))


def rank_outcomes(asked: Scenario, *, gpu: bool = True, more: int = 0) -> tuple[MeasurementResult, ...]:
    """Every rank holds what is said of it; each takes 1 MiB more for activations than the one before.

    Args:
        asked: What was asked for.
        gpu: They ran on GPUs.
        more: Bytes that activations of the first take beyond 2 MiB.
    """
    ran = ranked_scenario(asked, GPU if gpu else "cpu")
    outcomes = []
    for rank in range(asked.parallel.gpus):
        one, held = outcome(asked, gpu=gpu, more=more + rank * MIB), held_by(ran, rank)
        assert one.result is not None
        sizes = Categories(
            weights=held.weights_bytes,
            gradients=held.gradients_bytes,
            optimizer_state=held.state_bytes,
            communication=held.communication_bytes,
        )
        steady = replace(one.result.steady, categories=sizes)
        request = replace(one.request, rank=Rank(rank, asked.parallel.gpus, asked.parallel.shard, "store"))
        outcomes.append(replace(one, request=request, result=replace(one.result, steady=steady)))
    return tuple(outcomes)


def kept_ranks(
    count: int = 1_000_000, *, shard: str = "fsdp2", gpu: bool = True, more: int = 0, minute: int = 0
) -> KeptResult:
    asked = ranked(count, shard=shard)
    ran = rank_outcomes(asked, gpu=gpu, more=more)
    breakdown = compute(ranked_scenario(asked, ran[0].request.device))
    return keep_ranks(asked, Predictions(breakdown), ran, at(minute))


def at(minute: int) -> datetime:
    return datetime(2026, 11, 30, 12, 0, tzinfo=timezone(timedelta(hours=1))) + timedelta(minutes=minute)
