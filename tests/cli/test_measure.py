"""``optmem measure`` on the CPU: real steps beside the estimate, and what is refused before any step."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from optmem_gui.core.breakdown import PHASE_IDS
from optmem_gui.engine import devices
from optmem_gui.engine.devices import Device, Devices
from tests.cli.conftest import Optmem, words_as_id

SMALL = ("--params", "1M", "--optimizer", "torch.AdamW", "--precision", "fp32", "--device", "cpu")


def test_a_measurement_on_the_cpu(optmem: Optmem) -> None:
    answer = optmem("measure", *SMALL, "--batch", 1, "--seq", 32, "--json")
    assert answer.code == 0, answer.err
    document = answer.document
    parts = {row["id"]: row["bytes"] for row in document["components"]}
    assert parts["weights"] == parts["gradients"] == 4 * 10**6
    tensors = document["scenario"]["model"]["tensors"]
    assert parts["optimizer_state"] == 8 * 10**6 + 4 * tensors  # and one fp32 step counter a tensor
    assert [row["id"] for row in document["phases"]] == list(PHASE_IDS)
    assert document["peak"]["allocated"] == max(row["bytes"] for row in document["phases"])
    assert document["reserved"] is None
    assert document["device"]["id"] == "cpu"
    assert document["timeline"]["phases"]
    errors = {row["id"]: row["error"] for row in document["comparison"] if row["kind"] == "component"}
    assert errors["weights"] == errors["gradients"] == errors["optimizer_state"] == 0.0
    assert document["estimated"]["schema"] == document["schema"]


def test_people_read_estimated_beside_measured(optmem: Optmem) -> None:
    answer = optmem("measure", *SMALL, "--steps", 2)
    assert answer.code == 0, answer.err
    assert "Measured on the CPU" in answer.out
    row = next(line for line in answer.out.splitlines() if line.startswith("Weights"))
    assert row.split() == ["Weights", "4,000,000", "4,000,000", "exact"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--device", "tpu"), "tpu"),
        (("--device", "cuda:99"), "cuda:99|CPU build"),
        (("--steps", "1"), "1 steps are too few"),
        (("--sample-hz", "1001"), "--sample-hz"),
        (("--precision", "te-fp8"), "te-fp8"),
    ],
    ids=words_as_id,
)
def test_what_cannot_be_measured_is_one_line(optmem: Optmem, words: tuple[str, ...], said: str) -> None:
    assert re.search(said, optmem("measure", *SMALL, *words).refusal)


def test_a_run_that_would_not_fit_is_refused_before_it_starts(
    optmem: Optmem, monkeypatch: pytest.MonkeyPatch
) -> None:
    cpu = Device(devices.CPU, "a small computer", 1 << 30, 1 << 30)
    monkeypatch.setattr("optmem_gui.cli.measure.list_devices", lambda: Devices((), cpu, None))
    answer = optmem("measure", "--params", "1B", "--device", "auto", "--json")
    assert answer.document["error"]["code"] == "measure.would_not_fit"
    assert "parameters of the same shape would fit" in answer.refusal


def test_a_function_of_the_user_is_measured_without_an_estimate(optmem: Optmem, tmp_path: Path) -> None:
    """A weight of 512 x 256 in fp32; SGD keeps nothing."""
    file = tmp_path / "mine.py"
    file.write_text(
        "from torch import nn, randn\n"
        "def step():\n"
        "    model = nn.Linear(512, 256, bias=False)\n"
        "    return model, randn(4, 512), lambda model, x: model(x).square().mean()\n"
    )
    words = ("--function", f"{file}:step", "--optimizer", "torch.SGD", "--device", "cpu")
    assert "add --yes" in optmem("measure", *words).refusal
    answer = optmem("measure", *words, "--yes", "--json")
    assert answer.code == 0, answer.err
    parts = {row["id"]: row["bytes"] for row in answer.document["components"]}
    assert parts["weights"] == parts["gradients"] == 4 * 512 * 256
    assert parts["optimizer_state"] == 0
    assert answer.document["estimated"] is None


def test_a_config_is_measured_as_transformers_builds_it(optmem: Optmem, llama_config: Path) -> None:
    words = ("--precision", "fp32", "--batch", 1, "--seq", 16, "--device", "cpu", "--json")
    answer = optmem("measure", llama_config, *words)
    assert answer.code == 0, answer.err
    errors = {row["id"]: row["error"] for row in answer.document["comparison"] if row["kind"] == "component"}
    assert errors["weights"] == errors["gradients"] == errors["optimizer_state"] == 0.0
    assert abs(errors["activations"]) < 0.01
