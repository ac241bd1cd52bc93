"""The device of a measurement, and who keeps the books of what torch allocates on it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

import torch

from optmem_gui.core.errors import UserError
from optmem_gui.core.protocol import Hello
from optmem_gui.worker.cpu_meter import CpuMeter, Sink
from optmem_gui.worker.cuda_meter import CudaMeter
from optmem_gui.worker.ledger import Known

_SLICE = "MIG-"
"""A slice of a GPU is chosen by CUDA_VISIBLE_DEVICES alone (MIG user guide, "CUDA device enumeration"), which
CUDA reads at its first call; the UUID that torch gives may be the whole GPU's."""


class Meter(Protocol):
    """Watches one device."""

    @contextmanager
    def phase(self, step: int, phase: str) -> Iterator[None]:
        """Measure what runs inside and report it, also when it fails."""

    def close(self) -> None:
        """Nothing more is measured."""


def open_device(text: str) -> torch.device:
    """Find the device and prove that it works.

    Args:
        text: ``cpu``, ``cuda:N`` or a driver's UUID.

    Raises:
        UserError: There is no such device, torch cannot use it, or its first kernel fails.
    """
    if text == "cpu":
        return torch.device("cpu")
    if text.startswith(_SLICE):
        os.environ["CUDA_VISIBLE_DEVICES"] = text
        text = "cuda:0"
    _need_cuda(text)
    number = text.partition(":")[2] or "0" if text.startswith("cuda") else str(_index_of(text))
    if not number.isdecimal() or int(number) >= torch.cuda.device_count():
        raise UserError("measure.no_such_device", given=text, device_count=torch.cuda.device_count())
    device = torch.device("cuda", int(number))
    torch.cuda.set_device(device)
    _first_kernel(device)
    return device


def _need_cuda(text: str) -> None:
    if torch.version.cuda is None and torch.version.hip is None:
        raise UserError("measure.torch_without_cuda", torch=torch.__version__, python=sys.executable)
    if torch.cuda.is_available():
        return
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None and visible.strip() in ("", "-1"):
        raise UserError("measure.device_hidden", given=text, visible=visible)
    try:
        torch.cuda.init()  # type: ignore[no-untyped-call]  # the library leaves it untyped
    except (RuntimeError, AssertionError) as error:
        raise UserError("measure.no_cuda", cause=str(error).splitlines()[0]) from error
    raise UserError("measure.sees_no_gpu")


def _plain_uuid(text: object) -> str:
    return str(text).lower().removeprefix("gpu-")


def _index_of(uuid: str) -> int:
    """Torch's number of a device; the driver numbers them otherwise, so only the UUID is trusted."""
    for index in range(torch.cuda.device_count()):
        found = _plain_uuid(torch.cuda.get_device_properties(index).uuid)
        if found == _plain_uuid(uuid):
            return index
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        raise UserError("measure.device_hidden", given=uuid, visible=visible)
    raise UserError("measure.no_such_device", given=uuid, device_count=torch.cuda.device_count())


def _first_kernel(device: torch.device) -> None:
    """A torch build may lack kernels for this GPU, and a GPU in exclusive mode may be taken."""
    try:
        torch.ones(8, device=device).add_(1).sum().item()
    except RuntimeError as error:
        cause = str(error).splitlines()[0]
        if "no kernel image" in cause:
            major, minor = torch.cuda.get_device_capability(device)
            raise UserError(
                "measure.no_kernel", architecture=f"sm_{major}{minor}", torch=torch.__version__
            ) from error
        if "busy or unavailable" in cause:
            raise UserError("measure.device_busy", device=torch.cuda.get_device_name(device)) from error
        raise


def hello(device: torch.device) -> Hello:
    """Who runs, on what."""
    python = ".".join(map(str, sys.version_info[:3]))
    clock = time.monotonic_ns()
    if device.type == "cpu":
        return Hello(os.getpid(), python, torch.__version__, "CPU", None, None, clock)
    properties = torch.cuda.get_device_properties(device)
    uuid = _slice_uuid(device) or f"GPU-{_plain_uuid(properties.uuid)}"
    return Hello(
        os.getpid(),
        python,
        torch.__version__,
        properties.name,
        uuid,
        properties.total_memory,
        clock,
        architecture=f"sm_{properties.major}{properties.minor}",
        sm_count=properties.multi_processor_count,
        threads_per_sm=getattr(properties, "max_threads_per_multi_processor", None),
    )


def _slice_uuid(device: torch.device) -> str:
    """The driver's name of a slice, empty for a whole GPU."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
    index = device.index or 0
    return visible[index] if index < len(visible) and visible[index].startswith(_SLICE) else ""


def meter_for(device: torch.device, sink: Sink, known: Known, history: str = "") -> Meter:
    """The meter that suits the device.

    Raises:
        UserError: The CPU has no caching allocator whose history could be written.
    """
    if device.type != "cpu":
        return CudaMeter(device, sink, known, history)
    if history:
        raise UserError("measure.history_needs_gpu")
    return CpuMeter(sink, known)
