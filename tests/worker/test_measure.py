"""Real steps on the CPU against closed forms worked out here, and against the estimate."""

from __future__ import annotations

import dataclasses
from functools import cache

import pytest

from optmem_gui.core.comparison import ResultRow, compare
from optmem_gui.core.dtypes import F32
from optmem_gui.core.estimate import compute
from optmem_gui.core.measuring import measure_request, measured_scenario
from optmem_gui.core.model import ModelSpec, ParameterTensor, Role, Source, group_model
from optmem_gui.core.protocol import Result
from optmem_gui.core.requests import BareTensor, FrozenTensors, MeasureRequest
from optmem_gui.core.scenario import Lora, Options, Scenario
from optmem_gui.core.synthetic import shape_count, synthetic_ref, synthetic_shape, transformer_tensors
from optmem_gui.core.transformer import TransformerShape
from optmem_gui.engine.measurement import Measurement, MeasurementResult
from optmem_gui.engine.worker_process import worker_launch

COUNT = 200_000
BATCH, SEQUENCE = 2, 16
INPUT_BYTES = 2 * BATCH * SEQUENCE * 8  # tokens and labels, int64


def shape() -> TransformerShape:
    found = synthetic_shape(COUNT)
    assert found is not None
    return found


TENSORS = len(transformer_tensors(shape()))


@cache
def measured(request: MeasureRequest) -> MeasurementResult:
    launch = worker_launch()
    quiet = {**launch.environment, "OMP_NUM_THREADS": "1"}  # tests run side by side on few cores
    worker = dataclasses.replace(launch, environment=quiet)
    return Measurement(worker=worker).run(request, lambda event: None)


def result_of(request: MeasureRequest) -> Result:
    outcome = measured(request)
    assert outcome.status == "done", (outcome.reason, outcome.detail)
    assert outcome.result is not None
    return outcome.result


def request(precision: str, optimizer: str = "AdamW", options: Options = ()) -> MeasureRequest:
    return MeasureRequest(
        "cpu",
        f"torch.optim.{optimizer}",
        options,
        precision,
        shape(),
        batch=BATCH,
        sequence=SEQUENCE,
    )


ADAM = 4 * TENSORS  # one fp32 step counter a parameter tensor, beside two moments
CASES = [
    # precision, optimizer, options; bytes a parameter of weights, gradients, masters, state; scalars beside
    ("fp32", "AdamW", (), (4, 4, 0, 8), ADAM),
    ("bf16", "AdamW", (), (2, 2, 0, 4), ADAM),
    ("amp-bf16", "AdamW", (), (4, 4, 0, 8), ADAM),
    ("bf16-autocast", "AdamW", (), (2, 2, 0, 4), ADAM),
    ("bf16-master", "AdamW", (), (2, 2, 4, 8), ADAM),
    ("megatron-bf16", "AdamW", (), (2, 4, 4, 8), ADAM),
    ("fp16-master", "AdamW", (), (2, 2, 4, 8), ADAM),
    ("fp32", "AdamW", (("amsgrad", True),), (4, 4, 0, 12), ADAM),
    ("fp32", "SGD", (), (4, 4, 0, 0), 0),
    ("fp32", "SGD", (("momentum", 0.9),), (4, 4, 0, 4), 0),
    ("bf16", "SGD", (("momentum", 0.9), ("foreach", True)), (2, 2, 0, 2), 0),
]


@pytest.mark.parametrize(("precision", "optimizer", "options", "each", "beside"), CASES)
def test_every_category_equals_its_closed_form(
    precision: str, optimizer: str, options: Options, each: tuple[int, int, int, int], beside: int
) -> None:
    result = result_of(request(precision, optimizer, options))
    for step in (result.first, result.steady):
        found = step.categories
        assert found.weights == each[0] * COUNT
        assert found.gradients == each[1] * COUNT
        assert found.master_weights == each[2] * COUNT
        assert found.optimizer_state == each[3] * COUNT + beside
        assert found.optimizer_state_host == 0
        assert found.inputs == INPUT_BYTES
    assert result.param_count == result.trainable_count == COUNT == shape_count(shape())
    assert sum(row.bytes for row in result.state) == each[3] * COUNT + beside


@pytest.mark.parametrize("precision", ["fp32", "bf16", "amp-bf16", "bf16-master"])
def test_between_steps_exactly_the_persistent_tensors_are_allocated(precision: str) -> None:
    """Torch's own book of allocations and the sizes of the tensors are two independent counts."""
    result = result_of(request(precision))
    between = result.steady.phases[-1]
    assert between.phase == "between_steps"
    assert between.allocated_bytes == between.peak_bytes == result.steady.categories.persistent_bytes


