"""Figures as the driver's structures hold them, and which of them make sense."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from optmem_gui.core.reasons import Reason

NOT_SUPPORTED = "nvml.not_supported"

_UNKNOWN_BYTES = (1 << 64) - 1
"""NVML_VALUE_NOT_AVAILABLE as an unsigned number: what Windows' driver model answers."""

_BEYOND_BYTES = 1 << 50
"""No GPU has so much: a size above is a value that means "not available", shifted or rounded."""


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """Memory of one GPU, bytes.

    Attributes:
        total: All of it, the driver's reserve included.
        used: Used by processes; with ``version`` 1 the driver's reserve is in it.
        free: What a new allocation can take.
        reserved: The driver's own; None where version 1 hides it in ``used``.
        version: Version of the query that answered.
    """

    total: int
    used: int
    free: int
    reserved: int | None
    version: int


@dataclass(frozen=True, slots=True)
class GpuProcess:
    """A process as the driver lists it.

    Attributes:
        pid: As the driver numbers it, in a container not as the container does.
        name: Its program; empty where the driver does not tell.
        used: Bytes of the GPU; None where the driver does not say.
    """

    pid: int
    name: str
    used: int | None


def second_version(info: Any) -> DeviceMemory | Reason:  # noqa: ANN401  # a structure of the binding
    """Total = used + free + reserved."""
    total, free, reserved = info.total, info.free, info.reserved  # each read goes through the binding
    used = total - free - reserved
    if not (is_size(total) and total and 0 <= used <= total):
        return Reason(NOT_SUPPORTED)
    return DeviceMemory(total, used, free, reserved, 2)


def first_version(info: Any) -> DeviceMemory | Reason:  # noqa: ANN401  # a structure of the binding
    """Total = used + free."""
    if not (is_size(info.total) and info.total and info.used <= info.total and info.free <= info.total):
        return Reason(NOT_SUPPORTED)
    return DeviceMemory(info.total, info.used, info.free, None, 1)


def is_size(value: int | None) -> bool:
    """Whether a number is a size of memory, and not a mark for "not available"."""
    return value is not None and 0 <= value < _BEYOND_BYTES


def is_sane(row: Any) -> bool:  # noqa: ANN401  # a structure of the binding
    """Whether a process record was read where it stands.

    Read with the wrong size, the next record's fields slide: the number of the process becomes 0 or the mark
    for "no slice", the size becomes a process number or the same mark.
    """
    used = row.usedGpuMemory
    return bool(
        0 < row.pid < 1 << 31 and (used in (None, 0, _UNKNOWN_BYTES) or 1 << 12 <= used < _BEYOND_BYTES)
    )
