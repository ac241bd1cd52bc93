"""Bar of the planner: 1,000 layouts of Llama 3.1 405B in a second, whatever the number of ranks.

Run with ``python -m pytest tests/benchmarks/test_plan.py -s``. Processor time, so that another load on the
machine does not count; the best of a few rounds, so that a busy neighbour on the same core counts little.
"""

from __future__ import annotations

import time
from itertools import islice

from optmem_gui.architectures.presets import preset_ref
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.planner import Planner, counts
from optmem_gui.engine.gpu_table import find_gpu

H100 = find_gpu("h100-80gb")
SCENARIO = Scenario(
    preset_ref("llama-3.1-405b"),
    precision="bf16-master",
    batch=1,
    sequence=8192,
    checkpointing="full",
    accumulate=16,
    gpu=H100.id,
)
LAYOUTS = 1_000
SECONDS = 1.0
ROUNDS = 5


def _seconds(count: int) -> tuple[float, int]:
    start = time.process_time()
    planner = Planner(SCENARIO, H100)
    found = sum(1 for _ in islice((each for gpus in counts() for each in planner.layouts(gpus)), count))
    return time.process_time() - start, found


def test_a_thousand_layouts_take_a_second() -> None:
    rounds = [_seconds(LAYOUTS) for _ in range(ROUNDS)]
    assert all(found == LAYOUTS for _, found in rounds)
    best = min(seconds for seconds, _ in rounds)
    print(f"{LAYOUTS} layouts of Llama 3.1 405B in {best:.2f} s of processor time")  # noqa: T201  # the figures are the point
    assert best <= SECONDS


def test_more_ranks_cost_the_same() -> None:
    """A layout of 16,384 ranks against one of 512, once what both share is there."""
    best: dict[int, float] = {}
    for _ in range(ROUNDS):
        planner = Planner(SCENARIO, H100)
        list(planner.layouts(8192))
        for gpus in (512, 16_384):
            start = time.process_time()
            found = len(list(planner.layouts(gpus)))
            each = (time.process_time() - start) / found
            best[gpus] = min(each, best.get(gpus, each))
    few, many = best[512], best[16_384]
    print(f"a layout of 512 ranks {1e6 * few:.0f} us, of 16,384 {1e6 * many:.0f} us")  # noqa: T201  # as above
    assert many < 2 * few
