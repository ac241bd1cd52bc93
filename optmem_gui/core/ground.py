"""What one rank holds whatever its optimizer is: computed once, shared by every optimizer compared."""

from __future__ import annotations

from dataclasses import dataclass, replace

from optmem_gui.core.activations import Activations, estimate_activations
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.gradients import Gradients, gradients_of
from optmem_gui.core.layout import Layout, PlacedGroup, place, rounded
from optmem_gui.core.model import Role
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.state import OptimizerState
from optmem_gui.core.phases import Standing
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.engines import share_of
from optmem_gui.core.sharding.ranks import Rank, ranks_of
from optmem_gui.core.sharding.share import Share

_MULTIPLIED = (Role.ATTENTION, Role.MLP, Role.EXPERT, Role.ROUTER, Role.HEAD, Role.CONVOLUTION, Role.OTHER)
"""Roles whose matrices enter a matrix product or convolution, which autocast and fp8 cast."""

_COMPUTED_IN = {"amp-bf16": "bf16", "amp-fp16": "fp16", "bf16-autocast": "bf16"}
"""What an engine that gathers parameters in a type of their own computes in, instead of autocast."""


@dataclass(frozen=True, slots=True)
class Ground:
    """One rank without its optimizer.

    Attributes:
        rank: Which one.
        layout: Whole tensors of its part of the model: who is trained, in which type.
        share: What it keeps of them, and what its optimizer sees.
        gradients: Size and lifetime of the gradients.
        activations: Of one micro-batch, None where they are not counted.
        standing: What does not change within a step, without any optimizer state.
        on_gpu: Memory is handed out in blocks.
    """

    rank: Rank
    layout: Layout
    share: Share
    gradients: Gradients
    activations: Activations | None
    standing: Standing
    on_gpu: bool

    def standing_with(self, implementation: Implementation, state: OptimizerState) -> Standing:
        """The same with the state of one optimizer."""
        at_load = implementation.created == "construction"
        if self.share.host_state:
            return replace(self.standing, state_at_load=at_load)
        rounding = state.device_rounded_bytes - state.device_bytes if self.on_gpu else 0
        return replace(
            self.standing,
            optimizer_state=state.device_bytes,
            state_rounding=rounding,
            state_at_load=at_load,
        )

    def gradients_for(self, implementation: Implementation) -> Gradients:
        """The same, without the copy in the master's type where the optimizer takes 16-bit gradients."""
        if implementation.low_precision_gradients:
            return replace(self.gradients, step_copy_bytes=0, step_copy_rounding=0)
        return self.gradients


def grounds_of(scenario: Scenario, gpu: Gpu | None) -> tuple[Ground, ...]:
    """Every kind of rank, without its optimizer.

    Raises:
        UserError: Something in the scenario does not exist or does not go together.
    """
    return tuple(_ground(rank, gpu) for rank in ranks_of(scenario))


def _ground(rank: Rank, gpu: Gpu | None) -> Ground:
    scenario = rank.scenario
    layout = place(scenario)
    share = share_of(layout, scenario.parallel, rank.layers)
    gradients = gradients_of(share.gradients, scenario, share.optimized, stand=share.gradients_stand)
    if share.host_state:
        gradients = replace(gradients, step_copy_bytes=0, step_copy_rounding=0)
    activations = _activations(rank, layout, gpu, gathers=share.gathers)
    standing = _standing(rank, layout, share, gradients=gradients, activations=activations)
    return Ground(rank, layout, share, gradients, activations, standing, scenario.target == "cuda")


def _activations(rank: Rank, layout: Layout, gpu: Gpu | None, *, gathers: bool) -> Activations | None:
    scenario = rank.scenario
    shape = scenario.model.architecture
    if shape is None or scenario.batch is None or scenario.sequence is None:
        return None
    if gathers and scenario.precision in _COMPUTED_IN:
        scenario = replace(scenario, precision=_COMPUTED_IN[scenario.precision])
        layout = place(scenario)
    architecture = gpu.architecture if gpu is not None else None
    stage = rank.stage
    return estimate_activations(shape, scenario, layout, architecture, embeds=stage.embeds, heads=stage.heads)


def _standing(
    rank: Rank, layout: Layout, share: Share, *, gradients: Gradients, activations: Activations | None
) -> Standing:
    scenario = rank.scenario
    on_gpu = scenario.target == "cuda"
    kept = () if share.host_weights else share.weights.placed
    weights = sum(p.weight_bytes for p in kept)
    weights_rounded = sum(rounded(block) * p.group.count for p in kept for block in p.weight_blocks)
    updated = () if share.host_state else share.optimized.placed
    masters = [(p.master.bytes_for(p.group.numel), p.group.count) for p in updated if p.master is not None]
    buffers = _buffer_sizes(scenario, layout)
    master = sum(size * count for size, count in masters)
    held = sum(size * count for size, count in buffers)
    load_rounded = weights_rounded + sum(rounded(size) * count for size, count in (*masters, *buffers))
    waiting = 0
    if activations is not None and rank.stage.waiting > 1:
        waiting = round((rank.stage.waiting - 1) * activations.saved_bytes)
    made = gradients_of(layout, scenario).bytes
    return Standing(
        weights=weights,
        master_weights=master,
        optimizer_state=0,
        buffers=held,
        workspace=activations.workspace_bytes if activations is not None else 0,
        load_rounding=load_rounded - weights - master - held if on_gpu else 0,
        state_rounding=0,
        gradient_rounding=gradients.rounded_bytes - gradients.bytes if on_gpu else 0,
        weight_copies=0 if share.gathers else _weight_copies(layout),
        kept_logits=_kept_logits(scenario, layout) if rank.stage.heads else 0,
        state_at_load=False,
        gradients_at_load=layout.scheme.persistent_gradients or share.gradients_stand,
        communication=share.buffers,
        waiting_activations=waiting,
        other_models=sum(resident.size_bytes for resident in scenario.residents),
        gradient_share=None if made == gradients.bytes else (gradients.bytes, made),
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


def host_sizes(ground: Ground, state: OptimizerState) -> dict[str, int]:
    """What a rank keeps in host memory, by component.

    DeepSpeed and FSDP pin as much as they move: the figures are those of the tensors themselves.
    """
    share, sizes = ground.share, {"optimizer_state": state.host_bytes}
    if share.host_state:
        sizes["optimizer_state"] = state.bytes
        sizes["master_weights"] = sum(
            p.bytes_in(p.master) for p in share.optimized.placed if p.master is not None
        )
    if share.host_weights:
        sizes["weights"] = sum(p.weight_bytes for p in share.weights.placed)
    return {name: size for name, size in sizes.items() if size}
