"""Where every parameter of a scenario lives: which copies exist, in which type, and who is trained.

This is the one place where the precision scheme, frozen parameters and adapters meet. Everything
after it (state, gradients, temporaries, phases) reads placed groups and asks no more questions.

References: PEFT 0.18+ ``autocast_adapter_dtype=True`` (adapters in fp32) and
``prepare_model_for_kbit_training`` (every parameter left unquantized is cast to fp32); bitsandbytes
``Params4bit`` (64-element blocks with an fp32 scale; with double quantization an 8-bit scale, an fp32
scale a 256 scales and one fp32 offset) and ``Int8Params`` (one fp32 scale a row).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from optmem_gui.core.blocks import rounded, whole_blocks
from optmem_gui.core.dtypes import BF16, DTYPES, F16, F32, INT8, NF4, DType
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import Role, Shape, Source, TensorGroup
from optmem_gui.core.parallel import ONE_GPU
from optmem_gui.core.precision import PrecisionScheme, precision
from optmem_gui.core.scenario import Lora, Scenario

FEW_LAYERS = 6
"""Decoders of up to so many layers are followed request by request."""

FEW_BLOCKS = 12
"""The same of encoders: base models, whose tensors of little more than 1 MiB leave the most at ends."""

_ALL_LINEAR = "all-linear"
_NOT_LINEAR = (Role.EMBEDDING, Role.NORM, Role.HEAD, Role.CONVOLUTION, Role.BIAS, Role.ADAPTER)


@dataclass(frozen=True, slots=True)
class PlacedGroup:
    """A group of equal parameters and the copies that exist of each.

    Attributes:
        group: The parameters.
        weights: Type the weights are held in.
        weight_blocks: Requested bytes of each separate device allocation of ONE tensor (weights, and
            scales where they are quantized).
        gradients: Type of the gradients, None when frozen.
        master: Type of the separate copy the optimizer updates, if any.
        optimized: Type of the parameter the optimizer sees, None when frozen.
        whole: Shape of the parameter that the optimizer sees where it knows that this is a part of it (a
            sharded tensor); None where it sees no more than this.
    """

    group: TensorGroup
    weights: DType
    weight_blocks: tuple[int, ...]
    gradients: DType | None
    master: DType | None
    optimized: DType | None
    whole: Shape | None = None

    @property
    def trainable(self) -> bool:
        """Whether the optimizer updates it."""
        return self.optimized is not None

    @property
    def weight_bytes(self) -> int:
        """Bytes of the weights of all tensors of the group."""
        return sum(self.weight_blocks) * self.group.count

    def bytes_in(self, dtype: DType) -> int:
        """Bytes of one copy of the whole group in another type."""
        return dtype.bytes_for(self.group.numel) * self.group.count


@dataclass(frozen=True, slots=True)
class Layout:
    """Every placed group, in parameter order.

    Attributes:
        placed: Groups in order of first appearance; adapters stand right after their base group.
        neighbours: Distinct pairs of indices into ``placed`` that follow each other among trained
            parameters.
        scheme: The precision scheme.
        new_segments: What its tensors would leave of new segments counts with them. Not where the shapes are
            made up, because no more than a number of parameters is known; nor where the order of every
            request is known, which :mod:`optmem_gui.core.ends` then follows.
    """

    placed: tuple[PlacedGroup, ...]
    neighbours: frozenset[tuple[int, int]]
    scheme: PrecisionScheme
    new_segments: bool = True

    def rounded(self, size_bytes: int) -> int:
        """What a request for one of its tensors takes in the caching allocator."""
        return rounded(size_bytes) if self.new_segments else whole_blocks(size_bytes)

    @property
    def trained(self) -> tuple[PlacedGroup, ...]:
        """The groups the optimizer updates."""
        return tuple(group for group in self.placed if group.trainable)

    @property
    def total_count(self) -> int:
        """Parameters, adapters included."""
        return sum(placed.group.param_count for placed in self.placed)

    @property
    def trained_count(self) -> int:
        """Parameters the optimizer updates."""
        return sum(placed.group.param_count for placed in self.placed if placed.trainable)


def place(scenario: Scenario) -> Layout:
    """Decide every copy of every parameter.

    Raises:
        UserError: Unknown precision, or adapters that match nothing or have no sensible rank.
    """
    scheme = precision(scenario.precision)
    groups = scenario.model.groups
    new_segments = scenario.model.source is not Source.SYNTHETIC and not in_order(scenario)
    if scenario.lora is None:
        placed = tuple(_place_plain(group, scheme) for group in groups)
        return Layout(placed, _among_trained(placed, scenario.model.neighbours), scheme, new_segments)
    return replace(_place_lora(groups, scenario.lora, scheme), new_segments=new_segments)


def in_order(scenario: Scenario) -> bool:
    """Whether every request of a step is followed in its order: on one GPU, of a model of few layers.

    Of deeper models the layers are too many to follow each time something is edited; their tensors are also
    too large for activations to have left much that fits them, so that most of them get new segments.
    """
    model = scenario.model
    if model.source is Source.SYNTHETIC or scenario.parallel != ONE_GPU or scenario.target != "cuda":
        return False
    if model.network is not None:
        return model.network.layers <= FEW_BLOCKS
    return model.architecture is not None and model.architecture.layers <= FEW_LAYERS


def _place_plain(group: TensorGroup, scheme: PrecisionScheme) -> PlacedGroup:
    weights = scheme.weights if group.dtype.is_floating else group.dtype
    blocks = (weights.bytes_for(group.numel),)
    if not group.trainable or not group.dtype.is_floating:
        return PlacedGroup(group, weights, blocks, None, None, None)
    return PlacedGroup(group, weights, blocks, scheme.gradients, scheme.master, scheme.optimizer_dtype)


def _among_trained(
    placed: Sequence[PlacedGroup], neighbours: Iterable[tuple[int, int]]
) -> frozenset[tuple[int, int]]:
    """Pairs that can follow each other once frozen parameters are left out.

    Frozen groups are looked through, so where the real order is not kept a pair too many can appear,
    never one too few: what depends on it is an upper bound then.
    """
    after: dict[int, set[int]] = {}
    for first, second in neighbours:
        after.setdefault(first, set()).add(second)
    pairs: set[tuple[int, int]] = set()
    for start, group in enumerate(placed):
        if group.trainable:
            pairs.update((start, end) for end in _next_trained(start, placed, after))
    return frozenset(pairs)


def _next_trained(start: int, placed: Sequence[PlacedGroup], after: dict[int, set[int]]) -> set[int]:
    found: set[int] = set()
    seen: set[int] = set()
    todo = list(after.get(start, ()))
    while todo:
        index = todo.pop()
        if index in seen:
            continue
        seen.add(index)
        if placed[index].trainable:
            found.add(index)
        else:
            todo.extend(after.get(index, ()))
    return found


def _place_lora(groups: Sequence[TensorGroup], lora: Lora, scheme: PrecisionScheme) -> Layout:
    if lora.rank < 1:
        raise UserError("lora.rank_too_small", rank=lora.rank)
    placed: list[PlacedGroup] = []
    for group in groups:
        placed.append(_place_base(group, lora))
        if is_target(group, lora.targets):
            placed.extend(_adapters(group, lora, scheme))
    if not any(p.trainable for p in placed):
        leaves = sorted({g.leaf for g in groups if _is_linear(g)})
        raise UserError("lora.no_target", targets=", ".join(lora.targets), known=", ".join(leaves) or "none")
    trained = [index for index, p in enumerate(placed) if p.trainable]
    repeated = {(trained[-1], trained[0])} if placed[trained[0]].group.count > 1 else set()
    return Layout(tuple(placed), frozenset({*pairwise(trained), *repeated}), scheme)


def is_target(group: TensorGroup, targets: Sequence[str]) -> bool:
    """Whether PEFT would put an adapter on these weights (``all-linear`` leaves the head out)."""
    if not _is_linear(group):
        return False
    return group.leaf in targets or (_ALL_LINEAR in targets and group.role not in _NOT_LINEAR)


def _is_linear(group: TensorGroup) -> bool:
    return group.field == "weight" and len(group.shape) == 2 and group.role not in (Role.EMBEDDING, Role.NORM)


def _place_base(group: TensorGroup, lora: Lora) -> PlacedGroup:
    frozen = replace(group, trainable=False)
    quantized = lora.base_dtype in ("nf4", "nf4-dq", "int8")
    if quantized and _is_linear(group) and group.role is not Role.HEAD:
        return _quantized(frozen, lora.base_dtype)
    weights = F32 if quantized else DTYPES[lora.base_dtype]
    if not group.dtype.is_floating:
        weights = group.dtype
    return PlacedGroup(frozen, weights, (weights.bytes_for(group.numel),), None, None, None)


def _quantized(group: TensorGroup, base: str) -> PlacedGroup:
    """Packed weights and their scales, one allocation each, as bitsandbytes keeps them on the device."""
    count = group.numel
    if base == "int8":
        rows = group.shape[0]
        return PlacedGroup(group, INT8, (count, 4 * rows), None, None, None)
    scales = -(-count // 64)
    blocks: tuple[int, ...] = (NF4.bytes_for(count), 4 * scales, 4 * 16)
    if base == "nf4-dq":
        # absmax as uint8, its own scales, its 256-entry code, the offset, and the 16-entry nf4 code
        blocks = (NF4.bytes_for(count), scales, 4 * -(-scales // 256), 4 * 256, 4, 4 * 16)
    return PlacedGroup(group, NF4, blocks, None, None, None)


def _adapters(group: TensorGroup, lora: Lora, scheme: PrecisionScheme) -> Iterable[PlacedGroup]:
    out_features, in_features = group.shape
    dtype = F32 if lora.adapter_fp32 else scheme.weights if scheme.weights in (BF16, F16, F32) else BF16
    for shape, leaf in (((lora.rank, in_features), "lora_A"), ((out_features, lora.rank), "lora_B")):
        adapter = TensorGroup(shape, dtype, Role.ADAPTER, leaf, "weight", True, group.count)
        block = (dtype.bytes_for(adapter.numel),)
        yield PlacedGroup(adapter, dtype, block, dtype, None, dtype)
