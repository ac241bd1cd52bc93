"""What an optimizer's constructor is given: a list of parameters, pairs with names, or groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any

import torch
import torch.distributed as dist
from torch import nn

from optmem_gui.core.requests import Alike, MeasureRequest, ParameterGroup

_GATHERING = ("muon.Muon", "muon.MuonWithAuxAdam")
"""Their step gathers from every rank and needs a process group, be it of one (muon.py)."""

_LONGEST_END = 2
"""Parts of a name that say what a parameter is: its module and its name inside it."""


def handed(request: MeasureRequest, names: Sequence[str], parameters: Sequence[nn.Parameter]) -> list[Any]:
    """The first argument of the constructor.

    Args:
        request: Says how the optimizer takes its parameters.
        names: Of the parameters, in the same order.
        parameters: What is optimized.
    """
    if request.named:
        return list(zip(names, parameters, strict=True))
    if not request.groups:
        return list(parameters)
    left = list(zip(names, parameters, strict=True))
    groups: list[dict[str, Any]] = []
    for group in request.groups:
        wanted = frozenset(group.alike)
        picks = [_takes(group, wanted, name, parameter) for name, parameter in left]
        taken = [parameter for (_, parameter), pick in zip(left, picks, strict=True) if pick]
        left = [pair for pair, pick in zip(left, picks, strict=True) if not pick]
        if taken:
            groups.append({"params": taken, **dict(group.values)})
    return groups


def _takes(group: ParameterGroup, wanted: frozenset[Alike], name: str, parameter: nn.Parameter) -> bool:
    shape = tuple(parameter.shape)
    if group.rest:
        return True
    if group.matrices:
        return len(shape) == 2 and prod(shape) > 1
    parts = name.split(".")
    ends = (".".join(parts[len(parts) - count :]) for count in range(_LONGEST_END + 1))
    return any(Alike(end, shape) in wanted for end in ends)


@contextmanager
def gathering(request: MeasureRequest, device: torch.device) -> Iterator[None]:
    """A process group of this process alone, for an optimizer that cannot do without one."""
    if request.optimizer not in _GATHERING or request.rank is not None:
        yield
        return
    backend = "gloo" if device.type == "cpu" else "nccl"
    store = torch._C._distributed_c10d.HashStore()  # noqa: SLF001  # in memory: no port is opened
    dist.init_process_group(backend, store=store, rank=0, world_size=1)
    try:
        yield
    finally:
        dist.destroy_process_group()
