"""Checkpoints split over several files: by an index, or by the numbers in their names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from optmem_gui.checkpoints.bounds import check_json
from optmem_gui.checkpoints.contents import (
    NOTHING_PACKED,
    Contents,
    Packing,
    Reading,
    Row,
    refused,
    remark,
    shown,
)
from optmem_gui.checkpoints.files import read_small
from optmem_gui.checkpoints.registry import Reader, read_file
from optmem_gui.core.errors import UserError
from optmem_gui.core.reasons import Reason

MAX_INDEX_BYTES = 64 << 20
"""Largest index read; the largest published one has 56 MB."""

MAX_INDEX_VALUES = 600_000
"""Most entries of one; the largest published ones have half a million."""

_NUMBERED = re.compile(
    r"(?P<stem>.*?)[-_.]?(?P<number>\d{5,6})-of-(?P<total>\d{5,6})(?P<suffix>\.\w+)\Z", re.ASCII
)


@dataclass(frozen=True, slots=True)
class ShardSet:
    """The files of one checkpoint.

    Attributes:
        folder: Where they lie.
        names: All files that belong to it, in order, present or not.
        index: Index file they are named in; None when their numbers name them.
        weight_map: Tensor name to file, from the index.
        promised_bytes: ``total_size`` of the index where that is a plain positive number.
        declared: ``total_parameters`` of the index, a claim.
        index_bytes: Size of the index file.
    """

    folder: Path
    names: tuple[str, ...]
    index: str | None = None
    weight_map: Mapping[str, str] = field(default_factory=dict)
    promised_bytes: int = 0
    declared: int | None = None
    index_bytes: int = 0


class _Index(msgspec.Struct):
    weight_map: dict[str, str]
    metadata: dict[str, Any] | None = None


_INDEX = msgspec.json.Decoder(_Index)


def read_index(path: Path, reading: Reading) -> ShardSet:
    """Read a ``*.index.json``.

    Raises:
        UserError: Too large, not JSON, no ``weight_map``, or a file name that leaves the folder.
    """
    data = read_small(path, MAX_INDEX_BYTES, reading)
    file = shown(path)
    check_json(data, file, limit_bytes=MAX_INDEX_BYTES, limit_count=MAX_INDEX_VALUES)
    try:
        index = _INDEX.decode(data)
    except RecursionError:
        raise refused("checkpoint.nested_too_deeply", file=file) from None
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError):
        raise refused("checkpoint.bad_index", file=file) from None
    names = tuple(sorted(set(index.weight_map.values())))
    for name in names:
        if not name or name in (".", "..") or "/" in name or "\\" in name or "\0" in name:
            raise refused("checkpoint.index_leaves_folder", file=file, name=name)
    metadata = index.metadata or {}
    return ShardSet(
        path.parent,
        names,
        path.name,
        _plain_names(index.weight_map, path.name),
        _number(metadata.get("total_size")),
        _number(metadata.get("total_parameters")) or None,
        len(data),
    )


def _plain_names(weight_map: dict[str, str], file: str) -> dict[str, str]:
    """Names in dots; Flax and TensorFlow join them with slashes, and name the collection or output too."""
    if not file.endswith((".msgpack.index.json", ".h5.index.json")):
        return weight_map
    return {
        re.sub(r":\d+$", "", name).removeprefix("params/").replace("/", "."): shard
        for name, shard in weight_map.items()
    }


def numbered_sets(folder: Path, names: Iterable[str]) -> list[ShardSet]:
    """Groups of files called ``model-00001-of-00002.safetensors`` or ``model_00001-of-000163.bin``."""
    groups: dict[tuple[str, str, int], list[tuple[int, str]]] = {}
    for name in names:
        match = _NUMBERED.match(name)
        if match and 0 < int(match["total"]) <= 100_000 and int(match["number"]) <= int(match["total"]):
            key = (match["stem"], match["suffix"], int(match["total"]))
            groups.setdefault(key, []).append((int(match["number"]), name))
    return [ShardSet(folder, _complete(found, key[2])) for key, found in sorted(groups.items())]


def _complete(found: list[tuple[int, str]], total: int) -> tuple[str, ...]:
    """Names of all shards of a set, also of those that are not there."""
    there = dict(found)
    number, pattern = found[0]
    start = 0 if 0 in there else 1
    width = len(re.search(r"(\d+)-of-\d+", pattern)[1])  # type: ignore[index]  # numbered_sets matched it
    return tuple(
        there.get(index, pattern.replace(f"{number:0{width}d}-of-", f"{index:0{width}d}-of-"))
        for index in range(start, start + total)
    )


def set_of(path: Path, reading: Reading) -> ShardSet | None:
    """The set that a single shard belongs to; None for a file that is no shard."""
    match = _NUMBERED.match(path.name)
    if match is None:
        return None
    folder = path.parent
    for index in sorted(folder.glob("*.index.json")):
        shards = read_index(index, reading)
        if path.name in shards.names:
            return shards
    pattern = f"*-of-{match['total']}{match['suffix']}"
    for shards in numbered_sets(folder, (item.name for item in folder.glob(pattern))):
        if path.name in shards.names:
            return shards
    return None


_ABSENT = ("checkpoint.not_found", "checkpoint.dangling_link", "checkpoint.lfs_pointer")


def read_shards(shards: ShardSet, reading: Reading) -> tuple[Reader, Contents]:
    """Read every shard that is there and hold the result against the index.

    Raises:
        UserError: No shard is there, a shard is damaged, or two hold a tensor of the same name.
    """
    parts: list[tuple[str, Contents]] = []
    readers: list[Reader] = []
    absent: dict[str, Reason] = {}
    for path in reading.files(shards.folder / name for name in shards.names):
        try:
            reader, contents = read_file(path, reading)
        except UserError as error:
            if error.code not in _ABSENT:
                raise
            absent[path.name] = error.reason
            continue
        readers.append(reader)
        parts.append((path.name, contents))
    if not parts:
        raise none_there(shards, absent)
    contents = combine(parts)
    remarks = _about_absent(shards, absent) + _against_index(shards, parts, contents, bool(absent))
    whole = not absent and all(reason.key != "checkpoint.index_lacking" for reason in remarks)
    return readers[0], replace(
        contents,
        warnings=(*contents.warnings, *remarks),
        complete=contents.complete and whole,
        file_bytes=contents.file_bytes + shards.index_bytes,
        declared=contents.declared if shards.declared is None else shards.declared,
    )


def none_there(shards: ShardSet, absent: Mapping[str, Reason] | None = None) -> UserError:
    """The error when not one file of a set is there, with what the index promises as an estimate."""
    file = shards.index or shards.names[0]
    pointers = [reason for reason in (absent or {}).values() if reason.key == "checkpoint.lfs_pointer"]
    if pointers:
        size = sum(int(reason.values["size_bytes"]) for reason in pointers)
        return refused("checkpoint.lfs_pointers", file=file, count=len(pointers), size_bytes=size)
    if not shards.promised_bytes:
        return refused("checkpoint.no_shard_there", file=file, count=len(shards.names))
    return refused(
        "checkpoint.no_shard_promised", file=file, count=len(shards.names), **_promise(shards.promised_bytes)
    )


def _promise(promised_bytes: int) -> dict[str, int]:
    """What an index promises, and the parameters that would be if each took 2 bytes."""
    return {"promised_bytes": promised_bytes, "estimate_count": promised_bytes // 2}


def _about_absent(shards: ShardSet, absent: Mapping[str, Reason]) -> list[Reason]:
    if not absent:
        return []
    names = list(absent)
    reasons = [
        remark(
            "checkpoint.shards_missing",
            missing_count=len(absent),
            total_count=len(shards.names),
            names=", ".join(names[:3]) + (" ..." if len(names) > 3 else ""),
        )
    ]
    if shards.promised_bytes:
        reasons.append(remark("checkpoint.index_promise", **_promise(shards.promised_bytes)))
    return reasons + [reason for reason in absent.values() if reason.key != "checkpoint.not_found"]


def combine(parts: list[tuple[str, Contents]]) -> Contents:
    """The tensors of several files as those of one checkpoint.

    Raises:
        UserError: Two files hold a tensor of the same name.
    """
    if len(parts) == 1:
        return parts[0][1]
    rows: list[Row] = []
    for _, part in parts:
        rows += part.rows
    if len({row[0] for row in rows}) != len(rows):
        _refuse_twice(parts)
    return Contents(
        rows,
        tuple(pair for _, part in parts for pair in part.tied),
        {name: known for _, part in parts for name, known in part.known.items()},
        next((part.optimizer for _, part in parts if part.optimizer is not None), None),
        tuple(reason for _, part in parts for reason in part.warnings),
        all(part.complete for _, part in parts),
        sum(part.file_bytes for _, part in parts),
        sum(part.tensor_bytes for _, part in parts),
        len(parts),
        next((part.declared for _, part in parts if part.declared is not None), None),
        _packing([part.packing for _, part in parts]),
        next((part.describe for _, part in parts if part.describe is not None), None),
        next((part.title for _, part in parts if part.title), ""),
    )


def _packing(parts: list[Packing]) -> Packing:
    """What the files themselves say is packed; nothing where none of them says so."""
    if all(part is NOTHING_PACKED for part in parts):
        return NOTHING_PACKED
    return Packing(
        {name: weight for part in parts for name, weight in part.weights.items()},
        frozenset().union(*(part.companions for part in parts)),
        any(part.assumed_bits for part in parts),
    )


def _refuse_twice(parts: list[tuple[str, Contents]]) -> None:
    first: dict[str, str] = {}
    for file, part in parts:
        for name, _, _ in part.rows:
            if name in first:
                raise refused("checkpoint.tensor_in_two_files", name=name, file=first[name], other=file)
            first[name] = file


def _against_index(
    shards: ShardSet, parts: list[tuple[str, Contents]], contents: Contents, partial: bool
) -> list[Reason]:
    """Where index and headers disagree; the headers are believed."""
    if shards.index is None:
        return []
    place = shards.weight_map.get
    stray: list[str] = []
    for file, part in parts:
        if not dict.fromkeys((row[0] for row in part.rows), file).items() <= shards.weight_map.items():
            stray += [row[0] for row in part.rows if place(row[0]) != file]
        stray += [other for other, _ in part.tied if place(other) not in (file, None)]
    promised = Counter(shards.weight_map.values())
    found = sum(len(part.rows) for _, part in parts) - len(stray)
    tied = sum(1 for _, part in parts for other, _ in part.tied if other in shards.weight_map)
    lacking = sum(promised[file] for file, _ in parts) - found - tied
    reasons = []
    if stray:
        reasons.append(remark("checkpoint.index_stray", file=shards.index, count=len(stray), name=stray[0]))
    if lacking > 0:
        reasons.append(remark("checkpoint.index_lacking", file=shards.index, count=lacking))
    size, held = shards.promised_bytes, contents.tensor_bytes
    if not partial and not size:
        reasons.append(remark("checkpoint.index_no_total", file=shards.index, held_bytes=held))
    elif not partial and size != held:
        reasons.append(
            remark("checkpoint.index_total_size", file=shards.index, promised_bytes=size, held_bytes=held)
        )
    return reasons


def _number(value: object) -> int:
    """A plain number, also written as text or with a decimal point; 0 for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 18:
        return int(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 10**18:
        return int(value)
    return 0
