"""What a finished measurement brings into the window: of one device, and of several ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QCoreApplication

from optmem_gui.core.rank_rows import RankRow, finished_rows, rank_notes
from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.engine.measurement import MeasurementResult
from optmem_gui.gui.i18n import component_name
from optmem_gui.gui.snapshot import Measured, MeasurementState
from optmem_gui.gui.widgets.text_table import Heads, TextRow


def measured(outcome: MeasurementResult) -> Measured | None:
    """The sizes that the headline shows; None where no step finished."""
    if outcome.result is None:
        return None
    steady = outcome.result.steady.phases
    reserved = [phase.peak_reserved_bytes for phase in steady if phase.peak_reserved_bytes is not None]
    return Measured(
        outcome=outcome,
        peak_bytes=max((phase.peak_bytes for phase in steady), default=0),
        reserved_bytes=max(reserved, default=None),
        process_bytes=outcome.process_peak_bytes,
    )


def with_ranks(state: MeasurementState, outcomes: Sequence[MeasurementResult]) -> MeasurementState:
    """A state with what every rank measured; the rank with the highest peak stands in the headline.

    Args:
        state: As the run ended.
        outcomes: Of every rank, in order.
    """
    if state.scenario is None or any(outcome.result is None for outcome in outcomes):
        return state
    shown = [found for outcome in outcomes if (found := measured(outcome)) is not None]
    rows = finished_rows(state.scenario, [outcome.result for outcome in outcomes])
    notes = rank_notes(state.scenario)
    return replace(
        state,
        rank_rows=rows,
        result=max(shown, key=lambda found: found.peak_bytes),
        warnings=(*state.warnings, *notes),
    )


def rank_table(rows: Sequence[RankRow], unit: SizeUnit) -> tuple[Heads, tuple[TextRow, ...]]:
    """The rows of every rank as a table.

    Args:
        rows: What every rank holds.
        unit: Unit of the sizes.
    """
    heads = Heads(
        (
            QCoreApplication.translate("ResultRows", "Component"),
            QCoreApplication.translate("RankTable", "rank"),
            QCoreApplication.translate("ResultRows", "measured"),
            QCoreApplication.translate("ResultRows", "estimated"),
            QCoreApplication.translate("ResultRows", "error"),
        ),
        (
            QCoreApplication.translate("ResultRows", "measured, bytes"),
            QCoreApplication.translate("ResultRows", "estimated, bytes"),
        ),
        frozenset(range(1, 5)),
    )
    return heads, tuple(_row(row, unit) for row in rows)


def _row(row: RankRow, unit: SizeUnit) -> TextRow:
    error = "" if row.error is None else f"{row.error:+.2%}"
    cells = (
        component_name(row.component),
        str(row.rank),
        format_bytes(row.measured, unit),
        format_bytes(row.estimated, unit),
        error if row.difference_bytes else QCoreApplication.translate("ResultRows", "exact"),
    )
    exact = (str(row.measured), str(row.estimated))
    tip = QCoreApplication.translate(
        "RankTable", "rank {rank}: measured {measured} bytes, estimated {estimated} bytes"
    ).format(rank=row.rank, measured=format_count(row.measured), estimated=format_count(row.estimated))
    return TextRow(cells, exact, tip, component=row.component)
