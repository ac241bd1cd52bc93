"""Requests on a pipe: in order, with cancels heard at once, and every bad end named."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from optmem_gui.core.protocol import Hello, Message, ProtocolError, VersionError, encode
from optmem_gui.core.requests import CancelRequest, MeasureRequest, SimulateRequest
from optmem_gui.core.simulating import SimulationTarget
from optmem_gui.worker.inbox import Cancelled, Inbox
from tests.waiting import PATIENCE_S, until


def simulation(number: int) -> SimulateRequest:
    return SimulateRequest(MeasureRequest("cpu", "torch.optim.SGD"), SimulationTarget("2.13"), number=number)


class Pipe:
    """An inbox at the end of a pipe."""

    def __init__(self) -> None:
        self._reading, self._writing = os.pipe()
        self.ended = threading.Event()
        self.inbox = Inbox(self.ended.set, self._reading)
        self.inbox.start()

    def send(self, *messages: Message) -> None:
        os.write(self._writing, b"".join(encode(message) for message in messages))

    def write(self, data: bytes) -> None:
        os.write(self._writing, data)

    def close(self) -> None:
        if not self.ended.is_set():
            os.close(self._writing)
        assert self.ended.wait(PATIENCE_S)
        os.close(self._reading)


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    made = Pipe()
    yield made
    made.close()


def test_requests_come_in_order_and_the_end_is_none() -> None:
    pipe = Pipe()
    pipe.send(simulation(1), simulation(2))
    first, second = pipe.inbox.next(), pipe.inbox.next()
    assert isinstance(first, SimulateRequest)
    assert isinstance(second, SimulateRequest)
    assert [first.number, second.number] == [1, 2]
    pipe.close()
    assert pipe.inbox.next() is None


def test_a_line_may_come_in_pieces(pipe: Pipe) -> None:
    line = encode(simulation(7))
    for start in range(0, len(line), 10):
        pipe.write(line[start : start + 10])
        time.sleep(0.001)
    request = pipe.inbox.next()
    assert isinstance(request, SimulateRequest)
    assert request.number == 7


def test_a_cancel_is_heard_while_a_request_is_served(pipe: Pipe) -> None:
    pipe.send(simulation(3))
    pipe.inbox.next()
    assert not pipe.inbox.is_cancelled(3)
    pipe.send(CancelRequest(3))
    assert until(lambda: pipe.inbox.is_cancelled(3))
    assert pipe.inbox.is_cancelled(2)
    assert not pipe.inbox.is_cancelled(4)


def test_what_is_no_request_is_named(pipe: Pipe) -> None:
    pipe.write(b"hello\n")
    with pytest.raises(ProtocolError, match="no JSON"):
        pipe.inbox.next()
    pipe.write(b'{"v":9,"kind":"measure"}\n')
    with pytest.raises(VersionError, match="9"):
        pipe.inbox.next()
    pipe.send(Hello(1, "3", "2", "x", None, None, 0))
    with pytest.raises(ProtocolError, match="request was expected"):
        pipe.inbox.next()


def test_an_end_inside_a_line_is_named() -> None:
    pipe = Pipe()
    pipe.write(b'{"v":1,"ki')
    pipe.close()
    with pytest.raises(ProtocolError, match="no request"):
        pipe.inbox.next()


def test_a_cancel_is_not_caught_by_a_library() -> None:
    assert not issubclass(Cancelled, Exception)


def test_the_end_of_input_ends_the_process_while_it_works() -> None:
    code = (
        "import os, time; from optmem_gui.worker.inbox import Inbox; Inbox(lambda: os._exit(1)).start();"
        "print('working', flush=True); time.sleep(3600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stdout.readline() == "working\n"
        child.stdin.write("some\nlines\n")
        child.stdin.close()
        assert child.wait(PATIENCE_S) == 1
