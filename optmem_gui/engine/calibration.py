"""What a measurement says about the GPU it ran on, where it can be trusted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from optmem_gui.core.calibration import Calibration, chosen_for
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.observing import disturbed
from optmem_gui.core.reasons import Reason
from optmem_gui.core.units import MIB
from optmem_gui.engine.devices import CPU, UNIFIED, Device
from optmem_gui.engine.gpu_table import match_gpu
from optmem_gui.engine.measurement import MeasurementResult


def calibrate(outcome: MeasurementResult, date: str) -> Calibration | Reason:
    """The constants of the GPU that a measurement ran on, or why it does not tell them.

    It tells them when the driver says what the worker alone holds, nobody else's use changed meanwhile, and a
    sample fell behind the moment at which torch had reserved most: from there on, what the process holds
    beyond that is the CUDA context, loaded kernels and the handles of libraries.

    Args:
        outcome: A measurement that ended.
        date: The day it ended, ``YYYY-MM-DD``.
    """
    refused = _refused(outcome)
    hello, facts = outcome.hello, outcome.facts
    if refused is not None or hello is None or hello.uuid is None or facts is None:
        return refused or Reason("calibrate.unfinished")
    reserved = _most_reserved(outcome)
    held = _held_with_most_reserved(outcome, reserved)
    if held is None:
        return Reason("calibrate.too_short")
    if held <= reserved:
        return Reason("calibrate.implausible")
    gpu = match_gpu(hello.device, round(facts.total_bytes / MIB))
    return Calibration(
        uuid=hello.uuid,
        device=hello.device,
        gpu="" if gpu is None else gpu.id,
        driver=facts.driver,
        torch=hello.torch,
        low_bytes=held - reserved,
        high_bytes=held - reserved,
        total_bytes=facts.total_bytes,
        reserved_bytes=facts.reserved_bytes,
        date=date,
    )


def _refused(outcome: MeasurementResult) -> Reason | None:
    """Why a measurement cannot be trusted in this, whatever its figures are."""
    hello, facts = outcome.hello, outcome.facts
    key = ""
    if outcome.status != "done" or hello is None:
        key = "unfinished"
    elif outcome.request.device == CPU or hello.uuid is None:
        key = "cpu"
    elif facts is None or facts.version == UNIFIED:
        key = "hidden" if facts is None else "unified"
    elif not outcome.others:
        key = "hidden"
    elif disturbed(outcome.others) or any(w.key == "measure.others_changed" for w in outcome.warnings):
        key = "disturbed"
    elif _most_reserved(outcome) > facts.total_bytes:
        key = "spilled"
    return Reason(f"calibrate.{key}") if key else None


def _most_reserved(outcome: MeasurementResult) -> int:
    return max((p.peak_reserved_bytes or 0 for p in outcome.phases), default=0)


def _held_with_most_reserved(outcome: MeasurementResult, reserved: int) -> int | None:
    """Most that the process held once torch had reserved most; None where no sample fell there."""
    reached = [p.end_ns for p in outcome.phases if reserved and p.reserved_bytes == reserved]
    if not reached:
        return None
    held = [
        sample.process_bytes
        for sample in outcome.samples
        if sample.process_bytes is not None and sample.clock_ns >= min(reached)
    ]
    return max(held, default=None)


def gpu_of(device: Device) -> Gpu | None:
    """The entry of the table for a device that is present; None for the CPU and for one not in the table."""
    if device.id == CPU or device.total_bytes is None:
        return None
    return match_gpu(device.name, round(device.total_bytes / MIB))


def calibrated(gpus: Iterable[Gpu], known: tuple[Calibration, ...], torch: str = "") -> dict[str, Gpu]:
    """The table of GPUs with what was measured on those that were.

    Args:
        gpus: The table.
        known: Every calibration, the latest last.
        torch: Version of the torch that will train, where it is known.
    """
    return {gpu.id: replace(gpu, calibration=chosen_for(gpu.id, known, torch)) for gpu in gpus}
