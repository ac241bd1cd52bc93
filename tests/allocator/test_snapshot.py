"""Objects of a snapshot file become a recording, or are refused in one line: nothing in them is trusted."""

from __future__ import annotations

import contextlib
import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.allocator import snapshot
from optmem_gui.allocator.config import MIB, AllocatorConfig
from optmem_gui.allocator.recording import Recording
from optmem_gui.allocator.replay import replay
from optmem_gui.allocator.snapshot import SnapshotReader
from optmem_gui.allocator.what_if import what_if
from optmem_gui.core.errors import UserError
from tests.allocator.recorder import Program, as_snapshot
from tests.examples import examples


def example(config: AllocatorConfig | None = None) -> Recording:
    """A short run."""
    program = Program(config)
    first, _, third = (program.alloc(size) for size in (3 * MIB, 700, 30 * MIB))
    assert first is not None
    assert third is not None
    program.free(third)
    program.empty_cache()
    program.alloc(5 * MIB)
    program.free(first)
    return program.recording()


def read(tree: object) -> tuple[Recording, ...]:
    """Read it."""
    return SnapshotReader("run.pickle").snapshot(tree)


@pytest.mark.parametrize("config", [AllocatorConfig(), AllocatorConfig(expandable_segments=True)])
def test_a_snapshot_is_read_as_it_was_recorded(config: AllocatorConfig) -> None:
    recording = example(config)
    (found,) = read(as_snapshot(recording))
    assert found.events == recording.events
    assert found.segments == recording.segments
    assert found.config == recording.config
    assert set(found.places) == {"/home/me/train.py:12 step"}


def test_devices_without_anything_are_left_out_and_the_others_keep_their_number() -> None:
    tree = as_snapshot(example())
    traces: Any = tree["device_traces"]
    tree["device_traces"] = [[], [], traces[0]]
    for segment in tree["segments"]:  # type: ignore[attr-defined]  # a tree of plain values
        segment["device"] = 2
    (found,) = read(tree)
    assert found.device == 2
    assert len(found.segments) == 2
    assert read({"segments": [], "device_traces": [[], []]}) == ()


def test_older_snapshots_lack_addresses_requests_and_settings() -> None:
    tree = as_snapshot(example())
    del tree["allocator_settings"]
    for segment in tree["segments"]:  # type: ignore[attr-defined]  # a tree of plain values
        del segment["segment_pool_id"], segment["is_expandable"]
        for block in segment["blocks"]:
            del block["address"], block["requested_size"]
            block["state"] = block["state"].replace("awaiting", "pending")
    (found,) = read(tree)
    assert found.config is None
    assert [s.address for s in found.segments] == [s.address for s in example().segments]
    assert [len(s.blocks) for s in found.segments] == [len(s.blocks) for s in example().segments]
    assert replay(found).model.reserved == replay(example()).model.reserved


def test_private_pools_come_from_events_or_from_segments() -> None:
    program = Program()
    address = program.allocator.malloc(4 * MIB, pool_id=(1, 7))
    program._note_calls()
    tree = as_snapshot(program.recording())
    tree["device_traces"][0].append(  # type: ignore[index]  # a tree of plain values
        {"action": "alloc", "addr": address, "size": 4 * MIB, "stream": 0}
    )
    (found,) = read(tree)
    assert {event.pool_id for event in found.events} == {(1, 7)}
    outcome = replay(found)
    assert (outcome.mismatches, outcome.start_known) == (0, True)
    for event in tree["device_traces"][0]:  # type: ignore[index]  # a tree of plain values
        event["pool_id"] = (1, 7)
    assert read(tree)[0].events == found.events


def change(path: tuple[Any, ...], value: object) -> dict[str, object]:
    """The example with one value replaced."""
    tree: Any = as_snapshot(example())
    at = tree
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return tree  # type: ignore[no-any-return]  # a tree of plain values


