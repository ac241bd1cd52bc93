"""What a Keras weights file means: which data sets are the model, which its optimizer, and their names.

Three layouts share HDF5:

* legacy files (``layer_names`` and ``weight_names``; Keras 1 and 2, ``save_weights`` of tf.keras, Hugging
  Face's ``tf_model.h5``), whole models with ``model_weights`` and ``optimizer_weights`` beside each other;
* Keras 3 weights (``.weights.h5``, and ``model.weights.h5`` inside ``.keras``), where every layer has a
  group ``vars`` with its variables numbered: trainable ones first;
* anything else, of which every data set counts.

Sources: ``keras/src/legacy/saving/legacy_h5_format.py`` and ``keras/src/saving/saving_lib.py``, Keras 3.15.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import prod

from optmem_gui.checkpoints.contents import Contents, Known, Row, refused, remark
from optmem_gui.checkpoints.hdf5 import Dataset, Hdf5, Node
from optmem_gui.checkpoints.keras_config import KerasConfig
from optmem_gui.checkpoints.keras_names import NOT_TRAINED, plain_name, variable_names
from optmem_gui.checkpoints.slots import Variable, describe
from optmem_gui.core.dtypes import DTYPES, DType
from optmem_gui.core.model import Shape
from optmem_gui.core.reasons import Reason
from optmem_gui.core.units import MAX_PARAM_COUNT

MAX_DEPTH = 64
"""Groups within groups."""

_AWAY = {
    "external": "checkpoint.hdf5_data_external",
    "virtual": "checkpoint.hdf5_data_virtual",
    "unwritten": "checkpoint.hdf5_data_unwritten",
    "cut": "checkpoint.hdf5_data_cut",
}
"""What to say of data that are not in the file."""
_Path = tuple[str, ...]
_NAMED = {
    "bfloat16": DTYPES["bf16"],
    "float8_e4m3fn": DTYPES["fp8_e4m3"],
    "float8_e5m2": DTYPES["fp8_e5m2"],
}


@dataclass(slots=True)
class _Found:
    """What has been collected from a file so far."""

    name: str
    check: Callable[[], None]
    rows: list[Row] = field(default_factory=list)
    tied: list[tuple[str, str]] = field(default_factory=list)
    known: dict[str, Known] = field(default_factory=dict)
    first: dict[int, str] = field(default_factory=dict)
    tensor_bytes: int = 0
    other_count: int = 0
    odd: dict[str, int] = field(default_factory=dict)
    away: dict[str, str] = field(default_factory=dict)

    def tensor(self, path: str, node: Node) -> tuple[Shape, DType] | None:
        """Shape and type of a data set; None for one that holds no numbers.

        Raises:
            UserError: Its size does not follow from its shape, or is absurd.
        """
        data = node.dataset
        if data is None or data.shape is None:
            return None
        dtype = _dtype(data, node)
        if dtype is None:
            self.odd.setdefault(path, 0)
            return None
        count = prod(data.shape)
        if count > MAX_PARAM_COUNT:
            raise refused("checkpoint.tensor_too_large", file=self.name, name=path)
        if data.missing:
            self.away[path] = data.missing
        elif data.held_bytes is not None and data.held_bytes != dtype.bytes_for(count):
            raise refused(
                "checkpoint.size_mismatch",
                file=self.name,
                name=path,
                dtype=dtype.id,
                shape=str(list(data.shape)),
                held_count=data.held_bytes,
            )
        return data.shape, dtype

    def add(self, name: str, node: Node, *, trained: bool, frozen: bool) -> None:
        """Take a data set as a variable of the model; one met before under another name is tied to it."""
        owner = self.first.setdefault(node.address, name)
        if owner != name:
            self.tied.append((name, owner))
            return
        tensor = self.tensor(name, node)
        if tensor is None:
            return
        self.rows.append((name, *tensor))
        self.tensor_bytes += tensor[1].bytes_for(prod(tensor[0]))
        if not trained or frozen:
            self.known[name] = Known(trained, trained and not frozen)

    def trained(self) -> list[Row]:
        """The parameters that get a gradient."""
        plain = Known(True)
        return [
            row
            for row in self.rows
            if row[2].is_floating and (known := self.known.get(row[0], plain)).parameter and known.trainable
        ]


def keras_contents(
    file: Hdf5, name: str, file_bytes: int, config: KerasConfig, check: Callable[[], None]
) -> Contents:
    """Everything a Keras file holds.

    Args:
        file: The HDF5 file.
        name: What to call it in messages.
        file_bytes: Size of the file on disk.
        config: What its configuration says.
        check: May raise to stop.
    """
    found, slots = _Found(name, check), list[Variable]()
    root, optimizer = file.root, config.optimizer
    warnings: list[Reason] = []
    if "layer_names" in root.attributes or "model_weights" in root.children:
        _legacy(root.children.get("model_weights", root), found, config)
        named = _legacy_slots(root.children.get("optimizer_weights"), found, slots)
        optimizer = optimizer or named
    elif (
        "layers" in root.children
        or "vars" in root.children
        or "_layer_checkpoint_dependencies" in root.children
    ):
        optimizer = _numbered(root, found, slots, config) or optimizer
    else:
        for path, node in _walk(root, check):
            found.add(".".join(path), node, trained=True, frozen=False)
        if found.rows:
            warnings.append(remark("checkpoint.hdf5_plain", count=len(found.rows)))
    if config.lambdas:
        warnings.append(remark("checkpoint.keras_lambda", names=_listed(config.lambdas)))
    warnings += _warnings(file, found)
    return Contents(
        found.rows,
        tuple(found.tied),
        found.known,
        describe(slots, optimizer, config.libraries, found.trained()),
        tuple(warnings),
        complete=not found.away and not file.missing_bytes,
        file_bytes=file_bytes,
        tensor_bytes=found.tensor_bytes,
    )


def _warnings(file: Hdf5, found: _Found) -> Iterator[Reason]:
    missing = file.missing_bytes
    if missing:
        yield remark("checkpoint.truncated", file=found.name, missing_bytes=missing, missing_count=missing)
    if found.away:
        name, why = next(iter(found.away.items()))
        yield remark(_AWAY[why], name=name, count=len(found.away))
    if file.skipped:
        yield remark("checkpoint.hdf5_links", names=_listed(file.skipped), count=len(file.skipped))
    if found.odd:
        yield remark("checkpoint.hdf5_no_numbers", names=_listed(found.odd), count=len(found.odd))
    if found.other_count:
        yield remark("checkpoint.other_tensors", count=found.other_count)


def _walk(
    group: Node, check: Callable[[], None], at: _Path = (), above: frozenset[int] = frozenset()
) -> Iterator[tuple[_Path, Node]]:
    """Every data set below a group with its path; a group that contains itself is entered once."""
    check()
    if len(at) > MAX_DEPTH or group.address in above:
        return
    for name, child in group.children.items():
        if child.dataset is not None:
            yield (*at, name), child
        else:
            yield from _walk(child, check, (*at, name), above | {group.address})


def _legacy(weights: Node, found: _Found, config: KerasConfig) -> None:
    """Layers in the order of ``layer_names``, each with the weights that its ``weight_names`` list."""
    layers = _names(weights, "layer_names") or list(weights.children)
    for layer in dict.fromkeys((*layers, "top_level_model_weights")):
        group = weights.children.get(layer)
        if group is None:
            continue
        listed = _names(group, "weight_names") or ["/".join(path) for path, _ in _walk(group, found.check)]
        for weight in listed:
            node = _descend(group, weight)
            if node is None:
                found.odd.setdefault(f"{layer}/{weight}", 0)
                continue
            name = weight if weight.split("/")[0] == layer else f"{layer}/{weight}"
            leaf = plain_name(name).rpartition(".")[2]
            trained = leaf not in NOT_TRAINED
            found.add(plain_name(name), node, trained=trained, frozen=layer in config.frozen)


def _legacy_slots(group: Node | None, found: _Found, slots: list[Variable]) -> str:
    """Count the optimizer's variables; its class, as far as their names tell.

    They are ``Adam/m/dense/kernel:0`` (tf.keras since 2.11), ``training/Adam/dense/kernel/m:0`` (before) or
    ``adam/dense_kernel_momentum`` (Keras 3).
    """
    if group is None:
        return ""
    optimizer = ""
    for path, node in _walk(group, found.check):
        name = plain_name("/".join(path))
        tensor = found.tensor(name, node)
        if tensor is None:
            continue
        parts = [part for part in name.split(".") if part != "training"]
        optimizer = optimizer or (parts[0] if len(parts) > 1 else "")
        slots.append(Variable(_slot(parts), *tensor))
    return re.sub(r"_\d+$", "", optimizer)


def _slot(parts: list[str]) -> str:
    """The state that a legacy variable is part of."""
    if len(parts) > 3 and parts[1] in _SLOT_FOLDERS:
        return parts[1]
    for ending in _SLOT_ENDINGS:
        if parts[-1].endswith(ending):
            return ending.lstrip("_")
    return "" if _NUMBERED.fullmatch(parts[-1]) else parts[-1]


_NUMBERED = re.compile(r"Variable(_\d+)?")
"""What Keras before 2.3 called the variables of its optimizers."""

_SLOT_FOLDERS = frozenset(("m", "v", "vhat", "momentum", "velocity", "accumulator", "average", "u", "linear"))
_SLOT_ENDINGS = (
    "_velocity_hat",
    "_momentum",
    "_velocity",
    "_accumulated_grad",
    "_accumulated_delta_var",
    "_accumulator",
    "_gradient_accumulator",
    "_average",
    "_linear",
    "_norm",
)


def _numbered(root: Node, found: _Found, slots: list[Variable], config: KerasConfig) -> str:
    """Take the numbered variables of Keras 3; the class of the optimizer, as far as its group tells."""
    optimizer = ""
    groups = _groups(root, found, config)
    labels = _labels(root, groups, config)
    for path, variables in groups.items():
        if path[:1] == ("optimizer",):
            optimizer = optimizer or _said_name(root, path)
            for number, node in variables:
                tensor = found.tensor("/".join((*path, number)), node)
                slots += [] if tensor is None else [Variable("", *tensor)]
            continue
        if path[:1] == ("metrics",):
            found.other_count += sum(prod(node.dataset.shape or ()) for _, node in variables if node.dataset)
            continue
        owner, label = labels[path]
        names = variable_names(
            path[:-1] if path[-1:] == ("vars",) else path, [number for number, _ in variables]
        )
        for (_, node), name in zip(variables, names, strict=True):
            trained = name not in NOT_TRAINED
            found.add(
                f"{label}.{name}" if label else name, node, trained=trained, frozen=owner in config.frozen
            )
    return config.optimizer or optimizer


def _groups(root: Node, found: _Found, config: KerasConfig) -> dict[_Path, list[tuple[str, Node]]]:
    """The variables of each layer: layers in the model's order where it is known, else by their numbers."""
    groups: dict[_Path, list[tuple[str, Node]]] = {}
    for path, node in _walk(root, found.check):
        groups.setdefault(path[:-1], []).append((path[-1], node))
    for variables in groups.values():
        variables.sort(key=lambda item: (len(item[0]), item[0]))
    order = {path: index for index, path in enumerate(config.names)}

    def place(path: _Path) -> tuple[list[int], list[tuple[str, int]]]:
        known = [order[path[:end]] for end in range(1, len(path) + 1) if path[:end] in order]
        return known or [len(order)], [_numbered_part(part) for part in path]

    return {path: groups[path] for path in sorted(groups, key=place)}


