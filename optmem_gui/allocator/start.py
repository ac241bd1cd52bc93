"""The state before a recording's first event: its events undone one by one, from the state at the end."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from optmem_gui.allocator.config import AllocatorConfig
from optmem_gui.allocator.recording import Event, Recording
from optmem_gui.allocator.sizes import SMALL_SEGMENT_BYTES, block_bytes, is_small
from optmem_gui.core.blocks import DEFAULT_POOL, PoolId
from optmem_gui.core.errors import UserError


class Kind(NamedTuple):
    """What blocks of a segment have in common.

    Attributes:
        stream: Their stream.
        small: Whether they are of the small pool.
        pool_id: Their private pool.
    """

    stream: int
    small: bool
    pool_id: PoolId = DEFAULT_POOL


@dataclass(slots=True)
class LiveBlock:
    """A block that was in use, or waited for another stream.

    Attributes:
        size: Its bytes; None where it was freed in the recording, which only says what was requested.
        requested: Bytes that were asked for.
        allocated: Whether the program used it.
    """

    size: int | None
    requested: int
    allocated: bool


@dataclass(slots=True)
class Before:
    """What was there before the first event.

    Attributes:
        live: Blocks in use by address.
        segments: Segments of fixed size by address: bytes and kind.
        pages: Mapped pages of expandable segments by address, :data:`PAGE_BYTES` each.
        lowest: Where the range of an expandable segment begins, by kind: the lowest page it ever had.
        contradictions: Events that cannot have led to the state at the end.
    """

    live: dict[int, LiveBlock] = field(default_factory=dict)
    segments: dict[int, tuple[int, Kind]] = field(default_factory=dict)
    pages: dict[int, Kind] = field(default_factory=dict)
    lowest: dict[Kind, int] = field(default_factory=dict)
    contradictions: int = 0


CHECK_EVERY = 1 << 14
"""Events between two looks at whether somebody wants the work to stop."""

PAGE_BYTES = SMALL_SEGMENT_BYTES
"""Pages of both pools are whole multiples of it."""


def never() -> None:
    """Nobody wants the work to stop."""


def undo(recording: Recording, check: Callable[[], None] = never) -> Before:
    """Undo every event, the last one first.

    Args:
        recording: The recording.
        check: Called now and then; may raise to stop.

    Raises:
        UserError: Two segments would have lain over each other, which no allocator's recording shows.
    """
    before = _at_end(recording)
    unmapped = _kinds_of_unmapped(recording)
    for index in range(len(recording.events) - 1, -1, -1):
        if index % CHECK_EVERY == 0:
            check()
        _undo(recording.events[index], before, unmapped.get(index))
    _check_disjoint(recording, before)
    before.lowest = _lowest_pages(recording, before)
    return before


def _at_end(recording: Recording) -> Before:
    before = Before()
    for segment in recording.segments:
        kind = Kind(segment.stream, segment.small, segment.pool_id)
        if segment.expandable:
            before.pages.update(dict.fromkeys(_pages(segment.address, segment.size), kind))
        else:
            before.segments[segment.address] = (segment.size, kind)
        for block in segment.blocks:
            if block.allocated or block.awaiting:
                before.live[block.address] = LiveBlock(block.size, block.requested, block.allocated)
    return before


def _undo(event: Event, before: Before, unmapped: Kind | None) -> None:
    address = event.address
    if event.action == "alloc":
        if before.live.pop(address, None) is None:
            before.contradictions += 1
    elif event.action == "free_completed":
        if address in before.live:
            before.contradictions += 1
        before.live[address] = LiveBlock(None, event.size, allocated=False)
    elif event.action == "free_requested":
        block = before.live.get(address)
        if block is None or block.allocated:
            before.contradictions += 1
        else:
            block.allocated = True
    else:
        _undo_device_call(event, before, unmapped)


def _undo_device_call(event: Event, before: Before, unmapped: Kind | None) -> None:
    address, size = event.address, event.size
    if event.action == "segment_alloc":
        if before.segments.pop(address, None) is None:
            before.contradictions += 1
    elif event.action == "segment_free":
        before.segments[address] = (size, _kind(event))
    elif event.action == "segment_map":
        missing = [page for page in _pages(address, size) if before.pages.pop(page, None) is None]
        before.contradictions += bool(missing)
    elif unmapped is not None:
        before.pages.update(dict.fromkeys(_pages(address, size), unmapped))


def _kind(event: Event) -> Kind:
    """The kind of a new or returned segment: only the small pool takes 2 MiB at a time."""
    return Kind(event.stream, event.size == SMALL_SEGMENT_BYTES, event.pool_id)


def _pages(address: int, size: int) -> range:
    return range(address, address + size, PAGE_BYTES)


def _kinds_of_unmapped(recording: Recording) -> dict[int, Kind]:
    """Which kind the pages of every ``segment_unmap`` were of, by the index of the event.

    Pages that were mapped in the recording are of the kind they were mapped for, older ones of the kind of
    the blocks that were in them: up to 1 MiB those are of the small pool. Where there were none, whole pages
    of the large pool are taken to have been its own.
    """
    if not any(event.action == "segment_unmap" for event in recording.events):
        return {}
    config = AllocatorConfig() if recording.config is None else recording.config
    blocks = {
        event.address: is_small(event.size) for event in recording.events if event.action == "free_requested"
    }
    places = sorted(blocks)
    mapped: dict[int, Kind] = {}
    kinds: dict[int, Kind] = {}
    for index, event in enumerate(recording.events):
        if event.action == "segment_map":
            mapped.update(dict.fromkeys(_pages(event.address, event.size), _kind(event)))
        elif event.action == "segment_unmap":
            within = bisect_left(places, event.address)
            small = event.size % config.large_segment_bytes != 0
            if within < len(places) and places[within] < event.address + event.size:
                small = blocks[places[within]]
            kinds[index] = mapped.get(event.address, Kind(event.stream, small, event.pool_id))
            for page in _pages(event.address, event.size):
                mapped.pop(page, None)
    return kinds


def _lowest_pages(recording: Recording, before: Before) -> dict[Kind, int]:
    """Where the ranges that are there before the first event begin.

    A range is dropped once nothing of it is mapped; until then, what is mapped for its kind is part of it.
    """
    lowest: dict[Kind, int] = {}
    counts: Counter[Kind] = Counter(before.pages.values())
    for page, kind in before.pages.items():
        lowest[kind] = min(lowest.get(kind, page), page)
    kinds = dict(before.pages)
    for event in recording.events:
        if event.action == "segment_map":
            kind = _kind(event)
            if counts[kind] > 0:
                lowest[kind] = min(lowest[kind], event.address)
                counts[kind] += event.size // PAGE_BYTES
                kinds.update(dict.fromkeys(_pages(event.address, event.size), kind))
        elif event.action == "segment_unmap":
            for page in _pages(event.address, event.size):
                gone = kinds.pop(page, None)
                if gone is not None:
                    counts[gone] -= 1
    return lowest


class _Held:
    """Addresses that are held, as ranges that do not touch each other's inside."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []

    def add(self, start: int, end: int) -> bool:
        """Hold a range; whether none of it was held."""
        at = bisect_left(self.ends, start + 1)
        if at < len(self.starts) and self.starts[at] < end:
            return False
        self.starts.insert(at, start)
        self.ends.insert(at, end)
        return True

    def remove(self, start: int, end: int) -> None:
        """Let go of a range, as far as it is held."""
        first = bisect_left(self.ends, start + 1)
        beyond = bisect_left(self.starts, end)
        if first >= beyond:
            return
        left, right = self.starts[first], self.ends[beyond - 1]
        pieces = [
            piece for piece in ((left, min(start, right)), (max(end, left), right)) if piece[0] < piece[1]
        ]
        self.starts[first:beyond] = [piece[0] for piece in pieces]
        self.ends[first:beyond] = [piece[1] for piece in pieces]


def _check_disjoint(recording: Recording, before: Before) -> None:
    """Refuse segments that lie over each other at any time: blocks could not be told apart any more."""
    held = _Held()
    spans = [(address, address + size) for address, (size, _) in before.segments.items()]
    spans += [(page, page + PAGE_BYTES) for page in before.pages]
    for start, end in sorted(spans):
        if not held.add(start, end):
            raise UserError("snapshot.segments_contradict", index=0)
    for index, event in enumerate(recording.events):
        start, end = event.address, event.address + event.size
        if event.action in ("segment_alloc", "segment_map"):
            if not held.add(start, end):
                raise UserError("snapshot.segments_contradict", index=index)
        elif event.action in ("segment_free", "segment_unmap"):
            held.remove(start, end)


def live_size(block: LiveBlock, config: AllocatorConfig) -> int:
    """Bytes of a block without what it may hold beyond its rounded request."""
    return block_bytes(block.requested, config) if block.size is None else block.size
