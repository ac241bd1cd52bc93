"""Bar of deciding: every GPU, the largest batch, or the longest sequence costs at most ten estimates.

Run with ``python -m pytest tests/benchmarks/test_decide.py``. Processor time is compared in one process,
each time with a model of another size and without anything kept from before, on both sides.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

import pytest

from optmem_gui.core import ends
from optmem_gui.core.activations import course, estimate, loss, stages, tape
from optmem_gui.core.estimate import compute
from optmem_gui.core.gpu_fits import gpu_fits
from optmem_gui.core.scenario import Attention, Scenario
from optmem_gui.core.solve import solve
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine.gpu_table import load_gpus

GPUS = load_gpus()
MOST_ESTIMATES = 10
ROUNDS = 7
BILLIONS = (1, 7, 70)


def _forget() -> None:
    estimate._of_plan.cache_clear()
    stages.layer_stage.cache_clear()
    loss.loss_stage.cache_clear()
    tape.in_block.cache_clear()
    ends.ends_of.cache_clear()
    course.course_of.cache_clear()


def _least(work: Callable[[Scenario], object], scenarios: Sequence[Scenario]) -> float:
    taken = []
    for scenario in scenarios:
        _forget()
        start = time.process_time()
        work(scenario)
        taken.append(time.process_time() - start)
    return min(taken)


def _fresh(billions: int, attention: Attention, checkpointing: str) -> list[Scenario]:
    """The same scenario with as many slightly larger models as there are rounds."""
    return [
        Scenario(
            synthetic_ref(billions * 10**9 + index * 10**6),
            precision="bf16",
            batch=1,
            sequence=2048,
            attention=attention,
            checkpointing=checkpointing,
        )
        for index in range(ROUNDS)
    ]


@pytest.mark.parametrize("checkpointing", ["none", "full", "attention"])
@pytest.mark.parametrize("attention", ["auto", "eager", "flash"])
@pytest.mark.parametrize("billions", BILLIONS)
def test_deciding_costs_at_most_ten_estimates(
    billions: int, attention: Attention, checkpointing: str
) -> None:
    scenarios = _fresh(billions, attention, checkpointing)
    for gpu in (GPUS["b200"], GPUS["h100-80gb"], GPUS["rtx-4090"]):
        one = _least(partial(compute, gpu=gpu), scenarios)
        works: dict[str, Callable[[Scenario], object]] = {
            "every GPU": partial(gpu_fits, gpus=tuple(GPUS.values())),
            "largest batch": partial(solve, gpu=gpu, what="batch"),
            "longest sequence": partial(solve, gpu=gpu, what="sequence"),
        }
        for what, work in works.items():
            times = _least(work, scenarios) / one
            assert times <= MOST_ESTIMATES, f"{gpu.id}, {what}: {times:.1f} estimates"
