"""One measurement, from the start of its processes to their end.

:meth:`Measurement.run` blocks: a thread of the window or the command line calls it. Whatever happens to
the worker becomes a :class:`MeasurementResult`; out of memory is one of them, with everything plotted up
to there. No process is left behind on any way out.
"""

from __future__ import annotations

import logging
import queue
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from optmem_gui.core.errors import UserError
from optmem_gui.core.observing import DeviceFacts, Others
from optmem_gui.core.protocol import (
    Failed,
    Hello,
    Message,
    PhaseSample,
    Progress,
    ProtocolError,
    Result,
    Sample,
    SamplerNote,
    StepResult,
    VersionError,
    decode,
    encode,
)
from optmem_gui.core.reasons import Reason, Value
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.core.run_defaults import DEFAULT_SAMPLE_HZ
from optmem_gui.engine.child import Child, Launch
from optmem_gui.engine.measurement_warnings import seen, warnings_of
from optmem_gui.engine.nvml import ENDS
from optmem_gui.engine.worker_process import explain_exit, sampler_launch, worker_launch

log = logging.getLogger(__name__)

Status = Literal["done", "out_of_memory", "failed", "cancelled"]
Event = Hello | Progress | PhaseSample | StepResult | Sample | SamplerNote

_SHOWN_GARBAGE = 60


@dataclass(frozen=True, slots=True)
class Limits:
    """How long to wait.

    Attributes:
        baseline_s: For the driver's first figure, before the worker starts, and for the one after it has
            gone; it wakes up within a second.
        start_s: Until the worker's first word; a cold import of torch from a slow disk takes a minute.
        silence_s: Between two words of the worker; a phase of a large model on a CPU is slow.
        patience_s: For each way of ending a process.
        settle_s: After the worker has gone, until the driver's figure is taken as that without it.
    """

    baseline_s: float = 5.0
    start_s: float = 180.0
    silence_s: float = 1800.0
    patience_s: float = 3.0
    settle_s: float = 0.3


@dataclass(frozen=True, slots=True)
class MeasurementResult:
    """What came of it.

    Attributes:
        status: ``done``, ``out_of_memory``, ``failed`` or ``cancelled``.
        request: What was asked.
        hello: Who measured; None when the worker never spoke.
        result: The figures of a finished measurement.
        reason: Why there are none, with the next step.
        detail: Technical detail for the fold: the worker's traceback or its last lines.
        phases: Every phase that ran, also those before a failure.
        samples: What the driver and the system said.
        notes: Series that were not available.
        warnings: What makes the figures less exact.
        baseline_bytes: Used on the GPU by everyone before the worker touched it.
        facts: What the driver said of the GPU; None without one.
        others: Who else used the GPU, before and meanwhile; empty where the driver does not list processes.
        sample_hz: How often the driver was asked a second.
    """

    status: Status
    request: MeasureRequest
    hello: Hello | None = None
    result: Result | None = None
    reason: Reason | None = None
    detail: str = ""
    phases: tuple[PhaseSample, ...] = ()
    samples: tuple[Sample, ...] = ()
    notes: tuple[SamplerNote, ...] = ()
    warnings: tuple[Reason, ...] = ()
    baseline_bytes: int | None = None
    facts: DeviceFacts | None = None
    others: tuple[Others, ...] = ()
    sample_hz: int = DEFAULT_SAMPLE_HZ

    @property
    def process_peak_bytes(self) -> int | None:
        """Largest use of the GPU by the worker; the device's rise over its baseline stands in."""
        own = [s.process_bytes for s in self.samples if s.process_bytes is not None]
        if own:
            return max(own)
        used = [s.device_used_bytes for s in self.samples if s.device_used_bytes is not None]
        return max(used) - self.baseline_bytes if used and self.baseline_bytes is not None else None

    @property
    def peak_bytes(self) -> int | None:
        """Largest number allocated in the last step; None where none finished."""
        phases = () if self.result is None else self.result.steady.phases
        return max((phase.peak_bytes for phase in phases), default=None)

    @property
    def rss_peak_bytes(self) -> int | None:
        """Largest host memory resident in the worker."""
        return max((s.rss_bytes for s in self.samples if s.rss_bytes is not None), default=None)

    @property
    def context_bytes(self) -> int | None:
        """What the process holds on the GPU beyond torch's reserve: context, modules, libraries."""
        reserved = [p.peak_reserved_bytes for p in self.phases if p.peak_reserved_bytes is not None]
        peak = self.process_peak_bytes
        return None if peak is None or not reserved else max(0, peak - max(reserved))


