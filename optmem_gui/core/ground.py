"""What one rank holds whatever its optimizer is: computed once, shared by every optimizer compared."""

from __future__ import annotations

from dataclasses import dataclass, replace

from optmem_gui.core.activations import Activations, activations_of, workspace_bytes
from optmem_gui.core.activations.moments import leading
from optmem_gui.core.activations.network import network_activations, network_setting
from optmem_gui.core.activations.plan import Plan, make_plan
from optmem_gui.core.activations.setting import Setting
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.gradients import Gradients, gradients_of
from optmem_gui.core.layout import Layout, PlacedGroup, place
from optmem_gui.core.model import Role
from optmem_gui.core.networks import Network
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.state import OptimizerState
from optmem_gui.core.parallel import ONE_GPU, Parallel
from optmem_gui.core.phases import Standing
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.engines import share_of
from optmem_gui.core.sharding.megatron import is_megatron, megatron_activations
from optmem_gui.core.sharding.mesh import check
from optmem_gui.core.sharding.messages import messages, sent
from optmem_gui.core.sharding.ranks import Rank, ranks_of
from optmem_gui.core.sharding.share import Share

_MULTIPLIED = (Role.ATTENTION, Role.MLP, Role.EXPERT, Role.ROUTER, Role.HEAD, Role.CONVOLUTION, Role.OTHER)
"""Roles whose matrices enter a matrix product or convolution, which autocast and fp8 cast."""

