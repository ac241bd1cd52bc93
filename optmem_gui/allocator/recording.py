"""A recorded memory snapshot: what PyTorch's allocator did on one device, and how it stood at the end.

Source of the format: ``torch.cuda.memory._dump_snapshot``; torch/csrc/cuda/Module.cpp and
c10/core/CachingDeviceAllocator.h (``TraceEntry``, ``SegmentInfo``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from optmem_gui.allocator.config import AllocatorConfig
from optmem_gui.core.blocks import DEFAULT_POOL, PoolId

ACTIONS = frozenset(
    {
        "alloc",
        "free_requested",
        "free_completed",
        "segment_alloc",
        "segment_free",
        "segment_map",
        "segment_unmap",
        "snapshot",
        "oom",
        "user_defined",
    }
)
"""What an event can be."""


class Event(NamedTuple):
    """One thing that the allocator did.

    Attributes:
        action: One of :data:`ACTIONS`.
        address: Where; for ``oom`` what the device had free.
        size: Bytes: requested ones for blocks, all of them for segments.
        stream: The stream.
        pool_id: The private pool.
    """

    action: str
    address: int
    size: int
    stream: int
    pool_id: PoolId = DEFAULT_POOL


class RecordedBlock(NamedTuple):
    """A block as it stood at the end.

    Attributes:
        address: Where it begins.
        size: Its bytes, rounded.
        requested: Bytes that were asked for.
        allocated: Whether the program used it.
        awaiting: Whether it was freed but waited for another stream.
    """

    address: int
    size: int
    requested: int
    allocated: bool
    awaiting: bool


@dataclass(frozen=True, slots=True)
class RecordedSegment:
    """A segment, or a range of mapped pages of an expandable one, as it stood at the end.

    Attributes:
        address: Where it begins.
        size: Its bytes.
        stream: Its stream.
        small: Whether it serves requests up to 1 MiB.
        expandable: Whether it can grow.
        pool_id: The private pool it belongs to.
        blocks: Its blocks; they fill it without gaps.
    """

    address: int
    size: int
    stream: int
    small: bool
    expandable: bool
    blocks: tuple[RecordedBlock, ...]
    pool_id: PoolId = DEFAULT_POOL


@dataclass(frozen=True, slots=True)
class Recording:
    """What was recorded of one device.

    Attributes:
        device: Its index.
        events: What the allocator did, oldest first; earlier events may have been dropped.
        segments: What was held at the end, by address.
        config: The settings it was recorded with; None where the file does not say.
        places: Where in the program each event came from (``file:line function``), one an event; empty where
            the file does not say.
        stacks: All frames of each event, the innermost first; empty where the file does not say. Events from
            the same place share one.
    """

    device: int
    events: tuple[Event, ...]
    segments: tuple[RecordedSegment, ...]
    config: AllocatorConfig | None = None
    places: tuple[str, ...] = ()
    stacks: tuple[tuple[str, ...], ...] = ()
