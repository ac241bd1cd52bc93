"""A simulating worker without torch: the optimizer that a request names is what it does."""

from __future__ import annotations

import os
import signal
import sys
import time

from optmem_gui.core.protocol import Failed, Hello, Message, Progress, encode
from optmem_gui.core.requests import SimulateRequest
from optmem_gui.core.simulating import SimulationReport
from optmem_gui.worker.inbox import Cancelled, Inbox


def say(message: Message) -> None:
    os.write(1, encode(message))


def report(request: SimulateRequest, *, out_of_memory: bool = False) -> SimulationReport:
    """The peak is the batch, so that an answer tells which request it is for."""
    return SimulationReport(
        traced_by="9.9.9",
        target=request.target,
        phases=(),
        peak_bytes=request.work.batch,
        peak_high_bytes=request.work.batch,
        peak_phase="backward",
        peak_event=0,
        peak_reserved_bytes=request.work.batch,
        categories={},
        largest={},
        alive=(),
        points=(),
        out_of_memory=out_of_memory,
    )


def trace(request: SimulateRequest, inbox: Inbox) -> None:
    while not inbox.is_cancelled(request.number):
        time.sleep(0.01)
    raise Cancelled


def serve(request: SimulateRequest, inbox: Inbox) -> None:
    say(Progress("forward", 1, 3))
    doing = request.work.optimizer
    if doing == "traces":
        trace(request, inbox)
    elif doing == "stuck":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(3600)
    elif doing == "dies":
        sys.stderr.write("the last words\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGSEGV)
    elif doing == "leaves":
        os._exit(7)
    elif doing == "refuses":
        say(Failed("error", "measure.no_library", {"path": "a.B", "cause": "none"}, "a trace", 1, "forward"))
        return
    elif doing == "no torch":
        say(Failed("no_torch", "measure.no_torch", {"python": "python"}))
        os._exit(1)
    elif doing == "chatters":
        os.write(1, b"a library prints\n{broken json\n")
    say(report(request, out_of_memory=doing == "does not fit"))


def main(behaviour: str) -> None:
    if behaviour == "garbage":
        os.write(1, b"Welcome to Python!\n")
        return
    if behaviour == "wrong version":
        os.write(1, b'{"v":2,"kind":"hello"}\n')
        sys.stdin.read()
    # one that is deaf does not notice that its input has ended, as in native code that holds the interpreter
    deaf = behaviour == "deaf"
    inbox = Inbox((lambda: None) if deaf else lambda: os._exit(1))
    inbox.start()
    say(Hello(os.getpid(), "3.11.0", "9.9.9", "fake", None, None, time.monotonic_ns()))
    while (request := inbox.next()) is not None:
        assert isinstance(request, SimulateRequest)
        try:
            serve(request, inbox)
        except Cancelled:
            say(Failed("cancelled", "simulate.cancelled", {"phase": "forward"}))


if __name__ == "__main__":
    main(sys.argv[1])
