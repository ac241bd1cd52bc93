"""How each engine shares parameters, gradients and optimizer state among data-parallel ranks.

To add one: a function from whole tensors to a rank's share, a line in :data:`ENGINES`, an id in
:data:`optmem_gui.core.parallel.SHARD_IDS` and its sentence among the templates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from optmem_gui.core.layout import Layout, PlacedGroup
from optmem_gui.core.model import Role
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.sharding.share import (
    Buffers,
    Share,
    ceil_part,
    cut,
    flattened,
    part_of,
    whole,
)
from optmem_gui.core.sharding.units import Units, unit_vectors, units_of
from optmem_gui.core.sharding.whole_parameters import dealt_part

PERSISTENT_ELEMENTS = 100_000
"""DeepSpeed's ``stage3_param_persistence_threshold``: smaller parameters stay gathered."""

_MEGATRON_ALIGNMENT = 128
"""Buckets end at a multiple of 128 elements and of the ranks (``param_and_grad_buffer.py``)."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """Who shares what.

    Attributes:
        parallel: The layout of the run.
        layers: Layers that this rank holds a part of.
        index: Its place among the ranks that share dense parameters; None for the one that holds the most.
    """

    parallel: Parallel
    layers: int
    index: int | None = None

    def of(self, placed: PlacedGroup) -> int:
        """Ranks that share one group: fewer for experts that are already spread."""
        return self.parallel.expert_ranks if self._spread(placed) else self.parallel.shard_ranks

    def place(self, placed: PlacedGroup) -> int:
        """Place among those ranks; the first one, which never holds less than another, where all count."""
        index = self.index or 0
        return index // self.parallel.ep if self._spread(placed) else index

    def _spread(self, placed: PlacedGroup) -> bool:
        return placed.group.role is Role.EXPERT and self.parallel.ep > 1


Engine = Callable[[Layout, Ranks], Share]


def ddp(layout: Layout, ranks: Ranks) -> Share:
    """Everything whole on every rank, and buckets as large as the gradients.

    Source: torch/csrc/distributed/c10d/reducer.cpp: buckets are kept; with ``gradient_as_bucket_view``
    the gradients are views into them, else they exist beside them.
    """
    buckets = sum(p.bytes_in(p.gradients) for p in layout.trained if p.gradients is not None)
    if ranks.parallel.data_ranks * ranks.parallel.cp == 1:
        return whole(layout)
    if layout.scheme.persistent_gradients:  # Megatron-LM's own DDP reduces them in the buffer they live in
        return replace(whole(layout), gradients_stand=True)
    if ranks.parallel.bucket_view:
        return replace(whole(layout), gradients_stand=True)
    return replace(whole(layout), buffers=Buffers(standing=buckets))


def zero_redundancy(layout: Layout, ranks: Ranks) -> Share:
    """DDP, and the state of whole parameters on one rank each.

    Source: torch/distributed/optim/zero_redundancy_optimizer.py ``_partition_parameters``: the largest
    parameter first, each to the rank that has the fewest elements so far.
    """
    base = ddp(layout, ranks)
    return replace(base, optimized=dealt_part(layout, ranks.parallel.shard_ranks, ranks.index))


def zero1(layout: Layout, ranks: Ranks) -> Share:
    """DeepSpeed ZeRO-1: fp32 copies and state are a part of one flat vector; a bucket for reduction.

    Source: deepspeed/runtime/zero/stage_1_and_2.py (``contiguous_gradients``: one buffer of
    ``reduce_bucket_size`` elements during backward).
    """
    buffers = Buffers(backward=_bucket(layout, ranks))
    return Share(
        weights=layout,
        gradients=layout,
        optimized=_flat(layout, ranks),
        buffers=buffers,
        flat=True,
        host_state=ranks.parallel.offload != "none",
    )


def zero2(layout: Layout, ranks: Ranks) -> Share:
    """As ZeRO-1, and each rank keeps the gradients of its part only; offloaded they go to host memory.

    Source: stage_1_and_2.py ``async_inplace_copy_grad_to_fp32_buffer_from_gpu``.
    """
    share = zero1(layout, ranks)
    return replace(share, gradients=_flat(layout, ranks), host_gradients=share.host_state)


def zero3(layout: Layout, ranks: Ranks) -> Share:
    """As ZeRO-2, and parameters are split as well, gathered while they are used.

    Source: deepspeed/runtime/zero/parameter_offload.py and partitioned_param_coordinator.py: parameters
    stay gathered until ``max_live_parameters``, those below ``param_persistence_threshold`` always; stage3.py
    ``grad_partitions_flat_buffer``: gradients live in one buffer, in host memory where the optimizer is.
    """
    units = units_of(layout, ranks.layers, 1)
    small = sum(p.group.param_count for p in layout.placed if p.group.numel <= PERSISTENT_ELEMENTS)
    total = sum(p.group.param_count for p in layout.placed)
    live = max(units.layer, min(total - small, ranks.parallel.live_elements))
    each = layout.scheme.weights
    bucket = _bucket(layout, ranks)
    buffers = Buffers(
        standing=each.bytes_for(small),
        forward=each.bytes_for(live),
        backward=each.bytes_for(live) + bucket,
    )
    return Share(
        weights=cut(layout, lambda p: (ceil_part(p.group.numel, ranks.of(p)),)),
        gradients=_flat(layout, ranks),
        optimized=_flat(layout, ranks),
        buffers=buffers,
        flat=True,
        gathers=True,
        gradients_stand=True,
        host_state=ranks.parallel.offload != "none",
        host_weights=ranks.parallel.offload == "all",
        host_gradients=ranks.parallel.offload != "none",
    )


def fsdp2(layout: Layout, ranks: Ranks) -> Share:
    """FSDP2 (``fully_shard`` on every layer and on the model): each parameter cut along its first axis.

    Source: torch/distributed/fsdp/_fully_shard/_fsdp_param.py ``_init_sharded_param`` (the storage of every
    rank is padded to the first rank's rows, and so is that of its gradients; the parameter that the
    optimizer sees is not) and _fsdp_collectives.py (gathered flat, then copied out).
    """
    part = cut(layout, lambda p: _rows(p, ranks.of(p), 0), knows_whole=True)
    seen = part
    if ranks.index:
        seen = cut(layout, lambda p: _rows(p, ranks.of(p), ranks.place(p)), knows_whole=True)
    units = units_of(layout, ranks.layers, ranks.parallel.shard_ranks)
    return Share(
        weights=part,
        gradients=_with_whole_embedding(part, ranks.parallel),
        optimized=seen,
        buffers=_gathering(layout, units, ranks.parallel, ranks.layers),
        gathers=True,
        host_state=ranks.parallel.offload != "none",
        host_weights=ranks.parallel.offload != "none",
        host_gradients=ranks.parallel.offload != "none",
    )


def fsdp1(layout: Layout, ranks: Ranks) -> Share:
    """FSDP1: every unit is one flat parameter, padded to a multiple of the ranks.

    Source: torch/distributed/fsdp/_flat_param.py ``FlatParamHandle._get_shard`` (with
    ``use_orig_params=False``, the default, the optimizer sees one vector a unit, padding included).
    """
    share = fsdp2(layout, ranks)
    part = unit_vectors(layout, ranks.layers, lambda p, count: ceil_part(count, ranks.of(p)))
    return replace(share, weights=part, gradients=part, optimized=part, flat=True)


def megatron(layout: Layout, ranks: Ranks) -> Share:
    """Megatron-LM with the distributed optimizer: master weights and state are a part of one buffer.

    Source: megatron/core/optimizer/distrib_optimizer.py (6 + 12 / ranks bytes a parameter) and
    megatron/core/distributed/param_and_grad_buffer.py (gradients in one buffer that is zeroed).
    """
    return Share(
        weights=layout, gradients=layout, optimized=_flat(layout, ranks), flat=True, gradients_stand=True
    )


ENGINES: dict[str, Engine] = {
    "ddp": ddp,
    "zero1": zero1,
    "zero2": zero2,
    "zero3": zero3,
    "fsdp1": fsdp1,
    "fsdp2": fsdp2,
    "hsdp": fsdp2,
    "zero-redundancy": zero_redundancy,
    "megatron": megatron,
}


def share_of(layout: Layout, parallel: Parallel, layers: int, index: int | None = None) -> Share:
    """One rank's share of what data-parallel ranks hold together.

    Args:
        layout: Whole tensors.
        parallel: The layout of the run.
        layers: Layers that this rank holds a part of.
        index: The rank's place among those that share; None for the one that holds the most.
    """
    return ENGINES[parallel.shard](layout, Ranks(parallel, layers, index))


def _rows(placed: PlacedGroup, ranks: int, index: int) -> tuple[int, ...]:
    if not placed.group.shape:
        return ()
    rows, *rest = placed.group.shape
    return (part_of(rows, ranks, index), *rest)


def _with_whole_embedding(part: Layout, parallel: Parallel) -> Layout:
    """Gradients where tensor-parallel ranks have no FSDP over them: that of the embedding comes whole.

    Source: torch/distributed/tensor/_ops/_embedding_ops.py: the backward of an embedding cut by rows gives a
    replicated gradient, and only FSDP lays it out like the parameter (``DTensor.redistribute``).
    """
    if parallel.tp == 1 or parallel.shard_ranks > 1:
        return part

    def shape(placed: PlacedGroup) -> tuple[int, ...]:
        if placed.group.role is not Role.EMBEDDING:
            return placed.group.shape
        rows, *rest = placed.group.shape
        return (rows * parallel.tp, *rest)

    return cut(part, shape)


def _flat(layout: Layout, ranks: Ranks) -> Layout:
    """A rank's part of everything trained, experts by their own ranks."""
    dense = flattened(
        layout,
        lambda count: _aligned(count, ranks.parallel.shard_ranks, ranks.parallel),
        lambda p: ranks.of(p) != ranks.parallel.shard_ranks,
    )
    if ranks.parallel.ep == 1:
        return dense
    experts = flattened(
        layout,
        lambda count: _aligned(count, ranks.parallel.expert_ranks, ranks.parallel),
        lambda p: ranks.of(p) == ranks.parallel.shard_ranks,
    )
    return replace(dense, placed=(*dense.placed, *experts.placed))