def test_the_state_appears_in_the_first_step_and_stays() -> None:
    result = result_of(request("fp32"))
    assert result.load.allocated_bytes == 4 * COUNT
    assert result.first.phases[0].start_bytes == 4 * COUNT
    assert result.steady.phases[0].start_bytes == 12 * COUNT + ADAM
    assert [row.name for row in result.state] == ["step", "exp_avg", "exp_avg_sq"]


def test_phases_follow_each_other_without_a_gap() -> None:
    steady = result_of(request("bf16")).steady
    assert [p.phase for p in steady.phases] == ["forward", "backward", "optimizer_step", "between_steps"]
    for before, after in zip(steady.phases, steady.phases[1:], strict=False):
        assert after.start_bytes == before.allocated_bytes
        assert after.start_ns >= before.end_ns
    for phase in steady.phases:
        assert phase.peak_bytes >= max(phase.start_bytes, phase.allocated_bytes)
        assert all(phase.start_ns <= at <= phase.end_ns for at, _ in phase.points)
        assert max((size for _, size in phase.points), default=phase.peak_bytes) <= phase.peak_bytes


def test_activations_grow_with_the_batch_and_are_gone_at_the_step() -> None:
    small = result_of(request("fp32")).steady
    large = result_of(dataclasses.replace(request("fp32"), batch=2 * BATCH)).steady
    assert large.activations == pytest.approx(2 * small.activations, rel=0.05)
    backward = small.phases[1]
    assert backward.allocated_bytes == small.categories.persistent_bytes + 4 * COUNT  # gradients, no graph


def test_checkpointing_keeps_less() -> None:
    full = dataclasses.replace(request("fp32"), checkpointing="full", sequence=64)
    plain = dataclasses.replace(request("fp32"), sequence=64)
    assert result_of(full).steady.activations < 0.8 * result_of(plain).steady.activations


def test_gradients_that_are_zeroed_stay_between_steps() -> None:
    result = result_of(dataclasses.replace(request("fp32"), set_to_none=False))
    between = result.steady.phases[-1]
    assert between.allocated_bytes == result.steady.categories.persistent_bytes + 4 * COUNT


def test_megatrons_main_gradients_never_go_and_the_16_bit_ones_never_stay() -> None:
    result = result_of(request("megatron-bf16"))
    assert result.load.allocated_bytes == (2 + 4 + 4) * COUNT
    assert result.steady.phases[-1].allocated_bytes == (2 + 4 + 4 + 8) * COUNT + ADAM


def test_accumulated_gradients_are_counted_once() -> None:
    result = result_of(dataclasses.replace(request("fp32"), accumulate=3))
    names = [p.phase for p in result.steady.phases]
    assert names == ["forward", "backward"] * 3 + ["optimizer_step", "between_steps"]
    assert result.steady.categories.gradients == 4 * COUNT
    assert result.steady.phases[2].start_bytes == result.steady.categories.persistent_bytes + 4 * COUNT


def test_an_optimizer_that_evaluates_the_loss_itself_is_measured() -> None:
    few = (("history_size", 2), ("max_iter", 4))
    result = result_of(request("fp32", "LBFGS", few))
    vectors = [row for row in result.state if row.name in ("d", "prev_flat_grad", "old_dirs", "old_stps")]
    # two vectors, and two for each of the two remembered updates
    assert sum(row.bytes for row in vectors) == (2 + 2 * 2) * 4 * COUNT
    assert result.steady.categories.gradients == 4 * COUNT


def test_a_state_that_still_grows_is_not_called_steady() -> None:
    """With room for 100 updates and 4 a step, the third step adds 4 pairs of vectors and their scalars."""
    outcome = measured(request("fp32", "LBFGS", (("max_iter", 4),)))
    (warning,) = outcome.warnings
    assert warning.key == "measure.still_growing"
    grown = warning.values["grown_bytes"]
    assert isinstance(grown, int)
    assert 4 * 2 * 4 * COUNT <= grown <= 4 * 2 * 4 * COUNT + 1000


def test_frozen_parameters_get_no_gradient_and_no_state() -> None:
    frozen = (FrozenTensors("embed_tokens.weight", (shape().vocab, shape().hidden), 1),)
    result = result_of(dataclasses.replace(request("fp32"), frozen=frozen))
    trained = COUNT - shape().vocab * shape().hidden
    assert result.trainable_count == trained
    assert result.steady.categories.weights == 4 * COUNT
    assert result.steady.categories.gradients == 4 * trained
    assert result.steady.categories.optimizer_state == 8 * trained + 4 * (TENSORS - 1)


