"""NumPy's arrays: one in a ``.npy``, many in the zip that is a ``.npz``. Headers only, nothing unpickled."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from optmem_gui.checkpoints.contents import Contents, Reading, Row, refused, remark, shown
from optmem_gui.checkpoints.files import ZIP_DAMAGE, HeaderFile, open_zip
from optmem_gui.checkpoints.numpy_header import MAGIC, ArrayHeader, BadHeaderError, read_start
from optmem_gui.core.reasons import Reason

ARRAY_SUFFIXES, ARCHIVE_SUFFIXES = (".npy",), (".npz",)
_PACKED_RATIO = 1040
"""Deflate cannot make more than 1032 bytes of one; a record that claims more lies."""

_ENCRYPTED = 0x1
_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")


@dataclass(slots=True)
class _Found:
    """What the arrays of a file add up to."""

    rows: list[Row] = field(default_factory=list)
    data_bytes: int = 0
    objects: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    nameless_count: int = 0

    def add(self, name: str, header: ArrayHeader) -> None:
        """Count one array, by its fields where it has some."""
        if header.objects:
            self.objects.append(name)
            return
        self.data_bytes += header.data_bytes
        for column in header.columns:
            full = f"{name}.{column.name}" if column.name else name
            if column.dtype is None:
                self.others.append(full)
                continue
            self.nameless_count += column.code.startswith("V")
            self.rows.append((full, column.shape, column.dtype))

    def remarks(self) -> Iterator[Reason]:
        """What was left out, and what was taken for something."""
        if self.objects:
            yield remark("checkpoint.object_arrays", count=len(self.objects), name=self.objects[0])
        if self.others:
            yield remark("checkpoint.no_numbers", count=len(self.others), name=self.others[0])
        if self.nameless_count:
            yield remark("checkpoint.nameless_types", count=self.nameless_count)


def sniff_array(head: bytes, path: Path) -> bool:
    """Whether a file's first bytes, or else its name, say ``.npy``."""
    return head.startswith(MAGIC) or path.suffix.lower() in ARRAY_SUFFIXES


def sniff_archive(head: bytes, path: Path) -> bool:
    """Whether a file is a zip of arrays, by its name or by its first record."""
    if path.suffix.lower() in ARCHIVE_SUFFIXES:
        return True
    size = int.from_bytes(head[26:28], "little")
    return head.startswith(_ZIP_MAGIC) and head[30 : 30 + size].endswith(b".npy")


def read_array(file: HeaderFile, reading: Reading) -> Contents:
    """The header of one array.

    Raises:
        UserError: No header of numpy's, pickled objects, or far less data than it promises.
    """
    name = shown(file.path)
    found = _Found()
    try:
        header, size = read_start(file.read)
    except BadHeaderError:
        raise refused("checkpoint.no_array", file=name, name=name) from None
    found.add(file.path.stem, header)
    if found.objects:
        raise refused("checkpoint.pickled_array", file=name, name=file.path.stem)
    held = max(0, file.size - size)
    if found.data_bytes > 100 * held:
        raise refused("checkpoint.data_absent", file=name, data_bytes=found.data_bytes, held_bytes=held)
    missing = max(0, found.data_bytes - held)
    warnings = list(found.remarks())
    if missing:
        warnings.append(
            remark("checkpoint.truncated", file=name, missing_bytes=missing, missing_count=missing)
        )
    elif held > found.data_bytes:
        warnings.append(remark("checkpoint.data_behind", count=held - found.data_bytes))
    return Contents(
        found.rows,
        warnings=tuple(warnings),
        complete=not missing,
        file_bytes=file.size,
        tensor_bytes=found.data_bytes,
    )


def read_archive(file: HeaderFile, reading: Reading) -> Contents:
    """The headers of all arrays in a zip: its directory, and the beginning of every record.

    Raises:
        UserError: No zip, encrypted, damaged, a name twice, or nothing but pickled objects.
    """
    name = shown(file.path)
    if not file.size:
        raise refused("checkpoint.empty_file", file=name)
    try:
        archive = open_zip(file)
    except ZIP_DAMAGE:
        raise refused("checkpoint.zip_no_directory", file=name) from None
    found, seen = _Found(), set[str]()
    with archive:
        records = [record for record in archive.infolist() if record.filename.endswith(".npy")]
        if not records:
            raise refused("checkpoint.zip_no_arrays", file=name)
        if sum(record.compress_size for record in records) > file.size:
            raise refused("checkpoint.zip_damaged", file=name, record=records[0].filename)
        for index, record in enumerate(records):
            if index % 100 == 0:
                reading.check()
            array = record.filename.removesuffix(".npy").replace("/", ".")
            if array in seen:
                raise refused("checkpoint.duplicate_name", file=name, name=array)
            seen.add(array)
            found.add(array, _record(archive, record, name))
    if found.objects and not found.rows:
        raise refused("checkpoint.pickled_array", file=name, name=found.objects[0])
    return Contents(
        found.rows,
        warnings=tuple(found.remarks()),
        complete=not found.objects,
        file_bytes=file.size,
        tensor_bytes=found.data_bytes,
    )


def _record(archive: zipfile.ZipFile, record: zipfile.ZipInfo, file: str) -> ArrayHeader:
    """The header of one record, held against the size that the directory gives."""
    if record.flag_bits & _ENCRYPTED:
        raise refused("checkpoint.zip_encrypted", file=file)
    damaged = refused("checkpoint.zip_damaged", file=file, record=record.filename)
    if record.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise damaged
    if record.file_size > _PACKED_RATIO * record.compress_size:
        raise damaged
    try:
        with archive.open(record) as stream:
            header, size = read_start(stream.read)
    except BadHeaderError:
        raise refused("checkpoint.no_array", file=file, name=record.filename) from None
    except ZIP_DAMAGE:
        raise damaged from None
    if not header.objects and size + header.data_bytes != record.file_size:
        raise refused(
            "checkpoint.array_size",
            file=file,
            name=record.filename,
            data_bytes=header.data_bytes,
            held_bytes=max(0, record.file_size - size),
        )
    return header
