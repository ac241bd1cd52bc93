"""Tensor and expert parallelism: the part of every parameter that one rank holds.

References: Megatron-LM ``megatron/core/tensor_parallel/layers.py`` (``ColumnParallelLinear`` splits the
first axis, ``RowParallelLinear`` the second, ``VocabParallelEmbedding`` the rows) and the plans of
torchtitan (``ColwiseParallel`` for query, key, value, gate and up, ``RowwiseParallel`` for the output and
down projections); norms and biases of row-parallel layers are held whole on every rank.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from optmem_gui.core.model import ModelRef, Role, TensorGroup
from optmem_gui.core.sharding.mesh import is_fused
from optmem_gui.core.sharding.share import part_of
from optmem_gui.core.transformer import TransformerShape

_ROWS = ("o_proj", "down_proj", "wo", "w2", "dense", "dense_4h_to_h", "out_proj", "fc2", "fc_out")
"""Row-parallel modules; every other matrix of attention and MLP is column-parallel."""

_TRANSPOSED = ("c_attn", "c_fc", "c_proj")
"""GPT-2's transposed weights (``Conv1D``): the output features are the second axis."""

_POSITIONS = ("embed_positions", "wpe", "position_embeddings")
"""Learned positions are held whole."""

_BY_ROWS = (Role.EMBEDDING, Role.HEAD)


def is_positions(group: TensorGroup) -> bool:
    """Whether a group is a learned position embedding."""
    return group.leaf in _POSITIONS


def split_tensors(model: ModelRef, tp: int, index: int = 0) -> ModelRef:
    """What one tensor-parallel rank holds of a model; what does not divide is cut as ``torch.chunk`` does.

    Args:
        model: The whole model.
        tp: Tensor-parallel ranks.
        index: Which rank; the first one never holds less than another.
    """
    if tp == 1:
        return model
    groups = tuple(_split(group, tp, index) for group in model.groups)
    shape = None if model.architecture is None else split_shape(model.architecture, tp)
    return replace(model, groups=groups, architecture=shape)


def split_shape(shape: TransformerShape, tp: int) -> TransformerShape:
    """Dimensions as one rank computes with them: its heads, its part of the MLP and of the vocabulary."""
    return replace(
        shape,
        heads=shape.heads // tp,
        kv_heads=max(1, shape.kv_heads // tp),
        ffn=shape.ffn // tp,
        mixture=replace(
            shape.mixture,
            shared_ffn=shape.mixture.shared_ffn // tp,
            dense_ffn=shape.mixture.dense_ffn // tp,
        ),
        vocab=-(-shape.vocab // tp),
    )


def _split(group: TensorGroup, tp: int, index: int) -> TensorGroup:
    axis = split_axis(group)
    if axis is None:
        return group
    size = part_of(group.shape[axis], tp, index)
    return replace(group, shape=(*group.shape[:axis], size, *group.shape[axis + 1 :]))


def split_axis(group: TensorGroup) -> int | None:
    """Axis along which tensor parallelism splits a parameter; None where every rank holds it whole."""
    if group.role in (Role.NORM, Role.ROUTER, Role.OTHER, Role.ADAPTER) or not group.shape:
        return None
    row = group.leaf in _ROWS or group.leaf == "c_proj"
    whole = is_positions(group) or (row and len(group.shape) == 1)
    if whole or (group.role is Role.EMBEDDING and len(group.shape) == 1):
        return None
    if group.role is Role.EXPERT and len(group.shape) == 3:
        return 1 if "down" in f"{group.leaf}.{group.field}" else 2
    transposed = group.leaf in _TRANSPOSED and len(group.shape) == 2
    return int(row != transposed) if len(group.shape) == 2 and group.role not in _BY_ROWS else 0


def split_experts(groups: Iterable[TensorGroup], ep: int, layers: int) -> tuple[TensorGroup, ...]:
    """What one expert-parallel rank holds: an equal share of the experts of every layer."""
    if ep == 1:
        return tuple(groups)
    found = []
    for group in groups:
        if group.role is not Role.EXPERT:
            found.append(group)
        elif is_fused(group.shape, group.count, layers):
            found.append(replace(group, shape=(group.shape[0] // ep, *group.shape[1:])))
        else:
            found.append(replace(group, count=group.count // ep))
    return tuple(found)
