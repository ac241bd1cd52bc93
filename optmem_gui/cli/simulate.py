"""``optmem simulate``: trace the real step without a GPU and put it beside the estimate."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from optmem_gui.cli.output import say
from optmem_gui.cli.refusal import CHECK_CODES, EXIT_DONE, EXIT_NO, complain
from optmem_gui.cli.sources import may_run, work_from
from optmem_gui.core.breakdown import Breakdown
from optmem_gui.core.calibration import release
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.overhead import fit_on
from optmem_gui.core.protocol import Progress
from optmem_gui.core.scenario import Scenario, Target
from optmem_gui.core.simulated import (
    SimulatedRow,
    compare_simulated,
    simulate_request,
    simulated_notes,
    simulated_process,
    simulated_scenario,
)
from optmem_gui.core.simulating import SimulationReport, SimulationTarget
from optmem_gui.core.simulation_target import target_of
from optmem_gui.core.units import format_bytes, format_count
from optmem_gui.engine.gpu_table import find_gpu
from optmem_gui.engine.simulation import SimulationEvent, SimulationOutcome, Simulator
from optmem_gui.report.calibrations import calibrated_gpu
from optmem_gui.report.json_document import to_text
from optmem_gui.report.simulated_document import notes_of, simulated_document
from optmem_gui.report.tables import Table, plain_name, to_aligned

_SHOWN_ALIVE = 12


def simulate(arguments: argparse.Namespace) -> int:
    """Simulate a scenario, or a user's own function.

    Returns:
        0 simulated; 1 it does not fit on the chosen GPU, or the user said no; with ``--check`` as estimate.

    Raises:
        UserError: It cannot be simulated; the line says why.
    """
    work = work_from(arguments)
    gpu = _gpu(arguments, work.scenario)
    if arguments.check and gpu is None:
        raise UserError("cli.check_needs_gpu")
    if not may_run(work, arguments):
        complain(f"{arguments.function}: not run")
        return EXIT_NO
    chosen = replace(work.scenario, gpu=None if gpu is None else gpu.id)
    scenario = simulated_scenario(chosen, built=work.built)
    breakdown = None if work.function else compute(scenario, gpu)
    request = simulate_request(
        chosen,
        _target(arguments, gpu, scenario.target),
        config=work.config,
        function=work.function,
        every_block=arguments.every_block,
    )
    with Simulator(arguments.python) as simulator:
        outcome = simulator.simulate(request, _show)
    _clear()
    notes = simulated_notes(chosen)
    if outcome.report is None:
        reason = outcome.reason
        if reason is None:
            raise AssertionError("a simulation without figures says why")
        raise UserError(reason.key, **reason.values)
    if arguments.json:
        say(to_text(simulated_document(scenario, breakdown, outcome, gpu, notes)))
    else:
        say(_text(scenario, breakdown, outcome.report, gpu))
        for note in notes:
            say(f"Note: {note}")
    return _exit_code(arguments, outcome, gpu)


def _exit_code(arguments: argparse.Namespace, outcome: SimulationOutcome, gpu: Gpu | None) -> int:
    if outcome.status == "out_of_memory":
        return EXIT_NO
    if arguments.check and gpu is not None and outcome.report is not None:
        return CHECK_CODES[fit_on(gpu, simulated_process(outcome.report, gpu)).fits]
    return EXIT_DONE


def _gpu(arguments: argparse.Namespace, scenario: Scenario) -> Gpu | None:
    if scenario.target == "cpu":
        for option in ("gpu", "allocator", "check"):
            if getattr(arguments, option):
                raise UserError("simulate.of_a_gpu", option=f"--{option}")
        return None
    chosen = arguments.gpu or scenario.gpu
    return None if chosen is None else calibrated_gpu(find_gpu(chosen), release(arguments.torch or ""))


def _target(arguments: argparse.Namespace, gpu: Gpu | None, device: Target) -> SimulationTarget:
    try:
        return target_of(gpu, arguments.torch or "", allocator=arguments.allocator or "", device=device)
    except ValueError as error:
        raise UserError("simulate.bad_torch", given=arguments.torch) from error


def _show(event: SimulationEvent) -> None:
    """Say on a terminal where the worker is."""
    if sys.stderr.isatty() and isinstance(event, Progress):
        sys.stderr.write(f"\r\x1b[Kstep {event.step} of {event.steps}: {plain_name(event.stage).lower()}")
        sys.stderr.flush()


def _clear() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")


def _text(scenario: Scenario, breakdown: Breakdown | None, report: SimulationReport, gpu: Gpu | None) -> str:
    on_cpu = report.target.device == "cpu"
    where = "CPU" if on_cpu else "no GPU chosen" if gpu is None else gpu.name
    model = f"{scenario.model.title} ({format_count(report.param_count)} in all)"
    lines = [
        f"{model}, {scenario.optimizer}, {scenario.precision}; {where}, torch {report.target.torch}",
        _peak(report),
    ]
    if not on_cpu:
        lines.append(f"Reserved {format_bytes(report.peak_reserved_bytes)}")
    if report.out_of_memory:
        lines.append("Does not fit: out of memory in the simulated step")
    elif gpu is not None:
        fit = fit_on(gpu, simulated_process(report, gpu))
        lines.append(f"Fits: {fit.fits}, {format_bytes(fit.usable)} usable on {gpu.name}")
    lines.append("")
    if breakdown is not None:
        lines.append(to_aligned(_compared(compare_simulated(breakdown, report))))
    lines.append(to_aligned(_alive(report)))
    lines += [f"Note: {note}" for note in notes_of(report)]
    return "\n".join(lines)


def _peak(report: SimulationReport) -> str:
    size = f"{format_bytes(report.peak_bytes)} ({format_count(report.peak_bytes)} bytes)"
    if report.peak_high_bytes > report.peak_bytes:
        size += f" to {format_bytes(report.peak_high_bytes)}"
    return f"Peak {size} in {plain_name(report.peak_phase).lower()}"


def _compared(rows: tuple[SimulatedRow, ...]) -> Table:
    cells = tuple(
        (
            f"{'in ' if row.kind == 'phase' else ''}{plain_name(row.id)}",
            format_count(row.estimated),
            format_count(row.simulated),
            "exact" if row.error == 0 else "" if row.error is None else f"{row.error:+.2%}",
            "" if row.why is None else str(row.why),
        )
        for row in rows
    )
    return Table(("bytes", "estimated", "simulated", "error", "why"), cells, frozenset({1, 2, 3}))


def _alive(report: SimulationReport) -> Table:
    cells = tuple(
        (plain_name(row.category), row.module, row.op, format_count(row.count), format_count(row.bytes))
        for row in report.alive[:_SHOWN_ALIVE]
    )
    return Table(("alive at the peak", "module", "operator", "blocks", "bytes"), cells, frozenset({3, 4}))
