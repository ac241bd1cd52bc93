"""The state before a recording's first event: its events undone one by one, from the state at the end."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from optmem_gui.allocator.blocks import DEFAULT_POOL, PoolId
from optmem_gui.allocator.config import AllocatorConfig
from optmem_gui.allocator.recording import Event, Recording
from optmem_gui.allocator.sizes import SMALL_SEGMENT_BYTES, block_bytes
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
        ranges: Ranges of addresses of expandable segments, by where they begin.
        contradictions: Events that cannot have led to the state at the end.
    """

    live: dict[int, LiveBlock] = field(default_factory=dict)
    segments: dict[int, tuple[int, Kind]] = field(default_factory=dict)
    pages: dict[int, Kind] = field(default_factory=dict)
    ranges: dict[int, Kind] = field(default_factory=dict)
    contradictions: int = 0


PAGE_BYTES = SMALL_SEGMENT_BYTES
"""Pages of both pools are whole multiples of it."""


def undo(recording: Recording) -> Before:
    """Undo every event, the last one first.

    Raises:
        UserError: Two segments would have lain over each other, which no allocator's recording shows.
    """
    before = _at_end(recording)
    kinds = _kinds_of_pages(recording)
    before.ranges = _ranges(kinds)
    for event in reversed(recording.events):
        _undo(event, before, kinds)
    _check_disjoint(recording, before, kinds)
    return before


def _check_disjoint(recording: Recording, before: Before, kinds: dict[int, Kind]) -> None:
    """Refuse segments of fixed size that overlap each other, or pages of expandable ones, at any time."""
    held = [(address, address + size) for address, (size, _) in sorted(before.segments.items())]
    for first, second in pairwise(held):
        if first[1] > second[0]:
            raise UserError("snapshot.segments_contradict", index=0)
    pages = sorted(kinds)
    for start, end in held:
        _check_no_page(pages, start, end, 0)
    for index, event in enumerate(recording.events):
        start, end = event.address, event.address + event.size
        at = bisect_left(held, (start, 0))
        if event.action == "segment_alloc":
            if (at < len(held) and held[at][0] < end) or (at and held[at - 1][1] > start):
                raise UserError("snapshot.segments_contradict", index=index)
            _check_no_page(pages, start, end, index)
            held.insert(at, (start, end))
        elif event.action == "segment_free" and held[at : at + 1] == [(start, end)]:
            del held[at]


def _check_no_page(pages: list[int], start: int, end: int, index: int) -> None:
    at = bisect_left(pages, start - PAGE_BYTES + 1)
    if at < len(pages) and pages[at] < end:
        raise UserError("snapshot.segments_contradict", index=index)


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


def _undo(event: Event, before: Before, kinds: dict[int, Kind]) -> None:
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
        _undo_device_call(event, before, kinds)


def _undo_device_call(event: Event, before: Before, kinds: dict[int, Kind]) -> None:
    address, size = event.address, event.size
    if event.action == "segment_alloc":
        if before.segments.pop(address, None) is None:
            before.contradictions += 1
    elif event.action == "segment_free":
        before.segments[address] = (size, Kind(event.stream, size == SMALL_SEGMENT_BYTES, event.pool_id))
    elif event.action == "segment_map":
        missing = [page for page in _pages(address, size) if before.pages.pop(page, None) is None]
        before.contradictions += bool(missing)
    elif event.action == "segment_unmap":
        before.pages.update({page: kinds[page] for page in _pages(address, size)})


def _pages(address: int, size: int) -> range:
    return range(address, address + size, PAGE_BYTES)


def _kinds_of_pages(recording: Recording) -> dict[int, Kind]:
    """Which pool every page belongs to that is mapped at the end, or was mapped or unmapped meanwhile.

    The small pool maps one page of 2 MiB at a time, the large one whole pages of 20 MiB: the size of a
    ``segment_map`` tells them apart. What was only ever unmapped belongs to its nearest neighbour.
    """
    kinds: dict[int, Kind] = {}
    for segment in recording.segments:
        if segment.expandable:
            kind = Kind(segment.stream, segment.small, segment.pool_id)
            kinds.update(dict.fromkeys(_pages(segment.address, segment.size), kind))
    for event in recording.events:
        if event.action == "segment_map":
            kind = Kind(event.stream, event.size == SMALL_SEGMENT_BYTES, event.pool_id)
            for page in _pages(event.address, event.size):
                kinds.setdefault(page, kind)
    known = sorted(kinds)
    for event in recording.events:
        if event.action == "segment_unmap":
            for page in _pages(event.address, event.size):
                if page not in kinds:
                    kinds[page] = _nearest(kinds, known, page, event.stream)
    return kinds


def _nearest(kinds: dict[int, Kind], known: list[int], page: int, stream: int) -> Kind:
    index = bisect_left(known, page)
    neighbours = known[max(index - 1, 0) : index + 1]
    same = [each for each in neighbours if kinds[each].stream == stream]
    if not same:
        return Kind(stream, small=False)
    return kinds[min(same, key=lambda each: abs(each - page))]


def _ranges(kinds: dict[int, Kind]) -> dict[int, Kind]:
    """Where the ranges of expandable segments begin: at the lowest page of each kind."""
    lowest: dict[Kind, int] = {}
    for page in sorted(kinds):
        lowest.setdefault(kinds[page], page)
    return {page: kind for kind, page in lowest.items()}


def live_size(block: LiveBlock, config: AllocatorConfig) -> int:
    """Bytes of a block without what it may hold beyond its rounded request."""
    return block_bytes(block.requested, config) if block.size is None else block.size
