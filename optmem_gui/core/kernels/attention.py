"""Scratch of the fused attention kernels.

Sources: ``native/transformers/cuda/flash_attn/flash_api.cpp`` (``mha_fwd``, ``mha_bwd``), ``attention.cu``,
``attention_backward.cu`` and ``mem_eff_attention/kernel_backward.h`` (tiles of 64 x 64 floats with a
16-byte lock). The memory-efficient kernel in fp32 with heads of 64 elements equals a recording of 22 layers
in every size and its place; 16-bit inputs and flash have not been compared with a recording.
"""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.kernels.processors import Processors
from optmem_gui.core.kernels.steps import Buffers, Script, ceil_div, round_up

_TILE = 64
_TILE_BYTES = 4 * (_TILE * _TILE) + 16


@dataclass(frozen=True, slots=True)
class AttentionCall:
    """Dimensions of one call.

    Attributes:
        batch: Sequences.
        heads: Heads of the queries.
        queries: Tokens of the queries.
        keys: Tokens of the keys and values.
        head_dim: Elements of a head.
        element_bytes: Bytes of an element of the queries.
        kv_heads: Heads of the keys and values.
    """

    batch: int
    heads: int
    queries: int
    keys: int
    head_dim: int
    element_bytes: int
    kv_heads: int


def efficient_statistics_bytes(call: AttentionCall) -> int:
    """Bytes of logsumexp that the memory-efficient kernel keeps for backward; rows come in blocks of 32."""
    return 4 * call.batch * call.heads * round_up(call.queries, 32)


def flash_statistics_bytes(call: AttentionCall) -> int:
    """Bytes of logsumexp that flash keeps for backward."""
    return 4 * call.batch * call.heads * call.queries


RANDOM_STATE_BYTES = (16, 8)
"""Seed with offset, and an unused element, that flash keeps for backward (also without dropout)."""


def efficient_backward_buffers(call: AttentionCall) -> Buffers:
    """Buffers of the memory-efficient backward; they follow the gradients of queries, keys and values.

    In fp32 ``gradient * output`` is formed, summed over a head and made contiguous; 16-bit kernels sum it
    themselves into ``delta``. The gradient of the queries is summed in fp32 tiles.
    """
    pairs = call.batch * call.heads
    delta = 4 * pairs * call.queries
    script = Script()
    wide = call.element_bytes >= 4
    if wide:
        script.take("gradient * output", call.element_bytes * pairs * call.queries * call.head_dim)
        script.take("delta", delta)
        script.take("delta, contiguous", delta)
        script.free("delta", "gradient * output")
    else:
        script.take("delta, contiguous", delta)
    tiles = pairs * ceil_div(call.queries, _TILE) * ceil_div(call.head_dim, _TILE)
    script.take("tiles", tiles * _TILE_BYTES)
    script.free("delta, contiguous", "tiles")
    return script.done(proven=call.element_bytes == 4 and call.head_dim == _TILE)


def flash_backward_buffers(
    call: AttentionCall, *, deterministic: bool = False, processors: Processors | None = None
) -> Buffers:
    """Buffers of flash's backward; they follow the gradients.

    Args:
        call: Its dimensions; the head is padded to a multiple of 8 already.
        deterministic: ``torch.use_deterministic_algorithms``: every multiprocessor sums on its own.
        processors: The GPU's multiprocessors, for the deterministic form.

    Raises:
        ValueError: The deterministic form without ``processors``.
    """
    rows = round_up(call.queries, 128)
    width = round_up(call.head_dim, 32 if call.head_dim <= 128 else 64)
    script, pairs = Script(), call.batch * call.heads
    script.take("softmax sums", 4 * pairs * rows)
    splits = 1
    if deterministic:
        if processors is None:
            raise ValueError("the deterministic backward depends on the number of multiprocessors")
        splits = ceil_div(processors.count, pairs)
    script.take("query gradient", 4 * splits * pairs * rows * width)
    if call.kv_heads != call.heads:
        expanded = call.element_bytes * pairs * call.keys * call.head_dim
        script.take("key gradient of every head", expanded)
        script.take("value gradient of every head", expanded)
        script.free("value gradient of every head", "key gradient of every head")
    script.free("query gradient", "softmax sums")
    return script.done(proven=False)
