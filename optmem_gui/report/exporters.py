"""The formats a result can be saved in. To add one: a function and a line in :data:`EXPORTERS`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from optmem_gui.core.breakdown import Breakdown
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.units import format_bytes, format_count
from optmem_gui.report.files import write_whole
from optmem_gui.report.json_document import estimate_document, to_text
from optmem_gui.report.tables import breakdown_table, to_csv, to_markdown


@dataclass(frozen=True, slots=True)
class Exporter:
    """One format.

    Attributes:
        id: Name on the menu's action and in tests.
        title: Name of the format, the same in every language.
        suffix: File suffix with its dot.
        text: The result in this format.
    """

    id: str
    title: str
    suffix: str
    text: Callable[[Scenario, Breakdown], str]


def _csv(scenario: Scenario, breakdown: Breakdown) -> str:
    return to_csv(breakdown_table(breakdown))


def _json(scenario: Scenario, breakdown: Breakdown) -> str:
    return to_text(estimate_document(scenario, breakdown))


def _markdown(scenario: Scenario, breakdown: Breakdown) -> str:
    parameters = format_count(breakdown.parameters.total)
    peak = f"{format_bytes(breakdown.peak_bytes)} ({format_count(breakdown.peak_bytes)} bytes)"
    head = f"{scenario.model.title}: {parameters} parameters, {scenario.optimizer}, {scenario.precision}"
    notes = "".join(f"- {reason}\n" for reason in (*breakdown.warnings, *breakdown.assumptions))
    table = to_markdown(breakdown_table(breakdown))
    return f"## {head}\n\nPeak {peak} in {breakdown.peak_phase}.\n\n{table}" + (f"\n{notes}" if notes else "")


EXPORTERS: dict[str, Exporter] = {
    exporter.id: exporter
    for exporter in (
        Exporter("csv", "CSV", ".csv", _csv),
        Exporter("json", "JSON", ".json", _json),
        Exporter("markdown", "Markdown", ".md", _markdown),
    )
}


def export(exporter_id: str, path: Path, scenario: Scenario, breakdown: Breakdown) -> None:
    """Save a result.

    Raises:
        UserError: The file cannot be written.
    """
    write_whole(path, EXPORTERS[exporter_id].text(scenario, breakdown))
