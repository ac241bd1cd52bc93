"""A small process that samples the driver and the worker's host memory at a steady rate.

It is a process of its own because a window that redraws starves a thread. Standard library, nvidia-ml-py
and psutil only. The device's figure comes at the full rate; what one process uses and its host memory, which
cost the driver and the kernel a walk each, at most 100 times a second. It is told what to watch on standard
input (``device UUID``, ``worker PID``, ``ready`` once the worker has used the device) and ends with it.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from optmem_gui.core.lifeline import die_with_parent
from optmem_gui.core.observing import DeviceFacts, OtherProcess, Others
from optmem_gui.core.protocol import Message, Sample, SamplerNote, encode
from optmem_gui.core.reasons import Reason
from optmem_gui.core.run_defaults import DEFAULT_SAMPLE_HZ, MOST_SAMPLE_HZ
from optmem_gui.engine.devices import UNIFIED, device_memory
from optmem_gui.engine.nvml import ENDS, HIDDEN, Nvml
from optmem_gui.engine.punctual import be_punctual

if TYPE_CHECKING:
    import psutil

_WALK_NS = 10_000_000
"""Between two questions about one process."""

_OTHERS_NS = 500_000_000
"""Between two looks at who else uses the GPU."""

_WRITE_NS = 10_000_000
"""Between two writes: each wakes the reader up, which costs both sides more than a sample does."""

_PIPE_BYTES = 1 << 20
"""Room for some seconds of samples, so that a reader that is busy does not hold the sampling up."""


@dataclass
class Watched:
    """What to sample; the reader of standard input changes it.

    Attributes:
        pid: The worker.
        uuid: GPU, None where only host memory is sampled.
        ready: The worker has spoken, so the driver should list it.
    """

    pid: int | None = None
    uuid: str | None = None
    ready: bool = False

    def obey(self, line: str) -> None:
        """Take one line of standard input; what is not understood is ignored, like an unknown message."""
        words = line.split()
        if words[:1] == ["device"] and len(words) == 2:
            self.uuid = words[1]
        elif words[:1] == ["worker"] and len(words) == 2 and words[1].isdecimal():
            self.pid = int(words[1])
        elif words == ["ready"]:
            self.ready = True


class Sampler:
    """One sample after the other.

    Args:
        nvml: Session with the driver.
        watched: What to sample.
        send: Where messages go.
    """

    def __init__(self, nvml: Nvml, watched: Watched, send: Callable[[Message], None]) -> None:
        self._nvml = nvml
        self._watched = watched
        self._send = send
        self._ended: set[str] = set()
        self._notes: list[SamplerNote] = []
        self._process: psutil.Process | None = None
        self._walk_due_ns = self._others_due_ns = 0
        self._others: tuple[OtherProcess, ...] | None = None
        self._known: str | None = None
        self._unified = self._listed = False
        self.lost = False

    def sample(self) -> None:
        """Take and send one sample, then why a series ends or is another than it seems."""
        uuid, pid = self._watched.uuid, self._watched.pid
        clock = time.monotonic_ns()
        device = None if uuid is None else self._device(uuid)
        process = rss = None
        if clock >= self._walk_due_ns:
            self._walk_due_ns = max(self._walk_due_ns + _WALK_NS, clock)
            if uuid is not None and pid is not None and self._watched.ready:
                process = self._process_on(uuid, pid)
            rss = None if pid is None else self._rss(pid)
        self._send(Sample(clock, device, process, rss))
        if uuid is not None and clock >= self._others_due_ns:
            self._others_due_ns = clock + _OTHERS_NS
            self._look_around(uuid, pid, clock)
        while self._notes:
            self._send(self._notes.pop(0))

    def _look_around(self, uuid: str, pid: int | None, clock: int) -> None:
        """Say who else uses the GPU, when that changed; where processes are not listed nothing is said."""
        if self.lost or "process" in self._ended:
            return
        listed = self._nvml.processes(uuid)
        if isinstance(listed, Reason):
            return
        others = tuple(OtherProcess(one.pid, one.name, one.used) for one in listed if one.pid != pid)
        if others != self._others:
            self._others = others
            self._send(Others(clock, others))

    def _device(self, uuid: str) -> int | None:
        if "device" in self._ended:
            return None
        memory = device_memory(self._nvml, uuid)
        if isinstance(memory, Reason):
            self._end("device", memory)
            return None
        if uuid != self._known:
            self._known = uuid
            driver = self._nvml.driver_version()
            version = "" if isinstance(driver, Reason) else driver
            self._send(DeviceFacts(uuid, version, memory.total, memory.reserved, memory.version))
        if memory.version == UNIFIED and not self._unified:
            self._unified = True
            self._notes.append(SamplerNote("device", "nvml.unified", {}))
        return memory.used

    def _process_on(self, uuid: str, pid: int) -> int | None:
        if "process" in self._ended or self.lost:
            return None
        used = self._nvml.process_bytes(uuid, pid)
        if isinstance(used, Reason):
            if not (self._listed and used.key == HIDDEN):  # one that was listed and is not any more has ended
                self._end("process", used)
            return None
        self._listed = True
        return used

    def _rss(self, pid: int) -> int | None:
        import psutil  # noqa: PLC0415  # the window names this module without sampling itself

        try:
            if self._process is None or self._process.pid != pid:
                self._process = psutil.Process(pid)
            return int(self._process.memory_info().rss)
        except psutil.Error:
            return None

    def _end(self, series: str, reason: Reason) -> None:
        """Say once that a series ends; a lost GPU ends the sampling."""
        self._ended.add(series)
        self.lost = self.lost or reason.key in ENDS
        self._notes.append(SamplerNote(series, reason.key, reason.values))


def main(arguments: Sequence[str]) -> None:
    """Sample until standard input ends or the GPU is lost."""
    parser = argparse.ArgumentParser(prog="sampler")
    parser.add_argument("--parent", type=int)
    parser.add_argument("--rate", type=int, default=DEFAULT_SAMPLE_HZ)
    options = parser.parse_args(arguments)
    die_with_parent(options.parent)
    _widen_pipe()
    watched = Watched()
    threading.Thread(target=_listen, args=(watched,), name="input", daemon=True).start()
    with Nvml() as nvml:
        waiting: list[bytes] = []
        sampler = Sampler(nvml, watched, lambda message: waiting.append(encode(message)))
        period_ns = 1_000_000_000 // min(max(options.rate, 1), MOST_SAMPLE_HZ)
        be_punctual()
        due = write_due = time.monotonic_ns()
        while not sampler.lost:
            sampler.sample()
            now = time.monotonic_ns()
            if now >= write_due or sampler.lost:
                write_due = now + _WRITE_NS - period_ns // 2
                os.write(1, b"".join(waiting))
                waiting.clear()
            due = max(due + period_ns, now)
            time.sleep(max(0, due - time.monotonic_ns()) / 1e9)


def _widen_pipe() -> None:
    if sys.platform == "linux":
        import fcntl  # noqa: PLC0415  # not on Windows

        with contextlib.suppress(OSError):  # no pipe, or more than the system allows: the usual 64 KiB remain
            fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def _listen(watched: Watched) -> None:
    for line in sys.stdin:
        watched.obey(line)
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
