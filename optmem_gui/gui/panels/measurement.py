"""A measurement: what runs, what is asked before, what came of it beside the estimate."""

from __future__ import annotations

import time

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QWidget,
)

from optmem_gui.core.overhead import CONTEXT_BYTES
from optmem_gui.core.protocol import PhaseSample, Sample
from optmem_gui.core.reasons import Reason
from optmem_gui.core.spread import spread_told
from optmem_gui.core.units import SizeUnit, format_bytes, format_count, format_short_count
from optmem_gui.gui.i18n import listed, phase_name, render_reason
from optmem_gui.gui.snapshot import MeasurementState, MeasureStage, Snapshot
from optmem_gui.gui.widgets.copy_table import CopyTable
from optmem_gui.gui.widgets.labels import ValueLabel
from optmem_gui.gui.widgets.result_rows import rank_sides, three_sides
from optmem_gui.gui.widgets.text_table import TextTableModel
from optmem_gui.gui.widgets.titled import TitledPanel

_TEXT_SECONDS = 0.25
"""Numbers that change faster than four times a second cannot be read."""


class MeasurementPanel(TitledPanel):
    """Every state of a measurement, each clear in words.

    Emits:
        answered: ``largest``, ``anyway`` or ``cancel``.
    """

    answered = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("measurement")
        self._snapshot: Snapshot | None = None
        self._text_at = 0.0
        self._stage: MeasureStage | None = None
        self.status = ValueLabel(wrap=True)
        self.status.setObjectName("measurementStatus")
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.numbers = ValueLabel(tone="muted", wrap=True)
        self.remarks = ValueLabel(tone="muted", wrap=True)
        self.model = TextTableModel(self)
        self.table = CopyTable()
        self.table.setObjectName("measuredTable")
        self.table.setModel(self.model)
        self.detail = QPlainTextEdit()
        self.detail.setReadOnly(True)
        self.fold = QPushButton()
        self.fold.setCheckable(True)
        self.fold.toggled.connect(self.detail.setVisible)
        self.largest, self.anyway, self.cancel = QPushButton(), QPushButton(), QPushButton()
        self.largest.clicked.connect(lambda: self.answered.emit("largest"))
        self.anyway.clicked.connect(lambda: self.answered.emit("anyway"))
        self.cancel.clicked.connect(lambda: self.answered.emit("cancel"))
        self._lay_out()
        self.retranslate()

    def _lay_out(self) -> None:
        self.question = QWidget()
        buttons = QGridLayout(self.question)
        buttons.setContentsMargins(0, 0, 0, 0)
        buttons.addWidget(self.largest, 0, 0, 1, 2)
        buttons.addWidget(self.anyway, 1, 0)
        buttons.addWidget(self.cancel, 1, 1)
        fold = QHBoxLayout()
        fold.addWidget(self.fold)
        fold.addStretch(1)
        for widget in (self.status, self.progress, self.numbers, self.question):
            self.body.addWidget(widget)
        self.body.addWidget(self.table, 1)
        self.body.addWidget(self.remarks)
        self.body.addLayout(fold)
        self.body.addWidget(self.detail, 1)
        self.body.addStretch(0)

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.title.setText(self.tr("Measurement"))
        self.table.setAccessibleName(self.tr("Estimated and measured, by component"))
        self.progress.setAccessibleName(self.tr("Progress of the measurement"))
        self.fold.setText(self.tr("Technical detail"))
        self.detail.setAccessibleName(self.tr("Technical detail"))
        self.anyway.setText(self.tr("Measure anyway"))
        self.cancel.setText(self.tr("Do not measure"))
        if self._snapshot is not None:
            self._stage = None
            self.render(self._snapshot)

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # panels render snapshots
        """Show a snapshot."""
        self._snapshot = snapshot
        state, unit = snapshot.measurement, snapshot.unit
        if state.stage is self._stage and state.stage.is_busy:
            self._show_running(state, unit)
            return
        self._stage = state.stage
        self.write_note(self._where(state))
        self.status.setText(self._status(state, unit))
        failed = state.stage is MeasureStage.FAILED
        self.status.set_tone("bad" if failed else "caution" if state.stage is MeasureStage.ASKING else "text")
        self.progress.setVisible(state.stage.is_busy)
        self.numbers.setVisible(state.stage.is_busy)
        self.question.setVisible(state.stage is MeasureStage.ASKING)
        self.largest.setVisible(state.largest_count > 0)
        count = format_short_count(state.largest_count)
        self.largest.setText(self.tr("Measure {count} parameters instead").format(count=count))
        kept = state.kept
        if kept is not None and kept.ranks:
            heads, rows = rank_sides(kept.ranks, unit)
        else:
            heads, rows = three_sides(() if kept is None else kept.rows, unit, narrow=True)
        self.table.setVisible(bool(rows))
        self.model.show_rows(heads, rows)
        self.table.fit_numbers(len(heads.cells) - 1)
        self._show_remarks(state, unit)
        self.fold.setVisible(bool(state.detail))
        self.detail.setPlainText(state.detail)
        self.detail.setVisible(bool(state.detail) and self.fold.isChecked())
        self._text_at = 0.0
        self._show_running(state, unit)

    def _show_running(self, state: MeasurementState, unit: SizeUnit) -> None:
        if state.fraction is None:
            self.progress.setRange(0, 0)
        else:
            self.progress.setRange(0, 1000)
            self.progress.setValue(round(1000 * state.fraction))
        now = time.monotonic()
        if state.stage.is_busy and now - self._text_at >= _TEXT_SECONDS:
            self._text_at = now
            self.status.setText(self._status(state, unit))
            self.numbers.setText(self._live(state, unit))

    def _where(self, state: MeasurementState) -> str:
        if not state.device:
            return ""
        if state.on_cpu:
            return self.tr("on the CPU: torch's allocations, no GPU involved")
        return self.tr("on {device}").format(device=state.device)

    def _status(self, state: MeasurementState, unit: SizeUnit) -> str:
        match state.stage:
            case MeasureStage.IDLE:
                return ""
            case MeasureStage.PREPARING:
                return self.tr("Preparing: asking the driver what is free")
            case MeasureStage.RUNNING:
                return self._running(state)
            case MeasureStage.STOPPING:
                return self.tr("Stopping")
            case MeasureStage.DONE:
                return self._done(state)
        return render_reason(state.reason, unit) if state.reason is not None else self.tr("Stopped")

    def _running(self, state: MeasurementState) -> str:
        if state.phase == "start":
            return self.tr("Starting a process of its own and importing torch")
        if state.phase == "build" or not state.step:
            return self.tr("Building the model")
        return self.tr("Step {step} of {steps}: {phase}").format(
            step=state.step, steps=state.step_count, phase=phase_name(state.phase)
        )

    def _done(self, state: MeasurementState) -> str:
        if state.result is None or state.result.outcome.result is None:
            return ""
        result, outcome = state.result.outcome.result, state.result.outcome
        torch = outcome.hello.torch if outcome.hello is not None else "?"
        return self.tr("{count} parameters, {steps} real steps in {seconds} s with torch {torch}").format(
            count=format_count(result.param_count),
            steps=outcome.request.steps,
            seconds=f"{result.seconds:.1f}",
            torch=torch,
        )

    def _live(self, state: MeasurementState, unit: SizeUnit) -> str:
        phases = [sample for sample in state.samples if isinstance(sample, PhaseSample)]
        lines = []
        if phases:
            lines.append(
                self.tr("torch allocated {now}, peak {peak}").format(
                    now=format_bytes(phases[-1].allocated_bytes, unit),
                    peak=format_bytes(max(phase.peak_bytes for phase in phases), unit),
                )
            )
        last = next((sample for sample in reversed(state.samples) if isinstance(sample, Sample)), None)
        if last is not None and last.process_bytes is not None:
            size = format_bytes(last.process_bytes, unit)
            lines.append(self.tr("process {size} on the GPU").format(size=size))
        if last is not None and last.rss_bytes is not None:
            size = format_bytes(last.rss_bytes, unit)
            lines.append(self.tr("process {size} in host memory").format(size=size))
        return listed(lines)

    def _show_remarks(self, state: MeasurementState, unit: SizeUnit) -> None:
        spread = None if state.result is None else spread_told(state.result.outcome.phases)
        told = () if spread is None else (spread,)
        reasons = [*told, *state.warnings, *state.notes, *_calibration(state)]
        said = [render_reason(reason, unit) for reason in reasons]
        self.remarks.setText("\n".join(said))
        self.remarks.setVisible(bool(said))


def _calibration(state: MeasurementState) -> tuple[Reason, ...]:
    """What the run says about its GPU, or why it says nothing; a CPU has nothing to say."""
    found = state.calibration
    if found is None or (isinstance(found, Reason) and found.key == "calibrate.cpu"):
        return ()
    return (found if isinstance(found, Reason) else found.told(CONTEXT_BYTES),)