def test_a_checkpoints_tensors_are_measured_bare() -> None:
    tensors = (
        BareTensor((300, 100), "bf16", count=3),
        BareTensor((100,), "fp32", trainable=False, count=2),
        BareTensor((5, 7), "complex64"),
        BareTensor((1000,), "int64", trainable=False, buffer=True),
        BareTensor((10,), "fp32", trainable=False, buffer=True, count=2),
    )
    result = result_of(MeasureRequest("cpu", "torch.optim.AdamW", precision="fp32", tensors=tensors))
    found = result.steady.categories
    # three matrices of 30,000 and two vectors of 100 in fp32, 35 complex numbers of 8 bytes
    assert found.weights == 4 * (90_000 + 200) + 8 * 35
    assert found.gradients == 4 * 90_000 + 8 * 35
    assert found.optimizer_state == 2 * (4 * 90_000 + 8 * 35) + 4 * 4
    assert found.buffers == 8 * 1000 + 4 * 20
    assert found.inputs == 0
    assert result.steady.activations == 4  # the loss
    backward = result.steady.phases[1]
    scalars = 100  # sums of single tensors and their gradients
    assert backward.peak_bytes <= found.persistent_bytes + found.gradients + scalars


def test_adapters_are_trained_on_a_frozen_base() -> None:
    lora = Lora(4, ("q_proj", "v_proj"), "bf16")
    result = result_of(dataclasses.replace(request("bf16"), lora=lora))
    dims = shape()
    query, value = dims.heads * dims.head_dim, dims.kv_heads * dims.head_dim
    adapters = dims.layers * 4 * (dims.hidden + query + dims.hidden + value)
    assert result.trainable_count == adapters
    assert result.steady.categories.weights == 2 * COUNT + 4 * adapters
    assert result.steady.categories.gradients == 4 * adapters
    assert result.steady.categories.optimizer_state == 8 * adapters + 4 * dims.layers * 4


def rows_of(scenario: Scenario) -> dict[str, ResultRow]:
    scenario = measured_scenario(scenario, "cpu")
    result = result_of(measure_request(scenario, "cpu"))
    return {row.id: row for row in compare(compute(scenario), result)}


def off_by(row: ResultRow) -> int:
    assert row.difference_bytes is not None
    return abs(row.difference_bytes)


STATES = ("weights", "gradients", "master_weights", "optimizer_state", "buffers")


@pytest.mark.parametrize("precision", ["fp32", "bf16", "amp-bf16", "bf16-master", "megatron-bf16"])
def test_the_estimate_for_the_cpu_is_what_is_measured_there(precision: str) -> None:
    scenario = Scenario(
        synthetic_ref(COUNT), "torch.AdamW", precision=precision, batch=BATCH, sequence=SEQUENCE
    )
    rows = rows_of(scenario)
    for component in STATES:
        assert rows[component].difference_bytes == 0, component
    for row in ("load", "between_steps"):
        assert rows[row].difference_bytes == 0, row
    # a few scalars: the loss, bias corrections
    assert off_by(rows["optimizer_step"]) <= 64
    assert off_by(rows["activations"]) <= 64
    assert off_by(rows["allocated"]) <= 64


def test_fp16_on_the_cpu_takes_scratch_that_is_not_counted_and_the_estimate_says_so() -> None:
    scenario = Scenario(synthetic_ref(COUNT), precision="fp16", batch=BATCH, sequence=SEQUENCE)
    rows = rows_of(scenario)
    for component in STATES:
        assert rows[component].difference_bytes == 0, component
    assert (rows["backward"].estimated or 0) <= (rows["backward"].measured or 0)
    said = {reason.key for reason in compute(measured_scenario(scenario, "cpu")).assumptions}
    assert "assume.cpu_fp16" in said


def test_bare_tensors_are_compared_without_activations() -> None:
    tensors = tuple(ParameterTensor(f"t{i}.weight", (64, 32), F32, Role.OTHER) for i in range(4))
    model = group_model(ModelSpec("four", Source.FILE, tensors))
    rows = rows_of(Scenario(model, "torch.SGD", (("momentum", 0.9),), "fp32", batch=8, sequence=128))
    for component in (*STATES, "load", "between_steps"):
        assert rows[component].difference_bytes == 0, component
    assert rows["activations"].estimated == 0
