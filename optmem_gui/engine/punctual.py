"""What a process can do to wake up on time without being anyone special.

Everything here is asked for, and what the system does not grant is done without: the gaps are a little less
even then.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import platform
import struct
import sys

_PR_SET_TIMERSLACK = 29
"""Of ``linux/prctl.h``: how late a sleep may end so that the kernel can wake several processes at once. 50
microseconds unless it is asked for less."""

_SLICE_NS = 100_000
"""Shortest slice that Linux takes. Since 6.12 a process of ordinary priority may ask for one
(``sched_setattr`` with ``sched_runtime``, Documentation/scheduler/sched-eevdf.rst); who asks for little at a
time is let in sooner."""

_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}
"""Number of the system call by machine; glibc has no function for it before 2.41."""

_ATTRIBUTES = "IIQiIQQQ"
"""``struct sched_attr`` up to ``sched_period``: size, policy, flags, nice, priority, runtime, deadline,
period."""

_WISHED_NICE = -10


def be_punctual() -> None:
    """Ask for everything that makes waking up on time likelier; to be called once, before the loop."""
    gc.collect()
    gc.freeze()
    gc.disable()  # the loop makes no cycles, and a collection would take longer than a period
    with contextlib.suppress(OSError, AttributeError):  # not permitted, or a system without priorities
        os.setpriority(os.PRIO_PROCESS, 0, _WISHED_NICE)
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # a C library without these
            library = ctypes.CDLL(None, use_errno=True)
            library.prctl(_PR_SET_TIMERSLACK, 1, 0, 0, 0)
            _ask_for_short_slices(library)


def _ask_for_short_slices(library: ctypes.CDLL) -> None:
    number = _SCHED_SETATTR.get(platform.machine())
    if number is None:
        return
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    size = struct.calcsize(_ATTRIBUTES)
    wish = struct.pack(_ATTRIBUTES, size, 0, 0, nice, 0, _SLICE_NS, 0, 0)
    library.syscall(number, 0, ctypes.c_char_p(wish), 0)
