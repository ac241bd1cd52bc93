"""What this program says where others had promised too little."""

from __future__ import annotations

import pytest

from optmem_gui.core.estimate import compute
from optmem_gui.core.sharding.deepspeed_estimators import zero3_estimate
from tests.sharding.failures import FAILURES, Failure

GIB = 2**30
V100_BYTES = 32_510 << 20
"""What a V100 of 32 GB shows as usable."""


@pytest.mark.parametrize("failure", [f for f in FAILURES if f.real], ids=lambda f: f.about)
def test_no_promise_is_repeated(failure: Failure) -> None:
    """The reports leave much open, so the bound is loose: half of what was seen, in either direction."""
    assert failure.real is not None
    low, high = failure.real
    said = compute(failure.scenario)
    assert said.process.high / GIB > 0.5 * low
    assert said.process.low / GIB < 1.5 * high


def test_the_estimator_itself_is_reproduced() -> None:
    own = zero3_estimate(6_805_000_000, 131_000_000, 4, offload="all")
    assert round(own.gpu_bytes / GIB, 2) == 0.49
    assert compute(FAILURES[0].scenario).process.low > 20 * own.gpu_bytes


def test_llama_on_eight_v100_ends_in_the_step() -> None:
    """``exp_avg_sq.sqrt()`` asked for 3.14 GiB: 4 bytes of every parameter of a rank's part."""
    scenario = FAILURES[-1].scenario
    said = compute(scenario)
    assert said.peak_phase == "optimizer_step"
    assert said.process.high > V100_BYTES
    asked = 4 * scenario.model.param_count // 8
    assert asked / GIB == pytest.approx(3.138, abs=0.001)
    assert said.component("temporaries").bytes >= asked
