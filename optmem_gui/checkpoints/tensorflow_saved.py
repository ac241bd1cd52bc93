"""Which variables a SavedModel does not train, from the object graph in ``saved_model.pb``.

The graphs of operations beside it, which make up nearly all of that file, are passed over.

Source: ``saved_model.proto``, ``meta_graph.proto``, ``saved_object_graph.proto`` and
``trackable_object_graph.proto`` of ``tensorflow/core/protobuf``, TensorFlow 2.21.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from optmem_gui.checkpoints.contents import Reading
from optmem_gui.checkpoints.files import HeaderFile
from optmem_gui.checkpoints.snappy import varint
from optmem_gui.checkpoints.tensorflow_index import message_fields
from optmem_gui.core.errors import UserError

MAX_OBJECTS_BYTES = 64 << 20
"""Largest object graph read; that of a model of 100,000 variables takes about 20 MB."""

_META_GRAPH, _OBJECTS = 2, 7
_CHILD, _VARIABLE = 1, 7
_TRAINABLE = 3
_HEAD_BYTES = 20


@dataclass(slots=True)
class _Object:
    children: dict[str, int] = field(default_factory=dict)
    frozen: bool = False


def frozen_variables(path: Path, names: Iterable[str], reading: Reading) -> frozenset[str]:
    """Those of the variables that the SavedModel keeps and does not train.

    What the file does not tell, because it is missing, damaged or of TensorFlow 1, is not in the result.

    Args:
        path: The ``saved_model.pb``.
        names: Paths of variables from the saved object, as in ``layer/kernel``.
        reading: The opening under way.
    """
    try:
        objects = _objects(path, reading)
    except (UserError, ValueError, IndexError):
        return frozenset()
    return frozenset(name for name in names if _is_frozen(objects, name))


def _is_frozen(objects: list[_Object], name: str) -> bool:
    """Follow a path from the root, which is the first object."""
    place: int | None = 0
    for part in name.split("/"):
        if place is None or place >= len(objects):
            return False
        place = objects[place].children.get(part)
    return place is not None and place < len(objects) and objects[place].frozen


def _objects(path: Path, reading: Reading) -> list[_Object]:
    with HeaderFile(path, reading) as file:
        graph = _find(file, 0, file.size, _META_GRAPH)
        place = None if graph is None else _find(file, *graph, _OBJECTS)
        if place is None or place[1] - place[0] > MAX_OBJECTS_BYTES:
            return []
        file.seek(place[0])
        data = file.read(place[1] - place[0])
    return [_object(node) for number, node in message_fields(data) if number == 1 and isinstance(node, bytes)]


def _object(data: bytes) -> _Object:
    found = _Object()
    for number, value in message_fields(data):
        if isinstance(value, int):
            continue
        if number == _CHILD:
            fields = dict(message_fields(value))
            name, place = fields.get(2, b""), fields.get(1, 0)
            if isinstance(name, bytes) and isinstance(place, int):
                found.children[name.decode("utf-8", "replace")] = place
        elif number == _VARIABLE:
            found.frozen = not dict(message_fields(value)).get(_TRAINABLE, 0)
    return found


def _find(file: HeaderFile, place: int, end: int, wanted: int) -> tuple[int, int] | None:
    """Start and end of the first field of a number in a message, found by passing over the others."""
    while place < end:
        file.seek(place)
        head = file.read(min(_HEAD_BYTES, end - place))
        tag, used = varint(head, 0)
        kind = tag & 7
        if kind == 0:
            _, used = varint(head, used)
            place += used
            continue
        if kind == 2:
            length, used = varint(head, used)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise ValueError(kind)
        if place + used + length > end:
            raise ValueError(place)
        if tag >> 3 == wanted:
            return place + used, place + used + length
        place += used + length
    return None
