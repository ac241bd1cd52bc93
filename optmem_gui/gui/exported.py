"""What the window shows, as an export takes it: in its language and unit, the light theme's colours."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from optmem_gui.core.breakdown import Breakdown, Component
from optmem_gui.core.reasons import Reason
from optmem_gui.core.units import format_count, scale_of
from optmem_gui.gui.i18n import component_name, listed, model_title, phase_name, render_reason
from optmem_gui.gui.panels.headline import HeadlinePanel
from optmem_gui.gui.paper.course import Course
from optmem_gui.gui.paper.page import Content
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.report.beside import Beside, beside_table
from optmem_gui.report.estimate_report import Exported, Words, estimate_report
from optmem_gui.report.tables import Table

_BESIDE = ("component", "phase", "peak", "reserved")
"""What stands beside the estimate on paper."""


def exported_from(snapshot: Snapshot, headline: HeadlinePanel) -> Exported | None:
    """What is saved of a snapshot; None before there is a result.

    Args:
        snapshot: What is shown.
        headline: Its sentences are those of the export.
    """
    breakdown, unit = snapshot.breakdown, snapshot.unit
    if breakdown is None:
        return None

    def say(reason: Reason) -> str:
        return render_reason(reason, unit)

    words = Words(say=say, component=component_name, phase=phase_name, unit=unit, listed=listed)
    labels = (headline.peak, headline.verdict, headline.band, headline.rank)
    return Exported(
        scenario=snapshot.scenario,
        breakdown=breakdown,
        gpu=snapshot.gpu,
        words=words,
        title=model_title(snapshot.scenario.model),
        answer=tuple(label.text() for label in labels if label.text() and not label.isHidden()),
        beside=tuple(_beside(snapshot, headline)),
        tables=tuple(_tables(snapshot, words)),
    )


def _beside(snapshot: Snapshot, headline: HeadlinePanel) -> Iterator[tuple[str, str]]:
    """The other two of the three numbers, where they are of the exported inputs."""
    measured = snapshot.measurement
    found = (
        (headline.simulated, snapshot.simulated is not None),
        (headline.measured, measured.result is not None and measured.scenario == snapshot.scenario),
    )
    for tile, there in found:
        if there:
            yield tile.caption.text(), listed(text for text in (tile.number.text(), tile.note.text()) if text)


def _tables(snapshot: Snapshot, words: Words) -> Iterator[tuple[str, Table]]:
    """Component by component, estimated beside simulated and measured."""
    simulated, measured = snapshot.simulated, snapshot.measurement
    if simulated is not None and simulated.rows:
        found = [Beside(row.kind, row.id, row.estimated, row.simulated) for row in simulated.rows]
        yield words("simulated"), beside_table(found, words, words("simulated"))
    kept = measured.kept
    if kept is not None and measured.scenario == snapshot.scenario:
        found = [
            Beside(row.kind, row.id, row.estimated, row.measured)
            for row in kept.rows
            if row.kind in _BESIDE and row.id != "fragmentation"
            if row.estimated is not None and row.measured is not None
        ]
        title = words("measured", device=measured.device)
        if found:
            yield title, beside_table(found, words, title)


def content_from(exported: Exported, headline: HeadlinePanel) -> Content:
    """What is drawn on paper."""
    breakdown, words = exported.breakdown, exported.words
    report = estimate_report(exported)
    fit = breakdown.fit
    table, ids = _rows(exported, report.sections[0].table)
    return Content(
        report=report,
        sign=headline.mark.sign,
        bar=headline.bar.content,
        course=Course(
            breakdown=breakdown,
            unit=words.unit,
            phase=_all_names(words.phase, [phase.id for phase in breakdown.phases]),
            peak_label=words("peak", peak_bytes=breakdown.peak_bytes),
            usable_label="" if fit is None else words("usable", usable_bytes=fit.usable),
        ),
        breakdown=table,
        ids=ids,
        course_title=words("course"),
        course_note=words("schematic"),
        more=words("more", left="{count}"),
    )


def _all_names(name: Callable[[str], str], ids: list[str]) -> Callable[[str], str]:
    """Names written out now: a thread that draws must not ask the translators."""
    return {each: name(each) for each in ids}.__getitem__


def _rows(exported: Exported, table: Table | None) -> tuple[Table, tuple[str, ...]]:
    """The rows that are not 0, in the unit that suits the largest, and the peak below them."""
    breakdown, words = exported.breakdown, exported.words
    largest = max(breakdown.peak_bytes, *(row.bytes for row in breakdown.components))
    unit, scale = scale_of(largest, words.unit)
    rows, ids = [], []
    for component, cells in zip(breakdown.components, () if table is None else table.rows, strict=True):
        if component.counted and component.bytes == 0:
            continue
        ids.append(component.id)
        rows.append(_brief(component, cells, breakdown, scale))
    exact = words("exact_bytes", count=breakdown.peak_bytes)
    last = (words("peak_row"), "", "", "", _size(breakdown.peak_bytes, scale), "100.0%", exact)
    heads = ("component", "dtype", "each", "", "at_peak", "share", "formula")
    names = tuple(words(head) if head else unit for head in heads)
    return Table(names, (*rows, last), frozenset({2, 3, 4, 5})), tuple(ids)


def _brief(row: Component, cells: tuple[str, ...], breakdown: Breakdown, scale: int) -> tuple[str, ...]:
    """The cells of a row that a page has room for; what rounds to nothing is not shown as nothing."""
    if not row.counted:
        return (*cells[:4], "", "", cells[7])
    each = row.bytes_per_parameter(breakdown.parameters.total)
    share = row.at_peak / breakdown.peak_bytes if breakdown.peak_bytes else 0.0
    return (
        *cells[:2],
        "<0.01" if 0 < each < 0.005 else f"{each:.3g}",
        _size(row.bytes, scale),
        _size(row.at_peak, scale),
        "<0.1%" if 0 < share < 0.0005 else f"{share:.1%}",
        cells[7],
    )


def _size(size_bytes: int, scale: int) -> str:
    """A size in a column's unit."""
    value = size_bytes / scale
    if scale == 1 or size_bytes == 0:
        return format_count(size_bytes)
    if value < 0.005:
        return "<0.01"
    return f"{value:.2f}" if value < 10 else f"{value:,.1f}"
