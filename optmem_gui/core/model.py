"""A model as memory sees it: named tensors, and the groups of equal tensors a scenario keeps.

A reader or builder produces a :class:`ModelSpec` with one row a tensor. :func:`group_model` folds it
once into a :class:`ModelRef`, and from then on everything costs the number of groups.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from math import prod

from optmem_gui.core.dtypes import DType
from optmem_gui.core.networks import Network
from optmem_gui.core.transformer import TransformerShape

Shape = tuple[int, ...]


class Role(str, Enum):
    """What a parameter does, as far as its name or place tells."""

    EMBEDDING = "embedding"
    ATTENTION = "attention"
    MLP = "mlp"
    EXPERT = "expert"
    ROUTER = "router"
    NORM = "norm"
    HEAD = "head"
    CONVOLUTION = "convolution"
    ADAPTER = "adapter"
    BIAS = "bias"
    OTHER = "other"

    def __str__(self) -> str:
        return str(self.value)


class Source(str, Enum):
    """Where a model came from."""

    SYNTHETIC = "synthetic"
    PRESET = "preset"
    FILE = "file"
    CONFIG = "config"

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class ParameterTensor:
    """One parameter.

    Attributes:
        name: Full dotted name, such as ``model.layers.0.self_attn.q_proj.weight``.
        shape: Logical shape, elements (packed storage already undone).
        dtype: Type it is stored in where it was found.
        role: What it does.
        trainable: Whether it gets a gradient.
    """

    name: str
    shape: Shape
    dtype: DType
    role: Role = Role.OTHER
    trainable: bool = True

    @property
    def numel(self) -> int:
        """Elements."""
        return prod(self.shape)


@dataclass(frozen=True, slots=True)
class BufferTensor:
    """A tensor that is kept but not trained: BatchNorm statistics, rotary tables."""

    name: str
    shape: Shape
    dtype: DType

    @property
    def size_bytes(self) -> int:
        """Bytes as stored."""
        return self.dtype.bytes_for(prod(self.shape))


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """Every tensor of a model, in parameter order.

    Attributes:
        title: What to call the model on screen.
        source: Where it came from.
        parameters: Distinct parameters; a tied tensor stands once, under its first name.
        buffers: What is kept beside them.
        tied: Pairs (other name, name it shares storage with).
        architecture: Dimensions of a decoder where they are known; activations need them.
        path: File or folder it was read from.
        idle_count: Elements of experts that one token does not visit.
        network: The same of what is no decoder: an encoder, an encoder-decoder, a vision transformer.
    """

    title: str
    source: Source
    parameters: tuple[ParameterTensor, ...]
    buffers: tuple[BufferTensor, ...] = ()
    tied: tuple[tuple[str, str], ...] = ()
    architecture: TransformerShape | None = None
    path: str | None = None
    idle_count: int = 0
    network: Network | None = None

    @property
    def param_count(self) -> int:
        """Elements of all distinct parameters."""
        return sum(tensor.numel for tensor in self.parameters)


@dataclass(frozen=True, slots=True)
class TensorGroup:
    """Parameters that no rule tells apart.

    Attributes:
        shape: Shape of each, elements.
        dtype: Type each was found in.
        role: What they do.
        leaf: Name of the module that owns them, such as ``q_proj`` (LoRA targets, Adam-mini's heads).
        field: Name inside that module, ``weight`` or ``bias``.
        trainable: Whether they get a gradient.
        count: How many there are.
    """

    shape: Shape
    dtype: DType
    role: Role
    leaf: str
    field: str
    trainable: bool
    count: int

    @property
    def numel(self) -> int:
        """Elements of one tensor."""
        return prod(self.shape)

    @property
    def param_count(self) -> int:
        """Elements of all of them."""
        return self.numel * self.count


@dataclass(frozen=True, slots=True)
class BufferGroup:
    """Buffers of one dtype and shape."""

    shape: Shape
    dtype: DType
    count: int

    @property
    def numel(self) -> int:
        """Elements of one buffer."""
        return prod(self.shape)


@dataclass(frozen=True, slots=True)
class ModelRef:
    """A model inside a scenario: who it is and its groups, never its rows.

    Attributes:
        title: What to call it on screen.
        source: Where it came from.
        groups: Equal parameters together, in order of first appearance.
        neighbours: Every distinct pair (group before, group) of consecutive parameters, which is what
            rules that depend on the order ask for.
        buffers: What is kept beside the parameters.
        architecture: Transformer dimensions where known.
        path: File or folder it was read from.
        fingerprint: Changes when the model behind the same path changes.
        tied_count: Tensors that share another one's storage and are not counted again.
        idle_count: Elements of experts that one token does not visit; they are trained and held all the same.
        trained: Pattern by which the trained parameters were chosen; empty as the model comes.
        network: Dimensions of what is no decoder: an encoder, an encoder-decoder, a vision transformer.
    """

    title: str
    source: Source
    groups: tuple[TensorGroup, ...]
    neighbours: frozenset[tuple[int, int]] = frozenset()
    buffers: tuple[BufferGroup, ...] = ()
    architecture: TransformerShape | None = None
    path: str | None = None
    fingerprint: str = ""
    tied_count: int = 0
    idle_count: int = 0
    trained: str = ""
    network: Network | None = None
    param_count: int = field(init=False, default=0)
    tensor_count: int = field(init=False, default=0)

    @property
    def is_known(self) -> bool:
        """Whether its dimensions are known, which activations need."""
        return self.architecture is not None or self.network is not None

    @property
    def own_sequence(self) -> int | None:
        """Tokens of a sequence where the model fixes them: the patches of an image."""
        return None if self.network is None else self.network.own_sequence

    @property
    def most_tokens(self) -> int | None:
        """Longest sequence that the model has positions for; None where they are computed."""
        if self.network is not None:
            return self.network.most_tokens
        return self.architecture.most_tokens if self.architecture is not None else None

    def __post_init__(self) -> None:
        object.__setattr__(self, "param_count", sum(g.param_count for g in self.groups))
        object.__setattr__(self, "tensor_count", sum(g.count for g in self.groups))


def group_model(spec: ModelSpec) -> ModelRef:
    """Fold a model's rows into groups, once.

    Args:
        spec: The rows, in parameter order.

    Returns:
        The groups in order of first appearance, with the pairs that stand next to each other.
    """
    each = [(tensor, 1) for tensor in spec.parameters]
    groups, neighbours = fold_kinds(each, pairwise(range(len(each))))
    return ModelRef(
        title=spec.title,
        source=spec.source,
        groups=groups,
        neighbours=neighbours,
        buffers=group_buffers((tensor, 1) for tensor in spec.buffers),
        architecture=spec.architecture,
        path=spec.path,
        fingerprint=fingerprint(groups),
        tied_count=len(spec.tied),
        idle_count=spec.idle_count,
        network=spec.network,
    )


def fold_kinds(
    kinds: Iterable[tuple[ParameterTensor, int]], pairs: Iterable[tuple[int, int]]
) -> tuple[tuple[TensorGroup, ...], frozenset[tuple[int, int]]]:
    """Fold tensors that come counted, so that a reader that counts while it reads need not keep rows.

    Args:
        kinds: A tensor and how many there are of its kind, in order of first appearance.
        pairs: Kinds that stand next to each other, by their index.

    Returns:
        The groups and the pairs of groups that stand next to each other.
    """
    index: dict[tuple[Shape, str, str, str, str, bool], int] = {}
    firsts: list[ParameterTensor] = []
    counts: list[int] = []
    places: list[int] = []
    for tensor, count in kinds:
        key = (tensor.shape, tensor.dtype.id, tensor.role.value, *split_name(tensor.name), tensor.trainable)
        place = index.setdefault(key, len(index))
        if place == len(counts):
            counts.append(0)
            firsts.append(tensor)
        counts[place] += count
        places.append(place)
    groups = tuple(
        TensorGroup(
            first.shape, first.dtype, first.role, *split_name(first.name), first.trainable, counts[place]
        )
        for place, first in enumerate(firsts)
    )
    return groups, frozenset((places[before], places[after]) for before, after in pairs)


def split_name(name: str) -> tuple[str, str]:
    """``model.layers.0.self_attn.q_proj.weight`` -> (``q_proj``, ``weight``); a number is no module name."""
    parts = [part for part in name.split(".") if not part.isdigit()]
    return (parts[-2] if len(parts) > 1 else "", parts[-1] if parts else "")


def fingerprint(groups: Sequence[TensorGroup]) -> str:
    """A short digest of what the groups hold, equal for equal models."""
    digest = hashlib.sha256()
    for group in groups:
        digest.update(repr((group.shape, group.dtype.id, group.leaf, group.field, group.count)).encode())
    return digest.hexdigest()[:16]


def group_buffers(buffers: Iterable[tuple[BufferTensor, int]]) -> tuple[BufferGroup, ...]:
    """Fold buffers that come counted by type and shape."""
    counts: dict[tuple[Shape, DType], int] = {}
    for tensor, count in buffers:
        key = (tensor.shape, tensor.dtype)
        counts[key] = counts.get(key, 0) + count
    return tuple(BufferGroup(shape, dtype, count) for (shape, dtype), count in counts.items())
