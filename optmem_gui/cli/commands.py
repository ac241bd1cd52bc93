"""What each subcommand does: arguments in, text out, exit code back."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace

from optmem_gui.cli.inputs import is_scenario_file, read_checkpoint, scenario_from
from optmem_gui.cli.measure import measure
from optmem_gui.cli.output import estimate_text, fits_table, say
from optmem_gui.cli.refusal import EXIT_DONE, EXIT_NO, EXIT_TIGHT
from optmem_gui.cli.replay import replay
from optmem_gui.core.breakdown import Fit
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.scenario import Scenario
from optmem_gui.engine.gpu_table import find_gpu, load_gpus
from optmem_gui.report.checkpoint_document import checkpoint_document, checkpoint_text
from optmem_gui.report.json_document import SCHEMA, Document, device_document, estimate_document, to_text
from optmem_gui.report.model_notice import model_notice
from optmem_gui.report.tables import Table, to_aligned

_CHECK = {"yes": EXIT_DONE, "no": EXIT_NO, "tight": EXIT_TIGHT}
_ALL_GPUS = "all"


def estimate(arguments: argparse.Namespace) -> int:
    """``optmem estimate``: predict one training step."""
    scenario = scenario_from(arguments)
    chosen = arguments.gpu or scenario.gpu
    if chosen == _ALL_GPUS:
        return _estimate_everywhere(arguments, scenario)
    if chosen is None:
        if arguments.check:
            raise UserError("cli.check_needs_gpu")
        gpu = None
    else:
        gpu = find_gpu(chosen)
        scenario = replace(scenario, gpu=gpu.id)
    breakdown = compute(scenario, gpu)
    notice = model_notice(scenario.model) if is_scenario_file(arguments.paths) else None
    if notice is not None:
        breakdown = replace(breakdown, warnings=(*breakdown.warnings, notice))
    if arguments.json:
        say(to_text(estimate_document(scenario, breakdown)))
    else:
        say(estimate_text(scenario, breakdown, gpu))
    return _CHECK[breakdown.fit.fits] if arguments.check and breakdown.fit is not None else EXIT_DONE


def _estimate_everywhere(arguments: argparse.Namespace, scenario: Scenario) -> int:
    if arguments.check:
        raise UserError("cli.check_needs_gpu")
    scenario = replace(scenario, gpu=None)
    fits = [(gpu, _fit(scenario, gpu)) for gpu in load_gpus().values()]
    if not arguments.json:
        say(fits_table(fits))
        return EXIT_DONE
    document = estimate_document(scenario, compute(scenario))
    document["devices"] = [device_document(fit) for _, fit in fits]
    say(to_text(document))
    return EXIT_DONE


def _fit(scenario: Scenario, gpu: Gpu) -> Fit:
    fit = compute(replace(scenario, gpu=gpu.id), gpu).fit
    if fit is None:
        raise AssertionError("an estimate for a GPU carries a verdict")
    return fit


def inspect(arguments: argparse.Namespace) -> int:
    """``optmem inspect``: what a checkpoint holds, from its headers alone."""
    checkpoint = read_checkpoint(arguments.path)
    say(to_text(checkpoint_document(checkpoint)) if arguments.json else checkpoint_text(checkpoint))
    return EXIT_DONE


def optimizers(arguments: argparse.Namespace) -> int:
    """``optmem optimizers``: the catalogue."""
    if arguments.json:
        rows = [_optimizer_document(implementation) for implementation in CATALOGUE.values()]
        say(to_text({"schema": SCHEMA, "optimizers": rows}))
        return EXIT_DONE
    cells = tuple(
        (
            each.id,
            each.family,
            ", ".join(option.name for option in each.options if option.affects),
            each.proven,
        )
        for each in CATALOGUE.values()
    )
    say(to_aligned(Table(("id", "family", "options that change memory", "compared with"), cells)))
    return EXIT_DONE


def _optimizer_document(implementation: Implementation) -> Document:
    return {
        "id": implementation.id,
        "path": implementation.path,
        "library": implementation.library,
        "family": implementation.family,
        "aliases": list(implementation.aliases),
        "options": [
            {
                "name": option.name,
                "kind": option.kind,
                "default": option.default,
                "choices": list(option.choices),
                "affects": list(option.affects),
            }
            for option in implementation.options
        ],
        "proven": implementation.proven,
        "source": implementation.source,
    }


RUN: dict[str, Callable[[argparse.Namespace], int]] = {
    "estimate": estimate,
    "inspect": inspect,
    "measure": measure,
    "optimizers": optimizers,
    "replay": replay,
}
"""Subcommands by name."""
