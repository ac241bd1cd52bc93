"""Stored tensors sorted into kinds: everything that a name without its numbers, a shape and a type decide.

A checkpoint of a hundred thousand tensors has a few dozen kinds. Each is judged once; a row costs one
look-up, and groups follow from the kinds without another pass.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod

from optmem_gui.checkpoints.contents import Known, Packing, Row
from optmem_gui.checkpoints.names import Part, meaning_of, role_of
from optmem_gui.core.dtypes import DType
from optmem_gui.core.model import (
    BufferGroup,
    BufferTensor,
    ParameterTensor,
    Role,
    Shape,
    TensorGroup,
    fold_kinds,
    group_buffers,
    split_name,
)

MAX_KINDS = 20_000
"""More than any model has; a table of numbered entries has one a tensor."""

_DIGITS = b"0123456789"
_Key = tuple[object, ...]


@dataclass(slots=True)
class Kind:
    """Tensors that no rule tells apart.

    Attributes:
        name: Name of the first one.
        shape: Logical shape of each.
        dtype: Logical type of each.
        part: Part of the model they are.
        role: What they do.
        trainable: Whether they get a gradient.
        stored_count: Elements each takes in the file.
        stored_dtype: Type they are stored in.
        packed: Several weights share a stored element.
        count: How many there are.
    """

    name: str
    shape: Shape
    dtype: DType
    part: Part
    role: Role
    trainable: bool
    stored_count: int
    stored_dtype: DType
    packed: bool = False
    count: int = 0

    @property
    def param_count(self) -> int:
        """Logical elements of all of them."""
        return prod(self.shape) * self.count


@dataclass(frozen=True)
class Inventory:
    """All tensors of a checkpoint, sorted.

    Attributes:
        rows: The tensors, in file order.
        kinds: Their kinds, in order of first appearance.
        places: Index of each row's kind.
        packing: What is packed.
    """

    rows: list[Row]
    kinds: list[Kind]
    places: list[int]
    packing: Packing

    def of(self, part: Part) -> list[Kind]:
        """The kinds of one part of the model."""
        return [kind for kind in self.kinds if kind.part is part]

    @cached_property
    def parameters(self) -> tuple[ParameterTensor, ...]:
        """Every parameter, one row each; built when first asked for."""
        weights = self.packing.weights
        rows = []
        for (name, _, _), place in zip(self.rows, self.places, strict=True):
            kind = self.kinds[place]
            if kind.part is Part.PARAMETER:
                logical = weights[name].name if kind.packed else name
                rows.append(ParameterTensor(logical, kind.shape, kind.dtype, kind.role, kind.trainable))
        return tuple(rows)

    @cached_property
    def buffers(self) -> tuple[BufferTensor, ...]:
        """Every buffer, one row each."""
        return tuple(
            BufferTensor(*row)
            for row, place in zip(self.rows, self.places, strict=True)
            if self.kinds[place].part is Part.BUFFER
        )

    def groups(self) -> tuple[tuple[TensorGroup, ...], frozenset[tuple[int, int]]]:
        """Groups of equal parameters and which stand next to each other."""
        order: dict[int, int] = {}
        for place, kind in enumerate(self.kinds):
            if kind.part is Part.PARAMETER:
                order[place] = len(order)
        counted = [
            (ParameterTensor(kind.name, kind.shape, kind.dtype, kind.role, kind.trainable), kind.count)
            for kind in self.of(Part.PARAMETER)
        ]
        places = self.places
        if len(order) < len(self.kinds):
            places = [place for place in places if place in order]
        pairs = set(pairwise(places))
        return fold_kinds(counted, ((order[before], order[after]) for before, after in pairs))

    def buffer_groups(self) -> tuple[BufferGroup, ...]:
        """Buffers by type and shape."""
        kinds = self.of(Part.BUFFER)
        return group_buffers((BufferTensor(kind.name, kind.shape, kind.dtype), kind.count) for kind in kinds)


def take_inventory(
    rows: list[Row], known: Mapping[str, Known], packing: Packing, *, leaves: bool = True
) -> Inventory:
    """Sort all rows.

    Args:
        rows: The stored tensors, in file order.
        known: What the file itself says about single tensors.
        packing: Which of them are packed weights or only serve such.
        leaves: Keep modules apart whose names differ in digits only (``w1``, ``w3``). Where that gives
            more than :data:`MAX_KINDS` kinds, the digits number the tensors and are left out.
    """
    index: dict[_Key, int] = {}
    kinds: list[Kind] = []
    places: list[int] = []
    special = {*known, *packing.weights, *packing.companions}
    last, numberless = "", b""
    for row in rows:
        name, shape, dtype = row
        head, _, field = name.rpartition(".")
        above, _, leaf = head.rpartition(".") if leaves else (name, "", "")
        if above != last:  # neighbours mostly lie in the same module
            last, numberless = above, above.encode("utf-8", "surrogatepass").translate(None, _DIGITS)
        key: _Key = (numberless, leaf, field if leaves else "", shape, dtype.id)
        if leaf.isdigit() or (special and name in special):
            key = (*key, split_name(name) if leaves else (), _special_key(name, known, packing))
        place = index.get(key)
        if place is None:
            if leaves and len(kinds) == MAX_KINDS:
                return take_inventory(rows, known, packing, leaves=False)
            place = index[key] = len(kinds)
            kinds.append(_judge(row, known, packing))
        kinds[place].count += 1
        places.append(place)
    return Inventory(rows, kinds, places, packing)


def _special_key(name: str, known: Mapping[str, Known], packing: Packing) -> _Key:
    """What sets a tensor apart from others of its name, shape and type."""
    weight, said = packing.weights.get(name), known.get(name)
    return (
        name in packing.companions,
        None if weight is None else (weight.shape, weight.dtype.id),
        None if said is None else (said.parameter, said.trainable),
    )


def _judge(row: Row, known: Mapping[str, Known], packing: Packing) -> Kind:
    name, shape, dtype = row
    stored = prod(shape)
    weight = packing.weights.get(name)
    if weight is not None:
        matrix = weight.shape if len(weight.shape) > 1 else (1, 1)
        role = role_of(weight.name, matrix)
        part = Part.PARAMETER
        trainable = weight.dtype.is_floating
        return Kind(
            weight.name, weight.shape, weight.dtype, part, role, trainable, stored, dtype, packed=True
        )
    meaning = meaning_of(name, len(shape), dtype)
    part, role, trainable = meaning.part, meaning.role, True
    said = known.get(name)
    if name in packing.companions:
        part, role = Part.AUXILIARY, Role.OTHER
    elif said is not None:
        part = Part.PARAMETER if said.parameter else Part.BUFFER
        trainable = said.trainable and dtype.is_floating
        role = role_of(name, shape) if said.parameter else Role.OTHER
    return Kind(name, shape, dtype, part, role, trainable, stored, dtype)


def stored_elements(kinds: Iterable[Kind]) -> dict[str, int]:
    """Elements in the file by type id."""
    elements: dict[str, int] = {}
    for kind in kinds:
        type_id = kind.stored_dtype.id
        elements[type_id] = elements.get(type_id, 0) + kind.stored_count * kind.count
    return elements
