"""Opening a recorded memory snapshot: PyTorch's pickle, read without executing it, or a JSON trace."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from optmem_gui.allocator.recording import Recording
from optmem_gui.allocator.snapshot import SnapshotReader
from optmem_gui.checkpoints.pickle_machine import CHECK_EVERY
from optmem_gui.checkpoints.pickles import walk_pickle
from optmem_gui.core.errors import UserError

MAX_FILE_BYTES = 1 << 30
"""Largest content of a snapshot, unpacked."""
MAX_TEXT_BYTES = 1 << 28
"""Largest JSON trace, unpacked."""
MAX_INSTRUCTIONS = 60_000_000
"""Longest pickle; a snapshot of a million events with their stacks has fewer."""

_GZIP, _PICKLE = b"\x1f\x8b", b"\x80"


_HEAD_BYTES = 1 << 16
_KEYS = (b"device_traces", b"segments", b"allocator_settings", b"external_annotations")
"""One of the keys of the outermost object stands at the beginning of a pickle ..."""
_TRACE_KEYS = (b'"segments_at_end"', b'"events"')
"""... and somewhere in the first part of a JSON trace."""


def is_snapshot(path: Path) -> bool:
    """Whether a file looks like a memory snapshot, by its first bytes; a name says too little.

    A file that cannot be read looks like none: whoever opens it says why.
    """
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == _GZIP
            raw.seek(0)
            begin = gzip.GzipFile(fileobj=raw).read(_HEAD_BYTES) if packed else raw.read(_HEAD_BYTES)
    except (OSError, EOFError, zlib.error):
        return False
    if begin[:1] == _PICKLE:
        # a checkpoint may have such a key deep inside; here it is the first of the object
        return any(key in begin[:64] for key in _KEYS)
    return begin.lstrip()[:1] == b"{" and any(key in begin for key in _TRACE_KEYS)


class _Bounded(io.RawIOBase):
    """A stream that refuses to give more than a number of bytes: a small file may unpack to a huge one."""

    def __init__(self, stream: BinaryIO, file: str) -> None:
        self._stream = stream
        self._file = file
        self._left = MAX_FILE_BYTES

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # only a buffer of bytes comes in
        """Fill a buffer as far as there is something.

        Raises:
            UserError: The limit is passed.
        """
        data = self._stream.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise UserError("snapshot.too_large", file=self._file, limit_bytes=MAX_FILE_BYTES)
        buffer[: len(data)] = data
        return len(data)


def open_snapshot(path: Path, check: Callable[[], None] = lambda: None) -> tuple[Recording, ...]:
    """Read a snapshot; one recording a device that holds anything.

    Args:
        path: A pickle of ``torch.cuda.memory._dump_snapshot`` or a ``.json.gz`` trace, packed or not.
        check: Called now and then; may raise to stop.

    Raises:
        UserError: It cannot be read, is none, is damaged, or contains code references; nothing in it runs.
    """
    file = path.name
    try:
        with path.open("rb") as raw:
            recordings = _read(raw, file, check)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise UserError("snapshot.truncated", file=file) from None
    except OSError as error:
        raise UserError("snapshot.unreadable", file=file, cause=error.strerror or str(error)) from error
    if not recordings:
        raise UserError("snapshot.nothing_recorded", file=file)
    return recordings


def _read(raw: BinaryIO, file: str, check: Callable[[], None]) -> tuple[Recording, ...]:
    head = raw.read(2)
    raw.seek(0)
    if not head:
        raise UserError("snapshot.empty_file", file=file)
    unpacked = gzip.GzipFile(fileobj=raw) if head == _GZIP else raw
    stream = io.BufferedReader(_Bounded(unpacked, file), 1 << 16)  # type: ignore[arg-type]  # as much of it as is used
    first = stream.peek(1)[:1]
    reader = SnapshotReader(file, check)
    if first == _PICKLE:
        return reader.snapshot(_unpickled(stream, file, check))
    if first in (b"{", b"[", b" ", b"\n"):
        return reader.trace(_parsed(stream, file))
    raise UserError("snapshot.unknown_format", file=file)


def _unpickled(stream: BinaryIO, file: str, check: Callable[[], None]) -> object:
    steps = 0

    def guard() -> None:
        nonlocal steps
        steps += CHECK_EVERY
        if steps > MAX_INSTRUCTIONS:
            raise UserError("snapshot.too_many_instructions", file=file, limit_count=MAX_INSTRUCTIONS)
        check()

    try:
        walked = walk_pickle(stream, {}, file, guard)
    except UserError as error:
        if error.code == "checkpoint.pickle_damaged":
            raise UserError("snapshot.truncated", file=file) from None
        raise
    if walked.named:
        names = ", ".join(sorted(walked.named)[:3])[:160]
        raise UserError("snapshot.code", file=file, names=names)
    return walked.value


def _parsed(stream: BinaryIO, file: str) -> object:
    text = stream.read(MAX_TEXT_BYTES + 1)
    if len(text) > MAX_TEXT_BYTES:
        raise UserError("snapshot.too_large", file=file, limit_bytes=MAX_TEXT_BYTES)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # also text that is no UTF-8
        raise UserError("snapshot.truncated", file=file) from None
