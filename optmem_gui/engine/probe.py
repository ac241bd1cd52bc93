"""Probe an optimizer that a user named, in a child process of the Python they train with.

The class is code: it runs in the child alone, which is ended when it says nothing for too long, when the
user stops it, and in any case afterwards.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from dataclasses import dataclass

from optmem_gui.core.errors import UserError
from optmem_gui.core.optimizers.probe import Inference, infer
from optmem_gui.core.probing import ProbeReport, ProbeRequest
from optmem_gui.core.protocol import Failed, Message, Progress, ProtocolError, VersionError, decode, encode
from optmem_gui.core.reasons import Reason
from optmem_gui.engine.child import Child, Launch
from optmem_gui.engine.worker_process import explain_exit, worker_launch

START_S = 180.0
"""Until the first word: a cold import of torch from a slow disk takes a minute."""

SILENCE_S = 60.0
"""Between two words: each is one small tensor stepped three times."""

PATIENCE_S = 3.0
"""For each way of ending the process."""


@dataclass(frozen=True, slots=True)
class ProbeOutcome:
    """What came of it.

    Attributes:
        request: What was probed.
        report: What the worker saw; None where it did not come to that.
        inference: The rules; None where the class refused everything.
        reason: Why there are none, in one line.
        detail: Technical detail for the fold.
    """

    request: ProbeRequest
    report: ProbeReport | None = None
    inference: Inference | None = None
    reason: Reason | None = None
    detail: str = ""


class Probe:
    """One probe; make a new object for the next.

    Args:
        python: Python in which the user trains; this program's own when left out.
        worker: How to start the worker; a test passes a script of its own.
        silence_s: How long the class may say nothing.
    """

    def __init__(
        self, python: str | None = None, *, worker: Launch | None = None, silence_s: float = SILENCE_S
    ) -> None:
        self._python, self._worker = python, worker
        self._silence_s = silence_s
        self._lines: queue.SimpleQueue[bytes | Reason | None] = queue.SimpleQueue()
        self._child = Child("probe", self._lines.put)
        self._cancelled = False

    def cancel(self) -> None:
        """Stop as soon as possible; safe from any thread, before, during and after :meth:`run`."""
        self._cancelled = True
        self._lines.put(Reason("probe.cancelled"))

    def run(self, request: ProbeRequest, on_progress: Callable[[Progress], None]) -> ProbeOutcome:
        """Probe, and say how far it has come.

        Args:
            request: What to probe.
            on_progress: Called from this thread.

        Returns:
            The outcome; nothing that goes wrong with the class or its process raises.
        """
        try:
            launch = self._worker or worker_launch(self._python)
        except UserError as error:
            return ProbeOutcome(request, reason=error.reason)
        try:
            self._child.start(launch)
        except OSError as error:
            values = {"python": launch.command[0], "cause": error.strerror or str(error)}
            return ProbeOutcome(request, reason=Reason("measure.no_python", values))
        try:
            self._child.write(encode(request))
            answer = self._await(request, on_progress)
        finally:
            self._child.stop(PATIENCE_S)
        return self._outcome(request, answer)

    def _await(
        self, request: ProbeRequest, on_progress: Callable[[Progress], None]
    ) -> ProbeReport | Failed | Reason | None:
        """The answer, the reason why there will be none, or None where the process just ended."""
        patience = START_S
        while True:
            until = time.monotonic() + patience
            try:
                line = self._lines.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                return Reason("probe.silent", {"path": request.path, "seconds": round(patience)})
            if isinstance(line, Reason) or self._cancelled:
                return Reason("probe.cancelled", {"path": request.path})
            if line is None:
                return None
            message = _read(line)
            if isinstance(message, (ProbeReport, Failed, Reason)):
                return message
            if isinstance(message, Progress):
                patience = self._silence_s
                on_progress(message)

    def _outcome(self, request: ProbeRequest, answer: ProbeReport | Failed | Reason | None) -> ProbeOutcome:
        errors = self._child.errors
        if answer is None:
            why = explain_exit(self._child.returncode or 0, "probe")
            values = {"path": request.path, "cause": _first(errors) or str(why)}
            return ProbeOutcome(request, reason=Reason("probe.no_answer", values), detail=errors)
        if isinstance(answer, Failed):
            return ProbeOutcome(request, reason=answer.reason, detail=answer.detail or errors)
        if isinstance(answer, Reason):
            return ProbeOutcome(request, reason=answer, detail=errors)
        try:
            return ProbeOutcome(request, answer, infer(request, answer), detail=errors)
        except UserError as error:
            return ProbeOutcome(request, answer, reason=error.reason, detail=errors)


def _read(line: bytes) -> Message | Reason | None:
    """A message; a Reason for another program's version, None for what a library printed."""
    try:
        return decode(line)
    except VersionError as error:
        return Reason("measure.wrong_version", {"given": str(error.given)})
    except ProtocolError:
        return None


def _first(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""
