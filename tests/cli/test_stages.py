"""``--stages``: layers of every pipeline stage."""

from __future__ import annotations

from pathlib import Path

from optmem_gui.core.parallel import Parallel
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.report.scenario_file import save_scenario
from tests.cli.conftest import Optmem

RUN = ("--params", "1B", "--precision", "bf16", "--batch", 1, "--seq", 512, "--accumulate", 8)
LAYERS = synthetic_ref(10**9).architecture.layers  # type: ignore[union-attr]  # a synthetic model has one


def test_the_list_sets_the_number_of_stages(optmem: Optmem) -> None:
    stages = f"3,4,{LAYERS - 7}"
    given = optmem("estimate", *RUN, "--gpus", 3, "--stages", stages, "--json").document
    assert given["scenario"]["parallel"]["pp"] == 3
    assert given["scenario"]["parallel"]["stages"] == [3, 4, LAYERS - 7]
    even = optmem("estimate", *RUN, "--gpus", 3, "--pp", 3, "--json").document
    assert given["peak"]["allocated"] != even["peak"]["allocated"]
    text = optmem("estimate", *RUN, "--gpus", 3, "--stages", stages).out
    assert f"stage 3 of 3: {LAYERS - 7} layers" in text


def test_a_sum_that_is_not_the_models_is_refused_in_one_line(optmem: Optmem) -> None:
    answer = optmem("estimate", *RUN, "--gpus", 2, "--stages", "5,6")
    assert answer.code == 2
    assert answer.err.count("\n") == 1
    assert f"11 layers in all, but the model has {LAYERS}" in answer.err
    assert "is not a list of layers" in optmem("estimate", *RUN, "--gpus", 2, "--stages", "5;x").err


def test_another_number_of_stages_than_the_file_says(optmem: Optmem, tmp_path: Path) -> None:
    """The layers of a file's own two stages say nothing about four."""
    parallel = Parallel(gpus=4, pp=2, stages=(LAYERS - 5, 5))
    path = tmp_path / "run.optmem"
    save_scenario(path, Scenario(synthetic_ref(10**9), precision="bf16", parallel=parallel))
    kept = optmem("estimate", path, "--json").document["scenario"]["parallel"]
    assert (kept["pp"], kept["stages"]) == (2, [LAYERS - 5, 5])
    other = optmem("estimate", path, "--pp", 4, "--json").document["scenario"]["parallel"]
    assert (other["pp"], other["stages"]) == (4, [])
