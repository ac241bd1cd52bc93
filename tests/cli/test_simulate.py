"""``optmem simulate``: the traced step beside the estimate, from every source, and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from optmem_gui.core.breakdown import COMPONENT_IDS, PHASE_IDS
from tests.cli.conftest import Optmem, words_as_id

SMALL = ("--params", "1M", "--optimizer", "torch.AdamW", "--precision", "fp32", "--batch", "1", "--seq", "32")
STEP = """
from torch import nn, randn

def step():
    model = nn.Linear(1024, 512, bias=False)
    return model, randn(8, 1024), lambda model, x: model(x).square().mean()
"""


def test_the_document_has_the_keys_of_an_estimate_and_its_own(optmem: Optmem) -> None:
    answer = optmem("simulate", *SMALL, "--gpu", "h100-80gb", "--torch", "2.9", "--json")
    assert answer.code == 0, answer.err
    document = answer.document
    estimated = optmem("estimate", *SMALL, "--gpu", "h100-80gb", "--json").document
    assert set(estimated) - {"proof"} <= set(document)
    assert document["estimated"]["proof"] == estimated["proof"]  # how the estimate's rules were proven
    parts = {row["id"]: row for row in document["components"]}
    assert tuple(parts) == COMPONENT_IDS
    assert [row["id"] for row in document["phases"]] == list(PHASE_IDS)
    assert sum(row["at_peak"] for row in parts.values()) == document["peak"]["allocated"]
    assert document["peak"]["allocated"] == max(row["bytes"] for row in document["phases"])
    assert document["parameters"]["total"] == 10**6
    assert document["device"]["fits"] == "yes"
    simulated = document["simulated"]
    assert simulated["target"]["torch"] == "2.9"
    assert simulated["target"]["architecture"] == "sm_90"
    assert sum(row["bytes"] for row in simulated["alive"]) == document["peak"]["allocated"]
    assert simulated["reserved"] == document["reserved"]["low"]
    points = document["timeline"]["points"]
    assert max(sum(parts) for _, step, _, parts, _ in points if step == 3) == document["peak"]["allocated"]
    assert {row["id"] for row in document["comparison"]} >= {"weights", "allocated", "reserved"}
    assert document["estimated"]["peak"] == estimated["peak"]


def test_people_read_estimated_beside_simulated(optmem: Optmem) -> None:
    answer = optmem("simulate", *SMALL)
    assert answer.code == 0, answer.err
    assert "no GPU chosen" in answer.out
    row = next(line for line in answer.out.splitlines() if line.startswith("Allocated"))
    estimated, simulated = (int(cell.replace(",", "")) for cell in row.split()[1:3])
    assert abs(estimated - simulated) / simulated < 0.1
    assert "alive at the peak" in answer.out


def test_a_target_that_is_the_cpu_has_neither_blocks_nor_a_reserve(optmem: Optmem) -> None:
    answer = optmem("simulate", *SMALL, "--target", "cpu", "--json")
    assert answer.code == 0, answer.err
    document = answer.document
    assert document["simulated"]["target"]["device"] == "cpu"
    assert document["reserved"]["high"] == document["peak"]["allocated"]
    (peak,) = (row for row in document["comparison"] if row["kind"] == "peak")
    assert abs(peak["difference"]) <= 16  # the scalars of one operator
    rounded = [row["bytes"] for row in document["components"] if row["id"] == "rounding"]
    assert rounded == [0]


def test_a_config_is_built_by_transformers(optmem: Optmem, llama_config: Path) -> None:
    """Two layers of width 64: 96 x 64 x 2 + 2 x (4 x 64 x 64 + 3 x 64 x 128 + 2 x 64) + 64 parameters."""
    answer = optmem("simulate", llama_config, "--batch", 2, "--seq", 16, "--json")
    assert answer.code == 0, answer.err
    assert answer.document["parameters"]["total"] == 96 * 64 * 2 + 2 * (4 * 4096 + 3 * 8192 + 128) + 64
    modules = {row["module"] for row in answer.document["simulated"]["alive"]}
    assert any(module.startswith("model.layers.1.") for module in modules)


def test_a_function_of_the_user(optmem: Optmem, tmp_path: Path) -> None:
    """The weight is 2 MiB in fp32; the step holds it, its gradient and two moments."""
    file = tmp_path / "mine.py"
    file.write_text(STEP)
    answer = optmem("simulate", "--function", f"{file}:step", "--yes", "--json")
    assert answer.code == 0, answer.err
    document = answer.document
    parts = {row["id"]: row["bytes"] for row in document["components"]}
    assert (parts["weights"], parts["gradients"]) == (2 << 20, 2 << 20)
    assert parts["optimizer_state"] == 2 * (2 << 20)
    assert document["estimated"] is None
    assert document["comparison"] == []
    assert document["scenario"]["precision"] == "fp32"


def test_a_function_is_not_run_without_a_yes(optmem: Optmem, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("raise SystemExit('it ran')")
    assert "add --yes" in optmem("simulate", "--function", f"{file}:step").refusal


@pytest.mark.parametrize(("said", "code"), [("y\n", 0), ("\n", 1), ("no\n", 1)])
def test_a_yes_on_a_terminal(
    optmem: Optmem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, code: int
) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

        def readline(self) -> str:
            return said

    file = tmp_path / "mine.py"
    file.write_text(STEP)
    monkeypatch.setattr(sys, "stdin", Terminal())
    answer = optmem("simulate", "--function", f"{file}:step")
    assert answer.code == code, answer.err
    assert str(file) in answer.err


def test_out_of_memory_is_a_result(optmem: Optmem) -> None:
    answer = optmem("simulate", "--params", "20B", "--gpu", "t4", "--batch", 1, "--seq", 8, "--json")
    assert answer.code == 1
    assert answer.document["status"] == "out_of_memory"
    assert answer.document["simulated"]["out_of_memory"]


def test_the_verdict_is_the_exit_code(optmem: Optmem) -> None:
    assert optmem("simulate", *SMALL, "--gpu", "t4", "--check").code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*SMALL, "--check"), "--gpu"),
        ((*SMALL, "--target", "cpu", "--gpu", "t4"), "--gpu is about a GPU"),
        ((*SMALL, "--torch", "newest"), "newest"),
        ((*SMALL, "--allocator", "no_such_setting:1"), "no_such_setting"),
        ((*SMALL, "--optimizer", "keras.Adam"), "keras.Adam"),
        ((*SMALL, "--function", "a.py:f", "--yes"), "--params and --function"),
        (("--function", "a.py", "--yes"), "FILE.py:NAME"),
        (("--function", "nowhere.py:f", "--yes"), "nowhere.py"),
        ((*SMALL, "--precision", "te-fp8"), "te-fp8"),
    ],
    ids=words_as_id,
)
def test_what_cannot_be_simulated_is_one_line(optmem: Optmem, words: tuple[str, ...], said: str) -> None:
    assert said in optmem("simulate", *words).refusal
