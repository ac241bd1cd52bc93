"""The formats a result can be saved in. To add one: a function and a line in :data:`EXPORTERS`.

The window lists the formats when it starts, so each is loaded when something is saved in it.

Every format carries the program's version, the day, what was assumed, what to look out for, and how the
numbers were proven. Pictures and PDF are drawn by the window, which has the fonts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from optmem_gui import __version__
from optmem_gui.core.errors import UserError

if TYPE_CHECKING:
    from optmem_gui.report.estimate_report import Exported, Section

DRAWN = (".png", ".svg", ".pdf")
"""Formats that only the window can make."""


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
    text: Callable[[Exported], str]


def _csv(exported: Exported) -> str:
    """The breakdown first, then the other tables and notes, with an empty line between them.

    A byte order mark tells Excel that it is UTF-8, where that matters.
    """
    from optmem_gui.report.estimate_report import estimate_report  # noqa: PLC0415  # as said above
    from optmem_gui.report.tables import csv_lines  # noqa: PLC0415  # as said above

    report = estimate_report(exported)
    first, *others = report.sections
    head = [("", report.title), *(("", line) for line in report.answer), *report.facts, ("", report.made)]
    text = "\r\n".join((_csv_section(first), csv_lines(head), *map(_csv_section, others)))
    return text if text.isascii() else f"\ufeff{text}"


def _csv_section(section: Section) -> str:
    from optmem_gui.report.tables import csv_lines  # noqa: PLC0415  # as said above

    table = section.table
    rows = [] if table is None else [table.headers, *table.rows]
    return csv_lines([*rows, *((section.title, line) for line in section.lines)])


def _json(exported: Exported) -> str:
    from optmem_gui.report.json_document import estimate_document, to_text  # noqa: PLC0415  # as said above

    document = estimate_document(exported.scenario, exported.breakdown)
    made = {"program": {"name": "OptMem", "version": __version__}, "date": exported.made}
    return to_text({**document, "made": made})


def _markdown(exported: Exported) -> str:
    from optmem_gui.report.estimate_report import estimate_report  # noqa: PLC0415  # as said above
    from optmem_gui.report.tables import markdown_text  # noqa: PLC0415  # as said above

    report = estimate_report(exported)
    head = f"## {markdown_text(report.title)}\n\n" + "".join(
        f"**{markdown_text(line)}**  \n" for line in report.answer
    )
    facts = "".join(f"- {markdown_text(name)}: {markdown_text(value)}\n" for name, value in report.facts)
    return "\n".join((head, facts, *map(_markdown_section, report.sections), f"{report.made}\n"))


def _markdown_section(section: Section) -> str:
    from optmem_gui.report.tables import markdown_text, to_markdown  # noqa: PLC0415  # as said above

    table = "" if section.table is None else to_markdown(section.table)
    lines = "".join(f"- {markdown_text(line)}\n" for line in section.lines)
    return f"### {markdown_text(section.title)}\n\n{table}{lines}"


def _latex(exported: Exported) -> str:
    from optmem_gui.report.estimate_report import estimate_report  # noqa: PLC0415  # as said above
    from optmem_gui.report.latex import latex_document  # noqa: PLC0415  # as said above

    return latex_document(estimate_report(exported))


def _html(exported: Exported) -> str:
    from optmem_gui.report.estimate_report import estimate_report  # noqa: PLC0415  # as said above
    from optmem_gui.report.html import html_document  # noqa: PLC0415  # as said above

    return html_document(estimate_report(exported))


EXPORTERS: dict[str, Exporter] = {
    exporter.id: exporter
    for exporter in (
        Exporter("csv", "CSV", ".csv", _csv),
        Exporter("json", "JSON", ".json", _json),
        Exporter("markdown", "Markdown", ".md", _markdown),
        Exporter("latex", "LaTeX", ".tex", _latex),
        Exporter("html", "HTML", ".html", _html),
    )
}


def exporter_for(path: Path) -> Exporter:
    """The format that a file's ending names.

    Raises:
        UserError: No format has this ending, or only the window makes it.
    """
    suffix = path.suffix.lower()
    for exporter in EXPORTERS.values():
        if exporter.suffix == suffix:
            return exporter
    known = ", ".join(exporter.suffix for exporter in EXPORTERS.values())
    raise UserError(
        "export.needs_window" if suffix in DRAWN else "export.unknown_format", path=str(path), known=known
    )


def export(exporter_id: str, path: Path, exported: Exported) -> None:
    """Save a result.

    Raises:
        UserError: The file cannot be written.
    """
    from optmem_gui.report.files import write_whole  # noqa: PLC0415  # as said above

    write_whole(path, EXPORTERS[exporter_id].text(exported))
