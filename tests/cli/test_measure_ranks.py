"""``optmem measure --gpus N`` on the CPU: every rank beside its estimate, byte for byte."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Optmem

SMALL = ("--params", "50k", "--precision", "fp32", "--batch", 1, "--seq", 8, "--device", "cpu", "--steps", 2)


def test_every_rank_is_listed_with_its_error(optmem: Optmem) -> None:
    """50,000 parameters in fp32, half a rank; an odd number of rows pads the second rank's storage."""
    answer = optmem("measure", *SMALL, "--gpus", 2, "--shard", "fsdp2", "--json")
    assert answer.code == 0, answer.err
    document = answer.document
    assert [rank["rank"] for rank in document["ranks"]] == [0, 1]
    for rank in document["ranks"]:
        assert rank["status"] == "done"
        parts = {row["id"]: row for row in rank["components"]}
        assert set(parts) == {"weights", "gradients", "optimizer_state"}
        assert all(row["difference"] == 0 for row in parts.values())
        assert rank["peak"] > parts["weights"]["measured"] + parts["optimizer_state"]["measured"]
    first, second = ({row["id"]: row["measured"] for row in rank["components"]} for rank in document["ranks"])
    assert first["weights"] == second["weights"]  # padding included
    assert first["weights"] + second["weights"] > 4 * 50_000
    assert [note["code"] for note in document["notes"]] == ["measure.rank_padding"]


def test_people_read_a_table_of_ranks(optmem: Optmem) -> None:
    answer = optmem("measure", *SMALL, "--gpus", 2, "--shard", "ddp")
    assert answer.code == 0, answer.err
    rows = [line.split() for line in answer.out.splitlines() if line.strip().startswith(("0 ", "1 "))]
    assert ["0", "Weights", "200,000", "200,000", "exact"] in rows
    assert ["1", "Gradients", "200,000", "200,000", "exact"] in rows


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--gpus", 9), "9 ranks are too many"),
        (("--gpus", 2, "--shard", "zero1"), "zero1 is not measured"),
        (("--gpus", 2, "--device", "cuda"), "this machine shows 0|at least"),
    ],
)
def test_ranks_that_cannot_run_are_one_line(
    optmem: Optmem, words: tuple[object, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert any(part in optmem("measure", *SMALL, *words).refusal for part in said.split("|"))
