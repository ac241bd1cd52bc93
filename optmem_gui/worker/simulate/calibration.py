"""Find out how this torch counts references, and refuse one that the rules do not understand.

The rules lean on internals: a storage's identity, when it ends, how autograd adds up gradients. Three small
graphs show each of them; nothing is taken from a version number.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from optmem_gui.core.errors import UserError
from optmem_gui.core.simulating import SimulationTarget
from optmem_gui.worker.simulate import in_place
from optmem_gui.worker.simulate.dispatch import Args, Kwargs, seeing, unseen
from optmem_gui.worker.simulate.facts import machine_of
from optmem_gui.worker.simulate.tracker import Tracker
from optmem_gui.worker.update import first_line


def calibrate() -> None:
    """Fill :data:`in_place.counts`, once a process, after :func:`dispatch.install`.

    Raises:
        UserError: This torch does something else than the rules expect.
    """
    if in_place.counts.tensor >= 0:
        return
    try:
        alone, shared = _sum_references(shared=False), _sum_references(shared=True)
        adds = adds_in_place()
    except (AttributeError, RuntimeError, TypeError) as error:
        raise UserError(
            "simulate.other_internals", torch=torch.__version__, cause=first_line(error)
        ) from error
    if len(alone) != 1 or len(shared) != 1 or shared[0][0] <= alone[0][0]:
        raise UserError(
            "simulate.other_references", torch=torch.__version__, alone=str(alone), shared=str(shared)
        )
    in_place.counts.tensor, in_place.counts.storage = alone[0]
    in_place.counts.adds_in_place = adds
    if not _storages_end():
        raise UserError("simulate.other_storages", torch=torch.__version__)


def _sum_references(*, shared: bool) -> list[tuple[int, int]]:
    """References to the first of two gradients that autograd adds up, for every sum it makes."""
    found: list[tuple[int, int]] = []

    def watch(op: Any, *args: Any, **kwargs: Any) -> Any:
        if op is torch.ops.aten.add.Tensor and not torch.is_grad_enabled():
            found.append(_look(args, kwargs))
        with unseen():
            return op(*args, **kwargs)

    leaf = torch.zeros(8, device="meta", requires_grad=True)
    weight = torch.zeros(8, device="meta")
    inner = leaf * 2.0
    out = (inner + inner) * weight if shared else inner.tanh() + inner.sigmoid()
    loss = out.sum()
    del out, inner
    with seeing(watch):
        loss.backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
    return found


def _look(args: Args, kwargs: Kwargs) -> tuple[int, int]:
    """Called at the depth at which the rule is: what it passes on counts as well."""
    del kwargs
    return in_place.references(args[0])


def adds_in_place() -> bool:
    """Whether real gradients are added up into the first of them."""
    places: list[int] = []
    leaf = torch.zeros(8, requires_grad=True)
    inner = leaf * 2.0
    first, second = inner.tanh(), inner.sigmoid()
    for each in (first, second):
        node: Any = each.grad_fn
        node.register_hook(lambda made, given: places.append(made[0].data_ptr()))
    sums: list[int] = []

    def keep(gradient: Tensor) -> None:
        sums.append(gradient.data_ptr())

    inner.register_hook(keep)  # type: ignore[no-untyped-call]  # the library leaves it untyped
    loss = (first + second).sum()
    del first, second
    loss.backward()  # type: ignore[no-untyped-call]  # the library leaves it untyped
    return sums[0] == places[0]


def _storages_end() -> bool:
    """Whether the end of a storage is told at once, also of one that only autograd held."""
    tracker = Tracker(machine_of(SimulationTarget(torch="")), {}, bool)
    leaf = torch.zeros(8, device="meta", requires_grad=True)
    with seeing(tracker.handle):
        loss = leaf.exp().sum()
        held = len(tracker.live)
        del loss
    return held == 2 and not tracker.live
