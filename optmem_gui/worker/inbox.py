"""Requests as they come in, read by a thread of its own so that a cancel is heard while one is served."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from typing import Union, cast, get_args

from optmem_gui.core.protocol import MAX_LINE_BYTES, ProtocolError, Request, decode
from optmem_gui.core.requests import CancelRequest

_CHUNK_BYTES = 1 << 16
_Word = Union[Request, ProtocolError, None]  # noqa: UP007  # evaluated at run time, reads the same on 3.10


class Cancelled(BaseException):
    """The request is no longer wanted. No ``except Exception`` of a model or a library may swallow it."""


class Inbox:
    """Lines of standard input as requests.

    Args:
        at_end: Called from the reading thread when the input ends, such as an exit when the parent is gone.
        descriptor: Where to read.
    """

    def __init__(self, at_end: Callable[[], None], descriptor: int = 0) -> None:
        self._at_end = at_end
        self._descriptor = descriptor
        self._words: queue.SimpleQueue[_Word] = queue.SimpleQueue()
        self._last_cancelled = -1

    def start(self) -> None:
        """Begin to read."""
        threading.Thread(target=self._read, name="inbox", daemon=True).start()

    def next(self) -> Request | None:
        """Wait for the next request that is still wanted; None at the end of the input.

        Raises:
            ProtocolError: A line that is no request, or an end in the middle of one.
        """
        word = self._words.get()
        if isinstance(word, ProtocolError):
            raise word
        return word

    def is_cancelled(self, number: int) -> bool:
        """Whether this simulation, or a later one, was cancelled; cheap enough to ask at every operator."""
        return number <= self._last_cancelled

    def _read(self) -> None:
        rest = b""
        while chunk := os.read(self._descriptor, _CHUNK_BYTES):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                self._hear(line)
            if len(rest) > MAX_LINE_BYTES:
                break
        if rest:
            self._words.put(ProtocolError("no request on standard input"))
        self._words.put(None)
        self._at_end()

    def _hear(self, line: bytes) -> None:
        try:
            message = decode(line)
        except ProtocolError as error:
            self._words.put(error)
            return
        if isinstance(message, CancelRequest):
            self._last_cancelled = max(self._last_cancelled, message.number)
        elif isinstance(message, get_args(Request)):
            self._words.put(cast("Request", message))
        else:
            self._words.put(ProtocolError("a request was expected"))
