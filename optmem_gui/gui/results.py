"""The results: headline, breakdown beside comparison, timeline beside the measurement."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QDataStream, QIODevice, Qt
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from optmem_gui.gui.cards import Surface
from optmem_gui.gui.panels.breakdown import BreakdownPanel
from optmem_gui.gui.panels.comparison import ComparisonPanel
from optmem_gui.gui.panels.headline import HeadlinePanel
from optmem_gui.gui.panels.measurement import MeasurementPanel
from optmem_gui.gui.panels.timeline import TimelinePanel
from optmem_gui.gui.snapshot import MeasureStage, Snapshot


class Results(QWidget):
    """Lays the result panels out; the borders between them can be moved."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("results")
        self.headline, self.breakdown = HeadlinePanel(), BreakdownPanel()
        self.comparison, self.timeline = ComparisonPanel(), TimelinePanel()
        self.measurement = MeasurementPanel()
        # Qt walks the chain of Tab through a panel's focus proxy, which would visit the filter twice.
        self.comparison.setFocusProxy(None)  # type: ignore[arg-type]  # the stub forgets that None clears it
        self.middle = _splitter(Qt.Orientation.Horizontal, "splitter.middle")
        self.bottom = _splitter(Qt.Orientation.Horizontal, "splitter.bottom")
        self.rows = _splitter(Qt.Orientation.Vertical, "splitter.rows")
        self.middle.addWidget(_on_surface(self.breakdown))
        self.middle.addWidget(_on_surface(self.comparison))
        self.bottom.addWidget(_on_surface(self.timeline))
        self.measured = _on_surface(self.measurement)
        self.bottom.addWidget(self.measured)
        self.measured.hide()
        self.rows.addWidget(self.middle)
        self.rows.addWidget(self.bottom)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(self.fontMetrics().height() // 2)
        self.top = _on_surface(self.headline)
        column.addWidget(self.top)
        column.addWidget(self.rows, 1)
        self.reset()

    def heightForWidth(self, width: int) -> int:  # noqa: N802  # Qt's name
        """What the headline needs at this width and a useful height for the rest; below that it scrolls."""
        em = self.fontMetrics().height()
        rows = max(self.rows.minimumSizeHint().height(), 26 * em)
        return self.top.heightForWidth(width) + em // 2 + rows

    def reset(self) -> None:
        """Put the borders back."""
        em = self.fontMetrics().height()
        self.middle.setSizes([56 * em, 44 * em])
        self.bottom.setSizes([60 * em, 40 * em])
        self.rows.setSizes([50 * em, 50 * em])

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # panels render snapshots
        """Show a snapshot."""
        self.headline.render(snapshot)
        self.breakdown.render(snapshot)
        self.comparison.render(snapshot)
        self.timeline.render(snapshot)
        self.measurement.render(snapshot)
        self._show_measured(snapshot)

    def render_measurement(self, snapshot: Snapshot) -> None:
        """Show what a measurement changes, which is not everything."""
        self.headline.render(snapshot)
        self.timeline.render(snapshot)
        self.measurement.render(snapshot)
        self._show_measured(snapshot)

    def _show_measured(self, snapshot: Snapshot) -> None:
        self.measured.setVisible(snapshot.measurement.stage is not MeasureStage.IDLE)

    def save_state(self) -> QByteArray:
        """Where the borders are."""
        state = QByteArray()
        stream = QDataStream(state, QIODevice.OpenModeFlag.WriteOnly)
        for splitter in (self.rows, self.middle, self.bottom):
            stream << splitter.saveState()
        return state

    def restore_state(self, state: QByteArray) -> None:
        """Put the borders where they were; nothing happens with an empty or foreign state."""
        stream = QDataStream(state, QIODevice.OpenModeFlag.ReadOnly)
        for splitter in (self.rows, self.middle, self.bottom):
            part = QByteArray()
            stream >> part
            if not part.isEmpty():
                splitter.restoreState(part)


def _splitter(orientation: Qt.Orientation, name: str) -> QSplitter:
    splitter = QSplitter(orientation)
    splitter.setObjectName(name)
    splitter.setChildrenCollapsible(False)
    splitter.setHandleWidth(splitter.fontMetrics().height() // 2)
    return splitter


def _on_surface(panel: QWidget) -> Surface:
    surface = Surface()
    surface.body.addWidget(panel)
    return surface
