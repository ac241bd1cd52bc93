"""Measurements that are kept: everything comes back, and one bad file does not take the others along."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.cli.results import result_text
from optmem_gui.core.errors import UserError
from optmem_gui.core.protocol import PhaseSample, Sample
from optmem_gui.core.rank_rows import rank_changes
from optmem_gui.core.reasons import Reason
from optmem_gui.core.result_rows import result_changes
from optmem_gui.core.units import GIB, MIB
from optmem_gui.report.keeping import courses
from optmem_gui.report.kept_file import MAX_FILE_BYTES, SCHEMA, kept_text, parse_kept
from optmem_gui.report.kept_result import FORMAT, Course
from optmem_gui.report.results_store import ResultsStore, is_result, load_result
from tests.examples import examples
from tests.report.kept_samples import MS, kept, kept_ranks, outcome, scenario


@pytest.fixture
def store(tmp_path: Path) -> ResultsStore:
    return ResultsStore(tmp_path / "data" / "measurements")


def refusal(error: pytest.ExceptionInfo[UserError]) -> tuple[str, str]:
    return error.value.code, str(error.value)


def test_everything_comes_back_from_the_file(store: ResultsStore) -> None:
    for one in (kept(gpu=True), kept(gpu=False, minute=1)):
        assert store.keep(one) is None
        assert store.load(one.id) == one


def test_the_head_says_who_measured_what_when_and_where(store: ResultsStore) -> None:
    one = kept()
    store.keep(one)
    document = json.loads((store.folder / f"{one.id}.json").read_text())
    assert (document["format"], document["schema"]) == (FORMAT, 1)
    assert re.fullmatch(r"20261130-\d{6}-[0-9a-f]{4}", one.id)
    assert document["date"].startswith("2026-11-30T")
    assert document["hello"]["torch"] == "2.13.0"
    assert document["hello"]["python"] == "3.11.9"
    assert document["facts"] == {
        "uuid": "GPU-fake",
        "driver": "580.00",
        "total_bytes": 80 * GIB,
        "reserved_bytes": GIB,
        "version": 2,
    }
    assert document["sample_hz"] == 250
    assert document["others"][0]["processes"] == [{"pid": 9, "name": "/usr/bin/x", "used_bytes": GIB}]
    assert one.asked() == scenario()


def test_the_course_of_the_run_comes_back_to_the_microsecond() -> None:
    one, ran = kept(), outcome(scenario())
    events = parse_kept(kept_text(one).encode(), "x").samples()
    start = ran.phases[0].start_ns
    told = [event for event in events if isinstance(event, Sample)]
    assert [replace(s, clock_ns=(s.clock_ns - start) // 1000) for s in told] == [
        replace(s, clock_ns=(s.clock_ns - start) // 1000) for s in ran.samples
    ]
    assert tuple(event for event in events if isinstance(event, PhaseSample)) == ran.phases
    ends = [event.clock_ns if isinstance(event, Sample) else event.end_ns for event in events]
    assert ends == sorted(ends)


def test_a_minute_at_a_thousand_a_second_is_below_a_megabyte() -> None:
    ran = outcome(scenario())
    many = tuple(
        Sample(at * MS, (2 + at % 7) * GIB, (1 + at % 5) * GIB if at % 10 == 0 else None, None)
        for at in range(60_000)
    )
    one = replace(kept(), courses={})
    text = kept_text(replace(one, courses=courses(replace(ran, samples=many))))
    assert len(text) < 1 << 20
    assert len(parse_kept(text.encode(), "x").samples()) == 60_000 + len(ran.phases)


def test_figures_of_three_sides_stand_in_rows() -> None:
    """By hand: 1,000,000 fp32 parameters of 4 B; AdamW keeps 8 B each."""
    rows = {(row.kind, row.id): row for row in kept(gpu=True).rows}
    assert rows["component", "weights"].measured == rows["component", "weights"].estimated == 4_000_000
    assert rows["component", "optimizer_state"].measured == 8_000_000
    assert rows["component", "optimizer_state"].tier == "state"
    # 12,000,000 B stand between two steps in tensors that are known, and 8 MiB that are not
    assert rows["component", "workspace"].measured == 8 * MIB
    assert rows["reserved", "reserved"].measured == 100 * MIB
    peak = 12_000_000 + 8 * MIB + 8_000_000
    assert rows["peak", "allocated"].measured == peak
    assert rows["reserved", "fragmentation"].measured == 100 * MIB - peak
    assert rows["process", "process"].measured == 580 * MIB
    assert rows["process", "context"].measured == 480 * MIB
    # the band without a calibration is 250 to 650 MiB, its middle 450: 30 MiB less than was measured
    assert rows["process", "context"].estimated == 450 * MIB
    assert rows["process", "context"].estimated_error == pytest.approx(-30 / 480)
    assert all(row.simulated is None and row.simulated_error is None for row in rows.values())


def test_on_the_cpu_there_is_nothing_between_the_peak_and_the_process() -> None:
    rows = {(row.kind, row.id): row for row in kept(gpu=False).rows}
    assert not {key for key in rows if key[0] == "reserved"}
    assert ("component", "workspace") not in rows
    assert rows["process", "process"].measured == 300 * MIB


def test_two_results_differ_where_they_do() -> None:
    first, second = kept(), kept(more=MIB, minute=5)
    changes = {(c.kind, c.id): c for c in result_changes(first.rows, second.rows)}
    assert changes["component", "activations"].difference == MIB
    assert changes["component", "activations"].share == pytest.approx(0.5)
    assert changes["component", "weights"].difference == 0
    assert list(dict.fromkeys(kind for kind, _ in changes)) == [
        "component",
        "phase",
        "peak",
        "reserved",
        "process",
    ]
    on_cpu = {(c.kind, c.id): c for c in result_changes(first.rows, kept(gpu=False).rows)}
    assert on_cpu["reserved", "reserved"].second is None
    assert on_cpu["reserved", "reserved"].difference is None


def test_the_list_shows_the_latest_first_with_what_they_found(store: ResultsStore) -> None:
    for minute in (3, 1, 2):
        store.keep(kept(minute=minute))
    listing = store.listed()
    assert [entry.date[11:16] for entry in listing.entries] == sorted(
        (entry.date[11:16] for entry in listing.entries), reverse=True
    )
    entry = listing.entries[0]
    assert entry.summary.optimizer == "torch.AdamW"
    assert entry.summary.peak_bytes == 20_000_000 + 8 * MIB
    assert entry.summary.error is not None
    assert listing.problems == ()


DAMAGE: dict[str, Callable[[str], str]] = {
    "cut": lambda text: text[: len(text) // 2],
    "empty": lambda text: "",
    "no object": lambda text: "[1, 2]",
    "another format": lambda text: text.replace(FORMAT, "something"),
    "newer": lambda text: text.replace('"schema": 1', f'"schema": {SCHEMA + 1}', 1),
    "a wrong type": lambda text: text.replace('"steps": 2', '"steps": "two"'),
    "a constant": lambda text: text.replace('"steps": 2', '"steps": NaN'),
    "a missing field": lambda text: text.replace('"summary"', '"sumary"'),
    "deep": lambda text: "[" * 100_000,
    "no text": lambda text: "\0\1",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_or_newer_file_is_one_line_and_the_others_stay(store: ResultsStore, damage: str) -> None:
    good, bad = kept(), kept(minute=1)
    store.keep(good)
    store.keep(bad)
    path = store.folder / f"{bad.id}.json"
    path.write_text(DAMAGE[damage](path.read_text()))
    with pytest.raises(UserError) as error:
        load_result(path)
    code, line = refusal(error)
    expected = {"newer": "newer", "another format": "not_a_result", "no object": "not_a_result"}
    expected |= {"empty": "not_a_result", "deep": "not_a_result", "no text": "not_a_result"}
    assert code == f"results.{expected.get(damage, 'damaged')}"
    assert line.startswith(f"{bad.id}.json: ")
    assert "\n" not in line
    listing = store.listed()
    assert good.id in [entry.id for entry in listing.entries]
    if damage != "a wrong type":  # the list does not read that far
        assert [reason.key for reason in listing.problems] != []
        assert [entry.id for entry in listing.entries] == [good.id]


def test_a_reason_that_nobody_knows_is_left_out_instead_of_failing() -> None:
    text = kept_text(replace(kept(), warnings=(Reason("from.the_future"), Reason("measure.others_changed"))))
    assert parse_kept(text.encode(), "x").warnings == ()


def test_a_file_that_is_too_large_is_not_read(store: ResultsStore, tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(UserError) as error:
        load_result(path)
    assert refusal(error)[0] == "results.too_large"


def test_names_and_notes_are_kept_and_results_deleted(store: ResultsStore) -> None:
    one = kept()
    store.keep(one)
    store.describe(one.id, " before the change ", "with the old loader")
    entry = store.listed().entries[0]
    assert (entry.title, entry.note) == ("before the change", "with the old loader")
    assert store.load(one.id).rows == one.rows
    store.delete(one.id)
    store.delete(one.id)
    assert store.listed().entries == ()
    with pytest.raises(UserError, match="no measurement"):
        store.load(one.id)


def test_an_id_may_be_shortened_as_long_as_it_is_the_only_one(store: ResultsStore) -> None:
    first, second = kept(), kept(minute=1)
    store.keep(first)
    store.keep(second)
    assert store.find(first.id) == first.id
    assert store.find(first.id[:14]) == first.id
    for text, key in (("2026", "results.several"), ("1999", "results.unknown"), ("", "results.unknown")):
        with pytest.raises(UserError) as error:
            store.find(text)
        assert refusal(error)[0] == key


def test_a_folder_that_cannot_be_written_is_said_once_and_results_stay_in_memory(tmp_path: Path) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("")  # also for the superuser, who may write in a folder that is read-only
    store = ResultsStore(blocked / "measurements")
    first, second = kept(), kept(minute=1)
    said = store.keep(first)
    assert said is not None
    assert said.key == "results.not_kept"
    assert "stay in memory" in str(said)
    assert store.keep(second) is None
    assert {entry.id for entry in store.listed().entries} == {first.id, second.id}
    assert store.load(first.id) == first
    assert store.describe(first.id, "a name", "").name == "a name"
    assert store.load(first.id).name == "a name"
    store.delete(first.id)
    assert [entry.id for entry in store.listed().entries] == [second.id]


def test_an_exported_result_opens_elsewhere(store: ResultsStore, tmp_path: Path) -> None:
    one = kept()
    path = tmp_path / "exported.json"
    path.write_text(kept_text(one))
    assert is_result(path)
    assert not is_result(tmp_path / "nothing.json")
    opened = load_result(path)
    assert store.adopt(opened) is None
    assert store.adopt(opened) is None  # it is here already
    assert [entry.id for entry in store.listed().entries] == [one.id]


def test_the_id_in_a_file_leads_out_of_no_folder(store: ResultsStore, tmp_path: Path) -> None:
    foreign = replace(kept(), id="../../outside")
    store.adopt(foreign)
    assert not (tmp_path / "outside.json").exists()
    assert [path.name for path in store.folder.iterdir()] == ["outside.json"]


def test_series_of_different_lengths_do_not_break_the_plot() -> None:
    broken = replace(kept(), courses={"device": Course((0, 5, 5), (1,))})
    assert sum(isinstance(event, Sample) for event in broken.samples()) == 1


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('"id":"weights"', '"id":"dream"', "no component is called 'dream'"),
        ('"id":"context"', '"id":"weights"', "no process is called 'weights'"),
        ('"phase":"load"', '"phase":"lunch"', "no phase is called 'lunch'"),
        ('"steps": 2', '"steps": 1' + "0" * 400, "more than any size"),
        ('"id": "2026', '"id": "../2026', "is no name of a measurement"),
    ],
)
def test_what_no_program_writes_is_refused(before: str, after: str, said: str) -> None:
    text = kept_text(kept())
    assert before in text
    with pytest.raises(UserError, match=re.escape(said)):
        parse_kept(text.replace(before, after).encode(), "x")


@examples(150)
@given(st.data())
def test_a_file_with_any_damage_is_read_or_refused(data: st.DataObject) -> None:
    """Bytes of a real file are replaced, taken out or doubled; what is read can be shown."""
    content = bytearray(TEXT)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        length = data.draw(st.sampled_from((1, 1, 2, 40)))
        content[at : at + length] = data.draw(
            st.sampled_from((b"", b"9", b"-", b"null", b"[", b'"', b"\xff"))
        )
    read = None
    with suppress(UserError):
        read = parse_kept(bytes(content), "x")
    if read is not None:
        assert result_changes(read.rows, read.rows) is not None
        assert rank_changes(read.ranks, read.ranks) is not None
        assert len(read.samples()) >= len(read.phases)
        assert result_text(read)


TEXT = kept_text(kept_ranks()).encode()
DEBRIS = (b"", b"9", b"-", b"null", b"[", b'"', b"\xff")
