"""Decisions as the window sees them: computed once typing pauses; pinned scenarios; choices as edits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QFileDialog, QWidget

from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.reasons import Reason
from optmem_gui.gui.decisions import Decisions, Pinned
from optmem_gui.gui.i18n import render_reason
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.store import Store
from optmem_gui.paths import SCENARIO_SUFFIX

if TYPE_CHECKING:  # made when something is decided: the window starts without
    from optmem_gui.core.ways import Way
    from optmem_gui.gui.panels.decide import DecidePanel
    from optmem_gui.gui.panels.headline import HeadlinePanel
    from optmem_gui.gui.tasks.decide import DecideThread

PAUSE_MS = 150
"""After the last edit, and its repaint: what is decided must not slow typing down."""


class Deciding(QObject):
    """Starts, follows and stops what decides, and does what the views of it ask for."""

    def __init__(self, window: QWidget, store: Store, headline: HeadlinePanel, panel: DecidePanel) -> None:
        super().__init__(window)
        self._window, self._store, self._panel = window, store, panel
        self._current: DecideThread | None = None
        self._threads: set[DecideThread] = set()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(PAUSE_MS)
        self._later.timeout.connect(self._begin)
        store.changed.connect(self._follow)
        store.decisions_changed.connect(headline.render_decisions)
        store.decisions_changed.connect(panel.render_decisions)
        headline.largest.edited.connect(store.edit)
        panel.edited.connect(store.edit)
        panel.way_wanted.connect(self._take)
        panel.pin_wanted.connect(self.pin)
        panel.open_wanted.connect(self.ask_file)
        panel.unpin_wanted.connect(lambda: store.set_pinned(None))
        self._later.start()

    def close(self) -> None:
        """Stop and wait, because a thread must not outlive the window."""
        self._give_up()
        for thread in tuple(self._threads):
            thread.wait()

    # -- what is decided

    def _follow(self, snapshot: Snapshot) -> None:
        decisions = snapshot.decisions
        if decisions is None or (decisions.scenario, decisions.gpu) != (snapshot.scenario, snapshot.gpu):
            self._give_up()
            self._later.start()

    def _give_up(self) -> None:
        self._later.stop()
        if self._current is not None:
            self._current.requestInterruption()
            self._current = None

    def _begin(self) -> None:
        from optmem_gui.gui.tasks.decide import DecideThread  # noqa: PLC0415  # as said above

        snapshot = self._store.snapshot
        thread = DecideThread(snapshot.scenario, snapshot.gpu, tuple(self._store.gpus.values()), self)
        thread.decided.connect(self._decided)
        thread.finished.connect(self._finished)
        self._threads.add(thread)
        self._current = thread
        thread.start()

    def _decided(self, decisions: Decisions) -> None:
        if self.sender() is self._current:
            self._store.set_decisions(decisions)

    def _finished(self) -> None:
        thread = next((each for each in self._threads if each is self.sender()), None)
        if thread is None:
            return
        self._threads.discard(thread)
        thread.deleteLater()
        if thread is self._current:
            self._current = None
            if thread.defect is not None:
                raise thread.defect

    # -- what is done with it

    def _take(self, way: Way) -> None:
        """Make a change: one undo step."""
        self._store.edit("several", (dict(way.changes), self._store.snapshot.inputs.checkpoint))

    def pin(self) -> None:
        """Keep the present scenario as A."""
        snapshot = self._store.snapshot
        if snapshot.breakdown is not None:
            title = snapshot.file.name if snapshot.file is not None else ""
            self._store.set_pinned(Pinned(title, snapshot.scenario, snapshot.breakdown))
            self._panel.show_page("pinned")

    def ask_file(self) -> None:
        """Let the user choose another scenario to be A."""
        title, kind = self.tr("Open a scenario as A"), self.tr("OptMem scenario")
        name, _ = QFileDialog.getOpenFileName(self._window, title, "", f"{kind} (*{SCENARIO_SUFFIX})")
        if name:
            self.pin_file(Path(name))

    def pin_file(self, path: Path) -> None:
        """Make the scenario of a file A."""
        from optmem_gui.report.scenario_file import load_scenario  # noqa: PLC0415  # as said above

        try:
            scenario = load_scenario(path)
            gpu = self._store.gpus.get(scenario.gpu or "")
            breakdown = compute(scenario, gpu)
        except UserError as error:
            reason = render_reason(error.reason, self._store.snapshot.unit)
            self._store.notice(Reason("pin.scenario", {"path": path.name, "reason": reason}))
            return
        self._store.set_pinned(Pinned(path.name, scenario, breakdown))
