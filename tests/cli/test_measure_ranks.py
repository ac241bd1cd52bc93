"""``optmem measure --gpus N`` on the CPU: every rank beside its estimate, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from optmem_gui.paths import results_dir
from optmem_gui.report.results_store import ResultsStore, load_result
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
        assert set(parts) == {"weights", "gradients", "optimizer_state"}  # FSDP2 keeps no buckets
        assert all(row["difference"] == 0 for row in parts.values())
        assert rank["peak"] > parts["weights"]["measured"] + parts["optimizer_state"]["measured"]
    first, second = ({row["id"]: row["measured"] for row in rank["components"]} for rank in document["ranks"])
    assert first["weights"] == second["weights"]  # padding included
    assert first["weights"] + second["weights"] > 4 * 50_000
    assert [note["code"] for note in document["notes"]] == ["measure.rank_padding"]
    assert [row["id"] for row in optmem("results", "--json").document["results"]] == [document["id"]]
    assert {row["id"] for row in document["comparison"]} >= {"weights", "allocated", "forward"}


def test_a_run_of_ranks_is_kept_listed_shown_and_compared(optmem: Optmem, tmp_path: Path) -> None:
    """What `measure` prints is what `results show` prints again, here or from an exported file."""
    answer = optmem("measure", *SMALL, "--gpus", 2, "--shard", "ddp")
    assert answer.code == 0, answer.err
    rows = [line.split() for line in answer.out.splitlines() if line.strip().startswith(("0 ", "1 "))]
    assert ["0", "Weights", "200,000", "200,000", "exact"] in rows
    assert ["1", "Gradients", "200,000", "200,000", "exact"] in rows
    assert ["1", "Communication", "200,000", "200,000", "exact"] in rows
    result_id = answer.out.split("Kept as ")[1].split()[0]
    assert "2 ranks, DDP" in optmem("results").out
    assert optmem("results", "show", result_id).out.rstrip() == answer.out.split("\nKept as ")[0].rstrip()
    exported = tmp_path / "exported.json"
    exported.write_text(optmem("results", "show", result_id, "--json").out)
    kept = load_result(exported)
    assert kept == ResultsStore(results_dir()).load(result_id)
    assert kept.asked().parallel.gpus == 2
    same = optmem("results", "compare", result_id, exported, "--json").document
    assert {row["rank"] for row in same["ranks"]} == {0, 1}
    assert {row["difference"] for row in same["ranks"]} == {0}


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
