"""Tensors that exist while ranks that split one micro-batch send each other parts of it.

They live on torch's allocator, unlike NCCL's own buffers. Sources, engine by engine:

- Megatron-LM ``tensor_parallel/layers.py``: the all-reduce works in place; with sequence parallelism the
  input of a column-parallel product is gathered in forward and again in backward, beside the whole gradient
  that is then scattered.
- torch ``distributed/_functional_collectives.py`` (DTensor): an all-reduce answers with a new tensor.
- TransformerEngine ``dot_product_attention/context_parallel.py`` ``AttnFuncWithCPAndKVP2P``: forward keeps
  one block of keys and values a rank of the ring; backward turns two buffers, each a block and its gradient.
- torch ``distributed/tensor/experimental/_context_parallel/_attention.py`` (``allgather``, the default):
  forward and backward hold the blocks of all ranks and the one sent; backward has three fp32 gradients of a
  block: added to, sent, received.
- Megatron-LM ``pipeline_parallel/p2p_communication.py``: every message has a tensor of its own; a stage sends
  an output while it computes, and receives the next input while it sends a gradient.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from optmem_gui.core.dtypes import F32, DType
from optmem_gui.core.precision import precision
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.megatron import is_megatron
from optmem_gui.core.sharding.share import Buffers
from optmem_gui.core.sharding.stages import Stage
from optmem_gui.core.transformer import TransformerShape


@dataclass(frozen=True, slots=True)
class Message:
    """What one way of splitting adds, bytes.

    Attributes:
        name: ``tensor``, ``context`` or ``pipeline``.
        forward: While forward runs.
        backward: While backward runs.
    """

    name: str
    forward: int
    backward: int


def sent(found: Iterable[Message]) -> Buffers:
    """All of them together."""
    forward = backward = 0
    for message in found:
        forward += message.forward
        backward += message.backward
    return Buffers(forward=forward, backward=backward)


def messages(scenario: Scenario, stage: Stage) -> tuple[Message, ...]:
    """What a rank sends and receives, where its activations are counted.

    Args:
        scenario: The set-up as the rank computes it: its heads, its part of the sequence.
        stage: Its pipeline stage.
    """
    shape = scenario.model.architecture
    if shape is None or scenario.batch is None or scenario.sequence is None:
        return ()
    scheme = precision(scenario.precision)
    dtype, tokens = scheme.autocast or scheme.compute, scenario.batch * scenario.sequence
    found = (
        Message("tensor", *_tensor(scenario, dtype.bytes_for(tokens * shape.hidden))),
        Message("context", *_context(scenario, shape, tokens, dtype)),
        Message("pipeline", *_pipeline(scenario, stage, dtype.bytes_for(tokens * shape.hidden))),
    )
    return tuple(message for message in found if message.forward or message.backward)


def _tensor(scenario: Scenario, stream: int) -> tuple[int, int]:
    parallel = scenario.parallel
    if parallel.tp == 1:
        return 0, 0
    if is_megatron(scenario):
        return (stream, 2 * stream) if parallel.sequence_parallel else (0, 0)
    return (0, 0) if parallel.sequence_parallel else (stream, stream)  # what is gathered is an activation


def _context(scenario: Scenario, shape: TransformerShape, tokens: int, dtype: DType) -> tuple[int, int]:
    ranks = scenario.parallel.cp
    if ranks == 1:
        return 0, 0
    count = 2 * tokens * shape.kv_heads * shape.head_dim
    block = dtype.bytes_for(count)
    if is_megatron(scenario):
        return ranks * block, 4 * block
    laid = 1 if ranks < 4 else 2  # in backward of a longer ring, before the one that was sent is gone
    return (ranks + 1) * block, (ranks + laid) * block + 3 * F32.bytes_for(count)


def _pipeline(scenario: Scenario, stage: Stage, stream: int) -> tuple[int, int]:
    parallel = scenario.parallel
    if parallel.pp == 1:
        return 0, 0
    each = stream // (parallel.tp if parallel.sequence_parallel else 1)
    ahead = 1 if parallel.interleave == 1 else 2  # interleaved, a message is under way while the next begins
    return ahead * each * (not stage.heads), 2 * ahead * each * (not stage.embeds)
