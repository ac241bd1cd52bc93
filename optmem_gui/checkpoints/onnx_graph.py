"""What an ONNX model holds: its initializers, its constants, and what its nodes say about both.

Source of the field numbers: ``onnx.proto`` of onnx 1.23.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod

from optmem_gui.checkpoints.bounds import MAX_NAMES_LETTERS, MAX_TENSORS
from optmem_gui.checkpoints.contents import refused, shown
from optmem_gui.checkpoints.onnx_wire import BYTES, FIXED32, FIXED64, MAX_DEPTH, VARINT, Field, Wire
from optmem_gui.core.model import Shape

_SIZES = {VARINT: 1, FIXED32: 4, FIXED64: 8}
"""Bytes of one number that is not packed; of a varint, the fewest."""

_MAX_INPUTS = 16
"""Inputs of a node that matter; none of the operators asked for has more that do."""

_SHORT = 256
"""Bytes of an attribute that is looked through for the keys of graphs before it is taken apart."""

_MAX_DIMENSIONS = 64
_MAX_ENTRIES = 64
_FIXED_DATA, _NUMBER_DATA = (4, 10), (5, 7, 11)
"""``float_data`` and ``double_data``, as long as raw data; ``int32_data`` and its two siblings."""


@dataclass(slots=True)
class Tensor:
    """One ``TensorProto``.

    Attributes:
        name: Its name; made unique where it belongs to an inner graph.
        shape: Its dimensions.
        type_number: ``TensorProto.DataType``.
        raw_bytes: Bytes of elements that stand in the model as they are in memory.
        number_bytes: Bytes of elements that stand there as numbers of varying length.
        sparse_count: Elements that are stored of a sparse tensor.
        outside: ``data_location`` says EXTERNAL.
        external: Keys of ``external_data``.
        constant: It is the value of a Constant node.
    """

    name: str = ""
    shape: Shape = ()
    type_number: int = 0
    raw_bytes: int = 0
    number_bytes: int = 0
    sparse_count: int | None = None
    outside: bool = False
    external: dict[str, str] = field(default_factory=dict)
    constant: bool = False


@dataclass(slots=True)
class Node:
    """A node whose inputs matter, with its whole-numbered attributes."""

    operator: str
    inputs: list[str]
    numbers: dict[str, int]


@dataclass(slots=True)
class Model:
    """A model as far as memory is concerned.

    Attributes:
        tensors: Initializers and constants, in file order.
        nodes: Nodes of the operators that were asked for.
        updated: Names that the training part updates; None where there is no training part.
        training_tensors: Initializers of the training part.
        graphs: Graphs there are; 0 means that this is no model.
    """

    tensors: list[Tensor] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    updated: set[str] | None = None
    training_tensors: list[Tensor] = field(default_factory=list)
    graphs: int = 0


class Walk:
    """Reads a model, skipping every element of its tensors.

    Args:
        wire: The file.
        operators: Operators whose nodes are kept.
    """

    def __init__(self, wire: Wire, operators: frozenset[str]) -> None:
        self._wire = wire
        self._operators, self._asked = operators, operators | {"Constant"}
        self._inner = self._kept = self._letters = self._nodes = 0

    def model(self) -> Model:
        """The whole file as a ``ModelProto``.

        Raises:
            UserError: Damaged, nested too deeply, or more tensors than any model has.
        """
        model = Model()
        for number, kind, size, place in self._wire.fields(0, self._wire.file.size):
            if kind != BYTES:
                continue
            if number == 7:
                model.graphs += 1
                self._graph(model, size, place, "", 0)
            elif number == 20:
                self._training(model, size, place)
            elif number == 25:
                self._inner += 1
                self._function(model, size, place, f"function{self._inner}.")
        return model

    def _graph(self, model: Model, size: int, place: int, prefix: str, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise refused("checkpoint.nested_too_deeply", file=self._file)
        for number, kind, inner, start in self._wire.fields(place, place + size):
            if kind != BYTES:
                continue
            if number == 1:
                self._node(model, inner, start, prefix, depth)
            elif number == 5:
                self._keep(model, self._tensor(inner, start), prefix)
            elif number == 15:
                self._sparse(model, inner, start, prefix)

    def _function(self, model: Model, size: int, place: int, prefix: str) -> None:
        for number, kind, inner, start in self._wire.fields(place, place + size):
            if kind == BYTES and number == 7:
                self._node(model, inner, start, prefix, 0)

    def _node(self, model: Model, size: int, place: int, prefix: str, depth: int) -> None:
        """A node: its names are decoded only where they matter, small attributes read only there."""
        self._nodes += 1
        if self._nodes > MAX_TENSORS:
            raise refused("checkpoint.too_many_tensors", file=self._file, limit_count=MAX_TENSORS)
        operator, inputs, output = "", list[tuple[int, int]](), (0, 0)
        values, graphs, numbers = list[Tensor](), list[tuple[int, int]](), dict[str, int]()
        for number, kind, inner, start in self._wire.fields(place, place + size):
            if kind != BYTES:
                continue
            if number == 1 and len(inputs) < _MAX_INPUTS:
                inputs.append((start, inner))
            elif number == 2 and not output[1]:
                output = start, inner
            elif number == 4:
                operator = self._wire.text(start, inner)
            elif number == 5 and (
                not operator or operator in self._asked or self._may_hold_graph(inner, start)
            ):
                self._attribute(numbers, values, graphs, inner, start)
        for tensor in values if operator == "Constant" else ():
            tensor.name, tensor.constant = self._wire.text(*output) or tensor.name, True
            self._keep(model, tensor, prefix)
        for inner, start in graphs:
            self._count()
            self._inner += 1
            self._graph(model, inner, start, f"graph{self._inner}.", depth + 1)
        if operator in self._operators:
            self._count()
            names = [prefix + self._wire.text(*each) if each[1] else "" for each in inputs]
            model.nodes.append(Node(operator, names, numbers))

    def _may_hold_graph(self, size: int, place: int) -> bool:
        """Whether the keys of ``g`` or ``graphs`` occur; most attributes are short and hold a few numbers."""
        if size > _SHORT:
            return True
        raw = self._wire.bytes(place, size)
        return b"\x32" in raw or b"\x5a" in raw

    def _attribute(
        self,
        numbers: dict[str, int],
        values: list[Tensor],
        graphs: list[tuple[int, int]],
        size: int,
        place: int,
    ) -> None:
        name, whole = "", None
        for number, kind, inner, start in self._wire.fields(place, place + size):
            if number == 1 and kind == BYTES:
                name = self._wire.text(start, inner)
            elif number == 3 and kind == VARINT:
                whole = inner
            elif number == 5 and kind == BYTES:
                values.append(self._tensor(inner, start))
            elif number in (6, 11) and kind == BYTES and len(graphs) < MAX_TENSORS:
                graphs.append((inner, start))
        if whole is not None and len(numbers) < _MAX_ENTRIES:
            numbers[name] = whole

    def _sparse(self, model: Model, size: int, place: int, prefix: str) -> None:
        """A sparse initializer: a tensor of its dimensions, of which only some elements are stored."""
        dense, shape = Tensor(), list[int]()
        for number, kind, inner, start in self._wire.fields(place, place + size):
            if number == 1 and kind == BYTES:
                dense = self._tensor(inner, start)
            elif number == 3:
                shape += self._dimensions((number, kind, inner, start))
        dense.sparse_count, dense.shape = prod(dense.shape), tuple(shape)
        self._keep(model, dense, prefix)

    def _tensor(self, size: int, place: int) -> Tensor:
        self._count()
        tensor, shape = Tensor(), list[int]()
        for found in self._wire.fields(place, place + size):
            number, kind, inner, start = found
            if number == 1:
                shape += self._dimensions(found)
            elif number == 2 and kind == VARINT:
                tensor.type_number = inner
            elif number == 8 and kind == BYTES:
                tensor.name = self._wire.text(start, inner)
            elif number == 9 and kind == BYTES:
                tensor.raw_bytes += inner
            elif number in _FIXED_DATA:
                tensor.raw_bytes += _SIZES.get(kind, inner)
            elif number in _NUMBER_DATA:
                tensor.number_bytes += _SIZES.get(kind, inner)
            elif number == 13 and kind == BYTES and len(tensor.external) < _MAX_ENTRIES:
                key, value = self._entry(inner, start)
                tensor.external[key] = value
            elif number == 14 and kind == VARINT:
                tensor.outside = inner == 1
        if len(shape) > _MAX_DIMENSIONS:
            raise self._wire.damaged(place)
        tensor.shape = tuple(shape)
        return tensor

    def _dimensions(self, found: Field) -> Iterator[int]:
        """Dimensions, packed or one by one; a negative one takes ten bytes and makes no sense."""
        _, kind, value, place = found
        if kind == BYTES and value > 10 * _MAX_DIMENSIONS:
            raise self._wire.damaged(place)
        for dimension in (value,) if kind == VARINT else self._wire.varints(place, value):
            if dimension >= 1 << 63:
                raise self._wire.damaged(place)
            yield dimension

    def _entry(self, size: int, place: int) -> tuple[str, str]:
        """A ``StringStringEntryProto``."""
        parts = {1: "", 2: ""}
        for number, kind, inner, start in self._wire.fields(place, place + size):
            if number in parts and kind == BYTES:
                parts[number] = self._wire.text(start, inner)
        return parts[1], parts[2]

    def _training(self, model: Model, size: int, place: int) -> None:
        """A ``TrainingInfoProto``: what its algorithm updates, and the tensors of its own."""
        model.updated = model.updated or set()
        own = Model()
        for number, kind, inner, start in self._wire.fields(place, place + size):
            if kind != BYTES:
                continue
            if number in (1, 2):
                self._graph(own, inner, start, "", 0)
            elif number == 4:
                self._count()
                model.updated.add(self._entry(inner, start)[0])
        model.training_tensors += [tensor for tensor in own.tensors if not tensor.constant]

    def _keep(self, model: Model, tensor: Tensor, prefix: str) -> None:
        tensor.name = prefix + (tensor.name or f"tensor{len(model.tensors)}")
        self._letters += len(tensor.name)
        if self._letters > MAX_NAMES_LETTERS:
            raise refused("checkpoint.names_too_long", file=self._file, limit_count=MAX_NAMES_LETTERS)
        model.tensors.append(tensor)

    def _count(self) -> None:
        """Count something that takes memory."""
        self._kept += 1
        if self._kept > MAX_TENSORS:
            raise refused("checkpoint.too_many_tensors", file=self._file, limit_count=MAX_TENSORS)

    @property
    def _file(self) -> str:
        return shown(self._wire.file.path)
