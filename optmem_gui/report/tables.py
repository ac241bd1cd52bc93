"""Tables that leave the program: clipboard and exports, as plain rows in several notations."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

NOT_COUNTED = "not counted"
"""What stands where a size is unknown: never 0."""

_FORMULA = re.compile(r"\s*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?[\d.,]+([ \u00a0]?(%|[kKMGT]?i?B))?\Z")


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

    def columns(self, indices: Sequence[int]) -> Table:
        """Only these columns, in this order."""
        numeric = frozenset(place for place, index in enumerate(indices) if index in self.numeric)
        rows = tuple(tuple(row[index] for index in indices) for row in self.rows)
        return Table(tuple(self.headers[index] for index in indices), rows, numeric)


def plain_name(component_id: str) -> str:
    """An id as words: ``optimizer_state`` becomes ``Optimizer state``."""
    return component_id.replace("_", " ").capitalize()


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet would run this text instead of showing it.

    A number with a sign is none. What names the tensors and modules of a file was written by a stranger, so
    any cell may be one (CWE-1236; the characters are those of OWASP's page on CSV injection).
    """
    text = cell.strip()
    return _FORMULA.match(cell) is not None and len(text) > 1 and _NUMBER.match(text) is None


def spreadsheet_safe(cell: str) -> str:
    """The cell with an apostrophe before what a spreadsheet would run: it shows the text then."""
    return f"'{cell}" if is_formula(cell) else cell


def to_tsv(table: Table) -> str:
    """Tab-separated lines, which every spreadsheet takes from the clipboard."""
    lines = (table.headers, *table.rows)
    return "".join("\t".join(spreadsheet_safe(_one_line(cell)) for cell in line) + "\n" for line in lines)


def to_csv(table: Table) -> str:
    """Comma-separated lines as RFC 4180 writes them, safe to open in a spreadsheet."""
    return csv_lines((table.headers, *table.rows))


def csv_lines(lines: Sequence[Sequence[str]]) -> str:
    """Lines of any width, comma-separated."""
    stream = io.StringIO()
    csv.writer(stream).writerows([spreadsheet_safe(cell) for cell in line] for line in lines)
    return stream.getvalue()


def to_markdown(table: Table) -> str:
    """A GitHub table with numbers to the right."""
    marks = ["---:" if column in table.numeric else "---" for column in range(len(table.headers))]
    lines = (_markdown_cells(table.headers), marks, *(_markdown_cells(row) for row in table.rows))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _markdown_cells(cells: Sequence[str]) -> list[str]:
    return [markdown_text(cell).replace("|", "\\|") for cell in cells]


def markdown_text(text: str) -> str:
    """One line of text in which Markdown finds nothing to format."""
    return re.sub(r"([\\`*_\[\]<>#])", r"\\\1", _one_line(text))


def to_html(table: Table) -> str:
    """An HTML table for word processors, without any style of its own."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.headers)
    body = "".join(f"<tr>{_html_cells(table, row)}</tr>" for row in table.rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_cells(table: Table, row: Sequence[str]) -> str:
    return "".join(
        f"<td{_html_marks(cell, numeric=column in table.numeric)}>{escape(cell)}</td>"
        for column, cell in enumerate(row)
    )


def _html_marks(cell: str, *, numeric: bool) -> str:
    """Numbers to the right; what a spreadsheet would run is declared text, which Excel and Calc heed."""
    text = " style='mso-number-format:\"\\@\"'" if is_formula(cell) else ""
    return (' align="right"' if numeric else "") + text


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


def _one_line(text: str) -> str:
    return " ".join(text.split())
