"""Snapshot files: pickles that are read and never run, traces, and what else people give for them."""

from __future__ import annotations

import gzip
import json
import os
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from optmem_gui.allocator.config import MIB
from optmem_gui.allocator.replay import replay
from optmem_gui.core.errors import UserError
from optmem_gui.report import snapshot_file
from optmem_gui.report.snapshot_file import is_snapshot, open_snapshot
from tests.allocator.recorder import Program, as_snapshot


def program() -> Program:
    """A short run."""
    run = Program()
    first = run.alloc(3 * MIB)
    run.alloc(700)
    assert first is not None
    run.free(first)
    return run


def trace() -> dict[str, object]:
    """The same as a compact trace."""
    recording = program().recording()
    segments = as_snapshot(recording)["segments"]
    return {
        "device": 3,
        "settings": None,
        "events": [event[:4] for event in recording.events],
        "segments_at_end": segments,
    }


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("packed", [False, True])
def test_pickles_of_every_protocol_are_read(tmp_path: Path, protocol: int, *, packed: bool) -> None:
    path = tmp_path / "run.pickle"
    data = pickle.dumps(as_snapshot(program().recording()), protocol=protocol)
    path.write_bytes(gzip.compress(data) if packed else data)
    (recording,) = open_snapshot(path)
    places = ("/home/me/train.py:12 step",) * len(recording.events)
    stack = ("/site-packages/torch/nn/linear.py:1 forward", "/home/me/train.py:12 step")
    stacks = (stack,) * len(recording.events)
    assert len(set(map(id, recording.stacks))) == 1  # equal stacks are one
    assert recording == replace(program().recording(), places=places, stacks=stacks)


@pytest.mark.parametrize("packed", [False, True])
def test_traces_are_read(tmp_path: Path, *, packed: bool) -> None:
    path = tmp_path / "run.json.gz"
    data = json.dumps(trace()).encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    (recording,) = open_snapshot(path)
    assert recording.device == 3
    assert recording.events == program().recording().events
    assert replay(recording).mismatches == 0


class Hostile:
    """Pickles to a call."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.marker),)


def test_code_in_a_pickle_is_named_and_never_run(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    path = tmp_path / "run.pickle"
    path.write_bytes(pickle.dumps(as_snapshot(program().recording(), extra=Hostile(marker))))
    with pytest.raises(UserError) as refused:
        open_snapshot(path)
    assert refused.value.code == "snapshot.code"
    assert "mkdir" in str(refused.value)
    assert not marker.exists()


def refusal(path: Path) -> str:
    """The code that a file is refused with."""
    with pytest.raises(UserError) as refused:
        open_snapshot(path)
    assert str(refused.value).startswith(f"{path.name}: ")
    assert "\n" not in str(refused.value)
    return refused.value.code


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "snapshot.empty_file"),
        (b"\x80", "snapshot.truncated"),
        (b"\x80\x04.", "snapshot.truncated"),
        (b"\x80\x04}.", "snapshot.not_a_snapshot"),
        (b"\x1f\x8b", "snapshot.truncated"),
        (b"\x1f\x8b\x08 not gzip at all", "snapshot.truncated"),
        (gzip.compress(b"hello", mtime=0), "snapshot.unknown_format"),
        (b"{", "snapshot.truncated"),
        (b"[" * 100_000, "snapshot.truncated"),
        (b'{"events": "\xff"}', "snapshot.truncated"),
        (b"{}", "snapshot.not_a_snapshot"),
        (b"PK\x03\x04", "snapshot.unknown_format"),
    ],
)
def test_what_is_no_snapshot_is_refused_in_one_line(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "run.pickle"
    path.write_bytes(content)
    assert refusal(path) == code


@pytest.mark.parametrize("packed", [False, True])
def test_every_truncation_is_one_line(tmp_path: Path, *, packed: bool) -> None:
    data = pickle.dumps(as_snapshot(program().recording()))
    data = gzip.compress(data) if packed else data
    path = tmp_path / "run.pickle"
    for length in (*range(1, min(200, len(data))), *range(200, len(data), 37)):
        path.write_bytes(data[:length])
        assert refusal(path) in ("snapshot.truncated", "snapshot.unknown_format")


def test_a_file_that_is_not_there_or_a_folder_is_one_line(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.pickle") == "snapshot.unreadable"
    assert refusal(tmp_path) == "snapshot.unreadable"


def test_nothing_recorded_is_said(tmp_path: Path) -> None:
    path = tmp_path / "run.pickle"
    path.write_bytes(pickle.dumps({"segments": [], "device_traces": [[], []]}))
    assert refusal(path) == "snapshot.nothing_recorded"


def test_what_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_file, "MAX_FILE_BYTES", 1 << 20)
    monkeypatch.setattr(snapshot_file, "MAX_TEXT_BYTES", 1 << 20)
    path = tmp_path / "run.json.gz"
    path.write_bytes(gzip.compress(b"[" + b" " * (3 << 20)))
    assert refusal(path) == "snapshot.too_large"
    path.write_bytes(b"[" + b" " * (1 << 20))
    assert refusal(path) == "snapshot.too_large"


def test_a_pickle_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_file, "MAX_INSTRUCTIONS", 100_000)
    path = tmp_path / "run.pickle"
    path.write_bytes(b"\x80\x04" + b"]0" * 200_000 + b".")
    assert refusal(path) == "snapshot.too_many_instructions"


@pytest.mark.parametrize("packed", [False, True])
def test_a_snapshot_is_known_by_its_first_bytes(tmp_path: Path, *, packed: bool) -> None:
    files = {
        "pickle": pickle.dumps(as_snapshot(program().recording())),
        "trace": json.dumps({"origin": "x" * 300, **trace()}).encode(),
    }
    others = {
        "checkpoint": pickle.dumps({"model": {"weight": 1}, "segments": 2}, protocol=2)[:2] + b"x" * 100,
        "config": json.dumps({"model_type": "gpt2", "n_layer": 12}).encode(),
        "empty": b"",
        "text": b"hello",
    }
    for name, data in {**files, **others}.items():
        path = tmp_path / name
        path.write_bytes(gzip.compress(data) if packed else data)
        assert is_snapshot(path) is (name in files), name
    (tmp_path / "cut").write_bytes(gzip.compress(b"x" * 1000)[:20])
    assert not is_snapshot(tmp_path / "cut")
    assert not is_snapshot(tmp_path / "absent")
    assert not is_snapshot(tmp_path)


@pytest.mark.skipif("OPTMEM_REFERENCE_DATA" not in os.environ, reason="OPTMEM_REFERENCE_DATA names no folder")
def test_every_recorded_trace_is_known() -> None:
    found = sorted(Path(os.environ["OPTMEM_REFERENCE_DATA"], "cuda-traces").glob("*.json.gz"))
    assert found
    assert all(is_snapshot(path) for path in found)
