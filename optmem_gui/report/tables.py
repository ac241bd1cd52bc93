"""Tables that leave the program: clipboard and exports, as plain rows in several notations."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from optmem_gui.core.breakdown import Breakdown, Component
from optmem_gui.core.units import SizeUnit, in_unit

NOT_COUNTED = "not counted"
"""What stands where a size is unknown: never 0."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under one header.

    Attributes:
        headers: One a column.
        rows: Cells, as many in each row as there are headers.
        numeric: Columns that hold numbers and are aligned to the right.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()

    def selected(self, indices: Sequence[int]) -> Table:
        """Only these rows, in this order."""
        return Table(self.headers, tuple(self.rows[index] for index in indices), self.numeric)


def breakdown_table(
    breakdown: Breakdown, unit: SizeUnit = "GiB", name: Callable[[str], str] | None = None
) -> Table:
    """The breakdown as the window's table shows it, with exact bytes beside the rounded size.

    Args:
        breakdown: What was computed.
        unit: Unit of the rounded column.
        name: How a component is called; its id in plain words when left out.
    """
    call = name or plain_name
    headers = (
        "component",
        "dtype",
        "bytes/parameter",
        unit,
        "bytes",
        "at peak, bytes",
        "share",
        "formula",
        "why",
    )
    rows = tuple(_row(row, breakdown, unit, call(row.id)) for row in breakdown.components)
    return Table(headers, rows, frozenset(range(2, 7)))


def _row(row: Component, breakdown: Breakdown, unit: SizeUnit, name: str) -> tuple[str, ...]:
    if not row.counted:
        return (name, row.dtype, "", NOT_COUNTED, NOT_COUNTED, "", "", str(row.formula), str(row.why))
    share = row.at_peak / breakdown.peak_bytes if breakdown.peak_bytes else 0.0
    return (
        name,
        row.dtype,
        f"{row.bytes_per_parameter(breakdown.parameters.total):.3g}",
        in_unit(row.bytes, unit),
        str(row.bytes),
        str(row.at_peak),
        f"{share:.1%}",
        str(row.formula),
        str(row.why),
    )


def plain_name(component_id: str) -> str:
    """An id as words: ``optimizer_state`` becomes ``Optimizer state``."""
    return component_id.replace("_", " ").capitalize()


def to_tsv(table: Table) -> str:
    """Tab-separated lines, which every spreadsheet takes from the clipboard."""
    lines = (table.headers, *table.rows)
    return "".join("\t".join(" ".join(cell.split()) for cell in line) + "\n" for line in lines)


def to_csv(table: Table) -> str:
    """Comma-separated lines as RFC 4180 writes them."""
    stream = io.StringIO()
    csv.writer(stream).writerows((table.headers, *table.rows))
    return stream.getvalue()


def to_markdown(table: Table) -> str:
    """A GitHub table with numbers to the right."""
    marks = ["---:" if column in table.numeric else "---" for column in range(len(table.headers))]
    lines = (_markdown_cells(table.headers), marks, *(_markdown_cells(row) for row in table.rows))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _markdown_cells(cells: Sequence[str]) -> list[str]:
    return [" ".join(cell.split()).replace("\\", "\\\\").replace("|", "\\|") for cell in cells]


def to_html(table: Table) -> str:
    """An HTML table for word processors, without any style of its own."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.headers)
    body = "".join(f"<tr>{_html_cells(table, row)}</tr>" for row in table.rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_cells(table: Table, row: Sequence[str]) -> str:
    align = ' align="right"'
    return "".join(
        f"<td{align if column in table.numeric else ''}>{escape(cell)}</td>"
        for column, cell in enumerate(row)
    )


def to_aligned(table: Table, gap: str = "  ") -> str:
    """Columns lined up with spaces, for a terminal."""
    lines = (table.headers, *table.rows)
    widths = [max(len(line[column]) for line in lines) for column in range(len(table.headers))]
    return "".join(gap.join(_padded(table, line, widths)).rstrip() + "\n" for line in lines)


def _padded(table: Table, line: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [
        cell.rjust(width) if column in table.numeric else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(line, widths, strict=True))
    ]
