"""A sampler of a GPU that does not exist; its argument names what happens there."""

from __future__ import annotations

import os
import sys
import threading
import time

import psutil

from optmem_gui.core.protocol import Sample, SamplerNote, encode

MIB = 1 << 20
BASELINE, CONTEXT, OTHERS = 500 * MIB, 450 * MIB, 200 * MIB


def main(behaviour: str) -> None:
    ready = threading.Event()
    worker: list[int] = []

    def listen() -> None:
        for line in sys.stdin:
            if line.startswith("worker "):
                worker.append(int(line.split()[1]))
            if line == "ready\n":
                ready.set()
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    sent = 0
    while True:
        own = CONTEXT if ready.is_set() and psutil.pid_exists(worker[-1]) else 0
        others = OTHERS if behaviour == "others" and ready.is_set() else 0
        process = own if own and behaviour != "hidden" else None
        os.write(1, encode(Sample(time.monotonic_ns(), BASELINE + own + others, process, 100 * MIB)))
        sent += 1
        if behaviour == "stalls" and own:
            while psutil.pid_exists(worker[-1]):
                time.sleep(0.01)
            time.sleep(0.5)
        if behaviour == "lost" and ready.is_set() and sent >= 20:
            os.write(1, encode(SamplerNote("device", "nvml.gpu_lost", {})))
            time.sleep(3600)
        time.sleep(0.01)


if __name__ == "__main__":
    main(sys.argv[1])