_LOSS_ITEMS = ("logits", "loss", "kept_logits")
"""What only the micro-batch at the end of the pipeline has, however many wait in its layers."""

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
        uncounted: Why its activations are not counted although its dimensions and a size are known.
        plan: What the activations of a decoder, or of a network, were computed from; None where they are not
            counted or come from elsewhere.
    """

    rank: Rank
    layout: Layout
    share: Share
    gradients: Gradients
    activations: Activations | None
    standing: Standing
    on_gpu: bool
    uncounted: Reason | None = None
    plan: Plan | Setting | None = None

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


class Part:
    """What one kind of rank computes with, whoever it shares that with: its tensors and activations.

    Attributes:
        rank: Which one.
        layout: Whole tensors of its part of the model.
        made: Gradients of all of them, as autograd makes them.
        plans: The step reduced to what activations depend on, at some size, by whether it casts.
        uncounted: Why activations are not counted although dimensions and a size are known.
    """

    def __init__(
        self, rank: Rank, gpu: Gpu | None, *, peaks_only: bool = False, like: Part | None = None
    ) -> None:
        """Place the tensors of a rank.

        Args:
            rank: The rank.
            gpu: Its GPU.
            peaks_only: Of the course of a step, keep the moments alone that can be its largest.
            like: The same rank at another size, whose tensors are the same. Of the course of a step, only
                the ends of straight lines are then computed.
        """
        self.rank, self._gpu, self._peaks_only, self._ends_only = rank, gpu, peaks_only, like is not None
        self.layout: Layout = place(rank.scenario) if like is None else like.layout
        self.made: Gradients = (
            gradients_of(self.layout, rank.scenario, stand=True) if like is None else like.made
        )
        self._activations: dict[bool, Activations | None] = {}
        self.plans: dict[bool, Plan] = {} if like is None else like.plans
        self._settings: dict[bool, Setting] = {}
        self.uncounted: Reason | None = None

    def sized(self, batch: int, sequence: int) -> Part:
        """The same rank at another size, of which its activations alone depend.

        Args:
            batch: Sequences a micro-batch.
            sequence: Tokens of a sequence that this rank has.
        """
        scenario = replace(self.rank.scenario, batch=batch, sequence=sequence)
        return Part(replace(self.rank, scenario=scenario), self._gpu, like=self)

    def activations(self, *, gathers: bool) -> Activations | None:
        """Activations of one micro-batch, None where they are not counted; computed when they are asked for.

        Args:
            gathers: Parameters are gathered in the type of the computation, instead of autocast.
        """
        casts = gathers and self.rank.scenario.precision in _COMPUTED_IN
        if casts not in self._activations:
            found = self._estimated(casts)
            self._activations[casts] = leading(found) if found is not None and self._peaks_only else found
        return self._activations[casts]

    def plan(self, *, gathers: bool) -> Plan | Setting | None:
        """What :meth:`activations` computes from; None where it has no rules of its own to follow.

        Args:
            gathers: As there.
        """
        scenario = self.rank.scenario
        casts = gathers and scenario.precision in _COMPUTED_IN
        return self._settings.get(casts) or self._plan(casts)

    def _plan(self, casts: bool) -> Plan | None:
        scenario, stage = self.rank.scenario, self.rank.stage
        plan = self.plans.get(casts)
        if plan is None or scenario.batch is None or scenario.sequence is None:
            return None
        return replace(
            plan,
            batch=scenario.batch,
            sequence=scenario.sequence,
            embeds=stage.embeds,
            heads=stage.heads,
        )

    def _estimated(self, casts: bool) -> Activations | None:
        scenario, layout, stage = self.rank.scenario, self.layout, self.rank.stage
        shape = scenario.model.architecture
        if scenario.model.network is not None:
            return self._of_network(scenario.model.network, casts)
        if shape is None or scenario.batch is None or scenario.sequence is None:
            return None
        if is_megatron(scenario):
            return megatron_activations(shape, scenario, embeds=stage.embeds, heads=stage.heads)
        if casts not in self.plans:
            computed = scenario
            if casts:
                computed = replace(scenario, precision=_COMPUTED_IN[scenario.precision])
                layout = place(computed)
            self.plans[casts] = make_plan(shape, computed, layout, scenario.batch, scenario.sequence)
        plan = self._plan(casts)
        assert plan is not None  # noqa: S101  # made just now
        return activations_of(plan, self._architecture, ends_only=self._ends_only)

    @property
    def _architecture(self) -> str | None:
        return self._gpu.architecture if self._gpu is not None else None

    def _of_network(self, network: Network, casts: bool) -> Activations | None:
        scenario, layout = self.rank.scenario, self.layout
        if scenario.batch is None or scenario.tokens is None:
            return None
        if casts:
            scenario = replace(scenario, precision=_COMPUTED_IN[scenario.precision])
            layout = place(scenario)
        processors = None if self._gpu is None else self._gpu.processors
        setting = network_setting(network, scenario, layout, processors)
        if isinstance(setting, Reason):
            self.uncounted = setting
            return None
        self._settings[casts] = setting
        found = network_activations(setting, ends_only=self._ends_only)
        return replace(found, workspace_bytes=workspace_bytes(self._architecture, cpu=setting.cpu))


class Parts:
    """Parts of one model, kept: layouts that split it alike differ only in who shares what.

    Args:
        scenario: What is trained; its own layout does not matter.
        gpu: Every rank's GPU.
        peaks_only: Of the course of a step, keep the moments alone that can be its largest.
    """

    def __init__(self, scenario: Scenario, gpu: Gpu | None, *, peaks_only: bool = False) -> None:
        self._scenario, self._gpu, self._peaks_only = scenario, gpu, peaks_only
        self._known: dict[tuple[int | tuple[int, ...], ...], tuple[Part, ...]] = {}

    def grounds(self, parallel: Parallel) -> tuple[Ground, ...]:
        """Every kind of rank of one layout, without its optimizer.

        Raises:
            UserError: Something in the scenario does not exist or does not go together.
        """
        return tuple(_ground(part, parallel) for part in self.parts(parallel))

    def parts(self, parallel: Parallel) -> tuple[Part, ...]:
        """Every kind of rank of one layout, before it is known who shares what.

        Raises:
            UserError: As above.
        """
        scenario = replace(self._scenario, parallel=parallel)
        degrees = (parallel.tp, parallel.pp, parallel.ep, parallel.cp, parallel.interleave, parallel.stages)
        key = (*degrees, parallel.sequence_parallel, parallel == ONE_GPU, is_megatron(scenario))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = tuple(
                Part(rank, self._gpu, peaks_only=self._peaks_only) for rank in ranks_of(scenario)
            )
        elif parallel != ONE_GPU:
            check(scenario)
        return known


def grounds_of(scenario: Scenario, gpu: Gpu | None) -> tuple[Ground, ...]:
    """Every kind of rank, without its optimizer.

    Raises:
        UserError: Something in the scenario does not exist or does not go together.
    """
    return Parts(scenario, gpu).grounds(scenario.parallel)


def _ground(part: Part, parallel: Parallel) -> Ground:
    rank, layout = part.rank, part.layout
    if rank.scenario.parallel != parallel:
        rank = replace(rank, scenario=replace(rank.scenario, parallel=parallel))
    scenario = rank.scenario
    share = share_of(layout, parallel, rank.layers)
    gradients = gradients_of(share.gradients, scenario, share.optimized, stand=share.gradients_stand)
    if share.host_state:
        gradients = replace(gradients, step_copy_bytes=0, step_copy_rounding=0)
    if gradients.arriving_bytes:
        # what arrives is one parameter's gradient, however the kept ones are laid end to end
        gradients = replace(gradients, arriving_bytes=part.made.arriving_bytes)
    if share.host_gradients:
        gradients = replace(gradients, bytes=0, rounded_bytes=0)
    activations = part.activations(gathers=share.gathers)
    standing = _standing(rank, part, share, gradients=gradients, activations=activations)
    plan, on_gpu = part.plan(gathers=share.gathers), scenario.target == "cuda"
    return Ground(rank, layout, share, gradients, activations, standing, on_gpu, part.uncounted, plan)


def _standing(
    rank: Rank, part: Part, share: Share, *, gradients: Gradients, activations: Activations | None
) -> Standing:
    scenario, layout, made = rank.scenario, part.layout, part.made.bytes
    on_gpu = scenario.target == "cuda"
    kept = () if share.host_weights else share.weights.placed
    weights = sum(p.weight_bytes for p in kept)
    weights_rounded = sum(layout.rounded(block) * p.group.count for p in kept for block in p.weight_blocks)
    updated = () if share.host_state else share.optimized.placed
    masters = [(p.master.bytes_for(p.group.numel), p.group.count) for p in updated if p.master is not None]
    buffers = _buffer_sizes(scenario, layout)
    master = sum(size * count for size, count in masters)
    held = sum(size * count for size, count in buffers)
    load_rounded = weights_rounded + sum(layout.rounded(size) * count for size, count in (*masters, *buffers))
    standing = Standing(
        weights=weights,
        master_weights=master,
        optimizer_state=0,
        buffers=held,
        workspace=0,
        load_rounding=load_rounded - weights - master - held if on_gpu else 0,
        state_rounding=0,
        gradient_rounding=gradients.rounded_bytes - gradients.bytes if on_gpu else 0,
        weight_copies=0 if share.gathers else _weight_copies(layout),
        kept_logits=0,
        state_at_load=False,
        gradients_at_load=layout.scheme.persistent_gradients or share.gradients_stand,
        communication=share.buffers,
        other_models=sum(resident.size_bytes for resident in scenario.residents),
        gradient_share=None if made == gradients.bytes else (gradients.bytes, made),
    )
    return _with_activations(standing, part, activations)


def _with_activations(standing: Standing, part: Part, activations: Activations | None) -> Standing:
    """What depends on the size of the micro-batch, beside the activations themselves."""
    stage, waiting = part.rank.stage, 0
    if activations is not None and stage.waiting > 1:
        loss = sum(item.bytes for item in activations.items if item.name in _LOSS_ITEMS)
        waiting = round((stage.waiting - 1) * (activations.saved_bytes - loss))
    return replace(
        standing,
        workspace=activations.workspace_bytes if activations is not None else 0,
        kept_logits=_kept_logits(part.rank.scenario, part.layout) if stage.heads else 0,
        messages=sent(messages(part.rank.scenario, stage)),
        waiting_activations=waiting,
    )


def at_size(ground: Ground, part: Part, batch: int, sequence: int) -> Ground:
    """The same rank at another size.

    Args:
        ground: The rank.
        part: What it computes with.
        batch: Sequences a micro-batch.
        sequence: Tokens of a sequence that this rank has.
    """
    sized = part.sized(batch, sequence)
    activations = sized.activations(gathers=ground.share.gathers)
    standing = _with_activations(ground.standing, sized, activations)
    plan = sized.plan(gathers=ground.share.gathers)
    return replace(ground, rank=sized.rank, activations=activations, standing=standing, plan=plan)


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
    model, batch, tokens = scenario.model, scenario.batch, scenario.tokens
    if not scenario.keep_logits or batch is None or tokens is None:
        return 0
    count = 0 if model.architecture is None else batch * tokens * model.architecture.vocab
    if model.network is not None:
        count = model.network.logit_count(batch, tokens)
    return layout.scheme.compute.bytes_for(count)


def host_sizes(ground: Ground, state: OptimizerState) -> dict[str, int]:
    """What a rank keeps in host memory, by component.

    DeepSpeed and FSDP pin as much as they move. The figures are those of the tensors themselves.
    """
    share, sizes = ground.share, {"optimizer_state": state.host_bytes}
    if share.host_state:
        sizes["optimizer_state"] = state.bytes
        sizes["master_weights"] = sum(
            p.bytes_in(p.master) for p in share.optimized.placed if p.master is not None
        )
    if share.host_gradients:
        made = share.gradients.trained
        sizes["gradients"] = sum(p.bytes_in(p.gradients) for p in made if p.gradients is not None)
    if share.host_weights:
        sizes["weights"] = sum(p.weight_bytes for p in share.weights.placed)
    return {name: size for name, size in sizes.items() if size}
