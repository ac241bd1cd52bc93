"""Python numbers among the operands of an operator on the CPU, which torch makes tensors of.

``x * 0.5`` is ``mul(x, tensor(0.5))`` there: a tensor of 8 bytes, and inside the kernel its copy in the type
that is computed in (``TensorIteratorBase::compute_types``); both go with the operator. Where autograd needs
the factor or the divisor again it keeps the 8 bytes from forward to the end of that node's backward
(derivatives.yaml: ``mul`` and ``div`` save ``other`` for the gradient of ``self``).
"""

from __future__ import annotations

import weakref
from typing import Any

import torch
from torch import Tensor

from optmem_gui.worker.simulate.dispatch import Args
from optmem_gui.worker.simulate.tape import Block
from optmem_gui.worker.simulate.tracker import Tracker

_NUMBER_BYTES = 8
"""A float64 or an int64."""

_KEEPING = ("mul", "div")
_ASKED = "prim::device"
"""What autograd asks a result on its way to its node."""


class Numbers:
    """Notes the tensors that one trace makes of numbers.

    Args:
        tracker: Where they are noted.
    """

    def __init__(self, tracker: Tracker) -> None:
        self._tracker = tracker
        self._kept: tuple[weakref.ref[Tensor], Block] | None = None

    def take(self, name: str, args: Args) -> list[Block]:
        """What an operator that is about to run makes of its second operand, to be freed after it."""
        number = _number(args)
        if number is None:
            return []
        tracker, computed = self._tracker, _computed_in(args[0], number)
        blocks = [tracker.take(f"{name}:number", _NUMBER_BYTES)]
        if computed.itemsize != _NUMBER_BYTES:
            blocks.append(tracker.take(f"{name}:number", computed.itemsize))
        return blocks

    def free(self, blocks: list[Block], name: str, args: Args, out: Any) -> None:
        """The operator has run; autograd, which comes after it, may keep the number."""
        if not blocks:
            return
        number, *copies = blocks
        for block in copies:
            self._tracker.free(block)
        if name in _KEEPING and args[0].requires_grad and torch.is_grad_enabled():
            number.category = "activations"
            self._kept = weakref.ref(out), number
        else:
            self._tracker.free(number)

    def settle(self, name: str) -> None:
        """The operator before the one of this name has its node by now: it frees what it keeps."""
        if self._kept is None or name == _ASKED:
            return
        (made, number), self._kept = self._kept, None
        out = made()
        node = None if out is None else out.grad_fn
        if node is None:
            self._tracker.free(number)
        else:
            node.register_hook(_Kept(self._tracker, number))


class _Kept:
    """Hook of a node: a number goes once the node has run, or with the node."""

    def __init__(self, tracker: Tracker, number: Block) -> None:
        self._tracker, self._number = tracker, number
        self._gone = False

    def __call__(self, *gradients: object) -> None:
        """The node has run."""
        if not self._gone:
            self._gone = True
            self._tracker.free(self._number)

    def __del__(self) -> None:
        self()


def _number(args: Args) -> int | float | None:
    """The second operand where it is a number beside a tensor."""
    if len(args) > 1 and isinstance(args[0], Tensor) and isinstance(args[1], (int, float)):
        return args[1]
    return None


def _computed_in(tensor: Tensor, number: float) -> torch.dtype:
    if tensor.dtype.is_floating_point or (isinstance(number, int) and tensor.dtype is not torch.bool):
        return tensor.dtype
    return torch.get_default_dtype() if isinstance(number, float) else torch.int64
