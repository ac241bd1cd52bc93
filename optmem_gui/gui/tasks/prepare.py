"""What has to be known before a measurement starts, found out off the UI thread."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QObject, QThread

from optmem_gui.architectures.config_file import config_text
from optmem_gui.checkpoints.weight_files import weight_files
from optmem_gui.core.breakdown import Breakdown
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.fit import fits_free_memory
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.measuring import measure_request, measured_scenario
from optmem_gui.core.rank_rows import rank_request, ranked_scenario
from optmem_gui.core.reasons import Reason
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine.calibration import gpu_of
from optmem_gui.engine.devices import AUTO, CPU, Device, Devices, list_devices
from optmem_gui.engine.ranks import rank_devices


@dataclass(frozen=True, slots=True)
class MeasureOptions:
    """What is asked for beside the scenario.

    Attributes:
        function: A function of the user's own that runs in place of the model, ``FILE.py:NAME``.
        own_weights: The parameters get the checkpoint's values.
        compiled: ``torch.compile`` compiles the model.
        history: File for the caching allocator's history; empty for none.
    """

    function: str = ""
    own_weights: bool = False
    compiled: bool = False
    history: str = ""


PLAIN = MeasureOptions()
"""Nothing beside the scenario."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that can start.

    Attributes:
        device: Where it runs.
        scenario: What runs there.
        request: The same for the worker.
        breakdown: The estimate it will be compared with; None for a function of the user's own.
        gpu: The device in the table of GPUs, with what was calibrated on it; None for the CPU.
        warning: Why it would not fit in the memory that is free, if it would not.
        largest_count: Parameters of the largest model that would; 0 where none does or none is needed.
        rank_devices: A device for every rank; empty where it runs on one.
    """

    device: Device
    scenario: Scenario
    request: MeasureRequest
    breakdown: Breakdown | None
    warning: Reason | None = None
    largest_count: int = 0
    gpu: Gpu | None = None
    rank_devices: tuple[str, ...] = ()

    @property
    def on_cpu(self) -> bool:
        """Whether it runs on the CPU."""
        return self.device.id == CPU


def prepare(
    scenario: Scenario,
    device: Device,
    steps: int,
    gpus: Mapping[str, Gpu] | None = None,
    options: MeasureOptions = PLAIN,
) -> Prepared:
    """Work out what runs on a device and whether it fits in the memory that is free.

    Args:
        scenario: What is to be measured.
        device: Where.
        steps: Optimizer steps.
        gpus: The table with what was calibrated; as it is published when left out.
        options: What is asked for beside the scenario.

    Raises:
        UserError: Something in the scenario does not exist or does not go together there.
    """
    function = options.function
    config = "" if function else config_text(scenario.model)
    measured = measured_scenario(scenario, device.id, built=bool(config or function))
    request = measure_request(
        scenario,
        device.id,
        steps,
        config=config,
        function=function,
        own_weights=_own_weights(scenario, options),
        compiled=options.compiled,
        history=options.history,
    )
    gpu = gpu_of(device)
    gpu = gpu if gpu is None or gpus is None else gpus.get(gpu.id, gpu)
    if function:
        return Prepared(device, measured, request, None, gpu=gpu)
    breakdown = compute(measured, gpu)

    def bytes_for(param_count: int) -> int:
        smaller = measured_scenario(replace(scenario, model=synthetic_ref(param_count)), device.id)
        try:
            return compute(smaller).process.high
        except UserError:  # too small to have the layers that the adapters are put on
            return (device.free_bytes or 0) + 1

    count = breakdown.parameters.total
    warning, largest = _warning(breakdown.process.high, device, bytes_for, count)
    return Prepared(device, measured, request, breakdown, warning, largest, gpu)


def _own_weights(scenario: Scenario, options: MeasureOptions) -> tuple[str, ...]:
    path = scenario.model.path
    if not options.own_weights or options.function or path is None:
        return ()
    return weight_files(Path(path))


def prepare_ranks(scenario: Scenario, devices: Devices, steps: int, options: MeasureOptions) -> Prepared:
    """The same for a scenario of several ranks: a GPU each, or the CPU for all of them.

    Raises:
        UserError: As for one device, and where this machine has too few GPUs or an option goes with one only.
    """
    if options.compiled:
        raise UserError("measure.one_device_only", given="torch.compile")
    if options.history:
        raise UserError("measure.one_device_history")
    if options.own_weights:
        raise UserError("measure.one_device_weights")
    ranks = scenario.parallel.gpus
    ids = rank_devices(devices, AUTO, ranks, os.environ.get("CUDA_VISIBLE_DEVICES"))
    device = devices.find(ids[0]) or devices.cpu
    measured = ranked_scenario(scenario, device.id)
    request = rank_request(scenario, device.id, steps)
    breakdown = compute(measured)
    together = ranks if device.id == CPU else 1

    def bytes_for(param_count: int) -> int:
        try:
            smaller = ranked_scenario(replace(scenario, model=synthetic_ref(param_count)), device.id)
            return together * compute(smaller).process.high
        except UserError:  # too small for what is asked of it
            return (device.free_bytes or 0) + 1

    needed = together * breakdown.process.high
    warning, largest = _warning(needed, device, bytes_for, breakdown.parameters.total)
    return Prepared(device, measured, request, breakdown, warning, largest, gpu_of(device), ids)


def _warning(
    needed_bytes: int, device: Device, bytes_for: Callable[[int], int], count: int
) -> tuple[Reason | None, int]:
    """Why it would not fit, and the size of the largest model that would."""
    warning = fits_free_memory(needed_bytes, device.free_bytes, bytes_for, count)
    if warning is None:
        return None, 0
    largest = _two_digits(int(warning.values.get("count", 0)))
    values = {**warning.values, "count": largest} if "count" in warning.values else warning.values
    return Reason(warning.key, values), largest


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
        options: MeasureOptions = PLAIN,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("prepare")
        self._scenario, self._steps, self._gpus, self._options = scenario, steps, gpus, options
        self.devices: Devices | None = None
        self.outcome: Prepared | Reason | Exception | None = None

    def run(self) -> None:
        """Prepare, in the thread."""
        try:
            self.devices = list_devices()
            if self._scenario is not None:
                self.outcome = self._prepared(self._scenario, self.devices)
        except UserError as error:
            self.outcome = error.reason
        except Exception as error:  # noqa: BLE001  # raised again on the UI thread, where the report is shown
            self.outcome = error

    def _prepared(self, scenario: Scenario, devices: Devices) -> Prepared:
        if scenario.parallel.gpus > 1 and not self._options.function:
            return prepare_ranks(scenario, devices, self._steps, self._options)
        return prepare(scenario, devices.automatic(), self._steps, self._gpus, self._options)
