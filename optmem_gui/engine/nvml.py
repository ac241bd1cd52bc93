"""The driver's figures. The only module that imports pynvml.

Nothing here raises for what a driver, a platform or a permission does not give: a figure is a number or
the :class:`Reason` why there is none. Devices are found by UUID, because the driver's order is not
torch's.

References: NVML API reference, "Device Queries" (memory info v2 reports the driver's reserve apart, v1
counts it as used), "Multi Instance GPU Management" and "Error reporting"; nvidia-ml-py release notes (names
and UUIDs are str since 11.5, bytes before; the process record of the first 535 drivers is 32 bytes, every
other one's 24).
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from types import ModuleType, TracebackType
from typing import Any, TypeVar

from optmem_gui.core.reasons import Reason
from optmem_gui.engine.nvml_records import (
    NOT_SUPPORTED,
    DeviceMemory,
    GpuProcess,
    first_version,
    is_sane,
    is_size,
    second_version,
)

T = TypeVar("T")

LOST = "nvml.gpu_lost"
_RESET = "nvml.reset_required"
ENDS = (LOST, _RESET)
"""The GPU answers nothing any more."""

HIDDEN = "nvml.process_hidden"
NO_PERMISSION = "nvml.no_permission"
_NO_DEVICE = "nvml.no_device"
_NOT_STARTED = "nvml.not_started"
_FAILED = "nvml.failed"

_BY_CODE = {
    1: _NOT_STARTED,
    2: _NO_DEVICE,
    3: NOT_SUPPORTED,
    4: NO_PERMISSION,
    6: _NO_DEVICE,
    9: "nvml.no_driver",
    12: "nvml.no_library",
    13: "nvml.old_driver",
    15: LOST,
    16: _RESET,
    17: "nvml.blocked",
    18: "nvml.mismatch",
    25: "nvml.old_driver",
    28: _NO_DEVICE,
}
"""Return codes of nvml.h that have a next step of their own. "Invalid argument" and "not found" are what
the driver answers to a UUID that it does not know."""

_STALE = (*ENDS, _FAILED, _NO_DEVICE, _NOT_STARTED)
"""After these a handle is not used again."""

_PROCESS_QUERIES = (
    ("nvmlDeviceGetComputeRunningProcesses", "nvmlDeviceGetGraphicsRunningProcesses"),
    ("_v3", "_v2", ""),
)
"""Names, and their versions from new to old; a binding from before 2021 has them without a version only."""


@dataclass(frozen=True, slots=True)
class NvmlDevice:
    """A GPU as the driver knows it.

    Attributes:
        uuid: The driver's name for it, ``GPU-...`` or ``MIG-...``.
        name: Product name.
        parent: UUID of the GPU that this is a slice of; empty for a whole one.
    """

    uuid: str
    name: str
    parent: str = ""


class Nvml:
    """A session with the driver, opened at the first question and closed at the end of a ``with`` block.

    A process that was forked opens a session of its own: the parent's is not valid there.

    Args:
        load: Gives the binding; a test passes its own.
    """

    def __init__(self, load: Callable[[], Any] | None = None) -> None:
        self._load = load if load is not None else _pynvml
        self._module: Any = None
        self._pid = 0
        self._handles: dict[str, Any] = {}
        self._versions: dict[str, int] = {}
        self._suffixes: dict[str, str] = {}

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
        module, mine = self._module, self._pid == os.getpid()
        self._drop()
        if module is not None and mine:
            _ask(module, module.nvmlShutdown)

    # What there is

    def devices(self) -> tuple[NvmlDevice, ...] | Reason:
        """Every GPU that the driver shows; of one that is sliced (MIG) the slices."""
        module = self._session()
        if isinstance(module, Reason):
            return module
        count = _ask(module, module.nvmlDeviceGetCount)
        if isinstance(count, Reason):
            return count
        found: list[NvmlDevice] = []
        problem: Reason | None = None
        for index in range(count):
            handle = _ask(module, partial(module.nvmlDeviceGetHandleByIndex, index))
            device = handle if isinstance(handle, Reason) else _device(module, handle)
            if isinstance(device, Reason):
                problem = _naming(device, f"number {index}")
            else:
                found += _slices(module, handle, device) or [device]
        return problem if problem is not None and not found else tuple(found)

    # Figures

    def memory(self, uuid: str) -> DeviceMemory | Reason:
        """Memory of one GPU now; the newer query first, the older one where it is missing.

        The query that answered first is kept: the two differ by the driver's reserve, and a change in the
        middle of a run would look like an allocation.
        """
        return self._of(uuid, partial(self._memory, uuid))

    def process_bytes(self, uuid: str, pid: int) -> int | Reason:
        """What one process uses on one GPU.

        A process that the driver does not list is not a process that uses nothing: in a container it has
        another number, under Windows and in a virtual machine the figure does not exist.
        """
        return self._of(uuid, partial(self._process_bytes, pid))

    def processes(self, uuid: str) -> tuple[GpuProcess, ...] | Reason:
        """Everyone who computes or draws on one GPU, by process id; who does both is listed once."""
        return self._of(uuid, self._processes)

    def driver_version(self) -> str | Reason:
        """Version of the driver, such as ``580.65.06``."""
        module = self._session()
        if isinstance(module, Reason):
            return module
        answer: str | Reason = _ask(module, lambda: _text(module.nvmlSystemGetDriverVersion()))
        return answer

    def _processes(self, module: Any, handle: Any) -> tuple[GpuProcess, ...] | Reason:  # noqa: ANN401  # pynvml has no types
        used: dict[int, int | None] = {}
        for rows in self._lists(module, handle):
            if isinstance(rows, Reason):
                return rows
            for row in rows:
                size = int(row.usedGpuMemory) if is_size(row.usedGpuMemory) else None
                known = used.get(row.pid)
                used[row.pid] = size if known is None else max(known, size or 0)
        return tuple(GpuProcess(pid, _program(module, pid), used[pid]) for pid in sorted(used))

    def _memory(self, uuid: str, module: Any, handle: Any) -> DeviceMemory | Reason:  # noqa: ANN401  # pynvml has no types
        newer = getattr(module, "nvmlMemory_v2", None)
        known = self._versions.get(uuid)
        answer: DeviceMemory | Reason = Reason("nvml.old_driver")
        if known != 1 and newer is not None:
            info = _ask(module, partial(module.nvmlDeviceGetMemoryInfo, handle, version=newer))
            answer = info if isinstance(info, Reason) else second_version(info)
            if known == 2 or (isinstance(answer, Reason) and answer.key in (*ENDS, _NOT_STARTED)):
                return answer
        if isinstance(answer, Reason):
            info = _ask(module, lambda: module.nvmlDeviceGetMemoryInfo(handle))
            answer = info if isinstance(info, Reason) else first_version(info)
        if not isinstance(answer, Reason):
            self._versions[uuid] = answer.version
        return answer

    def _process_bytes(self, pid: int, module: Any, handle: Any) -> int | Reason:  # noqa: ANN401  # pynvml has no types
        for rows in self._lists(module, handle):
            if isinstance(rows, Reason):
                return rows
            for row in rows:
                if row.pid == pid and is_size(row.usedGpuMemory):
                    return int(row.usedGpuMemory)
        return Reason(HIDDEN)

    def _lists(self, module: Any, handle: Any) -> Iterator[Any]:  # noqa: ANN401  # pynvml has no types
        """The driver's lists of processes, one after the other; a reason in place of one it does not give."""
        for name in _PROCESS_QUERIES[0]:
            rows = self._rows(name, module, handle)
            unsupported = isinstance(rows, Reason) and rows.key == NOT_SUPPORTED
            yield Reason(HIDDEN) if unsupported else rows

    def _rows(self, name: str, module: Any, handle: Any) -> Any:  # noqa: ANN401  # pynvml has no types
        """The driver's list of processes by the newest query that gives a sensible one."""
        answer: Any = Reason("nvml.old_driver")
        for suffix in (self._suffixes[name],) if name in self._suffixes else _PROCESS_QUERIES[1]:
            question = getattr(module, name + suffix, None)
            if question is None:
                continue
            rows = _ask(module, partial(question, handle))
            if isinstance(rows, Reason):
                answer = rows
                if rows.key != "nvml.old_driver":
                    return rows
            elif all(map(is_sane, rows)):
                if rows:
                    self._suffixes[name] = suffix
                return rows
            else:
                answer = Reason("nvml.process_garbled")
                self._suffixes.pop(name, None)
        return answer

    # Session and handles

    def _of(self, uuid: str, question: Callable[[Any, Any], T | Reason], *, again: bool = True) -> T | Reason:
        """Ask about one GPU; a session that someone else has ended is opened once more."""
        handle = self._handle(uuid)
        answer = handle if isinstance(handle, Reason) else question(self._module, handle)
        if isinstance(answer, Reason) and answer.key in _STALE:
            self._handles.pop(uuid, None)
            if answer.key == _NOT_STARTED:
                self._drop()
                return self._of(uuid, question, again=False) if again else answer
            return _naming(answer, uuid)
        return answer

    def _session(self) -> Any:  # noqa: ANN401  # the binding has no types
        """The binding with NVML initialised, or the reason why not."""
        if self._module is not None:
            if self._pid == os.getpid():
                return self._module
            self._drop()
        try:
            module = self._load()
        except ImportError:
            return Reason("nvml.no_module")
        started = _ask(module, module.nvmlInit)
        if isinstance(started, Reason):
            return started
        self._module, self._pid = module, os.getpid()
        return module

    def _handle(self, uuid: str) -> Any:  # noqa: ANN401  # an opaque pointer
        module = self._session()
        if isinstance(module, Reason):
            return module
        if uuid not in self._handles:
            handle = _ask(module, lambda: module.nvmlDeviceGetHandleByUUID(uuid))
            if isinstance(handle, Reason):
                return _naming(handle, uuid)
            self._handles[uuid] = handle
        return self._handles[uuid]

    def _drop(self) -> None:
        """Forget the session without ending it."""
        self._module = None
        self._handles.clear()


