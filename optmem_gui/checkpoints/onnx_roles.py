"""What the operators of an ONNX graph say about the tensors they take.

A graph knows nothing of training: an initializer is a parameter unless a node says otherwise. Sources:
``Operators.md`` of onnx 1.23 and ``ContribOperators.md`` of ONNX Runtime 1.23.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import prod

from optmem_gui.checkpoints.contents import Row, Unpacked
from optmem_gui.checkpoints.onnx_graph import Node
from optmem_gui.core.dtypes import DTYPES

_SETTINGS: dict[str, tuple[int, ...]] = {
    "BatchNormalization": (3, 4),  # running mean and variance
    "Clip": (1, 2),
    "Pad": (1, 2, 3),
    "Resize": (1, 2, 3),
    "Upsample": (1,),
    "Range": (0, 1, 2),
    "Dropout": (1, 2),
}
"""Operator to the inputs that are numbers it works with, not weights."""

_WEIGHTS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "DequantizeLinear": ((0,), (1, 2)),
    "QuantizeLinear": ((), (1, 2)),
    "QLinearConv": ((3, 8), (1, 2, 4, 5, 6, 7)),
    "QLinearMatMul": ((0, 3), (1, 2, 4, 5, 6, 7)),
    "QGemm": ((0, 3, 6), (1, 2, 4, 5, 7, 8)),
    "ConvInteger": ((1,), (2, 3)),
    "MatMulInteger": ((0, 1), (2, 3)),
    "MatMulIntegerToFloat": ((1,), (2, 3, 4, 5)),
    "DynamicQuantizeMatMul": ((1,), (2, 3)),
    "MatMulNBits": ((1,), (2, 3, 4)),
    "MatMulBnb4": ((1,), (2,)),
    "GatherBlockQuantized": ((0,), (2, 3)),
}
"""Operator to the inputs that are quantised weights, and to those that only serve them."""

_TYPES = {2: "int2", 4: "int4", 8: "int8"}

OPERATORS = frozenset((*_SETTINGS, *_WEIGHTS))
"""Operators whose nodes are worth keeping."""


@dataclass(slots=True)
class Roles:
    """What the nodes say.

    Attributes:
        settings: Names of tensors that are numbers to work with.
        weights: Quantised weights and the parameters behind them.
        companions: Scales and zero points.
    """

    settings: set[str] = field(default_factory=set)
    weights: dict[str, Unpacked] = field(default_factory=dict)
    companions: set[str] = field(default_factory=set)


def roles_of(nodes: Iterable[Node], rows: Mapping[str, Row]) -> Roles:
    """Ask every node about the initializers it takes."""
    roles = Roles()
    for node in nodes:
        for index in _SETTINGS.get(node.operator, ()):
            roles.settings.update(_named(node, index, rows))
        weights, companions = _WEIGHTS.get(node.operator, ((), ()))
        for index in companions:
            roles.companions.update(_named(node, index, rows))
        for index in weights:
            for name in _named(node, index, rows):
                weight = _weight(node, rows[name])
                if weight is not None:
                    roles.weights[name] = weight
    for name in roles.weights:
        roles.companions.discard(name)
    return roles


def _named(node: Node, index: int, rows: Mapping[str, Row]) -> list[str]:
    name = node.inputs[index] if index < len(node.inputs) else ""
    return [name] if name in rows else []


def _weight(node: Node, row: Row) -> Unpacked | None:
    """The parameter behind a quantised tensor; None for one that is no quantised tensor."""
    name, shape, dtype = row
    if node.operator in ("MatMulNBits", "MatMulBnb4"):
        logical = (node.numbers.get("N", 0), node.numbers.get("K", 0))
        bits = node.numbers.get("bits", 4)
        room = prod(shape) * dtype.bits  # blocks are padded, so there may be more than is needed
        if bits not in _TYPES or not 0 < prod(logical) * bits <= room:
            return None
        packed = DTYPES["nf4"] if node.operator == "MatMulBnb4" else DTYPES[_TYPES[bits]]
        return Unpacked(name, logical, packed, node.operator)
    if dtype.is_floating and not dtype.id.startswith("fp8"):
        return None
    bits = node.numbers.get("bits", 8) if node.operator == "GatherBlockQuantized" else 8
    if dtype.id == "uint8" and bits in (2, 4) and shape:
        return Unpacked(name, (*shape[:-1], shape[-1] * 8 // bits), DTYPES[_TYPES[bits]], node.operator)
    return Unpacked(name, shape, dtype, node.operator)
