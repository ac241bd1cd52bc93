"""From stored tensors to a model: parameters, buffers, bookkeeping, ties, and what to warn about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

from optmem_gui.checkpoints.contents import Checkpoint, Contents, Known, Reading, Row
from optmem_gui.checkpoints.names import Meaning, Part, meaning_of, role_of
from optmem_gui.checkpoints.packed import NOTHING_PACKED, QUANTISED_TYPES, Packing, Unpacked, find_packing
from optmem_gui.checkpoints.remarks import model_warnings, packing_warnings
from optmem_gui.core.model import BufferTensor, ModelSpec, ParameterTensor, Role, Source
from optmem_gui.core.transformer import TransformerShape

_DIGITS = b"0123456789"


class _Kind:
    """Tensors that no rule tells apart: one meaning, one shape, one type."""

    __slots__ = ("count", "dtype", "meaning", "numel", "packed")

    def __init__(self, meaning: Meaning, row: Row) -> None:
        self.meaning = meaning
        self.numel = prod(row[1])
        self.dtype = row[2]
        self.count = 0
        self.packed = False


def assemble(
    contents: Contents,
    *,
    title: str,
    path: Path,
    format_id: str,
    reading: Reading,
    config: Mapping[str, Any] | None = None,
    architecture: TransformerShape | None = None,
) -> Checkpoint:
    """Tell parameters, buffers and bookkeeping apart and describe the whole.

    Args:
        contents: What a reader found.
        title: What to call the model.
        path: File or folder that was opened.
        format_id: Id of the format.
        reading: The opening under way, for its count of bytes.
        config: The folder's ``config.json``, if any: it says how weights are packed.
        architecture: Transformer dimensions from that config.
    """
    contents = _plain_names(contents)
    rows = contents.rows
    packing = NOTHING_PACKED
    parameters, buffers, kinds = _sort(rows, contents.known, packing)
    if any(kind.dtype.id in QUANTISED_TYPES for kind in kinds):
        packing = find_packing(rows, config or {})
        if packing.weights or packing.companions:
            parameters, buffers, kinds = _sort(rows, contents.known, packing)
    spec = ModelSpec(
        title,
        Source.FILE,
        tuple(parameters),
        tuple(buffers),
        contents.tied,
        architecture,
        str(path),
    )
    dtypes: dict[str, int] = {}
    auxiliary_count = auxiliary_bytes = 0
    for kind in kinds:
        elements = kind.numel * kind.count
        dtypes[kind.dtype.id] = dtypes.get(kind.dtype.id, 0) + elements
        if kind.meaning.part is Part.AUXILIARY:
            auxiliary_count += elements
            auxiliary_bytes += kind.count * kind.dtype.bytes_for(kind.numel)
    packed_count = sum(kind.numel * kind.count for kind in kinds if kind.packed)
    warnings = [
        *contents.warnings,
        *packing_warnings(packing, packed_count, auxiliary_count, buffers),
        *model_warnings(spec, contents),
    ]
    return Checkpoint(
        spec,
        format_id,
        path,
        tensor_count=len(rows),
        file_bytes=contents.file_bytes,
        tensor_bytes=contents.tensor_bytes,
        dtypes=dtypes,
        auxiliary_count=auxiliary_count,
        auxiliary_bytes=auxiliary_bytes,
        optimizer=contents.optimizer,
        complete=contents.complete,
        warnings=tuple(warnings),
        bytes_read=reading.read_bytes,
        file_count=contents.file_count,
    )


def _sort(
    rows: list[Row], known: Mapping[str, Known], packing: Packing
) -> tuple[list[ParameterTensor], list[BufferTensor], list[_Kind]]:
    """Sort all rows; equal kinds are judged once, so the cost a row is one look-up."""
    seen: dict[tuple[bytes, tuple[int, ...], str], _Kind] = {}
    parameters: list[ParameterTensor] = []
    buffers: list[BufferTensor] = []
    special = bool(known or packing.weights or packing.companions)
    parameter, buffer = Part.PARAMETER, Part.BUFFER
    for row in rows:
        name, shape, dtype = row
        key = (name.encode("utf-8", "surrogatepass").translate(None, _DIGITS), shape, dtype.id)
        kind = seen.get(key)
        if kind is None:
            kind = seen[key] = _Kind(meaning_of(name, len(shape), dtype), row)
        kind.count += 1
        part, role = kind.meaning
        trainable = True
        if special:
            if name in packing.weights:
                parameters.append(_unpacked(packing.weights[name]))
                kind.packed = True
                continue
            if name in packing.companions:
                kind.meaning = Meaning(Part.AUXILIARY, Role.OTHER)
                continue
            if name in known:
                part = parameter if known[name].parameter else buffer
                trainable = known[name].trainable and dtype.is_floating
        if part is parameter:
            parameters.append(ParameterTensor(name, shape, dtype, role, trainable))
        elif part is buffer:
            buffers.append(BufferTensor(name, shape, dtype))
    return parameters, buffers, list(seen.values())


def _unpacked(weight: Unpacked) -> ParameterTensor:
    """A packed weight as the matrix it stands for; trained from its unpacked value."""
    role = role_of(weight.name, weight.shape if len(weight.shape) > 1 else (1, 1))
    return ParameterTensor(weight.name, weight.shape, weight.dtype, role)


def _plain_names(contents: Contents) -> Contents:
    """Undo what wrappers put into names: ``module.`` of DDP, ``_orig_mod.`` of ``torch.compile``."""
    names = [name for name, _, _ in contents.rows]
    wrapped = bool(names) and all(name.startswith("module.") for name in names)
    if not wrapped and not any("_orig_mod." in name for name in names):
        return contents

    def plain(name: str) -> str:
        return (name.removeprefix("module.") if wrapped else name).replace("_orig_mod.", "")

    return replace(
        contents,
        rows=[(plain(name), shape, dtype) for name, shape, dtype in contents.rows],
        tied=tuple((plain(other), plain(name)) for other, name in contents.tied),
        known={plain(name): known for name, known in contents.known.items()},
    )
