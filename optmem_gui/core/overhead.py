"""From allocated to what the driver shows: bands, because no closed form knows them exactly.

Sources: the peaks of 29 recorded CUDA runs of transformers (``tests/core/data/recorded_peaks.json``) for
what the caching allocator keeps; for the CUDA context, readings with lazy module loading between 141 MiB
(T4, CUDA 12.8) and 612 MiB (B200): pytorch pull 86509 and issues 107667, 109888, unsloth-zoo pull 1053.
"""

from __future__ import annotations

from optmem_gui.core.breakdown import Band, Fit
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.scenario import Target
from optmem_gui.core.units import MIB

SEGMENT_BYTES = 2 * MIB
"""Granularity of the segments the caching allocator asks the driver for."""

RESERVED_SHARE = (6, 100)
"""Upper bound of what fragmentation adds: 1.0582 was the largest of the 14 recorded runs with a backward."""

RESERVED_EXTRA_BYTES = 40 * MIB
"""Room for one partly used 20 MiB segment of either pool."""

CONTEXT_BYTES = Band(250 * MIB, 650 * MIB)
"""CUDA context, loaded kernels and libraries of one process."""

NCCL_BYTES = Band(100 * MIB, 1500 * MIB)
"""NCCL's communicators and their channels, outside torch's allocator: one reading added 1.45 GiB at the
first barrier; few channels on two GPUs take about 100 MiB. The number of channels and peers decides."""

HOST_PROCESS_BYTES = Band(200 * MIB, 500 * MIB)
"""Python and torch themselves when training on the CPU: ``import torch`` alone takes about 223 MiB."""


def reserved_band(peak_bytes: int, target: Target) -> Band:
    """What the caching allocator holds when ``peak_bytes`` is the most that was allocated."""
    if target == "cpu":
        return Band(peak_bytes, peak_bytes)
    low = -(-peak_bytes // SEGMENT_BYTES) * SEGMENT_BYTES
    share, whole = RESERVED_SHARE
    high = low + -(-low * share // whole) + RESERVED_EXTRA_BYTES
    return Band(low, -(-high // SEGMENT_BYTES) * SEGMENT_BYTES)


def context_band(gpu: Gpu | None) -> Band:
    """What a process takes on a GPU beyond what torch reserves, as measured there where it was."""
    return CONTEXT_BYTES if gpu is None or gpu.calibration is None else gpu.calibration.context


def process_band(reserved: Band, target: Target, ranks: int = 1, gpu: Gpu | None = None) -> Band:
    """What the driver (or, on a CPU, the operating system) shows for the process."""
    extra = context_band(gpu) if target == "cuda" else HOST_PROCESS_BYTES
    nccl = NCCL_BYTES if ranks > 1 and target == "cuda" else Band(0, 0)
    return Band(reserved.low + extra.low + nccl.low, reserved.high + extra.high + nccl.high)


def fit_on(gpu: Gpu, process: Band) -> Fit:
    """The verdict: sure to fit, sure not to, or within the band."""
    usable = gpu.usable_bytes
    fits = "yes" if process.high <= usable else "no" if process.low > usable else "tight"
    return Fit(gpu.id, usable, fits, usable - process.high)
