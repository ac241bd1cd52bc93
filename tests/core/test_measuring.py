from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from optmem_gui.core.comparison import ResultRow, compare
from optmem_gui.core.dtypes import BF16, DTYPES, F32, INT64
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.measuring import bare_tensors, measure_request, measured_scenario, runs_as_transformer
from optmem_gui.core.model import BufferTensor, ModelSpec, ParameterTensor, Source, group_model
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.optimizers.declare import Handing
from optmem_gui.core.protocol import Categories, PhaseSample, Result, StepResult
from optmem_gui.core.requests import BareTensor, FrozenTensors
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_model, synthetic_ref
from optmem_gui.core.trainable import train_only

SCENARIO = Scenario(
    synthetic_ref(1_000_000), options=(("amsgrad", True),), precision="amp-bf16", batch=4, sequence=64
)


def test_a_transformer_is_asked_for_by_its_dimensions() -> None:
    request = measure_request(SCENARIO, "cpu", steps=5)
    assert request.device == "cpu"
    assert request.optimizer == "torch.optim.AdamW"
    assert request.options == (("amsgrad", True),)
    assert request.shape == SCENARIO.model.architecture
    assert request.tensors == ()
    assert (request.batch, request.sequence, request.steps) == (4, 64, 5)


def test_the_rules_compared_with_are_those_of_the_device() -> None:
    assert measured_scenario(SCENARIO, "cpu").target == "cpu"
    assert measured_scenario(replace(SCENARIO, target="cpu"), "GPU-1").target == "cuda"


def test_without_a_batch_the_tensors_are_measured_bare() -> None:
    request = measure_request(replace(SCENARIO, batch=None), "cpu")
    assert request.shape is None
    assert sum(row.count for row in request.tensors) == SCENARIO.model.tensor_count


def test_a_file_with_other_tensors_than_its_dimensions_say_is_measured_bare() -> None:
    spec = synthetic_model(1_000_000)
    extra = (*spec.parameters, ParameterTensor("adapter.weight", (3, 3), BF16))
    buffers = (BufferTensor("counter", (), INT64),)
    model = group_model(replace(spec, parameters=extra, buffers=buffers, source=Source.FILE))
    assert not runs_as_transformer(model)
    scenario = measured_scenario(replace(SCENARIO, model=model), "cpu")
    assert scenario.batch is None
    request = measure_request(replace(SCENARIO, model=model), "cpu")
    assert request.shape is None
    assert BareTensor((3, 3), "bf16", name="adapter.weight") in request.tensors
    assert BareTensor((), "int64", trainable=False, buffer=True) in request.tensors


def test_frozen_parameters_are_named() -> None:
    model = group_model(train_only(synthetic_model(1_000_000), "mlp|norm|embed|head|[kvo]_proj"))
    request = measure_request(replace(SCENARIO, model=model), "cpu")
    assert request.shape is not None
    assert {frozen.name for frozen in request.frozen} >= {"q_proj.weight"}
    layers = request.shape.layers
    width = (request.shape.heads * request.shape.head_dim, request.shape.hidden)
    assert FrozenTensors("q_proj.weight", width, layers) in request.frozen


def phase(name: str, start: int, end: int, peak: int, reserved: int | None) -> PhaseSample:
    return PhaseSample(2, name, 0, 1, start, end, peak, reserved, reserved)


def one_tensor(count: int) -> Scenario:
    tensor = ParameterTensor("a.weight", (count,), F32)
    model = group_model(ModelSpec("one", Source.FILE, (tensor,)))
    return Scenario(model, "torch.SGD", (("momentum", 0.9),), "fp32", target="cpu")


def measured(weights: int, reserved: int | None = None) -> Result:
    """A step of SGD with momentum: weights, gradients and one state of equal size."""
    phases = (
        phase("forward", 2 * weights, 2 * weights + 4, 2 * weights + 8, reserved),
        phase("backward", 2 * weights + 4, 3 * weights, 3 * weights + 8, reserved),
        phase("optimizer_step", 3 * weights, 2 * weights, 3 * weights + 100, reserved),
        phase("between_steps", 2 * weights, 2 * weights, 2 * weights, reserved),
    )
    step = StepResult(2, phases, Categories(weights, weights, 0, weights), 4)
    load = phase("load", 0, weights, weights, reserved)
    return Result(load, step, step, (), weights // 4, weights // 4)


def test_rows_stand_side_by_side_with_the_signed_error() -> None:
    rows = {row.id: row for row in compare(compute(one_tensor(1000)), measured(4000))}
    assert rows["weights"] == ResultRow("component", "weights", 4000, None, 4000)
    assert rows["weights"].estimated_error == 0
    assert rows["optimizer_state"].difference_bytes == 0
    assert rows["master_weights"].estimated_error == 0.0
    assert rows["temporaries"].measured == 100  # 12,100 at most, 12,000 before
    assert rows["between_steps"].difference_bytes == 0
    assert rows["allocated"].measured == 12_100
    assert "reserved" not in rows
    assert [row.kind for row in compare(compute(one_tensor(1000)), measured(4000))][-1] == "peak"


def test_an_error_is_prediction_less_measurement_over_measurement() -> None:
    rows = {row.id: row for row in compare(compute(one_tensor(1000)), measured(5000))}
    # predicted 4,000, measured 5,000
    assert rows["weights"].estimated_error == -0.2
    assert ResultRow("component", "temporaries", 7, None, 0).estimated_error is None


def test_on_a_gpu_the_middle_of_the_band_is_compared_with_what_was_reserved() -> None:
    breakdown = compute(replace(one_tensor(1000), target="cuda"))
    rows = {row.id: row for row in compare(breakdown, measured(4000, reserved=2 << 20))}
    assert rows["reserved"].measured == 2 << 20
    estimated = rows["reserved"].estimated
    assert estimated is not None
    assert breakdown.reserved.low <= estimated <= breakdown.reserved.high


def test_what_the_worker_cannot_build_is_refused_before_it_starts() -> None:
    """One line for other runtimes; everything else goes through."""
    asked = {each.handing for each in CATALOGUE.values()}
    assert asked == set(get_args(Handing))
    for implementation in CATALOGUE.values():
        scenario = replace(SCENARIO, optimizer=implementation.id, options=())
        if implementation.runtime == "torch":
            request = measure_request(scenario, "cuda:0")
            assert request.optimizer == implementation.path
            assert request.named == (implementation.handing == "named")
            assert request.whole_model == (implementation.handing == "model") == bool(request.fused_backward)
            assert bool(request.groups) == (implementation.handing in ("muon", "low_rank", "algorithm"))
            continue
        with pytest.raises(UserError, match="Measure: ") as error:
            measure_request(scenario, "cuda:0")
        assert implementation.id in str(error.value)


@pytest.mark.parametrize(
    ("stored", "loaded"), [("q4_k", "fp32"), ("fp4_e2m1", "fp32"), ("bf16", "bf16"), ("int8", "int8")]
)
def test_blocks_of_floats_are_measured_as_what_they_are_unpacked_to(stored: str, loaded: str) -> None:
    model = one_tensor(256).model
    stored_so = replace(model, groups=tuple(replace(group, dtype=DTYPES[stored]) for group in model.groups))
    assert [tensor.dtype for tensor in bare_tensors(stored_so)] == [loaded]
