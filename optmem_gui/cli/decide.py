"""``optmem estimate`` where something is to be decided: the largest that fits, or one of two scenarios."""

from __future__ import annotations

import argparse
from dataclasses import replace

from optmem_gui.cli.inputs import is_scenario_file, scenario_from
from optmem_gui.cli.output import estimate_text, say
from optmem_gui.cli.refusal import CHECK_CODES, EXIT_DONE
from optmem_gui.core.breakdown import Breakdown
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.side_by_side import SideRow, side_by_side
from optmem_gui.core.solve import Solution, What, solve
from optmem_gui.core.units import format_count, in_unit
from optmem_gui.engine.gpu_table import find_gpu
from optmem_gui.report.calibrations import calibrated_gpu
from optmem_gui.report.json_document import estimate_document, side_document, solution_document, to_text
from optmem_gui.report.model_notice import model_notice
from optmem_gui.report.tables import NOT_COUNTED, Table, plain_name, to_aligned

_ALL_GPUS = "all"


def estimate_largest(arguments: argparse.Namespace, scenario: Scenario) -> int:
    """``--solve``: the largest batch or sequence on one GPU, and the estimate there.

    Raises:
        UserError: No GPU, more than one, or no architecture; or what is not looked for is missing.
    """
    chosen = arguments.gpu or scenario.gpu
    if chosen is None or chosen == _ALL_GPUS:
        raise UserError("solve.one_gpu")
    gpu = calibrated_gpu(find_gpu(chosen))
    what: What = "batch" if arguments.solve == "batch" else "sequence"
    solution = solve(replace(scenario, gpu=gpu.id), gpu, what)
    value = max(1, solution.sure)
    scenario = replace(scenario, gpu=gpu.id)
    scenario = replace(scenario, batch=value) if what == "batch" else replace(scenario, sequence=value)
    breakdown = compute(scenario, gpu)
    if arguments.json:
        say(to_text(solution_document(scenario, breakdown, solution)))
    else:
        say(f"{_solved(solution, gpu)}\nAt {format_count(value)}:\n{estimate_text(scenario, breakdown, gpu)}")
    fits = "yes" if solution.sure else "tight" if solution.perhaps else "no"
    return CHECK_CODES[fits] if arguments.check else EXIT_DONE


def _solved(solution: Solution, gpu: Gpu) -> str:
    name = "Largest batch" if solution.what == "batch" else "Longest sequence"
    if not solution.perhaps:
        return f"{name} on {gpu.name}: none, not even 1 fits"
    if solution.sure == solution.perhaps:
        return f"{name} on {gpu.name}: {format_count(solution.sure)}"
    sure = f"{format_count(solution.sure)} surely fits" if solution.sure else "none surely fits"
    return f"{name} on {gpu.name}: {sure}, {format_count(solution.perhaps)} may"


def estimate_side_by_side(arguments: argparse.Namespace) -> int:
    """Two ``.optmem`` files beside each other; what the arguments set is set in both.

    Raises:
        UserError: One of the two is no such file, or an option asks for a verdict on one scenario.
    """
    for path in arguments.paths:
        if not is_scenario_file((path,)):
            raise UserError("side.two_files", path=path)
    if len(arguments.paths) > 2:
        raise UserError("cli.several_paths", path=arguments.paths[2])
    for option, given in (
        ("--solve", arguments.solve is not None),
        ("--check", arguments.check),
        ("--gpu all", arguments.gpu == _ALL_GPUS),
    ):
        if given:
            raise UserError("side.more", option=option)
    (first, one), (second, other) = (_estimated(arguments, path) for path in arguments.paths)
    rows = side_by_side(one, other)
    if arguments.json:
        documents = (estimate_document(first, one), estimate_document(second, other))
        say(to_text(side_document(*documents, rows)))
    else:
        say(_side_text(arguments.paths, ((first, one), (second, other)), rows))
    return EXIT_DONE


def _estimated(arguments: argparse.Namespace, path: str) -> tuple[Scenario, Breakdown]:
    alone = argparse.Namespace(**{**vars(arguments), "paths": [path]})
    scenario = scenario_from(alone)
    chosen = arguments.gpu or scenario.gpu
    gpu = None if chosen is None else calibrated_gpu(find_gpu(chosen))
    scenario = scenario if gpu is None else replace(scenario, gpu=gpu.id)
    breakdown = compute(scenario, gpu)
    notice = model_notice(scenario.model)
    if notice is not None:
        breakdown = replace(breakdown, warnings=(*breakdown.warnings, notice))
    return scenario, breakdown


def _side_text(
    paths: list[str], both: tuple[tuple[Scenario, Breakdown], ...], rows: tuple[SideRow, ...]
) -> str:
    lines = []
    for letter, path, (scenario, breakdown) in zip("AB", paths, both, strict=True):
        fit = breakdown.fit
        verdict = "" if fit is None else f"; fits on {fit.gpu}: {fit.fits}"
        lines.append(
            f"{letter}: {path}: {scenario.model.title}, {scenario.optimizer}, {scenario.precision}; "
            f"peak in {plain_name(breakdown.peak_phase).lower()}{verdict}"
        )
    cells = tuple((plain_name(row.id), *_sizes(row)) for row in rows)
    heads = ("", "A, GiB", "B, GiB", "B - A, bytes", "change")
    lines += ["", to_aligned(Table(heads, cells, frozenset({1, 2, 3, 4})))]
    for letter, (_, breakdown) in zip("AB", both, strict=True):
        lines += [f"Warning, {letter}: {reason}" for reason in breakdown.warnings]
    return "\n".join(lines)


def _sizes(row: SideRow) -> tuple[str, ...]:
    first, second = (
        NOT_COUNTED if size is None else in_unit(size, "GiB") for size in (row.first, row.second)
    )
    difference = "" if row.difference is None else f"{row.difference:+,}"
    return first, second, difference, "" if row.share is None else f"{row.share:+.1%}"
