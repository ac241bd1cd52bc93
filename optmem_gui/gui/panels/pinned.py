"""Pin as A: another scenario and the present one, component by component."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from optmem_gui.core.breakdown import Breakdown
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.side_by_side import SideRow, side_by_side
from optmem_gui.core.units import SizeUnit, format_bytes
from optmem_gui.gui.decisions import Pinned
from optmem_gui.gui.i18n import clauses, component_name, listed, model_title, phase_name, precision_name
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.widgets.copy_table import CopyTable
from optmem_gui.gui.widgets.labels import ValueLabel
from optmem_gui.gui.widgets.text_table import Heads, TextRow, TextTableModel
from optmem_gui.gui.widgets.titled import TitledPanel


class PinnedPanel(TitledPanel):
    """A | now, with what the present scenario takes more or less.

    Emits:
        pin_wanted: The present scenario is to be A.
        open_wanted: A file is to be A.
        unpin_wanted: Nothing is to be A.
    """

    pin_wanted = Signal()
    open_wanted = Signal()
    unpin_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pinned")
        self._snapshot: Snapshot | None = None
        self.pin, self.open, self.unpin = QPushButton(), QPushButton(), QPushButton()
        line = QHBoxLayout()
        for button, signal in (
            (self.pin, self.pin_wanted),
            (self.open, self.open_wanted),
            (self.unpin, self.unpin_wanted),
        ):
            button.setAutoDefault(False)
            button.clicked.connect(signal)
            line.addWidget(button)
        line.addStretch(1)
        self.what = ValueLabel(wrap=True)
        self.model = TextTableModel(self)
        self.table = CopyTable()
        self.table.setObjectName("pinnedTable")
        self.table.setModel(self.model)
        self.body.addLayout(line)
        self.body.addWidget(self.what)
        self.body.addWidget(self.table, 1)
        self.retranslate()

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # panels render snapshots
        """Show a snapshot."""
        self._snapshot = snapshot
        pinned, now = snapshot.pinned, snapshot.breakdown
        self.unpin.setEnabled(pinned is not None)
        self.table.setVisible(pinned is not None)
        if pinned is None or now is None:
            self.what.setText(self.tr("Pin the present scenario, change something, and read what it did."))
            self.what.set_tone("muted")
            self.write_note("")
            return
        self.what.set_tone("text")
        self.what.setText(self._said(pinned, snapshot, now))
        rows = side_by_side(pinned.breakdown, now)
        self.model.show_rows(self._heads(), tuple(self._row(row, snapshot.unit) for row in rows))
        self.table.fit_numbers(4)
        peak = rows[-1]
        if peak.difference is not None:
            sizes = _signed(peak.difference, snapshot.unit)
            self.write_note(self.tr("peak {size} against A").format(size=sizes))

    def _said(self, pinned: Pinned, snapshot: Snapshot, now: Breakdown) -> str:
        name = f"A ({pinned.title})" if pinned.title else "A"
        lines = []
        for title, scenario, breakdown in (
            (name, pinned.scenario, pinned.breakdown),
            (self.tr("now"), snapshot.scenario, now),
        ):
            text = self.tr("{title}: {scenario}; peak in {phase}").format(
                title=title, scenario=_summary(scenario), phase=phase_name(breakdown.peak_phase)
            )
            lines.append(text if breakdown.fit is None else clauses((text, self._fits(breakdown))))
        return "\n".join(lines)

    def _fits(self, breakdown: Breakdown) -> str:
        fit = breakdown.fit
        words = {"yes": self.tr("fits"), "tight": self.tr("tight"), "no": self.tr("does not fit")}
        return "" if fit is None else words[fit.fits]

    def _heads(self) -> Heads:
        cells = (
            self.tr("component"),
            "A",
            self.tr("now"),
            self.tr("difference"),
            self.tr("change"),
        )
        exact = (self.tr("A, bytes"), self.tr("now, bytes"), self.tr("difference, bytes"))
        return Heads(cells, exact, frozenset({1, 2, 3, 4}))

    def _row(self, row: SideRow, unit: SizeUnit) -> TextRow:
        peak = row.id == "peak"
        first, second = (
            self.tr("not counted") if size is None else format_bytes(size, unit)
            for size in (row.first, row.second)
        )
        cells = (
            self.tr("Peak") if peak else component_name(row.id),
            first,
            second,
            "" if row.difference is None else _signed(row.difference, unit),
            "" if row.share is None else f"{100 * row.share:+.1f} %",
        )
        exact = tuple("" if size is None else str(size) for size in (row.first, row.second, row.difference))
        return TextRow(cells, exact, component="" if peak else row.id)

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.title.setText(self.tr("Against a pinned scenario"))
        self.pin.setText(self.tr("Pin this as A"))
        self.pin.setToolTip(self.tr("Keep the present scenario, to set later ones against it"))
        self.open.setText(self.tr("Open as A..."))
        self.open.setToolTip(self.tr("Set the present scenario against a saved one"))
        self.unpin.setText(self.tr("Unpin"))
        self.table.setAccessibleName(self.tr("A and the present scenario by component"))
        if self._snapshot is not None:
            self.render(self._snapshot)


def _signed(size: int, unit: SizeUnit) -> str:
    return f"{'+' if size > 0 else ''}{format_bytes(size, unit)}"


def _summary(scenario: Scenario) -> str:
    """A scenario in a line: model, optimizer, precision, size."""
    parts = [model_title(scenario.model), scenario.optimizer, precision_name(scenario.precision)]
    if scenario.batch is not None and scenario.sequence is not None:
        parts.append(f"{scenario.batch} x {scenario.sequence}")
    return listed(parts)
