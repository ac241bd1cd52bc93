"""A simulated run: the same step that is measured, on a GPU that is not there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import torch

from optmem_gui.core.errors import UserError
from optmem_gui.core.protocol import Message, Progress
from optmem_gui.core.requests import SimulateRequest
from optmem_gui.core.simulating import SimulationReport, TracedNote
from optmem_gui.worker.build import build
from optmem_gui.worker.job import Job
from optmem_gui.worker.simulate import autocast, dispatch, functions, labels
from optmem_gui.worker.simulate.account import Account, account, highest_peak
from optmem_gui.worker.simulate.calibration import calibrate
from optmem_gui.worker.simulate.environment import pretended_gpu
from optmem_gui.worker.simulate.facts import machine_of
from optmem_gui.worker.simulate.places import failing_line
from optmem_gui.worker.simulate.rules import RULES, SEEN_IN_PLACE
from optmem_gui.worker.simulate.tape import Tape
from optmem_gui.worker.simulate.tracker import Tracker
from optmem_gui.worker.training import Passes, autocast_of, checked_scheme, train_step
from optmem_gui.worker.update import Update, first_line, optimizer_class

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


class Simulation:
    """One simulated run.

    Attributes:
        request: What to run.
        step: Step under way, 0 before the first.
        phase: Phase under way.
        operator: The operator seen last.
    """

    def __init__(
        self,
        request: SimulateRequest,
        send: Callable[[Message], None],
        cancelled: Callable[[], bool] = bool,
    ) -> None:
        self.request, self._send = request, send
        self._tracker = Tracker(machine_of(request.target), RULES, cancelled)
        self._passes: Passes | None = None

    @property
    def step(self) -> int:
        """Step under way, 0 before the first."""
        return self._tracker.step

    @property
    def phase(self) -> str:
        """Phase under way."""
        return self._tracker.phase

    @property
    def operator(self) -> str:
        """The operator seen last."""
        return self._tracker.operator

    def run(self) -> SimulationReport:
        """Trace and replay it.

        Raises:
            UserError: What was asked for cannot be simulated here.
            Cancelled: It is no longer wanted.
        """
        try:
            return self._run()
        except Exception as error:
            raise self._explained(error) from error

    def _run(self) -> SimulationReport:
        started = time.monotonic()
        work = replace(self.request.work, device="cuda")
        scheme = checked_scheme(work)
        tracker = self._tracker
        optimizer_class(work.optimizer)  # a library that looks for a GPU when it is imported must find none
        with traced(tracker):
            with self._phase("load"):
                job = build(work, scheme, DEVICE)
                tracker.places.name(job.module)
                update = Update(work, scheme, job.trainable, DEVICE)
                labels.after_load(tracker, job, update)
            for step in range(1, work.steps + 1):
                tracker.step = step
                passes = self._passes = Passes(job, update, autocast_of(scheme, DEVICE))
                train_step(
                    work,
                    passes,
                    phase=self._phase,
                    before_update=lambda: labels.label_gradients(tracker, update),
                )
                tracker.places.forget()
        tracker.tape.end = len(tracker.tape.events)
        labels.finish(tracker.tape)
        counted = account(tracker.tape, self.request.target)
        return self._report(job, counted, tracker.tape, time.monotonic() - started)

    def _explained(self, error: Exception) -> Exception:
        """An error with the operator and the line it came from; as it is where there is neither."""
        origin: BaseException = error
        while origin.__cause__ is not None:
            origin = origin.__cause__
        line = failing_line(origin)
        place = "-" if line is None else f"{Path(line[0]).name}:{line[1]}"
        cause = f"{type(origin).__name__}: {first_line(origin)}"
        operator = self._tracker.failed_operator(error)
        if operator:
            return UserError("simulate.operator_failed", operator=operator, place=place, cause=cause)
        if line is None or isinstance(error, UserError):
            return error
        return UserError("simulate.program_failed", place=place, cause=cause)

    @contextmanager
    def _phase(self, phase: str) -> Iterator[None]:
        tracker = self._tracker
        self._send(Progress(phase, tracker.step, self.request.work.steps))
        tracker.begin(tracker.step, phase)
        yield
        if self._passes is not None:
            labels.after_phase(tracker, phase, self._passes)

    def _report(self, job: Job, counted: Account, tape: Tape, seconds: float) -> SimulationReport:
        tracker = self._tracker
        notes = list(tracker.notes)
        if tracker.unproven:
            notes.append(TracedNote("simulate.unproven", {"operators": ", ".join(sorted(tracker.unproven))}))
        high = counted.peak_bytes
        if tracker.banded:
            high = max(high, highest_peak(tape, self.request.target))
        return SimulationReport(
            traced_by=torch.__version__,
            target=self.request.target,
            phases=tuple(counted.phases),
            peak_bytes=counted.peak_bytes,
            peak_high_bytes=high,
            peak_phase=counted.peak_phase,
            peak_event=counted.peak_event,
            peak_reserved_bytes=counted.peak_reserved_bytes,
            categories=counted.categories,
            largest=counted.largest,
            alive=counted.alive,
            points=tuple(counted.points),
            exact=not (tracker.unproven or tracker.banded or tracker.notes),
            out_of_memory=counted.out_of_memory,
            notes=tuple(notes),
            event_count=tape.end,
            operator_count=tracker.operator_count,
            param_count=sum(parameter.numel() for parameter in job.parameters),
            trainable_count=sum(parameter.numel() for parameter in job.trainable),
            seconds=seconds,
        )
