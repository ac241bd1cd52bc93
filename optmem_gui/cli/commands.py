"""What each subcommand does: arguments in, text out, exit code back."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace

from optmem_gui.cli.decide import estimate_largest, estimate_side_by_side
from optmem_gui.cli.export import check_exports, save_exports
from optmem_gui.cli.inputs import is_scenario_file, read_checkpoint, scenario_from
from optmem_gui.cli.measure import measure
from optmem_gui.cli.optimizers import optimizers, probe
from optmem_gui.cli.output import estimate_text, fits_table, say, ways_table
from optmem_gui.cli.plan import plan
from optmem_gui.cli.presets import presets
from optmem_gui.cli.refusal import CHECK_CODES, EXIT_DONE
from optmem_gui.cli.replay import replay
from optmem_gui.cli.results import results
from optmem_gui.cli.selfcheck import selfcheck
from optmem_gui.cli.simulate import simulate
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.gpu_fits import gpu_fits
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.ways import ways_to_fit
from optmem_gui.engine.gpu_table import find_gpu
from optmem_gui.report.calibrations import calibrated_gpu, calibrated_gpus
from optmem_gui.report.checkpoint_document import checkpoint_document, checkpoint_text
from optmem_gui.report.estimate_report import Exported
from optmem_gui.report.json_document import estimate_document, gpu_fit_document, to_text, ways_documents
from optmem_gui.report.model_notice import model_notice

_ALL_GPUS = "all"


def estimate(arguments: argparse.Namespace) -> int:
    """``optmem estimate``: predict one training step."""
    several = len(arguments.paths) > 1 and any(is_scenario_file((path,)) for path in arguments.paths)
    if arguments.ways and (several or arguments.solve is not None or arguments.gpu == _ALL_GPUS):
        raise UserError("way.one")
    check_exports(arguments, several=several)
    if several:
        return estimate_side_by_side(arguments)
    scenario = scenario_from(arguments)
    chosen = arguments.gpu or scenario.gpu
    if arguments.solve is not None:
        return estimate_largest(arguments, scenario)
    if chosen == _ALL_GPUS:
        return _estimate_everywhere(arguments, scenario)
    if chosen is None:
        if arguments.check:
            raise UserError("cli.check_needs_gpu")
        gpu = None
    else:
        gpu = calibrated_gpu(find_gpu(chosen))
        scenario = replace(scenario, gpu=gpu.id)
    breakdown = compute(scenario, gpu)
    notice = model_notice(scenario.model) if is_scenario_file(arguments.paths) else None
    if notice is not None:
        breakdown = replace(breakdown, warnings=(*breakdown.warnings, notice))
    ways = ways_to_fit(scenario, gpu) if arguments.ways else None
    save_exports(arguments, Exported(scenario, breakdown, gpu))
    if arguments.json:
        document = estimate_document(scenario, breakdown)
        say(to_text(document if ways is None else {**document, "ways": ways_documents(ways)}))
    else:
        say(estimate_text(scenario, breakdown, gpu))
        if ways is not None:
            say(ways_table(ways) if ways else "No single change lowers the peak")
    return CHECK_CODES[breakdown.fit.fits] if arguments.check and breakdown.fit is not None else EXIT_DONE


def _estimate_everywhere(arguments: argparse.Namespace, scenario: Scenario) -> int:
    if arguments.check:
        raise UserError("cli.check_needs_gpu")
    scenario = replace(scenario, gpu=None)
    fits = gpu_fits(scenario, calibrated_gpus().values())
    if not arguments.json:
        say(fits_table(fits))
        return EXIT_DONE
    document = estimate_document(scenario, compute(scenario))
    document["devices"] = [gpu_fit_document(fit) for fit in fits]
    say(to_text(document))
    return EXIT_DONE


def inspect(arguments: argparse.Namespace) -> int:
    """``optmem inspect``: what a checkpoint holds, from its headers alone."""
    checkpoint = read_checkpoint(arguments.path, arguments.python)
    say(to_text(checkpoint_document(checkpoint)) if arguments.json else checkpoint_text(checkpoint))
    return EXIT_DONE


RUN: dict[str, Callable[[argparse.Namespace], int]] = {
    "estimate": estimate,
    "inspect": inspect,
    "measure": measure,
    "optimizers": optimizers,
    "plan": plan,
    "presets": presets,
    "probe": probe,
    "replay": replay,
    "results": results,
    "selfcheck": selfcheck,
    "simulate": simulate,
}
"""Subcommands by name."""