def _ask(module: Any, question: Callable[[], Any]) -> Any:  # noqa: ANN401  # whatever NVML answers
    """Ask NVML; an error becomes its reason, a missing function an old driver or binding."""
    try:
        return question()
    except module.NVMLError as error:
        key = _BY_CODE.get(getattr(error, "value", 999), _FAILED)
        return Reason(key, {"cause": str(error)}) if key == _FAILED else Reason(key)
    except (AttributeError, TypeError):
        return Reason("nvml.old_driver")
    except Exception as error:
        # What the binding raises for a query without a version that the driver lacks is no NVMLError.
        if type(error).__name__ == "NVMLLibraryMismatchError":
            return Reason("nvml.old_driver")
        raise


def _naming(reason: Reason, uuid: str) -> Reason:
    """Say which device the driver does not know."""
    return Reason(_NO_DEVICE, {"uuid": uuid}) if reason.key == _NO_DEVICE else reason


def _program(module: Any, pid: int) -> str:  # noqa: ANN401  # the binding has no types
    name = _ask(module, lambda: _text(module.nvmlSystemGetProcessName(pid)))
    return "" if isinstance(name, Reason) else str(name)


def _device(module: Any, handle: Any) -> NvmlDevice | Reason:  # noqa: ANN401  # the binding has no types
    uuid = _ask(module, lambda: _text(module.nvmlDeviceGetUUID(handle)))
    if isinstance(uuid, Reason):
        return uuid
    try:
        name = _ask(module, lambda: _text(module.nvmlDeviceGetName(handle)))
    except UnicodeDecodeError:  # some virtual GPUs have a name of raw bytes
        name = "GPU"
    return NvmlDevice(uuid, "GPU" if isinstance(name, Reason) else name)


def _slices(module: Any, handle: Any, whole: NvmlDevice) -> list[NvmlDevice]:  # noqa: ANN401  # pynvml has no types
    """The slices of a GPU in MIG mode, which alone can be computed on; none where it is not in that mode."""
    mode = _ask(module, lambda: module.nvmlDeviceGetMigMode(handle))
    if isinstance(mode, Reason) or not mode[0]:
        return []
    most = _ask(module, lambda: module.nvmlDeviceGetMaxMigDeviceCount(handle))
    found: list[NvmlDevice] = []
    for index in range(0 if isinstance(most, Reason) else most):
        slice_handle = _ask(module, partial(module.nvmlDeviceGetMigDeviceHandleByIndex, handle, index))
        device = slice_handle if isinstance(slice_handle, Reason) else _device(module, slice_handle)
        if not isinstance(device, Reason):
            found.append(NvmlDevice(device.uuid, device.name, whole.uuid))
    return found


def _pynvml() -> ModuleType:
    return importlib.import_module("pynvml")


def _text(value: str | bytes) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value
