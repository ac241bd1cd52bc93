"""Frozen dataclasses to JSON values and back, with the standard library alone.

The worker runs under whatever Python the user trains with, so nothing can be assumed installed there.
Decoding follows the annotations and refuses what does not fit, naming the place.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


_PLAIN = frozenset((int, float, str, bool, type(None)))


class CodecError(ValueError):
    """A JSON value that does not fit its type; the text starts with the place, such as ``$.steps``."""


def to_json(value: Any) -> Any:  # noqa: ANN401  # any dataclass field, however nested
    """A value built of dataclasses, tuples, mappings and plain values as JSON knows them."""
    kind = type(value)
    if kind in _PLAIN:  # most values are, and a thousand samples a second pass here
        return value
    if dataclasses.is_dataclass(kind):
        return {name: to_json(getattr(value, name)) for name in _names(kind)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (tuple, list)):
        return [to_json(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    return value


@lru_cache(maxsize=64)
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


def from_json(kind: type[T], data: object, place: str = "$") -> T:
    """Read a dataclass from decoded JSON.

    Args:
        kind: Dataclass to build.
        data: What ``json.loads`` gave.
        place: Where ``data`` stands, for the error text.

    Raises:
        CodecError: A field is missing or of the wrong type. Fields that are not known are ignored, so a
            newer sender can add some.
    """
    if not isinstance(data, dict):
        raise CodecError(f"{place}: expected an object, got {type(data).__name__}")
    values: dict[str, Any] = {}
    for name, (annotation, required) in _fields(cast("Any", kind)).items():
        if name in data:
            values[name] = _value(annotation, data[name], f"{place}.{name}")
        elif required:
            raise CodecError(f"{place}.{name}: missing")
    return kind(**values)


@lru_cache(maxsize=64)
def _fields(kind: type[Any]) -> dict[str, tuple[Any, bool]]:
    """Annotation of every field that the constructor takes, and whether it must be given."""
    hints = get_type_hints(kind)
    missing = dataclasses.MISSING
    return {
        field.name: (hints[field.name], field.default is missing and field.default_factory is missing)
        for field in dataclasses.fields(kind)
        if field.init
    }


def _value(annotation: Any, data: object, place: str) -> Any:  # noqa: ANN401  # follows the annotation
    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        return _union(get_args(annotation), data, place)
    if origin is Literal:
        return _checked(data in get_args(annotation), data, str(get_args(annotation)), place)
    if origin is tuple:
        return _tuple(get_args(annotation), data, place)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping(get_args(annotation)[1], data, place)
    if dataclasses.is_dataclass(annotation):
        return from_json(cast("type[Any]", annotation), data, place)
    return _plain(annotation, data, place)


def _plain(annotation: Any, data: object, place: str) -> object:  # noqa: ANN401  # int, float, str, bool, None
    truth = isinstance(data, bool)
    if annotation is float:
        fits = isinstance(data, (int, float)) and not truth
        return float(cast("float", _checked(fits, data, "a number", place)))
    if annotation is int:
        return _checked(isinstance(data, int) and not truth, data, "a whole number", place)
    if annotation is Any:  # a part that somebody else reads
        return data
    return _checked(isinstance(data, annotation), data, annotation.__name__, place)


def _checked(fits: bool, data: object, expected: str, place: str) -> object:
    if not fits:
        raise CodecError(f"{place}: expected {expected}, got {data!r:.80}")
    return data


def _union(choices: tuple[Any, ...], data: object, place: str) -> object:
    """The first choice that fits; bool and int stay apart because ``int`` refuses a bool."""
    problem = CodecError(f"{place}: fits no type")
    for choice in choices:
        try:
            return _value(choice, data, place)
        except CodecError as error:  # noqa: PERF203  # the next choice is tried
            problem = error
    raise problem


def _tuple(inner: tuple[Any, ...], data: object, place: str) -> tuple[Any, ...]:
    if not isinstance(data, list):
        raise CodecError(f"{place}: expected a list, got {type(data).__name__}")
    if len(inner) == 2 and inner[1] is Ellipsis:
        return tuple(_value(inner[0], item, f"{place}[{at}]") for at, item in enumerate(data))
    if len(inner) != len(data):
        raise CodecError(f"{place}: expected {len(inner)} items, got {len(data)}")
    pairs = zip(inner, data, strict=True)
    return tuple(_value(kind, item, f"{place}[{at}]") for at, (kind, item) in enumerate(pairs))


def _mapping(inner: Any, data: object, place: str) -> dict[str, Any]:  # noqa: ANN401  # a value annotation
    if not isinstance(data, dict):
        raise CodecError(f"{place}: expected an object, got {type(data).__name__}")
    return {key: _value(inner, item, f"{place}.{key}") for key, item in data.items()}
