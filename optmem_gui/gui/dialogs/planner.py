"""Which layouts fit: a table to choose from, and a picture of memory against the number of GPUs."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from optmem_gui.core.parallel import SHARD_NAMES
from optmem_gui.core.sharding.planner import PlannedLayout
from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.gui.i18n import model_title, phase_name, precision_name, render_reason
from optmem_gui.gui.tasks.plan import Plan
from optmem_gui.gui.widgets.copy_table import CopyTable
from optmem_gui.gui.widgets.count_plot import LEAST, STYLES, CountPlot, series_of
from optmem_gui.gui.widgets.labels import ValueLabel
from optmem_gui.gui.widgets.painting import em
from optmem_gui.gui.widgets.readout import Entry, Readout
from optmem_gui.gui.widgets.text_table import Heads, TextRow, TextTableModel
from optmem_gui.report.layouts import layout_words

_SHOWN = 100
"""Layouts of one number of GPUs that are listed; the best ones."""

_MEASURED_ROWS = 40
"""Rows that the widths of columns follow."""

_HOST = 5
"""Column of host memory, shown where something is moved there."""


class PlannerDialog(QDialog):
    """Shows a plan while it is made; what it says is done by whoever listens.

    Emits:
        taken: The :class:`~optmem_gui.core.parallel.Parallel` that the user chose.
        again_wanted: Plan what stands in the fields now.
        stop_wanted: Stop planning.
    """

    taken = Signal(object)
    again_wanted = Signal()
    stop_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("planner")
        self._plan: Plan | None = None
        self._unit: SizeUnit = "GiB"
        self._behind = False
        self._running = False
        self._rows: tuple[PlannedLayout, ...] = ()
        self.answer = ValueLabel(bold=True, factor=1.2, wrap=True)
        self.about = ValueLabel(tone="muted", wrap=True)
        self.model = TextTableModel(self)
        self.table = CopyTable()
        self.table.setObjectName("layouts")
        self.table.setModel(self.model)
        self.table.horizontalHeader().setResizeContentsPrecision(_MEASURED_ROWS)
        self.plot, self.readout = CountPlot(), Readout()
        self.readout.setMinimumWidth(round(20 * em(self)))
        self.use, self.again = QPushButton(self), QPushButton(self)
        self.stop, self.close_button = QPushButton(self), QPushButton(self)
        self._lay_out()
        self._connect()
        self.retranslate()

    def _lay_out(self) -> None:
        line = round(em(self))
        picture = QWidget()
        beside = QHBoxLayout(picture)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.addWidget(self.plot, 1)
        beside.addWidget(self.readout)
        halves = QSplitter(Qt.Orientation.Vertical)
        halves.setChildrenCollapsible(False)
        halves.addWidget(self.table)
        halves.addWidget(picture)
        halves.setSizes([15 * line, 13 * line])
        buttons = QHBoxLayout()
        buttons.addWidget(self.use)
        buttons.addStretch(1)
        for button in (self.stop, self.again, self.close_button):
            buttons.addWidget(button)
        for button in (self.stop, self.again, self.close_button):
            button.setAutoDefault(False)
        column = QVBoxLayout(self)
        column.addWidget(self.answer)
        column.addWidget(self.about)
        column.addWidget(halves, 1)
        column.addLayout(buttons)
        room = self.screen().availableSize()
        self.resize(min(52 * line, room.width()), min(36 * line, room.height() - 2 * line))

    def _connect(self) -> None:
        self.use.setDefault(True)
        self.use.clicked.connect(self._take)
        self.table.doubleClicked.connect(self._take)
        self.table.selectionModel().selectionChanged.connect(self._show_buttons)
        self.model.modelReset.connect(self._show_buttons)
        self.again.clicked.connect(self.again_wanted)
        self.stop.clicked.connect(self.stop_wanted)
        self.close_button.clicked.connect(self.close)
        self.plot.cursor_moved.connect(self._show_figures)

    # What is shown

    def show_plan(self, plan: Plan, unit: SizeUnit, *, running: bool) -> None:
        """Show a plan as far as it has come."""
        self._plan, self._unit, self._running = plan, unit, running
        self.answer.setText(self._answer(plan))
        self.about.setText(self._about(plan))
        chosen, self._rows = self._chosen(), self._listed(plan)
        self.model.show_rows(self._heads(), tuple(self._row(layout) for layout in self._rows))
        self.table.setColumnHidden(_HOST, plan.scenario.parallel.offload == "none")
        self.table.fit_columns(6)
        if self._rows and self._chosen() is None:
            self.table.selectRow(self._rows.index(chosen) if chosen in self._rows else 0)
        usable = format_bytes(plan.gpu.usable_bytes, unit)
        self.plot.show_plan(plan, unit, self.tr("{usable} usable").format(usable=usable))
        self.plot.bottom.setLabel(self.tr("GPUs"))
        self._show_figures()
        self._show_buttons()

    def show_behind(self, behind: bool) -> None:
        """Say that the inputs are no longer those of the plan."""
        if behind != self._behind:
            self._behind = behind
            self.retranslate()

    def _answer(self, plan: Plan) -> str:
        if plan.reason is not None:
            return render_reason(plan.reason, self._unit)
        if plan.enough is not None:
            return self.tr("{count} x {gpu} are enough").format(
                count=format_count(plan.enough), gpu=plan.gpu.name
            )
        tried = format_count(max(plan.tried, default=1))
        if not self._running and plan.done:
            return self.tr("No layout is sure to fit on up to {count} x {gpu}").format(
                count=tried, gpu=plan.gpu.name
            )
        if self._running:
            return self.tr("Looking for layouts on {count} x {gpu}").format(count=tried, gpu=plan.gpu.name)
        return self.tr("Stopped at {count} x {gpu}").format(count=tried, gpu=plan.gpu.name)

    def _about(self, plan: Plan) -> str:
        what = self.tr("{model}, {optimizer}, {precision}. Each data-parallel rank keeps its batch.").format(
            model=model_title(plan.scenario.model),
            optimizer=plan.scenario.optimizer,
            precision=precision_name(plan.scenario.precision),
        )
        behind = self.tr("The inputs have changed since: plan again.")
        return f"{what} {behind}" if self._behind else what

    @staticmethod
    def _listed(plan: Plan) -> tuple[PlannedLayout, ...]:
        """Layouts of the number that is enough, and of every larger one; of the last one where none is."""
        if plan.enough is None:
            return plan.tried[max(plan.tried)][:_SHOWN] if plan.tried else ()
        counts = sorted(gpus for gpus in plan.tried if gpus >= plan.enough)
        return tuple(layout for gpus in counts for layout in plan.tried[gpus][:_SHOWN])

    def _heads(self) -> Heads:
        cells = (
            self.tr("GPUs"),
            self.tr("layout"),
            self.tr("fits"),
            self.tr("peak"),
            self.tr("free"),
            self.tr("host memory"),
            self.tr("worst rank"),
        )
        exact = (self.tr("peak, bytes"), self.tr("free, bytes"), self.tr("host memory, bytes"))
        return Heads(cells, exact, frozenset({0, 3, 4, 5}))

    def _row(self, layout: PlannedLayout) -> TextRow:
        verdicts = {"yes": self.tr("yes"), "tight": self.tr("tight"), "no": self.tr("no")}
        unit = self._unit
        worst = self.tr("in {phase}; {why}").format(
            phase=phase_name(layout.peak_phase), why=render_reason(layout.worst, unit)
        )
        cells = (
            format_count(layout.parallel.gpus),
            layout_words(layout.parallel),
            verdicts[layout.fits],
            format_bytes(layout.peak_bytes, unit),
            format_bytes(layout.free_bytes, unit),
            format_bytes(layout.host_bytes, unit),
            worst,
        )
        exact = (str(layout.peak_bytes), str(layout.free_bytes), str(layout.host_bytes))
        return TextRow(cells, exact, worst)

    def _show_figures(self, _index: int = -1) -> None:
        """Figures at the cursor, of the number that is enough without one."""
        plan, place = self._plan, self.plot.cursor_index
        if plan is None or not plan.tried:
            self.readout.show_entries("", ())
            return
        gpus = self.plot.counts[place] if place >= 0 else plan.enough or max(plan.tried)
        names = {LEAST: self.tr("least of all layouts"), **SHARD_NAMES}
        entries = [
            Entry(STYLES[name], names[name], format_bytes(peaks[gpus], self._unit))
            for name, peaks in series_of(plan).items()
            if gpus in peaks
        ]
        title = self.tr("{count} GPUs").format(count=format_count(gpus))
        self.readout.show_entries(title, tuple(entries))

    def _show_buttons(self) -> None:
        self.use.setEnabled(self._chosen() is not None)
        self.stop.setVisible(self._running)
        self.again.setVisible(not self._running)

    def _chosen(self) -> PlannedLayout | None:
        rows = self.table.selectionModel().selectedRows()
        return self._rows[rows[0].row()] if len(rows) == 1 else None

    def _take(self) -> None:
        layout = self._chosen()
        if layout is not None:
            self.taken.emit(layout.parallel)

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.setWindowTitle(self.tr("Layouts that fit"))
        self.use.setText(self.tr("&Use this layout"))
        self.again.setText(self.tr("Plan &again"))
        self.stop.setText(self.tr("&Stop"))
        self.close_button.setText(self.tr("&Close"))
        self.table.setAccessibleName(self.tr("Layouts, the best first"))
        self.plot.setAccessibleName(self.tr("Memory against the number of GPUs"))
        if self._plan is not None:
            self.show_plan(self._plan, self._unit, running=self._running)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow a change of language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
