"""Why a safetensors header is refused, found slowly and exactly once the fast pass has doubts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import prod
from typing import Any, NoReturn

from optmem_gui.checkpoints.bounds import check_json
from optmem_gui.checkpoints.contents import refused
from optmem_gui.checkpoints.dtypes import SAFETENSORS
from optmem_gui.core.model import Shape

MAX_COUNT = 2**63 - 1
"""Largest dimension or offset: what fits the signed 64-bit integers of the libraries that read the file."""

MAX_DIMENSIONS = 64
"""torch takes no tensor of more than 64 dimensions."""

_Row = tuple[str, Shape, tuple[int, int]]
_Json = Any
_FIELDS = {"dtype", "shape", "data_offsets"}


class _DuplicateKey(Exception):  # noqa: N818  # carries a name out of the JSON hook
    pass


def decode_carefully(raw: bytes, file: str) -> tuple[dict[str, _Row], dict[str, str] | None]:
    """Entries of a header as (dtype, shape, offsets) by tensor name, and its metadata.

    Raises:
        UserError: Not JSON, too much of it, no object, nested too deeply, a name twice, a wrong field.
    """
    check_json(raw, file)
    try:
        tree = json.loads(raw.decode("utf-8"), object_pairs_hook=_no_duplicates, parse_constant=_refuse)
    except _DuplicateKey as error:
        raise refused("checkpoint.duplicate_name", file=file, name=error.args[0]) from None
    except RecursionError:
        raise refused("checkpoint.nested_too_deeply", file=file) from None
    except ValueError:
        raise refused("checkpoint.header_not_json", file=file) from None
    if not isinstance(tree, dict):
        raise refused("checkpoint.header_not_object", file=file)
    metadata = tree.pop("__metadata__", None)
    _check_metadata(metadata, file)
    return {name: _entry(name, value, file) for name, value in tree.items()}, metadata


def explain_layout(
    rows: Mapping[str, _Row],
    bits: Mapping[str, int],
    file: str,
) -> tuple[int, tuple[tuple[str, str], ...]]:
    """Bytes of data and pairs on the same bytes, when that is all that is wrong.

    Raises:
        UserError: A size that does not follow from type and shape, a hole, or a partial overlap.
    """
    spans: list[tuple[int, int, str]] = []
    for name, (dtype, shape, offsets) in rows.items():
        start, stop = offsets
        if (stop - start) * 8 != prod(shape) * bits[dtype]:
            _refuse_size(name, dtype, shape, stop - start, file)
        spans.append((start, stop, name))
    spans.sort()
    end, owner, shared = 0, "", []
    previous = (-1, -1)
    for start, stop, name in spans:
        if (start, stop) == previous and start != stop:
            shared.append((name, owner))
            continue
        if start < end:
            raise refused("checkpoint.overlap", file=file, first=owner, second=name)
        if start > end:
            raise refused("checkpoint.hole", file=file, name=name, start=end, stop=start)
        end, owner, previous = stop, name, (start, stop)
    return end, tuple(shared)


def _no_duplicates(pairs: list[tuple[str, _Json]]) -> dict[str, _Json]:
    result = dict(pairs)
    if len(result) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _DuplicateKey(key)
            seen.add(key)
    return result


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _check_metadata(metadata: _Json, file: str) -> None:
    """``__metadata__`` maps text to text; null and {} occur in published files and are accepted."""
    if metadata is None:
        return
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise refused("checkpoint.metadata_not_object", file=file)


def _entry(name: str, value: _Json, file: str) -> _Row:
    if not isinstance(value, dict) or not value.keys() >= _FIELDS:
        raise refused("checkpoint.entry_incomplete", file=file, name=name)
    dtype, shape, offsets = value["dtype"], value["shape"], value["data_offsets"]
    if not isinstance(dtype, str) or dtype not in SAFETENSORS:
        raise refused("checkpoint.unknown_dtype", file=file, name=name, dtype=str(dtype))
    if not _counts(shape) or len(shape) > MAX_DIMENSIONS:
        raise refused("checkpoint.bad_shape", file=file, name=name)
    if not _counts(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise refused("checkpoint.bad_offsets", file=file, name=name)
    return dtype, tuple(shape), (offsets[0], offsets[1])


def _counts(value: _Json) -> bool:
    return isinstance(value, list) and all(type(item) is int and 0 <= item <= MAX_COUNT for item in value)


def _refuse_size(name: str, dtype: str, shape: Shape, held: int, file: str) -> NoReturn:
    raise refused(
        "checkpoint.size_mismatch",
        file=file,
        name=name,
        dtype=dtype,
        shape=str(list(shape)),
        held_count=held,
    )
