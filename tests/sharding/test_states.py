"""What every rank of a real run holds: 0 bytes from what the program says."""

from __future__ import annotations

from typing import Any

import pytest

from optmem_gui.core.errors import UserError
from optmem_gui.core.layout import place
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.sharding.engines import share_of
from optmem_gui.core.sharding.per_rank import held_by
from tests.sharding.jobs import Case, cases, refused

Found = dict[str, list[dict[str, Any]]]

RUNS = list(cases())
DDP = [run for run in RUNS if run.parallel.shard == "ddp"]


@pytest.mark.parametrize("case", RUNS, ids=lambda case: case.name)
def test_every_rank_holds_what_is_said(case: Case, found: Found) -> None:
    rows = found[case.name]
    assert len(rows) == case.parallel.gpus
    for rank, row in enumerate(rows):
        assert "refused" not in row, row["refused"]
        said = held_by(case.scenario, rank)
        assert said.weights_bytes == row["weights_stored"], rank
        assert said.weights_bytes - said.weights_padding_bytes == row["weights"], rank
        assert said.gradients_bytes == row["gradients_stored"], rank
        assert said.gradients_bytes - said.gradients_padding_bytes == row["gradients"], rank
        assert said.state_bytes == row["state"], (rank, row["kinds"])


@pytest.mark.parametrize("case", list(refused()), ids=lambda case: case.name)
def test_what_an_engine_cannot_run_is_refused(case: Case, found: Found) -> None:
    assert all("refused" in row for row in found[case.name])
    with pytest.raises(UserError) as caught:
        held_by(case.scenario, 0)
    assert case.optimizer in str(caught.value)
    assert case.parallel.shard in str(caught.value)


@pytest.mark.parametrize(
    "case", [run for run in RUNS if run.parallel.shard == "ddp"], ids=lambda case: case.name
)
def test_buckets_are_as_large_as_the_gradients(case: Case, found: Found) -> None:
    share = share_of(place(case.scenario), case.parallel, 3)
    for row in found[case.name]:
        if case.parallel.bucket_view:
            assert row["buckets"] == row["gradients_stored"]  # the gradients are the buckets
            assert share.buffers.standing == 0
        else:
            assert row["buckets"] == share.buffers.standing


def test_padding_of_the_last_ranks_is_not_state(found: Found) -> None:
    """20 rows on 8 ranks: seven parts of 3, 3, ... rows, the last rank has none, its storage has 3."""
    case = next(
        run for run in RUNS if run.parallel == Parallel(gpus=8, shard="fsdp2") and run.precision == "bf16"
    )
    first, last = found[case.name][0], found[case.name][-1]
    assert last["weights_stored"] == first["weights_stored"]
    assert last["weights"] < first["weights"]
    assert last["state"] < first["state"]


def test_the_worst_rank_is_the_one_that_is_counted(found: Found) -> None:
    for case in RUNS:
        holdings = [held_by(case.scenario, rank) for rank in range(case.parallel.gpus)]
        assert max(h.state_bytes for h in holdings) == max(row["state"] for row in found[case.name])


def test_a_rank_that_is_not_there() -> None:
    case = Case(Parallel(gpus=8, shard="fsdp2"), "torch.AdamW")
    with pytest.raises(UserError, match="8 is not among 8 ranks"):
        held_by(case.scenario, 8)
