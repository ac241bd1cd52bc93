"""Decisions as the window sees them: computed once typing pauses; pinned scenarios; choices as edits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.reasons import Reason
from optmem_gui.gui.decisions import Decisions, Pinned
from optmem_gui.gui.i18n import render_reason
from optmem_gui.gui.latest import Latest
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
        self._latest = Latest(self._thread, PAUSE_MS, self)
        self._latest.ended.connect(self._ended)
        store.changed.connect(self._follow)
        store.decisions_changed.connect(headline.render_decisions)
        store.decisions_changed.connect(panel.render_decisions)
        headline.largest.edited.connect(store.edit)
        panel.edited.connect(store.edit)
        panel.way_wanted.connect(self._take)
        panel.pin_wanted.connect(self.pin)
        panel.open_wanted.connect(self.ask_file)
        panel.unpin_wanted.connect(lambda: store.set_pinned(None))
        self._latest.want()

    def close(self) -> None:
        """Stop and wait, because a thread must not outlive the window."""
        self._latest.close()

    # -- what is decided

    def _follow(self, snapshot: Snapshot) -> None:
        decisions = snapshot.decisions
        if decisions is None or (decisions.scenario, decisions.gpu) != (snapshot.scenario, snapshot.gpu):
            self._latest.want()

    def _thread(self) -> DecideThread:
        from optmem_gui.gui.tasks.decide import DecideThread  # noqa: PLC0415  # as said above

        snapshot = self._store.snapshot
        thread = DecideThread(snapshot.scenario, snapshot.gpu, tuple(self._store.gpus.values()), self)
        thread.decided.connect(self._decided)
        return thread

    def _decided(self, decisions: Decisions) -> None:
        if self._latest.is_latest(self.sender()):
            self._store.set_decisions(decisions)

    @staticmethod
    def _ended(thread: DecideThread) -> None:
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
