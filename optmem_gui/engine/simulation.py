"""Simulations, one after the other, in one worker that stays warm.

:meth:`Simulator.simulate` blocks: a thread of the window or the command line calls it. The worker belongs
to a thread of the simulator, because on Linux a child ends with the thread that started it. The first
simulation starts the worker, which costs the import of torch; later ones find it warm. A new simulation
takes the place of the one under way. Nothing that goes wrong with the worker raises.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Literal

from optmem_gui.core.errors import UserError
from optmem_gui.core.protocol import (
    Failed,
    Hello,
    Message,
    Progress,
    ProtocolError,
    VersionError,
    decode,
    encode,
)
from optmem_gui.core.reasons import Reason
from optmem_gui.core.requests import CancelRequest, SimulateRequest
from optmem_gui.core.simulating import SimulationReport
from optmem_gui.engine.child import Child, Launch
from optmem_gui.engine.worker_process import explain_exit, worker_launch

log = logging.getLogger(__name__)

SimulationStatus = Literal["done", "out_of_memory", "failed", "cancelled"]
SimulationEvent = Hello | Progress

_SHOWN_GARBAGE = 60
_KILL_S = 0.2
"""For each way of ending a worker that did not answer to a cancel."""

_LAST_WORDS = ("no_torch", "wrong_version", "bad_request")
"""A worker that says one of these ends by itself."""


@dataclass(frozen=True, slots=True)
class SimulationLimits:
    """How long to wait.

    Attributes:
        start_s: Until the first word of a new worker; a cold import of torch from a slow disk takes a minute.
        silence_s: Between two words of a worker that traces; a user's function may never return.
        cancel_s: For a cancelled trace to stop by itself; then the worker is killed.
        idle_s: Without a request, until the worker is ended.
        patience_s: For each way of ending an idle worker.
    """

    start_s: float = 180.0
    silence_s: float = 120.0
    cancel_s: float = 2.0
    idle_s: float = 600.0
    patience_s: float = 1.0


@dataclass(frozen=True, slots=True)
class SimulationOutcome:
    """What came of it.

    Attributes:
        status: ``done``; ``out_of_memory`` (with a report up to there); ``failed``; ``cancelled``, also by a
            later simulation or the end of the program.
        request: What was asked.
        report: The simulated steps.
        reason: Why there are none, with the next step.
        detail: Technical detail for the fold: the worker's traceback or its last lines.
    """

    status: SimulationStatus
    request: SimulateRequest
    report: SimulationReport | None = None
    reason: Reason | None = None
    detail: str = ""


@dataclass(eq=False)
class _Job:
    """One call of :meth:`Simulator.simulate`; its words end with the outcome."""

    request: SimulateRequest
    stage: str = "start"
    garbage: str = ""
    done: bool = False
    words: queue.SimpleQueue[SimulationEvent | SimulationOutcome] = field(default_factory=queue.SimpleQueue)

    def finish(
        self,
        status: SimulationStatus,
        reason: Reason | None = None,
        detail: str = "",
        report: SimulationReport | None = None,
    ) -> None:
        """Answer the caller, once."""
        if not self.done:
            self.done = True
            self.words.put(SimulationOutcome(status, self.request, report, reason, detail))


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a worker, None at the end of its output."""

    child: Child
    line: bytes | None


@dataclass(frozen=True, slots=True)
class _Cancel:
    """Stop this job, or whatever there is."""

    job: _Job | None = None


