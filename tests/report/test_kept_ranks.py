"""Runs on several ranks as results: kept, read again, compared, each rank beside what is said of it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.protocol import Categories, StepResult
from optmem_gui.core.rank_rows import rank_changes, ranked_scenario
from optmem_gui.core.reasons import Reason
from optmem_gui.core.result_rows import Predictions, result_changes, result_rows
from optmem_gui.core.units import MIB
from optmem_gui.report.keeping import keep_ranks
from optmem_gui.report.kept_file import ONE_DEVICE_SCHEMA, SCHEMA, kept_text, parse_kept
from optmem_gui.report.results_store import ResultsStore
from tests.report.kept_samples import GPU, kept, kept_ranks, rank_outcomes, ranked

COUNT = 1_000_000


def test_everything_comes_back_from_the_file(tmp_path: Path) -> None:
    store = ResultsStore(tmp_path)
    for minute, shard in enumerate(("ddp", "fsdp2", "zero-redundancy")):
        one = kept_ranks(shard=shard, gpu=minute != 1, minute=minute)
        assert store.keep(one) is None
        assert store.load(one.id) == one
    assert [entry.summary.shard for entry in store.listed().entries] == ["zero-redundancy", "fsdp2", "ddp"]
    assert {entry.summary.ranks for entry in store.listed().entries} == {2}
    assert one.asked().parallel == ranked(shard="zero-redundancy").parallel


def test_only_a_file_of_several_ranks_asks_for_a_newer_program() -> None:
    assert json.loads(kept_text(kept()))["schema"] == ONE_DEVICE_SCHEMA
    assert json.loads(kept_text(kept_ranks()))["schema"] == SCHEMA


def test_a_file_of_before_there_were_ranks_opens() -> None:
    fields = json.loads(kept_text(kept()))
    for name in ("rank", "ranks"):
        del fields[name]
    for name in ("ranks", "shard"):
        del fields["summary"][name]
    del fields["result"]["steady"]["categories"]["communication"]
    old = parse_kept(json.dumps(fields).encode(), "old")
    assert (old.ranks, old.summary.ranks, old.summary.shard) == ((), 1, "")
    assert old.rows == parse_kept(json.dumps(fields).encode(), "old").rows != ()


def test_a_newer_file_is_one_line() -> None:
    text = kept_text(kept_ranks()).replace(f'"schema": {SCHEMA}', f'"schema": {SCHEMA + 1}', 1)
    with pytest.raises(UserError, match=r"f\.json: written by OptMem .* update the program"):
        parse_kept(text.encode(), "f.json")


def test_the_rank_with_the_highest_peak_stands_for_all() -> None:
    """Half of 4,000,000 B of weights a rank; the second takes 1 MiB more for activations than the first."""
    one = kept_ranks(shard="fsdp2")
    assert one.rank == 0  # the peak is in the optimizer's step, where both are alike
    rows = {(row.kind, row.id): row for row in one.ranks[1].rows}
    assert rows["component", "weights"].measured == rows["component", "weights"].estimated
    assert 2_000_000 <= (rows["component", "weights"].measured or 0) < 2_100_000  # padding included
    assert rows["reserved", "reserved"].measured == 100 * MIB
    assert rows["peak", "allocated"].estimated is None
    assert one.ranks[1].device == "NVIDIA H100 80GB HBM3"
    assert one.summary.peak_bytes == one.ranks[one.rank].peak_bytes
    assert one.summary.error is not None


def test_ddp_keeps_its_buckets_apart() -> None:
    """As large as the gradients: 4,000,000 B on every rank."""
    for result in kept_ranks(shard="ddp").ranks:
        rows = {row.id: row for row in result.rows}
        assert rows["communication"].measured == rows["communication"].estimated == 4 * COUNT


def test_a_component_is_compared_with_what_is_said_of_the_rank_it_was_measured_on() -> None:
    """The largest of three parts of an odd number of rows is the first rank's; the last rank peaks here."""
    asked = ranked(ranks=2, shard="zero-redundancy")
    first, last = rank_outcomes(asked)
    assert last.result is not None
    phases = tuple(replace(phase, peak_bytes=phase.peak_bytes + MIB) for phase in last.result.steady.phases)
    higher = replace(last, result=replace(last.result, steady=replace(last.result.steady, phases=phases)))
    predictions = Predictions(compute(ranked_scenario(asked, GPU)))
    one = keep_ranks(asked, predictions, (first, higher))
    assert one.rank == 1
    state = next(row for row in one.rows if row.id == "optimizer_state")
    assert state.difference_bytes == 0
    plain = result_rows(predictions, higher.request, last.result, None)
    assert next(row for row in plain if row.id == "optimizer_state").difference_bytes != 0


