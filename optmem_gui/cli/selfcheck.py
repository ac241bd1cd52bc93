"""``optmem selfcheck``: how far every number is from real steps on this device."""

from __future__ import annotations

import argparse
import sys

from optmem_gui.cli.output import say
from optmem_gui.cli.refusal import EXIT_DONE, EXIT_NO
from optmem_gui.core.errors import UserError
from optmem_gui.core.selfcheck import workloads
from optmem_gui.engine.devices import CPU, list_devices
from optmem_gui.engine.selfcheck import Checked, SelfCheck
from optmem_gui.report.json_document import to_text
from optmem_gui.report.selfcheck_document import selfcheck_document, selfcheck_text


def selfcheck(arguments: argparse.Namespace) -> int:
    """Run the check.

    Returns:
        0 every run gave its figures; 1 one of them did not.

    Raises:
        UserError: There is no such device, or nothing can be measured on it.
    """
    devices = list_devices()
    device = devices.find(arguments.device)
    if device is None:
        known = ", ".join(("auto", CPU, *(gpu.id for gpu in devices.gpus)))
        raise UserError("scenario.unknown_field", field="--device", given=arguments.device, known=known)
    chosen = [each for each in workloads() if each.quick or not arguments.quick]
    finished: list[Checked] = []

    def show(name: str) -> None:
        """Say on a terminal what runs, and how far it has come."""
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{len(finished)} of {len(chosen)} runs: {name}")
            sys.stderr.flush()

    rows = SelfCheck(device.id).run(chosen, lambda each: show(each.id), finished.append)
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    document = selfcheck_document(rows)
    say(to_text(document) if arguments.json else selfcheck_text(document))
    return EXIT_NO if document["summary"]["failed"] else EXIT_DONE