@pytest.mark.parametrize(
    ("tree", "code"),
    [
        ([], "snapshot.not_a_snapshot"),
        ({"segments": []}, "snapshot.not_a_snapshot"),
        ({"segments": 5, "device_traces": []}, "snapshot.bad_field"),
        ({"segments": [], "device_traces": [5]}, "snapshot.bad_field"),
        ({"segments": [], "device_traces": [[5]]}, "snapshot.not_a_snapshot"),
        ({"segments": [], "device_traces": [[]] * 300}, "snapshot.too_many_devices"),
        (change(("device_traces", 0, 0, "action"), "explode"), "snapshot.unknown_action"),
        (change(("device_traces", 0, 0, "action"), ["alloc"]), "snapshot.unknown_action"),
        (change(("device_traces", 0, 0, "size"), -1), "snapshot.bad_field"),
        (change(("device_traces", 0, 0, "size"), 1 << 60), "snapshot.bad_field"),
        (change(("device_traces", 0, 0, "size"), True), "snapshot.bad_field"),
        (change(("device_traces", 0, 0, "addr"), 1.5), "snapshot.bad_field"),
        (change(("device_traces", 0, 0, "addr"), 1 << 60), "snapshot.bad_field"),
        (change(("device_traces", 0, 0, "pool_id"), (1,)), "snapshot.bad_field"),
        (change(("segments", 0, "segment_type"), "medium"), "snapshot.bad_field"),
        (change(("segments", 0, "device"), 1 << 40), "snapshot.bad_field"),
        (change(("segments", 0, "total_size"), 5), "snapshot.segment_not_tiled"),
        (change(("segments", 0, "is_expandable"), "yes"), "snapshot.bad_field"),
        (change(("segments", 0, "blocks", 0, "state"), "lost"), "snapshot.bad_field"),
        (change(("segments", 0, "blocks", 0, "size"), 0), "snapshot.segment_not_tiled"),
        (change(("segments", 0, "blocks", 0, "address"), 4), "snapshot.segment_not_tiled"),
        (change(("segments", 0, "blocks"), None), "snapshot.bad_field"),
        (change(("allocator_settings",), [1]), "snapshot.bad_field"),
        (change(("allocator_settings", "max_split_size"), "big"), "allocator.setting_inconsistent"),
    ],
)
def test_values_that_no_snapshot_has_are_refused_in_one_line(tree: object, code: str) -> None:
    with pytest.raises(UserError) as refused:
        read(tree)
    assert refused.value.code == code
    assert "\n" not in str(refused.value)


def test_segments_over_each_other_are_refused() -> None:
    tree = as_snapshot(example())
    segments: Any = tree["segments"]
    segments.append(copy.deepcopy(segments[0]))
    with pytest.raises(UserError) as refused:
        read(tree)
    assert refused.value.code == "snapshot.segments_overlap"


def test_shared_lists_do_not_multiply_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "MAX_EVENTS", 1000)
    monkeypatch.setattr(snapshot, "MAX_BLOCKS", 1000)
    trace = [{"action": "snapshot", "size": 0, "stream": 0}] * 100
    with pytest.raises(UserError) as refused:
        read({"segments": [], "device_traces": [trace] * 200})
    assert refused.value.code == "snapshot.too_many_events"
    blocks = [{"size": 512, "state": "inactive"}] * 400
    segment = {"address": 0, "total_size": 400 * 512, "segment_type": "small", "blocks": blocks}
    with pytest.raises(UserError) as refused:
        read({"segments": [segment] * 3, "device_traces": []})
    assert refused.value.code == "snapshot.too_many_blocks"


@pytest.mark.parametrize(
    ("tree", "field"),
    [
        ({"segments": 5, "device_traces": []}, "segments"),
        (change(("device_traces", 0, 0, "size"), -1), "events[0].size"),
        (change(("segments", 0, "segment_type"), "medium"), "segment.segment_type"),
        (change(("segments", 0, "blocks", 0), [1, 2]), f"blocks[{example().segments[0].address:#x}]"),
    ],
)
def test_the_field_that_is_refused_is_named_as_in_code(tree: object, field: str) -> None:
    with pytest.raises(UserError) as refused:
        read(tree)
    assert refused.value.reason.values["field"] == field


def test_pages_beyond_any_device_are_refused() -> None:
    event = {"action": "segment_map", "addr": 1 << 40, "size": 1 << 45, "stream": 0}
    with pytest.raises(UserError) as refused:
        read({"segments": [], "device_traces": [[event] * 3]})
    assert refused.value.code == "snapshot.too_many_pages"
    odd = {**event, "size": 5 * MIB}
    with pytest.raises(UserError) as refused:
        read({"segments": [], "device_traces": [[odd]]})
    assert refused.value.code == "snapshot.bad_field"


def test_reading_can_be_stopped() -> None:
    class StopError(Exception):
        pass

    def stop() -> None:
        raise StopError

    with pytest.raises(StopError):
        SnapshotReader("run.pickle", stop).snapshot(as_snapshot(example()))


ACTIONS = ("alloc", "free_requested", "free_completed", "segment_alloc", "segment_free", "segment_map")
WILD = st.tuples(
    st.sampled_from((*ACTIONS, "segment_unmap", "oom", "snapshot")),
    st.integers(0, 30).map(lambda page: page * 2 * MIB),
    st.sampled_from((0, 512, 3 * MIB, 2 * MIB, 4 * MIB, 20 * MIB, 40 * MIB, 1 << 45)),
    st.sampled_from((0, 9)),
)


@examples(300)
@given(st.lists(WILD, max_size=25), st.booleans(), st.booleans())
def test_events_that_make_no_sense_are_refused_or_counted_but_never_a_crash(
    events: list[tuple[str, int, int, int]], expandable: bool, segments: bool
) -> None:
    found = as_snapshot(example())["segments"] if segments else []
    tree = {
        "events": [list(event) for event in events],
        "segments_at_end": found,
        "settings": {"expandable_segments": expandable},
    }
    with contextlib.suppress(UserError):
        (recording,) = SnapshotReader("wild").trace(tree)
        outcome = replay(recording)
        assert outcome.mismatches <= outcome.allocations
        what_if(recording, AllocatorConfig(expandable_segments=not expandable), 1 << 30)
