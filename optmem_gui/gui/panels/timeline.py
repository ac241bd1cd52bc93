"""When the memory is needed: one step as estimated, a run as simulated and as measured."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QStackedWidget, QWidget

from optmem_gui.core.breakdown import COMPONENT_IDS, Moment
from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.core.why.answer import Subject
from optmem_gui.gui.fields import Segment
from optmem_gui.gui.i18n import component_name, phase_name
from optmem_gui.gui.snapshot import MeasurementState, Snapshot
from optmem_gui.gui.widgets.curve_style import CURVES, curve_name
from optmem_gui.gui.widgets.readout import Entry, Readout
from optmem_gui.gui.widgets.titled import TitledPanel
from optmem_gui.gui.widgets.why_button import WhyButton

if TYPE_CHECKING:
    from optmem_gui.gui.widgets.estimated_plot import EstimatedPlot
    from optmem_gui.gui.widgets.measured_plot import MeasuredPlot
    from optmem_gui.gui.widgets.simulated_plot import SimulatedPlot

_HEAVY = ("numpy", "pyqtgraph")
"""What the plots need, and nothing else in the window: half of what a start would cost."""


class TimelinePanel(TitledPanel):
    """A plot over phases or seconds, and beside it what is alive at the cursor (the peak without one).

    The plot follows the first paint of the window by a moment: figures first, pictures next.

    Emits:
        why_wanted: The :class:`~optmem_gui.core.why.answer.Subject` to explain.
    """

    why_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("timeline")
        self._snapshot: Snapshot | None = None
        self._estimated: EstimatedPlot | None = None
        self._simulated: SimulatedPlot | None = None
        self._measured: MeasuredPlot | None = None
        self._has_samples = False
        self._report: object = None
        self._missing = list(_HEAVY)
        self._later = QTimer(self)
        self._later.setInterval(0)
        self._later.timeout.connect(self._prepare)
        self.plots = QStackedWidget()
        self.readout = Readout()
        self.readout.setObjectName("timelineReadout")
        self.show_estimated, self.show_simulated, self.show_measured = Segment(), Segment(), Segment()
        self._lay_out()
        self.retranslate()

    def _lay_out(self) -> None:
        self._switch = QButtonGroup(self)
        for place, button in enumerate((self.show_estimated, self.show_simulated, self.show_measured)):
            button.setAutoDefault(False)
            self._switch.addButton(button, place)
            self.head.addWidget(button)
        self.why = WhyButton()
        self.head.addWidget(self.why)
        self.why.clicked.connect(self.ask_why)
        self.show_estimated.setChecked(True)
        self._switch.idToggled.connect(self._switched)
        row = QHBoxLayout()
        row.addWidget(self.plots, 1)
        row.addWidget(self.readout)
        self.body.addLayout(row, 1)

    # The plots, made when they are needed

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        """The first paint starts the making of the plot."""
        super().paintEvent(event)
        if self._estimated is None:
            self._later.start()

    def _prepare(self) -> None:
        """One load at a time, so that input is handled between them."""
        if self._missing:
            import_module(self._missing.pop(0))
            return
        self._later.stop()
        self.plots.setCurrentWidget(self._shown_plot())

    @property
    def estimated(self) -> EstimatedPlot:
        """The plot of the estimate."""
        if self._estimated is None:
            from optmem_gui.gui.widgets.estimated_plot import EstimatedPlot  # noqa: PLC0415  # see the class

            self._later.stop()
            self._estimated = EstimatedPlot()
            self._estimated.setObjectName("estimatedPlot")
            self._estimated.cursor_moved.connect(self._read_out)
            self.plots.addWidget(self._estimated)
            self._name_plots()
            if self._snapshot is not None and self._snapshot.breakdown is not None:
                self._estimated.show_breakdown(self._snapshot.breakdown, self._snapshot.unit)
        return self._estimated

    @property
    def simulated(self) -> SimulatedPlot:
        """The plot of a simulation."""
        if self._simulated is None:
            from optmem_gui.gui.widgets.simulated_plot import SimulatedPlot  # noqa: PLC0415  # see the class

            self._simulated = SimulatedPlot()
            self._simulated.setObjectName("simulatedPlot")
            self._simulated.cursor_moved.connect(self._read_out)
            self.plots.addWidget(self._simulated)
            self._name_plots()
        return self._simulated

    @property
    def measured(self) -> MeasuredPlot:
        """The plot of a run; most sessions never make one."""
        if self._measured is None:
            from optmem_gui.gui.widgets.measured_plot import MeasuredPlot  # noqa: PLC0415  # see the class

            self._measured = MeasuredPlot()
            self._measured.setObjectName("measuredPlot")
            self._measured.cursor_moved.connect(self._read_out)
            self.plots.addWidget(self._measured)
            self._name_plots()
        return self._measured

    def _shown_plot(self) -> EstimatedPlot | SimulatedPlot | MeasuredPlot:
        if self.show_simulated.isChecked():
            return self.simulated
        return self.measured if self.show_measured.isChecked() else self.estimated

    # Showing

    def ask_why(self) -> None:
        """Ask what is there in the phase at the cursor, or in that of the peak; of the estimate."""
        breakdown = None if self._snapshot is None else self._snapshot.breakdown
        if breakdown is None:
            return
        at_cursor = self._estimated.cursor_index if self._estimated is not None else -1
        phase = breakdown.timeline[at_cursor].phase if at_cursor >= 0 else breakdown.peak_phase
        self.why_wanted.emit(Subject("phase", phase))

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # panels render snapshots
        """Show a snapshot."""
        self._snapshot = snapshot
        if snapshot.breakdown is not None and self._estimated is not None:
            self._estimated.show_breakdown(snapshot.breakdown, snapshot.unit)
        self._render_simulation(snapshot)
        self._render_measurement(snapshot.measurement, snapshot.unit)
        self._write_note()
        self._read_out()

    def _render_simulation(self, snapshot: Snapshot) -> None:
        """A result that was asked for comes to the front; one after an edit replaces it where it is shown."""
        result = snapshot.simulation.result
        self.show_simulated.setEnabled(result is not None)
        if result is None:
            if self.show_simulated.isChecked():
                self.show_estimated.setChecked(True)
            return
        self.simulated.show_report(result.report, result.usable_bytes, snapshot.unit)
        if result.report is not self._report:
            self._report = result.report
            if snapshot.simulation.by_user:
                self.show_simulated.setChecked(True)

    def _render_measurement(self, state: MeasurementState, unit: SizeUnit) -> None:
        """A run that begins brings its own view to the front; the user can switch back."""
        there = bool(state.samples)
        begins, self._has_samples = there and not self._has_samples, there
        if there:
            self.measured.show_samples(state.samples, self._usable_bytes(state), unit)
        self.show_measured.setEnabled(there)
        if begins:
            self.show_measured.setChecked(True)
        elif not there and self.show_measured.isChecked():
            self.show_estimated.setChecked(True)

    @staticmethod
    def _usable_bytes(state: MeasurementState) -> int | None:
        """Of the device it ran on, which need not be the user's target."""
        fit = state.breakdown.fit if state.breakdown else None
        return fit.usable if fit else None

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.title.setText(self.tr("Timeline"))
        self.why.name(self.tr("What is there in the phase at the cursor, or at the peak?"))
        self.show_estimated.setText(self.tr("Estimated"))
        self.show_simulated.setText(self.tr("Simulated"))
        self.show_simulated.setToolTip(self.tr("Shows a simulation once there is one"))
        self.show_measured.setText(self.tr("Measured"))
        self.show_measured.setToolTip(self.tr("Shows a measurement once there is one"))
        self._name_plots()
        self._write_note()
        if self._snapshot is not None:
            self.render(self._snapshot)

    def _name_plots(self) -> None:
        if self._estimated is not None:
            self._estimated.setAccessibleName(self.tr("Estimated memory over the phases of one step"))
        if self._simulated is not None:
            self._simulated.setAccessibleName(self.tr("Simulated memory over the phases of a run"))
        if self._measured is not None:
            self._measured.setAccessibleName(self.tr("Measured memory over time"))

    def _switched(self, _place: int, checked: bool) -> None:
        if checked:
            self.plots.setCurrentWidget(self._shown_plot())
            self._write_note()
            self._read_out()

    def _write_note(self) -> None:
        if self.show_measured.isChecked():
            note = self.tr("a measured run; the wheel zooms, a double click takes it back")
        elif self.show_simulated.isChecked():
            note = self._simulated_note()
        else:
            note = self.tr("one step, phases not to scale; point at it to see what is alive")
        self.write_note(note)

    def _simulated_note(self) -> str:
        result = self._snapshot.simulation.result if self._snapshot is not None else None
        if result is not None and result.function:
            return self.tr("of {function}").format(function=Path(result.function).name)
        if self._snapshot is not None and self._snapshot.simulated is None:
            return self.tr("of earlier inputs: simulate again")
        return self.tr("a traced run; the wheel zooms, a double click takes it back")

    # Readout

    def _read_out(self) -> None:
        snapshot = self._snapshot
        if snapshot is None:
            return
        if self.show_measured.isChecked():
            self._read_measured(snapshot.unit)
        elif self.show_simulated.isChecked():
            self._read_simulated(snapshot.unit)
        else:
            self._read_estimated(snapshot)

    def _read_estimated(self, snapshot: Snapshot) -> None:
        breakdown, unit = snapshot.breakdown, snapshot.unit
        if breakdown is None:
            return
        at_cursor = self._estimated.cursor_index if self._estimated is not None else -1
        index = at_cursor if at_cursor >= 0 else breakdown.peak_moment()
        if index is None:
            return
        moment = breakdown.timeline[index]
        total = format_bytes(sum(moment.parts.values()), unit)
        template = self.tr("{phase}: {size}") if at_cursor >= 0 else self.tr("Peak, {phase}: {size}")
        title = template.format(phase=phase_name(moment.phase), size=total)
        seen = [name for name in COMPONENT_IDS if any(other.parts.get(name) for other in breakdown.timeline)]
        self.readout.show_entries(title, tuple(self._entry(name, moment, unit) for name in reversed(seen)))
        if self._estimated is not None:
            self._estimated.setAccessibleDescription(title)

    def _entry(self, component_id: str, moment: Moment, unit: SizeUnit) -> Entry:
        size = moment.parts.get(component_id, 0)
        tip = self.tr("{count} bytes").format(count=format_count(size))
        return Entry(
            component_id, component_name(component_id), format_bytes(size, unit) if size else "-", tip
        )

    def _read_measured(self, unit: SizeUnit) -> None:
        plot = self.measured
        second = plot.cursor_second()
        parts = plot.parts_at(second)
        if second is None:
            title = (
                self.tr("Largest of each line; parts at the peak")
                if parts
                else self.tr("Largest value of each")
            )
        else:
            title = self.tr("{second} s, {phase}").format(second=f"{second:.2f}", phase=plot.place_at(second))
        entries = []
        for name, series in plot.series.items():
            value = float(series.sizes.max()) if second is None else series.at(second)
            text = "-" if value is None else format_bytes(int(value), unit)
            entries.append(Entry(CURVES[name], curve_name(name), text))
        entries += [
            Entry(component_id, component_name(component_id), format_bytes(size, unit) if size else "-")
            for component_id, size in reversed(parts.items())
        ]
        title = title.strip(" ,，")  # a moment outside every phase has no name
        self.readout.show_entries(title, tuple(entries))
        plot.setAccessibleDescription(title)

    def _read_simulated(self, unit: SizeUnit) -> None:
        title, entries = self.simulated.read_out(unit)
        self.readout.show_entries(title, entries)
        self.simulated.setAccessibleDescription(title)
