"""``optmem measure``: run real steps in a child process and put them beside the estimate."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping
from dataclasses import replace

from optmem_gui.cli.output import say
from optmem_gui.cli.refusal import EXIT_DONE, EXIT_NO, complain
from optmem_gui.cli.sources import may_run, work_from
from optmem_gui.core.breakdown import Breakdown
from optmem_gui.core.comparison import ComparedRow, compare, measured_sizes
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.fit import fits_free_memory
from optmem_gui.core.measuring import measure_request, measured_scenario
from optmem_gui.core.protocol import Hello, Progress
from optmem_gui.core.requests import MOST_SAMPLE_HZ
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.units import format_bytes, format_count
from optmem_gui.engine.devices import CPU, Devices, list_devices
from optmem_gui.engine.measurement import Event, Measurement, MeasurementResult
from optmem_gui.report.json_document import to_text
from optmem_gui.report.measured_document import measured_document
from optmem_gui.report.tables import Table, plain_name, to_aligned

_DEVICE = re.compile(r"cpu|auto|cuda(:[0-9]{1,3})?|(GPU|MIG)-[0-9a-zA-Z/-]{1,80}")


def measure(arguments: argparse.Namespace) -> int:
    """Measure a scenario.

    Returns:
        0 measured; 1 it ran out of memory, which is a result as well.

    Raises:
        UserError: It cannot be measured here; the line says why.
    """
    if not _DEVICE.fullmatch(arguments.device):
        known = "cpu, cuda:N, auto, a UUID of the driver"
        raise UserError("scenario.unknown_field", field="--device", given=arguments.device, known=known)
    rate = arguments.sample_hz
    if rate > MOST_SAMPLE_HZ:
        raise UserError("cli.out_of_range", option="--sample-hz", given=rate, low=1, high=MOST_SAMPLE_HZ)
    work = work_from(arguments)
    if not may_run(work, arguments):
        complain(f"{arguments.function}: not run")
        return EXIT_NO
    devices = list_devices()
    found = devices.find(arguments.device)
    device = arguments.device if found is None else found.id
    scenario = measured_scenario(work.scenario, device, built=work.built)
    breakdown = None if work.function else compute(scenario)
    if breakdown is not None:
        _check_room(scenario, breakdown, devices, device)
    request = measure_request(
        work.scenario, device, arguments.steps, config=work.config, function=work.function
    )
    outcome = Measurement(arguments.python, rate).run(request, _show)
    _clear()
    if outcome.status not in ("done", "out_of_memory") and outcome.reason is not None:
        raise UserError(outcome.reason.key, **outcome.reason.values)
    if arguments.json:
        say(to_text(measured_document(scenario, breakdown, outcome)))
    else:
        say(_text(scenario, breakdown, outcome))
    return EXIT_DONE if outcome.status == "done" else EXIT_NO


def _check_room(scenario: Scenario, breakdown: Breakdown, devices: Devices, device: str) -> None:
    """Refuse what would exhaust the device before it does."""
    found = devices.find(device)
    free = None if found is None else found.free_bytes

    def needed(param_count: int) -> int:
        return compute(replace(scenario, model=synthetic_ref(param_count))).process.high

    total = breakdown.parameters.total
    warning = fits_free_memory(breakdown.process.high, free, needed, total)
    if warning is not None:
        raise UserError(warning.key, **warning.values)


def _show(event: Event) -> None:
    """Say on a terminal where the worker is."""
    if not sys.stderr.isatty():
        return
    if isinstance(event, Hello):
        sys.stderr.write(f"\r\x1b[K{event.device}, torch {event.torch}")
    elif isinstance(event, Progress):
        sys.stderr.write(f"\r\x1b[Kstep {event.step} of {event.steps}: {plain_name(event.stage).lower()}")
    sys.stderr.flush()


def _clear() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")


def _text(scenario: Scenario, breakdown: Breakdown | None, outcome: MeasurementResult) -> str:
    hello = outcome.hello
    where = "" if hello is None else f", on {hello.device} with torch {hello.torch}"
    lines = [f"{scenario.model.title}, {scenario.optimizer}, {scenario.precision}{where}"]
    if outcome.request.device == CPU:
        lines.append("Measured on the CPU: torch's own allocation events, not a GPU's")
    if outcome.reason is not None:
        lines.append(str(outcome.reason))
    if outcome.result is not None:
        sizes = measured_sizes(outcome.result)
        table = _plain(sizes) if breakdown is None else _table(compare(breakdown, outcome.result))
        lines += ["", to_aligned(table)]
    process = outcome.process_peak_bytes or outcome.rss_peak_bytes
    if process is not None:
        lines.append(f"Process: {format_bytes(process)} at most")
    lines += [f"Note: {reason}" for reason in (*outcome.warnings, *(note.reason for note in outcome.notes))]
    return "\n".join(lines)


def _plain(sizes: Mapping[str, int]) -> Table:
    cells = tuple((plain_name(component_id), format_count(size)) for component_id, size in sizes.items())
    return Table(("bytes", "measured"), cells, frozenset({1}))


def _table(rows: tuple[ComparedRow, ...]) -> Table:
    cells = tuple(
        (
            f"{'in ' if row.kind == 'phase' else ''}{plain_name(row.id)}",
            format_count(row.estimated),
            format_count(row.measured),
            "exact" if row.error == 0 else "" if row.error is None else f"{row.error:+.2%}",
        )
        for row in rows
    )
    return Table(("bytes", "estimated", "measured", "error"), cells, frozenset({1, 2, 3}))
