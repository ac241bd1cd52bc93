"""Lets the fake worker go on once a measurement has heard what a test is about.

Samples come from another process and whenever that one is let in, so a worker that only paused for a while
would sometimes be gone before it was sampled.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from optmem_gui.core.protocol import Sample
from optmem_gui.engine.measurement import Event
from tests.engine.fake_worker import GATE

Condition = Callable[[Event], bool]


class Gate:
    """Files that the fake worker waits for, one for each place where it waits.

    Args:
        prefix: Path of the files without their number.
    """

    def __init__(self, prefix: Path) -> None:
        self._prefix = prefix

    def open(self, number: int = 1) -> None:
        """Let it go on from one place."""
        Path(f"{self._prefix}{number}").touch()

    def when(self, *conditions: Condition, then: Callable[[Event], None] | None = None) -> Listener:
        """Opens one place after the other as soon as its condition has come true; passes every event on."""
        return Listener(self, conditions, then)


class Listener:
    """Hears a measurement."""

    def __init__(
        self, gate: Gate, conditions: tuple[Condition, ...], then: Callable[[Event], None] | None
    ) -> None:
        self._gate, self._then = gate, then
        self._waiting = list(enumerate(conditions, 1))

    def __call__(self, event: Event) -> None:
        """One event."""
        if self._then is not None:
            self._then(event)
        if self._waiting and self._waiting[0][1](event):
            self._gate.open(self._waiting.pop(0)[0])


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    """Where a fake worker that is started after this waits."""
    prefix = tmp_path / "gate"
    monkeypatch.setenv(GATE, str(prefix))
    return Gate(prefix)


def host_memory_is_sampled(event: Event) -> bool:
    """The worker's resident memory was read."""
    return isinstance(event, Sample) and event.rss_bytes is not None


def process_is_sampled(event: Event) -> bool:
    """The driver said what the worker uses of the GPU."""
    return isinstance(event, Sample) and event.process_bytes is not None


def device_uses(used_bytes: int) -> Condition:
    """The driver said that so much of the GPU is used."""
    return lambda event: isinstance(event, Sample) and event.device_used_bytes == used_bytes
