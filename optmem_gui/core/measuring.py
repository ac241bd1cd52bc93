"""From a scenario to the request that measures it, and to the scenario whose estimate it is compared with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from optmem_gui.core.dtypes import F32, DType
from optmem_gui.core.errors import UserError
from optmem_gui.core.grouping import parameter_groups
from optmem_gui.core.model import ModelRef, Role, Shape, TensorGroup
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.state import constructor_keywords
from optmem_gui.core.parallel import ONE_GPU
from optmem_gui.core.precision import precision
from optmem_gui.core.requests import BareTensor, FrozenTensors, MeasureRequest
from optmem_gui.core.run_defaults import DEFAULT_STEPS
from optmem_gui.core.scenario import Scenario, Target
from optmem_gui.core.synthetic import transformer_ref


def measured_scenario(scenario: Scenario, device: str, *, built: bool = False) -> Scenario:
    """The scenario that a measurement on this device runs, so that like is compared with like.

    The rules are those of the device it runs on, and it is one device. Without a batch, or with tensors that
    are not exactly those of the known transformer, the tensors are measured bare and nothing is known of
    activations.

    Args:
        scenario: What was asked for.
        device: Where it runs.
        built: The worker builds the model from its config, or a user's function does.
    """
    batch, sequence = scenario.batch, scenario.sequence
    if batch is None or not (built or (sequence is not None and runs_as_transformer(scenario.model))):
        batch = sequence = None
    target: Target = "cpu" if device == "cpu" else "cuda"
    return replace(scenario, target=target, batch=batch, sequence=sequence, gpu=None, parallel=ONE_GPU)


def measure_request(
    scenario: Scenario,
    device: str,
    steps: int = DEFAULT_STEPS,
    *,
    config: str = "",
    function: str = "",
    own_weights: tuple[str, ...] = (),
    compiled: bool = False,
    history: str = "",
) -> MeasureRequest:
    """What to ask the worker.

    Args:
        scenario: What to measure.
        device: ``cpu``, ``cuda:N`` or a driver's UUID.
        steps: Optimizer steps.
        config: Text of the model's ``config.json``, for transformers to build it from.
        function: The user's own function, ``FILE.py:NAME``; it goes before everything else.
        own_weights: Files whose values the parameters get; random ones where left out.
        compiled: ``torch.compile`` compiles the model.
        history: File for the caching allocator's history.

    Raises:
        UserError: There is no such optimizer, it does not run in torch, or it updates inside backward and
            that does not go with the rest.
    """
    scenario = measured_scenario(scenario, device, built=bool(config or function))
    implementation = find(scenario.optimizer)
    if implementation.runtime != "torch":
        raise UserError("measure.other_runtime", optimizer=implementation.id)
    _check_fused(implementation, scenario)
    groups = parameter_groups(implementation, scenario, function=bool(function))
    built = bool(function) or (bool(config) and scenario.batch is not None)
    shaped = not built and scenario.batch is not None
    return MeasureRequest(
        device=device,
        optimizer=implementation.path,
        options=constructor_keywords(implementation, scenario.options),
        precision=scenario.precision,
        shape=scenario.model.architecture if shaped else None,
        tensors=() if built or shaped else bare_tensors(scenario.model),
        frozen=frozen_tensors(scenario.model) if (built or shaped) and scenario.lora is None else (),
        steps=steps,
        batch=scenario.batch or 1,
        sequence=scenario.sequence or 1,
        checkpointing=scenario.checkpointing,
        attention=scenario.attention,
        loss=scenario.loss,
        accumulate=scenario.accumulate,
        clip=scenario.clip,
        set_to_none=scenario.set_to_none,
        keep_logits=scenario.keep_logits,
        lora=scenario.lora,
        config="" if function or not built else config,
        function=function,
        named=implementation.handing == "named",
        whole_model=implementation.handing == "model",
        fused_backward=implementation.fused_backward,
        state_attributes=implementation.state_attributes,
        groups=groups,
        own_weights=() if function else own_weights,
        compiled=compiled,
        history=history,
    )


def _check_fused(implementation: Implementation, scenario: Scenario) -> None:
    """Refuse what comes between backward and the step, where there is no step: copies, scaling, clipping.

    Raises:
        UserError: The scenario asks for some of it.
    """
    scheme = precision(scenario.precision)
    between = {
        f"precision={scheme.id}": scheme.master is not None or scheme.scaler or scheme.weights.id == "fp16",
        "clip": scenario.clip,
        f"accumulate={scenario.accumulate}": scenario.accumulate > 1,
    }
    given = [name for name, asked in between.items() if asked]
    if implementation.fused_backward and given:
        raise UserError("measure.fused_backward", optimizer=implementation.id, given=", ".join(given))


def runs_as_transformer(model: ModelRef) -> bool:
    """Whether the transformer of its dimensions has exactly the parameters this model has."""
    if model.architecture is None or model.buffers or not model.architecture.is_own:
        return False
    built = transformer_ref(model.title, model.source, model.architecture)
    return _shapes(built) == _shapes(model)


def _shapes(model: ModelRef) -> Mapping[Shape, int]:
    counts: Counter[Shape] = Counter()
    for group in model.groups:
        counts[group.shape] += group.count
    return counts


def bare_tensors(model: ModelRef) -> tuple[BareTensor, ...]:
    """Every parameter and buffer of a model, by its groups."""
    parameters = (
        BareTensor(
            group.shape, _loaded_as(group.dtype).id, group.trainable, group.count, name=_bare_name(group)
        )
        for group in model.groups
    )
    buffers = (
        BareTensor(group.shape, group.dtype.id, trainable=False, count=group.count, buffer=True)
        for group in model.buffers
    )
    return (*parameters, *buffers)


def frozen_tensors(model: ModelRef) -> tuple[FrozenTensors, ...]:
    """The parameters of a transformer that get no gradient."""
    return tuple(
        FrozenTensors(_end_of_name(group), group.shape, group.count)
        for group in model.groups
        if not group.trainable
    )


def _end_of_name(group: TensorGroup) -> str:
    return f"{group.leaf}.{group.field}".strip(".")


def _bare_name(group: TensorGroup) -> str:
    """What rules that go by names find in the full one: of an MLP, the name of the block that holds it."""
    inside = "mlp." if group.role is Role.MLP else ""
    return inside + _end_of_name(group)


def _loaded_as(dtype: DType) -> DType:
    """Floats in blocks or of 4 and 6 bits are unpacked before they are trained; the scheme gives the type."""
    packed = dtype.is_floating and (dtype.block > 1 or dtype.bits < 8 or dtype.id == "unknown")
    return F32 if packed else dtype
