"""Every kind of rank of a run over several GPUs: which needs the most, and what sets each apart."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from optmem_gui.core.breakdown import RankRow
from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.core.why.answer import Subject
from optmem_gui.gui.i18n import phase_name, render_reason
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.widgets.copy_table import CopyTable
from optmem_gui.gui.widgets.text_table import Heads, TextRow, TextTableModel
from optmem_gui.gui.widgets.titled import TitledPanel
from optmem_gui.gui.widgets.why_button import WhyButton

_HOST = 4
"""Column of host memory, shown where something is moved there."""


class RanksPanel(TitledPanel):
    """One row a kind of rank, the worst marked.

    Emits:
        why_wanted: The :class:`~optmem_gui.core.why.answer.Subject` to explain.
    """

    why_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ranks")
        self._snapshot: Snapshot | None = None
        self.model = TextTableModel(self)
        self.table = CopyTable()
        self.table.setObjectName("rankTable")
        self.table.setModel(self.model)
        self.body.addWidget(self.table, 1)
        self.why = WhyButton()
        self.head.addWidget(self.why)
        self.why.clicked.connect(self.ask_why)
        self.table.activated.connect(self.ask_why)
        self.retranslate()

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # panels render snapshots
        """Show a snapshot."""
        self._snapshot = snapshot
        breakdown = snapshot.breakdown
        rows: tuple[TextRow, ...] = ()
        if breakdown is not None:
            rows = tuple(
                self._row(row, snapshot.unit, worst=place == breakdown.rank)
                for place, row in enumerate(breakdown.ranks)
            )
            gpus = format_count(snapshot.scenario.parallel.gpus)
            self.table.setColumnHidden(_HOST, snapshot.scenario.parallel.offload == "none")
            self.write_note(self.tr("{count} ranks; all others hold less").format(count=gpus))
        self.model.show_rows(self._heads(), rows)
        self.table.fit_columns(5)

    def ask_why(self) -> None:
        """Ask what stands on the selected rank; on the worst where none is selected."""
        breakdown = None if self._snapshot is None else self._snapshot.breakdown
        if breakdown is None or not breakdown.ranks:
            return
        rows = self.table.selectionModel().selectedRows()
        self.why_wanted.emit(Subject("rank", str(rows[-1].row() if rows else breakdown.rank)))

    def _heads(self) -> Heads:
        cells = (
            self.tr("stage"),
            self.tr("peak"),
            self.tr("in"),
            self.tr("parameters"),
            self.tr("host memory"),
            self.tr("what sets it apart"),
        )
        return Heads(cells, (self.tr("peak, bytes"), self.tr("host memory, bytes")), frozenset({1, 3, 4}))

    def _row(self, row: RankRow, unit: SizeUnit, *, worst: bool) -> TextRow:
        number = format_count(row.stage + 1)
        cells = (
            self.tr("{number}, the worst").format(number=number) if worst else number,
            format_bytes(row.peak_bytes, unit),
            phase_name(row.peak_phase),
            format_count(row.param_count),
            format_bytes(row.host_bytes, unit),
            render_reason(row.why, unit),
        )
        return TextRow(cells, (str(row.peak_bytes), str(row.host_bytes)), cells[-1])

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.title.setText(self.tr("Ranks"))
        self.why.name(self.tr("What stands on the selected rank? Also a double click on it, or Enter"))
        self.table.setAccessibleName(self.tr("Ranks and what each holds"))
        if self._snapshot is not None:
            self.render(self._snapshot)
