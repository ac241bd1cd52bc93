"""What the user should know about a checkpoint, beyond its numbers."""

from __future__ import annotations

from collections.abc import Iterator

from optmem_gui.checkpoints.contents import Contents, remark
from optmem_gui.checkpoints.inventory import Inventory
from optmem_gui.checkpoints.names import EMA_ROOTS, Part
from optmem_gui.checkpoints.packed import PACKED_TYPES
from optmem_gui.core.model import Role
from optmem_gui.core.reasons import Reason


def packing_warnings(inventory: Inventory) -> Iterator[Reason]:
    """Whatever makes stored elements something else than parameters."""
    packed = [kind for kind in inventory.kinds if kind.packed]
    if packed:
        yield remark(
            "checkpoint.packed_weights",
            schemes=", ".join(sorted({weight.scheme for weight in inventory.packing.weights.values()})),
            stored_count=sum(kind.stored_count * kind.count for kind in packed),
            packed_bytes=sum(kind.stored_dtype.bytes_for(kind.stored_count) * kind.count for kind in packed),
            count=sum(kind.param_count for kind in packed),
        )
    if inventory.packing.assumed_bits:
        yield remark("checkpoint.assumed_bits")
    auxiliary_count = sum(kind.param_count for kind in inventory.of(Part.AUXILIARY))
    if auxiliary_count:
        yield remark("checkpoint.auxiliary", count=auxiliary_count)
    odd = [
        kind
        for kind in inventory.of(Part.BUFFER)
        if kind.dtype.id in PACKED_TYPES and kind.name.endswith("weight")
    ]
    if odd:
        count = sum(kind.param_count for kind in odd)
        yield remark("checkpoint.integer_weights", name=odd[0].name, count=count)


def model_warnings(inventory: Inventory, contents: Contents) -> Iterator[Reason]:
    """What is missing, empty, or claimed but not so."""
    optimizer, parameters = contents.optimizer, inventory.of(Part.PARAMETER)
    param_count = sum(kind.param_count for kind in parameters)
    tensor_count = sum(kind.count for kind in parameters)
    if not contents.rows and optimizer is None:
        yield remark("checkpoint.no_tensors")
    elif not parameters and optimizer is None:
        yield remark("checkpoint.no_weights", count=len(contents.rows))
    elif not parameters and optimizer is not None:
        yield remark("checkpoint.optimizer_only", kind=optimizer.kind, count=optimizer.param_count)
    elif tensor_count > 1 and all(kind.shape == (0,) for kind in parameters):
        yield remark("checkpoint.partitioned", count=tensor_count)
    trainable_count = sum(kind.param_count for kind in parameters if kind.trainable)
    if optimizer is not None and optimizer.param_count not in (0, trainable_count) and trainable_count:
        yield remark("checkpoint.optimizer_differs", held_count=optimizer.param_count, count=trainable_count)
    if optimizer is not None and optimizer.master_count:
        yield remark(
            "checkpoint.master_weights", count=optimizer.master_count, size_bytes=optimizer.master_bytes
        )
    if parameters and all(kind.role is Role.ADAPTER for kind in parameters):
        yield remark("checkpoint.adapter_only", count=param_count)
    flat_count = sum(kind.count for kind in parameters if "flat_param" in kind.name.rpartition(".")[2])
    if flat_count:
        yield remark("checkpoint.flat_parameters", count=flat_count)
    averaged = [kind for kind in inventory.of(Part.BUFFER) if kind.name.startswith(EMA_ROOTS)]
    if averaged:
        yield remark("checkpoint.ema_copy", count=sum(kind.param_count for kind in averaged))
    if contents.declared is not None and contents.declared != param_count:
        yield remark("checkpoint.declared_total", declared_count=contents.declared, count=param_count)
