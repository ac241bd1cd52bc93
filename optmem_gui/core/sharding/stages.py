"""Pipeline parallelism: which layers a rank holds, and how many micro-batches wait in it.

References: Narayanan et al., arXiv 2104.04473, section 2.2 (1F1B: stage ``s`` of ``p`` holds the
activations of at most ``p - s`` micro-batches; interleaved with ``v`` chunks of ``layers / (p v)`` layers, of
at most ``2 (p - s - 1) + (v - 1) p + 1`` chunks); Megatron-LM ``word_embeddings`` (a tied head is held on
the last stage too).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from optmem_gui.core.model import ModelRef, Role, TensorGroup
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.sharding.mesh import layer_count
from optmem_gui.core.sharding.tensors import is_positions

_AT_THE_END = (Role.NORM, Role.OTHER, Role.BIAS)


@dataclass(frozen=True, slots=True)
class Stage:
    """One pipeline stage.

    Attributes:
        index: Place in the pipeline, 0 first.
        layers: Layers it holds.
        waiting: Micro-batches whose activations it holds at its fullest, in units of all its layers.
        embeds: The embedding is here.
        heads: The last norm, the head and the loss are here.
    """

    index: int
    layers: int
    waiting: float
    embeds: bool
    heads: bool


def stages_of(layers: int, parallel: Parallel, *, micro_batches: int) -> tuple[Stage, ...]:
    """The stages that can be the fullest: the first, those between, and the last.

    Of those between, one holds no more than an earlier one with as many layers: it waits for fewer
    micro-batches. Split evenly, that leaves the second.

    Args:
        layers: Layers of the model.
        parallel: The layout of the run.
        micro_batches: Micro-batches of one optimizer step.
    """
    last, most = parallel.pp - 1, 0
    chosen = [0]
    for index in range(1, last):
        held = layers_at(layers, parallel, index)
        if held > most:
            chosen.append(index)
            most = held
        elif not parallel.stages:
            break
    chosen += [last] if last else []
    return tuple(stage_at(layers, parallel, index, micro_batches=micro_batches) for index in chosen)


def layers_at(layers: int, parallel: Parallel, index: int) -> int:
    """Layers of one stage: as given, else evenly; what does not divide goes to the first stages, one each."""
    if parallel.stages:
        return parallel.stages[index]
    each, rest = divmod(layers, parallel.pp)
    return each + (1 if index < rest else 0)


def stage_at(layers: int, parallel: Parallel, index: int, *, micro_batches: int) -> Stage:
    """One stage.

    Args:
        layers: Layers of the model.
        parallel: The layout of the run.
        index: Which one, 0 first.
        micro_batches: Micro-batches of one optimizer step.
    """
    held = layers_at(layers, parallel, index)
    waiting = _waiting_chunks(index, parallel.pp, micro_batches, parallel.interleave)
    each = chunks_at(held, parallel, index)
    return Stage(
        index=index,
        layers=held,
        waiting=sum(count * part for count, part in zip(waiting, each, strict=True)) / held,
        embeds=index == 0,
        heads=index == parallel.pp - 1,
    )


def chunks_at(held: int, parallel: Parallel, index: int) -> tuple[int, ...]:
    """Layers of each chunk of one stage, in the order they run.

    Where they do not divide, the embedding stands for a layer of the first stage's first chunk, the head and
    the loss for one of the last stage's last (Megatron-LM's ``--account-for-embedding-in-pipeline-split`` and
    ``--account-for-loss-in-pipeline-split``, ``transformer_block.py`` ``get_num_layers_to_build``).

    Args:
        held: Layers of the stage.
        parallel: The layout of the run.
        index: Which stage, 0 first.
    """
    each = -(-held // parallel.interleave)
    chunks = [each] * parallel.interleave
    chunks[-1 if index else 0] -= each * parallel.interleave - held
    return tuple(chunks)


def _waiting_chunks(index: int, pp: int, micro_batches: int, interleave: int) -> Iterator[int]:
    """Micro-batches that wait in each chunk: forward takes ``pp`` of them through a chunk, then the next."""
    if interleave == 1:
        yield min(micro_batches, pp - index)
        return
    together = min(micro_batches * interleave, 2 * (pp - index - 1) + (interleave - 1) * pp + 1)
    rounds, rest = divmod(together, pp * interleave)
    for chunk in range(interleave):
        yield rounds * pp + min(pp, max(0, rest - chunk * pp))


def stage_model(model: ModelRef, stage: Stage, pp: int) -> ModelRef:
    """The part of a model that one stage holds."""
    if pp == 1:
        return model
    layers = layer_count(model)
    groups = tuple(_of_stage(model, stage, layers))
    shape = model.architecture
    if shape is not None:
        remainder = shape.remainder if stage.heads else 0
        shape = replace(
            shape,
            layers=stage.layers,
            remainder=remainder,
            positions=shape.positions if stage.embeds else 0,
            # the first layers are the dense ones: no later stage has some
            mixture=shape.mixture if stage.embeds else replace(shape.mixture, dense_layers=0),
        )
    buffers = model.buffers if stage.embeds else ()
    return replace(model, groups=groups, neighbours=frozenset(), buffers=buffers, architecture=shape)


def _of_stage(model: ModelRef, stage: Stage, layers: int) -> Iterable[TensorGroup]:
    tied = model.architecture is not None and model.architecture.tied_head
    for group in model.groups:
        if group.role is Role.EMBEDDING:
            if stage.embeds or (tied and stage.heads and not is_positions(group)):
                yield group
        elif group.role is Role.HEAD or group.count < layers:
            # a few layers unlike the rest (DeepSeek's dense ones) are the first; the last norm is alone
            last = group.role is Role.HEAD or (group.count == 1 and group.role in _AT_THE_END)
            if stage.heads if last else stage.embeds:
                yield group
        else:
            yield replace(group, count=-(-group.count * stage.layers // layers))
