"""``optmem results``: what is kept, shown, compared, told of damage; ``measure`` keeps what it found."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from optmem_gui.core.calibration import Calibration
from optmem_gui.core.units import GIB, MIB
from optmem_gui.engine.child import Launch
from optmem_gui.engine.measurement import Measurement
from optmem_gui.engine.worker_process import child_environment
from optmem_gui.paths import results_dir
from optmem_gui.report.calibrations import calibrations_file, load_calibrations, remember
from optmem_gui.report.kept_file import kept_text
from optmem_gui.report.results_store import ResultsStore
from tests.cli.conftest import Optmem
from tests.report.kept_samples import kept, kept_ranks

FAKE = Path(__file__).parents[1] / "engine" / "fake_worker.py"
SMALL = ("--params", "1M", "--precision", "fp32", "--device", "cpu", "--steps", 2)


@pytest.fixture(autouse=True)
def _own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))


@pytest.fixture
def store() -> ResultsStore:
    return ResultsStore(results_dir())


@pytest.fixture
def fake_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps without torch, as the fake worker says them."""
    command = (sys.executable, str(FAKE), "normal")
    launch = Launch(command, child_environment(os.environ), str(FAKE.parent))
    monkeypatch.setattr("optmem_gui.cli.measure.Measurement", partial(Measurement, worker=launch))


def test_a_measurement_is_kept_and_shown_again(optmem: Optmem) -> None:
    answer = optmem("measure", *SMALL, "--batch", 1, "--seq", 16, "--simulate")
    assert answer.code == 0, answer.err
    result_id = answer.out.split("Kept as ")[1].split()[0]
    head = next(line for line in answer.out.splitlines() if line.startswith("bytes"))
    assert head.split() == ["bytes", "estimated", "error", "simulated", "error", "measured"]
    weights = next(line for line in answer.out.splitlines() if line.startswith("Weights"))
    assert weights.split() == ["Weights", "4,000,000", "exact", "4,000,000", "exact", "4,000,000"]
    assert "Assumed: " in answer.out
    listed = optmem("results")
    assert result_id in listed.out
    shown = optmem("results", "show", result_id[:17])
    assert shown.out.rstrip() == answer.out.split("\nKept as ")[0].rstrip()


@pytest.mark.usefixtures("fake_worker")
def test_the_document_of_a_measurement_names_its_file_and_three_sides(optmem: Optmem) -> None:
    document = optmem("measure", *SMALL, "--json").document
    assert [row["id"] for row in optmem("results", "--json").document["results"]] == [document["id"]]
    rows = {(row["kind"], row["id"]): row for row in document["comparison"]}
    weights = rows["component", "weights"]  # 4,000,000 B estimated, 4 MiB as the fake worker says
    assert (weights["tier"], weights["difference"]) == ("allocated", 4_000_000 - 4 * MIB)
    assert weights["error"] == pytest.approx((4_000_000 - 4 * MIB) / (4 * MIB))
    assert weights["simulated"] is None
    assert rows["component", "optimizer_state"]["tier"] == "state"
    assert rows["process", "process"]["tier"] == "process"
    assert document["device"]["python"] == "3.11.0"
    assert document["others"] == []


def test_nothing_is_kept_at_first(optmem: Optmem) -> None:
    assert "No measurement is kept yet" in optmem("results").out
    assert optmem("results", "--json").document == {"schema": 1, "results": []}


def test_the_latest_comes_first_and_damage_is_one_line_each(optmem: Optmem, store: ResultsStore) -> None:
    for minute in range(3):
        store.keep(kept(minute=minute))
    (store.folder / "broken.json").write_text('{"format": "optmem-measurement", "schema": 1, ')
    (store.folder / "newer.json").write_text(
        '{"format": "optmem-measurement", "schema": 7, "program": "9.0"}'
    )
    answer = optmem("results")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0].split() == ["id", "date", "model", "optimizer", "precision", "device", "peak", "error"]
    dates = [line.split()[2] for line in lines[1:]]
    assert len(dates) == 3
    assert dates == sorted(dates, reverse=True)
    problems = answer.err.splitlines()
    assert len(problems) == 2
    assert any("broken.json: damaged" in line for line in problems)
    assert any("newer.json: written by OptMem 9.0" in line for line in problems)


def test_two_results_stand_beside_each_other(optmem: Optmem, store: ResultsStore, tmp_path: Path) -> None:
    first, second = kept(), kept(more=MIB, minute=1)
    store.keep(first)
    exported = tmp_path / "exported.json"
    exported.write_text(kept_text(second))
    answer = optmem("results", "compare", first.id, exported)
    assert answer.code == 0, answer.err
    row = next(line for line in answer.out.splitlines() if line.startswith("Activations"))
    assert row.split() == ["Activations", "2,097,152", "3,145,728", "+1,048,576", "+50.0%"]
    document = optmem("results", "compare", first.id, exported, "--json").document
    assert document["first"]["id"] == first.id
    changes = {(row["kind"], row["id"]): row for row in document["changes"]}
    assert changes["component", "activations"]["share"] == 0.5
    assert changes["component", "weights"]["difference"] == 0


