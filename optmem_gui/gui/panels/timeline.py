"""When the memory is needed: the course of one step as estimated, and of a run as measured."""

from __future__ import annotations

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QStackedWidget, QWidget

from optmem_gui.core.breakdown import COMPONENT_IDS, Moment
from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.gui.i18n import component_name, phase_name
from optmem_gui.gui.snapshot import MeasurementState, Snapshot
from optmem_gui.gui.widgets.estimated_plot import EstimatedPlot
from optmem_gui.gui.widgets.measured_plot import CURVES, MeasuredPlot, curve_name
from optmem_gui.gui.widgets.readout import Entry, Readout
from optmem_gui.gui.widgets.titled import TitledPanel


class TimelinePanel(TitledPanel):
    """A plot over phases or seconds, and beside it what is alive at the cursor (the peak without one)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("timeline")
        self._snapshot: Snapshot | None = None
        self._samples: tuple[object, ...] = ()
        self.estimated = EstimatedPlot()
        self.estimated.setObjectName("estimatedPlot")
        self._measured: MeasuredPlot | None = None
        self.plots = QStackedWidget()
        self.plots.addWidget(self.estimated)
        self.readout = Readout()
        self.readout.setObjectName("timelineReadout")
        self.show_estimated, self.show_measured = QPushButton(), QPushButton()
        self._lay_out()
        self.estimated.cursor_moved.connect(self._read_out)
        self.retranslate()

    def _lay_out(self) -> None:
        self._switch = QButtonGroup(self)
        for place, button in enumerate((self.show_estimated, self.show_measured)):
            button.setCheckable(True)
            button.setAutoDefault(False)
            self._switch.addButton(button, place)
            self.head.addWidget(button)
        self.show_estimated.setChecked(True)
        self._switch.idToggled.connect(self._switched)
        row = QHBoxLayout()
        row.addWidget(self.plots, 1)
        row.addWidget(self.readout)
        self.body.addLayout(row, 1)

    @property
    def measured(self) -> MeasuredPlot:
        """The plot of a run; made when there is one, because most sessions never measure."""
        if self._measured is None:
            self._measured = MeasuredPlot()
            self._measured.setObjectName("measuredPlot")
            self._measured.setAccessibleName(self.tr("Measured memory over time"))
            self._measured.cursor_moved.connect(self._read_out)
            self.plots.addWidget(self._measured)
        return self._measured

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # panels render snapshots
        """Show a snapshot."""
        before, self._snapshot = self._snapshot, snapshot
        if snapshot.breakdown is not None:
            self.estimated.show_breakdown(snapshot.breakdown, snapshot.unit)
        self._render_measurement(snapshot.measurement, snapshot.unit, anew=before is None)
        self._read_out()

    def _render_measurement(self, state: MeasurementState, unit: SizeUnit, *, anew: bool) -> None:
        """A run that begins brings its own view to the front; the user can switch back."""
        there = bool(state.samples)
        begins = there and not self._samples
        if anew or state.samples is not self._samples or there:
            self._samples = state.samples
            if there:
                self.measured.show_samples(state.samples, self._usable_bytes(state), unit)
        self.show_measured.setEnabled(there)
        if begins:
            self.show_measured.setChecked(True)
        elif not there:
            self.show_estimated.setChecked(True)

    @staticmethod
    def _usable_bytes(state: MeasurementState) -> int | None:
        """Of the device it ran on, which need not be the user's target."""
        fit = state.breakdown.fit if state.breakdown else None
        return fit.usable if fit else None

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.title.setText(self.tr("Timeline"))
        self.show_estimated.setText(self.tr("Estimated"))
        self.show_measured.setText(self.tr("Measured"))
        self.show_measured.setToolTip(self.tr("Shows a measurement once there is one"))
        self.estimated.setAccessibleName(self.tr("Estimated memory over the phases of one step"))
        if self._measured is not None:
            self._measured.setAccessibleName(self.tr("Measured memory over time"))
        self._write_note()
        if self._snapshot is not None:
            self.render(self._snapshot)

    def _switched(self, place: int, checked: bool) -> None:
        if checked:
            self.plots.setCurrentWidget(self.measured if place else self.estimated)
            self._write_note()
            self._read_out()

    def _write_note(self) -> None:
        self.write_note(
            self.tr("a measured run; point at it to read it")
            if self.show_measured.isChecked()
            else self.tr("one step, phases not to scale; point at it to see what is alive")
        )

    # Readout

    def _read_out(self) -> None:
        snapshot = self._snapshot
        if snapshot is None:
            return
        if self.show_measured.isChecked():
            self._read_measured(snapshot.unit)
        else:
            self._read_estimated(snapshot.unit)

    def _read_estimated(self, unit: SizeUnit) -> None:
        breakdown = self.estimated.breakdown
        if breakdown is None:
            return
        at_cursor = self.estimated.cursor_index
        index = at_cursor if at_cursor >= 0 else self.estimated.peak_index()
        if index < 0:
            return
        moment = breakdown.timeline[index]
        total = format_bytes(sum(moment.parts.values()), unit)
        template = self.tr("{phase}: {size}") if at_cursor >= 0 else self.tr("Peak, {phase}: {size}")
        title = template.format(phase=phase_name(moment.phase), size=total)
        seen = [name for name in COMPONENT_IDS if any(other.parts.get(name) for other in breakdown.timeline)]
        self.readout.show_entries(title, tuple(self._entry(name, moment, unit) for name in reversed(seen)))
        self.estimated.setAccessibleDescription(title)

    def _entry(self, component_id: str, moment: Moment, unit: SizeUnit) -> Entry:
        size = moment.parts.get(component_id, 0)
        tip = self.tr("{count} bytes").format(count=format_count(size))
        return Entry(
            component_id, component_name(component_id), format_bytes(size, unit) if size else "-", tip
        )

    def _read_measured(self, unit: SizeUnit) -> None:
        second = self.measured.cursor_second()
        if second is None:
            title = self.tr("Largest value of each")
        else:
            title = self.tr("{second} s, {phase}").format(
                second=f"{second:.2f}", phase=self.measured.place_at(second)
            )
        entries = []
        for name, series in self.measured.series.items():
            value = float(series.sizes.max()) if second is None else series.at(second)
            text = "-" if value is None else format_bytes(int(value), unit)
            entries.append(Entry(CURVES[name], curve_name(name), text))
        self.readout.show_entries(title.strip(" ,"), tuple(entries))
        self.measured.setAccessibleDescription(title)
