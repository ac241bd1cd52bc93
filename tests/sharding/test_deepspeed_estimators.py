"""DeepSpeed's own estimators, and this program's answer beside them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from optmem_gui.core.estimate import compute
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.deepspeed_estimators import engine_estimate, zero2_estimate, zero3_estimate
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.texts import TEMPLATES

GIB = 2**30
T5_3B, T5_LAYER = 2_851_000_000, 32_000_000


# The current code's own answers for t5-3b on one machine; its documentation still says 15.93 for ZeRO-2.
@pytest.mark.parametrize(("gpus", "gib"), [(8, 11.28), (1, 53.10)])
def test_zero2_of_t5_3b(gpus: int, gib: float) -> None:
    assert zero2_estimate(T5_3B, gpus, offload=False).gpu_bytes / GIB == pytest.approx(gib, abs=0.005)
    assert zero2_estimate(T5_3B, gpus, offload=True).gpu_bytes / GIB == pytest.approx(5.31, abs=0.005)


@pytest.mark.parametrize(
    ("offload", "gpu", "host"),
    [("all", 0.12, 71.69), ("optimizer", 0.78, 63.72), ("none", 6.09, 1.43)],
)
def test_zero3_of_t5_3b(offload: str, gpu: float, host: float) -> None:
    found = zero3_estimate(T5_3B, T5_LAYER, 8, offload=offload)
    assert found.gpu_bytes / GIB == pytest.approx(gpu, abs=0.005)
    assert found.host_bytes / GIB == pytest.approx(host, abs=0.005)
    assert all(reason.key in TEMPLATES for reason in found.left_out)


@pytest.mark.parametrize(("offload", "gib"), [("none", 29.01), ("all", 0.49), ("optimizer", 3.66)])
def test_zero3_of_6805_million(offload: str, gib: float) -> None:
    found = zero3_estimate(6_805_000_000, 131_000_000, 4, offload=offload)
    assert found.gpu_bytes / GIB == pytest.approx(gib, abs=0.006)


@pytest.mark.parametrize("shard", ["zero2", "zero3"])
def test_beside_this_program(shard: str) -> None:
    """18 P / N counts the fp32 gradients that exist at the step: here they stand in ``temporaries``.

    ZeRO-3's own answer leaves the 16-bit gradients out beside them: 2 + 4 + 4 + 8, here 2 + 2 + 4 + 4 + 8.
    """
    scenario = Scenario(
        synthetic_ref(T5_3B),
        optimizer="torch.Adam",
        options=(("fused", True),),
        precision="fp16-master",
        parallel=Parallel(gpus=8, shard=shard),
    )
    own = engine_estimate(scenario)
    assert own is not None
    found = compute(scenario)
    names = ("weights", "gradients", "master_weights", "optimizer_state", "temporaries")
    held = sum(found.component(name).bytes for name in names)
    largest = max(group.numel for group in scenario.model.groups)
    beyond = 4 * largest - 2 * T5_3B // 8 if shard == "zero3" else 0
    assert held == pytest.approx(own.gpu_bytes - beyond, rel=1e-4)
    assert found.peak_bytes > 0
    assert engine_estimate(replace(scenario, parallel=Parallel(gpus=8, shard="zero1"))) is None
    assert engine_estimate(replace(scenario, parallel=Parallel())) is None