def test_several_ranks_stand_beside_one_device_and_below_each_rank(
    optmem: Optmem, store: ResultsStore
) -> None:
    alone, shared, other = kept(), kept_ranks(shard="ddp", minute=1), kept_ranks(shard="fsdp2", minute=2)
    for one in (alone, shared, other):
        store.keep(one)
    assert "H100 80GB HBM3, 2 ranks, FSDP2" in optmem("results").out
    text = optmem("results", "show", shared.id).out
    assert "fp32, 2 ranks, DDP, on NVIDIA H100 80GB HBM3" in text
    assert "These are the figures of rank 0, which held most" in text
    mixed = optmem("results", "compare", alone.id, shared.id)
    assert mixed.code == 0, mixed.err
    rows = [line.split() for line in mixed.out.splitlines()]
    assert ["Weights", "4,000,000", "4,000,000", "+0", "+0.0%"] in rows
    assert ["1", "Weights", "4,000,000"] in rows  # one device has no ranks
    both = optmem("results", "compare", shared.id, other.id, "--json").document
    weights = {row["rank"]: row["difference"] for row in both["ranks"] if row["id"] == "weights"}
    assert set(weights) == {0, 1}
    assert all(-2_000_000 <= difference < -1_900_000 for difference in weights.values())  # half of 4,000,000


def test_one_result_as_json_is_the_file(optmem: Optmem, store: ResultsStore) -> None:
    one = replace(kept(), note="after the driver's update")
    store.keep(one)
    assert optmem("results", "show", one.id, "--json").document == json.loads(kept_text(one))
    text = optmem("results", "show", one.id).out
    assert "after the driver's update" in text
    assert "driver 580.00" in text
    assert "Also on the GPU: process 9 /usr/bin/x, 1.00 GiB" in text
    assert "Note: Other processes on the GPU changed" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show",), "show takes 1, 0 given"),
        (("show", "nothing"), "There is no measurement nothing"),
        (("compare", "one"), "compare takes 2, 1 given"),
        (("forget", "GPU-x"), "Nothing was calibrated on GPU-x; calibrated are: none"),
        (("throw", "x"), "invalid choice"),
    ],
)
def test_what_is_not_there_is_one_line(optmem: Optmem, words: tuple[str, ...], said: str) -> None:
    assert said in optmem("results", *words).refusal


@pytest.mark.usefixtures("fake_worker")
def test_where_nothing_can_be_kept_the_figures_are_shown_and_it_is_said(
    optmem: Optmem, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(blocked))
    answer = optmem("measure", *SMALL)
    assert answer.code == 0
    assert "Weights" in answer.out
    assert "measurements cannot be kept there" in answer.out


def calibration(**changed: object) -> Calibration:
    made = Calibration(
        "GPU-1",
        "NVIDIA H100",
        "h100-80gb",
        "580.00",
        "2.13.0",
        400 * MIB,
        410 * MIB,
        80 * GIB,
        GIB,
        "2026-11-30",
    )
    return replace(made, **changed)  # type: ignore[arg-type]  # names of fields


def test_predictions_say_that_they_are_calibrated_until_that_is_forgotten(optmem: Optmem) -> None:
    words = ("estimate", "--params", "1M", "--gpu", "h100-80gb")
    before = optmem(*words, "--json").document
    remember(calibrations_file(), calibration())
    remember(calibrations_file(), calibration(low_bytes=390 * MIB, date="2026-12-01"))
    after = optmem(*words, "--json").document
    assert after["process"]["low"] == after["reserved"]["low"] + 390 * MIB
    assert after["process"]["high"] == after["reserved"]["high"] + 410 * MIB
    assert after["device"]["usable"] == 79 * GIB
    said = "calibrated on this GPU (GPU-1, driver 580.00, torch 2.13.0; 2026-12-01, runs: 2)"
    assert said in optmem(*words).out
    assert optmem(*words[:-1], "l4", "--json").document["process"]["low"] == before["process"]["low"]
    assert "forgotten" in optmem("results", "forget", "GPU-1").out
    assert optmem(*words, "--json").document == before


def test_a_damaged_file_of_calibrations_is_set_aside(optmem: Optmem) -> None:
    file = calibrations_file()
    file.parent.mkdir(parents=True)
    file.write_text('{"version": 1, "calibrations": [{"uuid": 7}]}')
    known, problem = load_calibrations(file)
    assert known == ()
    assert problem is not None
    assert problem.key == "calibrate.file_damaged"
    assert file.with_name(file.name + ".bad").exists()
    assert optmem("estimate", "--params", "1M", "--gpu", "h100-80gb").code == 0
