"""The kinds of rank that a run has: one where all are alike, a few along a pipeline."""

from __future__ import annotations

from dataclasses import dataclass, replace

from optmem_gui.core.model import ModelRef
from optmem_gui.core.parallel import ONE_GPU, Parallel
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.megatron import is_megatron, with_padded_vocabulary
from optmem_gui.core.sharding.mesh import check, layer_count
from optmem_gui.core.sharding.stages import Stage, stage_model, stages_of
from optmem_gui.core.sharding.tensors import split_experts, split_tensors


@dataclass(frozen=True, slots=True)
class Rank:
    """One kind of rank.

    Attributes:
        scenario: The set-up as this rank computes it: its part of the model and of the sequence.
        stage: Its pipeline stage.
        layers: Layers it holds.
        why: What sets it apart.
    """

    scenario: Scenario
    stage: Stage
    layers: int
    why: Reason


def ranks_of(scenario: Scenario) -> tuple[Rank, ...]:
    """Every kind of rank of a scenario.

    Raises:
        UserError: Sizes that do not go together.
    """
    parallel = scenario.parallel
    layers = layer_count(scenario.model)
    if parallel == ONE_GPU:
        alone = Stage(0, layers, 1.0, embeds=True, heads=True)
        return (Rank(scenario, alone, layers, Reason("rank.alone")),)
    check(scenario)
    stages = stages_of(layers, parallel, micro_batches=scenario.accumulate)
    model = split_model(scenario, 0)
    sequence = scenario.sequence
    if sequence is not None:
        sequence = rank_sequence(sequence, parallel)
    return tuple(
        Rank(
            scenario=replace(scenario, model=stage_model(model, stage, parallel.pp), sequence=sequence),
            stage=stage,
            layers=stage.layers,
            why=_why(stage, parallel.pp),
        )
        for stage in stages
    )


def rank_sequence(sequence: int, parallel: Parallel) -> int:
    """Tokens of a sequence that one rank has; the longest part of one that does not divide."""
    return -(-sequence // parallel.cp)


def split_model(scenario: Scenario, tensor: int) -> ModelRef:
    """The part of the model that one tensor- and expert-parallel rank holds, all layers of it.

    Args:
        scenario: The run.
        tensor: Place among the tensor-parallel ranks.
    """
    parallel, model = scenario.parallel, scenario.model
    layers = layer_count(model)
    if is_megatron(scenario):
        model = with_padded_vocabulary(model, parallel.tp)
    model = split_tensors(model, parallel.tp, tensor)
    return replace(model, groups=split_experts(model.groups, parallel.ep, layers))


def _why(stage: Stage, pp: int) -> Reason:
    if pp == 1:
        return Reason("rank.alike")
    kind = "first" if stage.embeds else "last" if stage.heads else "middle"
    waiting = f"{stage.waiting:g}"
    return Reason(
        f"rank.{kind}",
        {"number": stage.index + 1, "stages": pp, "layers": stage.layers, "waiting": waiting},
    )
