"""The estimate beside what was simulated or measured, as a table to export."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from optmem_gui.core.units import format_bytes
from optmem_gui.report.estimate_report import Words
from optmem_gui.report.tables import Table


class Beside(NamedTuple):
    """One number twice.

    Attributes:
        kind: ``component``, ``phase``, ``peak`` or ``reserved``.
        id: Id of the component or phase.
        estimated: Bytes as estimated.
        found: Bytes as simulated or measured.
    """

    kind: str
    id: str
    estimated: int
    found: int


def beside_table(rows: Iterable[Beside], words: Words, found: str) -> Table:
    """Estimated, found, and the error (estimated - found) / found; what neither side has is left out.

    Args:
        rows: The numbers.
        words: Language and unit.
        found: Head of the second column.
    """
    cells = tuple(_cells(row, words) for row in rows if row.estimated or row.found)
    heads = (words("component"), words("estimated"), found, words("error"))
    exact = (words("bytes_of", name=words("estimated")), words("bytes_of", name=found))
    return Table((*heads, *exact), cells, frozenset(range(1, 6)))


def _cells(row: Beside, words: Words) -> tuple[str, ...]:
    error = f"{(row.estimated - row.found) / row.found:+.2%}" if row.found else ""
    return (
        _name(row, words),
        format_bytes(row.estimated, words.unit),
        format_bytes(row.found, words.unit),
        "0" if row.estimated == row.found else error,
        str(row.estimated),
        str(row.found),
    )


def _name(row: Beside, words: Words) -> str:
    if row.kind == "component":
        return words.component(row.id)
    if row.kind == "phase":
        return words("peak_in", phase=row.id)
    return words("allocated") if row.kind == "peak" else words("reserved")
