"""Tensors as torch's pickles describe them: a storage, an offset, a shape and strides.

Source of the arguments: ``torch/_utils.py`` (``_rebuild_tensor_v2``, ``_rebuild_tensor_v3``,
``_rebuild_parameter``, ``_rebuild_qtensor``, ``_rebuild_meta_tensor_no_storage``,
``_rebuild_wrapper_subclass``), ``torch/_tensor.py`` (``_rebuild_from_type_v2``) and
``torch/serialization.py`` (persistent ids), torch 2.13.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from optmem_gui.checkpoints.dtypes import TORCH, TORCH_STORAGES
from optmem_gui.checkpoints.pickle_values import Made, Persistent, Rebuild, Symbol, Value
from optmem_gui.core.dtypes import DType
from optmem_gui.core.model import Shape

_MAX = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Storage:
    """A block of elements outside the pickle.

    Attributes:
        kind: Storage class (``FloatStorage``).
        key: Its name among the file's storages.
        numel: Elements it holds; bytes for an untyped storage.
        start: Element at which a legacy storage view begins.
    """

    kind: str
    key: str
    numel: int
    start: int = 0

    @property
    def dtype(self) -> DType | None:
        """Element type, None for a class that is not known."""
        return TORCH_STORAGES.get(self.kind)


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor.

    Attributes:
        storage: Where its elements lie; None where it has none (meta device, wrapper subclass).
        offset: First element in the storage.
        shape: Its shape.
        stride: Elements from one index to the next, by dimension; 0 in an expanded dimension.
        dtype: Element type; None when neither tensor nor storage says one that is known.
        parameter: It was saved as an ``nn.Parameter``.
        trainable: Its ``requires_grad``, meaningful for a parameter.
        parts: Tensors that a subclass keeps its elements in, by their attribute.
        grad: A plain tensor's ``requires_grad``, which only TorchScript means for its parameters.
    """

    storage: Storage | None
    offset: int
    shape: Shape
    stride: Shape
    dtype: DType | None
    parameter: bool = False
    trainable: bool = True
    parts: tuple[tuple[str, Tensor], ...] = ()
    grad: bool = False

    @property
    def numel(self) -> int:
        """Logical elements."""
        return prod(self.shape)

    @property
    def addressed(self) -> int:
        """Elements of the storage that it reads: expanded dimensions count once."""
        if 0 not in self.stride:
            return self.numel
        if not self.numel:
            return 0
        return prod(size for size, step in zip(self.shape, self.stride, strict=True) if step)

    @property
    def end(self) -> int:
        """Element of the storage behind the last one it reads."""
        steps = zip(self.shape, self.stride, strict=True)
        return self.offset + sum((size - 1) * step for size, step in steps) + 1 if self.numel else 0

    @property
    def expanded(self) -> bool:
        """Whether a dimension repeats the same elements."""
        return 0 in self.stride and any(
            size > 1 and not step for size, step in zip(self.shape, self.stride, strict=True)
        )


def _storage(value: Value) -> Storage:
    """``('storage', class, key, location, numel)``; legacy files add a view (its key, start, length)."""
    identity = value.identity
    tag, kind, key, _, numel = identity[:5]
    if tag != "storage" or not isinstance(kind, (Symbol, Made)) or not isinstance(key, (str, int)):
        raise ValueError(tag)
    view = identity[5] if len(identity) > 5 else None
    start = _count(view[1]) if isinstance(view, tuple) else 0
    return Storage(kind.path.rpartition(".")[2], str(key), _count(numel), start)


def _count(value: Value) -> int:
    if type(value) is not int or not 0 <= value <= _MAX:
        raise ValueError
    return value


def counts(value: Value) -> Shape:
    """A shape or strides.

    Raises:
        ValueError: No tuple of counts.
        TypeError: The same.
    """
    items = value.elements or value.args if isinstance(value, Made) else value
    if not isinstance(items, (tuple, list)) or len(items) > 64:
        raise ValueError
    for item in items:
        if type(item) is not int or not 0 <= item <= _MAX:
            raise ValueError
    return tuple(items)


