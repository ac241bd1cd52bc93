"""A driver that answers as it is told to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

GIB = 1 << 30


class FakeError(Exception):
    """As ``pynvml.NVMLError``: the return code stands in ``value``."""

    def __init__(self, value: int) -> None:
        super().__init__(f"code {value}")
        self.value = value


@dataclass
class FakeNvml:
    """The part of the binding that is used; ``fails`` maps a function's name to a return code."""

    uuid: str | bytes = "GPU-fake"
    name: str | bytes = "NVIDIA L4"
    fails: dict[str, int] = field(default_factory=dict)
    processes: tuple[tuple[int, int | None], ...] = ()
    used: int = 2 * GIB
    nvmlMemory_v2: int | None = 0x02000028  # noqa: N815  # the binding's name
    sessions: int = 0
    queries: int = 0
    lost_after: int | None = None
    NVMLError = FakeError

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if name.startswith("nvml") and callable(value):
            return self._guarded(name, value)
        return value

    def _guarded(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def ask(*arguments: Any, **named: Any) -> Any:
            self.queries += 1
            if self.lost_after is not None and self.queries > self.lost_after:
                raise FakeError(15)
            if name in self.fails:
                raise FakeError(self.fails[name])
            return call(*arguments, **named)

        return ask

    def nvmlInit(self) -> None:  # noqa: N802  # the binding's name
        self.sessions += 1

    def nvmlShutdown(self) -> None:  # noqa: N802  # Qt's name
        self.sessions -= 1

    def nvmlSystemGetDriverVersion(self) -> str:  # noqa: N802  # the binding's name
        return "580.00"

    def nvmlSystemGetProcessName(self, pid: int) -> str:  # noqa: N802  # the binding's name
        return f"/bin/p{pid}"

    def nvmlDeviceGetCount(self) -> int:  # noqa: N802  # Qt's name
        return 1

    def nvmlDeviceGetHandleByIndex(self, index: int) -> str:  # noqa: N802  # Qt's name
        return f"handle {index}"

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> str:  # noqa: N802  # Qt's name
        if uuid != "GPU-fake":
            raise FakeError(6)
        return "handle 0"

    def nvmlDeviceGetUUID(self, handle: str) -> str | bytes:  # noqa: N802  # Qt's name
        assert handle == "handle 0"
        return self.uuid

    def nvmlDeviceGetName(self, handle: str) -> str | bytes:  # noqa: N802  # Qt's name
        assert handle == "handle 0"
        return self.name

    def nvmlDeviceGetMemoryInfo(self, handle: str, version: int | None = None) -> SimpleNamespace:  # noqa: N802  # Qt's name
        assert handle == "handle 0"
        total, reserved = 24 * GIB, GIB // 2
        if version is None:
            return SimpleNamespace(total=total, used=self.used + reserved, free=total - self.used - reserved)
        if "v2" in self.fails:
            raise FakeError(self.fails["v2"])
        free = total - self.used - reserved
        return SimpleNamespace(total=total, reserved=reserved, free=free, used=self.used)

    def nvmlDeviceGetComputeRunningProcesses(self, handle: str) -> list[SimpleNamespace]:  # noqa: N802  # Qt's name
        assert handle == "handle 0"
        return [SimpleNamespace(pid=pid, usedGpuMemory=used) for pid, used in self.processes]

    def nvmlDeviceGetGraphicsRunningProcesses(self, handle: str) -> list[SimpleNamespace]:  # noqa: N802  # Qt's name
        assert handle == "handle 0"
        return []
