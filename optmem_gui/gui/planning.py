"""Plans as the window sees them: one dialog, one thread, what was chosen as one edit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from optmem_gui.core.parallel import ONE_GPU
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.gui.snapshot import Snapshot
from optmem_gui.gui.store import Store

if TYPE_CHECKING:  # made when they are meant: the window starts without them
    from optmem_gui.gui.dialogs.planner import PlannerDialog
    from optmem_gui.gui.tasks.plan import Plan, PlanThread


class Planning(QObject):
    """Starts, follows and stops plans."""

    def __init__(self, window: QWidget, store: Store) -> None:
        super().__init__(window)
        self._window, self._store = window, store
        self.dialog: PlannerDialog | None = None
        self._thread: PlanThread | None = None
        self._plan: Plan | None = None

    def show(self) -> None:
        """Open the dialog and plan what the figures belong to."""
        if self._store.snapshot.gpu is None:
            self._store.notice(Reason("plan.no_gpu"))
            return
        if self.dialog is None:
            from optmem_gui.gui.dialogs.planner import PlannerDialog  # noqa: PLC0415  # as said above

            self.dialog = PlannerDialog(self._window)
            self.dialog.taken.connect(self._take)
            self.dialog.again_wanted.connect(self.start)
            self.dialog.stop_wanted.connect(self.stop)
            self.dialog.finished.connect(self.stop)
            self._store.changed.connect(self._follow)
        if self._plan is None or not self._is_of(self._plan, self._store.snapshot):
            self.start()
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def start(self) -> None:
        """Plan anew; what is under way is given up."""
        from optmem_gui.gui.tasks.plan import Plan, PlanThread  # noqa: PLC0415  # as said above

        self.stop()
        snapshot = self._store.snapshot
        if snapshot.gpu is None:
            self._store.notice(Reason("plan.no_gpu"))
            return
        thread = PlanThread(snapshot.scenario, snapshot.gpu, self)
        thread.progressed.connect(self._progress)
        thread.finished.connect(self._finished)
        self._thread, self._plan = thread, Plan(snapshot.scenario, snapshot.gpu)
        self._show()
        thread.start()

    def stop(self) -> None:
        """Stop what is under way; what was found stays."""
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.requestInterruption()
            thread.wait()
            thread.deleteLater()
            self._show()

    def close(self) -> None:
        """Stop, and take the dialog away."""
        self.stop()
        if self.dialog is not None:
            self.dialog.close()

    def _progress(self, plan: Plan) -> None:
        if self.sender() is self._thread:
            self._plan = plan
            self._show()

    def _finished(self) -> None:
        thread = self._thread
        if thread is None or self.sender() is not thread:
            return
        self._thread = None
        thread.deleteLater()
        self._show()
        if thread.defect is not None:
            raise thread.defect

    def _show(self) -> None:
        if self.dialog is not None and self._plan is not None:
            snapshot = self._store.snapshot
            self.dialog.show_behind(not self._is_of(self._plan, snapshot))
            self.dialog.show_plan(self._plan, snapshot.unit, running=self._thread is not None)

    def _follow(self, _snapshot: Snapshot) -> None:
        if self.dialog is not None and self.dialog.isVisible():
            self._show()

    @staticmethod
    def _is_of(plan: Plan, snapshot: Snapshot) -> bool:
        """Whether a plan still answers what stands in the fields: the layout itself does not matter."""
        return plan.gpu == snapshot.gpu and _bare(plan.scenario) == _bare(snapshot.scenario)

    def _take(self, parallel: object) -> None:
        self._store.edit("parallel", parallel)


def _bare(scenario: Scenario) -> Scenario:
    kept = replace(
        ONE_GPU, offload=scenario.parallel.offload, sequence_parallel=scenario.parallel.sequence_parallel
    )
    return replace(scenario, parallel=kept)
