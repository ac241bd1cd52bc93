"""One run of a training step under the tracer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace

import torch
from torch import nn

from optmem_gui.core.precision import PrecisionScheme
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.worker.build import build
from optmem_gui.worker.job import Job
from optmem_gui.worker.simulate import autocast, dispatch, functions, labels
from optmem_gui.worker.simulate.calibration import calibrate
from optmem_gui.worker.simulate.environment import pretended_gpu
from optmem_gui.worker.simulate.facts import Machine
from optmem_gui.worker.simulate.rules import RULES, SEEN_IN_PLACE
from optmem_gui.worker.simulate.tape import Tape
from optmem_gui.worker.simulate.tracker import Tracker
from optmem_gui.worker.training import Passes, autocast_of, checked_scheme, train_step
from optmem_gui.worker.update import Update, optimizer_class

Make = Callable[[Sequence[nn.Parameter]], torch.optim.Optimizer]
StandIn = Callable[[Job, MeasureRequest, PrecisionScheme], Make]
"""From the model and what is run to what makes an optimizer of parameters."""

DEVICE = torch.device("cuda", 0)
"""What the model is built on; every use of it comes to the meta device."""


@contextmanager
def traced(tracker: Tracker) -> Iterator[None]:
    """Everything that runs inside is traced as if it ran on the tracker's GPU.

    Raises:
        UserError: This torch does something else than the rules expect.
    """
    dispatch.install(SEEN_IN_PLACE, functions.ON_META, functions.ON_HOST, autocast.rules())
    calibrate()
    with ExitStack() as stack:
        functions.machine.append(tracker.machine)
        stack.callback(functions.machine.pop)
        autocast.labelled.append(lambda copy: tracker.label((copy,), "autocast_copies"))
        stack.callback(autocast.labelled.pop)
        stack.enter_context(pretended_gpu(tracker))
        stack.enter_context(tracker.places.watching())
        stack.enter_context(dispatch.seeing(tracker.handle))
        yield


class Trace:
    """One traced run.

    Attributes:
        device: Where the model is built.
        tracker: What is known of it so far.
        param_count: Parameters, adapters included.
        trainable_count: Parameters that the optimizer updates.
    """

    device = DEVICE

    def __init__(
        self, machine: Machine, began: Callable[[str, int], None], cancelled: Callable[[], bool]
    ) -> None:
        self.tracker = self._new_tracker(machine, cancelled)
        self.param_count = self.trainable_count = 0
        self._began = began
        self._passes: Passes | None = None

    @staticmethod
    def _new_tracker(machine: Machine, cancelled: Callable[[], bool]) -> Tracker:
        return Tracker(machine, RULES, cancelled)

    def _traced(self) -> AbstractContextManager[None]:
        return traced(self.tracker)

    def run(self, work: MeasureRequest, stand_in: StandIn | None = None) -> Tape:
        """Trace every step.

        Args:
            work: What to run.
            stand_in: What stands for the optimizer where it does not run.

        Raises:
            UserError: What was asked for cannot be traced here.
            Cancelled: It is no longer wanted.
        """
        work = replace(work, device=self.device.type)
        scheme = checked_scheme(work)
        tracker = self.tracker
        if stand_in is None:
            optimizer_class(work.optimizer)  # a library that looks for a GPU when it is imported finds none
        with self._traced():
            with self._phase("load"):
                job = build(work, scheme, self.device)
                tracker.places.name(job.module)
                make = None if stand_in is None else stand_in(job, work, scheme)
                update = Update(
                    work,
                    scheme,
                    job.trainable,
                    self.device,
                    make,
                    names=job.trainable_names,
                    model=job.module,
                )
                labels.after_load(tracker, job, update)
            for step in range(1, work.steps + 1):
                tracker.step = step
                passes = self._passes = Passes(job, update, autocast_of(scheme, self.device))
                train_step(
                    work,
                    passes,
                    phase=self._phase,
                    before_update=lambda: labels.label_gradients(tracker, update),
                )
                tracker.places.forget()
        tracker.tape.end = len(tracker.tape.events)
        labels.finish(tracker.tape)
        self.param_count = sum(parameter.numel() for parameter in job.parameters)
        self.trainable_count = sum(parameter.numel() for parameter in job.trainable)
        return tracker.tape

    @contextmanager
    def _phase(self, phase: str) -> Iterator[None]:
        tracker = self.tracker
        self._began(phase, tracker.step)
        tracker.begin(tracker.step, phase)
        yield
        if self._passes is not None:
            labels.after_phase(tracker, phase, self._passes)
