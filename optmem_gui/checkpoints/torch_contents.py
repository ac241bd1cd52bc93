"""From a walked torch pickle to the rows of a model and the state of an optimizer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import prod

from optmem_gui.checkpoints.contents import Contents, Known, Row, refused, remark
from optmem_gui.checkpoints.optimizer_state import summarise
from optmem_gui.checkpoints.pickles import Walked
from optmem_gui.checkpoints.suspects import is_plain, suspicious
from optmem_gui.checkpoints.torch_tree import Leaf, Tree, names, search
from optmem_gui.checkpoints.torch_values import Tensor
from optmem_gui.core.dtypes import F32, DType
from optmem_gui.core.model import Shape
from optmem_gui.core.reasons import Reason
from optmem_gui.core.units import MAX_PARAM_COUNT

_View = tuple[str, int, Shape, Shape, str]


class Storages:
    """What the container says about each storage: its bytes, where it knows them.

    Attributes:
        used: Bytes of every storage that was asked for.
        missing: Keys that the pickle refers to and the container lacks.
        unknown: Storage classes whose element type is not known.
    """

    def __init__(self, sizes: Mapping[str, int] | None) -> None:
        self._sizes = sizes
        self.used: dict[str, int] = {}
        self.missing: dict[str, None] = {}
        self.unknown: dict[str, None] = {}

    def hold(self, tensor: Tensor, dtype: DType) -> bool:
        """Whether a tensor lies inside its storage, as far as the container has the storage at all."""
        storage = tensor.storage
        if storage is None:
            return True
        said = storage.numel if storage.kind == "UntypedStorage" else dtype.bytes_for(storage.numel)
        size = said if self._sizes is None else self._sizes.get(storage.key)
        if size is None:
            self.missing.setdefault(storage.key)
            size = said
        else:
            self.used[storage.key] = size
        return dtype.bytes_for(storage.start + tensor.end) <= size

    def element_type(self, tensor: Tensor) -> DType:
        """A tensor's type; for an unknown storage class, one of the size its bytes and elements give."""
        if tensor.dtype is not None:
            return tensor.dtype
        storage = tensor.storage
        if storage is None:
            self.unknown.setdefault("tensor subclass")
            return F32
        self.unknown.setdefault(storage.kind)
        size = (self._sizes or {}).get(storage.key, 0)
        bits = size * 8 // storage.numel if storage.numel else 0
        return DType(storage.kind.removesuffix("Storage").lower() or "unknown", bits or 8, "float")


def to_contents(
    walked: Walked, storages: Storages, file: str, file_bytes: int, check: Callable[[], None]
) -> Contents:
    """Everything a torch file holds.

    Args:
        walked: The pickle, walked.
        storages: What the container knows about storages.
        file: What to call the file in an error.
        file_bytes: Its size.
        check: May raise to stop.

    Raises:
        UserError: A tensor claims more elements than any model has.
    """
    tree = search(walked.value, check)
    leaves = tree.model or tree.averages
    rows, tied, known, tensor_bytes, views = _rows(leaves, storages, file)
    warnings = [*_code_warnings(walked), *_tree_warnings(tree), *views]
    shapes = {**tree.param_shapes, **tree.frozen_shapes}
    if tree.param_shapes:
        known |= _said_by_trainer(tree, rows)
        if all(not prod(shape) for name, shape, _ in rows if name in shapes):
            rows = _from_shapes(shapes, rows)
            warnings.append(remark("checkpoint.zero3_shapes", count=len(shapes)))
            tensor_bytes = sum(dtype.bytes_for(prod(shape)) for _, shape, dtype in rows)
    if storages.missing:
        warnings.append(
            remark(
                "checkpoint.storage_missing", name=next(iter(storages.missing)), count=len(storages.missing)
            )
        )
    if storages.unknown:
        warnings.append(remark("checkpoint.unknown_storage", names=listed(storages.unknown)))
    return Contents(
        rows,
        tied,
        known,
        optimizer=summarise(tree.optimizers, tree.masters, list(dict.fromkeys(row[1] for row in rows))),
        warnings=tuple(warnings),
        complete=not storages.missing,
        file_bytes=file_bytes,
        tensor_bytes=tensor_bytes,
        averages=tuple(_averages(tree, rows, storages)) if tree.model else (),
    )


