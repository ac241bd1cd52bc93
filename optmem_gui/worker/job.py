"""A model ready to be trained, wherever it came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from optmem_gui.core.errors import UserError

TORCH_DTYPES: dict[str, torch.dtype] = {
    "fp64": torch.float64,
    "fp32": torch.float32,
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
    "fp8_e4m3": torch.float8_e4m3fn,
    "fp8_e5m2": torch.float8_e5m2,
    "complex128": torch.complex128,
    "complex64": torch.complex64,
    "int64": torch.int64,
    "int32": torch.int32,
    "int16": torch.int16,
    "int8": torch.int8,
    "uint8": torch.uint8,
    "bool": torch.bool,
}


Batch = tuple[Tensor, ...]


class Held(NamedTuple):
    """A storage that exists because there are other ranks.

    Attributes:
        component: ``communication``, or ``gradients`` where those live in it.
        bytes: Its size.
    """

    component: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Job:
    """A model ready to be trained.

    Attributes:
        parameters: Every parameter, frozen ones included, in order.
        buffers: Kept beside them.
        batch: Makes one micro-batch, tokens and labels for instance, as a data loader hands it over.
        loss: The forward pass over such a batch.
        drop_logits: Lets go of logits that the loop kept.
        module: The whole model, whose submodules say where an operator runs; None for bare tensors.
        names: Of the parameters, in the same order; those of the module where left out.
        held: What exists now because there are other ranks, by address.
    """

    parameters: tuple[nn.Parameter, ...]
    buffers: tuple[Tensor, ...]
    batch: Callable[[], Batch]
    loss: Callable[[Batch], Tensor]
    drop_logits: Callable[[], None]
    module: nn.Module | None = None
    names: tuple[str, ...] = ()
    held: Callable[[], Mapping[int, Held]] = dict

    @property
    def trainable(self) -> tuple[nn.Parameter, ...]:
        """The parameters that get a gradient."""
        return tuple(p for p in self.parameters if p.requires_grad)

    @property
    def trainable_names(self) -> tuple[str, ...]:
        """Names of those."""
        names = self.names
        if not names and self.module is not None:
            names = tuple(name for name, _ in self.module.named_parameters())
        pairs = zip(names, self.parameters, strict=True)
        return tuple(name for name, parameter in pairs if parameter.requires_grad)


def torch_dtype(dtype_id: str) -> torch.dtype:
    """Torch's type of an id.

    Raises:
        UserError: torch has no tensors of this type.
    """
    try:
        return TORCH_DTYPES[dtype_id]
    except KeyError:
        raise UserError("measure.no_torch_dtype", dtype=dtype_id, known=", ".join(TORCH_DTYPES)) from None


@contextmanager
def default_dtype(dtype: torch.dtype) -> Iterator[None]:
    """New floating tensors have this type inside."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)
