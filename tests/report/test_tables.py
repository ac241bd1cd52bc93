"""Rows in the notations that leave the program, read back by readers that are not ours."""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.core.breakdown import COMPONENT_IDS
from optmem_gui.report.tables import (
    NOT_COUNTED,
    Table,
    breakdown_table,
    to_aligned,
    to_csv,
    to_html,
    to_markdown,
    to_tsv,
)
from tests.report.samples import breakdown

_cells = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12)
_tables = st.integers(1, 4).flatmap(
    lambda width: st.builds(
        lambda rows, numeric: Table(rows[0], tuple(rows[1:]), frozenset(numeric)),
        st.lists(st.tuples(*[_cells] * width), min_size=1, max_size=4),
        st.sets(st.integers(0, width - 1)),
    )
)


@given(_tables)
def test_csv_reads_back(table: Table) -> None:
    rows = list(csv.reader(io.StringIO(to_csv(table), newline="")))
    assert [tuple(row) for row in rows] == [table.headers, *table.rows]


@given(_tables)
def test_tsv_keeps_the_grid(table: Table) -> None:
    lines = to_tsv(table).split("\n")[:-1]
    assert len(lines) == 1 + len(table.rows)
    assert all(line.count("\t") == len(table.headers) - 1 for line in lines)


class _Cells(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        self.cells[-1] += data


@given(_tables)
def test_html_reads_back(table: Table) -> None:
    reader = _Cells()
    reader.feed(to_html(table))
    reader.close()
    assert reader.cells == [
        cell.replace("\r\n", "\n") for row in (table.headers, *table.rows) for cell in row
    ]


@given(_tables)
def test_markdown_is_one_line_a_row(table: Table) -> None:
    assert len(to_markdown(table).split("\n")) == 3 + len(table.rows)


def test_markdown_aligns_numbers_and_escapes_pipes() -> None:
    text = to_markdown(Table(("a", "b"), (("x|y", "1"),), frozenset({1})))
    assert text == "| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n"


def test_terminal_columns_line_up() -> None:
    text = to_aligned(Table(("name", "size"), (("weights", "4.00"), ("x", "12.5")), frozenset({1})))
    assert text == "name     size\nweights  4.00\nx        12.5\n"


def test_the_breakdown_carries_exact_bytes_beside_the_rounded_size() -> None:
    table = breakdown_table(breakdown())
    assert [row[0].casefold().replace(" ", "_") for row in table.rows] == list(COMPONENT_IDS)
    state = dict(zip(table.headers, table.rows[3], strict=True))
    # 8,004 bytes of 1,000 parameters; 8,000 of the 20,000 at the peak
    assert (state["bytes"], state["at peak, bytes"]) == ("8004", "8000")
    assert (state["bytes/parameter"], state["share"]) == ("8", "40.0%")


def test_what_is_not_counted_is_never_zero() -> None:
    table = breakdown_table(breakdown(not_counted=("activations",)))
    row = dict(zip(table.headers, table.rows[COMPONENT_IDS.index("activations")], strict=True))
    assert row["bytes"] == row["GiB"] == NOT_COUNTED
    assert "0" not in row["share"]


def test_units_are_labelled() -> None:
    assert "GB" in breakdown_table(breakdown(), "GB").headers
    assert "GiB" in breakdown_table(breakdown(), "GiB").headers
