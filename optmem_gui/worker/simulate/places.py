"""Which module made an allocation, and which line of a program asked a question."""

from __future__ import annotations

import sys
import traceback
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as hooks

_current_node = torch._C._current_autograd_node  # noqa: SLF001  # torch has no public name for it
_next_number = torch._C._autograd._get_sequence_nr  # noqa: SLF001  # no public way leads there
_NO_NUMBER = 1 << 62
"""Nodes that collect gradients of leaves have the largest number there is."""

_PASSED = (str(Path(torch.__file__).parent), str(Path(__file__).parent), "<")
_OWN = str(Path(__file__).parents[2])


class Places:
    """Paths of the modules that run, also while autograd walks back through them.

    Nodes of autograd are numbered as forward makes them, so the numbers at which modules begin and end tell
    whose node runs in backward. Hooks of backward would do as well, but they add nodes to the graph.
    """

    def __init__(self) -> None:
        self._paths: dict[int, str] = {}
        self._owners: dict[int, str] = {}
        self._running: list[str] = []
        self._numbers: list[int] = []
        self._after: list[str] = []

    def name(self, module: nn.Module | None) -> None:
        """Take the paths of a model's modules and parameters."""
        if module is None:
            return
        self._paths = {id(each): path for path, each in module.named_modules()}
        for path, parameter in module.named_parameters():
            self._owners[id(parameter)] = path.rpartition(".")[0]

    def owner(self, parameter: object) -> str:
        """Path of the module that holds a parameter."""
        return self._owners.get(id(parameter), "")

    def forget(self) -> None:
        """A step is over: no node of it will run again."""
        self._numbers.clear()
        self._after.clear()

    def here(self, number: int | None) -> str:
        """Path of the module at work.

        Args:
            number: Of the node of autograd that runs; None in forward.
        """
        if self._running:
            return self._running[-1]
        if number is None:
            return ""
        if number > _NO_NUMBER:
            return self.owner(getattr(_current_node(), "variable", None))
        place = bisect_right(self._numbers, number)
        return self._after[place - 1] if place else ""

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Follow every module that runs."""
        before = hooks.register_module_forward_pre_hook(self._enter)
        after = hooks.register_module_forward_hook(self._leave, always_call=True)
        try:
            yield
        finally:
            before.remove()
            after.remove()
            self._running.clear()

    def _enter(self, module: nn.Module, args: Any) -> None:
        del args
        path = self._paths.get(id(module))
        self._running.append((self._running[-1] if self._running else "") if path is None else path)
        self._note()

    def _leave(self, module: nn.Module, args: Any, output: Any) -> None:
        del module, args, output
        if self._running:
            self._running.pop()
        self._note()

    def _note(self) -> None:
        self._numbers.append(_next_number())
        self._after.append(self._running[-1] if self._running else "")


def node_number() -> int | None:
    """Number of the node of autograd that runs; None outside backward."""
    node = _current_node()
    return None if node is None else node._sequence_nr()  # noqa: SLF001  # no public way leads there


def program_line() -> tuple[str, int] | None:
    """File and line of the innermost frame that is not torch's; None where that is this program's own."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  # the stack itself is the question
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_PASSED):
            return None if name.startswith(_OWN) else (name, frame.f_lineno)
        frame = frame.f_back
    return None


def failing_line(error: BaseException) -> tuple[str, int] | None:
    """File and line of the innermost frame of a program that an error came through; None without one."""
    found = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if not name.startswith((*_PASSED, _OWN)):
            found = name, line
    return found
