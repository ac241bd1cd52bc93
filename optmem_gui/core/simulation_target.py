"""From a GPU of the table to the machine whose memory is simulated."""

from __future__ import annotations

from optmem_gui.core.gpus import Gpu
from optmem_gui.core.kernels.processors import FEWEST, MOST, Processors, threads_of
from optmem_gui.core.kernels.releases import NEWEST, release_of
from optmem_gui.core.overhead import context_band
from optmem_gui.core.scenario import Target
from optmem_gui.core.simulating import SimulationTarget


def target_of(
    gpu: Gpu | None,
    torch: str = "",
    *,
    allocator: str = "",
    cublas_workspace: str = "",
    device: Target = "cuda",
) -> SimulationTarget:
    """The machine that a simulation stands for.

    The device hands out what its driver does not reserve less the smallest CUDA context, so a simulated
    out of memory is a sure one.

    Args:
        gpu: The chosen GPU; None leaves its facts unknown and its memory without an end.
        torch: Version of the torch that will train; empty for the newest known one.
        allocator: Value of ``PYTORCH_CUDA_ALLOC_CONF``.
        cublas_workspace: Value of ``CUBLAS_WORKSPACE_CONFIG``.
        device: What trains; of the rest only ``torch`` is known of a CPU.

    Raises:
        ValueError: ``torch`` is not a version.
    """
    major, minor = release_of(torch) if torch else NEWEST
    if device == "cpu":
        return SimulationTarget(torch=f"{major}.{minor}", device=device)
    return SimulationTarget(
        torch=f"{major}.{minor}",
        architecture=gpu.architecture if gpu is not None else "",
        sm_count=gpu.sm_count if gpu is not None else None,
        threads_per_sm=gpu.threads_per_sm if gpu is not None else None,
        capacity_bytes=gpu.usable_bytes - context_band(gpu).low if gpu is not None else None,
        allocator=allocator,
        cublas_workspace=cublas_workspace,
    )


def processors_of(target: SimulationTarget) -> tuple[Processors, Processors]:
    """The smallest and the largest GPU that the target can be; the same one where its facts are known.

    The buffers of reductions grow with both, so the two ends make a band.
    """
    count, threads = target.sm_count, target.threads_per_sm or threads_of(target.architecture)
    low = Processors(FEWEST.count if count is None else count, FEWEST.threads if threads is None else threads)
    high = Processors(MOST.count if count is None else count, MOST.threads if threads is None else threads)
    return low, high
