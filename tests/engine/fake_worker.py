"""A worker without torch: says what a real one would say, or misbehaves in the way its argument names.

Where its work is to last until something has happened, it waits for a file that the test makes.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from optmem_gui.core.protocol import (
    Categories,
    Failed,
    Hello,
    Message,
    PhaseSample,
    Progress,
    Result,
    StateRow,
    StepResult,
    encode,
)

MIB = 1 << 20
GATE = "FAKE_WORKER_GATE"
"""Names the file in the environment."""

FOREVER_S = 3600


def pass_gate(number: int = 1) -> None:
    """Wait until the test lets the worker go on; where no test names a file, go on at once."""
    name = os.environ.get(GATE)
    while name and not Path(f"{name}{number}").exists():
        if select.select([sys.stdin], [], [], 0.005)[0]:  # its end: the measurement was given up
            os._exit(1)


def say(message: Message) -> None:
    os.write(1, encode(message))


def hello(uuid: str | None = None, device: str = "fake") -> None:
    told = (os.getpid(), "3.11.0", "9.9.9", device)
    if uuid is None:
        say(Hello(*told, None, None, time.monotonic_ns()))
    else:
        say(Hello(*told, uuid, 80 << 30, time.monotonic_ns(), "sm_90", 132, 2048))


def phase(step: int, name: str, size: int, reserved: int | None = None) -> PhaseSample:
    now = time.monotonic_ns()
    sample = PhaseSample(step, name, now, now + 1_000_000, size, size, size + MIB, reserved, reserved)
    say(Progress(name, step, 2))
    say(sample)
    return sample


def step(number: int, reserved: int | None = None) -> StepResult:
    names = ("forward", "backward", "optimizer_step", "between_steps")
    phases = tuple(phase(number, name, 10 * MIB, reserved) for name in names)
    result = StepResult(number, phases, Categories(weights=4 * MIB), 2 * MIB, 0.5)
    say(result)
    return result


def normal(uuid: str | None = None, reserved: int | None = None) -> None:
    hello(uuid)
    load = phase(0, "load", 4 * MIB, reserved)
    pass_gate()
    first, steady = step(1), step(2)
    rows = (StateRow("exp_avg", "float32", False, 1, 4 * MIB),)
    say(Result(load, first, steady, rows, MIB, MIB, seconds=0.1))


def on_gpu(reserved: int) -> None:
    """An H100 on which torch reserves so much; files tell the driver's stand-in who runs there, and when."""
    file = Path(os.environ["FAKE_PID_FILE"])
    file.write_text(str(os.getpid()))
    hello("GPU-fake", "NVIDIA H100 80GB HBM3")
    load = phase(0, "load", 4 * MIB, reserved // 2)
    first = step(1, reserved)
    pass_gate(1)
    file.with_suffix(".other").write_text(str(os.getppid()))
    say(Progress("between_steps", 1, 2))
    pass_gate(2)
    steady = step(2, reserved)
    rows = (StateRow("exp_avg", "float32", False, 1, 4 * MIB),)
    say(Result(load, first, steady, rows, MIB, MIB, seconds=0.1))


def garbage() -> None:
    os.write(1, b"Welcome to Python!\n\xff\xfe not a message\n")


def endless_garbage() -> None:
    while True:
        os.write(1, b"chatter\n" * 1000)


def garbage_between() -> None:
    os.write(1, b"a library prints\n{broken json\n")
    normal()


def unknown_kind() -> None:
    os.write(1, b'{"v":1,"kind":"from the future","x":1}\n')
    normal()


def wrong_version() -> None:
    os.write(1, b'{"v":2,"kind":"hello"}\n')
    sys.stdin.read()


def out_of_memory() -> None:
    hello()
    phase(0, "load", 4 * MIB)
    values: dict[str, int | float | str] = {"asked_bytes": 3 << 30, "free_bytes": 1 << 30}
    values.update(phase="forward", step=1)
    say(Failed("out_of_memory", "measure.out_of_memory", values, "OutOfMemoryError", 1, "forward"))
    sys.exit(1)


def ends_by(number: signal.Signals) -> None:
    hello()
    phase(1, "backward", 4 * MIB)
    os.kill(os.getpid(), number)


REFUSALS: dict[str, tuple[str, dict[str, int | float | str]]] = {
    "no torch": ("measure.no_torch", {"python": "/my/python"}),
    "broken torch": ("measure.torch_broken", {"python": "/my/python", "cause": "libc10.so: no such file"}),
    "old torch": ("measure.old_torch", {"torch": "2.4.1", "oldest": "2.5"}),
    "cpu torch": ("measure.torch_without_cuda", {"torch": "2.13.0+cpu", "python": "/my/python"}),
    "no kernel": ("measure.no_kernel", {"torch": "2.13.0+cu126", "architecture": "sm_120"}),
    "exclusive": ("measure.device_busy", {"device": "NVIDIA L4"}),
    "sticky": ("measure.gpu_failed", {"cause": "CUDA error: device-side assert triggered"}),
    "no room": ("measure.no_room_to_start", {"cause": "CUDA error: out of memory"}),
    "host memory": ("measure.out_of_host_memory", {"asked_bytes": 4 << 30, "phase": "load", "step": 0}),
    "hidden": ("measure.device_hidden", {"given": "GPU-1", "visible": "-1"}),
}
"""What a real worker says when it gives up before or during a step."""


def refuses(name: str) -> None:
    key, values = REFUSALS[name]
    out = key in ("measure.no_room_to_start", "measure.out_of_host_memory")
    say(Failed("out_of_memory" if out else "refused", key, values, "Traceback: the detail"))
    sys.exit(1)


def status() -> None:
    sys.stderr.write("the last words\n")
    sys.exit(7)


def hangs(uuid: str | None = None) -> None:
    hello(uuid)
    time.sleep(FOREVER_S)


def loads_for_ever() -> None:
    hello()
    phase(0, "load", 4 * MIB)
    time.sleep(FOREVER_S)


def stubborn() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    hello()
    phase(1, "forward", 4 * MIB)
    while True:
        time.sleep(FOREVER_S)


BEHAVIOURS: dict[str, Callable[[], None]] = {
    "normal": normal,
    "loads for ever": loads_for_ever,
    "gpu": lambda: normal(uuid="GPU-fake"),
    "spills": lambda: normal(uuid="GPU-fake", reserved=90 << 30),
    "on a GPU": lambda: on_gpu(64 * MIB),
    "garbage": garbage,
    "endless garbage": endless_garbage,
    "garbage between": garbage_between,
    "unknown kind": unknown_kind,
    "wrong version": wrong_version,
    "out of memory": out_of_memory,
    "segfault": lambda: ends_by(signal.SIGSEGV),
    "aborts": lambda: ends_by(signal.SIGABRT),
    "killed": lambda: ends_by(signal.SIGKILL),
    "status": status,
    "leaves": hello,
    "hangs": hangs,
    "gpu hangs": lambda: hangs("GPU-fake"),
    "mute": lambda: time.sleep(FOREVER_S),
    "stubborn": stubborn,
    **{name: partial(refuses, name) for name in REFUSALS},
}


if __name__ == "__main__":
    request = json.loads(sys.stdin.readline())
    assert request["kind"] == "measure"
    BEHAVIOURS[sys.argv[1]]()
