"""Opening files for their headers: unbuffered, so that the bytes that were read are known exactly."""

from __future__ import annotations

import io
import lzma
import re
import struct
import zipfile
import zlib
from pathlib import Path
from stat import S_ISREG
from types import TracebackType

from optmem_gui.checkpoints.contents import Reading, refused, shown
from optmem_gui.core.errors import UserError

SNIFF_BYTES = 64
"""How much of a file is looked at to tell its format; the name of a zip's first record is in it."""

MAX_READ_BYTES = 1 << 28
"""Most that a stream gives at once."""

MAX_DIRECTORY_BYTES = 24 << 20
"""Largest directory of a zip that is read: about 300,000 records as torch names them.

``zipfile`` keeps an object for each of them, of shorter names at most half a million: 200 MB.
"""

ZIP_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
    KeyError,
    IndexError,
)
"""What ``zipfile`` can raise for a damaged archive."""

_MAX_POINTER_BYTES = 1024

_LFS = re.compile(rb"version https://git-lfs\.github\.com/spec/v1\n(?:[^\n]*\n)*?size (\d{1,18})\s")


class HeaderFile:
    """A file open for reading its header.

    Attributes:
        path: Where it lies.
        size: Its length in bytes.

    Raises:
        UserError: It cannot be opened.
    """

    def __init__(self, path: Path, reading: Reading) -> None:
        self.path = path
        self._reading = reading
        try:
            if not S_ISREG(path.stat().st_mode):  # opening a pipe would wait for its other end
                raise refused("checkpoint.not_a_file", file=shown(path))
            self._raw = path.open("rb", buffering=0)
        except (OSError, ValueError) as error:
            raise unreadable(path, error) from None
        self.size = self._raw.seek(0, 2)
        self._raw.seek(0)
        self._ahead = b""

    def __enter__(self) -> HeaderFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._raw.close()

    def seek(self, offset: int) -> None:
        """Go to an absolute position."""
        self._ahead = b""
        self._raw.seek(offset)

    def peek(self, count: int) -> bytes:
        """The first bytes of the file, which the next read gives again without reading them twice."""
        self._ahead = self.read(count)
        return self._ahead

    def read(self, count: int) -> bytes:
        """The next ``count`` bytes, fewer only at the end of the file.

        Raises:
            UserError: The disk or the network behind it failed.
        """
        ahead, self._ahead = self._ahead[:count], self._ahead[count:]
        data, wanted = b"", count - len(ahead)
        try:
            while wanted > len(data) and (more := self._raw.read(wanted - len(data))):
                data = data + more if data else more
        except OSError as error:
            raise unreadable(self.path, error) from None
        self._reading.read_bytes += len(data)
        return ahead + data if ahead else data


class HeaderStream(io.RawIOBase):
    """A header file as the seekable stream that ``zipfile`` and the pickle walker want.

    Raises:
        UserError: One read asks for more than :attr:`limit_bytes`, which no directory or header takes.

    Attributes:
        limit_bytes: Most that one read gives.
    """

    def __init__(self, file: HeaderFile, limit_bytes: int = MAX_READ_BYTES) -> None:
        super().__init__()
        self.limit_bytes = limit_bytes
        self._file = file
        self._position = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a position counted from the start, from here, or from the end."""
        base = (0, self._position, self._file.size)[whence]
        if base + offset < 0:
            raise ValueError(offset)
        self._position = base + offset
        self._file.seek(self._position)
        return self._position

    def tell(self) -> int:
        """The position of the next read."""
        return self._position

    def read(self, size: int | None = -1, /) -> bytes:
        """The next ``size`` bytes, fewer only at the end; all that is left for -1."""
        wanted = self._file.size - self._position if size is None or size < 0 else size
        wanted = max(0, min(wanted, self._file.size - self._position))
        if wanted > self.limit_bytes:
            raise refused(
                "checkpoint.directory_too_large", file=shown(self._file.path), limit_bytes=self.limit_bytes
            )
        data = self._file.read(wanted)
        self._position += len(data)
        return data

    def readinto(self, buffer: object, /) -> int:
        """Fill a buffer; the number of bytes that there were."""
        view = memoryview(buffer)  # type: ignore[arg-type]  # any writable buffer, as RawIOBase promises
        data = self.read(len(view))
        view[: len(data)] = data
        return len(data)


def open_zip(file: HeaderFile) -> zipfile.ZipFile:
    """The archive in a file, its directory read.

    Raises:
        UserError: The directory is larger than any checkpoint's.
        zipfile.BadZipFile: No zip, or a damaged one; ``zipfile`` raises other errors for some damage too.
    """
    stream = HeaderStream(file, MAX_DIRECTORY_BYTES)
    archive = zipfile.ZipFile(stream)
    stream.limit_bytes = MAX_READ_BYTES
    return archive


def unreadable(path: Path, error: OSError | ValueError) -> UserError:
    """The error to raise when the system refused a path; a ValueError is a name that no file can have."""
    if isinstance(error, FileNotFoundError):
        if path.is_symlink():
            return refused("checkpoint.dangling_link", file=shown(path))
        return refused("checkpoint.not_found", file=shown(path))
    cause = error.strerror if isinstance(error, OSError) else str(error)
    return refused("checkpoint.unreadable", file=shown(path), cause=cause or type(error).__name__)


def read_small(path: Path, limit_bytes: int, reading: Reading) -> bytes:
    """A whole small file, such as ``config.json``.

    Raises:
        UserError: It is missing, unreadable or larger than the limit.
    """
    with HeaderFile(path, reading) as file:
        if file.size > limit_bytes:
            raise refused(
                "checkpoint.file_too_large", file=shown(path), size_bytes=file.size, limit_bytes=limit_bytes
            )
        return file.read(file.size)


def refuse_lfs_pointer(file: HeaderFile, head: bytes) -> None:
    """Refuse a Git LFS pointer, which is a short text in place of the file it stands for.

    Source: git-lfs ``docs/spec.md``, version 1.

    Raises:
        UserError: It is one; the message gives the size of the real file.
    """
    if not head.startswith(b"version ") or file.size > _MAX_POINTER_BYTES:
        return
    file.seek(0)
    match = _LFS.match(file.read(file.size))
    file.seek(0)
    if match:
        raise refused("checkpoint.lfs_pointer", file=shown(file.path), size_bytes=int(match[1]))
