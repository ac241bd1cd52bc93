"""One training step in the order that a trainer runs it, whoever watches."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor

from optmem_gui.core.errors import UserError
from optmem_gui.core.precision import PrecisionScheme, precision
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.worker.job import Batch, Job, torch_dtype
from optmem_gui.worker.update import Update, tensor_bytes

_MIN_STEPS = 2

Phase = Callable[[str], AbstractContextManager[None]]
"""Opens a phase by its id."""

Autocast = Callable[[], AbstractContextManager[object]]


def checked_scheme(request: MeasureRequest) -> PrecisionScheme:
    """The precision scheme, where torch itself can run it.

    Raises:
        UserError: It cannot, or the steps are too few to tell the first one from the rest.
    """
    scheme = precision(request.precision)
    if not scheme.runs_in_torch:
        raise UserError("measure.precision_not_in_torch", precision=scheme.id)
    if request.steps < _MIN_STEPS:
        raise UserError("measure.too_few_steps", steps=request.steps, fewest=_MIN_STEPS)
    return scheme


def autocast_of(scheme: PrecisionScheme, device: torch.device) -> Autocast:
    """The region that forward runs in; none where the scheme has no autocast."""
    if scheme.autocast is None:
        return nullcontext
    dtype = torch_dtype(scheme.autocast.id)
    return lambda: torch.autocast(device.type, dtype=dtype)


class Passes:
    """Forward and backward over one micro-batch after the other.

    The batch lives from the start of forward to the end of backward, the graph likewise: nothing of
    either is left when the optimizer steps, unless the loop keeps its logits.

    Attributes:
        job: The model.
        update: The optimizer's half.
        batch: The micro-batch under way.
        value: Loss of the last one.
        input_bytes: Size of the last one.
    """

    def __init__(self, job: Job, update: Update, autocast: Autocast) -> None:
        self.job, self.update, self._autocast = job, update, autocast
        self.batch: Batch = ()
        self._loss: Tensor | None = None
        self.value = math.nan
        self.input_bytes = 0

    def forward(self) -> None:
        """Take a batch and compute its loss."""
        self.batch = self.job.batch()
        self.input_bytes = tensor_bytes(self.batch)
        with self._autocast():
            self._loss = self.job.loss(self.batch)
        self.value = float(self._loss.detach())

    def backward(self, accumulate: int = 1) -> None:
        """Gradients of the loss that stands; the graph and the batch go."""
        assert self._loss is not None  # noqa: S101  # forward ran before
        loss, self._loss = self.update.scaled(self._loss / accumulate), None
        self.update.backward(loss)
        self.batch = ()

    def evaluate(self) -> float:
        """What an optimizer calls that evaluates the loss itself: everything up to the gradients."""
        self.update.zero()
        self.update.before_forward()
        self.forward()
        self.backward()
        self.update.after_backward()
        return self.value


def train_step(
    request: MeasureRequest,
    passes: Passes,
    phase: Phase,
    before_update: Callable[[], None],
) -> None:
    """Run one step: every micro-batch forward and backward, the update, and what stays until the next.

    Args:
        request: What is run.
        passes: The passes over the model, with the optimizer's half.
        phase: Opens each phase.
        before_update: Called once the gradients stand, before the optimizer steps.
    """
    job, update = passes.job, passes.update
    if not update.needs_closure:
        for _ in range(request.accumulate):
            with phase("forward"):
                passes.forward()
            with phase("backward"):
                passes.backward(request.accumulate)
        before_update()
    with phase("optimizer_step"):
        update.step(passes.evaluate if update.needs_closure else None)
        if update.needs_closure:
            before_update()
        job.drop_logits()
        update.zero()
    with phase("between_steps"):
        pass
