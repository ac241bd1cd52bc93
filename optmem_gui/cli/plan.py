"""``optmem plan``: how few GPUs are enough, and in which layouts."""

from __future__ import annotations

import argparse
from dataclasses import replace

from optmem_gui.cli.inputs import scenario_from
from optmem_gui.cli.output import say
from optmem_gui.cli.refusal import EXIT_DONE, EXIT_NO
from optmem_gui.core.errors import UserError
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.planner import MOST_GPUS, PlannedLayout, Planner, ranked
from optmem_gui.core.units import format_bytes, format_count, in_unit
from optmem_gui.engine.gpu_table import find_gpu
from optmem_gui.report.calibrations import calibrated_gpu
from optmem_gui.report.json_document import SCHEMA, Document, to_text
from optmem_gui.report.layouts import layout_document, layout_words
from optmem_gui.report.tables import Table, plain_name, to_aligned

_SHOWN = 20
"""Layouts that are listed for people; ``--json`` has all of them."""


def plan(arguments: argparse.Namespace) -> int:
    """List the layouts on the smallest number of GPUs that is enough, or on as many as ``--gpus`` says.

    Returns:
        0, or 1 where nothing fits surely.

    Raises:
        UserError: No GPU is named, or no layout can run.
    """
    scenario = scenario_from(arguments)
    chosen = arguments.gpu or scenario.gpu
    if chosen is None:
        raise UserError("plan.needs_gpu")
    gpu = calibrated_gpu(find_gpu(chosen))
    scenario = replace(scenario, gpu=gpu.id)
    planner = Planner(scenario, gpu)
    if arguments.gpus is not None:
        tried = [ranked(planner.layouts(arguments.gpus))]
    else:
        tried = list(planner.smallest(arguments.gpus_max or MOST_GPUS))
    fits = bool(tried[-1]) and tried[-1][0].fits == "yes"
    if arguments.json:
        say(to_text(_document(scenario, gpu, tried, fits=fits)))
    else:
        say(_text(scenario, gpu, tried, fits=fits))
    return EXIT_DONE if fits else EXIT_NO


def _document(scenario: Scenario, gpu: Gpu, tried: list[list[PlannedLayout]], *, fits: bool) -> Document:
    return {
        "schema": SCHEMA,
        "model": scenario.model.title,
        "device": {"id": gpu.id, "usable": gpu.usable_bytes},
        "gpus": tried[-1][0].parallel.gpus if fits else None,
        "counts": [_best(layouts) for layouts in tried if layouts],
        "layouts": [layout_document(layout) for layout in tried[-1]],
    }


def _best(layouts: list[PlannedLayout]) -> Document:
    first = layouts[0]
    least = min(layouts, key=lambda layout: layout.peak_bytes)
    return {"gpus": first.parallel.gpus, "fits": first.fits, "least_peak": least.peak_bytes}


def _text(scenario: Scenario, gpu: Gpu, tried: list[list[PlannedLayout]], *, fits: bool) -> str:
    most = tried[-1][0].parallel.gpus
    model = f"{scenario.model.title}, {scenario.optimizer}, {scenario.precision}"
    on = f"{gpu.name}, {format_bytes(gpu.usable_bytes)} usable"
    answer = f"{model}: {format_count(most)} x {on}"
    if not fits:
        answer = f"{model}: no layout is sure to fit on up to {format_count(most)} x {on}"
    shown = tried[-1][:_SHOWN]
    rows = tuple(
        (
            layout_words(layout.parallel),
            layout.fits,
            in_unit(layout.peak_bytes, "GiB"),
            plain_name(layout.peak_phase).lower(),
            in_unit(layout.free_bytes, "GiB"),
            in_unit(layout.host_bytes, "GiB"),
            str(layout.worst),
        )
        for layout in shown
    )
    heads = ("layout", "fits", "peak GiB", "in", "free GiB", "host GiB", "worst rank")
    lines = [answer, "", to_aligned(Table(heads, rows, frozenset({2, 4, 5})))]
    if len(tried[-1]) > len(shown):
        lines.append(f"{len(tried[-1]) - len(shown)} more with --json")
    if len(tried) > 1:
        lines += ["", to_aligned(_counts(tried))]
    return "\n".join(lines)


def _counts(tried: list[list[PlannedLayout]]) -> Table:
    """The least that a GPU holds, by number of GPUs."""
    least = [min(layouts, key=lambda layout: layout.peak_bytes) for layouts in tried if layouts]
    rows = tuple(
        (
            format_count(layout.parallel.gpus),
            in_unit(layout.peak_bytes, "GiB"),
            layout.fits,
            layout_words(layout.parallel),
        )
        for layout in least
    )
    return Table(("GPUs", "least peak GiB", "fits", "layout"), rows, frozenset({0, 1}))
