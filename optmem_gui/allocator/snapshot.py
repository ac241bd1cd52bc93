"""From the objects that a snapshot file holds to recordings. The file is not trusted: every value is checked.

Two layouts are read: what ``torch.cuda.memory._dump_snapshot`` pickles (``segments``, ``device_traces``,
``allocator_settings``; torch/csrc/cuda/Module.cpp), and the compact trace of one device as JSON (``events``
as ``[action, address, size, stream]``, ``segments_at_end``, ``settings``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from optmem_gui.allocator.config import AllocatorConfig, recorded_config
from optmem_gui.allocator.recording import ACTIONS, Event, RecordedBlock, RecordedSegment, Recording
from optmem_gui.allocator.start import PAGE_BYTES
from optmem_gui.core.blocks import DEFAULT_POOL, PoolId
from optmem_gui.core.errors import UserError

MAX_EVENTS = 5_000_000
"""Events of all devices together; PyTorch keeps as many as ``max_entries`` asks for."""
MAX_BLOCKS = 5_000_000
MAX_DEVICES = 256
MAX_PAGES = 4_000_000
"""Pages of all expandable segments, counted at each mapping and unmapping: 8 TiB."""
MOST_FRAMES = 200
"""Frames of an event that are read."""
_MOST_STACKS = 100_000
_ADDRESSES = 1 << 57
"""Virtual addresses of x86-64 and Arm have at most 57 bits."""
_STREAMS = 1 << 64
_SIZES = 1 << 46
_STATES = {
    "active_allocated": (True, False),
    "active_awaiting_free": (False, True),
    "active_pending_free": (False, True),  # its name before torch 2.1
    "inactive": (False, False),
}


class SnapshotReader:
    """Reads the objects of one file."""

    def __init__(self, file: str, check: Callable[[], None] = lambda: None) -> None:
        """Begin.

        Args:
            file: What to call the file in a refusal.
            check: Called now and then; may raise to stop.
        """
        self.file = file
        self.check = check
        self.event_count = 0
        self.block_count = 0
        self.page_count = 0
        self._places: dict[int, str] = {}
        self._stacks: dict[tuple[int, ...], tuple[str, ...]] = {}
        self._unique: dict[tuple[str, ...], tuple[str, ...]] = {}

    def snapshot(self, tree: object) -> tuple[Recording, ...]:
        """What ``_dump_snapshot`` saved, one recording a device that has anything.

        Raises:
            UserError: It is no such snapshot, or holds values that none can have.
        """
        segments = self._list(self._get(tree, "segments"), "segments")
        traces = self._list(self._get(tree, "device_traces"), "device_traces")
        if len(traces) > MAX_DEVICES:
            raise UserError("snapshot.too_many_devices", file=self.file, limit_count=MAX_DEVICES)
        config = self._config(tree, "allocator_settings")
        held: dict[int, list[RecordedSegment]] = {}
        for segment in segments:
            device = self._int(segment, "device", "segment", MAX_DEVICES, default=0)
            held.setdefault(device, []).append(self._segment(segment))
        recordings: list[Recording] = []
        for device in range(max(len(traces), *held, 0) + 1 if held else len(traces)):
            trace = self._list(traces[device], "device_traces") if device < len(traces) else ()
            mine = self._ordered(held.get(device, []))
            if trace or mine:
                events = self._events(trace, self._traced)
                places = tuple(self._place(each) for each in trace)
                stacks = tuple(self._stack(each) for each in trace)
                recordings.append(
                    Recording(
                        device,
                        _with_pools(events, mine),
                        mine,
                        config,
                        places if any(places) else (),
                        stacks if any(stacks) else (),
                    )
                )
        return tuple(recordings)

    def trace(self, tree: object) -> tuple[Recording, ...]:
        """A compact trace: one device.

        Raises:
            UserError: It is no such trace, or holds values that none can have.
        """
        events = self._events(self._list(self._get(tree, "events"), "events"), self._compact)
        found = self._list(self._get(tree, "segments_at_end"), "segments_at_end")
        segments = self._ordered([self._segment(each) for each in found])
        device = self._int(tree, "device", "", MAX_DEVICES, default=0)
        return (Recording(device, _with_pools(events, segments), segments, self._config(tree, "settings")),)

    def _config(self, tree: object, name: str) -> AllocatorConfig | None:
        settings = tree.get(name) if isinstance(tree, Mapping) else None
        if settings is None:
            return None
        if not isinstance(settings, Mapping):
            raise self._bad(name)
        return recorded_config(settings)

    def _events(self, found: Sequence[Any], read: Callable[[object, int], Event]) -> tuple[Event, ...]:
        self.event_count += len(found)
        if self.event_count > MAX_EVENTS:
            raise UserError("snapshot.too_many_events", file=self.file, limit_count=MAX_EVENTS)
        events: list[Event] = []
        for index, each in enumerate(found):
            if index % 50_000 == 0:
                self.check()
            events.append(read(each, index))
        return tuple(events)

    def _traced(self, found: object, index: int) -> Event:
        """An event as PyTorch pickles it: a dict, without an address where the device refused."""
        where = f"events[{index}]"
        action = self._action(self._get(found, "action", where), index)
        key = "device_free" if action == "oom" else "addr"
        needs_address = action not in ("snapshot", "user_defined", "oom")
        address = self._int(found, key, where, _ADDRESSES, default=None if needs_address else 0)
        size = self._int(found, "size", where, _SIZES)
        stream = self._int(found, "stream", where, _STREAMS, default=0)
        event = Event(action, address, size, stream, self._pool_id(found, "pool_id", where))
        return self._checked(event, index)

    def _compact(self, found: object, index: int) -> Event:
        """An event of a compact trace: a list of four."""
        where = f"events[{index}]"
        if not isinstance(found, (list, tuple)) or len(found) != 4:
            raise self._bad(where)
        action = self._action(found[0], index)
        fields = dict(zip(("addr", "size", "stream"), found[1:], strict=True))
        address = self._int(fields, "addr", where, _ADDRESSES)
        size = self._int(fields, "size", where, _SIZES)
        return self._checked(
            Event(action, address, size, self._int(fields, "stream", where, _STREAMS)), index
        )

    def _checked(self, event: Event, index: int) -> Event:
        """Pages are mapped whole; without bounds a damaged file could ask for billions of them."""
        if event.action in ("segment_map", "segment_unmap"):
            if event.size % PAGE_BYTES or event.address % PAGE_BYTES:
                raise self._bad("size", f"events[{index}]")
            self._count_pages(event.size)
        return event

    def _count_pages(self, size: int) -> None:
        self.page_count += 1 + size // PAGE_BYTES
        if self.page_count > MAX_PAGES:
            raise UserError("snapshot.too_many_pages", file=self.file, limit_count=MAX_PAGES)

    def _action(self, found: object, index: int) -> str:
        if not isinstance(found, str) or found not in ACTIONS:
            shown = str(found)[:40] if isinstance(found, (str, int)) else type(found).__name__
            raise UserError("snapshot.unknown_action", file=self.file, index=index, action=shown)
        return found

    def _segment(self, found: object) -> RecordedSegment:
        where = "segment"
        address = self._int(found, "address", where, _ADDRESSES)
        size = self._int(found, "total_size", where, _SIZES)
        kind = self._get(found, "segment_type", where)
        expandable = found.get("is_expandable", False) if isinstance(found, Mapping) else False
        if kind not in ("small", "large") or not isinstance(expandable, bool):
            raise self._bad("segment_type", where)
        if expandable:
            if size % PAGE_BYTES or address % PAGE_BYTES:
                raise self._bad("total_size", where)
            self._count_pages(size)
        return RecordedSegment(
            address=address,
            size=size,
            stream=self._int(found, "stream", where, _STREAMS, default=0),
            small=kind == "small",
            expandable=expandable,
            blocks=self._blocks(self._list(self._get(found, "blocks", where), "blocks"), address, size),
            pool_id=self._pool_id(found, "segment_pool_id", where),
        )

    def _blocks(self, found: Sequence[Any], address: int, size: int) -> tuple[RecordedBlock, ...]:
        """Blocks in the order of their addresses, which must fill the segment."""
        self.block_count += len(found)
        if self.block_count > MAX_BLOCKS:
            raise UserError("snapshot.too_many_blocks", file=self.file, limit_count=MAX_BLOCKS)
        blocks: list[RecordedBlock] = []
        at = address
        for each in found:
            block = self._block(each, at)
            if block.address != at or block.size == 0:
                break
            blocks.append(block)
            at += block.size
        if at != address + size or len(blocks) != len(found):
            raise UserError(
                "snapshot.segment_not_tiled", file=self.file, address=hex(address), size_count=size
            )
        return tuple(blocks)

    def _block(self, found: object, at: int) -> RecordedBlock:
        """A block, as a dict or as ``[address, size, requested, state]``; older ones have no address."""
        where = f"blocks[{at:#x}]"
        if isinstance(found, (list, tuple)):
            if len(found) != 4:
                raise self._bad(where)
            found = dict(zip(("address", "size", "requested_size", "state"), found, strict=True))
        state = self._get(found, "state", where)
        if not isinstance(state, str) or state not in _STATES:
            raise self._bad("state", where)
        size = self._int(found, "size", where, _SIZES)
        address = self._int(found, "address", where, _ADDRESSES, default=at)
        requested = self._int(found, "requested_size", where, _SIZES, default=size)
        return RecordedBlock(address, size, requested, *_STATES[state])

    def _ordered(self, segments: list[RecordedSegment]) -> tuple[RecordedSegment, ...]:
        ordered = sorted(segments, key=lambda segment: segment.address)
        for first, second in pairwise(ordered):
            if first.address + first.size > second.address:
                raise UserError(
                    "snapshot.segments_overlap",
                    file=self.file,
                    first=hex(first.address),
                    second=hex(second.address),
                )
        return tuple(ordered)

    def _place(self, found: object) -> str:
        """The innermost frame outside PyTorch; frames are shared between events, so each is read once."""
        frames = found.get("frames") if isinstance(found, Mapping) else None
        if not isinstance(frames, (list, tuple)) or not frames:
            return ""
        place = self._places.get(id(frames))
        if place is None:
            place = next((text for frame in frames[:MOST_FRAMES] if (text := _frame(frame))), "")
            self._places[id(frames)] = place
        return place

    def _stack(self, found: object) -> tuple[str, ...]:
        """Every Python frame, PyTorch's own included, the innermost first.

        Events have lists of their own with the same frames in them, so equal stacks are made one.
        """
        frames = found.get("frames") if isinstance(found, Mapping) else None
        if not isinstance(frames, (list, tuple)) or not frames:
            return ()
        shown = frames[:MOST_FRAMES]
        key = tuple(map(id, shown))
        stack = self._stacks.get(key)
        if stack is None:
            texts = (_frame(frame, torch_too=True) for frame in shown)
            stack = tuple(text for text in texts if text)
            stack = self._unique.setdefault(stack, stack)
            if len(self._stacks) < _MOST_STACKS:
                self._stacks[key] = stack
        return stack

    def _pool_id(self, found: object, name: str, where: str) -> PoolId:
        value = found.get(name, DEFAULT_POOL) if isinstance(found, Mapping) else DEFAULT_POOL
        if isinstance(value, (list, tuple)) and len(value) == 2:
            first, second = value
            if type(first) is int and type(second) is int:
                return (first, second)
        raise self._bad(name, where)

    def _get(self, found: object, name: str, where: str = "") -> object:
        if not isinstance(found, Mapping):
            raise UserError("snapshot.not_a_snapshot", file=self.file, name=name)
        if name not in found:
            if not where:
                raise UserError("snapshot.not_a_snapshot", file=self.file, name=name)
            raise self._bad(name, where)
        return found[name]

    def _int(self, found: object, name: str, where: str, below: int, default: int | None = None) -> int:
        value = found.get(name, default) if isinstance(found, Mapping) else None
        if type(value) is not int or not 0 <= value < below:
            raise self._bad(name, where)
        return value

    def _list(self, value: object, name: str) -> Sequence[Any]:
        if not isinstance(value, (list, tuple)):
            raise self._bad(name)
        return value

    def _bad(self, name: str, where: str = "") -> UserError:
        """A refusal that names the field as code does, the same in every language."""
        field = f"{where}.{name}" if where else name
        return UserError("snapshot.bad_field", file=self.file, field=field)


def _frame(frame: object, *, torch_too: bool = False) -> str:
    """A frame as ``file:line name``; empty for one of C++, and of PyTorch unless those are wanted too."""
    if not isinstance(frame, Mapping):
        return ""
    filename, line, name = frame.get("filename"), frame.get("line"), frame.get("name")
    if not isinstance(filename, str) or not filename.endswith(".py"):
        return ""
    if "/torch/" in filename and not torch_too:
        return ""
    number = line if type(line) is int else 0
    return f"{filename[-120:]}:{number} {name[:80] if isinstance(name, str) else ''}".rstrip()


def _with_pools(events: tuple[Event, ...], segments: Iterable[RecordedSegment]) -> tuple[Event, ...]:
    """Events with their private pools, where only the segments say which those are (before torch 2.9)."""
    private = [segment for segment in segments if segment.pool_id != DEFAULT_POOL]
    if not private or any(event.pool_id != DEFAULT_POOL for event in events):
        return events
    return tuple(event._replace(pool_id=_pool_at(private, event)) for event in events)


def _pool_at(private: list[RecordedSegment], event: Event) -> PoolId:
    for segment in private:
        if segment.address <= event.address < segment.address + segment.size:
            return segment.pool_id
    return DEFAULT_POOL
