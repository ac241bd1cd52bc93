"""``optmem replay``: figures for a script, a table for a person, one line for what is refused."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from optmem_gui.allocator.config import MIB
from tests.allocator.recorder import Program, as_snapshot
from tests.cli.conftest import Optmem


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    """Four requests, each too large for what the one before it left: 42 MiB in three segments."""
    program = Program()
    for size in (12 * MIB, 13 * MIB, 14 * MIB, 15 * MIB):
        address = program.alloc(size)
        assert address is not None
        program.free(address)
    path = tmp_path / "run.pickle"
    path.write_bytes(pickle.dumps(as_snapshot(program.recording())))
    return path


def test_the_document(optmem: Optmem, snapshot: Path) -> None:
    answer = optmem("replay", snapshot, "--json")
    assert answer.code == 0
    document = answer.document
    # 15 MiB of a segment of 16 MiB: 1 MiB would remain, which is not split off.
    totals = {"allocated_peak": 16 * MIB, "reserved_peak": 42 * MIB, "reserved": 42 * MIB, "segments": 3}
    assert {key: document[key] for key in totals} == totals
    assert document["recorded"] == totals
    assert document["start_known"] is True
    assert document["start"]["code"] == "replay.start_known"
    assert (document["mismatches"], document["first_mismatch"]) == (0, None)
    assert (document["events"], document["allocations"], document["device"]) == (15, 4, 0)
    assert document["peak"]["alive"] == [
        {"bytes": 15 * MIB, "event": 12, "place": "/home/me/train.py:12 step"}
    ]
    assert "what_if" not in document


def test_other_settings(optmem: Optmem, snapshot: Path) -> None:
    answer = optmem("replay", snapshot, "--json", "--what-if", "expandable_segments:True")
    found = answer.document["what_if"]
    assert found["settings"] == "expandable_segments:True"
    assert (found["reserved_peak"], found["allocated_peak"]) == (20 * MIB, 15 * MIB)
    assert found["as_recorded"]["reserved_peak"] == 42 * MIB
    assert found["ran_out_at"] is None


def test_the_table(optmem: Optmem, snapshot: Path) -> None:
    answer = optmem("replay", snapshot, "--what-if", "expandable_segments:True")
    assert answer.code == 0
    assert "Peak 16.0 MiB (16,777,216 bytes) allocated, after event 12" in answer.out
    assert "Start known: " in answer.out
    assert "4 of 4 allocations at the recorded address" in answer.out
    assert "/home/me/train.py:12 step" in answer.out
    assert "With expandable_segments:True" in answer.out


def test_a_device_is_chosen_by_number(optmem: Optmem, snapshot: Path) -> None:
    assert optmem("replay", snapshot, "--device", 0, "--json").document["device"] == 0
    refused = optmem("replay", snapshot, "--device", 1)
    assert refused.refusal == f"optmem: {snapshot}: nothing was recorded for device 1; recorded are 0\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--what-if", "nonsense:1"), "--what-if: no setting is called nonsense"),
        (
            ("--what-if", "max_split_size_mb:5"),
            "--what-if: max_split_size_mb is a whole number of at least 20",
        ),
        (("--device", "first"), "--device"),
        (("--unknown",), "--unknown"),
    ],
)
def test_arguments_are_refused_in_one_line(
    optmem: Optmem, snapshot: Path, words: tuple[str, ...], said: str
) -> None:
    answer = optmem("replay", snapshot, *words, "--json")
    assert said in answer.refusal
    assert set(answer.document["error"]) == {"code", "message"}


def test_files_are_refused_in_one_line_that_names_the_path(optmem: Optmem, tmp_path: Path) -> None:
    path = tmp_path / "broken.pickle"
    path.write_bytes(b"\x80\x04\x95")
    answer = optmem("replay", path, "--json")
    assert answer.refusal == f"optmem: {path}: the file ends early or is damaged; copy it again\n"
    assert answer.document["error"]["code"] == "snapshot.truncated"
    assert str(tmp_path / "none") in optmem("replay", tmp_path / "none").refusal
    assert optmem("replay").refusal
