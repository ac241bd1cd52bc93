"""Published figures: the ZeRO paper's table and DeepSpeed's estimators."""

from __future__ import annotations

import pytest

from optmem_gui.core.estimate import compute
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref

# arXiv 1910.02054, table 1 and figure 1: model states in GB of 10^9 bytes, mixed precision with Adam.
ZERO_PAPER = [
    (7_500_000_000, 1, 120, 120, 120),
    (7_500_000_000, 4, 52.5, 41.25, 30),
    (7_500_000_000, 16, 35.625, 21.5625, 7.5),
    (7_500_000_000, 64, 31.40625, 16.640625, 1.875),
    (7_500_000_000, 256, 30.3515625, 15.41015625, 0.46875),
    (7_500_000_000, 1024, 30.087890625, 15.1025390625, 0.1171875),
    (128_000_000_000, 64, 536, 284, 32),
    (1_000_000_000_000, 1024, 4011.71875, 2013.671875, 15.625),
]
MODEL_STATES = ("weights", "gradients", "master_weights", "optimizer_state")


@pytest.mark.parametrize(("params", "gpus", "zero1", "zero2", "zero3"), ZERO_PAPER)
def test_model_states_of_the_zero_paper(
    params: int, gpus: int, zero1: float, zero2: float, zero3: float
) -> None:
    for shard, gigabytes in (("zero1", zero1), ("zero2", zero2), ("zero3", zero3)):
        scenario = Scenario(
            synthetic_ref(params),
            optimizer="torch.Adam",
            precision="fp16-master",
            parallel=Parallel(gpus=gpus, shard=shard),
        )
        breakdown = compute(scenario)
        held = sum(breakdown.component(name).bytes for name in MODEL_STATES)
        # Adam's step counter is one fp32 scalar; a part is rounded up to a whole element, in 6 tensors
        # or fewer for the flat vectors and in every tensor for ZeRO-3's weights
        tensors = scenario.model.tensor_count
        assert 0 <= held - gigabytes * 1e9 <= 4 + 6 * 4 + 2 * tensors