def _numbered_part(part: str) -> tuple[str, int]:
    stem, _, number = part.rpartition("_")
    return (stem, int(number)) if number.isdecimal() and len(number) < 10 else (part, 0)


def _labels(
    root: Node, groups: dict[_Path, list[tuple[str, Node]]], config: KerasConfig
) -> dict[_Path, tuple[str, str]]:
    """For each group of variables the layer's own name and its full name.

    Layers are stored by class (``layers/dense_1``) and carry the name that the user knows as an attribute
    or in the configuration; where those names are not unique, the paths stand.
    """
    labels: dict[_Path, tuple[str, str]] = {}
    for path in groups:
        layer = path[:-1] if path[-1:] == ("vars",) else path
        parts, own = [], ""
        for end, part in enumerate(layer, 1):
            if part in ("layers", "_layer_checkpoint_dependencies"):
                continue
            own = _said_name(root, (*layer[:end], "vars")) or config.names.get(layer[:end], "") or part
            parts.append(own.replace("/", "."))
        labels[path] = own, ".".join(parts)
    if len({label for _, label in labels.values()}) < len(labels):
        return {path: (own, ".".join(path[:-1])) for path, (own, _) in labels.items()}
    return labels


def _said_name(root: Node, path: _Path) -> str:
    node = _descend(root, "/".join(path))
    said = None if node is None else node.attributes.get("name")
    return said if isinstance(said, str) else ""


def _dtype(data: Dataset, node: Node) -> DType | None:
    """A data set's type; Keras notes types that HDF5 lacks in an attribute."""
    said = node.attributes.get("dtype")
    named = _NAMED.get(said) if isinstance(said, str) else None
    if named is not None and named.bits == 8 * data.stored.size:
        return named
    return data.stored.dtype


def _names(node: Node, attribute: str) -> list[str]:
    """An attribute that lists names; Keras cuts long ones into ``weight_names0``, ``weight_names1`` ..."""
    said = node.attributes.get(attribute)
    if isinstance(said, list):
        return said
    names: list[str] = []
    number = 0
    while isinstance(part := node.attributes.get(f"{attribute}{number}"), list):
        names += part
        number += 1
    return names


def _descend(group: Node, path: str) -> Node | None:
    for part in path.split("/"):
        child = group.children.get(part)
        if child is None:
            return None
        group = child
    return group


def _listed(names: object) -> str:
    listed = [str(name) for name in names] if isinstance(names, (list, tuple, dict)) else []
    return ", ".join(listed[:4]) + (f" (+{len(listed) - 4})" if len(listed) > 4 else "")
