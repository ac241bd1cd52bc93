"""``optmem selfcheck``: how far every number is from real steps on this device."""

from __future__ import annotations

import argparse
import sys

from optmem_gui.cli.output import say
from optmem_gui.cli.refusal import EXIT_DONE, EXIT_NO
from optmem_gui.core.errors import UserError
from optmem_gui.core.selfcheck import Workload, workloads
from optmem_gui.core.simulating import SimulationTarget
from optmem_gui.core.simulation_target import target_of
from optmem_gui.core.units import MIB
from optmem_gui.engine.devices import CPU, Device, list_devices
from optmem_gui.engine.gpu_table import match_gpu
from optmem_gui.engine.selfcheck import check
from optmem_gui.report.json_document import to_text
from optmem_gui.report.selfcheck_document import selfcheck_document, selfcheck_text


def selfcheck(arguments: argparse.Namespace) -> int:
    """Run the check.

    Returns:
        0 every run gave its figures; 1 one of them did not.

    Raises:
        UserError: There is no such device.
    """
    devices = list_devices()
    device = devices.find(arguments.device)
    if device is None:
        known = ", ".join(("auto", CPU, *(gpu.id for gpu in devices.gpus)))
        raise UserError("scenario.unknown_field", field="--device", given=arguments.device, known=known)
    chosen = [each for each in workloads() if each.quick or not arguments.quick]
    rows = check(chosen, device.id, _target(device), _show)
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    document = selfcheck_document(rows)
    say(to_text(document) if arguments.json else selfcheck_text(document))
    return EXIT_NO if document["summary"]["failed"] else EXIT_DONE


def _target(device: Device) -> SimulationTarget:
    if device.id == CPU:
        return SimulationTarget(torch="", device="cpu")
    total = device.total_bytes
    return target_of(None if total is None else match_gpu(device.name, round(total / MIB)))


def _show(workload: Workload) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{workload.id}")
        sys.stderr.flush()
