"""The results: headline, breakdown beside comparison, timeline beside what runs and ran.

To add a view, add a line to :data:`VIEWS`: where it stands, and when it is there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, cast

from PySide6.QtCore import QByteArray, QDataStream, QEvent, QIODevice, QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from optmem_gui.gui.cards import Surface
from optmem_gui.gui.fields import Segment
from optmem_gui.gui.panels.breakdown import BreakdownPanel
from optmem_gui.gui.panels.comparison import ComparisonPanel
from optmem_gui.gui.panels.decide import DecidePanel
from optmem_gui.gui.panels.headline import HeadlinePanel
from optmem_gui.gui.panels.timeline import TimelinePanel
from optmem_gui.gui.snapshot import MeasureStage, SimulateStage, Snapshot

if TYPE_CHECKING:
    from optmem_gui.gui.panels.measurement import MeasurementPanel

_TWO_TABLES_EM = 44
"""Width in lines of text from which the breakdown and the comparison are both readable beside each other."""

Place = Literal["middle", "bottom", "side"]
"""The upper row, the lower row, and the place at its right end in which views take turns."""


class Panel(Protocol):
    """What a view does."""

    def render(self, snapshot: Snapshot) -> None:
        """Show a snapshot."""


@dataclass(frozen=True, slots=True)
class View:
    """One view of the results.

    Attributes:
        name: Its name in the program.
        place: Where it stands.
        make: Makes it; a view that is not always there is made when it is there for the first time.
        there: Whether it has something to show, for a view that is not always there.
        calls: Whether it is to be seen now; as that becomes true, it comes before the others in its place.
    """

    name: str
    place: Place
    make: Callable[[], QWidget]
    there: Callable[[Snapshot], bool] | None = None
    calls: Callable[[Snapshot], bool] | None = None


def _simulation_panel() -> QWidget:
    from optmem_gui.gui.panels.simulation import SimulationPanel  # noqa: PLC0415  # the start does without it

    return SimulationPanel()


def _measurement_panel() -> QWidget:
    from optmem_gui.gui.panels.measurement import MeasurementPanel  # noqa: PLC0415  # the start does without it

    return MeasurementPanel()


def _ranks_panel() -> QWidget:
    from optmem_gui.gui.panels.ranks import RanksPanel  # noqa: PLC0415  # the start does without it

    return RanksPanel()


VIEWS: tuple[View, ...] = (
    View("breakdown", "middle", BreakdownPanel),
    View("decide", "middle", DecidePanel),
    View("timeline", "bottom", TimelinePanel),
    View(
        "simulation",
        "side",
        _simulation_panel,
        there=lambda snapshot: snapshot.simulation.stage is not SimulateStage.IDLE,
        calls=lambda snapshot: snapshot.simulation.stage.is_busy and snapshot.simulation.by_user,
    ),
    View(
        "measurement",
        "side",
        _measurement_panel,
        there=lambda snapshot: snapshot.measurement.stage is not MeasureStage.IDLE,
        calls=lambda snapshot: snapshot.measurement.stage is not MeasureStage.IDLE,
    ),
    View(
        "ranks",
        "side",
        _ranks_panel,
        there=lambda snapshot: snapshot.breakdown is not None and len(snapshot.breakdown.ranks) > 1,
    ),
)
"""Every view, in the order they are laid out."""


class Results(QWidget):
    """Lays the result panels out; the borders between them can be moved.

    Emits:
        view_made: Name of a view that was made after the window.
    """

    view_made = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("results")
        self._panels: dict[str, QWidget] = {}
        self._called: set[str] = set()
        self.headline = HeadlinePanel()
        self.middle = _splitter(Qt.Orientation.Horizontal, "splitter.middle")
        self.bottom = _splitter(Qt.Orientation.Horizontal, "splitter.bottom")
        self.rows = _splitter(Qt.Orientation.Vertical, "splitter.rows")
        self.side = Side()
        for view in VIEWS:
            if view.there is None:
                panel = self._panels[view.name] = view.make()
                (self.middle if view.place == "middle" else self.bottom).addWidget(_on_surface(panel))
        # Qt walks the chain of Tab through a panel's focus proxy, which would visit the filter twice.
        self.comparison.setFocusProxy(None)  # type: ignore[arg-type]  # the stub forgets that None clears it
        self.bottom.addWidget(self.side)
        self.side.hide()
        self.rows.addWidget(self.middle)
        self.rows.addWidget(self.bottom)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(self.fontMetrics().height() // 2)
        self.top = _on_surface(self.headline)
        column.addWidget(self.top)
        column.addWidget(self.rows, 1)
        self.reset()

    # The views by name, for whoever deals with one of them

    @property
    def breakdown(self) -> BreakdownPanel:
        """The table of components."""
        return cast("BreakdownPanel", self._panels["breakdown"])

    @property
    def comparison(self) -> ComparisonPanel:
        """Every optimizer."""
        return self.decide.comparison

    @property
    def decide(self) -> DecidePanel:
        """Every optimizer, every GPU, ways to fit."""
        return cast("DecidePanel", self._panels["decide"])

    @property
    def timeline(self) -> TimelinePanel:
        """The plots."""
        return cast("TimelinePanel", self._panels["timeline"])

    @property
    def measurement(self) -> MeasurementPanel:
        """The measurement, once there was one."""
        return cast("MeasurementPanel", self._panels["measurement"])

    def panel(self, name: str) -> QWidget | None:
        """A view that may not be made yet."""
        return self._panels.get(name)

    def heightForWidth(self, width: int) -> int:  # noqa: N802  # Qt's name
        """What the headline needs at this width and a useful height for the rest; below that it scrolls."""
        em = self.fontMetrics().height()
        stacked = sum(not _is_wide(row) for row in (self.middle, self.bottom))
        useful = 26 + 20 * stacked
        rows = max(self.rows.minimumSizeHint().height(), useful * em)
        return self.top.heightForWidth(width) + em // 2 + rows

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        """What is needed at the present width; the layout would count the headline as in its narrowest."""
        width = super().minimumSizeHint().width()
        return QSize(width, self.heightForWidth(max(width, self.width())))

    def fit_width(self, width: int) -> None:
        """Put the views of each row side by side where there is room for them, else above each other."""
        em = self.fontMetrics().height()
        cards = (self.bottom.widget(place) for place in range(self.bottom.count()))
        needed = sum(card.minimumSizeHint().width() for card in cards if card is not None)
        wide = self.side.isHidden() or needed + self.bottom.handleWidth() <= width
        changed = [
            _lay(self.middle, width >= _TWO_TABLES_EM * em, (56, 44)),
            _lay(self.bottom, wide, (60, 40)),
        ]
        if any(changed):
            heights = [20 if _is_wide(row) else 40 for row in (self.middle, self.bottom)]
            self.rows.setSizes([height * em for height in heights])
            self.updateGeometry()

    def reset(self) -> None:
        """Put the borders back."""
        em = self.fontMetrics().height()
        self.middle.setSizes([56 * em, 44 * em])
        self.bottom.setSizes([60 * em, 40 * em])
        self.rows.setSizes([50 * em, 50 * em])

    def render(self, snapshot: Snapshot) -> None:  # type: ignore[override]  # panels render snapshots
        """Show a snapshot."""
        self._show(snapshot, tuple(view.name for view in VIEWS))

    def render_run(self, snapshot: Snapshot, name: str) -> None:
        """Show what a simulation or a measurement changes, which is not everything.

        Args:
            snapshot: What to show.
            name: The view of the run.
        """
        self._show(snapshot, ("timeline", name))

    def _show(self, snapshot: Snapshot, names: tuple[str, ...]) -> None:
        self.headline.render(snapshot)
        for view in VIEWS:
            if view.name not in names:
                continue
            there = view.there is None or view.there(snapshot)
            panel = self._panels.get(view.name)
            if panel is None and there:
                panel = self._make(view)
            if panel is not None:
                cast("Panel", panel).render(snapshot)
            if view.there is not None:
                self._place(view, snapshot, there=there)

    def _make(self, view: View) -> QWidget:
        panel = self._panels[view.name] = view.make()
        self.side.add(view.name, panel)
        self.view_made.emit(view.name)
        return panel

    def _place(self, view: View, snapshot: Snapshot, *, there: bool) -> None:
        """Put a view that is not always there where it belongs, in front when it begins to call."""
        self.side.offer(view.name, there=there)
        calls = view.calls is not None and view.calls(snapshot)
        if calls and view.name not in self._called:
            self._called.add(view.name)
            self.side.bring_forward(view.name)
        elif not calls:
            self._called.discard(view.name)

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


class ResultsView(QScrollArea):
    """The results; on a small or strongly magnified screen they scroll, nothing is squeezed or cut."""

    def __init__(self, results: Results, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._results = results
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(results)
        self.viewport().setAutoFillBackground(False)
        results.setAutoFillBackground(False)
        results.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  # Qt's name
        """Fit anew when a view came, left, or needs more room than before."""
        if watched is self._results and event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        self._results.fit_width(self.viewport().width())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        """Lay the lower row out for the width there is."""
        super().resizeEvent(event)
        self._fit()


class Side(Surface):
    """Views that take turns; where there are several, buttons choose the one that is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("side")
        self._places: dict[str, int] = {}
        self._there: set[str] = set()
        self.buttons = QButtonGroup(self)
        self._line = QHBoxLayout()
        self._line.setSpacing(0)
        self._line.addStretch(1)
        self.stack = QStackedWidget()
        self.body.addLayout(self._line)
        self.body.addWidget(self.stack, 1)
        self.buttons.idClicked.connect(self.stack.setCurrentIndex)

    def add(self, name: str, panel: QWidget) -> None:
        """Take a view in."""
        place = self._places[name] = self.stack.addWidget(panel)
        button = Segment()
        button.setAutoDefault(False)
        self.buttons.addButton(button, place)
        self._line.insertWidget(self._line.count() - 1, button)
        self._retranslate()

    def offer(self, name: str, *, there: bool) -> None:
        """Say whether a view has something to show."""
        before = set(self._there)
        self._there = (self._there | {name}) if there else (self._there - {name})
        if self._there == before:
            return
        for view, place in self._places.items():
            self.buttons.button(place).setVisible(view in self._there and len(self._there) > 1)
        self.setVisible(bool(self._there))
        if self._there and self.front not in self._there:
            self.bring_forward(next(view for view in self._places if view in self._there))

    @property
    def front(self) -> str:
        """The view that is shown; empty without one."""
        return next((name for name, place in self._places.items() if place == self.stack.currentIndex()), "")

    def bring_forward(self, name: str) -> None:
        """Show a view."""
        place = self._places[name]
        self.stack.setCurrentIndex(place)
        self.buttons.button(place).setChecked(True)

    def _retranslate(self) -> None:
        words = {
            "simulation": self.tr("Simulation"),
            "measurement": self.tr("Measurement"),
            "ranks": self.tr("Ranks"),
        }
        for name, place in self._places.items():
            self.buttons.button(place).setText(words[name])

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        """Follow a change of language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()


def _is_wide(row: QSplitter) -> bool:
    return row.orientation() is Qt.Orientation.Horizontal


def _lay(row: QSplitter, wide: bool, shares: tuple[int, int]) -> bool:
    """Put a row's views side by side or above each other; whether that changed anything."""
    if _is_wide(row) is wide:
        return False
    row.setOrientation(Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical)
    row.setSizes(list(shares) if wide else [50, 50])
    return True


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
