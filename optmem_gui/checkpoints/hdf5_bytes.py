"""Bounded access to the bytes of an HDF5 file, and the numbers that stand in them.

Source: HDF5 File Format Specification, version 3.0 (The HDF Group). Nothing is read that lies outside the
file, and no more in all than a few times what any metadata in it could take.
"""

from __future__ import annotations

from collections.abc import Callable

from optmem_gui.checkpoints.contents import refused, shown
from optmem_gui.checkpoints.files import HeaderFile
from optmem_gui.core.errors import UserError

MAX_METADATA_BYTES = 1 << 28
"""Most that is read of one file: headers of about 400,000 data sets."""

MAX_BLOCK_BYTES = 1 << 24
"""Largest single block of metadata."""


class Bytes:
    """The part of a file that is an HDF5 file: all of it, or a record stored in a zip.

    Attributes:
        size: Length of that part in bytes.
        name: What to call the file in an error.
        offset_bytes: Size of an address, from the superblock.
        length_bytes: Size of a length, from the superblock.
        base: Where addresses count from, within the part.
    """

    def __init__(self, file: HeaderFile, start: int, size: int, check: Callable[[], None]) -> None:
        self.size = size
        self.name = shown(file.path)
        self.offset_bytes = self.length_bytes = 8
        self.base = 0
        self._file = file
        self._start = start
        self._check = check
        self._left = min(MAX_METADATA_BYTES, 4 * size + (1 << 16))
        self._reads = 0

    def at(self, address: int, count: int) -> bytes:
        """``count`` bytes at an address of the file.

        Raises:
            UserError: They lie outside the file, or too much was read already.
        """
        position = self.base + address
        if count < 0 or position + count > self.size or count > MAX_BLOCK_BYTES:
            raise self.damaged(position)
        self._left -= count
        if self._left < 0:
            raise refused("checkpoint.hdf5_too_large", file=self.name, limit_bytes=MAX_METADATA_BYTES)
        self._reads += 1
        if self._reads % 256 == 0:
            self._check()
        self._file.seek(self._start + position)
        return self._file.read(count)

    def defined(self, address: int) -> bool:
        """Whether an address is one: all bits set stand for none."""
        return address != (1 << 8 * self.offset_bytes) - 1

    def damaged(self, position: int) -> UserError:
        """The error for metadata that makes no sense."""
        return refused("checkpoint.hdf5_damaged", file=self.name, position_count=max(position, 0))

    def fields(self, data: bytes, where: int = 0) -> Fields:
        """A cursor over the numbers in a block."""
        return Fields(data, where, self)


class Fields:
    """Little-endian numbers one after the other.

    Attributes:
        data: The block.
        where: Position of the next field.
    """

    def __init__(self, data: bytes, where: int, source: Bytes) -> None:
        self.data = data
        self.where = where
        self._source = source

    def take(self, count: int) -> bytes:
        """The next bytes.

        Raises:
            UserError: The block ends before.
        """
        end = self.where + count
        if count < 0 or end > len(self.data):
            raise self._source.damaged(0)
        part = self.data[self.where : end]
        self.where = end
        return part

    def number(self, count: int) -> int:
        """An unsigned number of so many bytes."""
        return int.from_bytes(self.take(count), "little")

    def offset(self) -> int:
        """An address."""
        return self.number(self._source.offset_bytes)

    def length(self) -> int:
        """A length."""
        return self.number(self._source.length_bytes)

    def skip(self, count: int) -> None:
        """Pass over bytes."""
        self.take(count)

    def expect(self, signature: bytes) -> None:
        """Take a signature.

        Raises:
            UserError: Another one stands there.
        """
        if self.take(len(signature)) != signature:
            raise self._source.damaged(0)
