"""TensorFlow checkpoints: ``.index`` beside ``.data`` files, alone or as the variables of a SavedModel.

What a variable is follows from its key:

* object-based checkpoints (TensorFlow 2) name it by its path from the saved object; whatever lies below an
  object that counts iterations is an optimizer, and ``.OPTIMIZER_SLOT`` names a slot of an older one;
* name-based checkpoints (TensorFlow 1) put a slot below the variable it belongs to (``w/Adam_1``).

A SavedModel says which variables it does not train. A checkpoint does not: all that are not statistics
count as trained.

Sources: ``tensorflow/python/checkpoint``, ``tensorflow/python/training/slot_creator.py`` and the optimizers
beside it, TensorFlow 2.21.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path

from optmem_gui.checkpoints.contents import Contents, Known, Reading, Row, refused, remark, shown
from optmem_gui.checkpoints.files import HeaderFile, read_small, refuse_lfs_pointer
from optmem_gui.checkpoints.keras_names import NOT_TRAINED
from optmem_gui.checkpoints.slots import Variable, describe
from optmem_gui.checkpoints.tensorflow_index import Entry, Index, read_index_file
from optmem_gui.checkpoints.tensorflow_saved import frozen_variables
from optmem_gui.core.dtypes import DType
from optmem_gui.core.reasons import Reason

INDEX_SUFFIXES = (".index",)
GRAPH_SUFFIXES = (".pb",)
SAVED_MODEL = "saved_model.pb"
_VARIABLES = "variables"
_STATE = "checkpoint"
_MAX_STATE_BYTES = 1 << 20

_VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"
_SLOT = "/.OPTIMIZER_SLOT/"
_COUNTERS = ("/_iterations", "/iterations", "/iter")
_OTHER = re.compile(r"(?:^|/)(?:keras_api/metrics|keras_metrics|metrics)/|^save_counter$")
_AVERAGE = "ExponentialMovingAverage"
_POWERS = re.compile(r"(?:^|/)beta[12]_power(?:_\d+)?$")
_SLOTS_1 = {
    "Adam": ("Adam", "m", "v"),
    "AdamWeightDecay": ("AdamW", "m", "v"),
    "adam": ("Adam",),
    "lamb": ("LAMB",),
    "LAMB": ("LAMB", "m", "v"),
    "AdaMax": ("Adamax", "m", "v"),
    "Momentum": ("Momentum", "momentum"),
    "RMSProp": ("RMSprop", "rms", "momentum", "mg"),
    "Adagrad": ("Adagrad", "accumulator"),
    "Adadelta": ("Adadelta", "accum", "accum_update"),
    "Ftrl": ("Ftrl", "accum", "linear"),
}
"""Name of a slot variable in TensorFlow 1: the optimizer, and what its slots are called in order."""

_DATA = re.compile(r"(?P<prefix>.+)\.data-\d{5}-of-(?P<count>\d{5})\Z", re.ASCII)
_LATEST = re.compile(rb'^model_checkpoint_path: "((?:[^"\\]|\\.)*)"', re.MULTILINE)


def sniff_index(head: bytes, path: Path) -> bool:
    """Whether a file is an index, or a data file of which an index tells."""
    return path.suffix.lower() in INDEX_SUFFIXES or bool(_DATA.match(path.name))


def sniff_graph(head: bytes, path: Path) -> bool:
    """Whether a file is the graph of a SavedModel, or another graph."""
    return path.suffix.lower() in GRAPH_SUFFIXES


def sniff_state(head: bytes, path: Path) -> bool:
    """Whether a file is the text that names the latest of several checkpoints."""
    return path.name == _STATE and head.startswith(b"model_checkpoint")


def sniff_folder(files: Collection[str], folders: Collection[str]) -> bool:
    """Whether a folder is a SavedModel, its variables, or holds checkpoints."""
    return (SAVED_MODEL in files and _VARIABLES in folders) or any(
        name.endswith(INDEX_SUFFIXES) for name in files
    )


def read_folder(folder: Path, reading: Reading) -> Contents:
    """Read a SavedModel, or the latest checkpoint of a folder.

    Raises:
        UserError: Several checkpoints and nothing that tells the latest, or a damaged one.
    """
    if (folder / SAVED_MODEL).is_file():
        return _read_beside(folder / _VARIABLES / f"{_VARIABLES}.index", reading)
    if (folder / _STATE).is_file():
        return _read_beside(_latest(folder / _STATE, reading), reading)
    found = sorted(path.name for path in folder.glob("*.index"))
    if len(found) != 1:
        names = ", ".join(found[:3]) + (" ..." if len(found) > 3 else "")
        raise refused("checkpoint.several_checkpoints", file=shown(folder), names=names)
    return _read_beside(folder / found[0], reading)


def read_state(file: HeaderFile, reading: Reading) -> Contents:
    """Read the checkpoint that a ``checkpoint`` file names as the latest."""
    return _read_beside(_latest(file.path, reading), reading)


def read_graph(file: HeaderFile, reading: Reading) -> Contents:
    """Read the variables beside the graph of a SavedModel.

    Raises:
        UserError: A frozen graph: its weights are constants in it, and no training starts from one.
    """
    index = file.path.parent / _VARIABLES / f"{_VARIABLES}.index"
    if file.path.name != SAVED_MODEL or not index.is_file():
        raise refused("checkpoint.frozen_graph", file=shown(file.path))
    return _read_beside(index, reading)


def read_index(file: HeaderFile, reading: Reading) -> Contents:
    """Read an index, or the index beside a data file.

    Raises:
        UserError: No index, or a damaged one.
    """
    match = _DATA.match(file.path.name)
    if match:
        return _read_beside(file.path.with_name(f"{match['prefix']}.index"), reading)
    index = read_index_file(file, reading)
    return _contents(index, file.path, file.size, reading)


def _read_beside(path: Path, reading: Reading) -> Contents:
    with HeaderFile(path, reading) as file:
        refuse_lfs_pointer(file, file.peek(16))
        return read_index(file, reading)


def _latest(state: Path, reading: Reading) -> Path:
    """The index that a ``checkpoint`` file names, which lies in the same folder."""
    match = _LATEST.search(read_small(state, _MAX_STATE_BYTES, reading))
    said = match[1].decode("utf-8", "replace") if match else ""
    name = re.split(r"[/\\]", said)[-1]
    if not name:
        raise refused("checkpoint.no_latest", file=shown(state))
    return state.with_name(f"{name}.index")


@dataclass(slots=True)
class _Sorted:
    """Variables by what they are."""

    rows: list[Row] = field(default_factory=list)
    optimizer: list[Variable] = field(default_factory=list)
    said: str = ""
    average_count: int = 0
    other_count: int = 0
    text_count: int = 0


def _contents(index: Index, path: Path, index_bytes: int, reading: Reading) -> Contents:
    found = _sort(index.entries)
    known = _known(index, found, path, reading)
    trained = [row for row in found.rows if row[0] not in known and row[2].is_floating]
    data_bytes, warnings = _data_files(index, path, reading)
    graph = _graph(path)
    complete = not warnings
    if found.average_count:
        warnings.append(remark("checkpoint.average_ignored", count=found.average_count))
    if found.other_count:
        warnings.append(remark("checkpoint.other_tensors", count=found.other_count))
    if found.text_count:
        warnings.append(remark("checkpoint.tensor_bundle_text", count=found.text_count))
    return Contents(
        found.rows,
        (),
        known,
        describe(found.optimizer, found.said, ("tf_keras", "tf_keras_legacy", "keras"), trained),
        tuple(warnings),
        complete,
        index_bytes + data_bytes + (graph.stat().st_size if graph is not None else 0),
        sum(dtype.bytes_for(prod(shape)) for _, shape, dtype in found.rows),
        1 + index.shard_count,
    )


def _graph(path: Path) -> Path | None:
    """The graph of the SavedModel that an index is in."""
    graph = path.parent.parent / SAVED_MODEL
    return graph if path.parent.name == _VARIABLES and graph.is_file() else None


def _known(index: Index, found: _Sorted, path: Path, reading: Reading) -> dict[str, Known]:
    """Statistics, and what the SavedModel around the variables does not train."""
    known = {row[0]: Known(False) for row in found.rows if row[0].rpartition(".")[2] in NOT_TRAINED}
    graph = _graph(path)
    if graph is not None:
        names = [entry.name.removesuffix(_VALUE) for entry in index.entries]
        for name in frozen_variables(graph, names, reading):
            known.setdefault(name.replace("/", "."), Known(True, False))
    return known


def _data_files(index: Index, path: Path, reading: Reading) -> tuple[int, list[Reason]]:
    """Bytes of the data files, and what is missing of them."""
    stem, total, absent = path.name.removesuffix(".index"), 0, []
    warnings: list[Reason] = []
    for number in range(index.shard_count):
        if number % 100 == 0:
            reading.check()
        data = path.with_name(f"{stem}.data-{number:05d}-of-{index.shard_count:05d}")
        try:
            size = data.stat().st_size
        except OSError:
            absent.append(data.name)
            continue
        total += size
        missing = index.ends.get(number, 0) - size
        if missing > 0:
            warnings.append(
                remark("checkpoint.truncated", file=shown(data), missing_bytes=missing, missing_count=missing)
            )
    if absent:
        warnings.append(
            remark(
                "checkpoint.data_files_missing",
                missing_count=len(absent),
                total_count=index.shard_count,
                names=", ".join(absent[:3]) + (" ..." if len(absent) > 3 else ""),
            )
        )
    return total, warnings


def _sort(entries: Sequence[Entry]) -> _Sorted:
    """Tell the model's variables from the optimizer's and from what is neither."""
    found = _Sorted()
    names = {entry.name for entry in entries}
    owners = _optimizers(names)
    for entry in entries:
        name = entry.name.removesuffix(_VALUE)
        if entry.dtype is None:
            found.text_count += name != "_CHECKPOINTABLE_OBJECT_GRAPH"
            continue
        slot = _slot(name, entry.name, names, owners)
        if slot is not None:
            found.said = found.said or slot[0]
            found.optimizer.append(Variable(slot[1], entry.shape, entry.dtype))
        elif name.rpartition("/")[2].startswith(_AVERAGE):
            found.average_count += prod(entry.shape)
        elif _OTHER.search(name):
            found.other_count += prod(entry.shape)
        else:
            found.rows.append(_row(name, entry, entry.dtype))
    return found


def _row(name: str, entry: Entry, dtype: DType) -> Row:
    return name.replace("/", "."), entry.shape, dtype


def _optimizers(names: Iterable[str]) -> tuple[str, ...]:
    """Paths of the objects that count iterations, with the slash behind them."""
    return tuple(
        name.removesuffix(_VALUE).rpartition("/")[0] + "/"
        for name in names
        if name.endswith(_VALUE) and name.removesuffix(_VALUE).endswith(_COUNTERS)
    )


def _slot(name: str, key: str, names: Collection[str], owners: tuple[str, ...]) -> tuple[str, str] | None:
    """Optimizer and state of a variable that belongs to one; None for any other."""
    if _SLOT in key:
        return "", key.split(_SLOT, 1)[1].removesuffix(_VALUE).rpartition("/")[2]
    if key.endswith(_VALUE):
        return ("", "") if name.startswith(owners) and owners else None
    if _POWERS.search(name):
        return "", ""
    owner, _, leaf = name.rpartition("/")
    if owner not in names:
        return None
    stem, _, number = leaf.rpartition("_")
    if number in ("m", "v") and stem in _SLOTS_1:
        return _SLOTS_1[stem][0], number
    stem, place = (stem, int(number)) if number.isdigit() and len(number) < 3 else (leaf, 0)
    slots = _SLOTS_1.get(stem, ())
    return (slots[0], slots[place + 1]) if place + 1 < len(slots) else None
