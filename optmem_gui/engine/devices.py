"""What can be measured on: the GPUs that the driver shows, and the CPU. No torch is needed to know."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from optmem_gui.core.observing import OtherProcess
from optmem_gui.core.reasons import Reason
from optmem_gui.engine.nvml import Nvml, NvmlDevice
from optmem_gui.engine.nvml_records import NOT_SUPPORTED, DeviceMemory

CPU = "cpu"
AUTO = "auto"
UNIFIED = 0
"""Version of a memory figure that is the system's."""

_KINDS = ("GPU-", "MIG-")
_NUMBER = re.compile(r"[+]?[0-9]+")
_DRIVERS_ORDER = "PCI_BUS_ID"
"""The order in which the driver numbers GPUs; the worker is started with it unless the user chose another."""


@dataclass(frozen=True, slots=True)
class Device:
    """One device.

    Attributes:
        id: ``cpu`` or the driver's UUID: what a request names.
        name: What to call it on screen.
        total_bytes: Its memory, None where the driver does not say.
        free_bytes: What a new process can take now, None where the driver does not say.
        note: Why figures are missing, or whose they are.
        parent: UUID of the GPU that this is a slice of; empty for a whole one.
        others: Who else uses it, this program left out; why that is not known where the driver does not say.
    """

    id: str
    name: str
    total_bytes: int | None
    free_bytes: int | None
    note: Reason | None = None
    parent: str = ""
    others: tuple[OtherProcess, ...] | Reason = ()


@dataclass(frozen=True, slots=True)
class Devices:
    """Everything there is.

    Attributes:
        gpus: In the driver's order.
        cpu: Always there.
        note: Why there is no GPU, None where there is one.
    """

    gpus: tuple[Device, ...]
    cpu: Device
    note: Reason | None

    def find(self, text: str, environment: Mapping[str, str] | None = None) -> Device | None:
        """The device that a text names; None when nobody here knows it (torch may all the same).

        Args:
            text: ``cpu``, a UUID, ``auto``, or ``cuda:N`` as torch numbers what is visible to it.
            environment: Where ``CUDA_VISIBLE_DEVICES`` and ``CUDA_DEVICE_ORDER`` stand.
        """
        if text == AUTO:
            return self.automatic(environment)
        name, _, number = text.partition(":")
        if name != "cuda":
            return self._named(text)
        given = os.environ if environment is None else environment
        if given.get("CUDA_DEVICE_ORDER", _DRIVERS_ORDER) != _DRIVERS_ORDER:
            return None
        shown = visible_devices(self.gpus, given.get("CUDA_VISIBLE_DEVICES"))
        index = int(number) if number.isdecimal() else 0 if not number else len(shown)
        return shown[index] if index < len(shown) else None

    def _named(self, text: str) -> Device | None:
        """By id; a UUID may be shortened as long as it is the only one."""
        exact = next((device for device in (*self.gpus, self.cpu) if device.id == text), None)
        starting = [gpu for gpu in self.gpus if text[:4] in _KINDS and gpu.id.startswith(text)]
        return exact or (starting[0] if len(starting) == 1 else None)

    def automatic(self, environment: Mapping[str, str] | None = None) -> Device:
        """The visible GPU with most memory free, else the CPU.

        Args:
            environment: Where ``CUDA_VISIBLE_DEVICES`` stands; the process's own when left out.
        """
        given = os.environ if environment is None else environment
        visible = given.get("CUDA_VISIBLE_DEVICES")
        choice = self.gpus if visible is None else visible_devices(self.gpus, visible)
        return max(choice, key=lambda gpu: gpu.free_bytes or 0) if choice else self.cpu


def list_devices(nvml: Nvml | None = None) -> Devices:
    """Ask the driver and the system; takes up to a second where the driver has to wake up."""
    with nvml or Nvml() as session:
        found = session.devices()
        gpus = () if isinstance(found, Reason) else tuple(_gpu(session, device) for device in found)
    note = found if isinstance(found, Reason) else None if gpus else Reason("nvml.no_gpu")
    total, available = system_memory()
    cpu = Device(CPU, platform.processor() or platform.machine() or "CPU", total, available)
    return Devices(gpus, cpu, note)


def system_memory() -> tuple[int, int]:
    """Host memory in bytes: all of it, and what a process can still take."""
    import psutil  # noqa: PLC0415  # 10 ms that the window would wait for

    memory = psutil.virtual_memory()
    return int(memory.total), int(memory.available)


def device_memory(session: Nvml, uuid: str) -> DeviceMemory | Reason:
    """Memory of one GPU; where the driver counts none, the system's, which that GPU shares (version 0).

    GB10, Grace's integrated and Jetson's GPUs answer "not supported" to both of the driver's queries, because
    they have no memory of their own.
    """
    memory = session.memory(uuid)
    if isinstance(memory, Reason) and memory.key == NOT_SUPPORTED:
        total, available = system_memory()
        return DeviceMemory(total, total - available, available, None, UNIFIED)
    return memory


def _gpu(session: Nvml, device: NvmlDevice) -> Device:
    memory = device_memory(session, device.uuid)
    if isinstance(memory, Reason):
        return Device(device.uuid, device.name, None, None, memory, device.parent, memory)
    note = Reason("nvml.unified") if memory.version == UNIFIED else None
    others = _others(session, device.uuid)
    return Device(device.uuid, device.name, memory.total, memory.free, note, device.parent, others)


def _others(session: Nvml, uuid: str) -> tuple[OtherProcess, ...] | Reason:
    listed = session.processes(uuid)
    if isinstance(listed, Reason):
        return listed
    return tuple(OtherProcess(one.pid, one.name, one.used) for one in listed if one.pid != os.getpid())


def visible_devices(gpus: Sequence[Device], visible: str | None) -> Sequence[Device]:
    """What ``CUDA_VISIBLE_DEVICES`` leaves, in the order in which torch numbers it.

    The first entry says whether it lists UUIDs (also shortened) or numbers; it ends at the first entry that
    is of another kind or matches none or several, and one that names a device twice shows none. A number
    means a whole GPU, of one that is sliced its first slice. Source: CUDA C programming guide, "CUDA
    environment variables"; what the driver does beyond that is written down in
    ``torch.cuda._parse_visible_devices``.

    Args:
        gpus: In the driver's order, slices beside each other.
        visible: The variable's text, None where it is not set.
    """
    numbered = [
        gpu for at, gpu in enumerate(gpus) if not gpu.parent or gpu.parent != gpus[at - 1].parent or not at
    ]
    if visible is None:
        return numbered
    listed = _listed(visible)
    if len(set(listed)) < len(listed):
        return ()
    chosen: list[Device] = []
    for entry in listed:
        if isinstance(entry, int):
            named = list(numbered[entry : entry + 1])
        else:
            named = [gpu for gpu in gpus if gpu.id.startswith(entry)]
        if len(named) != 1:
            break
        if named[0] in chosen:
            return ()
        chosen.append(named[0])
    return chosen


def _listed(visible: str) -> list[int | str]:
    """The entries up to the first that is of another kind than the first one."""
    kind = visible[:4]
    entries: list[int | str] = []
    for text in visible.split(","):
        if kind in _KINDS:
            if not text.startswith(kind):
                break
            entries.append(text)
        else:
            digits = _NUMBER.match(text.strip())
            if digits is None:
                break
            entries.append(int(digits[0]))
    return entries
