"""GGUF: a header that describes everything, then the data. All three versions, both byte orders.

The dimensions in the header are elements, so the count of parameters never depends on the block types;
those only decide how many bytes a tensor takes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from math import prod
from pathlib import Path

from optmem_gui.checkpoints.contents import Contents, Reading, Row, refused, remark, shown
from optmem_gui.checkpoints.dtypes import GGML
from optmem_gui.checkpoints.files import HeaderFile
from optmem_gui.checkpoints.gguf_config import config_of, title_of
from optmem_gui.checkpoints.gguf_header import MAGIC, Array, Header, Stored, read_header
from optmem_gui.core.dtypes import DTYPES
from optmem_gui.core.reasons import Reason

SUFFIXES = (".gguf",)
_MAX_ELEMENTS = 10**18
_SPLIT = "split.count"


def sniff(head: bytes, path: Path) -> bool:
    """Whether a file's first bytes, or else its name, say GGUF."""
    return head.startswith(MAGIC) or (path.suffix.lower() in SUFFIXES and not head.startswith(b"tjgg"))


def read(file: HeaderFile, reading: Reading) -> Contents:
    """Everything in one file: the header is read, nothing else.

    Raises:
        UserError: The header is cut, makes no sense, or promises data that the file cannot hold.
    """
    header = read_header(file, reading)
    name, held = shown(file.path), max(0, file.size - header.data_start)
    rows, sizes = _rows(header, held, name)
    end = _lay_out(header.tensors, sizes, name)
    if end > 100 * held:
        raise refused("checkpoint.data_absent", file=name, data_bytes=end, held_bytes=held)
    missing = max(0, end - held)
    warnings = list(_warnings(header, rows, file.path))
    if missing:
        warnings.append(
            remark("checkpoint.truncated", file=name, missing_bytes=missing, missing_count=missing)
        )
    return Contents(
        rows,
        warnings=tuple(warnings),
        complete=not missing and not _is_lone_part(header, file.path),
        file_bytes=file.size,
        tensor_bytes=sum(sizes),
        describe=partial(config_of, header.fields) if _is_model(header) else None,
        title=title_of(header.fields),
    )


def _rows(header: Header, held: int, file: str) -> tuple[list[Row], list[int]]:
    """The tensors, and the bytes each takes; an unknown type takes what lies before the next tensor."""
    rows: list[Row] = []
    sizes: list[int] = []
    names: set[str] = set()
    starts = sorted({stored.offset for stored in header.tensors} | {held})
    following = dict(pairwise(starts))
    for stored in header.tensors:
        if stored.name in names:
            raise refused("checkpoint.duplicate_name", file=file, name=stored.name)
        names.add(stored.name)
        if stored.numel > _MAX_ELEMENTS:
            raise refused("checkpoint.tensor_too_large", file=file, name=stored.name)
        dtype = GGML.get(stored.type_number)
        if dtype is None:
            sizes.append(following.get(stored.offset, stored.offset) - stored.offset)
            if stored.numel > 8 * sizes[-1]:  # less than a bit an element
                raise refused(
                    "checkpoint.unknown_type_size", file=file, name=stored.name, number=stored.type_number
                )
            rows.append((stored.name, stored.shape, DTYPES["unknown"]))
            continue
        if stored.shape and stored.shape[-1] % dtype.block:
            raise refused("checkpoint.partial_block", file=file, name=stored.name, dtype=dtype.id)
        sizes.append(dtype.bytes_for(stored.numel))
        rows.append((stored.name, stored.shape, dtype))
    return rows, sizes


def _lay_out(tensors: list[Stored], sizes: list[int], file: str) -> int:
    """Check that no two tensors share a byte.

    Returns:
        Bytes of data up to the end of the last one.
    """
    end, owner = 0, ""
    for stored, size in sorted(zip(tensors, sizes, strict=True), key=lambda pair: (pair[0].offset, pair[1])):
        if size and stored.offset < end:
            raise refused("checkpoint.overlap", file=file, first=owner, second=stored.name)
        if size:
            end, owner = stored.offset + size, stored.name
    return end


def _warnings(header: Header, rows: list[Row], path: Path) -> Iterator[Reason]:
    if not rows and isinstance(header.fields.get("tokenizer.ggml.tokens"), Array):
        yield remark("checkpoint.vocabulary_only")
    blocks = [
        (dtype.id, prod(shape), dtype.bytes_for(prod(shape))) for _, shape, dtype in rows if dtype.block > 1
    ]
    if blocks:
        yield remark(
            "checkpoint.gguf_blocks",
            names=", ".join(sorted({name for name, _, _ in blocks})),
            count=sum(numel for _, numel, _ in blocks),
            packed_bytes=sum(size for _, _, size in blocks),
        )
    unknown = sorted({stored.type_number for stored in header.tensors} - GGML.keys())
    if unknown:
        yield remark("checkpoint.gguf_unknown_type", numbers=", ".join(map(str, unknown[:8])))
    if _is_lone_part(header, path):
        yield remark("checkpoint.gguf_part", file=shown(path), total_count=_parts(header))


def _is_model(header: Header) -> bool:
    """A whole language model or a part of one; no adapter, no image tower of one, no vocabulary."""
    named, kind = (header.fields.get(f"general.{key}") for key in ("architecture", "type"))
    has_tensors = bool(header.tensors) or _parts(header) > 1
    return isinstance(named, str) and named != "clip" and kind in (None, "model") and has_tensors


def _parts(header: Header) -> int:
    count = header.fields.get(_SPLIT, 1)
    return count if isinstance(count, int) else 1


def _is_lone_part(header: Header, path: Path) -> bool:
    """One part of a set whose name does not say so any more, so that the others cannot be found."""
    return _parts(header) > 1 and f"-of-{_parts(header):05d}" not in path.name
