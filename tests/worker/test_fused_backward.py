"""Optimizers that take the model and update inside backward: real steps of LOMO and AdaLOMO."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch

from optmem_gui.core.comparison import ResultRow, compare
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.measuring import measure_request, measured_scenario
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.protocol import Result
from optmem_gui.core.rank_rows import ranked_scenario
from optmem_gui.core.requests import BareTensor, MeasureRequest
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.worker.measure import Run

lomo_optim = pytest.importorskip("lomo_optim")

LOMO, ADALOMO = "lomo_optim.Lomo", "lomo_optim.AdaLomo"
SCALARS = 64
"""Bytes of a loss, its parts and their like."""


@pytest.fixture(autouse=True)
def _no_model_is_left() -> None:
    """Hooks of LOMO hold its model in a circle: it goes now, not in the middle of a measurement."""
    gc.collect()


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def scenario(optimizer: str, precision: str = "fp32") -> Scenario:
    """Few tokens and a vocabulary: the loss is the largest moment, before there is any gradient."""
    return Scenario(synthetic_ref(200_000), optimizer=optimizer, precision=precision, batch=2, sequence=32)


def measured(asked: Scenario) -> tuple[Result, dict[str, ResultRow]]:
    result = Run(measure_request(asked, "cpu", 3), lambda message: None).measure()
    return result, {row.id: row for row in compare(compute(measured_scenario(asked, "cpu")), result)}


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_lomo_keeps_nothing_and_peaks_where_it_is_estimated(precision: str) -> None:
    result, rows = measured(scenario(LOMO, precision))
    for component in ("weights", "master_weights", "optimizer_state"):
        assert rows[component].difference_bytes == 0, component
    assert result.steady.categories.gradients == 0  # used up in backward
    before = result.load.start_bytes  # what the tests before this one hold in this process
    peak = (rows["allocated"].measured or 0) - before
    assert abs((rows["allocated"].estimated or 0) - peak) <= SCALARS
    step = (rows["optimizer_step"].measured or 0) - before
    assert step == result.steady.categories.weights  # nothing is left to do, where the estimate counts more
    assert step < (rows["optimizer_step"].estimated or 0)
    said = {reason.key for reason in compute(measured_scenario(scenario(LOMO), "cpu")).assumptions}
    assert "assume.fused_backward" in said
    assert "assume.fused_backward" not in {
        reason.key for reason in compute(scenario("torch.SGD")).assumptions
    }


def test_where_gradients_are_in_the_peak_the_estimate_counts_more() -> None:
    """More tokens: the largest moment comes later in backward, when gradients are gone that are counted."""
    asked = replace(scenario(LOMO), model=synthetic_ref(60_000), sequence=64)
    result, rows = measured(asked)
    peak = (rows["allocated"].measured or 0) - result.load.start_bytes
    more = (rows["allocated"].estimated or 0) - peak
    assert 0 < more <= compute(asked).component("gradients").bytes


@pytest.mark.parametrize(("precision", "width", "update"), [("fp32", 4, 4 * 1000), ("bf16", 2, 2 * 4 * 1000)])
def test_one_gradient_at_a_time_and_fp32_copies_of_16_bit_ones(
    precision: str, width: int, update: int
) -> None:
    """1000 and 600 elements: the first gradient in fp32; in bf16, fp32 copies of it and of its weight."""
    request = MeasureRequest(
        "cpu",
        LOMO,
        precision=precision,
        tensors=(BareTensor((1000,), "fp32"), BareTensor((600,), "fp32")),
        whole_model=True,
        fused_backward="fused_backward",
        steps=2,
    )
    result = Run(request, lambda message: None).measure()
    backward = next(phase for phase in result.steady.phases if phase.phase == "backward")
    taken = backward.peak_bytes - result.load.start_bytes - width * 1600
    assert update <= taken <= update + SCALARS


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_adalomo_keeps_what_is_estimated(precision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real class, whose ``.cuda()`` stays on the CPU here."""
    monkeypatch.setattr(torch.Tensor, "cuda", _stay)
    result, rows = measured(scenario(ADALOMO, precision))
    assert rows["optimizer_state"].difference_bytes == 0
    assert rows["optimizer_state"].measured
    assert {row.name for row in result.state} == set(find(ADALOMO).state_attributes)
    assert {row.dtype for row in result.state} == {"float32"}
    assert rows["weights"].difference_bytes == 0


def _stay(tensor: torch.Tensor, *_where: Any) -> torch.Tensor:
    return tensor


def test_a_class_that_insists_on_a_gpu_is_one_line_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_where: Any) -> torch.Tensor:
        raise AssertionError("Torch not compiled with CUDA enabled")

    monkeypatch.setattr(torch.Tensor, "cuda", refuse)
    with pytest.raises(UserError, match=r"AdaLomo.*Torch not compiled with CUDA enabled"):
        measured(scenario(ADALOMO))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"precision": "bf16-master"}, "precision=bf16-master"),
        ({"precision": "amp-fp16"}, "precision=amp-fp16"),
        ({"precision": "fp16"}, "precision=fp16"),
        ({"clip": True, "accumulate": 2}, "clip, accumulate=2"),
    ],
)
def test_what_comes_between_backward_and_the_step_is_refused(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=f"updates inside backward, which does not go with {words}"):
        measure_request(replace(scenario(LOMO), **changed), "cpu")
    assert measure_request(replace(scenario("torch.SGD"), **changed), "cpu").fused_backward == ""


def test_several_ranks_are_refused() -> None:
    asked = replace(scenario(LOMO), parallel=Parallel(gpus=2))
    with pytest.raises(UserError, match="does not go with gpus=2"):
        ranked_scenario(asked, "cpu")
