"""A child process ends with its parent, also while it is stuck in native code.

On Linux the kernel sends SIGKILL when the parent's thread that started the child ends
(``PR_SET_PDEATHSIG``, prctl(2)), so that thread must wait for the child. Everywhere the end of standard
input says the same to a watching thread, which needs the interpreter to run.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent_pid: int | None) -> None:
    """Ask the kernel to end this process with its parent; does nothing where there is no such call.

    Args:
        parent_pid: The parent that started this process. When it is gone already, the process ends here.
    """
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if parent_pid is not None and os.getppid() != parent_pid:
        os._exit(1)