def _tensor(args: tuple[Value, ...], dtype: DType | None = None) -> Tensor:
    if not isinstance(args[0], Persistent):
        raise TypeError
    storage = _storage(args[0])
    shape, stride = counts(args[2]), counts(args[3])
    if len(shape) != len(stride):
        raise ValueError
    grad = len(args) > 4 and args[4] is True
    return Tensor(storage, _count(args[1]), shape, stride, dtype or storage.dtype, grad=grad)


def _tensor_v3(args: tuple[Value, ...]) -> Tensor:
    return _tensor(args, dtype_of(args[6]))


def dtype_of(value: Value) -> DType | None:
    """The element type that ``torch.<name>`` stands for, if it is a known one."""
    return TORCH.get(value.path.removeprefix("torch.")) if isinstance(value, Symbol) else None


def _without_storage(dtype: Value, size: Value, trainable: Value) -> Tensor:
    shape = counts(size)
    stride = tuple(prod(shape[index + 1 :]) for index in range(len(shape)))
    return Tensor(None, 0, shape, stride, dtype_of(dtype), trainable=bool(trainable))


def _meta(args: tuple[Value, ...]) -> Tensor:
    return _without_storage(args[0], args[1], args[3])


def _wrapper(args: tuple[Value, ...]) -> Tensor:
    return _without_storage(args[1], args[2], args[7])


def _parameter(args: tuple[Value, ...]) -> Value:
    data = args[0]
    if not isinstance(data, Tensor):
        return data
    return replace(data, parameter=True, trainable=bool(args[1]))


def _from_type(args: tuple[Value, ...]) -> Value:
    """A tensor subclass: what its own rebuild function makes, as far as that is a known one."""
    rebuild = REBUILDERS.get(args[0].path) if isinstance(args[0], Symbol) else None
    if rebuild is None or rebuild is _from_type:
        return Made(args[1], args[2], args[3] if len(args) > 3 else None)
    made = rebuild(tuple(args[2]))
    state = args[3] if len(args) > 3 else None
    table = state[0] if isinstance(state, tuple) and state else state
    if not isinstance(made, Tensor) or made.storage is not None or not isinstance(table, dict):
        return made
    parts = tuple((str(name), part) for name, part in table.items() if isinstance(part, Tensor))
    return replace(made, parts=parts)


def _ordered_dict(args: tuple[Value, ...]) -> Value:
    if not args:
        return {}
    return {pair[0]: pair[1] for pair in args[0] if isinstance(pair[0], str)}


def _reconstructor(args: tuple[Value, ...]) -> Made:
    """``copyreg._reconstructor(class, base, state)``: how protocol 2 makes most objects."""
    return Made(args[0])


def _new(args: tuple[Value, ...]) -> Made:
    return Made(args[0], args[1:])


def _size(args: tuple[Value, ...]) -> tuple[Value, ...]:
    return tuple(args[0]) if args else ()


REBUILDERS: dict[str, Rebuild] = {
    "collections.OrderedDict": _ordered_dict,
    "copyreg._reconstructor": _reconstructor,
    "copy_reg._reconstructor": _reconstructor,
    "copyreg.__newobj__": _new,
    "torch.Size": _size,
    "torch._utils._rebuild_tensor": _tensor,
    "torch._utils._rebuild_tensor_v2": _tensor,
    "torch._utils._rebuild_tensor_v3": _tensor_v3,
    "torch._utils._rebuild_qtensor": _tensor,
    "torch._utils._rebuild_meta_tensor_no_storage": _meta,
    "torch._utils._rebuild_wrapper_subclass": _wrapper,
    "torch._utils._rebuild_parameter": _parameter,
    "torch._utils._rebuild_parameter_with_state": _parameter,
    "torch._tensor._rebuild_from_type_v2": _from_type,
    "torch._tensor._rebuild_from_type": _from_type,
}
"""What a known call in torch's own files stands for, by the text of its name."""
