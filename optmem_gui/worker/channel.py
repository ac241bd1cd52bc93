"""The worker's end of the line: a private descriptor that no print of a library can disturb."""

from __future__ import annotations

import os
from typing import cast, get_args

from optmem_gui.core.protocol import MAX_LINE_BYTES, Message, ProtocolError, Request, decode, encode


class Channel:
    """Messages out, one request in."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def take_stdout(cls) -> Channel:
        """Keep standard output for messages and point descriptor 1 at standard error."""
        private = os.dup(1)
        os.dup2(2, 1)
        return cls(private)

    def send(self, message: Message) -> None:
        """Write one line, whole."""
        line = encode(message)
        while line:
            line = line[os.write(self._descriptor, line) :]

    @staticmethod
    def receive(descriptor: int = 0) -> Request:
        """Read the request.

        Raises:
            ProtocolError: The input ended before a line did, or the line is no request.
        """
        line = b""
        while not line.endswith(b"\n"):
            byte = os.read(descriptor, 1)
            if not byte or len(line) > MAX_LINE_BYTES:
                raise ProtocolError("no request on standard input")
            line += byte
        message = decode(line)
        if not isinstance(message, get_args(Request)):
            raise ProtocolError("a request was expected")
        return cast("Request", message)