def test_two_are_compared_rank_by_rank_and_with_one_device() -> None:
    first, second = kept_ranks(shard="ddp"), kept_ranks(shard="fsdp2", minute=1)
    changes = {(each.rank, each.change.id): each.change for each in rank_changes(first.ranks, second.ranks)}
    assert {rank for rank, _ in changes} == {0, 1}
    weights = changes[1, "weights"]
    assert (weights.first, weights.difference) == (4 * COUNT, (weights.second or 0) - 4 * COUNT)
    assert changes[0, "communication"].second is None
    alone = kept(minute=2)
    totals = {change.id: change for change in result_changes(alone.rows, second.rows)}
    assert totals["weights"].first == 4 * COUNT
    assert all(each.change.first is None for each in rank_changes(alone.ranks, second.ranks))


def test_a_rank_that_did_not_fit_is_a_result() -> None:
    asked = ranked()
    first, second = rank_outcomes(asked)
    reason = Reason(
        "measure.out_of_memory", {"phase": "backward", "step": 1, "asked_bytes": 9, "free_bytes": 5}
    )
    lost = replace(second, status="out_of_memory", result=None, reason=reason)
    stopped = replace(
        first, status="cancelled", result=None, reason=Reason("measure.cancelled", {"phase": "build"})
    )
    one = keep_ranks(asked, Predictions(), (stopped, lost))
    assert (one.rank, one.summary.status, one.rows) == (1, "out_of_memory", ())
    assert [result.status for result in one.ranks] == ["cancelled", "out_of_memory"]
    assert parse_kept(kept_text(one).encode(), "x") == one


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('"rank":1,"device"', '"rank":4,"device"', "not one of each, in order"),
        ('"shard":"fsdp2"', '"shard":"dream"', "no engine is called 'dream'"),
        (
            '"kind":"reserved","id":"reserved","estimated":null',
            '"kind":"reserved","id":"x","estimated":null',
            "called",
        ),
    ],
)
def test_what_no_program_writes_is_refused(before: str, after: str, said: str) -> None:
    text = kept_text(kept_ranks())
    assert before in text
    with pytest.raises(UserError, match=re.escape(said)):
        parse_kept(text.replace(before, after).encode(), "x")


def test_between_two_steps_buckets_that_gradients_live_in_are_no_workspace() -> None:
    """8 MiB beside the tensors, as in the sample: with the view the gradients stay as well."""
    asked = replace(ranked(shard="ddp"), parallel=replace(ranked(shard="ddp").parallel, bucket_view=True))
    (one, _) = rank_outcomes(asked)
    assert one.result is not None
    assert one.request.rank is not None
    last = one.result.steady.phases[-1]
    found = Categories(4 * COUNT, 4 * COUNT, 0, 8 * COUNT)
    standing = replace(last, allocated_bytes=16 * COUNT + 8 * MIB)
    steady = StepResult(2, (*one.result.steady.phases[:-1], standing), found, 0)
    request = replace(one.request, rank=replace(one.request.rank, bucket_view=True))
    rows = result_rows(Predictions(), request, replace(one.result, steady=steady), None)
    assert next(row for row in rows if row.id == "workspace").measured == 8 * MIB
