"""Recordings of real GPUs through the model: every address, reserved, its peak and the segments.

45 recordings from public repositories. Two begin with blocks whose size nothing shows; they are held to the
same figures, and the replay says that it does not know.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from optmem_gui.allocator.recording import Recording
from optmem_gui.allocator.replay import Replay, replay
from optmem_gui.report.snapshot_file import open_snapshot

UNKNOWN_STARTS = {"bcrafton-memory_snapshot-06f51ae4-gpu0", "nothanmin-memory_snapshot-96f7f9d4-gpu0"}
WITHIN_SMALL_START = 0.012


@cache
def opened(path: Path) -> Recording:
    """A recording, read once."""
    (recording,) = open_snapshot(path)
    return recording


@cache
def replayed(path: Path) -> Replay:
    """A recording, replayed once."""
    return replay(opened(path))


@pytest.fixture(scope="module")
def traces(reference_data: Path) -> list[Path]:
    """Every recording."""
    found = sorted((reference_data / "cuda-traces").glob("*.json.gz"))
    if not found:
        pytest.skip("the reference data holds no cuda-traces")
    return found


def name(path: Path) -> str:
    """A recording's name."""
    return path.name.removesuffix(".json.gz")


def test_reserved_and_its_peak_are_equal_wherever_the_start_is_known(traces: list[Path]) -> None:
    known = [path for path in traces if replayed(path).start_known]
    assert {name(path) for path in traces} - {name(path) for path in known} == UNKNOWN_STARTS
    for path in known:
        outcome = replayed(path)
        assert outcome.model.reserved == outcome.recorded.reserved, name(path)
        assert outcome.model.reserved_peak == outcome.recorded.reserved_peak, name(path)
        assert outcome.model.segments == outcome.recorded.segments, name(path)
        assert outcome.calls_missed == 0, name(path)
    allocations = sum(replayed(path).allocations for path in known)
    mismatches = sum(replayed(path).mismatches for path in known)
    assert allocations == 83_302
    assert mismatches <= WITHIN_SMALL_START * allocations
    assert mismatches == 0  # what was reached; the line above is what was promised


def test_the_others_are_listed_with_their_gap(traces: list[Path]) -> None:
    gaps = {
        name(path): (
            replayed(path).model.reserved - replayed(path).recorded.reserved,
            replayed(path).model.reserved_peak - replayed(path).recorded.reserved_peak,
            replayed(path).mismatches,
            replayed(path).start.values["count"],
        )
        for path in traces
        if not replayed(path).start_known
    }
    assert gaps == {
        "bcrafton-memory_snapshot-06f51ae4-gpu0": (0, 0, 0, 15),
        "nothanmin-memory_snapshot-96f7f9d4-gpu0": (0, 0, 0, 80),
    }


@pytest.mark.parametrize(
    ("part", "settled", "beyond_bytes"),
    [("large_cl256_fw_with_grad_bf16", 37, 4_587_520), ("large_cl512_fw_with_grad_bf16", 12, 655_360)],
)
def test_blocks_larger_than_their_request_explain_the_bf16_recordings(
    traces: list[Path], part: str, settled: int, beyond_bytes: int
) -> None:
    # The recording says what was requested for blocks that were alive at its start, not how much more they
    # held. Taken as rounded requests, reserved comes out 6 and 4 MiB too low and half the addresses differ.
    from optmem_gui.allocator.observe import observe
    from optmem_gui.allocator.start import undo

    (path,) = [each for each in traces if part in each.name]
    recording = opened(path)
    assert recording.config is not None
    observed = observe(recording, undo(recording), recording.config)
    assert len(observed.settled) == settled
    assert sum(observed.extra.values()) == beyond_bytes
    assert replayed(path).mismatches == 0


def test_expandable_segments_and_running_out_of_memory(traces: list[Path]) -> None:
    expandable = [path for path in traces if path.name.startswith("constructor-sun")]
    assert len(expandable) == 3
    for path in expandable:
        recording = opened(path)
        assert recording.config is not None
        assert recording.config.expandable_segments
        assert all(segment.expandable for segment in recording.segments)
        assert replayed(path).mismatches == 0
    ran_out = [path for path in expandable if any(event.action == "oom" for event in opened(path).events)]
    assert len(ran_out) == 1
    assert replayed(ran_out[0]).calls_missed == 0


def test_what_recordings_say_was_active_is_what_the_model_has(traces: list[Path]) -> None:
    """PyTorch notes the active bytes whenever a snapshot is taken: figures the model did not see."""
    compared = 0
    for path in traces:
        for index, event in enumerate(opened(path).events):
            if event.action == "snapshot":
                assert replayed(path).allocated[index + 1] == event.size, (name(path), index)
                compared += 1
    assert compared == 10
