"""What has to be known before a measurement starts, found out off the UI thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QThread

from optmem_gui.core.breakdown import Breakdown
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.fit import fits_free_memory
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.measuring import measure_request, measured_scenario
from optmem_gui.core.reasons import Reason
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine.calibration import gpu_of
from optmem_gui.engine.devices import CPU, Device, Devices, list_devices


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that can start.

    Attributes:
        device: Where it runs.
        scenario: What runs there.
        request: The same for the worker.
        breakdown: The estimate it will be compared with.
        gpu: The device in the table of GPUs, with what was calibrated on it; None for the CPU.
        warning: Why it would not fit in the memory that is free, if it would not.
        largest_count: Parameters of the largest model that would; 0 where none does or none is needed.
    """

    device: Device
    scenario: Scenario
    request: MeasureRequest
    breakdown: Breakdown
    warning: Reason | None = None
    largest_count: int = 0
    gpu: Gpu | None = None

    @property
    def on_cpu(self) -> bool:
        """Whether it runs on the CPU."""
        return self.device.id == CPU


def prepare(
    scenario: Scenario, device: Device, steps: int, gpus: Mapping[str, Gpu] | None = None
) -> Prepared:
    """Work out what runs on a device and whether it fits in the memory that is free.

    Args:
        scenario: What is to be measured.
        device: Where.
        steps: Optimizer steps.
        gpus: The table with what was calibrated; as it is published when left out.

    Raises:
        UserError: Something in the scenario does not exist or does not go together there.
    """
    measured = measured_scenario(scenario, device.id)
    request = measure_request(scenario, device.id, steps)
    gpu = gpu_of(device)
    gpu = gpu if gpu is None or gpus is None else gpus.get(gpu.id, gpu)
    breakdown = compute(measured, gpu)
    count = breakdown.parameters.total

    def bytes_for(param_count: int) -> int:
        smaller = measured_scenario(replace(scenario, model=synthetic_ref(param_count)), device.id)
        try:
            return compute(smaller).process.high
        except UserError:  # too small to have the layers that the adapters are put on
            return (device.free_bytes or 0) + 1

    warning = fits_free_memory(breakdown.process.high, device.free_bytes, bytes_for, count)
    largest = 0
    if warning is not None:
        largest = _two_digits(int(warning.values.get("count", 0)))
        values = {**warning.values, "count": largest} if "count" in warning.values else warning.values
        warning = Reason(warning.key, values)
    return Prepared(device, measured, request, breakdown, warning, largest, gpu)


def _two_digits(count: int) -> int:
    """A count rounded down to two digits: a smaller model fits as well, and is easier to read."""
    scale: int = 10 ** max(0, len(str(count)) - 2)
    return count // scale * scale


class PrepareThread(QThread):
    """Asks the driver and prepares a run.

    Attributes:
        devices: What can be measured on, once the thread has finished.
        outcome: A :class:`Prepared`, why there is none, a defect, or None when nothing was asked for.
    """

    def __init__(
        self,
        scenario: Scenario | None,
        steps: int,
        parent: QObject | None = None,
        gpus: Mapping[str, Gpu] | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("prepare")
        self._scenario, self._steps, self._gpus = scenario, steps, gpus
        self.devices: Devices | None = None
        self.outcome: Prepared | Reason | Exception | None = None

    def run(self) -> None:
        """Prepare, in the thread."""
        try:
            self.devices = list_devices()
            if self._scenario is not None:
                self.outcome = prepare(self._scenario, self.devices.automatic(), self._steps, self._gpus)
        except UserError as error:
            self.outcome = error.reason
        except Exception as error:  # noqa: BLE001  # raised again on the UI thread, where the report is shown
            self.outcome = error
