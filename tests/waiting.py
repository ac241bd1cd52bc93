"""How tests wait: for the thing itself, and so long that only what never comes fails.

A machine that runs tests may stand still for seconds at any line. So no test says how fast something has
to be: it waits for a condition, and what the wait is for decides. Waits that are met cost nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import psutil

PATIENCE_S = 200.0
"""Below the time limit of one test, so that a wait in vain says what it was for."""

PATIENCE_MS = int(1000 * PATIENCE_S)


def until(condition: Callable[[], bool]) -> bool:
    """Whether something comes true; to be asserted."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            return condition()
        time.sleep(0.01)
    return True


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that waits for its adopter to take its exit status has ended."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