@dataclass
class _Course:
    """What has been heard so far."""

    request: MeasureRequest
    stage: str = "start"
    hello: Hello | None = None
    result: Result | None = None
    failed: Failed | None = None
    garbage: str = ""
    heard_s: float = 0.0
    baseline: int | None = None
    phases: list[PhaseSample] = field(default_factory=list)
    steps: list[StepResult] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    notes: list[SamplerNote] = field(default_factory=list)
    facts: DeviceFacts | None = None
    others: list[Others] = field(default_factory=list)


class _Stop(Exception):  # noqa: N818  # not an error: the way out of the loop
    """Ends the measurement early with a status and its reason."""

    def __init__(self, status: Status, reason: Reason) -> None:
        super().__init__(str(reason))
        self.status: Status = status
        self.reason = reason


_Word = tuple[str, bytes | None]


class Measurement:
    """One measurement; make a new object for the next.

    Args:
        python: Python with torch in which the user trains; this program's own when left out.
        sample_hz: How often the driver is asked.
        worker: How to start the worker; a test passes a script of its own.
        sampler: How to start the sampler.
        limits: How long to wait.
    """

    def __init__(
        self,
        python: str | None = None,
        sample_hz: int = DEFAULT_SAMPLE_HZ,
        *,
        worker: Launch | None = None,
        sampler: Launch | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._python, self._worker_launch = python, worker
        self._sampler_launch, self._sample_hz = sampler or sampler_launch(sample_hz), sample_hz
        self._limits = limits or Limits()
        self._words: queue.SimpleQueue[_Word] = queue.SimpleQueue()
        self._worker = Child("worker", lambda line: self._words.put(("worker", line)))
        self._sampler = Child("sampler", lambda line: self._words.put(("sampler", line)))

    def cancel(self) -> None:
        """Stop as soon as possible; safe from any thread, before, during and after :meth:`run`."""
        self._words.put(("cancel", None))

    def run(self, request: MeasureRequest, on_event: Callable[[Event], None]) -> MeasurementResult:
        """Measure, and report events as they come.

        Args:
            request: What to measure.
            on_event: Called from this thread. An exception it raises ends the measurement and is raised.

        Returns:
            The outcome; nothing that goes wrong with the worker raises.
        """
        course = _Course(request)
        stop: _Stop | None = None
        try:
            self._start(course, on_event)
            self._follow(course, on_event)
            self._settle(course, on_event)
        except _Stop as early:
            stop = early
        finally:
            self._end()
        return self._outcome(course, stop)

    def _start(self, course: _Course, on_event: Callable[[Event], None]) -> None:
        self._start_sampler(course)
        self._await_baseline(course, on_event)
        try:
            launch = self._worker_launch = self._worker_launch or worker_launch(self._python)
        except UserError as error:
            raise _Stop("failed", error.reason) from error
        try:
            self._worker.start(launch)
        except OSError as error:
            cause = error.strerror or str(error)
            reason = Reason("measure.no_python", {"python": launch.command[0], "cause": cause})
            raise _Stop("failed", reason) from error
        self._worker.write(encode(course.request))
        self._sampler.write(f"worker {self._worker.pid}\n".encode())

    def _start_sampler(self, course: _Course) -> None:
        """Its figures are missed when it does not start; the measurement goes on."""
        try:
            self._sampler.start(self._sampler_launch)
        except OSError as error:
            cause = {"cause": error.strerror or str(error)}
            course.notes.append(SamplerNote("device", "nvml.failed", cause))
            return
        device = course.request.device
        if device != "cpu" and not device.startswith("cuda"):
            self._sampler.write(f"device {device}\n".encode())

    def _await_baseline(self, course: _Course, on_event: Callable[[Event], None]) -> None:
        """What the GPU holds before the worker touches it; without a GPU or a figure nothing is awaited."""
        if course.request.device == "cpu":
            return
        until = time.monotonic() + self._limits.baseline_s
        while course.baseline is None and not course.notes and (left := until - time.monotonic()) > 0:
            try:
                source, line = self._words.get(timeout=left)
            except queue.Empty:
                return
            if source == "cancel":
                raise _Stop("cancelled", Reason("measure.cancelled", {"phase": course.stage}))
            if line is None:
                return
            self._hear(source, line, course, on_event)

    def _follow(self, course: _Course, on_event: Callable[[Event], None]) -> None:
        """Until the worker's output ends."""
        course.heard_s = time.monotonic()
        while True:
            source, line = self._next_word(course)
            if source == "cancel":
                raise _Stop("cancelled", Reason("measure.cancelled", {"phase": course.stage}))
            if line is not None:
                self._hear(source, line, course, on_event)
            elif source == "worker":
                return

    def _next_word(self, course: _Course) -> _Word:
        patience = self._limits.start_s if course.hello is None else self._limits.silence_s
        left = course.heard_s + patience - time.monotonic()
        try:
            if left > 0:
                return self._words.get(timeout=left)
        except queue.Empty:
            pass
        values: dict[str, Value] = {"seconds": round(patience), "phase": course.stage}
        raise _Stop("failed", Reason("measure.silent", values))

    def _settle(self, course: _Course, on_event: Callable[[Event], None]) -> None:
        """Let the worker end, then watch the GPU without it: what is said last must be from after that.

        On a machine that is busy the sampler is late, so its own clock says how far it has come.
        """
        self._worker.stop(self._limits.patience_s)
        if course.hello is None or course.hello.uuid is None or course.baseline is None:
            return
        settled_ns = time.monotonic_ns() + round(self._limits.settle_s * 1e9)
        until = time.monotonic() + self._limits.settle_s + self._limits.baseline_s
        while course.samples[-1].clock_ns < settled_ns and (left := until - time.monotonic()) > 0:
            try:
                source, line = self._words.get(timeout=left)
            except queue.Empty:
                return
            if source == "sampler":
                if line is None:
                    return
                self._hear(source, line, course, on_event)

    def _hear(self, source: str, line: bytes, course: _Course, on_event: Callable[[Event], None]) -> None:
        message = self._read(source, line, course)
        if message is None:
            return
        if source == "worker":
            course.heard_s = time.monotonic()
        self._note(message, course)
        if isinstance(message, (Hello, Progress, PhaseSample, StepResult, Sample, SamplerNote)):
            on_event(message)
        if isinstance(message, SamplerNote) and message.key in ENDS:
            raise _Stop("failed", Reason("measure.gpu_lost"))

    @staticmethod
    def _read(source: str, line: bytes, course: _Course) -> Message | None:
        try:
            return decode(line)
        except VersionError as error:
            if source == "worker":
                reason = Reason("measure.wrong_version", {"given": str(error.given)})
                raise _Stop("failed", reason) from error
        except ProtocolError as error:
            if source == "worker" and not course.garbage:
                log.warning("%s said something else: %r (%s)", source, line[:200], error)
                course.garbage = line.decode(errors="replace").strip()[:_SHOWN_GARBAGE]
        return None

    def _note(self, message: Message, course: _Course) -> None:
        """Keep what the result is made of."""
        if isinstance(message, Sample):
            course.samples.append(message)
            if course.hello is None and message.device_used_bytes is not None:
                course.baseline = message.device_used_bytes
        elif isinstance(message, PhaseSample):
            course.phases.append(message)
        elif isinstance(message, StepResult):
            course.steps.append(message)
        elif isinstance(message, Progress):
            course.stage = message.stage
        elif isinstance(message, Hello):
            course.hello = message
            if message.uuid is not None:
                self._sampler.write(f"device {message.uuid}\nready\n".encode())
        elif isinstance(message, SamplerNote):
            course.notes.append(message)
        elif isinstance(message, DeviceFacts):
            course.facts = message
        elif isinstance(message, Others):
            course.others.append(message)
        elif isinstance(message, Result):
            course.result = message
        elif isinstance(message, Failed):
            course.failed = message

    def _end(self) -> None:
        """Nothing is left running, whatever happened."""
        self._worker.stop(self._limits.patience_s)
        self._sampler.stop(self._limits.patience_s)

    def _outcome(self, course: _Course, stop: _Stop | None) -> MeasurementResult:
        status, reason, detail = self._verdict(course, stop)
        return MeasurementResult(
            status=status,
            request=course.request,
            hello=course.hello,
            result=course.result if status == "done" else None,
            reason=reason,
            detail=detail,
            phases=tuple(course.phases),
            samples=tuple(course.samples),
            notes=tuple(course.notes),
            warnings=() if course.result is None else warnings_of(course),
            baseline_bytes=course.baseline,
            facts=course.facts,
            others=seen(course.others, course.notes),
            sample_hz=self._sample_hz,
        )

    def _verdict(self, course: _Course, stop: _Stop | None) -> tuple[Status, Reason | None, str]:
        if stop is not None:
            return stop.status, stop.reason, self._worker.errors
        if course.failed is not None:
            failed = course.failed
            out = failed.code == "out_of_memory"
            return "out_of_memory" if out else "failed", failed.reason, failed.detail
        if course.result is not None:
            return "done", None, ""
        if course.hello is None and course.garbage and self._worker_launch is not None:
            values = {"python": self._worker_launch.command[0], "sample": course.garbage}
            return "failed", Reason("measure.not_a_worker", values), self._worker.errors
        returncode = self._worker.returncode
        return "failed", explain_exit(returncode or 0, course.stage), self._worker.errors
