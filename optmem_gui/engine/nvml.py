"""The driver's figures. The only module that imports pynvml.

Nothing here raises for what a driver, a platform or a permission does not give: a figure is a number or
the :class:`Reason` why there is none. Devices are found by UUID, because the driver's order is not
torch's.

References: NVML API reference, "Device Queries" (memory info v2 reports the driver's reserve apart, v1
counts it as used) and "Error reporting"; nvidia-ml-py release notes (names and UUIDs are str since 11.5,
bytes before).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import ModuleType, TracebackType
from typing import Any, TypeVar

from optmem_gui.core.reasons import Reason

T = TypeVar("T")

_UNKNOWN_BYTES = (1 << 64) - 1
"""NVML_VALUE_NOT_AVAILABLE as an unsigned number: what Windows' driver model answers."""

_BY_CODE = {
    3: "nvml.not_supported",
    4: "nvml.no_permission",
    9: "nvml.no_driver",
    12: "nvml.no_library",
    13: "nvml.old_driver",
    15: "nvml.gpu_lost",
    16: "nvml.gpu_lost",
    18: "nvml.mismatch",
}
"""Return codes of nvml.h that have a next step of their own."""

LOST = "nvml.gpu_lost"


@dataclass(frozen=True, slots=True)
class NvmlDevice:
    """A GPU as the driver knows it."""

    uuid: str
    name: str


@dataclass(frozen=True, slots=True)
class DeviceMemory:
    """Memory of one GPU, bytes.

    Attributes:
        total: All of it, the driver's reserve included.
        used: Used by processes; with ``version`` 1 the driver's reserve is in it.
        free: What a new allocation can take.
        reserved: The driver's own; None where version 1 hides it in ``used``.
        version: Version of the query that answered.
    """

    total: int
    used: int
    free: int
    reserved: int | None
    version: int


class Nvml:
    """A session with the driver, opened at the first question and closed at the end of a ``with`` block.

    Args:
        load: Gives the binding; a test passes its own.
    """

    def __init__(self, load: Callable[[], Any] | None = None) -> None:
        self._load = load if load is not None else _pynvml
        self._module: Any = None
        self._handles: dict[str, Any] = {}

    def __enter__(self) -> Nvml:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the session; a later question opens a new one."""
        module, self._module = self._module, None
        self._handles.clear()
        if module is not None:
            self._ask(module, module.nvmlShutdown)

    def devices(self) -> tuple[NvmlDevice, ...] | Reason:
        """Every GPU that the driver shows."""
        module = self._session()
        if isinstance(module, Reason):
            return module
        count = self._ask(module, module.nvmlDeviceGetCount)
        if isinstance(count, Reason):
            return count
        found: list[NvmlDevice] = []
        problem: Reason | None = None
        for index in range(count):
            device = self._ask(module, partial(self._device, module, index))
            if isinstance(device, Reason):
                problem = device
            else:
                found.append(device)
        return problem if problem is not None and not found else tuple(found)

    def memory(self, uuid: str) -> DeviceMemory | Reason:
        """Memory of one GPU now; the newer query first, the older one where it is missing."""
        handle = self._handle(uuid)
        if isinstance(handle, Reason):
            return handle
        module = self._module
        newer = getattr(module, "nvmlMemory_v2", None)
        if newer is not None:
            info = self._ask(module, lambda: module.nvmlDeviceGetMemoryInfo(handle, version=newer))
            if not isinstance(info, Reason):
                used = info.total - info.free - info.reserved
                return DeviceMemory(info.total, used, info.free, info.reserved, 2)
            if info.key == LOST:
                return self._forget(uuid, info)
        info = self._ask(module, lambda: module.nvmlDeviceGetMemoryInfo(handle))
        if isinstance(info, Reason):
            return self._forget(uuid, info)
        return DeviceMemory(info.total, info.used, info.free, None, 1)

    def process_bytes(self, uuid: str, pid: int) -> int | Reason:
        """What one process uses on one GPU.

        A process that the driver does not list is not a process that uses nothing: in a container it has
        another number, under Windows the figure does not exist.
        """
        handle = self._handle(uuid)
        if isinstance(handle, Reason):
            return handle
        module = self._module
        for name in ("nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetGraphicsRunningProcesses"):
            rows = self._ask(module, partial(_call, module, name, handle))
            if isinstance(rows, Reason):
                return self._forget(uuid, rows)
            for row in rows:
                if row.pid == pid and row.usedGpuMemory not in (None, _UNKNOWN_BYTES):
                    return int(row.usedGpuMemory)
        return Reason("nvml.process_hidden")

    def _session(self) -> Any:  # noqa: ANN401  # the binding has no types
        """The binding with NVML initialised, or the reason why not."""
        if self._module is not None:
            return self._module
        try:
            module = self._load()
        except ImportError:
            return Reason("nvml.no_module")
        started = self._ask(module, module.nvmlInit)
        if isinstance(started, Reason):
            return started
        self._module = module
        return module

    def _handle(self, uuid: str) -> Any:  # noqa: ANN401  # an opaque pointer
        module = self._session()
        if isinstance(module, Reason):
            return module
        if uuid not in self._handles:
            handle = self._ask(module, lambda: module.nvmlDeviceGetHandleByUUID(uuid))
            if isinstance(handle, Reason):
                missing = handle.key in ("nvml.failed", "nvml.not_supported")
                return Reason("nvml.no_device", {"uuid": uuid}) if missing else handle
            self._handles[uuid] = handle
        return self._handles[uuid]

    def _forget(self, uuid: str, reason: Reason) -> Reason:
        """A handle is not used again after an error that may have made it stale."""
        if reason.key in (LOST, "nvml.failed"):
            self._handles.pop(uuid, None)
        return reason

    @staticmethod
    def _device(module: Any, index: int) -> NvmlDevice:  # noqa: ANN401  # the binding has no types
        handle = module.nvmlDeviceGetHandleByIndex(index)
        return NvmlDevice(_text(module.nvmlDeviceGetUUID(handle)), _text(module.nvmlDeviceGetName(handle)))

    @staticmethod
    def _ask(module: Any, question: Callable[[], Any]) -> Any:  # noqa: ANN401  # whatever NVML answers
        """Ask NVML; an error becomes its reason, a missing function an old driver or binding."""
        try:
            return question()
        except module.NVMLError as error:
            code = getattr(error, "value", 999)
            key = _BY_CODE.get(code)
            return Reason("nvml.failed", {"cause": str(error)}) if key is None else Reason(key)
        except (AttributeError, TypeError):
            return Reason("nvml.old_driver")


def _call(module: Any, name: str, handle: Any) -> Any:  # noqa: ANN401  # the binding has no types
    return getattr(module, name)(handle)


def _pynvml() -> ModuleType:
    return importlib.import_module("pynvml")


def _text(value: str | bytes) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value
