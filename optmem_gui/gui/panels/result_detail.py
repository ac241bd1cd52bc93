"""A kept measurement as it was: where it ran, every figure on three sides, its course; or two compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QSplitter, QVBoxLayout, QWidget

from optmem_gui.core.observing import OtherProcess
from optmem_gui.core.rank_rows import rank_changes
from optmem_gui.core.reasons import Reason
from optmem_gui.core.result_rows import result_changes
from optmem_gui.core.units import SizeUnit, format_bytes
from optmem_gui.gui.i18n import kept_title, labelled, listed, precision_name, render_reason
from optmem_gui.gui.resident_edits import taken
from optmem_gui.gui.widgets.copy_table import CopyTable
from optmem_gui.gui.widgets.labels import ValueLabel
from optmem_gui.gui.widgets.painting import em
from optmem_gui.gui.widgets.result_rows import rank_runs, rank_sides, shared_among, three_sides, two_runs
from optmem_gui.gui.widgets.text_table import Heads, TextRow, TextTableModel
from optmem_gui.report.kept_result import KeptResult

if TYPE_CHECKING:  # half of what a start would cost; made when a measurement is shown
    from optmem_gui.gui.widgets.measured_plot import MeasuredPlot


class ResultDetail(QWidget):
    """Figures on the left, the course of the run on the right.

    Emits:
        processes_wanted: Other processes that were seen, to be taken into the scenario.
    """

    processes_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("resultDetail")
        self.head = ValueLabel(bold=True, wrap=True)
        self.facts = ValueLabel(tone="muted", wrap=True)
        self.remarks = QPlainTextEdit()
        self.remarks.setReadOnly(True)
        self.remarks.setTabChangesFocus(True)
        self.remarks.setMaximumHeight(round(4.5 * em(self)))
        self.model = TextTableModel(self)
        self.table = CopyTable()
        self.table.setObjectName("resultTable")
        self.table.setModel(self.model)
        self.rank_model = TextTableModel(self)
        self.ranks = CopyTable()
        self.ranks.setObjectName("ranksTable")
        self.ranks.setModel(self.rank_model)
        self.figures, self.sides = QSplitter(Qt.Orientation.Vertical), QSplitter(Qt.Orientation.Horizontal)
        for splitter in (self.figures, self.sides):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(round(em(self) / 2))
        self.figures.addWidget(self.table)
        self.figures.addWidget(self.ranks)
        self.sides.addWidget(self.figures)
        self.plot: MeasuredPlot | None = None
        self.take_button = QPushButton()
        self.take_button.setObjectName("takeSeenProcesses")
        self.take_button.clicked.connect(lambda: self.processes_wanted.emit(self._seen))
        self._seen: tuple[OtherProcess, ...] = ()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(round(em(self) / 3))
        for widget in (self.head, self.facts):
            column.addWidget(widget)
        column.addWidget(self.sides, 1)
        column.addWidget(self.remarks)
        column.addWidget(self.take_button, 0, Qt.AlignmentFlag.AlignLeft)

    def show_results(
        self, results: Sequence[KeptResult], problem: Reason | None, unit: SizeUnit, count: int
    ) -> None:
        """Show one measurement, two beside each other, or what to do.

        Args:
            results: Those that are selected.
            problem: Why one of them cannot be shown.
            unit: Unit of the sizes.
            count: How many are selected.
        """
        self.head.set_tone("text" if problem is None else "bad")
        self._offer_processes(results[0] if problem is None and len(results) == 1 else None)
        if problem is not None:
            self._show_nothing(render_reason(problem, unit))
        elif len(results) == 1:
            self._show_one(results[0], unit)
        elif len(results) == 2:
            self._show_two(results[0], results[1], unit)
        else:
            self._show_nothing(
                self.tr("Two can be compared, not {count}").format(count=count) if count else ""
            )

    def _offer_processes(self, kept: KeptResult | None) -> None:
        """Offer to take those in who used the GPU when it began."""
        self._seen = kept.others[0].processes if kept is not None and kept.others else ()
        self.take_button.setText(self.tr("Add these processes to what else is on the GPU"))
        self.take_button.setVisible(bool(taken(self._seen)))

    def _show_nothing(self, text: str) -> None:
        self.head.setText(text)
        self.head.setVisible(bool(text))
        self._show_lines("", "")
        self.figures.hide()
        if self.plot is not None:
            self.plot.hide()

    def _show_one(self, kept: KeptResult, unit: SizeUnit) -> None:
        self.head.setText(listed(_what_ran(kept)))
        self.head.show()
        self._show_tables(three_sides(kept.rows, unit), rank_sides(kept.ranks, unit))
        self.table.setAccessibleName(self.tr("Figures of the measurement"))
        self.ranks.setAccessibleName(self.tr("Figures of the measurement, rank by rank"))
        self._show_lines(self._facts(kept), "\n".join(self._remarks(kept, unit)))
        samples = kept.samples()
        plot = self._plot()
        plot.setVisible(bool(samples))
        usable = kept.facts.total_bytes - (kept.facts.reserved_bytes or 0) if kept.facts is not None else None
        plot.show_samples(samples, usable, unit)

    def _show_two(self, first: KeptResult, second: KeptResult, unit: SizeUnit) -> None:
        """The older of the two is A, whatever the order of the list."""
        older, newer = sorted((first, second), key=lambda kept: kept.date)
        lines = (
            labelled(letter, self._line(kept)) for letter, kept in zip("AB", (older, newer), strict=True)
        )
        self.head.setText("\n".join(lines))
        self.head.show()
        by_rank = rank_changes(older.ranks, newer.ranks)
        self._show_tables(two_runs(result_changes(older.rows, newer.rows), unit), rank_runs(by_rank, unit))
        self.table.setAccessibleName(self.tr("Two measurements, size by size"))
        self.ranks.setAccessibleName(self.tr("Two measurements, rank by rank"))
        self._show_lines(self.tr("What was measured; B - A in bytes and relative to A"), "")
        if self.plot is not None:
            self.plot.hide()

    def _line(self, kept: KeptResult) -> str:
        date, torch = kept.date[:16].replace("T", " "), f"torch {kept.summary.torch or '?'}"
        return listed((*_what_ran(kept), torch, date))

    def _show_tables(self, *tables: tuple[Heads, tuple[TextRow, ...]]) -> None:
        """The figures, and below them those of every rank where there are several."""
        places = ((self.model, self.table), (self.rank_model, self.ranks))
        for (model, view), (heads, rows) in zip(places, tables, strict=True):
            model.show_rows(heads, rows)
            view.setVisible(bool(rows))
            view.fit_numbers(len(heads.cells) - 1)
        self.figures.setVisible(any(rows for _, rows in tables))

    def _show_lines(self, facts: str, remarks: str) -> None:
        self.facts.setText(facts)
        self.remarks.setPlainText(remarks)
        self.remarks.setAccessibleName(self.tr("Notes and assumptions"))
        for widget, text in ((self.facts, facts), (self.remarks, remarks)):
            widget.setVisible(bool(text))

    def _facts(self, kept: KeptResult) -> str:
        hello, facts = kept.hello, kept.facts
        parts = [kept.date[:16].replace("T", " "), f"OptMem {kept.program}"]
        if hello is not None:
            parts += [f"torch {hello.torch}", f"Python {hello.python}"]
        if facts is not None and facts.driver:
            parts.append(self.tr("driver {version}").format(version=facts.driver))
        parts += [
            self.tr("{steps} steps").format(steps=kept.steps),
            self.tr("{rate} samples a second").format(rate=kept.sample_hz),
            kept.system,
        ]
        if kept.ranks:
            parts.append(self.tr("figures and course of rank {rank}").format(rank=kept.rank))
        return listed(part for part in parts if part)

    def _remarks(self, kept: KeptResult, unit: SizeUnit) -> list[str]:
        """What the user wrote, why it ended, what disturbed it, and what the estimate does not count."""
        reasons = (*([] if kept.reason is None else [kept.reason]), *kept.warnings)
        lines = [kept.note] if kept.note else []
        lines += [render_reason(reason, unit) for reason in reasons]
        for rank in kept.ranks:
            if rank.reason is not None and rank.reason != kept.reason:
                name = self.tr("rank {rank}").format(rank=rank.rank)
                lines.append(labelled(name, render_reason(rank.reason, unit)))
        lines += [render_reason(note.reason, unit) for note in kept.notes]
        lines += self._others(kept, unit)
        lines += [
            self.tr("Assumed: {what}").format(what=render_reason(reason, unit)) for reason in kept.assumptions
        ]
        return lines

    def _others(self, kept: KeptResult, unit: SizeUnit) -> list[str]:
        """Who else used the GPU when it began."""
        lines = []
        for process in kept.others[0].processes if kept.others else ():
            size = "?" if process.used_bytes is None else format_bytes(process.used_bytes, unit)
            text = self.tr("Also on the GPU: process {pid} ({name}), {size}")
            lines.append(text.format(pid=process.pid, name=process.name or "?", size=size))
        return lines

    def _plot(self) -> MeasuredPlot:
        if self.plot is None:
            from optmem_gui.gui.widgets.measured_plot import MeasuredPlot  # noqa: PLC0415  # see above

            self.plot = MeasuredPlot()
            self.plot.setObjectName("keptPlot")
            self.plot.setAccessibleName(self.tr("Measured memory over time"))
            self.sides.addWidget(self.plot)
            self.sides.setSizes([round(40 * em(self)), round(36 * em(self))])
        return self.plot


def _what_ran(kept: KeptResult) -> tuple[str, ...]:
    found = kept.summary
    title = kept_title(kept.title, found.param_count)
    shared = shared_among(found.ranks, found.shard)
    parts = (title, found.optimizer, precision_name(found.precision), found.device, shared)
    return tuple(part for part in parts if part)
