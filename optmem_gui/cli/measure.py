"""``optmem measure``: run real steps in a child process and put them beside the estimate."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import replace
from pathlib import Path

from optmem_gui.checkpoints.weight_files import weight_files
from optmem_gui.cli.output import say
from optmem_gui.cli.ranks import measure_on_ranks
from optmem_gui.cli.refusal import EXIT_DONE, EXIT_NO, complain
from optmem_gui.cli.results import result_text
from optmem_gui.cli.sources import Work, may_run, work_from
from optmem_gui.core.breakdown import Breakdown
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.fit import fits_free_memory
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.measuring import measure_request, measured_scenario
from optmem_gui.core.overhead import CONTEXT_BYTES
from optmem_gui.core.protocol import Hello, Progress
from optmem_gui.core.reasons import Reason
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.core.result_rows import Predictions
from optmem_gui.core.run_defaults import MOST_SAMPLE_HZ
from optmem_gui.core.scenario import Scenario, Target
from optmem_gui.core.simulated import simulate_request
from optmem_gui.core.simulating import SimulationReport
from optmem_gui.core.simulation_target import target_of
from optmem_gui.core.spread import spreads
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.units import format_count
from optmem_gui.engine.calibration import calibrate, gpu_of
from optmem_gui.engine.devices import Devices, list_devices
from optmem_gui.engine.measurement import Event, Measurement, MeasurementResult
from optmem_gui.engine.simulation import Simulator
from optmem_gui.paths import results_dir
from optmem_gui.report.calibrations import calibrated_gpu, calibrations_file, remember
from optmem_gui.report.json_document import to_text
from optmem_gui.report.keeping import keep
from optmem_gui.report.kept_result import KeptResult
from optmem_gui.report.measured_document import measured_document
from optmem_gui.report.results_store import ResultsStore
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
    if work.scenario.parallel.gpus > 1 and not work.function:
        return measure_on_ranks(arguments, work.scenario, devices)
    found = devices.find(arguments.device)
    device = arguments.device if found is None else found.id
    scenario = measured_scenario(work.scenario, device, built=work.built)
    gpu = None if found is None else gpu_of(found)
    gpu = None if gpu is None else calibrated_gpu(gpu)
    breakdown = None if work.function else compute(scenario, gpu)
    if breakdown is not None:
        _check_room(scenario, breakdown, devices, device)
    request = _request(arguments, work, device)
    outcome = Measurement(arguments.python, rate).run(request, _show)
    _clear()
    if outcome.status not in ("done", "out_of_memory") and outcome.reason is not None:
        raise UserError(outcome.reason.key, **outcome.reason.values)
    report = _traced(arguments, work, outcome, gpu) if arguments.simulate else None
    kept = keep(work.scenario, Predictions(breakdown, report, gpu), outcome)
    said = [
        reason for reason in (ResultsStore(results_dir()).keep(kept), _calibrated(outcome, kept)) if reason
    ]
    if arguments.json:
        say(to_text(measured_document(scenario, breakdown, outcome, kept)))
    else:
        say("\n".join((result_text(kept), *_spread(outcome), f"Kept as {kept.id}", *map(str, said))))
    return EXIT_DONE if outcome.status == "done" else EXIT_NO


def _request(arguments: argparse.Namespace, work: Work, device: str) -> MeasureRequest:
    """What the worker is asked, with what was asked for beside the scenario."""
    path = work.scenario.model.path
    if arguments.own_weights and (work.function or path is None):
        raise UserError("cli.own_weights_need_path")
    return measure_request(
        work.scenario,
        device,
        arguments.steps,
        config=work.config,
        function=work.function,
        own_weights=weight_files(Path(path)) if arguments.own_weights and path is not None else (),
        compiled=arguments.compile,
        history=str(Path(arguments.history).resolve()) if arguments.history else "",
    )


def _traced(
    arguments: argparse.Namespace, work: Work, outcome: MeasurementResult, gpu: Gpu | None
) -> SimulationReport | None:
    """The same step traced for the device and the torch it ran on."""
    if outcome.hello is None:
        return None
    kind: Target = "cpu" if outcome.hello.uuid is None else "cuda"
    target = target_of(gpu, outcome.hello.torch, device=kind)
    request = simulate_request(work.scenario, target, config=work.config, function=work.function)
    with Simulator(arguments.python) as simulator:
        simulated = simulator.simulate(request, lambda event: None)
    if simulated.report is None and simulated.reason is not None:
        complain(str(simulated.reason))
    return simulated.report


def _spread(outcome: MeasurementResult) -> tuple[str, ...]:
    """How much the steps after the first one differ; nothing where only one came after it."""
    rows = [row for row in spreads(outcome.phases) if row.step_count > 1]
    if not rows:
        return ()
    cells = tuple(
        (
            plain_name(row.phase),
            format_count(row.first_bytes),
            *map(format_count, (row.low_bytes, row.median_bytes, row.high_bytes)),
            f"{row.low_ns / 1e6:.1f} to {row.high_ns / 1e6:.1f}",
        )
        for row in rows
    )
    heads = ("peak, bytes", "first step", "smallest", "median", "largest", "ms")
    return "", to_aligned(Table(heads, cells, frozenset(range(1, 6))))


def _calibrated(outcome: MeasurementResult, kept: KeptResult) -> Reason | None:
    """What the run says about its GPU, remembered for later predictions; nothing of the CPU."""
    found = calibrate(outcome, kept.date[:10])
    if isinstance(found, Reason):
        return None if found.key == "calibrate.cpu" else found
    try:
        return remember(calibrations_file(), found).told(CONTEXT_BYTES)
    except UserError as error:
        return error.reason


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
