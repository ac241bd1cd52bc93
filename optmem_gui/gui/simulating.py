"""Simulations as the window sees them: the latest one counts, and none is shown for inputs it is not of.

The first one starts a worker that stays warm; a later one takes the place of the one under way. With the
setting on, a moment after an edit follows a new one. Nothing here blocks; closing the window ends it all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer

from optmem_gui.core.protocol import Progress
from optmem_gui.core.scenario import Scenario
from optmem_gui.engine.simulation import SimulationEvent, Simulator
from optmem_gui.gui import settings as keys
from optmem_gui.gui.pythons import worker_python
from optmem_gui.gui.settings import Settings
from optmem_gui.gui.snapshot import SimulateStage, SimulationState, Snapshot
from optmem_gui.gui.store import Store
from optmem_gui.gui.tasks.simulate import SimulateThread, Simulation

AFTER_EDIT_MS = 400
"""Pause after the last edit before it is simulated."""

MakeSimulator = Callable[[str | None], Simulator]

_STAGES = {
    "done": SimulateStage.DONE,
    "out_of_memory": SimulateStage.DONE,
    "failed": SimulateStage.FAILED,
    "cancelled": SimulateStage.CANCELLED,
}


class Simulations(QObject):
    """Starts, follows and stops simulations."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        parent: QObject | None = None,
        make: MakeSimulator = Simulator,
    ) -> None:
        super().__init__(parent)
        self._store, self._settings, self._make = store, settings, make
        self._simulator: Simulator | None = None
        self._python: str | None = None
        self._current: SimulateThread | None = None
        self._threads: set[SimulateThread] = set()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(AFTER_EDIT_MS)
        self._later.timeout.connect(self._refresh)
        store.changed.connect(self._follow)

    @property
    def state(self) -> SimulationState:
        """Where it stands."""
        return self._store.snapshot.simulation

    def start(self) -> None:
        """Simulate what the figures in the window belong to, unless that is under way."""
        scenario = self._store.snapshot.scenario
        under_way = self.state.stage is SimulateStage.RUNNING and not self.state.function
        if not under_way or self.state.scenario != scenario:
            self._begin(scenario)

    def start_function(self, function: str) -> None:
        """Simulate a function of the user's own, who has agreed; its model takes the place of the fields'."""
        self._begin(self._store.snapshot.scenario, function=function)

    def stop(self) -> None:
        """Stop what is under way; the worker stays warm, the last result stays."""
        self._later.stop()
        if self._current is not None:
            self._store.set_simulation(replace(self.state, stage=SimulateStage.STOPPING))
            self._give_up()

    def close(self) -> None:
        """Stop everything and wait until no process and no thread is left."""
        self._later.stop()
        self._store.changed.disconnect(self._follow)
        self._give_up()
        if self._simulator is not None:
            self._simulator.close()
        for thread in tuple(self._threads):
            thread.wait()

    # -- after an edit

    def _follow(self, snapshot: Snapshot) -> None:
        """Start anew a moment after an edit, where that is wanted and there was a simulation before."""
        state = snapshot.simulation
        ran = state.stage is not SimulateStage.IDLE and not state.function
        if not (ran and self._settings.get(keys.SIMULATE_AFTER_EDIT)) or state.scenario == snapshot.scenario:
            self._later.stop()
        else:
            self._later.start()

    def _refresh(self) -> None:
        if self._store.snapshot.simulated is None:
            self._begin(self._store.snapshot.scenario, by_user=False)

    # -- one run

    def _begin(self, scenario: Scenario, *, by_user: bool = True, function: str = "") -> None:
        self._later.stop()
        if self._current is not None:
            self._current.requestInterruption()  # the simulator drops it as the new one arrives
        simulation = Simulation(scenario, self._store.snapshot.gpu, function)
        thread = SimulateThread(simulation, self._warm_simulator(), self)
        thread.progressed.connect(self._progress)
        thread.finished.connect(self._finished)
        self._threads.add(thread)
        self._current = thread
        self._store.set_simulation(
            SimulationState(
                SimulateStage.RUNNING,
                scenario,
                phase="start",
                result=self.state.result,
                by_user=by_user,
                function=function,
            )
        )
        thread.start()

    def _warm_simulator(self) -> Simulator:
        """The one that is there, or a new one where none is or another Python was chosen."""
        python = worker_python(self._settings) or None
        if self._simulator is not None and python != self._python:
            self._simulator.close()
            self._simulator = None
        if self._simulator is None:
            self._simulator, self._python = self._make(python), python
        return self._simulator

    def _give_up(self) -> None:
        for thread in self._threads:
            thread.requestInterruption()
        if self._simulator is not None:
            self._simulator.cancel()

    def _progress(self, event: SimulationEvent) -> None:
        if self.sender() is self._current and self.state.stage is SimulateStage.RUNNING:
            phase, step, count = "build", 0, 0
            if isinstance(event, Progress):
                phase, step, count = event.stage, event.step, event.steps
            self._store.set_simulation(replace(self.state, phase=phase, step=step, step_count=count))

    def _finished(self) -> None:
        thread = self.sender()
        if not isinstance(thread, SimulateThread):
            return
        self._threads.discard(thread)
        thread.deleteLater()
        if thread is not self._current:
            return
        self._current = None
        if thread.defect is not None:
            self._store.set_simulation(replace(self.state, stage=SimulateStage.FAILED))
            raise thread.defect
        self._take(thread)

    def _take(self, thread: SimulateThread) -> None:
        outcome = thread.outcome
        if outcome is not None and outcome.reason is not None and outcome.reason.key == "simulate.superseded":
            # An older one reached the simulator last; this one is the one that counts.
            again = thread.simulation
            self._begin(again.scenario, by_user=self.state.by_user, function=again.function)
            return
        state = replace(self.state, phase="", step=0)
        if outcome is None:
            stage = SimulateStage.CANCELLED if thread.refused is None else SimulateStage.FAILED
            state = replace(state, stage=stage, reason=thread.refused)
        else:
            state = replace(
                state,
                stage=_STAGES[outcome.status],
                result=thread.result or state.result,
                reason=outcome.reason,
                detail=outcome.detail,
            )
        self._store.set_simulation(state)
