"""Recordings of which everything is known, cut so that the replay has to find out what was there before."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.allocator.config import MIB, AllocatorConfig
from optmem_gui.allocator.layout import fill
from optmem_gui.allocator.observe import observe
from optmem_gui.allocator.peak import alive_after, peak_event
from optmem_gui.allocator.recording import Event, RecordedBlock, RecordedSegment, Recording
from optmem_gui.allocator.replay import replay, segments_after
from optmem_gui.allocator.start import undo
from optmem_gui.allocator.state import segments_of
from optmem_gui.allocator.what_if import what_if
from optmem_gui.core.errors import UserError
from tests.allocator.recorder import Program
from tests.allocator.test_properties import PROGRAM, run
from tests.examples import examples

BASE = 0x7F40_0000_0000
FIXED = (AllocatorConfig(), AllocatorConfig(roundup_divisions=(4,) * 16))
GROWING = AllocatorConfig(expandable_segments=True)


@examples(150)
@given(PROGRAM, st.sampled_from((*FIXED, GROWING)), st.sampled_from((None, 300 * MIB)))
def test_a_whole_recording_is_replayed_to_the_byte(
    steps: list[Any], config: AllocatorConfig, capacity: int | None
) -> None:
    program = run(steps, config, capacity)
    outcome = replay(program.recording())
    assert outcome.start_known
    assert (outcome.mismatches, outcome.calls_missed, outcome.first_mismatch) == (0, 0, None)
    assert outcome.model == outcome.recorded
    statistics = program.allocator.statistics
    assert outcome.model.allocated_peak == statistics.allocated_peak
    assert outcome.model.reserved_peak == statistics.reserved_peak
    assert outcome.model.segments == len(program.state())
    assert outcome.allocated[-1] == statistics.allocated
    assert outcome.reserved[-1] == statistics.reserved


@examples(200)
@given(PROGRAM, PROGRAM, st.sampled_from((*FIXED, GROWING)))
def test_a_recording_that_begins_in_mid_run_finds_what_was_there(
    first: list[Any], second: list[Any], config: AllocatorConfig
) -> None:
    program = run(first, config)
    since, truth = len(program.events), program.state()
    program.allocator.statistics.reset_peaks()
    for action, number, stream in second:
        if action == "alloc":
            program.alloc(number, stream)
        elif action == "empty":
            program.empty_cache()
        elif program.live:
            program.free(sorted(program.live)[number % len(program.live)])
    recording = program.recording(since)
    observed = observe(recording, undo(recording), config)
    assert observed.contradictions == 0
    found = segments_of(fill(undo(recording), config, extra=observed.extra).allocator)
    uncertain = set(observed.unsettled)
    if not uncertain:
        assert blocks_of(found) == blocks_of(truth)
        outcome = replay(recording)
        assert outcome.start_known
        assert outcome.mismatches == 0
        assert outcome.model == outcome.recorded
        assert outcome.model.allocated_peak == program.allocator.statistics.allocated_peak
        assert outcome.model.reserved_peak == program.allocator.statistics.reserved_peak
    else:
        assert not replay(recording).start_known
        sizes = {block.address: block.size for block in blocks_of(truth) if block.allocated}
        for block in blocks_of(found):
            if block.allocated:
                most = observed.unsettled.get(block.address, 0)
                assert block.size <= sizes[block.address] <= block.size + most


def blocks_of(segments: tuple[RecordedSegment, ...]) -> list[RecordedBlock]:
    """Blocks without the segments that hold nothing: those may be of either pool."""
    return [block for segment in segments for block in segment.blocks]


def segment_of(*blocks: tuple[int, int, bool], address: int = BASE) -> RecordedSegment:
    """A large segment of fixed size from sizes, requests and whether they are in use."""
    at, recorded = address, []
    for size, requested, allocated in blocks:
        recorded.append(RecordedBlock(at, size, requested, allocated, awaiting=False))
        at += size
    return RecordedSegment(
        address, at - address, stream=0, small=False, expandable=False, blocks=tuple(recorded)
    )


def test_a_gap_up_to_1_mib_belongs_to_the_block_before_it() -> None:
    # At the end everything is free. Undone, two blocks of 4 MiB stood at 0 and 5 MiB: 1 MiB after the first.
    segment = segment_of((20 * MIB, 0, False))
    events = (
        Event("free_requested", BASE, 4 * MIB, 0),
        Event("free_completed", BASE, 4 * MIB, 0),
        Event("free_requested", BASE + 5 * MIB, 4 * MIB, 0),
        Event("free_completed", BASE + 5 * MIB, 4 * MIB, 0),
    )
    recording = Recording(0, events, (segment,), AllocatorConfig())
    start = segments_of(fill(undo(recording), AllocatorConfig()).allocator)
    assert [block.size for block in start[0].blocks] == [5 * MIB, 4 * MIB, 11 * MIB]
    outcome = replay(recording)
    # The second is followed by 11 MiB: nothing shows where it ends, at most 1 MiB later.
    assert not outcome.start_known
    assert outcome.start.values == {"count": 1, "uncertain_bytes": MIB}
    assert outcome.model.allocated_peak == 9 * MIB


def test_an_allocation_shows_where_the_block_before_it_ends() -> None:
    # As above, but 3 MiB were taken at 9.5 MiB before the second block went: that one held 4.5 MiB.
    taken = BASE + 9 * MIB + MIB // 2
    segment = segment_of(
        (9 * MIB + MIB // 2, 0, False), (3 * MIB, 3 * MIB, True), (7 * MIB + MIB // 2, 0, False)
    )
    events = (
        Event("alloc", taken, 3 * MIB, 0),
        Event("free_requested", BASE, 4 * MIB, 0),
        Event("free_completed", BASE, 4 * MIB, 0),
        Event("free_requested", BASE + 5 * MIB, 4 * MIB, 0),
        Event("free_completed", BASE + 5 * MIB, 4 * MIB, 0),
    )
    outcome = replay(Recording(0, events, (segment,), AllocatorConfig()))
    assert outcome.start_known
    assert outcome.start.key == "replay.start_settled"
    assert (outcome.mismatches, outcome.model.allocated_peak) == (0, 12 * MIB + MIB // 2)


def test_an_allocation_elsewhere_shows_that_a_better_fit_was_none() -> None:
    # Two segments. The first begins with a block of 4 MiB and what looks like 3 MiB free; 3 MiB are taken
    # from the second instead, where 5 MiB are free: the first cannot have had 3 MiB.
    other = BASE + 64 * MIB
    first = segment_of((7 * MIB, 0, False), (13 * MIB, 13 * MIB, True))
    second = segment_of(
        (3 * MIB, 3 * MIB, True), (2 * MIB, 0, False), (15 * MIB, 15 * MIB, True), address=other
    )
    events = (
        Event("alloc", other, 3 * MIB, 0),
        Event("free_requested", BASE, 4 * MIB, 0),
        Event("free_completed", BASE, 4 * MIB, 0),
    )
    recording = Recording(0, events, (first, second), AllocatorConfig())
    observed = observe(recording, undo(recording), AllocatorConfig())
    assert observed.extra == {BASE: 512}  # the least that explains it
    outcome = replay(recording)
    assert outcome.mismatches == 0
    assert not outcome.start_known
    assert outcome.start.values == {"count": 1, "uncertain_bytes": MIB - 512}


def test_events_that_cannot_have_led_to_the_end_are_counted() -> None:
    events = (Event("alloc", BASE, 3 * MIB, 0), Event("free_requested", BASE + MIB, 5 * MIB, 0))
    outcome = replay(Recording(0, events, (), AllocatorConfig()))
    assert not outcome.start_known
    assert outcome.start.key == "replay.start_contradicts"


@pytest.mark.parametrize("shift", [0, MIB, -MIB])
def test_segments_over_each_other_are_refused(shift: int) -> None:
    events = (
        Event("segment_alloc", BASE, 20 * MIB, 0),
        Event("segment_alloc", BASE + shift, 20 * MIB, 0),
    )
    with pytest.raises(UserError) as refused:
        replay(Recording(0, events, (), AllocatorConfig()))
    assert refused.value.reason.values == {"index": 1}


def test_a_recording_without_events_is_a_state() -> None:
    recording = Recording(0, (), (segment_of((4 * MIB, 4 * MIB, True), (16 * MIB, 0, False)),))
    outcome = replay(recording)
    assert outcome.start_known
    assert outcome.model == outcome.recorded
    assert outcome.model.allocated_peak == 4 * MIB
    assert peak_event(outcome.allocated) == -1
    assert [note.key for note in outcome.notes] == ["replay.start_no_settings"]
    assert [block.requested for block in alive_after(recording, -1)] == [4 * MIB]


def test_what_was_alive_at_the_peak_is_named() -> None:
    program = Program()
    keep, drop = program.alloc(3 * MIB), program.alloc(40 * MIB)
    assert keep is not None
    assert drop is not None
    program.free(drop)
    program.alloc(4 * MIB)
    recording = program.recording()
    outcome = replay(recording)
    peak = peak_event(outcome.allocated)
    alive = alive_after(recording, peak)
    assert [(block.address, block.requested) for block in alive] == [(drop, 40 * MIB), (keep, 3 * MIB)]
    assert recording.events[peak] == Event("alloc", drop, 40 * MIB, 0)
    assert alive[0].event == peak


@examples(60)
@given(PROGRAM)
def test_the_same_settings_from_the_beginning_come_to_the_same(steps: list[Any]) -> None:
    program = run(steps, AllocatorConfig())
    served = what_if(program.recording(), AllocatorConfig())
    statistics = program.allocator.statistics
    assert served.totals.allocated_peak == statistics.allocated_peak
    assert served.totals.reserved_peak == statistics.reserved_peak
    assert served.totals.reserved == statistics.reserved
    assert served.totals.segments == len(program.state())


def test_other_settings_change_what_is_reserved() -> None:
    program = Program()
    for size in (12 * MIB, 13 * MIB, 14 * MIB, 15 * MIB):  # each frees what the next is too large for
        address = program.alloc(size)
        assert address is not None
        program.free(address)
    assert program.allocator.statistics.reserved == 42 * MIB  # 12, 14 for 13 and then for 14, 16
    recording = program.recording()
    assert what_if(recording, GROWING).totals.reserved_peak == 20 * MIB
    with_end = what_if(recording, AllocatorConfig(), capacity_bytes=20 * MIB)
    assert (with_end.totals.reserved_peak, with_end.retries, with_end.ran_out_at) == (16 * MIB, 2, None)
    assert what_if(recording, AllocatorConfig(), capacity_bytes=13 * MIB).ran_out_at == 5


class Stopped(Exception):  # noqa: N818  # what a caller raises to stop, no error
    """Somebody wants the work to stop."""


@given(steps=PROGRAM)
@examples(20)
def test_the_segments_after_the_last_event_are_those_at_the_end(steps: list[Any]) -> None:
    program = run(steps, AllocatorConfig())
    recording = program.recording()
    assert segments_after(recording, len(recording.events) - 1) == recording.segments
    assert segments_after(recording, -1) == ()


def test_long_work_can_be_stopped() -> None:
    program = Program()
    for _ in range(3):
        address = program.alloc(MIB)
        assert address is not None
        program.free(address)
    recording = program.recording()

    def stop() -> None:
        raise Stopped

    with pytest.raises(Stopped):
        replay(recording, stop)
    with pytest.raises(Stopped):
        alive_after(recording, 0, stop)
    with pytest.raises(Stopped):
        what_if(recording, AllocatorConfig(), check=stop)
