"""The caching allocator's figures and history, with a ``torch.cuda`` that says what it is told."""

from __future__ import annotations

import pickle
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from optmem_gui.core.errors import UserError
from optmem_gui.core.protocol import PhaseSample
from optmem_gui.report.snapshot_file import open_snapshot
from optmem_gui.worker import cuda_meter
from optmem_gui.worker.cuda_meter import CudaMeter

GPU = torch.device("cuda", 1)


class FakeMemory:
    """``torch.cuda.memory``: keeps what was asked of it, and a history on the second device."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.entries: list[dict[str, Any]] = []

    def _record_memory_history(self, *arguments: Any, **named: Any) -> None:
        self.asked.append((*arguments, named))

    def _snapshot(self) -> dict[str, Any]:
        blocks = [{"address": 1 << 20, "size": 2 << 20, "requested_size": 0, "state": "inactive"}]
        segment = {
            "device": 1,
            "address": 1 << 20,
            "total_size": 2 << 20,
            "allocated_size": 0,
            "active_size": 0,
            "requested_size": 0,
            "stream": 0,
            "segment_type": "small",
            "blocks": blocks,
        }
        return {"segments": [segment], "device_traces": [[], list(self.entries)]}

    def _dump_snapshot(self, path: str) -> None:
        Path(path).write_bytes(pickle.dumps(self._snapshot()))


class FakeCuda:
    """``torch.cuda``: an allocator of 512-byte blocks with one segment of 2 MiB."""

    def __init__(self) -> None:
        self.memory = FakeMemory()
        self.now = self.peak = self.count = self.retries = 0
        self.sizes: dict[int, int] = {}

    def synchronize(self, _device: Any) -> None:
        pass

    def reset_peak_memory_stats(self, _device: Any) -> None:
        self.peak = self.now

    def memory_stats(self, _device: Any) -> dict[str, int]:
        if not self.count:
            return {}
        return {
            "allocated_bytes.all.current": self.now,
            "allocated_bytes.all.peak": self.peak,
            "reserved_bytes.all.current": 2 << 20,
            "reserved_bytes.all.peak": 2 << 20,
            "active_bytes.all.current": self.now + 512,
            "active_bytes.all.peak": self.peak + 512,
            "allocation.all.allocated": self.count,
            "num_alloc_retries": self.retries,
        }

    def alloc(self, address: int, size: int) -> None:
        self.sizes[address] = size
        self.count += 1
        self._change("alloc", address, size, -(-size // 512) * 512)

    def free(self, address: int) -> None:
        size = self.sizes.pop(address)
        self._change("free_requested", address, size, -(-(-size // 512) * 512))
        self.memory.entries.append(self._entry("free_completed", address, size))

    def _change(self, action: str, address: int, size: int, blocks: int) -> None:
        self.now += blocks
        self.peak = max(self.peak, self.now)
        self.memory.entries.append(self._entry(action, address, size))

    @staticmethod
    def _entry(action: str, address: int, size: int) -> dict[str, Any]:
        now = time.time_ns() // 1000
        return {"action": action, "addr": address, "size": size, "stream": 0, "time_us": now, "frames": []}


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> FakeCuda:
    made = FakeCuda()
    monkeypatch.setattr(cuda_meter, "torch", SimpleNamespace(cuda=made, device=torch.device))
    return made


def run(cuda: FakeCuda, history: str = "") -> list[PhaseSample]:
    """1,000 bytes of weights; a forward that keeps 600 and gives 300 back, with one retry."""
    samples: list[PhaseSample] = []
    meter = CudaMeter(GPU, samples.append, lambda: {1: "weights"}, history)
    with meter.phase(0, "load"):
        cuda.alloc(1, 1000)
    with meter.phase(1, "forward"):
        cuda.alloc(2, 300)
        cuda.alloc(3, 600)
        cuda.retries += 1
        cuda.free(2)
    meter.close()
    return samples


def test_a_phase_carries_every_figure_of_the_allocator(cuda: FakeCuda) -> None:
    load, forward = run(cuda)
    assert (load.start_bytes, load.allocated_bytes, load.peak_bytes) == (0, 1024, 1024)
    assert (load.alloc_count, load.retry_count) == (1, 0)
    assert (forward.start_bytes, forward.allocated_bytes) == (1024, 2048)
    assert forward.peak_bytes == 1024 + 512 + 1024
    assert (forward.active_bytes, forward.peak_active_bytes) == (2048 + 512, 2560 + 512)
    assert (forward.alloc_count, forward.retry_count) == (2, 1)
    assert forward.reserved_bytes == 2 << 20


def test_the_course_is_told_apart_by_what_was_asked_for(cuda: FakeCuda) -> None:
    """Blocks are of 512 bytes: what they add to 1,000, 300 and 600 is rounding."""
    _, forward = run(cuda)
    assert [total for _, total in forward.points] == [1536, 2560, 2048]
    assert forward.parts == {
        "weights": (1000, 1000, 1000),
        "temporaries": (300, 300, 0),
        "activations": (0, 600, 600),
        "rounding": (236, 660, 448),
    }
    for index, (at_ns, total) in enumerate(forward.points):
        assert forward.start_ns <= at_ns <= forward.end_ns
        assert sum(sizes[index] for sizes in forward.parts.values()) == total


def test_stacks_are_recorded_for_a_file_only(cuda: FakeCuda, tmp_path: Path) -> None:
    run(cuda)
    (_, named), (off, _) = cuda.memory.asked
    assert named["context"] is None
    assert off is None
    cuda.memory.asked.clear()
    run(cuda, str(tmp_path / "history.pickle"))
    assert cuda.memory.asked[0][1]["context"] == "all"


def test_the_file_opens_as_a_snapshot(cuda: FakeCuda, tmp_path: Path) -> None:
    file = tmp_path / "history.pickle"
    run(cuda, str(file))
    (recording,) = [each for each in open_snapshot(file) if each.device == 1]
    actions = [event.action for event in recording.events]
    assert actions == ["alloc", "alloc", "alloc", "free_requested", "free_completed"]
    assert [event.size for event in recording.events[:3]] == [1000, 300, 600]


def test_a_file_that_cannot_be_written_is_one_line(cuda: FakeCuda, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no-such.*choose another file"):
        run(cuda, str(tmp_path / "no-such" / "history.pickle"))


def test_a_full_history_gives_no_course_and_every_figure(
    cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cuda_meter, "_MOST_EVENTS", 2)
    load, forward = run(cuda)
    assert load.parts
    assert not forward.parts
    assert not forward.points
    assert forward.peak_bytes == 2560
