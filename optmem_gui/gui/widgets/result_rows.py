"""Figures of a measurement as rows of a table: three sides of one run, or two runs, with or without ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QCoreApplication

from optmem_gui.core.comparison import ResultRow
from optmem_gui.core.parallel import SHARD_NAMES
from optmem_gui.core.rank_rows import RankChange, RankResult
from optmem_gui.core.result_rows import ResultChange
from optmem_gui.core.units import SizeUnit, format_bytes, format_count, signed_error
from optmem_gui.gui.i18n import QT_TRANSLATE_NOOP, component_name, phase_name
from optmem_gui.gui.widgets.text_table import Heads, TextRow

_NAMES: dict[tuple[str, str], str] = {
    ("peak", "allocated"): QT_TRANSLATE_NOOP("ResultRows", "peak allocated"),
    ("reserved", "reserved"): QT_TRANSLATE_NOOP("ResultRows", "peak reserved"),
    ("reserved", "fragmentation"): QT_TRANSLATE_NOOP("ResultRows", "fragmentation"),
    ("process", "process"): QT_TRANSLATE_NOOP("ResultRows", "process"),
    ("process", "context"): QT_TRANSLATE_NOOP("ResultRows", "context, libraries"),
}
_TIPS: dict[tuple[str, str], str] = {
    ("component", "workspace"): QT_TRANSLATE_NOOP(
        "ResultRows",
        "measured: what stays allocated between two steps beside the tensors, ends of blocks included",
    ),
    ("reserved", "fragmentation"): QT_TRANSLATE_NOOP(
        "ResultRows", "what the caching allocator holds beyond the peak"
    ),
    ("process", "process"): QT_TRANSLATE_NOOP(
        "ResultRows",
        "what the driver, or the system on a CPU, shows for the process; predicted: the middle of the band",
    ),
    ("process", "context"): QT_TRANSLATE_NOOP(
        "ResultRows", "what the process holds on the GPU beyond what torch reserved"
    ),
}


def _say(text: str) -> str:
    return QCoreApplication.translate("ResultRows", text)


def three_sides(
    rows: Sequence[ResultRow], unit: SizeUnit, *, narrow: bool = False
) -> tuple[Heads, tuple[TextRow, ...]]:
    """Estimated, simulated where it was, and measured, with the signed errors.

    Args:
        rows: What was measured, and what was predicted of it.
        unit: Unit of the sizes.
        narrow: With a simulation, of each prediction only the error; its size is in tooltip and clipboard.
    """
    traced = any(row.simulated is not None for row in rows)
    error = QCoreApplication.translate("ResultRows", "error")
    measured = QCoreApplication.translate("ResultRows", "measured")
    estimated = QCoreApplication.translate("ResultRows", "estimated")
    simulated = QCoreApplication.translate("ResultRows", "simulated")
    predicted = (estimated, error, *((simulated, error) if traced else ()))
    if narrow and traced:
        predicted = (estimated, simulated)
    exact = (
        QCoreApplication.translate("ResultRows", "measured, bytes"),
        QCoreApplication.translate("ResultRows", "estimated, bytes"),
        *((QCoreApplication.translate("ResultRows", "simulated, bytes"),) if traced else ()),
    )
    cells = (QCoreApplication.translate("ResultRows", "Component"), measured, *predicted)
    heads = Heads(cells, exact, frozenset(range(1, len(cells))))
    return heads, tuple(_sides(row, unit, traced=traced, narrow=narrow) for row in rows)


def _sides(row: ResultRow, unit: SizeUnit, *, traced: bool, narrow: bool) -> TextRow:
    estimated = (_size(row.estimated, unit), _error(row.estimated, row.measured))
    simulated = (_size(row.simulated, unit), _error(row.simulated, row.measured))
    predicted = (*estimated, *(simulated if traced else ()))
    if narrow and traced:
        predicted = (estimated[1], simulated[1])
    cells = (row_name(row.kind, row.id), _size(row.measured, unit), *predicted)
    exact = (_count(row.measured), _count(row.estimated), *((_count(row.simulated),) if traced else ()))
    return TextRow(cells, exact, _tip(row), component=row.id if row.kind == "component" else "")


def two_runs(changes: Sequence[ResultChange], unit: SizeUnit) -> tuple[Heads, tuple[TextRow, ...]]:
    """Two measurements beside each other: what the second has more.

    Args:
        changes: The measured sizes of both.
        unit: Unit of the sizes.
    """
    heads = Heads(
        (
            QCoreApplication.translate("ResultRows", "Component"),
            QCoreApplication.translate("ResultRows", "A"),
            QCoreApplication.translate("ResultRows", "B"),
            QCoreApplication.translate("ResultRows", "B - A"),
            QCoreApplication.translate("ResultRows", "change"),
        ),
        (
            QCoreApplication.translate("ResultRows", "A, bytes"),
            QCoreApplication.translate("ResultRows", "B, bytes"),
        ),
        frozenset(range(1, 5)),
    )
    return heads, tuple(_both(change, unit) for change in changes)


def _both(change: ResultChange, unit: SizeUnit) -> TextRow:
    difference = change.difference
    shown = (
        ""
        if difference is None
        else QCoreApplication.translate("ResultRows", "same")
        if difference == 0
        else _signed(difference, unit)
    )
    cells = (
        row_name(change.kind, change.id),
        _size(change.first, unit),
        _size(change.second, unit),
        shown,
        "" if not change.share else f"{change.share:+.1%}",
    )
    exact = (_count(change.first), _count(change.second))
    tip = (
        ""
        if difference is None
        else QCoreApplication.translate("ResultRows", "{bytes} bytes").format(bytes=f"{difference:+,}")
    )
    return TextRow(cells, exact, tip, component=change.id if change.kind == "component" else "")


def rank_sides(ranks: Sequence[RankResult], unit: SizeUnit) -> tuple[Heads, tuple[TextRow, ...]]:
    """What every rank holds, beside what was said of it.

    Args:
        ranks: Every rank.
        unit: Unit of the sizes.
    """
    pairs = [(result.rank, row) for result in ranks for row in result.rows]
    return _by_rank([rank for rank, _ in pairs], *three_sides([row for _, row in pairs], unit))


def rank_runs(changes: Sequence[RankChange], unit: SizeUnit) -> tuple[Heads, tuple[TextRow, ...]]:
    """Two measurements beside each other, rank by rank.

    Args:
        changes: The measured sizes of both.
        unit: Unit of the sizes.
    """
    return _by_rank([each.rank for each in changes], *two_runs([each.change for each in changes], unit))


def _by_rank(
    ranks: Sequence[int], heads: Heads, rows: Sequence[TextRow]
) -> tuple[Heads, tuple[TextRow, ...]]:
    """The same table with the rank beside the name of each row."""
    name, *figures = heads.cells
    cells = (name, QCoreApplication.translate("RankTable", "rank"), *figures)
    tip = QCoreApplication.translate("RankTable", "rank {rank}")
    told = (
        replace(
            row,
            cells=(row.cells[0], str(rank), *row.cells[1:]),
            tip="\n".join((tip.format(rank=rank), *([row.tip] if row.tip else []))),
        )
        for rank, row in zip(ranks, rows, strict=True)
    )
    return Heads(cells, heads.exact, frozenset(range(1, len(cells)))), tuple(told)


def shared_among(ranks: int, shard: str) -> str:
    """How many ranks ran, and how they shared the run; empty for a run on one device."""
    if not shard:
        return ""
    text = QCoreApplication.translate("RankTable", "{count} ranks, {engine}")
    return text.format(count=ranks, engine=SHARD_NAMES[shard])


def row_name(kind: str, row_id: str) -> str:
    """What to call a row, in the current language."""
    if kind == "component":
        return component_name(row_id)
    if kind == "phase":
        return QCoreApplication.translate("ResultRows", "peak in {phase}").format(phase=phase_name(row_id))
    return _say(_NAMES[kind, row_id])


def error_text(error: float | None) -> str:
    """A signed error in a list."""
    return (
        ""
        if error is None
        else QCoreApplication.translate("ResultRows", "exact")
        if error == 0
        else f"{error:+.1%}"
    )


def _size(size: int | None, unit: SizeUnit) -> str:
    return "-" if size is None else format_bytes(size, unit)


def _signed(size: int, unit: SizeUnit) -> str:
    return f"{'+' if size > 0 else '-'}{format_bytes(abs(size), unit)}"


def _count(size: int | None) -> str:
    return "" if size is None else str(size)


def _error(predicted: int | None, measured: int | None) -> str:
    """Small ones in bytes: a percentage would hide that they are not zero."""
    if predicted is None or measured is None:
        return ""
    difference = predicted - measured
    if difference == 0:
        return QCoreApplication.translate("ResultRows", "exact")
    error = signed_error(predicted, measured)
    if error is None:
        return QCoreApplication.translate("ResultRows", "not measured")
    return f"{difference:+,} B" if abs(error) < 0.0005 else f"{error:+.1%}"


def _tip(row: ResultRow) -> str:
    sides = (
        (QCoreApplication.translate("ResultRows", "measured {count} bytes"), row.measured),
        (QCoreApplication.translate("ResultRows", "estimated {count} bytes"), row.estimated),
        (QCoreApplication.translate("ResultRows", "simulated {count} bytes"), row.simulated),
    )
    lines = [text.format(count=format_count(size)) for text, size in sides if size is not None]
    tip = _TIPS.get((row.kind, row.id))
    return "\n".join((*lines, *([_say(tip)] if tip else [])))
