"""Scenario in, breakdown out: the one calculation behind the window and the command line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from optmem_gui.core.breakdown import Breakdown, ParameterCounts, RankRow
from optmem_gui.core.components import Sizes, component_rows
from optmem_gui.core.dtypes import F16
from optmem_gui.core.errors import UserError
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.ground import Ground, grounds_of, host_sizes
from optmem_gui.core.layout import Layout, in_order, place
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.state import optimizer_state, step_temporaries
from optmem_gui.core.overhead import CONTEXT_BYTES, fit_on, process_band, reserved_band
from optmem_gui.core.parallel import ONE_GPU
from optmem_gui.core.phases import StepCost, course, peak_of, phases
from optmem_gui.core.played import ends_at
from optmem_gui.core.precision import precision
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.allowed import check_optimizer, sharding_notes
from optmem_gui.core.sharding.messages import messages


def compute(scenario: Scenario, gpu: Gpu | None = None) -> Breakdown:
    """Predict the memory of one training step on one GPU; with several, on the one that needs the most.

    Args:
        scenario: What is trained and how.
        gpu: The GPU the verdict is for; its architecture also decides the workspace.

    Returns:
        Exact integers where a rule is exact; bands for what is reserved and what the driver shows.

    Raises:
        UserError: Something in the scenario does not exist or does not go together.
    """
    implementation = find(scenario.optimizer)
    grounds = grounds_of(scenario, gpu)
    answers = [_of_rank(ground, implementation, gpu) for ground in grounds]
    if scenario.parallel == ONE_GPU:
        return answers[0]
    peaks = [answer.peak_bytes for answer in answers]
    worst = peaks.index(max(peaks))
    rows = tuple(
        RankRow(
            stage=ground.rank.stage.index,
            param_count=ground.layout.total_count,
            peak_bytes=answer.peak_bytes,
            peak_phase=answer.peak_phase,
            host_bytes=answer.host_bytes,
            why=ground.rank.why,
        )
        for ground, answer in zip(grounds, answers, strict=True)
    )
    _check_host(scenario, max(row.host_bytes for row in rows))
    whole = place(scenario)
    return replace(answers[worst], parameters=_counts(scenario, whole), ranks=rows, rank=worst)


def _check_host(scenario: Scenario, host_bytes: int) -> None:
    limit = scenario.parallel.host_bytes
    if limit is not None and host_bytes > limit:
        raise UserError("shard.host_memory", needed_bytes=host_bytes, host_bytes=limit)


def _of_rank(ground: Ground, implementation: Implementation, gpu: Gpu | None) -> Breakdown:
    scenario = ground.rank.scenario
    sizes = sizes_of(ground, implementation)
    peak, state, temporaries = sizes.peak, sizes.state, sizes.temporaries
    reserved = reserved_band(peak.bytes, scenario.target)
    process = process_band(reserved, scenario.target, scenario.parallel.gpus, gpu)
    return Breakdown(
        parameters=_counts(scenario, ground.layout),
        components=component_rows(sizes),
        phases=sizes.phases,
        peak_bytes=peak.bytes,
        peak_phase=peak.id,
        reserved=reserved,
        process=process,
        fit=None if gpu is None else fit_on(gpu, process),
        timeline=tuple(sizes.moments),
        assumptions=(
            *_assumptions(ground, gpu, implementation),
            *sharding_notes(scenario, implementation, ground.share),
        ),
        warnings=tuple(_warnings(scenario, ground.layout, (*state.warnings, *temporaries.warnings))),
        state_only=not temporaries.predicted,
    )


def sizes_of(ground: Ground, implementation: Implementation) -> Sizes:
    """Everything that the rows of one rank are written from.

    Raises:
        UserError: The optimizer cannot train this model, or not in this layout.
    """
    scenario, share = ground.rank.scenario, ground.share
    check_optimizer(implementation, scenario, share)
    gradients = ground.gradients_for(implementation)
    state = optimizer_state(implementation, scenario.options, share.optimized, scenario.target)
    temporaries = step_temporaries(implementation, scenario.options, share.optimized, scenario.target)
    standing = ground.standing_with(implementation, state)
    need = None if share.host_state else temporaries
    step = StepCost.of(need, gradients, on_gpu=ground.on_gpu)
    ends = ends_at(ground, implementation, scenario.options, need)
    moments = course(standing, gradients, ground.activations, step, ends)
    phase_rows = phases(moments)
    return Sizes(
        scenario=scenario,
        layout=ground.layout,
        share=share,
        state=state,
        gradients=gradients,
        activations=ground.activations,
        temporaries=temporaries,
        standing=standing,
        step=step,
        ends=ends,
        moments=moments,
        phases=phase_rows,
        peak=peak_of(phase_rows),
        host=host_sizes(ground, state),
        messages=messages(scenario, ground.rank.stage),
        uncounted=ground.uncounted,
    )


def _counts(scenario: Scenario, layout: Layout) -> ParameterCounts:
    """Experts that a token does not visit are held and trained too: only ``active`` leaves them out."""
    return ParameterCounts(
        layout.total_count, layout.trained_count, layout.total_count - scenario.model.idle_count
    )


def _assumptions(ground: Ground, gpu: Gpu | None, implementation: Implementation) -> Iterable[Reason]:
    scenario, activations = ground.rank.scenario, ground.activations
    if not scenario.model.is_known:
        yield Reason("assume.no_architecture")
    elif not scenario.is_sized:
        yield Reason("assume.no_batch")
    elif ground.uncounted is not None:
        yield ground.uncounted
    if activations is not None:
        yield activations.attention_why
        yield from activations.not_counted
    if implementation.fused_backward:
        yield Reason("assume.fused_backward", {"optimizer": implementation.id})
    yield Reason("assume.steady_step")
    if scenario.target == "cpu":
        yield Reason("assume.cpu")
        if precision(scenario.precision).compute == F16:
            yield Reason("assume.cpu_fp16")
        return
    yield Reason("assume.ends" if in_order(scenario) else "assume.slack")
    yield Reason("assume.reserved")
    calibration = None if gpu is None else gpu.calibration
    yield Reason("assume.context") if calibration is None else calibration.reason(CONTEXT_BYTES)


def _warnings(scenario: Scenario, layout: Layout, optimizer: Iterable[Reason]) -> Iterable[Reason]:
    if not layout.scheme.runs_in_torch:
        yield Reason("warn.not_run", {"precision": scenario.precision})
    if scenario.precision == "fp16":
        yield Reason("warn.pure_fp16")
    most = None if scenario.model.network is not None else scenario.model.most_tokens  # those are not counted
    if scenario.sequence is not None and most is not None and scenario.sequence > most:
        yield Reason("warn.beyond_positions", {"tokens": scenario.sequence, "most": most})
    seen: list[Reason] = []
    for reason in optimizer:
        if reason not in seen:
            seen.append(reason)
            yield reason
