"""From one rank and its optimizer to the requests that are played for the ends of segments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import repeat

from optmem_gui.core.ends import NO_ENDS, Ends, Run, Tensor, ends_of
from optmem_gui.core.ground import Ground
from optmem_gui.core.layout import Layout, PlacedGroup, in_order
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.state import Temporaries, state_of_each
from optmem_gui.core.scenario import Options


def ends_at(
    ground: Ground, implementation: Implementation, options: Options, need: Temporaries | None
) -> Ends:
    """What stays of segments on one rank with one optimizer.

    Raises:
        UserError: The optimizer cannot train this model.
    """
    run = run_of(ground, implementation, options, need)
    return NO_ENDS if run is None else ends_of(run)


def run_of(
    ground: Ground, implementation: Implementation, options: Options, need: Temporaries | None
) -> Run | None:
    """What is played of one rank with one optimizer; None where nothing is.

    Of deep models, where engines lay tensors out in buffers of their own, and where shapes are made up,
    everything is counted as new segments would leave it, or as it is.

    Args:
        ground: The rank.
        implementation: The optimizer.
        options: Those of its options that differ from the defaults.
        need: Temporaries of its step on the device; None where it steps in host memory.

    Raises:
        UserError: The optimizer cannot train this model.
    """
    scenario, plan = ground.rank.scenario, ground.plan
    shape = scenario.model.architecture or scenario.model.network
    if shape is None or not in_order(scenario):
        return None
    activations, gradients = ground.activations, ground.gradients_for(implementation)
    workspace_bytes = 0 if activations is None else activations.workspace_bytes // 2
    logits_bytes = 0 if activations is None else activations.logits_bytes
    each = state_of_each(implementation, options, ground.layout, scenario.target)
    tensors = tuple(_tensors(ground.layout, each, shape.layers, copies=gradients.step_copy_bytes > 0))
    lists, pieces = _split(ground.layout, need)
    return Run(
        plan=plan,
        tensors=tensors,
        workspace=workspace_bytes,
        state_at_load=implementation.created == "construction",
        lists=lists,
        pieces=pieces,
        stand=ground.standing.gradients_at_load,
        freed=not gradients.between_steps,
        micro_batches=min(2, scenario.accumulate),
        logits=logits_bytes,
    )


def _tensors(
    layout: Layout, each: Iterable[tuple[int, ...]], layers: int, *, copies: bool
) -> Iterator[Tensor]:
    """Parameters in their order: groups that most layers have stand together, in each layer once or more."""
    states = iter(each)
    rows = [
        (placed.group.count, _tensor(layout, placed, next(states) if placed.trainable else (), copies=copies))
        for placed in layout.placed
    ]
    inside = [index for index, (count, _) in enumerate(rows) if 2 * count >= layers > 1]
    start, end = (inside[0], inside[-1] + 1) if inside else (len(rows), len(rows))
    for count, tensor in rows[:start]:
        yield from repeat(tensor, count)
    for _ in range(layers):
        for count, tensor in rows[start:end]:
            yield from repeat(tensor, max(1, count // layers))
    for count, tensor in rows[end:]:
        yield from repeat(tensor, count)


def _tensor(layout: Layout, placed: PlacedGroup, state: tuple[int, ...], *, copies: bool) -> Tensor:
    numel, copied = placed.group.numel, layout.scheme.step_gradients
    return Tensor(
        weights=placed.weight_blocks,
        master=0 if placed.master is None else placed.master.bytes_for(numel),
        gradient=0 if placed.gradients is None else placed.gradients.bytes_for(numel),
        copy=copied.bytes_for(numel) if copies and copied is not None and placed.master is not None else 0,
        state=state,
        optimized=0 if placed.optimized is None else placed.optimized.bytes_for(numel),
    )


def _split(layout: Layout, need: Temporaries | None) -> tuple[int, tuple[int, ...]]:
    """Temporaries of the optimizer's step as whole lists of all parameters and tensors of the largest one."""
    sizes = [
        (placed.optimized.bytes_for(placed.group.numel), placed.group.count)
        for placed in layout.placed
        if placed.optimized is not None
    ]
    whole = sum(size * count for size, count in sizes)
    if need is None or not need.bytes or not whole:
        return 0, ()
    lists, rest = divmod(need.bytes, whole)
    largest = max(size for size, _ in sizes)
    count, last = divmod(rest, largest)
    return lists, (*[largest] * count, *([last] if last else []))
