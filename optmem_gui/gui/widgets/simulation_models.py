"""The tables beside a simulation: estimated beside simulated, and the phases of its run."""

from __future__ import annotations

from collections.abc import Sequence

from optmem_gui.core.simulated import SimulatedRow
from optmem_gui.core.simulating import SimulatedPhase, SimulationReport
from optmem_gui.core.units import SizeUnit, format_bytes, format_count
from optmem_gui.gui.i18n import component_name, render_reason, stage_name
from optmem_gui.gui.widgets.text_table import Heads, TextRow, TextTableModel


class DifferenceModel(TextTableModel):
    """Rows of estimated | simulated | difference | why."""

    def show_differences(self, rows: Sequence[SimulatedRow], unit: SizeUnit) -> None:
        """Show other rows; what neither side has is left out."""
        heads = Heads(
            (
                self.tr("Component"),
                self.tr("estimated"),
                self.tr("simulated"),
                self.tr("difference"),
                self.tr("why"),
            ),
            (self.tr("estimated, bytes"), self.tr("simulated, bytes")),
            frozenset({1, 2, 3}),
        )
        there = [row for row in rows if row.estimated or row.simulated]
        self.show_rows(heads, tuple(self._row(row, unit) for row in there))

    def _row(self, row: SimulatedRow, unit: SizeUnit) -> TextRow:
        beyond = row.difference_bytes
        difference = (
            self.tr("exact") if beyond == 0 else f"{'+' if beyond > 0 else ''}{format_bytes(beyond, unit)}"
        )
        why = "" if row.why is None else render_reason(row.why, unit)
        cells = (
            self._name(row),
            format_bytes(row.estimated, unit),
            format_bytes(row.simulated, unit),
            difference,
            why,
        )
        tip = self.tr("estimated {estimated} bytes, simulated {simulated} bytes").format(
            estimated=format_count(row.estimated), simulated=format_count(row.simulated)
        )
        swatch = row.id if row.kind == "component" else ""
        return TextRow(
            cells, (str(row.estimated), str(row.simulated)), f"{tip}\n{why}".strip(), swatch, row.kind
        )

    def _name(self, row: SimulatedRow) -> str:
        if row.kind == "component":
            return component_name(row.id)
        if row.kind == "phase":
            return self.tr("peak in {phase}").format(phase=stage_name(row.id))
        return self.tr("peak allocated") if row.kind == "peak" else self.tr("peak reserved")


class PhaseModel(TextTableModel):
    """Rows of phase | start | end | peak | reserved."""

    def show_phases(self, report: SimulationReport, unit: SizeUnit) -> None:
        """Show the phases of a run."""
        heads = Heads(
            (
                self.tr("Phase"),
                self.tr("at its start"),
                self.tr("at its end"),
                self.tr("peak"),
                self.tr("peak reserved"),
            ),
            (self.tr("peak, bytes"), self.tr("peak reserved, bytes")),
            frozenset({1, 2, 3, 4}),
        )
        self.show_rows(heads, tuple(self._row(phase, unit) for phase in report.phases))

    def _row(self, phase: SimulatedPhase, unit: SizeUnit) -> TextRow:
        name = stage_name(phase.phase)
        if phase.step:
            name = self.tr("step {step}, {phase}").format(step=phase.step, phase=name)
        sizes = (phase.start_bytes, phase.allocated_bytes, phase.peak_bytes, phase.peak_reserved_bytes)
        tip = self.tr("peak {peak} bytes allocated, {reserved} bytes reserved").format(
            peak=format_count(phase.peak_bytes), reserved=format_count(phase.peak_reserved_bytes)
        )
        return TextRow(
            (name, *(format_bytes(size, unit) for size in sizes)),
            (str(phase.peak_bytes), str(phase.peak_reserved_bytes)),
            tip,
        )