class Simulator:
    """Simulates; keep one, and close it.

    Args:
        python: Python in which the user trains; this program's own when left out.
        worker: How to start the worker; a test passes a script of its own.
        limits: How long to wait.
    """

    def __init__(
        self,
        python: str | None = None,
        *,
        worker: Launch | None = None,
        limits: SimulationLimits | None = None,
    ) -> None:
        self._python, self._launch = python, worker
        self._limits = limits or SimulationLimits()
        self._words: queue.SimpleQueue[_Job | _Line | _Cancel | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._owner: threading.Thread | None = None
        self._closed = False
        self._numbers = 0
        # what follows belongs to the owner's thread
        self._child: Child | None = None
        self._foreign = ""
        self._running: _Job | None = None
        self._waiting: _Job | None = None
        self._until: float | None = None

    def __enter__(self) -> Simulator:
        """Use it in a ``with`` block."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def simulate(
        self, request: SimulateRequest, on_event: Callable[[SimulationEvent], None]
    ) -> SimulationOutcome:
        """Trace one run, in place of one that is under way.

        Args:
            request: What to trace; its number is set here.
            on_event: Called from this thread. An exception it raises cancels the simulation and is raised.

        Returns:
            The outcome; nothing that goes wrong with the model or the worker raises.
        """
        job = self._enter(request)
        try:
            while True:
                word = job.words.get()
                if isinstance(word, SimulationOutcome):
                    return word
                on_event(word)
        except BaseException:
            self._words.put(_Cancel(job))
            raise

    def cancel(self) -> None:
        """Stop what is under way; safe from any thread. The worker stays when it stops in time."""
        self._words.put(_Cancel())

    def close(self) -> None:
        """End the worker and answer whoever waits; safe from any thread and more than once."""
        with self._lock:
            self._closed = True
            owner = self._owner
            self._words.put(None)
        if owner is not None:
            owner.join()

    def _enter(self, request: SimulateRequest) -> _Job:
        with self._lock:
            self._numbers += 1
            job = _Job(replace(request, number=self._numbers))
            if self._closed:
                job.finish("cancelled", Reason("simulate.closed"))
                return job
            if self._owner is None:
                self._owner = threading.Thread(target=self._own, name="simulator", daemon=True)
                self._owner.start()
            self._words.put(job)
        return job

    def _own(self) -> None:
        """The owner's thread: one word after the other, until it is closed."""
        try:
            while (word := self._next_word()) is not None:
                if isinstance(word, _Job):
                    self._take(word)
                elif isinstance(word, _Cancel):
                    self._cancel(word.job)
                elif word.child is self._child:
                    self._hear(word.line)
        finally:
            for job in (self._running, self._waiting):
                if job is not None:
                    job.finish("cancelled", Reason("simulate.closed"))
            self._end_worker(_KILL_S)

    def _next_word(self) -> _Job | _Line | _Cancel | None:
        while True:
            left = None if self._until is None else self._until - time.monotonic()
            try:
                if left is None or left > 0:
                    return self._words.get(timeout=left)
            except queue.Empty:
                pass
            self._overdue()

    def _take(self, job: _Job) -> None:
        """A new job: now, or as soon as the worker has let go of the one under way."""
        if self._waiting is not None:
            self._waiting.finish("cancelled", Reason("simulate.superseded"))
        self._waiting = job
        if self._running is not None:
            self._let_go(Reason("simulate.superseded"))
        else:
            self._begin()

    def _cancel(self, job: _Job | None) -> None:
        if self._waiting is not None and job in (None, self._waiting):
            self._waiting.finish("cancelled", _cancelled(self._waiting))
            self._waiting = None
        if self._running is not None and job in (None, self._running):
            self._let_go(_cancelled(self._running))

    def _let_go(self, reason: Reason) -> None:
        """Answer the caller at once and ask the worker to stop; it has until then to say that it has."""
        job = self._running
        if job is None or job.done or self._child is None:
            return
        job.finish("cancelled", reason)
        self._child.write(encode(CancelRequest(job.request.number)))
        self._until = time.monotonic() + self._limits.cancel_s

    def _begin(self) -> None:
        """Give the worker the job that waits; start a worker where there is none."""
        job, self._waiting = self._waiting, None
        if job is None:
            self._rest()
            return
        if self._foreign not in ("", job.request.work.function):
            self._end_worker(self._limits.patience_s)  # another's code may have changed what torch does
        patience = self._limits.silence_s
        if self._child is None:
            patience = self._limits.start_s
            if not self._start_worker(job):
                return
        if self._child is None:
            raise AssertionError("a worker was started")
        self._running = job
        self._foreign = job.request.work.function
        self._child.write(encode(job.request))
        self._until = time.monotonic() + patience

    @property
    def _program(self) -> str:
        return "" if self._launch is None else self._launch.command[0]

    def _start_worker(self, job: _Job) -> bool:
        child = Child("simulation", lambda line: self._words.put(_Line(child, line)))
        reason = None
        try:
            self._launch = self._launch or worker_launch(self._python)
            child.start(self._launch)
        except UserError as error:
            reason = error.reason
        except OSError as error:
            values = {"python": self._program, "cause": error.strerror or str(error)}
            reason = Reason("simulate.no_python", values)
        if reason is not None:
            job.finish("failed", reason)
            self._rest()
            return False
        self._child = child
        return True

    def _hear(self, line: bytes | None) -> None:
        job = self._running
        if line is None:
            self._ended(job)
            return
        if job is None:
            return
        message = self._read(job, line)
        if isinstance(message, (SimulationReport, Failed)):
            self._running = None
            _answer(job, message, "" if self._child is None else self._child.errors)
            if isinstance(message, Failed) and message.code in _LAST_WORDS:
                self._end_worker(self._limits.patience_s)
            self._begin()
        elif isinstance(message, (Hello, Progress)) and not job.done:
            job.stage = message.stage if isinstance(message, Progress) else job.stage
            self._until = time.monotonic() + self._limits.silence_s
            job.words.put(message)

    @staticmethod
    def _read(job: _Job, line: bytes) -> Message | None:
        try:
            return decode(line)
        except VersionError as error:
            return Failed("wrong_version", "measure.wrong_version", {"given": str(error.given)})
        except ProtocolError as error:
            if not job.garbage:
                log.warning("the worker said something else: %r (%s)", line[:200], error)
                job.garbage = line.decode(errors="replace").strip()[:_SHOWN_GARBAGE]
        return None

    def _ended(self, job: _Job | None) -> None:
        """The worker's output has ended: it is gone, whether asked or not."""
        errors, returncode = self._end_worker(self._limits.patience_s)
        self._running = None
        if job is not None:
            if job.stage == "start" and job.garbage:
                values = {"python": self._program, "sample": job.garbage}
                job.finish("failed", Reason("simulate.not_a_worker", values), errors)
            job.finish("failed", explain_exit(returncode, job.stage, "simulate"), errors)
        self._begin()

    def _overdue(self) -> None:
        """Time is up: for a worker that traces, for one that was told to stop, or for an idle one."""
        job, self._running = self._running, None
        if job is None:
            self._end_worker(self._limits.patience_s)
            self._until = None
            return
        waited = self._limits.start_s if job.stage == "start" else self._limits.silence_s
        errors, _ = self._end_worker(_KILL_S)
        reason = Reason("simulate.silent", {"phase": job.stage, "seconds": round(waited)})
        job.finish("failed", reason, errors)
        self._begin()

    def _rest(self) -> None:
        self._until = None if self._child is None else time.monotonic() + self._limits.idle_s

    def _end_worker(self, patience_s: float) -> tuple[str, int]:
        """End it, whatever it does.

        Returns:
            Its last lines of standard error and its exit status.
        """
        child, self._child, self._foreign = self._child, None, ""
        if child is None:
            return "", 0
        child.stop(patience_s)
        return child.errors, child.returncode or 0


def _cancelled(job: _Job) -> Reason:
    return Reason("simulate.cancelled", {"phase": job.stage})


def _answer(job: _Job, message: SimulationReport | Failed, errors: str) -> None:
    if isinstance(message, SimulationReport):
        job.finish("out_of_memory" if message.out_of_memory else "done", report=message)
    elif message.code == "cancelled":
        job.finish("cancelled", message.reason)
    else:
        job.finish("failed", message.reason, message.detail or errors)
