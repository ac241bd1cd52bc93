"""A child process that speaks in lines, and that never outlives its owner.

Closing its standard input asks it to end; then it is terminated, then killed. A child that was started
here ends by itself when this process disappears: on Linux the kernel sees to it
(:func:`optmem_gui.core.lifeline.die_with_parent`, which ties the child to the *thread* that calls
:meth:`Child.start`, so that thread has to wait for it), on Windows a job object; elsewhere it watches its
standard input.
"""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from optmem_gui.core.protocol import MAX_LINE_BYTES
from optmem_gui.engine.jobs import end_with_this_process

log = logging.getLogger(__name__)

_NO_WINDOW = 0x08000000
"""CREATE_NO_WINDOW of the Windows API: a console program opens no console."""

_KEPT_LINES = 200
_DRAIN_S = 20.0
"""For the last lines of a child that has ended; longer only where a process of its own holds the pipe."""
_NOISE = ("USDT:",)
"""What torch's profiler writes on every start and stop, whatever its log level."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a child.

    Attributes:
        command: Program and arguments.
        environment: Its whole environment.
        folder: Its working directory.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str]
    folder: str


class Child:
    """One child process.

    Args:
        name: What to call it in the log.
        on_line: Gets every line of its standard output, from a thread of its own; None at the end.
    """

    def __init__(self, name: str, on_line: Callable[[bytes | None], None]) -> None:
        self._name = name
        self._on_line = on_line
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: deque[str] = deque(maxlen=_KEPT_LINES)
        self._threads: list[threading.Thread] = []

    @property
    def pid(self) -> int:
        """Process id of the running child."""
        return self._running.pid

    @property
    def returncode(self) -> int | None:
        """Exit status, negative for a signal; None while it runs."""
        return self._running.poll()

    @property
    def errors(self) -> str:
        """Last lines of its standard error."""
        return "\n".join(self._errors)

    @property
    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise RuntimeError(f"{self._name} was not started")
        return self._process

    def start(self, launch: Launch) -> None:
        """Start it; the calling thread must live at least as long.

        Raises:
            OSError: The program cannot be started.
        """
        self._process = subprocess.Popen(  # noqa: S603  # no shell; the command is the program's own
            launch.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(launch.environment),
            cwd=launch.folder,
            start_new_session=os.name == "posix",
            creationflags=_NO_WINDOW if sys.platform == "win32" else 0,
        )
        end_with_this_process(self._process)
        for target in (self._read_lines, self._read_errors):
            thread = threading.Thread(target=target, name=f"{self._name} {target.__name__}", daemon=True)
            thread.start()
            self._threads.append(thread)

    def write(self, line: bytes) -> None:
        """Send one line; a child that is gone or never began does not read it, and its exit tells why."""
        stdin = None if self._process is None else self._process.stdin
        with contextlib.suppress(BrokenPipeError, ValueError, OSError):
            if stdin is not None:
                stdin.write(line)
                stdin.flush()

    def stop(self, patience_s: float) -> None:
        """Ask, terminate, kill: each after ``patience_s`` seconds. Returns when the child is gone."""
        if self._process is None:
            return
        process = self._process
        with contextlib.suppress(BrokenPipeError, OSError):
            if process.stdin is not None:
                process.stdin.close()
        if not _ended(process, patience_s):
            log.warning("%s did not end when asked; terminating it", self._name)
            process.terminate()
            if not _ended(process, patience_s):
                process.kill()
                process.wait()
        self._close()

    def _close(self) -> None:
        """Let the readers drain what is left and close the pipes."""
        for thread in self._threads:
            thread.join(timeout=_DRAIN_S)
        for pipe in (self._running.stdout, self._running.stderr):
            if pipe is not None:
                pipe.close()

    def _read_lines(self) -> None:
        stdout = self._running.stdout
        assert stdout is not None  # noqa: S101  # it was asked for
        with contextlib.suppress(ValueError, OSError):
            while line := stdout.readline(MAX_LINE_BYTES):
                self._on_line(line)
        self._on_line(None)

    def _read_errors(self) -> None:
        stderr = self._running.stderr
        assert stderr is not None  # noqa: S101  # it was asked for
        with contextlib.suppress(ValueError, OSError):
            while line := stderr.readline(MAX_LINE_BYTES):
                text = line.decode(errors="replace").rstrip()
                if text and not text.startswith(_NOISE):
                    self._errors.append(text)
                    log.info("%s: %s", self._name, text)


def _ended(process: subprocess.Popen[bytes], patience_s: float) -> bool:
    try:
        process.wait(patience_s)
    except subprocess.TimeoutExpired:
        return False
    return True
