"""What the window and its child processes say to each other: one JSON object a line, UTF-8.

Every line is ``{"v": 1, "kind": ..., fields}``. The parent sends one :class:`MeasureRequest` on the
worker's standard input; the worker answers ``hello``, then progress and figures, then ``result`` or
``failed``. A worker that simulates stays for the next request, and a ``cancel`` ends the one it traces.
The sampler speaks the same way. A kind that is not known is ignored, so that either side can
be newer; another version is an error. Times are ``time.monotonic_ns``, a clock that is one for the whole
system (Python library reference, ``time.monotonic``), so both series share one axis.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Union

from optmem_gui.core.codec import CodecError, from_json, to_json
from optmem_gui.core.describing import DescribeReport, DescribeRequest
from optmem_gui.core.observing import DeviceFacts, Others
from optmem_gui.core.probing import ProbeReport, ProbeRequest
from optmem_gui.core.reasons import Reason
from optmem_gui.core.requests import CancelRequest, MeasureRequest, SimulateRequest
from optmem_gui.core.simulating import SimulationReport

PROTOCOL_VERSION = 1
MAX_LINE_BYTES = 16 << 20
"""A longer line comes from something that is not a worker; the parent stops reading there."""


class ProtocolError(ValueError):
    """A line that is no message."""


class VersionError(ProtocolError):
    """A message of another protocol version.

    Attributes:
        given: What the other side speaks.
    """

    def __init__(self, given: object) -> None:
        super().__init__(f"protocol version {given!r}, expected {PROTOCOL_VERSION}")
        self.given = given


@dataclass(frozen=True, slots=True)
class Hello:
    """First word of the worker: who runs, on what.

    Attributes:
        pid: Process id, as the worker itself sees it.
        python: Version of its Python.
        torch: Version of its torch.
        device: Name of the device.
        uuid: The driver's UUID of a GPU, None on the CPU.
        total_bytes: Memory of the GPU, None on the CPU.
        clock_ns: The worker's monotonic clock now.
        architecture: Compute capability of the GPU, such as ``sm_90``; empty on the CPU.
        sm_count: Its streaming multiprocessors, None on the CPU.
        threads_per_sm: Most threads resident on one of them, None on the CPU.
    """

    pid: int
    python: str
    torch: str
    device: str
    uuid: str | None
    total_bytes: int | None
    clock_ns: int
    architecture: str = ""
    sm_count: int | None = None
    threads_per_sm: int | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """Where the worker is.

    Attributes:
        stage: ``build`` or the id of a phase.
        step: Step it belongs to, 0 before the first one.
        steps: Steps in all.
    """

    stage: str
    step: int
    steps: int


@dataclass(frozen=True, slots=True)
class PhaseSample:
    """One phase as it ran.

    Attributes:
        step: Step it belongs to, 0 for load.
        phase: Id of the phase.
        start_ns: Worker's clock at its start.
        end_ns: Worker's clock at its end.
        start_bytes: Allocated at its start.
        allocated_bytes: Allocated at its end.
        peak_bytes: Largest number allocated inside it.
        reserved_bytes: Held by the caching allocator at its end, None where there is none (CPU).
        peak_reserved_bytes: Largest number held inside it, None where there is no caching allocator.
        points: Course of the phase as (clock, allocated) where torch records one; thinned, peak kept.
        parts: The allocated bytes of each point by what they are, ids as in the breakdown; the parts of a
            point sum to it. Empty where the single allocations are not known.
        active_bytes: As allocated, with blocks that a stream still uses, None where there is none (CPU).
        peak_active_bytes: Largest number of those inside it.
        alloc_count: Allocations inside it.
        retry_count: How often the allocator had to give cached memory back first, None on the CPU.
    """

    step: int
    phase: str
    start_ns: int
    end_ns: int
    start_bytes: int
    allocated_bytes: int
    peak_bytes: int
    reserved_bytes: int | None = None
    peak_reserved_bytes: int | None = None
    points: tuple[tuple[int, int], ...] = ()
    parts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    active_bytes: int | None = None
    peak_active_bytes: int | None = None
    alloc_count: int = 0
    retry_count: int | None = None


@dataclass(frozen=True, slots=True)
class Categories:
    """Bytes by what they are, from the tensors themselves.

    Attributes:
        weights: What forward reads.
        gradients: What persists from backward to the step.
        master_weights: The separate copy that the optimizer updates.
        optimizer_state: Every tensor in the optimizer's state, host memory included.
        optimizer_state_host: Part of it in host memory while the device is a GPU.
        buffers: Kept beside the parameters.
        inputs: Tokens and labels of one micro-batch, there from forward to the end of backward.
        communication: What stays because there are other ranks: DDP's buckets.
    """

    weights: int = 0
    gradients: int = 0
    master_weights: int = 0
    optimizer_state: int = 0
    optimizer_state_host: int = 0
    buffers: int = 0
    inputs: int = 0
    communication: int = 0

    @property
    def persistent_bytes(self) -> int:
        """On the device between two steps, gradients left out."""
        on_device = self.optimizer_state - self.optimizer_state_host
        return self.weights + self.master_weights + on_device + self.buffers + self.communication


@dataclass(frozen=True, slots=True)
class StateRow:
    """Tensors of the optimizer's state under one name.

    Attributes:
        name: Key in the state, such as ``exp_avg``.
        dtype: Element type as torch writes it, such as ``float32``.
        host: Lives in host memory while the device is a GPU.
        count: How many.
        bytes: Their bytes together.
    """

    name: str
    dtype: str
    host: bool
    count: int
    bytes: int


@dataclass(frozen=True, slots=True)
class StepResult:
    """One step.

    Attributes:
        step: Counted from 1.
        phases: Its phases in the order they ran; micro-batches repeat forward and backward.
        categories: Bytes by what they are, gradients as they stood before the step.
        activations: Allocated by the first forward pass and still there at its end, autocast copies included,
            what is there because of other ranks left out.
        loss: Value of the loss.
    """

    step: int
    phases: tuple[PhaseSample, ...]
    categories: Categories
    activations: int
    loss: float | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A finished measurement.

    Attributes:
        load: How the model was made.
        first: The step that allocates the optimizer state.
        steady: The last step.
        state: The optimizer's state, name by name.
        param_count: Parameters, adapters included.
        trainable_count: Parameters that the optimizer updates.
        seconds: Time the steps took.
    """

    load: PhaseSample
    first: StepResult
    steady: StepResult
    state: tuple[StateRow, ...]
    param_count: int
    trainable_count: int
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Failed:
    """The worker gave up and says why.

    Attributes:
        code: ``out_of_memory`` is a result that is plotted; every other code is a failure.
        key: Template of the sentence.
        values: Its values.
        detail: Technical detail for the fold, such as the last line of a traceback.
        step: Step it happened in, 0 before the first.
        phase: Phase it happened in.
    """

    code: str
    key: str
    values: Mapping[str, int | float | str]
    detail: str = ""
    step: int = 0
    phase: str = ""

    @property
    def reason(self) -> Reason:
        """The sentence."""
        return Reason(self.key, dict(self.values))