def _aligned(count: int, ranks: int, parallel: Parallel) -> int:
    if parallel.shard != "megatron":
        return ceil_part(count, ranks)
    return ceil_part(count, ranks * _MEGATRON_ALIGNMENT) * _MEGATRON_ALIGNMENT


def _bucket(layout: Layout, ranks: Ranks) -> int:
    """DeepSpeed's buffer for reduction, in the type of the gradients; never more than there are gradients.

    The buffer is made as large as ``reduce_bucket_size`` says even for a small model.
    """
    return layout.scheme.gradients.bytes_for(ranks.parallel.bucket_elements)


def _gathering(layout: Layout, units: Units, parallel: Parallel, layers: int) -> Buffers:
    """Two layers gathered at a time, the parameters outside the layers all along.

    Forward: the layer that runs, copied out, and the flat buffer it came in, which is kept until the next
    one is there. Backward: the layer that runs, the flat buffer of the next one, the layer's gradients
    before and after they are laid end to end for the reduction.
    """
    compute = layout.scheme.autocast or layout.scheme.weights
    reduced = (
        layout.scheme.gradients
        if not parallel.fp32_reduce
        else max((layout.scheme.gradients, compute), key=lambda dtype: dtype.bits)
    )
    root = compute.bytes_for(units.root)
    layer = compute.bytes_for(units.layer)
    made = compute.bytes_for(units.layer_trained) + reduced.bytes_for(units.layer_trained)
    outside = compute.bytes_for(units.root_trained)
    last = reduced.bytes_for(units.root_trained)
    held = 2 * layer if parallel.reshard else layer * (layers + 1)
    return Buffers(forward=root + held, backward=root + outside + max(held + made, last))
