"""Scenario in, breakdown out: the one calculation behind the window and the command line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from optmem_gui.core.activations import Activations, estimate_activations
from optmem_gui.core.breakdown import Breakdown, ParameterCounts, Phase
from optmem_gui.core.components import Sizes, component_rows
from optmem_gui.core.dtypes import F16
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.gradients import Gradients, gradients_of
from optmem_gui.core.layout import Layout, PlacedGroup, place, rounded
from optmem_gui.core.model import Role
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.state import OptimizerState, optimizer_state, step_temporaries
from optmem_gui.core.overhead import fit_on, process_band, reserved_band
from optmem_gui.core.phases import Standing, StepCost, course, phases
from optmem_gui.core.precision import precision
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario

_MULTIPLIED = (Role.ATTENTION, Role.MLP, Role.EXPERT, Role.ROUTER, Role.HEAD, Role.CONVOLUTION, Role.OTHER)
"""Roles whose matrices enter a matrix product or convolution, which autocast and fp8 cast."""


def compute(scenario: Scenario, gpu: Gpu | None = None) -> Breakdown:
    """Predict the memory of one training step.

    Args:
        scenario: What is trained and how.
        gpu: The GPU the verdict is for; its architecture also decides the workspace.

    Returns:
        Exact integers where a rule is exact; bands for what is reserved and what the driver shows.

    Raises:
        UserError: Something in the scenario does not exist or does not go together.
    """
    implementation = find(scenario.optimizer)
    ground = ground_of(scenario, gpu)
    layout, activations = ground.layout, ground.activations
    gradients = ground.gradients_for(implementation)
    state = optimizer_state(implementation, scenario.options, layout, scenario.target)
    temporaries = step_temporaries(implementation, scenario.options, layout, scenario.target)
    standing = ground.standing_with(implementation, state)
    step = StepCost(temporaries.bytes, gradients.step_copy_bytes, gradients.clip_bytes)
    moments = course(standing, gradients, activations, step)
    phase_rows = phases(moments)
    peak = peak_of(phase_rows)
    sizes = Sizes(scenario, layout, state, gradients, activations, temporaries, standing, moments, peak)
    reserved = reserved_band(peak.bytes, scenario.target)
    process = process_band(reserved, scenario.target)
    return Breakdown(
        parameters=_counts(scenario, layout),
        components=component_rows(sizes),
        phases=phase_rows,
        peak_bytes=peak.bytes,
        peak_phase=peak.id,
        reserved=reserved,
        process=process,
        fit=None if gpu is None else fit_on(gpu, process),
        timeline=moments,
        assumptions=tuple(_assumptions(scenario, activations)),
        warnings=tuple(_warnings(scenario, layout, (*state.warnings, *temporaries.warnings))),
        state_only=not temporaries.predicted,
    )


@dataclass(frozen=True, slots=True)
class Ground:
    """What a scenario holds whatever its optimizer is: computed once, shared by every optimizer compared.

    Attributes:
        layout: Who is trained, in which type.
        gradients: Size and lifetime of the gradients.
        activations: Of one micro-batch, None where they are not counted.
        standing: What does not change within a step, without any optimizer state.
        on_gpu: Memory is handed out in blocks.
    """

    layout: Layout
    gradients: Gradients
    activations: Activations | None
    standing: Standing
    on_gpu: bool

    def standing_with(self, implementation: Implementation, state: OptimizerState) -> Standing:
        """The same with the state of one optimizer."""
        rounding = state.device_rounded_bytes - state.device_bytes if self.on_gpu else 0
        return replace(
            self.standing,
            optimizer_state=state.device_bytes,
            state_rounding=rounding,
            state_at_load=implementation.created == "construction",
        )

    def gradients_for(self, implementation: Implementation) -> Gradients:
        """The same, without the copy in the master's type where the optimizer takes 16-bit gradients."""
        if implementation.low_precision_gradients:
            return replace(self.gradients, step_copy_bytes=0)
        return self.gradients


def ground_of(scenario: Scenario, gpu: Gpu | None) -> Ground:
    """Everything that does not depend on the optimizer.

    Raises:
        UserError: Something in the scenario does not exist or does not go together.
    """
    layout = place(scenario)
    gradients = gradients_of(layout, scenario)
    activations = _activations(scenario, layout, gpu)
    standing = _standing(scenario, layout, gradients=gradients, activations=activations)
    return Ground(layout, gradients, activations, standing, scenario.target == "cuda")


def peak_of(rows: Sequence[Phase]) -> Phase:
    """The largest phase of the step; the earliest of equals. Loading is not part of the step."""
    best = rows[1]
    for row in rows[2:]:
        if row.bytes > best.bytes:
            best = row
    return best if best.bytes >= rows[0].bytes else rows[0]


