"""What the user should know about a checkpoint, beyond its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from optmem_gui.checkpoints.contents import Contents, remark
from optmem_gui.checkpoints.names import EMA_ROOTS
from optmem_gui.checkpoints.packed import PACKED_TYPES, Packing
from optmem_gui.core.model import BufferTensor, ModelSpec, Role
from optmem_gui.core.reasons import Reason


def packing_warnings(
    packing: Packing, packed_count: int, auxiliary_count: int, buffers: Sequence[BufferTensor]
) -> Iterator[Reason]:
    """Whatever makes stored elements something else than parameters."""
    if packing.weights:
        schemes = ", ".join(sorted({weight.scheme for weight in packing.weights.values()}))
        yield remark(
            "checkpoint.packed_weights",
            schemes=schemes,
            stored_count=packed_count,
            count=sum(prod(weight.shape) for weight in packing.weights.values()),
        )
    if auxiliary_count:
        yield remark("checkpoint.auxiliary", count=auxiliary_count)
    odd = [buffer for buffer in buffers if _looks_packed(buffer)]
    if odd:
        count = sum(prod(buffer.shape) for buffer in odd)
        yield remark("checkpoint.integer_weights", name=odd[0].name, count=count)


def model_warnings(spec: ModelSpec, contents: Contents) -> Iterator[Reason]:
    """What is missing, empty, or claimed but not so."""
    optimizer = contents.optimizer
    if not contents.rows and optimizer is None:
        yield remark("checkpoint.no_tensors")
    elif not spec.parameters and optimizer is None:
        yield remark("checkpoint.no_weights", count=len(contents.rows))
    elif not spec.parameters and optimizer is not None:
        yield remark("checkpoint.optimizer_only", kind=optimizer.kind, count=optimizer.param_count)
    elif len(spec.parameters) > 1 and all(tensor.shape == (0,) for tensor in spec.parameters):
        yield remark("checkpoint.partitioned", count=len(spec.parameters))
    if spec.parameters and all(tensor.role is Role.ADAPTER for tensor in spec.parameters):
        yield remark("checkpoint.adapter_only", count=spec.param_count)
    ema_count = sum(prod(buffer.shape) for buffer in spec.buffers if buffer.name.startswith(EMA_ROOTS))
    if ema_count:
        yield remark("checkpoint.ema_copy", count=ema_count)
    if contents.declared is not None and contents.declared != spec.param_count:
        yield remark("checkpoint.declared_total", declared_count=contents.declared, count=spec.param_count)


def _looks_packed(buffer: BufferTensor) -> bool:
    """A matrix of small whole numbers called ``weight``: quantised in a way that is not known here."""
    return buffer.dtype.id in PACKED_TYPES and buffer.name.endswith("weight")
