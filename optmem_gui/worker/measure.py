"""The real steps: forward, backward and update, watched phase by phase."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial

import torch

from optmem_gui.core.errors import UserError
from optmem_gui.core.precision import PrecisionScheme, precision
from optmem_gui.core.protocol import Categories, Message, PhaseSample, Progress, Result, StepResult
from optmem_gui.core.requests import OLDEST_TORCH, MeasureRequest
from optmem_gui.worker.build import build
from optmem_gui.worker.device import Meter, hello, meter_for, open_device
from optmem_gui.worker.handing import gathering
from optmem_gui.worker.job import Job
from optmem_gui.worker.ledger import Known, known_tensors
from optmem_gui.worker.training import Passes, autocast_of, checked_scheme, train_step
from optmem_gui.worker.update import Update, state_rows, tensor_bytes


@dataclass
class Run:
    """One measurement as it goes.

    Attributes:
        request: What to measure.
        send: Where messages go.
        step: Step under way, 0 before the first.
        phase: Phase under way.
        phases: Phases of the step under way.
    """

    request: MeasureRequest
    send: Callable[[Message], None]
    step: int = 0
    phase: str = ""
    phases: list[PhaseSample] = field(default_factory=list)
    _known: Known = dict
    _sent_bytes: Callable[[], int] = int
    _sent_before: int = 0
    _activations: int | None = None

    def measure(self) -> Result:
        """Do it all.

        Raises:
            UserError: What was asked for cannot be measured here.
            torch.OutOfMemoryError: It does not fit.
        """
        scheme = _checked(self.request)
        device = open_device(self.request.device)
        self.send(hello(device))
        with gathering(self.request, device):
            return self._run(scheme, device)

    def _run(self, scheme: PrecisionScheme, device: torch.device) -> Result:
        meter = meter_for(device, self._record, self._addresses, self.request.history)
        try:
            return self._measured(scheme, device, meter)
        finally:
            meter.close()

    def _addresses(self) -> Mapping[int, str]:
        """What the tensors are, once they are made."""
        return self._known()

    def _measured(self, scheme: PrecisionScheme, device: torch.device, meter: Meter) -> Result:
        with self._phase(meter, "load"):
            job, update = self._made(scheme, device)
            self._known = partial(known_tensors, job, update)
            self._sent_bytes = partial(_communication, job, update)
        load = self.phases.pop()
        start = time.monotonic()
        results = [self._one_step(step, job, update, meter, device) for step in self._steps()]
        return Result(
            load=load,
            first=results[0],
            steady=results[-1],
            state=state_rows(update.state(), device),
            param_count=sum(p.numel() for p in job.parameters),
            trainable_count=sum(p.numel() for p in job.trainable),
            seconds=time.monotonic() - start,
        )

    def _made(self, scheme: PrecisionScheme, device: torch.device) -> tuple[Job, Update]:
        """The model and what updates it."""
        job = build(self.request, scheme, device)
        names, model = job.trainable_names, job.module
        return job, Update(self.request, scheme, job.trainable, device, names=names, model=model)

    def _steps(self) -> range:
        return range(1, self.request.steps + 1)

    def _phase(self, meter: Meter, phase: str) -> AbstractContextManager[None]:
        self.phase = phase
        self.send(Progress(phase, self.step, self.request.steps))
        return meter.phase(self.step, phase)

    def _record(self, sample: PhaseSample) -> None:
        self.phases.append(sample)
        before, self._sent_before = self._sent_before, self._sent_bytes()
        if sample.phase == "forward" and self._activations is None:
            grown = sample.allocated_bytes - sample.start_bytes
            self._activations = grown - (self._sent_before - before)
        self.send(sample)

    def _one_step(
        self, step: int, job: Job, update: Update, meter: Meter, device: torch.device
    ) -> StepResult:
        self.step, self.phases, self._activations = step, [], None
        passes = Passes(job, update, autocast_of(precision(self.request.precision), device))
        gradients: list[int] = []
        train_step(
            self.request,
            passes,
            phase=lambda phase: self._phase(meter, phase),
            before_update=lambda: gradients.append(tensor_bytes(update.gradients())),
        )
        result = StepResult(
            step=step,
            phases=tuple(self.phases),
            categories=_categories(job, update, device, gradients[-1], passes.input_bytes),
            activations=self._activations or 0,
            loss=passes.value if math.isfinite(passes.value) else None,
        )
        self.send(result)
        return result


def _checked(request: MeasureRequest) -> PrecisionScheme:
    """Refuse what cannot be measured before anything is allocated."""
    version = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
    if version < OLDEST_TORCH:
        oldest = ".".join(map(str, OLDEST_TORCH))
        raise UserError("measure.old_torch", torch=torch.__version__, oldest=oldest)
    return checked_scheme(request)


def _categories(job: Job, update: Update, device: torch.device, gradients: int, inputs: int) -> Categories:
    state = state_rows(update.state(), device)
    return Categories(
        weights=tensor_bytes(job.parameters),
        gradients=gradients,
        master_weights=tensor_bytes(update.masters),
        optimizer_state=sum(row.bytes for row in state),
        optimizer_state_host=sum(row.bytes for row in state if row.host),
        buffers=tensor_bytes(job.buffers),
        inputs=inputs,
        communication=_communication(job, update),
    )


def _communication(job: Job, update: Update) -> int:
    """Bytes of the storages that exist because of other ranks and hold nothing else."""
    held = job.held()
    if not held:
        return 0
    known = known_tensors(job, update)
    return sum(each.bytes for address, each in held.items() if known[address] == "communication")
