"""What is asked of the worker, and what it answers, when a step is traced without a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from optmem_gui.core.scenario import Target

CATEGORIES = (
    "weights",
    "gradients",
    "master_weights",
    "optimizer_state",
    "buffers",
    "inputs",
    "activations",
    "autocast_copies",
    "temporaries",
    "communication",
    "workspace",
)
"""What an allocation can be, in the order it is stacked."""


@dataclass(frozen=True, slots=True)
class SimulationTarget:
    """The machine whose memory is predicted; it has nothing to do with the torch that traces.

    Attributes:
        torch: Version of the torch that will train, ``major.minor``; rules differ between releases.
        architecture: Compute capability, such as ``sm_90``; empty where no GPU is chosen.
        sm_count: Streaming multiprocessors; None where unknown, then reductions have a band.
        threads_per_sm: Most threads resident on one of them; None where unknown.
        capacity_bytes: What the device can hand out to the process; None without an end.
        allocator: Value of ``PYTORCH_CUDA_ALLOC_CONF``; empty for PyTorch's defaults.
        cublas_workspace: Value of ``CUBLAS_WORKSPACE_CONFIG``; empty for the default of the architecture.
        device: ``cuda``, or ``cpu`` where the step is trained on the CPU: the rest does not apply there.
    """

    torch: str
    architecture: str = ""
    sm_count: int | None = None
    threads_per_sm: int | None = None
    capacity_bytes: int | None = None
    allocator: str = ""
    cublas_workspace: str = ""
    device: Target = "cuda"


@dataclass(frozen=True, slots=True)
class SimulatedPhase:
    """One phase of one step; sizes are whole blocks, as ``torch.cuda.memory_allocated`` counts them.

    Attributes:
        step: Step it belongs to, 0 for load.
        phase: Id of the phase.
        start_bytes: Allocated at its start.
        allocated_bytes: Allocated at its end.
        peak_bytes: Largest number allocated inside it.
        reserved_bytes: Held by the caching allocator at its end.
        peak_reserved_bytes: Largest number held inside it.
    """

    step: int
    phase: str
    start_bytes: int
    allocated_bytes: int
    peak_bytes: int
    reserved_bytes: int
    peak_reserved_bytes: int


@dataclass(frozen=True, slots=True)
class SimulatedPoint:
    """One point of the simulated timeline; the course is thinned, the peak of every phase is kept.

    Attributes:
        event: Number of allocations and frees before it, the horizontal axis.
        step: Step it belongs to.
        phase: Phase it belongs to.
        parts: Bytes in use by category, in the order of :data:`CATEGORIES`.
        reserved_bytes: Held by the caching allocator.
    """

    event: int
    step: int
    phase: str
    parts: tuple[int, ...]
    reserved_bytes: int


@dataclass(frozen=True, slots=True)
class AliveRow:
    """Blocks in use at the peak that are the same thing: every byte there can be asked what it is.

    Attributes:
        category: One of :data:`CATEGORIES`.
        module: Path of the module whose code made them, such as ``layers.3.attention``; empty outside one.
        op: The operator, such as ``aten::mm``; with ``:`` and a name for a buffer inside a kernel.
        step: Step they were made in, 0 for load.
        phase: Phase they were made in.
        count: How many blocks.
        bytes: Their bytes, whole blocks.
        requested_bytes: What was asked for.
    """

    category: str
    module: str
    op: str
    step: int
    phase: str
    count: int
    bytes: int
    requested_bytes: int


@dataclass(frozen=True, slots=True)
class TracedNote:
    """A warning or assumption of the trace.

    Attributes:
        key: Template of the sentence; it names the operator and source line where there is one.
        values: Its values.
    """

    key: str
    values: Mapping[str, int | float | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SimulationReport:
    """One traced training run.

    Attributes:
        traced_by: Version of the torch that traced.
        target: The machine it stands for.
        phases: Every phase in the order it ran.
        peak_bytes: Largest number allocated in the last (steady) step, whole blocks.
        peak_high_bytes: The same with the largest buffers that unknown facts of the GPU allow; equal to
            ``peak_bytes`` where everything is known.
        peak_phase: Phase it falls in.
        peak_event: Point of the timeline at which it is reached, counted in events.
        peak_reserved_bytes: Largest number held by the caching allocator over the whole run.
        categories: Bytes in use at the peak by category.
        largest: Largest size of each category in a steady step.
        alive: What is in use at the peak, the largest first.
        points: The timeline from load to the end of the last step.
        exact: Nothing had to be assumed: every rule used has matched a recording.
        out_of_memory: The step does not fit in the target's capacity; the trace ends there.
        notes: Warnings and assumptions.
        event_count: Allocations and frees.
        operator_count: Operators traced.
        param_count: Parameters, adapters included.
        trainable_count: Parameters that the optimizer updates.
        seconds: Time inside the process, without the import of torch.
    """

    traced_by: str
    target: SimulationTarget
    phases: tuple[SimulatedPhase, ...]
    peak_bytes: int
    peak_high_bytes: int
    peak_phase: str
    peak_event: int
    peak_reserved_bytes: int
    categories: Mapping[str, int]
    largest: Mapping[str, int]
    alive: tuple[AliveRow, ...]
    points: tuple[SimulatedPoint, ...]
    exact: bool = False
    out_of_memory: bool = False
    notes: tuple[TracedNote, ...] = ()
    event_count: int = 0
    operator_count: int = 0
    param_count: int = 0
    trainable_count: int = 0
    seconds: float = 0.0
