from __future__ import annotations

import ctypes
import logging
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from optmem_gui.engine import jobs
from optmem_gui.engine.jobs import BasicLimits, ExtendedLimits, Job, end_with_this_process


class Function:
    """A function of a library: ctypes hangs its types on it."""

    def __init__(self, work: Callable[..., int]) -> None:
        self._work = work
        self.restype: Any = None
        self.argtypes: Any = None

    def __call__(self, *arguments: Any) -> int:
        assert len(arguments) == len(self.argtypes)
        return self._work(*arguments)


class Kernel32:
    """The three calls of Windows, with what they were given."""

    def __init__(self, *, job: int = 77, limits: int = 1, assign: int = 1) -> None:
        self.said: list[tuple[Any, ...]] = []
        self.CreateJobObjectW = Function(lambda *given: self._note("create", given, job))
        self.SetInformationJobObject = Function(lambda *given: self._limits(given, limits))
        self.AssignProcessToJobObject = Function(lambda *given: self._note("assign", given, assign))

    def _note(self, name: str, given: tuple[Any, ...], answer: int) -> int:
        self.said.append((name, *given))
        return answer

    def _limits(self, given: tuple[Any, ...], answer: int) -> int:
        job, kind, limits, size = given
        flags = limits._obj.BasicLimitInformation.LimitFlags
        return self._note("limits", (job, kind, flags, size), answer)


def test_the_structures_are_as_wide_as_in_64_bit_windows() -> None:
    # 8 + 8 + 4 (+4) + 8 + 8 + 4 (+4) + 8 + 4 + 4 = 64, and 6 * 8 + 4 * 8 = 80 more
    if ctypes.sizeof(ctypes.c_void_p) != 8:
        pytest.skip("a 32-bit Python")
    assert ctypes.sizeof(BasicLimits) == 64
    assert ctypes.sizeof(ExtendedLimits) == 144
    assert BasicLimits.LimitFlags.offset == 16


def test_a_job_ends_its_processes_with_the_last_handle() -> None:
    kernel32 = Kernel32()
    job = Job(kernel32)
    assert job.add(1234)
    assert kernel32.said == [
        ("create", None, None),
        ("limits", 77, 9, 0x2000, ctypes.sizeof(ExtendedLimits)),
        ("assign", 77, 1234),
    ]
    assert kernel32.CreateJobObjectW.restype is ctypes.c_void_p  # a handle is a pointer wide


@pytest.mark.parametrize("refuses", [{"job": 0}, {"limits": 0}])
def test_a_system_without_jobs_raises(refuses: dict[str, int]) -> None:
    with pytest.raises(OSError, match="job object"):
        Job(Kernel32(**refuses))


def test_a_child_is_put_into_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel32 = Kernel32()
    job = Job(kernel32)
    monkeypatch.setattr(jobs, "_job", lambda: job)
    process: Any = SimpleNamespace(pid=5, _handle=4321)
    end_with_this_process(process)
    assert kernel32.said[-1] == ("assign", 77, 4321)


def test_a_child_that_cannot_be_put_there_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    job = Job(Kernel32(assign=0))
    monkeypatch.setattr(jobs, "_job", lambda: job)
    process: Any = SimpleNamespace(pid=5, _handle=4321)
    with caplog.at_level(logging.WARNING):
        end_with_this_process(process)
    assert "process 5 is not in the job" in caplog.text


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has jobs")
def test_elsewhere_there_is_no_job() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        end_with_this_process(process)
    assert jobs._job() is None
