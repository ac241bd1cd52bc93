"""Bar of deciding: every GPU, the largest batch, or the longest sequence costs at most ten estimates.

Run with ``python -m pytest tests/benchmarks/test_decide.py``. Processor time is compared in one process,
each time without anything kept from the estimate before.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from optmem_gui.core.activations import estimate, loss, stages
from optmem_gui.core.estimate import compute
from optmem_gui.core.gpu_fits import gpu_fits
from optmem_gui.core.scenario import Attention, Scenario
from optmem_gui.core.solve import solve
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine.gpu_table import load_gpus

GPUS = load_gpus()
MOST_ESTIMATES = 10
ROUNDS = 7


def _forget() -> None:
    estimate._of_plan.cache_clear()
    stages.layer_stage.cache_clear()
    loss.loss_stage.cache_clear()


def _least(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(ROUNDS):
        _forget()
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


@pytest.mark.parametrize("attention", ["auto", "eager"])
def test_deciding_costs_at_most_ten_estimates(attention: Attention) -> None:
    scenario = Scenario(synthetic_ref(7_000_000_000), batch=1, sequence=2048, attention=attention)
    gpu = GPUS["b200"]
    one = _least(lambda: compute(scenario, gpu))
    works = {
        "every GPU": lambda: gpu_fits(scenario, GPUS.values()),
        "largest batch": lambda: solve(scenario, gpu, "batch"),
        "longest sequence": lambda: solve(scenario, gpu, "sequence"),
    }
    for what, work in works.items():
        times = _least(work) / one
        assert times <= MOST_ESTIMATES, f"{attention}, {what}: {times:.1f} estimates"
