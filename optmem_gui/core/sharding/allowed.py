"""Which optimizers an engine can share out, and what to know about those it can."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from optmem_gui.core.dtypes import F32
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import Role
from optmem_gui.core.optimizers.declare import Implementation, Settings, Subject
from optmem_gui.core.optimizers.state import check_shapes
from optmem_gui.core.parallel import ONE_GPU
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding import dtensor_steps
from optmem_gui.core.sharding.megatron import is_megatron
from optmem_gui.core.sharding.share import Share

_MATRIX, _VECTOR = (256, 512), (256 * 512,)


_PER_PARAMETER = ("fsdp2", "hsdp")


def check_optimizer(implementation: Implementation, scenario: Scenario, share: Share) -> None:
    """Refuse an optimizer that the engine cannot run.

    Raises:
        UserError: Names the optimizer and the engine, and what would take it.
    """
    shard = scenario.parallel.shard
    if shard in _PER_PARAMETER and scenario.parallel != ONE_GPU:
        if not runs_on_dtensor(implementation):
            raise UserError("shard.no_dtensor", optimizer=implementation.id, shard=shard)
        if implementation.id in dtensor_steps.WHOLE_PROJECTORS and scenario.parallel.tp > 1:
            raise UserError("shard.whole_projectors", optimizer=implementation.id, shard=shard)
        narrow = any(placed.optimized is not F32 for placed in share.optimized.trained)
        if implementation.id in dtensor_steps.QUANTIZED and narrow:
            raise UserError("shard.quantized_beside_16_bit", optimizer=implementation.id, shard=shard)
        foreach = implementation.settings(scenario.options, scenario.target).values.get("foreach")
        if implementation.id in dtensor_steps.FOREACH_ONLY and foreach is not False:
            raise UserError("shard.no_dtensor_foreach", optimizer=implementation.id, shard=shard)
    if not share.flat:
        check_shapes(implementation, share.weights)  # some other rank may hold what this one does not
        return
    needs = implementation.requirement
    refused = needs is not None and any(not needs.accepts(placed.group) for placed in share.optimized.trained)
    if refused or not is_elementwise(implementation, implementation.settings(scenario.options, "cuda")):
        own = implementation.family == "muon" and shard.startswith("zero")
        key = "shard.deepspeed_muon" if own else "shard.needs_matrices"
        raise UserError(key, optimizer=implementation.id, shard=shard)


def runs_on_dtensor(implementation: Implementation) -> bool:
    """Whether the step runs on parameters that are DTensors, as FSDP2 makes them.

    Source: :mod:`optmem_gui.core.sharding.dtensor_steps`.
    """
    if implementation.library in dtensor_steps.LIBRARIES:
        return implementation.id in dtensor_steps.EXCEPT
    return implementation.id not in dtensor_steps.NEVER


def is_elementwise(implementation: Implementation, settings: Settings) -> bool:
    """Whether the state is the same for a matrix and for the vector of its elements.

    Factored, low-rank and matrix optimizers look at rows and columns; Adam, and its block-wise 8-bit
    form, do not.
    """
    try:
        return _elements(implementation, settings, _MATRIX) == _elements(implementation, settings, _VECTOR)
    except UserError:  # its own rule stops at a vector
        return False


def _elements(implementation: Implementation, settings: Settings, shape: tuple[int, ...]) -> tuple[int, ...]:
    subject = Subject(shape, F32, Role.MLP, "up_proj", settings, "weight")
    return tuple(
        sum(prod(size) for size in state.shape.tensors(subject))
        for state in implementation.states
        if state.when(settings) and not state.whole
    )


def sharding_notes(scenario: Scenario, implementation: Implementation, share: Share) -> Iterable[Reason]:
    """What is taken for granted with several GPUs."""
    parallel = scenario.parallel
    if parallel == ONE_GPU:
        return
    yield Reason(f"shard.{parallel.shard}")
    yield Reason("shard.nccl")
    if share.gathers:
        yield Reason("shard.gathering_not_compared")
    if parallel.offload != "none":
        yield Reason("shard.pinned")
    if parallel.sequence_parallel and not is_megatron(scenario):
        yield Reason("shard.sequence_parallel_dtensor")
    if parallel.pp > 1:
        yield Reason("shard.pipeline")
    if parallel.tp > 1:
        yield Reason("shard.tensor_parallel_assumed")
    if parallel.tp * parallel.cp * parallel.pp > 1:
        yield Reason("shard.sent_not_compared")
    settings = implementation.settings(scenario.options, "cuda")
    if not share.flat and share.gathers and not is_elementwise(implementation, settings):
        kept = implementation.id in dtensor_steps.WHOLE_PROJECTORS
        key = "shard.projectors_on_each" if kept else "shard.local_matrices"
        yield Reason(key, {"optimizer": implementation.id})
