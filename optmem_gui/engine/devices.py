"""What can be measured on: the GPUs that the driver shows, and the CPU. No torch is needed to know."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from optmem_gui.core.reasons import Reason
from optmem_gui.engine.nvml import Nvml, NvmlDevice

CPU = "cpu"
AUTO = "auto"
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
        note: Why figures are missing.
    """

    id: str
    name: str
    total_bytes: int | None
    free_bytes: int | None
    note: Reason | None = None


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
            return next((device for device in (*self.gpus, self.cpu) if device.id == text), None)
        given = os.environ if environment is None else environment
        if given.get("CUDA_DEVICE_ORDER", _DRIVERS_ORDER) != _DRIVERS_ORDER:
            return None
        shown = _visible(self.gpus, given.get("CUDA_VISIBLE_DEVICES"))
        index = int(number) if number.isdecimal() else 0 if not number else len(shown)
        return shown[index] if index < len(shown) else None

    def automatic(self, environment: Mapping[str, str] | None = None) -> Device:
        """The visible GPU with most memory free, else the CPU.

        Args:
            environment: Where ``CUDA_VISIBLE_DEVICES`` stands; the process's own when left out.
        """
        visible = (environment if environment is not None else os.environ).get("CUDA_VISIBLE_DEVICES")
        choice = _visible(self.gpus, visible)
        return max(choice, key=lambda gpu: gpu.free_bytes or 0) if choice else self.cpu


def list_devices(nvml: Nvml | None = None) -> Devices:
    """Ask the driver and the system; takes up to a second where the driver has to wake up."""
    with nvml or Nvml() as session:
        found = session.devices()
        gpus = () if isinstance(found, Reason) else tuple(_gpu(session, device) for device in found)
    note = found if isinstance(found, Reason) else None if gpus else Reason("nvml.no_library")
    import psutil  # noqa: PLC0415  # 10 ms that the window would wait for

    memory = psutil.virtual_memory()
    cpu = Device(CPU, platform.processor() or platform.machine() or "CPU", memory.total, memory.available)
    return Devices(gpus, cpu, note)


def _gpu(session: Nvml, device: NvmlDevice) -> Device:
    memory = session.memory(device.uuid)
    if isinstance(memory, Reason):
        return Device(device.uuid, device.name, None, None, memory)
    return Device(device.uuid, device.name, memory.total, memory.free)


def _visible(gpus: Sequence[Device], visible: str | None) -> Sequence[Device]:
    """What ``CUDA_VISIBLE_DEVICES`` leaves.

    It lists UUIDs (also shortened) or numbers and ends at the first entry that is neither (CUDA C
    programming guide, "CUDA environment variables").
    """
    if visible is None:
        return gpus
    chosen: list[Device] = []
    for part in (text.strip() for text in visible.split(",")):
        if part.isdecimal() and int(part) < len(gpus):
            chosen.append(gpus[int(part)])
            continue
        named = [gpu for gpu in gpus if part and gpu.id.lower().startswith(part.lower())]
        if len(named) != 1:
            break
        chosen.extend(named)
    return chosen
