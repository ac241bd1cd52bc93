"""Figures of measurements as plain tables: the sides of one, two beside each other, with or without ranks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from optmem_gui.core.comparison import ResultRow
from optmem_gui.core.rank_rows import RankChange, RankResult
from optmem_gui.core.result_rows import ResultChange
from optmem_gui.core.units import format_count
from optmem_gui.report.tables import Table, plain_name


def sides_table(rows: Iterable[ResultRow]) -> Table:
    """Estimated, simulated and measured with signed errors; nothing of a simulation where none was made."""
    listed = tuple(rows)
    if all(row.simulated is None for row in listed):
        plain = tuple(
            (_name(r.kind, r.id), _size(r.estimated), _size(r.measured), error_text(r.estimated_error))
            for r in listed
        )
        return Table(("bytes", "estimated", "measured", "error"), plain, frozenset({1, 2, 3}))
    cells = tuple(
        (
            _name(row.kind, row.id),
            _size(row.estimated),
            error_text(row.estimated_error),
            _size(row.simulated),
            error_text(row.simulated_error),
            _size(row.measured),
        )
        for row in listed
    )
    heads = ("bytes", "estimated", "error", "simulated", "error", "measured")
    return Table(heads, cells, frozenset(range(1, 6)))


def changes_table(changes: Iterable[ResultChange]) -> Table:
    """Two measurements beside each other: what the second has more."""
    cells = tuple(
        (
            _name(change.kind, change.id),
            _size(change.first),
            _size(change.second),
            "" if change.difference is None else f"{change.difference:+,}",
            "" if change.share is None else f"{change.share:+.1%}",
        )
        for change in changes
    )
    return Table(("measured, bytes", "A", "B", "B - A", ""), cells, frozenset(range(1, 5)))


def ranks_table(ranks: Sequence[RankResult]) -> Table:
    """What every rank holds, beside what was said of it."""
    pairs = [(result.rank, row) for result in ranks for row in result.rows]
    return _by_rank([rank for rank, _ in pairs], sides_table(row for _, row in pairs))


def rank_changes_table(changes: Sequence[RankChange]) -> Table:
    """Two measurements rank by rank."""
    return _by_rank([each.rank for each in changes], changes_table(each.change for each in changes))


def _by_rank(ranks: Sequence[int], table: Table) -> Table:
    """The same table with the rank before each row."""
    rows = tuple((str(rank), *row) for rank, row in zip(ranks, table.rows, strict=True))
    numeric = frozenset({0, *(place + 1 for place in table.numeric)})
    return Table(("rank", *table.headers), rows, numeric)


def error_text(error: float | None) -> str:
    """A signed error; empty where it is not known."""
    return "exact" if error == 0 else "" if error is None else f"{error:+.2%}"


def _name(kind: str, row_id: str) -> str:
    return f"{'in ' if kind == 'phase' else ''}{plain_name(row_id)}"


def _size(size: int | None) -> str:
    return "" if size is None else format_count(size)