def _averages(tree: Tree, rows: list[Row], storages: Storages) -> Iterator[Row]:
    """The averaged copy; one that is kept as a list without names takes those of the model's parameters."""
    plain = [leaf.path[-1].isdigit() for leaf in tree.averages]
    floating = [row for row in rows if row[2].is_floating]
    own = names(tree.averages)
    if plain and all(plain) and [leaf.tensor.shape for leaf in tree.averages] == [row[1] for row in floating]:
        own = [row[0] for row in floating]
    for name, leaf in zip(own, tree.averages, strict=True):
        yield name, leaf.tensor.shape, storages.element_type(leaf.tensor)


def _rows(
    leaves: list[Leaf], storages: Storages, file: str
) -> tuple[list[Row], tuple[tuple[str, str], ...], dict[str, Known], int, list[Reason]]:
    """Distinct tensors; one that views exactly what an earlier one views is tied to it."""
    rows: list[Row] = []
    tied: list[tuple[str, str]] = []
    known: dict[str, Known] = {}
    first: dict[_View, str] = {}
    tensor_bytes = 0
    expanded = ""
    for name, leaf in zip(names(leaves), leaves, strict=True):
        tensor = leaf.tensor
        if tensor.numel > MAX_PARAM_COUNT:
            raise refused("checkpoint.tensor_too_large", file=file, name=name)
        dtype = storages.element_type(tensor)
        if tensor.storage is not None and tensor.numel:
            place = tensor.storage.start + tensor.offset
            view = (tensor.storage.key, place, tensor.shape, tensor.stride, dtype.id)
            owner = first.setdefault(view, name)
            if owner != name:
                tied.append((name, owner))
                continue
            if not storages.hold(tensor, dtype):
                raise refused("checkpoint.view_outside_storage", file=file, name=name)
        rows.append((name, tensor.shape, dtype))
        if leaf.parameter is not None:
            known[name] = Known(leaf.parameter, tensor.trainable)
        tensor_bytes += dtype.bytes_for(tensor.addressed)
        expanded = expanded or (name if tensor.expanded else "")
    reasons = []
    if expanded:
        reasons.append(remark("checkpoint.expanded_view", name=expanded))
    storage_bytes = sum(storages.used.values())
    if storage_bytes > tensor_bytes:
        reasons.append(
            remark("checkpoint.view_of_storage", tensor_bytes=tensor_bytes, storage_bytes=storage_bytes)
        )
    return rows, tuple(tied), known, tensor_bytes, reasons


def _said_by_trainer(tree: Tree, rows: list[Row]) -> dict[str, Known]:
    """What DeepSpeed says of single tensors: which are trained, frozen, or buffers.

    What it neither trains nor calls a buffer is frozen; ZeRO 1 does not list it.
    """
    frozen = Known(True, trainable=False)
    return {
        **{name: frozen for name, _, _ in rows},
        **{name: Known(True) for name in tree.param_shapes},
        **dict.fromkeys(tree.frozen_shapes, frozen),
        **{name: Known(False) for name in tree.buffer_names},
    }


def _from_shapes(shapes: Mapping[str, Shape], rows: list[Row]) -> list[Row]:
    """Rows of partitioned weights, from the shapes that DeepSpeed keeps beside the empty tensors."""
    types = {name: dtype for name, _, dtype in rows}
    default = next((types[name] for name in shapes if name in types), F32)
    there = [(name, shapes.get(name, shape), dtype) for name, shape, dtype in rows]
    return there + [(name, shape, default) for name, shape in shapes.items() if name not in types]


def _code_warnings(walked: Walked) -> list[Reason]:
    dangerous = suspicious(walked.named)
    skipped = [name for name in walked.called if name not in dangerous and not is_plain(name)]
    warnings = []
    if dangerous:
        warnings.append(remark("checkpoint.code_references", names=listed(dangerous)))
    if skipped:
        warnings.append(remark("checkpoint.objects_skipped", names=listed(sorted(skipped))))
    return warnings


def _tree_warnings(tree: Tree) -> list[Reason]:
    warnings = []
    if tree.model and tree.averages:
        count = sum(leaf.tensor.numel for leaf in tree.averages)
        warnings.append(remark("checkpoint.average_ignored", count=count))
    if tree.other_count:
        warnings.append(remark("checkpoint.other_tensors", count=tree.other_count))
    return warnings


def listed(items: Iterable[str]) -> str:
    """The first few names."""
    names = [item[:60] for item in items]
    return ", ".join(names[:4]) + (f" (+{len(names) - 4})" if len(names) > 4 else "")
