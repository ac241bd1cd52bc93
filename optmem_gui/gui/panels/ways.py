"""Ways to fit: one change a row, what it saves, what it costs, and a button that makes it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from optmem_gui.core.units import SizeUnit, format_bytes
from optmem_gui.core.ways import Way
from optmem_gui.gui.i18n import render_reason
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.widgets.labels import TONE_OF_SIGN, Sign, ValueLabel, VerdictMark
from optmem_gui.gui.widgets.painting import em
from optmem_gui.gui.widgets.titled import TitledPanel

_SIGNS: Mapping[str, Sign] = {"yes": "yes", "tight": "tight", "no": "no"}


class WayRow(QWidget):
    """One change.

    Emits:
        wanted: The :class:`Way` that the user wants.
    """

    wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.way: Way | None = None
        self.saved = ValueLabel(bold=True)
        self.cost = ValueLabel(wrap=True)
        self.mark = VerdictMark()
        self.then = ValueLabel(tone="muted", factor=0.92, wrap=True)
        self.button = QPushButton()
        self.button.setAutoDefault(False)
        self.button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.button.clicked.connect(self._want)
        gap = round(em(self) / 2)
        verdict = QHBoxLayout()
        verdict.setSpacing(gap)
        verdict.addWidget(self.mark, 0, Qt.AlignmentFlag.AlignTop)
        verdict.addWidget(self.then, 1)
        figures = QVBoxLayout()
        figures.setSpacing(gap // 4)
        figures.addWidget(self.saved)
        figures.addLayout(verdict)
        below = QHBoxLayout()
        below.setSpacing(gap)
        below.addLayout(figures, 1)
        below.addWidget(self.button, 0, Qt.AlignmentFlag.AlignVCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, gap // 2, gap, gap // 2)
        column.setSpacing(gap // 4)
        column.addWidget(self.cost)
        column.addLayout(below)

    def show_way(self, way: Way, unit: SizeUnit) -> None:
        """Show a change."""
        self.way = way
        cost = render_reason(way.cost, unit)
        cost = cost[:1].upper() + cost[1:]
        saved, peak = format_bytes(way.saved_bytes, unit), format_bytes(way.peak_bytes, unit)
        self.saved.setText(self.tr("saves {size}").format(size=saved))
        self.cost.setText(cost)
        sign: Sign = _SIGNS[way.fit.fits] if way.fit is not None else "none"
        words = {
            "yes": self.tr("then fits, at {peak}"),
            "tight": self.tr("then tight, at {peak}"),
            "no": self.tr("still too much, at {peak}"),
            "none": self.tr("then at {peak}"),
        }
        self.mark.set_sign(sign)
        self.mark.setVisible(way.fit is not None)
        self.then.setText(words[sign].format(peak=peak))
        self.then.set_tone(TONE_OF_SIGN[sign])
        self.button.setText(self.tr("Apply"))
        self.button.setAccessibleName(self.tr("Apply: {change}").format(change=cost))
        self.button.setToolTip(self.tr("Change the inputs; undo takes it back"))

    def _want(self) -> None:
        if self.way is not None:
            self.wanted.emit(self.way)


class WaysPanel(TitledPanel):
    """Every single change that lowers the peak, the one that saves most first.

    Emits:
        wanted: The :class:`Way` that the user wants.
    """

    wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ways")
        self._snapshot: Snapshot | None = None
        self.rows: list[WayRow] = []
        self.empty = ValueLabel(tone="muted", wrap=True)
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self.empty)
        self._column.addStretch(1)
        self.area = QScrollArea()
        self.area.setObjectName("waysArea")
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(content)
        self.area.viewport().setAutoFillBackground(False)
        content.setAutoFillBackground(False)
        self.body.addWidget(self.area, 1)
        self.retranslate()

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # panels render snapshots
        """Show a snapshot; what was found for earlier inputs cannot be applied any more."""
        self._snapshot = snapshot
        decisions = snapshot.decisions
        current = decisions is not None and decisions.scenario == snapshot.scenario
        ways = decisions.ways if decisions is not None else ()
        while len(self.rows) < len(ways):
            row = WayRow()
            row.wanted.connect(self.wanted)
            self.rows.append(row)
            self._column.insertWidget(len(self.rows), row)
        for place, row in enumerate(self.rows):
            if place < len(ways):
                row.show_way(ways[place], snapshot.unit)
            row.setVisible(place < len(ways))
            row.setEnabled(current)
        done = current and decisions is not None and (decisions.done or bool(ways))
        self.empty.setText(self.tr("No single change saves anything.") if done else self.tr("Being computed"))
        self.empty.setVisible(not ways)
        self.write_note(self.tr("one change each; undo takes it back") if ways else "")

    def retranslate(self) -> None:
        """Put up the words of the current language."""
        self.title.setText(self.tr("Ways to fit"))
        self.area.setAccessibleName(self.tr("Changes that lower the peak"))
        if self._snapshot is not None:
            self.render(self._snapshot)
