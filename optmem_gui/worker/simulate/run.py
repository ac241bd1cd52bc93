"""A simulated run: the same step that is measured, on a GPU that is not there."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch

from optmem_gui.core.errors import UserError
from optmem_gui.core.protocol import Message, Progress
from optmem_gui.core.requests import SimulateRequest
from optmem_gui.core.simulating import SimulationReport, TracedNote
from optmem_gui.worker.simulate.account import Account, account, highest_peak
from optmem_gui.worker.simulate.depth import Depths, depths_of
from optmem_gui.worker.simulate.facts import machine_of
from optmem_gui.worker.simulate.on_cpu import CpuTrace
from optmem_gui.worker.simulate.places import failing_line
from optmem_gui.worker.simulate.splice import UnlikeError, splice
from optmem_gui.worker.simulate.tape import Tape
from optmem_gui.worker.simulate.trace import StandIn, Trace
from optmem_gui.worker.simulate.tracker import Tracker
from optmem_gui.worker.update import first_line


@dataclass(frozen=True, slots=True)
class _Counts:
    """Numbers of a model and its trace."""

    params: int
    trainable: int
    operators: int

    @classmethod
    def of(cls, trace: Trace) -> _Counts:
        """Those of one trace."""
        return cls(trace.param_count, trace.trainable_count, trace.tracker.operator_count)

    def beyond(self, less: _Counts, times: int) -> _Counts:
        """Those of a model that has ``times`` more of what these have beyond ``less``."""
        return _Counts(
            self.params + times * (self.params - less.params),
            self.trainable + times * (self.trainable - less.trainable),
            self.operators + times * (self.operators - less.operators),
        )


class Simulation:
    """One simulated run.

    Attributes:
        request: What to run.
    """

    def __init__(
        self,
        request: SimulateRequest,
        send: Callable[[Message], None],
        cancelled: Callable[[], bool] = bool,
    ) -> None:
        self.request, self._send, self._cancelled = request, send, cancelled
        self._trace = self._new_trace()
        self._stand_in: StandIn | None = None
        self._said: TracedNote | None = None

    @property
    def _on_cpu(self) -> bool:
        return self.request.target.device == "cpu"

    @property
    def tracker(self) -> Tracker:
        """What is known of the trace under way."""
        return self._trace.tracker

    @property
    def step(self) -> int:
        """Step under way, 0 before the first."""
        return self.tracker.step

    @property
    def phase(self) -> str:
        """Phase under way."""
        return self.tracker.phase

    @property
    def operator(self) -> str:
        """The operator seen last."""
        return self.tracker.operator

    def run(self) -> SimulationReport:
        """Trace and replay it.

        Raises:
            UserError: What was asked for cannot be simulated here.
            Cancelled: It is no longer wanted.
        """
        started = time.monotonic()
        try:
            tape, counts = self._tape()
        except Exception as error:
            told = self._explained(error)
            if told is error:
                raise
            raise told from error
        counted = account(tape, self.request.target)
        return self._report(counts, counted, tape, time.monotonic() - started)

    def _tape(self) -> tuple[Tape, _Counts]:
        """The events of every step; an optimizer that does not run here is taken by its rules."""
        try:
            return self._traced()
        except Exception as error:
            if self._on_cpu or not _is_of_optimizer(error, self.phase):
                raise
            from optmem_gui.worker.simulate.by_rule import ruled  # noqa: PLC0415  # the catalogue is large

            self._stand_in = ruled(self.request.work.optimizer)
            if self._stand_in is None:
                raise
            values = {"optimizer": self.request.work.optimizer, "cause": first_line(error)}
        self._said = TracedNote("simulate.optimizer_by_rule", values)
        self._trace = self._new_trace()
        return self._traced()

    def _traced(self) -> tuple[Tape, _Counts]:
        """Of the whole model, or put together from two shallow ones."""
        work = self.request.work
        depths = None if self.request.every_block or self._on_cpu else depths_of(work)
        if depths is not None:
            try:
                return self._spliced(depths)
            except UnlikeError:  # its blocks are not all alike after all: every one of them is traced
                self._trace = self._new_trace()
        tape = self._trace.run(work, self._stand_in)
        return tape, _Counts.of(self._trace)

    def _spliced(self, depths: Depths) -> tuple[Tape, _Counts]:
        less_tape = self._trace.run(depths.shallow, self._stand_in)
        less = _Counts.of(self._trace)
        self._trace = self._new_trace()
        more_tape = self._trace.run(depths.deeper, self._stand_in)
        more = _Counts.of(self._trace)
        return splice(less_tape, more_tape, depths.missing), more.beyond(less, depths.missing)

    def _new_trace(self) -> Trace:
        kind = CpuTrace if self._on_cpu else Trace
        return kind(machine_of(self.request.target), self._began, self._cancelled)

    def _began(self, phase: str, step: int) -> None:
        self._send(Progress(phase, step, self.request.work.steps))

    def _explained(self, error: Exception) -> Exception:
        """An error with the operator and the line it came from; as it is where there is neither."""
        origin: BaseException = error
        while origin.__cause__ is not None:
            origin = origin.__cause__
        line = failing_line(origin)
        place = "-" if line is None else f"{Path(line[0]).name}:{line[1]}"
        cause = f"{type(origin).__name__}: {first_line(origin)}"
        operator = self.tracker.failed_operator(error)
        if operator:
            return UserError("simulate.operator_failed", operator=operator, place=place, cause=cause)
        if line is None or isinstance(error, UserError):
            return error
        return UserError("simulate.program_failed", place=place, cause=cause)

    def _report(self, counts: _Counts, counted: Account, tape: Tape, seconds: float) -> SimulationReport:
        tracker = self.tracker
        notes = list(tracker.notes)
        if self._said is not None:
            notes.insert(0, self._said)
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
            exact=not (tracker.unproven or tracker.banded or notes),
            out_of_memory=counted.out_of_memory,
            notes=tuple(notes),
            event_count=tape.end,
            operator_count=counts.operators,
            param_count=counts.params,
            trainable_count=counts.trainable,
            seconds=seconds,
        )


def _is_of_optimizer(error: BaseException, phase: str) -> bool:
    """Whether an error is the optimizer's own: its library is missing, or its step does not run here."""
    if isinstance(error, UserError):
        return error.code in ("measure.no_library", "measure.no_optimizer")
    return phase == "optimizer_step"
