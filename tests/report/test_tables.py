"""Rows in the notations that leave the program, read back by readers that are not ours."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.core.breakdown import COMPONENT_IDS
from optmem_gui.report.estimate_report import Words, breakdown_table
from optmem_gui.report.tables import (
    NOT_COUNTED,
    Table,
    spreadsheet_safe,
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
    assert [tuple(row) for row in rows] == [
        tuple(map(spreadsheet_safe, line)) for line in (table.headers, *table.rows)
    ]


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1",
        "+SUM(A1)",
        "-2+3",
        "@x",
        "\t=1",
        "\r=1",
        " =A1",
        "=",
        "-cmd|' /C calc'!A0",
        '=HYPERLINK("http")',
    ],
)
def test_what_a_spreadsheet_would_run_is_shown_as_text(cell: str) -> None:
    if cell == "=":
        assert spreadsheet_safe(cell) == cell  # alone it runs nothing
        return
    table = Table(("name",), ((cell,),))
    assert next(csv.reader([to_csv(table).split("\n", 1)[1]]))[0].startswith("'")
    assert to_tsv(table).split("\n")[1].startswith("'")
    assert "mso-number-format" in to_html(table)


@pytest.mark.parametrize(
    "cell", ["-5", "+1,234", "-0.3 %", "+25%", "-", "-1.5 GiB", "+12 B", "weights", "", "8004"]
)
def test_numbers_with_a_sign_stay_numbers(cell: str) -> None:
    assert spreadsheet_safe(cell) == cell
    assert "mso-" not in to_html(Table(("n",), ((cell,),)))


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


class _Grid(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        self.rows[-1][-1] += data


def test_every_notation_reads_back_as_the_same_table() -> None:
    table = breakdown_table(breakdown(), Words())
    lines = [list(line) for line in (table.headers, *table.rows)]
    assert [line.split("\t") for line in to_tsv(table).splitlines()] == lines
    grid = _Grid()
    grid.feed(to_html(table))
    assert grid.rows == lines
    marked = [
        re.split(r"(?<!\\) ?\| ", line[2:].removesuffix(" |")) for line in to_markdown(table).splitlines()
    ]
    del marked[1]
    assert [[re.sub(r"\\(.)", r"\1", cell) for cell in line] for line in marked] == lines


def test_markdown_leaves_nothing_to_format() -> None:
    text = to_markdown(Table(("a",), (("*b* _c_ `d` [e](f) <g> #h \\i",),)))
    assert text.splitlines()[2] == r"| \*b\* \_c\_ \`d\` \[e\](f) \<g\> \#h \\i |"


def test_columns_keep_their_alignment() -> None:
    table = Table(("a", "b", "c"), (("1", "2", "3"),), frozenset({1, 2}))
    assert table.columns((2, 0)) == Table(("c", "a"), (("3", "1"),), frozenset({0}))


def test_the_breakdown_carries_exact_bytes_beside_the_rounded_size() -> None:
    table = breakdown_table(breakdown(), Words())
    assert [row[0].casefold().replace(" ", "_") for row in table.rows] == list(COMPONENT_IDS)
    state = dict(zip(table.headers, table.rows[3], strict=True))
    # 8,004 bytes of 1,000 parameters; 8,000 of the 20,000 at the peak
    assert (state["bytes"], state["at peak, bytes"]) == ("8004", "8000")
    assert (state["bytes/parameter"], state["share"]) == ("8", "40.0%")


def test_what_is_not_counted_is_never_zero() -> None:
    table = breakdown_table(breakdown(not_counted=("activations",)), Words())
    row = dict(zip(table.headers, table.rows[COMPONENT_IDS.index("activations")], strict=True))
    assert row["bytes"] == row["GiB"] == NOT_COUNTED
    assert "0" not in row["share"]


def test_units_are_labelled() -> None:
    assert "GB" in breakdown_table(breakdown(), Words(unit="GB")).headers
    assert "GiB" in breakdown_table(breakdown(), Words()).headers
