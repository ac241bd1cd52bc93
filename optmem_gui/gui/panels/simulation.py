"""A simulation: what is traced, what came of it, what is alive at the peak, and how it differs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QProgressBar, QPushButton, QWidget

from optmem_gui.core.reasons import Reason
from optmem_gui.core.simulating import AliveRow, SimulationReport
from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.gui.i18n import component_name, render_reason, stage_name
from optmem_gui.gui.snapshot import Simulated, SimulateStage, SimulationState, Snapshot
from optmem_gui.gui.widgets.alive_table import AliveBlocks, AliveTable
from optmem_gui.gui.widgets.breakdown_model import SwatchDelegate
from optmem_gui.gui.widgets.copy_table import CopyTable
from optmem_gui.gui.widgets.labels import ValueLabel
from optmem_gui.gui.widgets.pages import Pages, one_page
from optmem_gui.gui.widgets.simulation_models import DifferenceModel, PhaseModel
from optmem_gui.gui.widgets.titled import TitledPanel

_NUMBER = re.compile(r"(?<=\.)\d+(?=\.|$)")
"""The number of a block in the path of a module: blocks that are built alike are one kind."""


class SimulationPanel(TitledPanel):
    """Every state of a simulation in words; then what came of it, in four pages."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("simulation")
        self._snapshot: Snapshot | None = None
        self._listed: SimulationReport | None = None
        self._alive: AliveBlocks | None = None
        self.status, self.figures = ValueLabel(wrap=True), ValueLabel(wrap=True)
        self.status.setObjectName("simulationStatus")
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setRange(0, 0)
        self.alive = AliveTable()
        self.alive.table.setObjectName("simulatedAlive")
        self.differences, self.phases = DifferenceModel(self), PhaseModel(self)
        self.difference_table, self.phase_table = CopyTable(), CopyTable()
        self.difference_table.setModel(self.differences)
        self.difference_table.setItemDelegateForColumn(0, SwatchDelegate(self.difference_table))
        self.why = ValueLabel(tone="muted", factor=0.92, wrap=True)
        self.difference_table.selectionModel().selectionChanged.connect(self._explain)
        self.phase_table.setModel(self.phases)
        self.phase_table.horizontalHeader().setStretchLastSection(False)
        self.notes = QPlainTextEdit()
        self.notes.setReadOnly(True)
        self.notes.setFrameShape(QFrame.Shape.NoFrame)
        self.notes.setTabChangesFocus(True)
        self.pages = Pages(
            (self.alive, one_page(self.difference_table, self.why), self.phase_table, self.notes)
        )
        self.detail = QPlainTextEdit()
        self.detail.setReadOnly(True)
        self.detail.setTabChangesFocus(True)
        self.fold = QPushButton()
        self.fold.setCheckable(True)
        self.fold.toggled.connect(self.detail.setVisible)
        self._lay_out()
        self.retranslate()

    def _lay_out(self) -> None:
        fold = QHBoxLayout()
        fold.addWidget(self.fold)
        fold.addStretch(1)
        for widget in (self.status, self.progress, self.figures):
            self.body.addWidget(widget)
        self.body.addWidget(self.pages, 1)
        self.body.addLayout(fold)
        self.body.addWidget(self.detail, 1)
        self.body.addStretch(0)

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.title.setText(self.tr("Simulation"))
        self.progress.setAccessibleName(self.tr("Progress of the simulation"))
        self.fold.setText(self.tr("Technical detail"))
        self.detail.setAccessibleName(self.tr("Technical detail"))
        self.pages.name((self.tr("Alive"), self.tr("Differences"), self.tr("Phases"), self.tr("Notes")))
        self.notes.setAccessibleName(self.tr("What to know about the simulation"))
        self.difference_table.setAccessibleName(self.tr("Estimated and simulated, by component"))
        self.phase_table.setAccessibleName(self.tr("Simulated memory, by phase"))
        self.alive.offer(self._groupings())
        self._listed = None
        if self._snapshot is not None:
            self.render(self._snapshot)

    def _groupings(self) -> Mapping[str, str]:
        return {
            "kind": self.tr("kind of module"),
            "module": self.tr("module"),
            "op": self.tr("operator"),
            "category": self.tr("category"),
            "phase": self.tr("phase it was made in"),
        }

    # Showing

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # panels render snapshots
        """Show a snapshot."""
        self._snapshot = snapshot
        state, unit = snapshot.simulation, snapshot.unit
        self.status.setText(self._status(state, unit))
        self.status.setVisible(bool(self.status.text()))
        bad = state.stage in (SimulateStage.FAILED, SimulateStage.DONE)  # what is done says only what is bad
        self.status.set_tone("bad" if bad else "text")
        self.progress.setVisible(state.stage.is_busy)
        result = state.result
        for widget in (self.figures, self.pages):
            widget.setVisible(result is not None)
        self.fold.setVisible(bool(state.detail))
        self.detail.setPlainText(state.detail)
        self.detail.setVisible(bool(state.detail) and self.fold.isChecked())
        if result is None:
            self.write_note("")
        else:
            self._show_result(result, unit, current=snapshot.simulated is not None)

    def _show_result(self, result: Simulated, unit: SizeUnit, *, current: bool) -> None:
        report = result.report
        self.write_note(self._target(report))
        text = self._figures(report, unit)
        if result.function:
            name = Path(result.function).name
            text = self.tr("Of {function}: {text}").format(function=name, text=text)
        elif not current:
            text = self.tr("Of earlier inputs, simulate again: {text}").format(text=text)
        self.figures.setText(text)
        self.figures.set_tone("text" if current or result.function else "caution")
        on_cpu = report.target.device == "cpu"
        self.figures.setToolTip(
            self.tr("Allocated: every storage at its exact size, as torch's own events of the CPU count it.")
            if on_cpu
            else self.tr(
                "Allocated: whole blocks in use, as torch.cuda.max_memory_allocated counts them. Reserved: "
                "what the caching allocator holds. The difference is free inside its segments."
            )
        )
        self.alive.show_blocks(self._blocks(report), unit)
        self.differences.show_differences(result.rows, unit)
        self.difference_table.setColumnHidden(4, True)  # the reason needs more room: it stands below
        self.difference_table.fit_numbers(3)
        self._explain()
        self.phases.show_phases(report, unit)
        self.phase_table.fit_columns(5)
        said = "\n".join(self._remarks(report, unit))
        if self.notes.toPlainText() != said:
            self.notes.setPlainText(said)

    def _explain(self) -> None:
        """Why the selected figures differ; without a selection, why the peaks do."""
        chosen = self.difference_table.selectionModel().selectedRows()
        rows = self.differences.rows
        row = rows[chosen[-1].row()] if chosen else next((r for r in rows if r.key == "peak"), None)
        text = "" if row is None else row.cells[-1]
        self.why.setText("" if row is None else self.tr("{name}: {why}").format(name=row.cells[0], why=text))
        self.why.setVisible(bool(text))

    def _status(self, state: SimulationState, unit: SizeUnit) -> str:
        if state.stage is SimulateStage.RUNNING:
            return self._running(state)
        if state.stage is SimulateStage.FAILED:
            return render_reason(state.reason, unit) if state.reason is not None else self.tr("Failed")
        report = state.result.report if state.result is not None else None
        if state.stage is SimulateStage.DONE and report is not None and report.out_of_memory:
            return self.tr(
                "Does not fit: the GPU runs out of memory here and the trace ends. Without a chosen GPU it "
                "is traced to its end."
            )
        said = {SimulateStage.STOPPING: self.tr("Stopping"), SimulateStage.CANCELLED: self.tr("Stopped")}
        return said.get(state.stage, "")

    def _running(self, state: SimulationState) -> str:
        if state.phase == "start":
            return self.tr("Starting: the first simulation imports torch in a process of its own")
        if not state.step:
            return self.tr("Tracing: {phase}").format(phase=stage_name(state.phase))
        return self.tr("Tracing step {step} of {steps}: {phase}").format(
            step=state.step, steps=state.step_count, phase=stage_name(state.phase)
        )

    def _target(self, report: SimulationReport) -> str:
        """In a few words: how sure it is, and for which machine."""
        target = report.target
        words = self.tr("exact") if report.exact else self.tr("not exact, see the notes")
        if target.device == "cpu":
            return self.tr("{words}; torch {torch}, on the CPU").format(words=words, torch=target.torch)
        if not target.architecture:
            return self.tr("{words}; torch {torch}, no GPU chosen").format(words=words, torch=target.torch)
        return self.tr("{words}; torch {torch}, {architecture}").format(
            words=words, torch=target.torch, architecture=target.architecture
        )

    def _figures(self, report: SimulationReport, unit: SizeUnit) -> str:
        if report.target.device == "cpu":
            size, phase = format_bytes(report.peak_bytes, unit), stage_name(report.peak_phase)
            return self.tr("{size} allocated at the peak ({phase})").format(size=size, phase=phase)
        held = _reserved_at_peak(report)
        free = held - report.peak_bytes
        return self.tr(
            "{size} allocated at the peak ({phase}), {reserved} reserved: {free} unused ({share})"
        ).format(
            size=format_bytes(report.peak_bytes, unit),
            phase=stage_name(report.peak_phase),
            reserved=format_bytes(held, unit),
            free=format_bytes(free, unit),
            share=f"{100 * free / held:.1f} %" if held else "0 %",
        )

    def _remarks(self, report: SimulationReport, unit: SizeUnit) -> list[str]:
        """How sure the figures are, what was assumed, and how they were made."""
        if report.exact:
            said = [self.tr("Exact: every rule used has matched a recording byte for byte.")]
        else:
            said = [self.tr("Not exact: something had to be assumed, or was not yet compared with a GPU.")]
        if report.peak_high_bytes > report.peak_bytes:
            said.append(
                self.tr(
                    "The peak lies between {low} and {high}: some facts of this GPU are not known."
                ).format(
                    low=format_bytes(report.peak_bytes, unit), high=format_bytes(report.peak_high_bytes, unit)
                )
            )
        said += [f"⚠ {render_reason(Reason(note.key, dict(note.values)), unit)}" for note in report.notes]
        said.append(
            self.tr("Peak {peak} bytes allocated, at most {reserved} bytes reserved.").format(
                peak=format_count(report.peak_bytes), reserved=format_count(report.peak_reserved_bytes)
            )
        )
        said.append(
            self.tr("{count} operators traced without a GPU in {seconds} s by torch {torch}.").format(
                count=format_count(report.operator_count),
                seconds=f"{report.seconds:.1f}",
                torch=report.traced_by,
            )
        )
        return said

    # What is alive

    def _blocks(self, report: SimulationReport) -> AliveBlocks | None:
        """The rows of a report for the table; the same object for the same report."""
        if report is self._listed:
            return self._alive
        self._listed, alive = report, report.alive
        modules = [row.module or self.tr("outside every module") for row in alive]
        names = {
            "kind": [_NUMBER.sub("*", module) for module in modules],
            "module": modules,
            "op": [row.op for row in alive],
            "category": [component_name(row.category) for row in alive],
            "phase": [self._when(row) for row in alive],
        }
        self._alive = AliveBlocks(
            [row.bytes for row in alive],
            [row.count for row in alive],
            names,
            lambda place: self._about(alive[place]),
            [row.category for row in alive],
        )
        return self._alive

    def _when(self, row: AliveRow) -> str:
        phase = stage_name(row.phase)
        return self.tr("step {step}, {phase}").format(step=row.step, phase=phase) if row.step else phase

    def _about(self, row: AliveRow) -> str:
        """Why these bytes are there, in a sentence."""
        unit = self._snapshot.unit if self._snapshot is not None else "GiB"
        return self.tr(
            "{category}, {size}: {count} blocks made by {op} in {module} ({when}); {asked} asked for"
        ).format(
            category=component_name(row.category),
            size=format_bytes(row.bytes, unit),
            count=format_count(row.count),
            op=row.op,
            module=row.module or self.tr("no module"),
            when=self._when(row),
            asked=self.tr("{count} bytes").format(count=format_count(row.requested_bytes)),
        )


def _reserved_at_peak(report: SimulationReport) -> int:
    """What the allocator held as the peak was reached; never less than what was in use."""
    at_peak = min(report.points, key=lambda point: abs(point.event - report.peak_event), default=None)
    return max(report.peak_bytes, at_peak.reserved_bytes if at_peak is not None else 0)
