"""A program with the allocator model, recorded as PyTorch would record it."""

from __future__ import annotations

from optmem_gui.allocator.caching import CachingAllocator, DeviceOutOfMemoryError
from optmem_gui.allocator.config import MIB, AllocatorConfig
from optmem_gui.allocator.recording import Event, RecordedSegment, Recording
from optmem_gui.allocator.state import segments_of

SMALL_SIZES = (1, 500, 512, 513, 4096, 100_000, MIB - 1, MIB)
LARGE_SIZES = (MIB + 1, 2 * MIB, 3 * MIB + 700, 5 * MIB, 9 * MIB, 10 * MIB, 11 * MIB + 5, 21 * MIB, 40 * MIB)
SIZES = SMALL_SIZES + LARGE_SIZES


class Program:
    """Allocates and frees, and keeps the events a snapshot would hold."""

    def __init__(self, config: AllocatorConfig | None = None, capacity_bytes: int | None = None) -> None:
        self.allocator = CachingAllocator(config, capacity_bytes)
        self.events: list[Event] = []
        self.live: dict[int, tuple[int, int]] = {}
        self._calls = 0

    def alloc(self, size: int, stream: int = 0) -> int | None:
        """Ask for a block; None where the device ran out."""
        try:
            address = self.allocator.malloc(size, stream)
        except DeviceOutOfMemoryError as error:
            self._note_calls()
            capacity = self.allocator.device.capacity_bytes or 0
            free = capacity - self.allocator.statistics.reserved
            self.events.append(Event("oom", free, error.size, stream))
            return None
        self._note_calls()
        self.events.append(Event("alloc", address, size, stream))
        self.live[address] = (size, stream)
        return address

    def free(self, address: int) -> None:
        """Let go of a block."""
        size, stream = self.live.pop(address)
        self.allocator.free(address)
        self.events.append(Event("free_requested", address, size, stream))
        self.events.append(Event("free_completed", address, size, stream))

    def empty_cache(self) -> None:
        """``torch.cuda.empty_cache()``."""
        self.allocator.empty_cache()
        self._note_calls()

    def _note_calls(self) -> None:
        for call in self.allocator.device.calls[self._calls :]:
            self.events.append(Event(*call))
        self._calls = len(self.allocator.device.calls)

    def state(self) -> tuple[RecordedSegment, ...]:
        """How the allocator stands."""
        return segments_of(self.allocator)

    def recording(self, since: int = 0) -> Recording:
        """What was recorded from an event on."""
        return Recording(0, tuple(self.events[since:]), self.state(), self.allocator.config)


def as_snapshot(recording: Recording, **changes: object) -> dict[str, object]:
    """The objects that ``torch.cuda.memory._dump_snapshot`` would pickle for a recording."""
    trace = [
        {
            "action": event.action,
            ("device_free" if event.action == "oom" else "addr"): event.address,
            "size": event.size,
            "stream": event.stream,
            "time_us": 0,
            "frames": [
                {"filename": "/site-packages/torch/nn/linear.py", "line": 1, "name": "forward"},
                {"filename": "/home/me/train.py", "line": 12, "name": "step"},
            ],
        }
        for event in recording.events
    ]
    states = {(True, False): "active_allocated", (False, True): "active_awaiting_free"}
    segments = [
        {
            "device": recording.device,
            "address": segment.address,
            "total_size": segment.size,
            "stream": segment.stream,
            "segment_type": "small" if segment.small else "large",
            "segment_pool_id": segment.pool_id,
            "is_expandable": segment.expandable,
            "frames": [],
            "blocks": [
                {
                    "address": block.address,
                    "size": block.size,
                    "requested_size": block.requested,
                    "state": states.get((block.allocated, block.awaiting), "inactive"),
                    "frames": [],
                }
                for block in segment.blocks
            ],
        }
        for segment in recording.segments
    ]
    settings = {
        "PYTORCH_CUDA_ALLOC_CONF": "",
        "max_split_size": -1,
        "garbage_collection_threshold": 0.0,
        "expandable_segments": bool(recording.config and recording.config.expandable_segments),
        "roundup_power2_divisions": {str(1 << index): 0 for index in range(16)},
    }
    snapshot = {"segments": segments, "device_traces": [trace], "allocator_settings": settings}
    return {**snapshot, **changes}
