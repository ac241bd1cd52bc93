"""The only mutable object of the window: edits in, snapshots out.

``edit`` -> undo command -> new frozen inputs -> ``compute`` -> :class:`Snapshot` -> ``changed``. The
calculation runs here, on the UI thread, because it costs less than the paint that follows; the comparison
of all optimizers follows in slices once that paint is through.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from optmem_gui.core.breakdown import Breakdown
from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.model import ModelRef
from optmem_gui.core.optimizer_rows import OptimizerRow, optimizer_rows
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.units import SizeUnit
from optmem_gui.gui.edits import Inputs, apply_edit
from optmem_gui.gui.snapshot import (
    CheckpointSummary,
    FreezeState,
    LoadState,
    MeasurementState,
    SimulationState,
    Snapshot,
)

if TYPE_CHECKING:
    from optmem_gui.engine.devices import Devices
    from optmem_gui.gui.decisions import Decisions, Pinned

MERGE_SECONDS = 1.0
"""Edits of one field that follow each other faster are one undo step."""

_APART = ("file", "model", "several", "parallel", "recipe", "residents_added", "resident_removed")
"""Edits that are undo steps of their own, however quickly they follow each other."""

SLICE_SECONDS = 0.004
"""How long the comparison may hold the UI thread at a time."""

FIRST_GPU = "h100-80gb"


def first_scenario() -> Scenario:
    """What a new window shows: a round model size that everybody knows, on a GPU that everybody knows."""
    return Scenario(synthetic_ref(7_000_000_000), precision="bf16", batch=1, sequence=2048, gpu=FIRST_GPU)


class Store(QObject):
    """Holds the inputs and everything that follows from them.

    Signals carry a :class:`Snapshot`: ``changed`` after any edit, load or switch, ``comparison_changed``
    when more optimizers are compared, ``measurement_changed`` and ``simulation_changed`` while one runs,
    ``load_changed`` while a file is read, ``decisions_changed`` when more is decided or another scenario
    is pinned. ``noticed`` carries a :class:`Reason` for the notice bar.
    """

    changed = Signal(object)
    comparison_changed = Signal(object)
    measurement_changed = Signal(object)
    simulation_changed = Signal(object)
    load_changed = Signal(object)
    decisions_changed = Signal(object)
    noticed = Signal(object)

    def __init__(
        self,
        gpus: Mapping[str, Gpu],
        scenario: Scenario | None = None,
        unit: SizeUnit = "GiB",
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.gpus = gpus
        self.undo_stack = QUndoStack(self)
        first = scenario or first_scenario()
        if first.gpu is not None and first.gpu not in gpus:
            first = replace(first, gpu=None)
        self._valid = first
        self._refused: tuple[str, str] | None = None
        self._rows: Iterator[OptimizerRow] | None = None
        self._slices = QTimer(self)
        self._slices.setInterval(0)
        self._slices.timeout.connect(self._compare_slice)
        inputs = Inputs(first)
        self._snapshot = Snapshot(inputs, first, unit=unit)
        self._snapshot = self._settled(inputs, first, "scenario")
        self._compare()

    @property
    def snapshot(self) -> Snapshot:
        """What is shown now."""
        return self._snapshot

    # -- edits

    def edit(self, name: str, value: Any) -> None:  # noqa: ANN401  # each field has a type of its own
        """Change one field; nothing happens where it already holds that value.

        Args:
            name: The field, as :mod:`optmem_gui.gui.edits` names it.
            value: Text for text fields, the value itself for the others.
        """
        inputs = self._snapshot.inputs
        after = apply_edit(inputs, name, value)
        if after != inputs:
            self.undo_stack.push(_Edit(self, name, inputs, after))

    def load_model(self, model: ModelRef, checkpoint: CheckpointSummary | None) -> None:
        """Put in a model that was read or picked: one undo step, edits made meanwhile stay."""
        self.edit("model", (model, checkpoint))

    def load_scenario(self, scenario: Scenario, path: Path) -> None:
        """Put in everything that a scenario file holds: one undo step.

        Raises:
            UserError: It names what this program does not know, such as an optimizer; nothing was changed.
        """
        if scenario.gpu is not None and scenario.gpu not in self.gpus:
            scenario = replace(scenario, gpu=None)
        compute(scenario, self._gpu(scenario))
        self._snapshot = replace(self._snapshot, file=path)
        self.undo_stack.push(_Edit(self, "file", self._snapshot.inputs, Inputs(scenario)))
        self.undo_stack.setClean()
        self.changed.emit(self._snapshot)

    def take_scenario(self, scenario: Scenario) -> None:
        """Put in a whole scenario that belongs to no file: one undo step."""
        if scenario.gpu is not None and scenario.gpu not in self.gpus:
            scenario = replace(scenario, gpu=None)
        self.undo_stack.push(_Edit(self, "several", self._snapshot.inputs, Inputs(scenario)))

    def saved(self, path: Path) -> None:
        """Note that the present inputs are what this file holds."""
        self._snapshot = replace(self._snapshot, file=path)
        self.undo_stack.setClean()
        self.changed.emit(self._snapshot)

    def show_inputs(self, inputs: Inputs, name: str) -> None:
        """Make these the inputs; what undo commands call.

        Args:
            inputs: What stands in the fields.
            name: The field that changed, which a refused combination is shown beside.
        """
        self._snapshot = self._settled(inputs, self._valid, name)
        self._compare()
        self.changed.emit(self._snapshot)

    def _settled(self, inputs: Inputs, valid: Scenario, name: str) -> Snapshot:
        """Compute what the inputs give; an impossible combination leaves the last possible one in place."""
        scenario, issues = inputs.scenario, dict(inputs.issues)
        gpu = self._gpu(scenario)
        breakdown: Breakdown
        try:
            breakdown = compute(scenario, gpu)
        except UserError as error:
            # A refused combination stays beside the field that caused it, whatever is edited next.
            if self._refused is None or self._refused[1] != error.code:
                self._refused = (name, error.code)
            issues.setdefault(self._refused[0], error.reason)
            scenario = valid
            gpu = self._gpu(scenario)
            breakdown = compute(scenario, gpu)
        else:
            self._refused = None
        self._valid = scenario
        return replace(
            self._snapshot,
            inputs=inputs,
            scenario=scenario,
            breakdown=breakdown,
            stale=bool(issues),
            issues=issues,
            gpu=gpu,
        )

    def _gpu(self, scenario: Scenario) -> Gpu | None:
        return None if scenario.gpu is None else self.gpus[scenario.gpu]

    # -- everything that is no edit

    def set_gpus(self, gpus: Mapping[str, Gpu]) -> None:
        """Predict by other facts of the same GPUs, as measurements on them found."""
        if dict(gpus) != dict(self.gpus):
            self.gpus = gpus
            self.show_inputs(self._snapshot.inputs, "gpu")

    def set_unit(self, unit: SizeUnit) -> None:
        """Show sizes in GiB or GB."""
        self._snapshot = replace(self._snapshot, unit=unit)
        self.changed.emit(self._snapshot)

    def set_load(self, load: LoadState | None) -> None:
        """Show how far the reading of a file has come."""
        self._snapshot = replace(self._snapshot, load=load)
        self.load_changed.emit(self._snapshot)

    def set_freezing(self, freezing: FreezeState | None) -> None:
        """Show a choice of trained parameters that the figures do not follow yet, or none."""
        self._snapshot = replace(self._snapshot, freezing=freezing)
        self.changed.emit(self._snapshot)

    def set_regrouping(self, regrouping: bool) -> None:
        """Mark the figures while the checkpoint is grouped in another way, or no longer."""
        if regrouping != self._snapshot.regrouping:
            self._snapshot = replace(self._snapshot, regrouping=regrouping)
            self.changed.emit(self._snapshot)

    def set_measurement(self, measurement: MeasurementState) -> None:
        """Show how far a measurement has come."""
        self._snapshot = replace(self._snapshot, measurement=measurement)
        self.measurement_changed.emit(self._snapshot)

    def set_simulation(self, simulation: SimulationState) -> None:
        """Show how far a simulation has come."""
        self._snapshot = replace(self._snapshot, simulation=simulation)
        self.simulation_changed.emit(self._snapshot)

    def set_decisions(self, decisions: Decisions) -> None:
        """Show what can be decided."""
        self._snapshot = replace(self._snapshot, decisions=decisions)
        self.decisions_changed.emit(self._snapshot)

    def set_pinned(self, pinned: Pinned | None) -> None:
        """Set the present scenario against another one, or no longer."""
        self._snapshot = replace(self._snapshot, pinned=pinned)
        self.decisions_changed.emit(self._snapshot)

    def set_devices(self, devices: Devices) -> None:
        """Note what can be measured on."""
        self._snapshot = replace(self._snapshot, devices=devices)
        self.changed.emit(self._snapshot)

    def notice(self, reason: Reason) -> None:
        """Say something in the notice bar."""
        self.noticed.emit(reason)

    # -- comparison

    def compare_again(self) -> None:
        """Compare anew, because the catalogue has other entries now."""
        self._compare()
        self.changed.emit(self._snapshot)

    def _compare(self) -> None:
        """Start over: the latest edit wins. The old rows stay until the new ones replace them."""
        self._rows = optimizer_rows(self._snapshot.scenario, self._snapshot.gpu, tuple(CATALOGUE))
        self._fresh: list[OptimizerRow] = []
        self._snapshot = replace(self._snapshot, comparison_complete=False)
        self._slices.start()

    def _compare_slice(self) -> None:
        until = time.perf_counter() + SLICE_SECONDS
        for row in self._rows or ():
            self._fresh.append(row)
            if time.perf_counter() > until:
                return
        self._slices.stop()
        self._snapshot = replace(self._snapshot, comparison=tuple(self._fresh), comparison_complete=True)
        self.comparison_changed.emit(self._snapshot)


class _Edit(QUndoCommand):
    """One undo step: the inputs before and after."""

    def __init__(self, store: Store, name: str, before: Inputs, after: Inputs) -> None:
        super().__init__(name)
        self.name, self.before, self.after = name, before, after
        self._store = store
        self.at = time.monotonic()

    def redo(self) -> None:
        """Show the inputs after the edit."""
        self._store.show_inputs(self.after, self.name)

    def undo(self) -> None:
        """Show the inputs before the edit."""
        self._store.show_inputs(self.before, self.name)

    def id(self) -> int:
        """Commands with an id of their own are offered for merging."""
        return 1

    def mergeWith(self, other: QUndoCommand) -> bool:  # noqa: N802  # Qt's name
        """Take a quick further edit of the same field in."""
        assert isinstance(other, _Edit)  # noqa: S101  # Qt offers commands of one id only, and only we use 1
        quick = other.at - self.at < MERGE_SECONDS
        if not quick or other.name != self.name or self.name in _APART:
            return False
        self.after, self.at = other.after, other.at
        self.setObsolete(self.after == self.before)
        return True
