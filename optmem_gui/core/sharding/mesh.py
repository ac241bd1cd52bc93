"""Which sizes go together, before anything is shared out."""

from __future__ import annotations

from collections.abc import Iterable

from optmem_gui.core.errors import UserError
from optmem_gui.core.model import ModelRef, Role
from optmem_gui.core.parallel import SHARD_IDS, Parallel
from optmem_gui.core.precision import precision
from optmem_gui.core.scenario import Scenario

MOST_GPUS = 1 << 20
_DEEPSPEED = ("zero1", "zero2", "zero3")
_PER_PARAMETER = ("fsdp1", "fsdp2", "hsdp")


def check(scenario: Scenario) -> None:
    """Refuse what no engine would run.

    Raises:
        UserError: Names the two sizes that conflict, or what the engine does not take.
    """
    parallel = scenario.parallel
    _check_degrees(parallel)
    _check_engine(parallel)
    _check_model(scenario.model, parallel)
    _check_scheme(scenario)


def _check_degrees(parallel: Parallel) -> None:
    for name in ("gpus", "tp", "pp", "ep", "cp", "replicas", "interleave"):
        size = getattr(parallel, name)
        if not 1 <= size <= MOST_GPUS:
            raise UserError("shard.out_of_range", option=name, given=size, high=MOST_GPUS)
    together = parallel.tp * parallel.pp * parallel.cp
    if parallel.gpus % together:
        raise UserError(
            "shard.ranks_not_divisible",
            gpus=parallel.gpus,
            product=together,
            degrees=f"tp {parallel.tp} x pp {parallel.pp} x cp {parallel.cp}",
        )
    data = parallel.data_ranks * parallel.cp
    if data % parallel.replicas:
        raise UserError("shard.replicas", replicas=parallel.replicas, ranks=data)
    if data % (parallel.ep * parallel.replicas):
        raise UserError("shard.expert_ranks", ep=parallel.ep, ranks=data // parallel.replicas)


def _check_engine(parallel: Parallel) -> None:
    if parallel.shard not in SHARD_IDS:
        raise UserError("shard.unknown", given=parallel.shard, known=", ".join(SHARD_IDS))
    if parallel.replicas > 1 and parallel.shard != "hsdp":
        raise UserError("shard.replicas_only_hsdp", replicas=parallel.replicas, shard=parallel.shard)
    if parallel.offload == "all" and parallel.shard not in ("zero3", *_PER_PARAMETER):
        raise UserError("shard.offload_parameters", shard=parallel.shard)
    if parallel.offload != "none" and parallel.shard in ("ddp", "zero-redundancy", "megatron"):
        raise UserError("shard.offload", shard=parallel.shard)
    if parallel.bucket_view and parallel.shard != "ddp":
        raise UserError("shard.bucket_view", shard=parallel.shard)
    if parallel.sequence_parallel and parallel.tp == 1:
        raise UserError("shard.sequence_parallel")
    if parallel.interleave > 1 and parallel.pp == 1:
        raise UserError("shard.interleave", interleave=parallel.interleave)


def _check_model(model: ModelRef, parallel: Parallel) -> None:
    layers = layer_count(model)
    check_stages(layers, parallel)
    shape = model.architecture
    if shape is not None and parallel.tp > 1:
        for key, size in (("shard.heads", shape.heads), ("shard.mlp_width", shape.ffn)):
            if size % parallel.tp:
                raise UserError(key, size=size, tp=parallel.tp)
        # fewer key and value heads than ranks are held by several ranks each
        if shape.kv_heads % parallel.tp and parallel.tp % shape.kv_heads:
            raise UserError("shard.kv_heads", size=shape.kv_heads, tp=parallel.tp)
    if parallel.ep > 1:
        experts = set(expert_counts(model, layers))
        if not experts:
            raise UserError("shard.no_experts", ep=parallel.ep)
        if any(count % parallel.ep for count in experts):
            raise UserError("shard.experts", experts=min(experts), ep=parallel.ep)


def check_stages(layers: int, parallel: Parallel) -> None:
    """Every stage has layers, and all of them together are those of the model.

    Source: Megatron-LM ``transformer_block.py`` ``get_num_layers_to_build`` (uneven first and last stages,
    pipeline layouts; interleaved, a stage is cut into equal chunks, where the embedding or the head may stand
    for a layer).

    Args:
        layers: Layers of the model.
        parallel: The layout of the run.

    Raises:
        UserError: Names the two numbers that conflict.
    """
    chunks = parallel.interleave
    fewest = parallel.pp * (1 if parallel.stages else chunks)
    if fewest > layers:
        raise UserError("shard.more_stages_than_layers", pp=fewest, layers=layers)
    if not parallel.stages:
        if chunks > 1 and layers % (parallel.pp * chunks):
            raise UserError("shard.layers", layers=layers, stages=parallel.pp * chunks)
        return
    if len(parallel.stages) != parallel.pp:
        raise UserError("shard.stages_count", given=len(parallel.stages), pp=parallel.pp)
    if min(parallel.stages) < 1:
        raise UserError("shard.stages_empty", number=parallel.stages.index(min(parallel.stages)) + 1)
    if sum(parallel.stages) != layers:
        raise UserError("shard.stages_sum", given=sum(parallel.stages), layers=layers)
    for number, held in enumerate(parallel.stages, start=1):
        beside = number in (1, parallel.pp)  # the embedding or the head may stand for a layer of a chunk
        if held % chunks and not (beside and (held + 1) % chunks == 0):
            raise UserError("shard.stages_chunks", number=number, held=held, interleave=chunks)


def expert_counts(model: ModelRef, layers: int) -> Iterable[int]:
    """Experts a layer: the first axis where they are fused, else how many tensors of a kind a layer has."""
    for group in model.groups:
        if group.role is Role.EXPERT:
            yield group.shape[0] if is_fused(group.shape, group.count, layers) else group.count // layers


def is_fused(shape: tuple[int, ...], count: int, layers: int) -> bool:
    """Whether the experts of a layer are one tensor, experts along its first axis."""
    return len(shape) >= 3 or count <= layers


def _check_scheme(scenario: Scenario) -> None:
    shard, scheme = scenario.parallel.shard, precision(scenario.precision)
    if shard in _DEEPSPEED and scheme.autocast is not None:
        raise UserError("shard.no_autocast", shard=shard, precision=scheme.id)
    if shard in _PER_PARAMETER and scheme.master is not None:
        raise UserError("shard.no_master", shard=shard, precision=scheme.id)


def layer_count(model: ModelRef) -> int:
    """Layers of a model: as its architecture says, else as many as its most frequent norm."""
    if model.architecture is not None:
        return model.architecture.layers
    norms = [group.count for group in model.groups if group.role is Role.NORM]
    return max(norms, default=1)