@dataclass(frozen=True, slots=True)
class Sample:
    """What the driver and the operating system say at one moment; None where they do not, or were not asked.

    Attributes:
        clock_ns: Sampler's monotonic clock.
        device_used_bytes: Used on the device by everyone, the driver's reserve left out where it is known.
        process_bytes: Used on the device by the worker.
        rss_bytes: Host memory resident in the worker.
    """

    clock_ns: int
    device_used_bytes: int | None = None
    process_bytes: int | None = None
    rss_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class SamplerNote:
    """A series that the sampler cannot give, or no longer.

    Attributes:
        series: ``device``, ``process`` or ``rss``.
        key: Template of the reason.
        values: Its values.
    """

    series: str
    key: str
    values: Mapping[str, int | float | str]

    @property
    def reason(self) -> Reason:
        """The sentence."""
        return Reason(self.key, dict(self.values))


Request = Union[  # noqa: UP007  # evaluated at run time, as the next one
    MeasureRequest, ProbeRequest, SimulateRequest, DescribeRequest
]
Message = Union[  # noqa: UP007  # evaluated at run time; a plain alias reads the same on 3.10
    Request,
    CancelRequest,
    Hello,
    Progress,
    PhaseSample,
    StepResult,
    Result,
    ProbeReport,
    DescribeReport,
    SimulationReport,
    Failed,
    Sample,
    SamplerNote,
    DeviceFacts,
    Others,
]

_KINDS: dict[str, type[Message]] = {
    "measure": MeasureRequest,
    "probe": ProbeRequest,
    "probed": ProbeReport,
    "describe": DescribeRequest,
    "described": DescribeReport,
    "simulate": SimulateRequest,
    "cancel": CancelRequest,
    "simulated": SimulationReport,
    "hello": Hello,
    "progress": Progress,
    "phase": PhaseSample,
    "step": StepResult,
    "result": Result,
    "failed": Failed,
    "sample": Sample,
    "note": SamplerNote,
    "facts": DeviceFacts,
    "others": Others,
}
_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)
"""Made once: ``json.dumps`` makes one a call, and a thousand samples a second are encoded."""

_NAMES = {kind: name for name, kind in _KINDS.items()}


def encode(message: Message) -> bytes:
    """One line, newline included."""
    if type(message) is Sample:
        return _sample_line(message)
    record = {"v": PROTOCOL_VERSION, "kind": _NAMES[type(message)], **to_json(message)}
    return _ENCODER.encode(record).encode() + b"\n"


def _sample_line(sample: Sample) -> bytes:
    """Samples come a thousand a second: their numbers are written without a walk through their fields."""
    sizes = (sample.device_used_bytes, sample.process_bytes, sample.rss_bytes)
    device, process, rss = ("null" if size is None else size for size in sizes)
    text = (
        f'{{"v":{PROTOCOL_VERSION},"kind":"sample","clock_ns":{sample.clock_ns},'
        f'"device_used_bytes":{device},"process_bytes":{process},"rss_bytes":{rss}}}\n'
    )
    return text.encode()


def decode(line: bytes) -> Message | None:
    """Read one line; None for a kind that is not known.

    Raises:
        VersionError: The other side speaks another version.
        ProtocolError: It is no message at all, or a field does not fit.
    """
    try:
        record = json.loads(line)
    except ValueError as error:
        raise ProtocolError(f"no JSON: {error}") from None
    if not isinstance(record, dict) or "v" not in record:
        raise ProtocolError("no message: an object with a version was expected")
    if record["v"] != PROTOCOL_VERSION:
        raise VersionError(record["v"])
    kind = _KINDS.get(str(record.get("kind")))
    if kind is None:
        return None
    try:
        return from_json(kind, record)
    except CodecError as error:
        raise ProtocolError(str(error)) from None
