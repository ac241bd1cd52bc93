"""A small process that samples the driver and the worker's host memory at a steady rate.

It is a process of its own because a window that redraws starves a thread. Standard library, nvidia-ml-py
and psutil only. It is told what to watch on standard input (``device UUID``, ``worker PID``,
``ready`` once the worker has used the device) and ends with it.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from optmem_gui.core.lifeline import die_with_parent
from optmem_gui.core.protocol import Message, Sample, SamplerNote, encode
from optmem_gui.core.reasons import Reason
from optmem_gui.engine.nvml import LOST, Nvml

if TYPE_CHECKING:
    import psutil

DEFAULT_RATE_HZ = 100


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
        self._told: set[str] = set()
        self._process: psutil.Process | None = None
        self.lost = False

    def sample(self) -> None:
        """Take and send one sample."""
        uuid, pid = self._watched.uuid, self._watched.pid
        clock = time.monotonic_ns()
        device = None if uuid is None else self._device(uuid)
        process = None
        if uuid is not None and pid is not None and self._watched.ready:
            process = self._process_on(uuid, pid)
        rss = None if pid is None else self._rss(pid)
        self._send(Sample(clock, device, process, rss))

    def _device(self, uuid: str) -> int | None:
        if "device" in self._told:
            return None
        memory = self._nvml.memory(uuid)
        if isinstance(memory, Reason):
            self._tell("device", memory)
            return None
        return memory.used

    def _process_on(self, uuid: str, pid: int) -> int | None:
        if "process" in self._told or self.lost:
            return None
        used = self._nvml.process_bytes(uuid, pid)
        if isinstance(used, Reason):
            self._tell("process", used)
            return None
        return used

    def _rss(self, pid: int) -> int | None:
        import psutil  # noqa: PLC0415  # the window names this module without sampling itself

        try:
            if self._process is None or self._process.pid != pid:
                self._process = psutil.Process(pid)
            return int(self._process.memory_info().rss)
        except psutil.Error:
            return None

    def _tell(self, series: str, reason: Reason) -> None:
        """Say once that a series ends; a lost GPU ends the sampling."""
        self._told.add(series)
        self.lost = self.lost or reason.key == LOST
        self._send(SamplerNote(series, reason.key, reason.values))


def main(arguments: Sequence[str]) -> None:
    """Sample until standard input ends or the GPU is lost."""
    parser = argparse.ArgumentParser(prog="sampler")
    parser.add_argument("--parent", type=int)
    parser.add_argument("--rate", type=int, default=DEFAULT_RATE_HZ)
    options = parser.parse_args(arguments)
    die_with_parent(options.parent)
    watched = Watched()
    threading.Thread(target=_listen, args=(watched,), name="input", daemon=True).start()
    with Nvml() as nvml:
        sampler = Sampler(nvml, watched, _write)
        period_ns = 1_000_000_000 // options.rate
        due = time.monotonic_ns()
        while not sampler.lost:
            sampler.sample()
            due = max(due + period_ns, time.monotonic_ns())
            time.sleep(max(0, due - time.monotonic_ns()) / 1e9)


def _listen(watched: Watched) -> None:
    for line in sys.stdin:
        watched.obey(line)
    os._exit(0)


def _write(message: Message) -> None:
    os.write(1, encode(message))


if __name__ == "__main__":
    main(sys.argv[1:])
