"""Optimizers that make a real worker misbehave; the worker imports them by their path."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch


class NoisySgd(torch.optim.SGD):
    """Prints where the messages would be, as libraries do."""

    def step(self, closure: Callable[[], float] | None = None) -> Any:
        print("progress: 50 %")  # noqa: T201  # what is tested
        os.write(1, b"straight to descriptor 1\n")
        return super().step(closure)


class AbortingSgd(torch.optim.SGD):
    """Dies in native code."""

    def step(self, closure: Callable[[], float] | None = None) -> Any:
        del closure
        os.abort()


class StuckSgd(torch.optim.SGD):
    """Sleeps in native code without giving the interpreter away, so no other thread of it runs."""

    def __init__(self, params: Iterable[torch.Tensor], *, marker: str) -> None:
        super().__init__(params)
        self._marker = marker

    def step(self, closure: Callable[[], float] | None = None) -> Any:
        del closure
        Path(self._marker).write_text(str(os.getpid()))
        sys.stderr.flush()
        ctypes.PyDLL(None).sleep(3600)
