"""The worker's end of the line: a private descriptor that no print of a library can disturb."""

from __future__ import annotations

import os

from optmem_gui.core.protocol import Message, encode


class Channel:
    """Messages out."""

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
