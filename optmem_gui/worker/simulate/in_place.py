"""Where autograd writes into a tensor on a device, but makes a new one for meta and fake tensors.

Autograd counts both among those it must not write into (``isTensorSubclassLike``), so its adding up
of gradients and a few formulas take their out-of-place form. Sources: ``input_buffer.cpp``
(``can_accumulate_inplace``) and ``FunctionsManual.cpp`` in torch/csrc/autograd, and
tools/autograd/derivatives.yaml (``index_backward``, ``value_selecting_reduction_backward``, ``gather``),
torch 2.13.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch import Tensor

from optmem_gui.worker.simulate.dispatch import Args, Kwargs
from optmem_gui.worker.simulate.places import node_number
from optmem_gui.worker.simulate.tracker import Tracker, plain

_ENGINE = torch.autograd.graph._engine_run_backward.__code__  # noqa: SLF001  # the frame that calls the engine
_TORCH = Path(torch.__file__).parent
_AROUND_MODES = (str(_TORCH / "_compile.py"), str(_TORCH / "_dynamo" / "eval_frame.py"))
"""Where torch wraps the handler of a mode; importing them would take seconds."""

_ZEROS = ("new_zeros", "zeros", "zeros_like")
_FRAMES_TO_ENGINE = 5
"""From the question up to the engine: the sum, its rule, the plan, the tracker and the fallback (or mode)."""


class Counts:
    """References that a gradient has in a handler when nothing but autograd's sum holds it.

    They depend on how torch passes arguments, so they are counted at the start of every process.

    Attributes:
        tensor: References to the tensor.
        storage: References to its storage.
        adds_in_place: Whether torch adds up in place at all, found with real tensors.
    """

    def __init__(self, tensor: int, storage: int, *, adds_in_place: bool) -> None:
        self.tensor, self.storage = tensor, storage
        self.adds_in_place = adds_in_place


counts = Counts(-1, -1, adds_in_place=False)
"""Filled by :mod:`optmem_gui.worker.simulate.calibration`."""


def references(tensor: Tensor) -> tuple[int, int]:
    """References to a tensor and to its storage."""
    storage = tensor.untyped_storage()
    return tensor._use_count(), torch._C._storage_Use_Count(storage._cdata)  # type: ignore[attr-defined]  # noqa: SLF001  # no public way leads there


def add(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """Adding up the gradients of one tensor: into the first one, when nobody else holds it."""
    if sums_into(tracker, args, kwargs, counts):
        return args[0]
    return plain(tracker, op, name, args, kwargs)


def sums_into(tracker: Tracker, args: Args, kwargs: Kwargs, alone: Counts) -> bool:
    """Whether a sum is autograd's of two gradients, and goes into the first one: asked by its rule itself.

    Args:
        tracker: Who sees the operator.
        args: The two.
        kwargs: Autograd gives none.
        alone: References of a gradient that nothing else holds.
    """
    if not alone.adds_in_place or kwargs or len(args) != 2 or torch.is_grad_enabled():
        return False
    first, second = args
    if node_number() is None or not (isinstance(first, Tensor) and isinstance(second, Tensor)):
        return False
    block = tracker.block_of(first)
    if block is None or block.node is None or first.shape != second.shape or not _is_dense(first):
        return False
    tensor, storage = references(first)
    return tensor <= alone.tensor and storage <= alone.storage and _from_engine()


def _from_engine() -> bool:
    """Whether autograd itself adds, and no Python function inside backward."""
    frame: FrameType | None = sys._getframe(_FRAMES_TO_ENGINE + 1)  # noqa: SLF001  # the stack itself is the question
    while frame is not None and frame.f_code.co_filename in _AROUND_MODES:
        frame = frame.f_back
    return frame is not None and frame.f_code is _ENGINE


def _is_dense(tensor: Tensor) -> bool:
    """Whether the elements fill the storage without gap or overlap (``is_non_overlapping_and_dense``)."""
    if tensor.is_contiguous():
        return True
    step = 1
    for stride, size in sorted(zip(tensor.stride(), tensor.shape, strict=True)):
        if size == 1:
            continue
        if stride != step:
            return False
        step *= size
    return True


def into_zeros(tracker: Tracker, op: Any, name: str, args: Args, kwargs: Kwargs) -> Any:
    """A formula that fills zeros it has just made writes into them."""
    if not torch.is_grad_enabled() and _is_fresh(tracker, args[0]):
        return args[0]
    return plain(tracker, op, name, args, kwargs)


def is_fresh(tracker: Tracker, tensor: Any) -> bool:
    """Whether zeros were made by the formula that runs now."""
    return not torch.is_grad_enabled() and _is_fresh(tracker, tensor)


def _is_fresh(tracker: Tracker, tensor: Any) -> bool:
    number = node_number()
    if number is None or not isinstance(tensor, Tensor):
        return False
    block = tracker.block_of(tensor)
    return block is not None and block.op in _ZEROS and block.node == number
