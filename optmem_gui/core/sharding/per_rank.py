"""What every single rank holds between two steps, in exact bytes: not only the rank that holds the most.

This is what :mod:`tests.sharding` compares with the engines themselves, rank by rank.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from optmem_gui.core.errors import UserError
from optmem_gui.core.layout import Layout, place
from optmem_gui.core.model import Role
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.optimizers.state import optimizer_state
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.allowed import check_optimizer
from optmem_gui.core.sharding.engines import share_of
from optmem_gui.core.sharding.mesh import check, layer_count
from optmem_gui.core.sharding.ranks import split_model
from optmem_gui.core.sharding.share import Share
from optmem_gui.core.sharding.stages import stage_at, stage_model


@dataclass(frozen=True, slots=True)
class Place:
    """Where a rank stands in every dimension of a run, 0 first.

    Attributes:
        tensor: Among those that split matrices.
        pipeline: Among the stages.
        shard: Among those that share parameters (data and context ranks of one replica group).
        replica: Among the groups that each hold all shards.
    """

    tensor: int
    pipeline: int
    shard: int
    replica: int


@dataclass(frozen=True, slots=True)
class Holdings:
    """What one rank keeps between backward and the step, bytes.

    Attributes:
        weights_bytes: Parameters, padding of their storage included.
        weights_padding_bytes: That padding.
        gradients_bytes: Gradients, padding of their storage included.
        gradients_padding_bytes: That padding.
        master_bytes: Master weights.
        state_bytes: Optimizer state, scalars in host memory included.
        communication_bytes: What stands because there are other ranks: DDP's buckets.
    """

    weights_bytes: int
    weights_padding_bytes: int
    gradients_bytes: int
    gradients_padding_bytes: int
    master_bytes: int
    state_bytes: int
    communication_bytes: int = 0


def place_of(parallel: Parallel, rank: int) -> Place:
    """Place of a global rank: tensor ranks lie next to each other, then context, data, pipeline.

    Source: Megatron-LM ``megatron/core/parallel_state.py`` (default order ``tp-cp-ep-dp-pp``) and torchtitan
    ``parallel_dims.py`` (mesh ``pp, dp_replicate, dp_shard, cp, tp``, the last one fastest).

    Raises:
        UserError: There is no such rank.
    """
    if not 0 <= rank < parallel.gpus:
        raise UserError("shard.no_rank", rank=rank, gpus=parallel.gpus)
    rest, tensor = divmod(rank, parallel.tp)
    pipeline, together = divmod(rest, parallel.data_ranks * parallel.cp)
    replica, shard = divmod(together, parallel.shard_ranks)
    return Place(tensor, pipeline, shard, replica)


def held_by(scenario: Scenario, rank: int) -> Holdings:
    """Exact bytes of one rank.

    Args:
        scenario: The run; its layout says who shares what.
        rank: Global rank, 0 first.

    Raises:
        UserError: There is no such rank, or the scenario is impossible.
    """
    parallel = scenario.parallel
    check(scenario)
    where = place_of(parallel, rank)
    share = _share(scenario, where)
    stored = share
    if _in_place(parallel) and where.tensor:
        stored = _share(scenario, replace(where, tensor=0))
    implementation = find(scenario.optimizer)
    check_optimizer(implementation, scenario, share)
    state = optimizer_state(implementation, scenario.options, share.optimized, scenario.target)
    weights, gradients = _weights(stored.weights), _gradients(share.gradients)
    own, made = weights, gradients
    if parallel.shard in ("fsdp2", "hsdp"):
        own, made = _weights(share.optimized), _gradients(share.optimized)
    if _in_place(parallel):
        gradients = made = made + _embedding_beyond(scenario, share.optimized)
    return Holdings(
        weights_bytes=weights,
        weights_padding_bytes=weights - own,
        gradients_bytes=gradients,
        gradients_padding_bytes=gradients - made,
        master_bytes=sum(p.bytes_in(p.master) for p in share.optimized.placed if p.master is not None),
        state_bytes=state.bytes,
        communication_bytes=share.buffers.standing,
    )


def _in_place(parallel: Parallel) -> bool:
    """Whether parameters stay in the storage that ``distribute_tensor`` gave them, padded alike on all ranks.

    Source: torch/distributed/tensor/placement_types.py ``Shard._shard_tensor`` (scattered padded, then seen
    through ``unpad_tensor``); FSDP makes storage of its own.
    """
    return parallel.shard in ("fsdp2", "hsdp") and parallel.tp > 1 and parallel.shard_ranks == 1


def _embedding_beyond(scenario: Scenario, own: Layout) -> int:
    """What the whole gradient of the embedding is larger than that of a rank's part."""
    return _embeddings(place(scenario)) - _embeddings(own)


def _embeddings(layout: Layout) -> int:
    found = tuple(placed for placed in layout.placed if placed.group.role is Role.EMBEDDING)
    return _gradients(replace(layout, placed=found))


def _share(scenario: Scenario, where: Place) -> Share:
    """What a rank has of its part of the model."""
    parallel = scenario.parallel
    layers = layer_count(scenario.model)
    model = split_model(scenario, where.tensor)
    stage = stage_at(layers, parallel, where.pipeline, micro_batches=scenario.accumulate)
    layout = place(replace(scenario, model=stage_model(model, stage, parallel.pp)))
    return share_of(layout, parallel, stage.layers, where.shard)


def _weights(layout: Layout) -> int:
    return sum(placed.weight_bytes for placed in layout.placed)


def _gradients(layout: Layout) -> int:
    return sum(p.bytes_in(p.gradients) for p in layout.trained if p.gradients is not None)
