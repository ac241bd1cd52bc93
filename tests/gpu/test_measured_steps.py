"""Real steps on a real GPU against the estimate. Where there is no GPU these are skipped, and say so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from optmem_gui.core.comparison import ResultRow, compare
from optmem_gui.core.estimate import compute
from optmem_gui.core.measuring import measure_request, measured_scenario
from optmem_gui.core.scenario import Options, Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine.devices import Device, list_devices
from optmem_gui.engine.measurement import Measurement

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def gpu() -> Device:
    devices = list_devices()
    if not devices.gpus:
        pytest.skip(f"no GPU: {devices.note}")
    return devices.gpus[0]


def measured(scenario: Scenario, gpu: Device) -> dict[str, ResultRow]:
    run = Measurement().run(measure_request(scenario, gpu.id), lambda event: None)
    assert run.status == "done", run.detail
    assert run.result is not None
    rows = compare(compute(measured_scenario(scenario, gpu.id)), run.result)
    return {f"{row.kind}.{row.id}": row for row in rows}


@pytest.mark.parametrize("precision", ["fp32", "bf16", "amp-bf16", "bf16-master", "megatron-bf16"])
@pytest.mark.parametrize(
    "options", [(), (("fused", True),), (("foreach", False),)], ids=["foreach", "fused", "loop"]
)
def test_adamw(precision: str, options: Options, gpu: Device) -> None:
    scenario = Scenario(
        synthetic_ref(100_000_000), options=options, precision=precision, batch=2, sequence=512
    )
    rows = measured(scenario, gpu)
    for component in ("weights", "gradients", "master_weights", "optimizer_state"):
        assert rows[f"component.{component}"].difference_bytes == 0
    error = rows["peak.allocated"].estimated_error
    assert error is not None
    assert abs(error) <= 0.02


@pytest.mark.parametrize("optimizer", ["torch.SGD", "torch.Adagrad", "torch.RMSprop", "torch.Adafactor"])
def test_other_optimizers_keep_the_state_that_was_predicted(optimizer: str, gpu: Device) -> None:
    scenario = replace(Scenario(synthetic_ref(100_000_000)), optimizer=optimizer, precision="fp32")
    assert measured(scenario, gpu)["component.optimizer_state"].difference_bytes == 0
