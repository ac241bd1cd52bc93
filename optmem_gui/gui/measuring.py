"""The measurement as the window sees it: one state after the other, fed by its threads.

idle -> preparing -> (asking ->) running -> done | failed | cancelled. Nothing here blocks; closing the
window stops whatever runs and waits for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from PySide6.QtCore import QObject, QThread

from optmem_gui.core.gpus import Gpu
from optmem_gui.core.measuring import measured_scenario
from optmem_gui.core.protocol import Hello, PhaseSample, Progress, Sample, SamplerNote
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.core.result_rows import Predictions, result_rows
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.simulating import SimulationReport
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.engine.calibration import calibrate
from optmem_gui.engine.measurement import Event, Measurement, MeasurementResult
from optmem_gui.engine.ranks import RankMeasurement, cause_of, shown_rank
from optmem_gui.gui import settings as keys
from optmem_gui.gui.pythons import worker_python
from optmem_gui.gui.settings import Settings
from optmem_gui.gui.snapshot import Measured, MeasurementState, MeasureStage, SimulateStage, Snapshot
from optmem_gui.gui.store import Store
from optmem_gui.gui.tasks.measure import MeasureThread, Measuring, Ranks
from optmem_gui.gui.tasks.prepare import PLAIN, MeasureOptions, Prepared, PrepareThread
from optmem_gui.report.keeping import keep, keep_ranks

Answer = Literal["largest", "anyway", "cancel"]
MakeMeasurement = Callable[[str | None, int], Measurement]

_STAGES = {
    "done": MeasureStage.DONE,
    "out_of_memory": MeasureStage.FAILED,
    "failed": MeasureStage.FAILED,
    "cancelled": MeasureStage.CANCELLED,
}
_PHASES = ("forward", "backward", "optimizer_step", "between_steps")


class Measurer(QObject):
    """Starts, watches and stops measurements."""

    def __init__(
        self,
        store: Store,
        settings: Settings,
        parent: QObject | None = None,
        make: MakeMeasurement = Measurement,
    ) -> None:
        super().__init__(parent)
        self._store, self._settings, self._make = store, settings, make
        self._prepared: Prepared | None = None
        self._options = PLAIN
        self._asked: Scenario | None = None
        self._gpu: Gpu | None = None
        self._preparing: PrepareThread | None = None
        self._measuring: MeasureThread | None = None
        self._threads: set[QThread] = set()
        store.simulation_changed.connect(self._simulated)

    @property
    def state(self) -> MeasurementState:
        """Where it stands."""
        return self._store.snapshot.measurement

    def probe(self) -> None:
        """Find out what can be measured on, without measuring."""
        self._prepare(None)

    def start(self, options: MeasureOptions = PLAIN) -> None:
        """Measure what the figures in the window belong to.

        Args:
            options: What is asked for beside; a function in it takes the place of the model, and the user
                has agreed that it runs.
        """
        if not self.state.stage.is_busy:
            self._options = options
            self._begin(self._store.snapshot.scenario)

    def answer(self, answer: Answer) -> None:
        """Go on after the question whether to run something that does not fit."""
        prepared, self._prepared = self._prepared, None
        if prepared is None or self.state.stage is not MeasureStage.ASKING:
            return
        if answer == "anyway":
            self._run(prepared)
        elif answer == "largest" and prepared.largest_count:
            model = synthetic_ref(prepared.largest_count)
            self._begin(replace(self._store.snapshot.scenario, model=model))
        else:
            self._store.set_measurement(MeasurementState())

    def stop(self) -> None:
        """Stop what runs; the window stays alive meanwhile."""
        self._preparing = None
        if self._measuring is not None:
            self._store.set_measurement(replace(self.state, stage=MeasureStage.STOPPING))
            self._measuring.stop()
        elif self.state.stage.is_busy:
            self._store.set_measurement(replace(self.state, stage=MeasureStage.CANCELLED))

    def close(self) -> None:
        """Stop what runs and wait until no process and no thread is left."""
        self.stop()
        for thread in tuple(self._threads):
            if isinstance(thread, MeasureThread):
                thread.shut_down()
            thread.wait()

    # -- before the run

    def _begin(self, scenario: Scenario) -> None:
        self._asked = scenario
        self._store.set_measurement(MeasurementState(MeasureStage.PREPARING, scenario=scenario))
        self._preparing = self._prepare(scenario)

    def _prepare(self, scenario: Scenario | None) -> PrepareThread:
        steps, gpus = self._settings.get(keys.STEPS), self._store.gpus
        thread = PrepareThread(scenario, steps, self, gpus, self._options)
        thread.finished.connect(self._prepared_one)
        self._keep(thread)
        thread.start()
        return thread

    def _prepared_one(self) -> None:
        thread = self.sender()
        if not isinstance(thread, PrepareThread):
            return
        wanted = thread is self._preparing
        if wanted:
            self._preparing = None
        if thread.devices is not None:
            self._store.set_devices(thread.devices)
        outcome = thread.outcome
        if isinstance(outcome, Exception):
            if wanted:
                self._store.set_measurement(MeasurementState())
            raise outcome
        if outcome is None or not wanted:
            return
        if not isinstance(outcome, Prepared):
            self._store.set_measurement(replace(self.state, stage=MeasureStage.FAILED, reason=outcome))
        elif outcome.warning is not None:
            self._prepared = outcome
            asking = replace(
                self.state,
                stage=MeasureStage.ASKING,
                device=outcome.device.name,
                on_cpu=outcome.on_cpu,
                reason=outcome.warning,
                largest_count=outcome.largest_count,
            )
            self._store.set_measurement(asking)
        else:
            self._run(outcome)

    # -- the run

    def _run(self, prepared: Prepared) -> None:
        request: MeasureRequest = prepared.request
        self._gpu = prepared.gpu
        python = worker_python(self._settings) or None
        rate = self._settings.get(keys.SAMPLE_HZ)
        measurement: Measuring
        if prepared.rank_devices:
            several = RankMeasurement(python, rate)
            measurement = Ranks(several, prepared.scenario.parallel, prepared.rank_devices)
        else:
            measurement = self._make(python, rate)
        thread = MeasureThread(request, measurement, self)
        thread.progress.connect(self._progress)
        thread.samples.connect(self._samples)
        thread.finished_with.connect(self._finished)
        self._keep(thread)
        self._measuring = thread
        running = MeasurementState(
            stage=MeasureStage.RUNNING,
            device=prepared.device.name,
            on_cpu=prepared.on_cpu,
            step_count=request.steps,
            phase="start",
            breakdown=prepared.breakdown,
            scenario=prepared.scenario,
        )
        self._store.set_measurement(running)
        thread.start()

    def _progress(self, event: Hello | Progress) -> None:
        if isinstance(event, Hello):
            self._store.set_measurement(replace(self.state, device=event.device, phase="build"))
            return
        done = max(0, event.step - 1) * len(_PHASES)
        if event.stage in _PHASES and event.step:
            done += _PHASES.index(event.stage)
        fraction = done / (event.steps * len(_PHASES)) if event.steps else None
        self._store.set_measurement(
            replace(self.state, phase=event.stage, step=event.step, step_count=event.steps, fraction=fraction)
        )

    def _samples(self, batch: tuple[Event, ...]) -> None:
        taken = tuple(event for event in batch if isinstance(event, Sample | PhaseSample))
        notes = tuple(event.reason for event in batch if isinstance(event, SamplerNote))
        state = self.state
        self._store.set_measurement(replace(state, samples=state.samples + taken, notes=state.notes + notes))

    def _finished(self, outcome: MeasurementResult | tuple[MeasurementResult, ...] | Exception) -> None:
        self._measuring = None
        if isinstance(outcome, Exception):
            self._store.set_measurement(MeasurementState())
            raise outcome
        ranks = outcome if isinstance(outcome, tuple) else (outcome,)
        cause, shown = cause_of(ranks), ranks[shown_rank(ranks)]
        state = self._ended(cause)
        if cause.status == "done":
            state = replace(state, result=_measured(shown))
        if cause.status in ("done", "out_of_memory") and self._asked is not None:
            predictions = Predictions(state.breakdown, self._traced(), self._gpu)
            if isinstance(outcome, tuple):
                kept = keep_ranks(self._asked, predictions, ranks)
                state = replace(state, kept=kept, warnings=kept.warnings)
            else:
                kept = keep(self._asked, predictions, outcome)
                state = replace(state, kept=kept, calibration=calibrate(outcome, kept.date[:10]))
        self._store.set_measurement(state)

    def _ended(self, outcome: MeasurementResult) -> MeasurementState:
        return replace(
            self.state,
            stage=_STAGES[outcome.status],
            fraction=None,
            reason=outcome.reason,
            detail=outcome.detail,
            warnings=outcome.warnings,
        )

    def _simulated(self, snapshot: Snapshot) -> None:
        """A simulation of what was measured came later: put it beside the figures, in the file too."""
        state = self.state
        if snapshot.simulation.stage is not SimulateStage.DONE or state.stage is not MeasureStage.DONE:
            return
        kept, result, report = state.kept, state.result, self._traced()
        if kept is None or result is None or result.outcome.result is None or report is None:
            return
        predictions, outcome = Predictions(state.breakdown, report, self._gpu), result.outcome
        rows = result_rows(predictions, outcome.request, result.outcome.result, kept.process_bytes)
        if rows != kept.rows:
            self._store.set_measurement(replace(state, kept=replace(kept, rows=rows)))

    def _traced(self) -> SimulationReport | None:
        """The simulation of what was measured, where there is one for the device it ran on."""
        simulated, state = self._store.snapshot.simulation.result, self.state
        if simulated is None or simulated.function or state.scenario is None:
            return None
        target = simulated.report.target
        device = "cpu" if state.on_cpu else "cuda"
        same = measured_scenario(simulated.scenario, device) == state.scenario and target.device == device
        if not state.on_cpu:
            same = same and self._gpu is not None and target.architecture == self._gpu.architecture
        return simulated.report if same else None

    def _keep(self, thread: QThread) -> None:
        """Hold a thread until it has finished; Qt ends the process when one is deleted earlier."""
        self._threads.add(thread)
        thread.finished.connect(self._let_go)

    def _let_go(self) -> None:
        thread = self.sender()
        if isinstance(thread, QThread):
            self._threads.discard(thread)
            thread.deleteLater()


def _measured(outcome: MeasurementResult) -> Measured | None:
    """The sizes that the headline shows; None where no step finished."""
    if outcome.result is None:
        return None
    steady = outcome.result.steady.phases
    reserved = [phase.peak_reserved_bytes for phase in steady if phase.peak_reserved_bytes is not None]
    return Measured(
        outcome=outcome,
        peak_bytes=outcome.peak_bytes or 0,
        reserved_bytes=max(reserved, default=None),
        process_bytes=outcome.process_peak_bytes,
    )
