"""What the panels are shown: one frozen value after every change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from optmem_gui.core.breakdown import Breakdown
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.optimizer_rows import OptimizerRow
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.units import SizeUnit

if TYPE_CHECKING:  # named in the fields only; the start does without them
    from optmem_gui.checkpoints.choices import Choices
    from optmem_gui.core.calibration import Calibration
    from optmem_gui.core.protocol import PhaseSample, Sample
    from optmem_gui.core.simulated import SimulatedRow
    from optmem_gui.core.simulating import SimulationReport
    from optmem_gui.engine.devices import Devices
    from optmem_gui.engine.measurement import MeasurementResult
    from optmem_gui.gui.decisions import Decisions, Pinned
    from optmem_gui.gui.edits import Inputs
    from optmem_gui.report.kept_result import KeptResult


@dataclass(frozen=True, slots=True)
class CheckpointSummary:
    """What a checkpoint's headers told, without its rows.

    Attributes:
        path: File or folder it was read from.
        format: Id of the reader.
        tensor_count: Tensors in the file.
        file_bytes: Size of its files.
        bytes_read: What was actually read.
        dtypes: Elements by type.
        buffer_count: Elements that are kept but not trained.
        optimizer: Kind of the optimizer state found inside, if any.
        optimizer_bytes: Size of that state.
        complete: No shard is missing.
        warnings: What the user should know about it.
        choices: How it is understood, where that was chosen; None as it was read.
        base: File or folder of the model that its adapter was put on.
        stamp: Files, bytes and time of the last change when it was read; None where that is not known.
    """

    path: Path
    format: str
    tensor_count: int
    file_bytes: int
    bytes_read: int
    dtypes: Mapping[str, int]
    buffer_count: int
    optimizer: str | None
    optimizer_bytes: int
    complete: bool
    warnings: tuple[Reason, ...]
    choices: Choices | None = None
    base: Path | None = None
    stamp: tuple[int, int, int] | None = None


class MeasureStage(Enum):
    """Where a measurement stands."""

    IDLE = "idle"
    ASKING = "asking"
    PREPARING = "preparing"
    RUNNING = "running"
    STOPPING = "stopping"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_busy(self) -> bool:
        """Whether something is running that can be stopped."""
        return self in (MeasureStage.PREPARING, MeasureStage.RUNNING, MeasureStage.STOPPING)


@dataclass(frozen=True, slots=True)
class Measured:
    """What a finished run found, beside the outcome it was read from.

    Attributes:
        outcome: Everything the run said.
        peak_bytes: Largest number allocated in a step.
        reserved_bytes: Largest number the caching allocator held; None where there is none.
        process_bytes: Largest number the driver showed for the process; None where it does not say.
    """

    outcome: MeasurementResult
    peak_bytes: int
    reserved_bytes: int | None
    process_bytes: int | None


@dataclass(frozen=True, slots=True)
class MeasurementState:
    """A measurement as far as it has come.

    Attributes:
        stage: Where it stands.
        device: Where it runs, as shown to the user.
        on_cpu: It runs on the CPU.
        fraction: Progress from 0 to 1, None when it is not known.
        step: Step that is running, 0 before the first.
        step_count: Steps in all.
        phase: Phase that is running, or ``build``.
        samples: What was sampled so far, oldest first: driver's figures and finished phases.
        result: What the run found, once it is done.
        breakdown: The estimate for the device it ran on.
        reason: What is asked before the run, or why it failed.
        largest_count: Parameters of the largest model that would fit; 0 where none does.
        detail: Technical detail of a failure.
        notes: Series that are not available, with the reason.
        warnings: What makes the figures less exact.
        scenario: What is measured.
        kept: The measurement as it is kept, once it ended with figures or did not fit.
        calibration: What it says about its GPU, or why it says nothing.
    """

    stage: MeasureStage = MeasureStage.IDLE
    device: str = ""
    on_cpu: bool = False
    fraction: float | None = None
    step: int = 0
    step_count: int = 0
    phase: str = ""
    samples: tuple[Sample | PhaseSample, ...] = ()
    result: Measured | None = None
    breakdown: Breakdown | None = None
    reason: Reason | None = None
    largest_count: int = 0
    detail: str = ""
    notes: tuple[Reason, ...] = ()
    warnings: tuple[Reason, ...] = ()
    scenario: Scenario | None = None
    kept: KeptResult | None = None
    calibration: Calibration | Reason | None = None


class SimulateStage(Enum):
    """Where a simulation stands."""

    IDLE = "idle"
    RUNNING = "running"
    STOPPING = "stopping"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_busy(self) -> bool:
        """Whether something is running that can be stopped."""
        return self in (SimulateStage.RUNNING, SimulateStage.STOPPING)


@dataclass(frozen=True, slots=True)
class Simulated:
    """A finished simulation with the inputs it belongs to.

    Attributes:
        scenario: What was simulated.
        report: What the trace found.
        breakdown: The estimate for what was traced; None for a function of the user's own.
        rows: Estimated beside simulated, by component.
        usable_bytes: What the GPU can give, None where none is chosen.
        function: The function of the user's own that was traced in place of the model, as ``FILE.py:NAME``.
    """

    scenario: Scenario
    report: SimulationReport
    breakdown: Breakdown | None = None
    rows: tuple[SimulatedRow, ...] = ()
    usable_bytes: int | None = None
    function: str = ""


@dataclass(frozen=True, slots=True)
class SimulationState:
    """Simulations as far as they have come.

    Attributes:
        stage: Where the latest one stands.
        scenario: What the latest one is about.
        phase: Phase that is traced, or what comes before the first.
        step: Step that is traced, 0 before the first.
        step_count: Steps in all.
        result: The last one that finished; it stays, marked, when the inputs change.
        reason: Why the latest one failed.
        detail: Technical detail of a failure.
        by_user: It was asked for, and did not follow an edit by itself.
        function: The function of the user's own that is traced, if it is one.
    """

    stage: SimulateStage = SimulateStage.IDLE
    scenario: Scenario | None = None
    phase: str = ""
    step: int = 0
    step_count: int = 0
    result: Simulated | None = None
    reason: Reason | None = None
    detail: str = ""
    by_user: bool = True
    function: str = ""


@dataclass(frozen=True, slots=True)
class FreezeState:
    """A choice of trained parameters that the figures do not follow yet.

    Attributes:
        pattern: What stands in the field.
        reason: Why it cannot be used; None while it is worked on.
    """

    pattern: str
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class LoadState:
    """A file that is being read.

    Attributes:
        path: What is read.
        done_count: Shards read so far.
        total_count: Shards in all, 0 when it is not known.
    """

    path: Path
    done_count: int = 0
    total_count: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that is shown, at one moment.

    Attributes:
        inputs: What stands in the fields, valid or not.
        scenario: What the figures belong to: the last valid input.
        breakdown: The estimate for it; None only before the first one.
        stale: The fields hold something that cannot be used, the figures belong to the input before it.
        issues: Why, by field name; ``scenario`` for a combination that is impossible.
        gpu: The chosen GPU.
        unit: ``GiB`` or ``GB``.
        comparison: Every optimizer on this model, as far as it is computed.
        comparison_complete: Whether that is all of them.
        measurement: The last measurement.
        simulation: The last simulation, which may belong to earlier inputs.
        load: The file being read, if any.
        freezing: A choice of trained parameters that is worked on or cannot be used, if any.
        regrouping: Another reading of the checkpoint was chosen and is worked on.
        file: The scenario file these inputs belong to, if any.
        devices: What can be measured on; None until the driver was asked.
        decisions: What can be decided, which may belong to earlier inputs.
        pinned: The scenario that the present one is set against, if any.
    """

    inputs: Inputs
    scenario: Scenario
    breakdown: Breakdown | None = None
    stale: bool = False
    issues: Mapping[str, Reason] = field(default_factory=dict)
    gpu: Gpu | None = None
    unit: SizeUnit = "GiB"
    comparison: tuple[OptimizerRow, ...] = ()
    comparison_complete: bool = False
    measurement: MeasurementState = field(default_factory=MeasurementState)
    simulation: SimulationState = field(default_factory=SimulationState)
    load: LoadState | None = None
    freezing: FreezeState | None = None
    regrouping: bool = False
    file: Path | None = None
    devices: Devices | None = None
    decisions: Decisions | None = None
    pinned: Pinned | None = None

    @property
    def is_behind(self) -> bool:
        """Whether the fields hold something that the figures do not follow: a mistake, or work under way."""
        return self.stale or self.regrouping or self.freezing is not None

    @property
    def simulated(self) -> Simulated | None:
        """The simulation of exactly these inputs; None where there is none, or only one of earlier inputs."""
        result = self.simulation.result
        if result is None or result.function:
            return None
        return result if result.scenario == self.scenario else None
