"""The machine that is stood for, in the terms of the kernels."""

from __future__ import annotations

from dataclasses import dataclass

from optmem_gui.core.kernels.gemm import LtWorkspace, cublas_workspace_bytes, cublaslt_workspace
from optmem_gui.core.kernels.processors import Processors
from optmem_gui.core.kernels.releases import Release, release_of
from optmem_gui.core.simulating import SimulationTarget
from optmem_gui.core.simulation_target import processors_of


@dataclass(frozen=True, slots=True)
class Machine:
    """What rules ask of the target.

    Attributes:
        release: Release of torch.
        capability: Compute capability as ten times major plus minor, such as 90; 0 where no GPU is chosen.
        fewest: Its multiprocessors, or fewer than any GPU has where they are not known.
        most: Its multiprocessors, or more than any GPU has.
        cublas_bytes: Workspace that every thread with a matrix product keeps.
        cublaslt: Workspace of a product with a bias.
    """

    release: Release
    capability: int
    fewest: Processors
    most: Processors
    cublas_bytes: int
    cublaslt: LtWorkspace

    @property
    def is_known(self) -> bool:
        """Whether the multiprocessors are."""
        return self.fewest == self.most

    @property
    def has_bf16(self) -> bool:
        """Whether attention kernels take bf16 (Ampere and later); so without a GPU chosen."""
        return self.capability == 0 or self.capability >= 80


def machine_of(target: SimulationTarget) -> Machine:
    """Read a target."""
    release = release_of(target.torch)
    digits = target.architecture.removeprefix("sm_")
    fewest, most = processors_of(target)
    return Machine(
        release=release,
        capability=int(digits) if digits.isdecimal() else 0,
        fewest=fewest,
        most=most,
        cublas_bytes=cublas_workspace_bytes(target.architecture, release, target.cublas_workspace),
        cublaslt=cublaslt_workspace(release),
    )