def _activations(scenario: Scenario, layout: Layout, gpu: Gpu | None) -> Activations | None:
    shape = scenario.model.architecture
    if shape is None or scenario.batch is None or scenario.sequence is None:
        return None
    architecture = gpu.architecture if gpu is not None else None
    return estimate_activations(shape, scenario, layout, architecture)


def _standing(
    scenario: Scenario,
    layout: Layout,
    *,
    gradients: Gradients,
    activations: Activations | None,
) -> Standing:
    on_gpu = scenario.target == "cuda"
    weights = sum(p.weight_bytes for p in layout.placed)
    weights_rounded = sum(rounded(block) * p.group.count for p in layout.placed for block in p.weight_blocks)
    masters = [
        (p.master.bytes_for(p.group.numel), p.group.count) for p in layout.placed if p.master is not None
    ]
    buffers = _buffer_sizes(scenario, layout)
    master = sum(size * count for size, count in masters)
    held = sum(size * count for size, count in buffers)
    load_rounded = weights_rounded + sum(rounded(size) * count for size, count in (*masters, *buffers))
    return Standing(
        weights=weights,
        master_weights=master,
        optimizer_state=0,
        buffers=held,
        workspace=activations.workspace_bytes if activations is not None else 0,
        load_rounding=load_rounded - weights - master - held if on_gpu else 0,
        state_rounding=0,
        gradient_rounding=gradients.rounded_bytes - gradients.bytes if on_gpu else 0,
        weight_copies=_weight_copies(layout),
        kept_logits=_kept_logits(scenario, layout),
        state_at_load=False,
        gradients_at_load=layout.scheme.persistent_gradients,
    )


def _buffer_sizes(scenario: Scenario, layout: Layout) -> list[tuple[int, int]]:
    """Bytes of one buffer and how many there are; ``module.to(dtype)`` casts floating buffers too."""
    weights = layout.scheme.weights
    casts = weights.bits in (16, 32, 64)
    sizes = []
    for group in scenario.model.buffers:
        dtype = weights if casts and group.dtype.is_floating else group.dtype
        sizes.append((dtype.bytes_for(group.numel), group.count))
    return sizes


def _weight_copies(layout: Layout) -> int:
    """Casts of matrices that live from forward to backward: autocast's cache, TransformerEngine's fp8."""
    scheme = layout.scheme
    total = 0
    for placed in layout.placed:
        if len(placed.group.shape) < 2 or placed.group.role not in _MULTIPLIED:
            continue
        total += _copy_bits(placed, layout) * placed.group.param_count // 8
    return total if scheme.autocast is not None or scheme.cached_weight_bits else 0


def _copy_bits(placed: PlacedGroup, layout: Layout) -> int:
    scheme = layout.scheme
    if scheme.cached_weight_bits:
        return scheme.cached_weight_bits
    cast = scheme.autocast is not None and placed.trainable and placed.weights.bits > scheme.autocast.bits
    return scheme.autocast.bits if cast and scheme.autocast is not None else 0


def _kept_logits(scenario: Scenario, layout: Layout) -> int:
    shape = scenario.model.architecture
    if not scenario.keep_logits or shape is None or scenario.batch is None or scenario.sequence is None:
        return 0
    return layout.scheme.compute.bytes_for(scenario.batch * scenario.sequence * shape.vocab)


def _counts(scenario: Scenario, layout: Layout) -> ParameterCounts:
    """Experts that a token does not visit are held and trained too: only ``active`` leaves them out."""
    return ParameterCounts(
        layout.total_count, layout.trained_count, layout.total_count - scenario.model.idle_count
    )


def _assumptions(scenario: Scenario, activations: Activations | None) -> Iterable[Reason]:
    if scenario.model.architecture is None:
        yield Reason("assume.no_architecture")
    elif scenario.batch is None or scenario.sequence is None:
        yield Reason("assume.no_batch")
    if activations is not None:
        yield activations.attention_why
        yield from activations.not_counted
    yield Reason("assume.steady_step")
    if scenario.target == "cpu":
        yield Reason("assume.cpu")
        if precision(scenario.precision).compute == F16:
            yield Reason("assume.cpu_fp16")
        return
    yield Reason("assume.slack")
    yield Reason("assume.reserved")
    yield Reason("assume.context")


def _warnings(scenario: Scenario, layout: Layout, optimizer: Iterable[Reason]) -> Iterable[Reason]:
    if not layout.scheme.runs_in_torch:
        yield Reason("warn.not_run", {"precision": scenario.precision})
    if scenario.precision == "fp16":
        yield Reason("warn.pure_fp16")
    seen: list[Reason] = []
    for reason in optimizer:
        if reason not in seen:
            seen.append(reason)
            yield reason
