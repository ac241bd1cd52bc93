"""Ask a model's own library what a config makes, in a child of the Python that the user trains with."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable

from optmem_gui.core.describing import DescribeReport, DescribeRequest
from optmem_gui.core.errors import UserError
from optmem_gui.core.protocol import Failed, Message, ProtocolError, VersionError, decode, encode
from optmem_gui.engine.child import Child, Launch
from optmem_gui.engine.worker_process import explain_exit, worker_launch

LONGEST_S = 180.0
"""For everything: a cold import of torch and transformers from a slow disk takes a minute or two."""

_LOOK_S = 0.05
"""How often the wish to stop is looked at."""

_PATIENCE_S = 1.0


class ConfigBuilder:
    """Builds models from configs; every call starts a child of its own and waits for its end.

    Args:
        python: Python in which the user trains; this program's own when left out.
        worker: How to start the worker; a test passes a script of its own.
        longest_s: How long one build may take.
    """

    def __init__(
        self, python: str | None = None, *, worker: Launch | None = None, longest_s: float = LONGEST_S
    ) -> None:
        self._python, self._worker = python, worker
        self._longest_s = longest_s

    def build(self, config: str, cancelled: Callable[[], bool] = lambda: False) -> DescribeReport | None:
        """What the library makes of a config.

        Args:
            config: Text of a ``config.json``.
            cancelled: Asked now and then, on the calling thread; True stops the child.

        Returns:
            The model; None after a stop.

        Raises:
            UserError: The library is missing, does not know the model or refuses it, with the next step.
        """
        lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        child = Child("describe", lines.put)
        launch = self._worker or worker_launch(self._python)
        try:
            child.start(launch)
        except OSError as error:
            cause = error.strerror or str(error)
            raise UserError("measure.no_python", python=launch.command[0], cause=cause) from None
        try:
            child.write(encode(DescribeRequest(config)))
            answer = self._await(lines, cancelled)
        finally:
            child.stop(_PATIENCE_S)
        if isinstance(answer, Failed):
            raise UserError(answer.key, **answer.values)
        if answer is None and not cancelled():
            said = [line.strip() for line in child.errors.splitlines() if line.strip()]
            cause = said[-1] if said else str(explain_exit(child.returncode or 0, "build"))
            raise UserError("source.no_answer", cause=cause[:200])
        return answer

    def _await(
        self, lines: queue.SimpleQueue[bytes | None], cancelled: Callable[[], bool]
    ) -> DescribeReport | Failed | None:
        """The answer; None where the process just ended or the user stopped it."""
        until = time.monotonic() + self._longest_s
        while not cancelled():
            try:
                line = lines.get(timeout=_LOOK_S)
            except queue.Empty:
                if time.monotonic() > until:
                    raise UserError("source.silent", seconds=round(self._longest_s)) from None
                continue
            if line is None:
                return None
            message = _read(line)
            if isinstance(message, (DescribeReport, Failed)):
                return message
        return None


def _read(line: bytes) -> Message | None:
    """A message; None for what a library printed."""
    try:
        return decode(line)
    except VersionError as error:
        raise UserError("measure.wrong_version", given=str(error.given)) from None
    except ProtocolError:
        return None
