"""The answer at the top of the window: how much, where, and whether it fits."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from optmem_gui.core.breakdown import Breakdown
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.core.why.answer import Subject
from optmem_gui.gui.i18n import component_name, listed, render_reason
from optmem_gui.gui.panels.decide_largest import Largest
from optmem_gui.gui.snapshot import MeasurementState, MeasureStage, SimulateStage, Snapshot
from optmem_gui.gui.widgets.labels import TONE_OF_SIGN, NumberTile, Sign, ValueLabel, VerdictMark
from optmem_gui.gui.widgets.painting import em
from optmem_gui.gui.widgets.stacked_bar import OVERHEAD, BarContent, Segment, StackedBar
from optmem_gui.gui.widgets.why_button import WhyButton

_SIGNS: dict[str, Sign] = {"yes": "yes", "tight": "tight", "no": "no"}


class HeadlinePanel(QWidget):
    """Peak, verdict, the three numbers, and the peak as a stacked bar.

    Emits:
        why_wanted: The :class:`~optmem_gui.core.why.answer.Subject` to explain.
    """

    why_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("headline")
        self._snapshot: Snapshot | None = None
        self.peak = ValueLabel(factor=1.6, bold=True, wrap=True)
        self.peak.setObjectName("peak")
        self.rank = ValueLabel(tone="muted", wrap=True)
        self.rank.setObjectName("rank")
        self.mark = VerdictMark()
        self.verdict = ValueLabel(wrap=True)
        self.verdict.setObjectName("verdict")
        self.band = ValueLabel(tone="muted", wrap=True)
        self.band.setObjectName("band")
        self.estimated, self.simulated, self.measured = NumberTile(), NumberTile(), NumberTile()
        self.largest = Largest()
        self.bar = StackedBar()
        self.bar.setObjectName("peakBar")
        self.why = WhyButton()
        self.why.clicked.connect(lambda: self.why_wanted.emit(Subject("tier", "process")))
        self._lay_out()
        self.retranslate()

    def _lay_out(self) -> None:
        gap = round(em(self) / 2)
        verdict = QGridLayout()
        verdict.setContentsMargins(0, 0, 0, 0)
        verdict.setHorizontalSpacing(gap)
        verdict.setVerticalSpacing(gap // 4)
        verdict.addWidget(self.mark, 0, 0, Qt.AlignmentFlag.AlignTop)
        verdict.addWidget(self.verdict, 0, 1)
        verdict.addWidget(self.band, 1, 1)
        verdict.setColumnStretch(1, 1)
        words = QVBoxLayout()
        words.setSpacing(gap // 2)
        words.addWidget(self.peak)
        words.addWidget(self.rank)
        words.addLayout(verdict)
        words.addStretch(1)
        numbers = QHBoxLayout()
        numbers.setSpacing(2 * gap)
        for tile in (self.estimated, self.simulated, self.measured):
            numbers.addWidget(tile)
        top = QHBoxLayout()
        top.setSpacing(2 * gap)
        top.addLayout(words, 1)
        side = QVBoxLayout()
        side.setSpacing(0)
        side.addLayout(numbers)
        side.addWidget(self.why, 0, Qt.AlignmentFlag.AlignRight)
        side.addStretch(1)
        top.addLayout(side)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(gap)
        layout.addLayout(top)
        layout.addWidget(self.largest)
        layout.addWidget(self.bar)

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # panels render snapshots
        """Show a snapshot."""
        self._snapshot = snapshot
        self.largest.render(snapshot)
        breakdown, unit = snapshot.breakdown, snapshot.unit
        if breakdown is None:
            self.peak.setText("-")
            self.bar.show_bar(BarContent())
            return
        self.peak.setText(self._peak_text(breakdown, unit, stale=snapshot.is_behind))
        self.peak.set_tone("muted" if snapshot.is_behind else "text")
        self.rank.setText(self._rank_text(breakdown, snapshot))
        self.rank.setVisible(bool(breakdown.ranks))
        sign: Sign = _SIGNS[breakdown.fit.fits] if breakdown.fit else "none"
        self.mark.set_sign(sign)
        self.verdict.set_tone(TONE_OF_SIGN[sign])
        self.verdict.setText(self._verdict_text(breakdown, snapshot.gpu, unit))
        self.band.setText(self._band_text(breakdown, unit, on_cpu=snapshot.scenario.target == "cpu"))
        self._render_numbers(breakdown, snapshot)
        self.bar.show_bar(self._bar_content(breakdown, snapshot.gpu, unit))

    def render_decisions(self, snapshot: Snapshot) -> None:
        """Show what was decided, and keep it for a change of language."""
        self._snapshot = snapshot
        self.largest.render(snapshot)

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.bar.setAccessibleName(self.tr("Memory at the peak, by component"))
        self.why.name(self.tr("What makes up allocated, reserved and the process?"))
        if self._snapshot is not None:
            self.render(self._snapshot)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow a change of language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    # Sentences

    def _peak_text(self, breakdown: Breakdown, unit: SizeUnit, *, stale: bool) -> str:
        sentences = {
            "load": self.tr("{peak} at the peak, while loading"),
            "forward": self.tr("{peak} at the peak, in forward"),
            "backward": self.tr("{peak} at the peak, in backward"),
            "optimizer_step": self.tr("{peak} at the peak, in the optimizer step"),
            "between_steps": self.tr("{peak} at the peak, between steps"),
        }
        text = sentences[breakdown.peak_phase].format(peak=format_bytes(breakdown.peak_bytes, unit))
        return self.tr("{text} (for the last valid input)").format(text=text) if stale else text

    def _rank_text(self, breakdown: Breakdown, snapshot: Snapshot) -> str:
        """Which of several ranks the figures are of, and what it keeps in host memory."""
        if not breakdown.ranks:
            return ""
        parallel, unit = snapshot.scenario.parallel, snapshot.unit
        text = self.tr("On the worst of {count} ranks: {why}").format(
            count=format_count(parallel.gpus), why=render_reason(breakdown.ranks[breakdown.rank].why, unit)
        )
        if parallel.offload == "none":
            return text
        host = format_bytes(breakdown.host_bytes, unit)
        return self.tr("{text}; {host} of host memory").format(text=text, host=host)

    def _verdict_text(self, breakdown: Breakdown, gpu: Gpu | None, unit: SizeUnit) -> str:
        fit = breakdown.fit
        if fit is None:
            return self.tr("No GPU chosen: choose one to see whether this fits")
        name = gpu.name if gpu is not None and gpu.id == fit.gpu else fit.gpu
        usable = format_bytes(fit.usable, unit)
        if fit.fits == "yes":
            return self.tr("Fits: {free} free of {usable} usable on {gpu}").format(
                free=format_bytes(fit.free, unit), usable=usable, gpu=name
            )
        missing = breakdown.process.high - fit.usable
        if fit.fits == "tight":
            return self.tr(
                "Tight: from {free} free to {missing} missing, of {usable} usable on {gpu}"
            ).format(
                free=format_bytes(fit.usable - breakdown.process.low, unit),
                missing=format_bytes(missing, unit),
                usable=usable,
                gpu=name,
            )
        return self.tr("Does not fit: at least {missing} more than the {usable} usable on {gpu}").format(
            missing=format_bytes(breakdown.process.low - fit.usable, unit), usable=usable, gpu=name
        )

    def _band_text(self, breakdown: Breakdown, unit: SizeUnit, *, on_cpu: bool) -> str:
        template = (
            self.tr("The system will show {low} to {high} for the process")
            if on_cpu
            else self.tr("The driver will show {low} to {high} for the process")
        )
        return template.format(
            low=format_bytes(breakdown.process.low, unit), high=format_bytes(breakdown.process.high, unit)
        )

    # The three numbers

    def _render_numbers(self, breakdown: Breakdown, snapshot: Snapshot) -> None:
        unit = snapshot.unit
        self.estimated.show_number(
            self.tr("estimated"), format_bytes(breakdown.peak_bytes, unit), self.tr("allocated")
        )
        self.simulated.show_number(self.tr("simulated"), *self._simulated(snapshot))
        self.measured.show_number(self.tr("measured"), *self._measured(snapshot.measurement, unit))

    def _simulated(self, snapshot: Snapshot) -> tuple[str, str, str]:
        """The simulated peak of exactly these inputs, what it adds, and how far the estimate is from it."""
        notes = {
            SimulateStage.IDLE: self.tr("not simulated"),
            SimulateStage.RUNNING: self.tr("running"),
            SimulateStage.STOPPING: self.tr("stopping"),
            SimulateStage.DONE: self.tr("inputs changed"),
            SimulateStage.FAILED: self.tr("failed"),
            SimulateStage.CANCELLED: self.tr("stopped"),
        }
        result, unit = snapshot.simulated, snapshot.unit
        if result is None:
            last = snapshot.simulation.result
            note = notes[snapshot.simulation.stage]
            if snapshot.simulation.stage is SimulateStage.DONE and last is not None and last.function:
                note = self.tr("of a function")
            return "-", note, ""
        report = result.report
        if report.out_of_memory:
            return self.tr("does not fit"), self.tr("ends at the capacity"), ""
        note = self.tr("{size} reserved").format(size=format_bytes(report.peak_reserved_bytes, unit))
        estimate = result.breakdown.peak_bytes if result.breakdown is not None else 0
        peak = report.peak_bytes
        error = self.tr("exact") if estimate == peak else signed_percent((estimate - peak) / peak)
        tip = self.tr("The estimate of {size} differs by {error} from this").format(
            size=format_bytes(estimate, unit), error=error
        )
        return format_bytes(peak, unit), note, tip

    def _measured(self, state: MeasurementState, unit: SizeUnit) -> tuple[str, str, str]:
        """The measured peak, its signed error or why there is none, and what it is compared with."""
        notes = {
            MeasureStage.IDLE: self.tr("not measured"),
            MeasureStage.ASKING: self.tr("not measured"),
            MeasureStage.PREPARING: self.tr("starting"),
            MeasureStage.RUNNING: self.tr("running"),
            MeasureStage.STOPPING: self.tr("stopping"),
            MeasureStage.FAILED: self.tr("failed"),
            MeasureStage.CANCELLED: self.tr("stopped"),
            MeasureStage.DONE: "",
        }
        peak = state.result.peak_bytes if state.result is not None else 0
        if not peak or state.breakdown is None:
            return "-", notes[state.stage], ""
        estimate = state.breakdown.peak_bytes
        error = self.tr("exact") if estimate == peak else signed_percent((estimate - peak) / peak)
        note = self.tr("{error} on {device}").format(error=error, device=state.device)
        tip = self.tr("Compared with the estimate for that device and its version of torch: {size}").format(
            size=format_bytes(estimate, unit)
        )
        return format_bytes(peak, unit), note, tip

    # The bar

    def _bar_content(self, breakdown: Breakdown, gpu: Gpu | None, unit: SizeUnit) -> BarContent:
        parts = [self._segment(breakdown, row.id, unit) for row in breakdown.components if row.at_peak > 0]
        if breakdown.fit:
            parts.append(self._overhead(breakdown, unit))
        usable = breakdown.fit.usable if breakdown.fit else None
        label = ""
        if usable is not None:
            label = self.tr("usable {usable}").format(usable=format_bytes(usable, unit))
        return BarContent(
            segments=tuple(parts),
            usable_bytes=usable,
            usable_label=label,
            zero_label="0",
            sentence=self._sentence(breakdown, gpu, unit),
        )

    def _overhead(self, breakdown: Breakdown, unit: SizeUnit) -> Segment:
        beyond = max(0, breakdown.process.high - breakdown.peak_bytes)
        size = format_bytes(beyond, unit)
        tip = self.tr(
            "Up to {size} beyond what is allocated: CUDA context, segments that the caching allocator "
            "keeps, fragmentation"
        ).format(size=size)
        return Segment(OVERHEAD, self.tr("Context and reserve"), beyond, size, f"<p>{escape(tip)}</p>")

    def _segment(self, breakdown: Breakdown, component_id: str, unit: SizeUnit) -> Segment:
        row = breakdown.component(component_id)
        size = format_bytes(row.at_peak, unit)
        share = row.at_peak / breakdown.peak_bytes
        name = component_name(component_id)
        exact = self.tr("{size} at the peak ({count} bytes), {share} of it").format(
            size=size, count=format_count(row.at_peak), share=f"{100 * share:.1f} %"
        )
        why = render_reason(row.why, unit)
        tip = f"<p><b>{escape(name)}</b><br/>{escape(exact)}</p><p>{escape(why)}</p>"
        return Segment(component_id, name, row.at_peak, size, tip)

    def _sentence(self, breakdown: Breakdown, gpu: Gpu | None, unit: SizeUnit) -> str:
        parts = listed(
            f"{component_name(row.id)} {format_bytes(row.at_peak, unit)}"
            for row in breakdown.components
            if row.at_peak
        )
        return self.tr("{peak}: {parts}. {verdict}.").format(
            peak=self._peak_text(breakdown, unit, stale=False),
            parts=parts,
            verdict=self._verdict_text(breakdown, gpu, unit),
        )


def signed_percent(share: float) -> str:
    """A relative error with the digits that matter: ``+25 %``, ``-0.3 %``, ``+0.0012 %``."""
    percent = 100 * share
    if abs(percent) >= 10:
        return f"{percent:+,.0f} %"
    if abs(percent) >= 0.1:
        return f"{percent:+.1f} %"
    return f"{percent:+.4f} %" if abs(percent) >= 0.0001 else "<0.0001 %"
