"""A Windows job object: what was started here ends when this process does, however it ends.

The system closes a process's handles when it disappears, and a job with ``KILL_ON_JOB_CLOSE`` ends its
processes when its last handle is closed, also those that are stuck in native code. Source: Windows API,
"Job Objects" and ``JOBOBJECT_EXTENDED_LIMIT_INFORMATION``. Linux has
:func:`optmem_gui.core.lifeline.die_with_parent` for this.
"""

from __future__ import annotations

import ctypes
import functools
import logging
import subprocess
import sys
from typing import Any

log = logging.getLogger(__name__)

_EXTENDED_LIMITS = 9
"""JobObjectExtendedLimitInformation of JOBOBJECTINFOCLASS."""

_KILL_ON_JOB_CLOSE = 0x2000


class BasicLimits(ctypes.Structure):
    """JOBOBJECT_BASIC_LIMIT_INFORMATION; DWORD is 32 bits, SIZE_T and ULONG_PTR are a pointer wide."""

    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION: the basic limits, IO_COUNTERS, and four sizes."""

    _fields_ = (
        ("BasicLimitInformation", BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


class Job:
    """One job; its handle stays open as long as this process lives.

    Args:
        kernel32: The library; a test passes its own.

    Raises:
        OSError: The system gives no job.
    """

    def __init__(self, kernel32: Any) -> None:  # noqa: ANN401  # ctypes' library has no types
        self._kernel32 = kernel32
        kernel32.CreateJobObjectW.restype = ctypes.c_void_p
        kernel32.CreateJobObjectW.argtypes = (ctypes.c_void_p, ctypes.c_wchar_p)
        kernel32.SetInformationJobObject.argtypes = (
            ctypes.c_void_p,
            ctypes.c_int,
            ctypes.c_void_p,
            ctypes.c_uint32,
        )
        kernel32.AssignProcessToJobObject.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
        self._handle = kernel32.CreateJobObjectW(None, None)
        if not self._handle:
            raise OSError("no job object")
        limits = ExtendedLimits()
        limits.BasicLimitInformation.LimitFlags = _KILL_ON_JOB_CLOSE
        size = ctypes.sizeof(limits)
        if not kernel32.SetInformationJobObject(self._handle, _EXTENDED_LIMITS, ctypes.byref(limits), size):
            raise OSError("a job object without limits")

    def add(self, process_handle: int) -> bool:
        """Let a process end with this one.

        Returns:
            Whether the system did it; before Windows 8 a process can be in one job only.
        """
        return bool(self._kernel32.AssignProcessToJobObject(self._handle, process_handle))


@functools.cache
def _job() -> Job | None:
    """The job of this process; none where the system has no jobs or gives none."""
    if sys.platform == "win32":
        try:
            return Job(ctypes.WinDLL("kernel32", use_last_error=True))
        except OSError as error:
            log.warning("children are ended by their input only: %s", error)
    return None


def end_with_this_process(process: subprocess.Popen[bytes]) -> None:
    """Tie a child to this process on Windows; elsewhere the child does it itself."""
    job = _job()
    handle = getattr(process, "_handle", None)  # an attribute of Popen on Windows only
    if job is not None and handle is not None and not job.add(int(handle)):
        log.warning("process %d is not in the job; it is ended by its input only", process.pid)
