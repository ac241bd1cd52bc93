"""One scenario against every GPU: does it fit, how much is left, and how many would be enough."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from optmem_gui.core.activations.estimate import workspace_bytes
from optmem_gui.core.breakdown import Fit
from optmem_gui.core.errors import UserError
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.ground import Parts
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.overhead import fit_on, process_band, reserved_band
from optmem_gui.core.parallel import ONE_GPU, Parallel
from optmem_gui.core.peaks import Ranks
from optmem_gui.core.scenario import Scenario

COUNTS = tuple(1 << power for power in range(11))
"""Numbers of GPUs that are tried, up to 1,024."""

SHARD = "fsdp2"
"""How a run that fits on no single GPU is shared: parameters, gradients and state on every rank alike."""


@dataclass(frozen=True, slots=True)
class GpuFit:
    """What one GPU answers.

    Attributes:
        gpu: The GPU.
        fit: The verdict for the scenario as it is.
        needed: Fewest GPUs, a power of two, on which the run surely fits when FSDP2 shares it, at the same
            batch a GPU; the scenario's own number where that fits; None where no number tried does, or
            where its layout or optimizer cannot be shared so.
    """

    gpu: Gpu
    fit: Fit
    needed: int | None


def gpu_fits(scenario: Scenario, gpus: Iterable[Gpu]) -> tuple[GpuFit, ...]:
    """Set one scenario against many GPUs.

    GPUs differ in their memory and in the workspace that cuBLAS takes on their architecture; a step is
    computed once for each such workspace, not once a GPU.

    Raises:
        UserError: The scenario is impossible.
    """
    kinds: dict[int, _Kind] = {}
    found = []
    for gpu in gpus:
        workspace = workspace_bytes(gpu.architecture, cpu=scenario.target == "cpu")
        kind = kinds.get(workspace)
        if kind is None:
            kind = kinds[workspace] = _Kind(scenario, gpu)
        fit = kind.fit(gpu, scenario.parallel)
        found.append(GpuFit(gpu, fit, kind.needed(gpu, fit)))
    return tuple(found)


class _Kind:
    """GPUs on which a step takes the same."""

    def __init__(self, scenario: Scenario, gpu: Gpu) -> None:
        self._scenario = replace(scenario, gpu=None)
        self._parts = Parts(self._scenario, gpu, peaks_only=True)
        self._peaks: dict[Parallel, int] = {}
        self._shared: dict[int, int | None] = {}
        self._implementation = find(scenario.optimizer)

    def fit(self, gpu: Gpu, parallel: Parallel) -> Fit:
        """The verdict for one layout."""
        if parallel not in self._peaks:
            self._peaks[parallel] = self._peak(parallel)
        return self._verdict(gpu, self._peaks[parallel], parallel.gpus)

    def _verdict(self, gpu: Gpu, peak: int, gpus: int) -> Fit:
        target = self._scenario.target
        return fit_on(gpu, process_band(reserved_band(peak, target), target, gpus, gpu))

    def needed(self, gpu: Gpu, alone: Fit) -> int | None:
        """The fewest of these GPUs that are enough."""
        given = self._scenario.parallel
        if alone.fits == "yes":
            return given.gpus
        if self._scenario.target == "cpu" or (given.tp, given.pp, given.ep, given.cp) != (1, 1, 1, 1):
            return None
        for count in COUNTS[1:]:
            if count not in self._shared:
                self._shared[count] = self._shared_peak(count)
            peak = self._shared[count]
            if peak is None:
                return None
            # a peak beyond what is usable needs no look at what comes on top of it
            if peak <= gpu.usable_bytes and self._verdict(gpu, peak, count).fits == "yes":
                return count
        return None

    def _shared_peak(self, count: int) -> int | None:
        """The peak where so many GPUs share the run; None where it cannot be shared so, on any number."""
        host_bytes = self._scenario.parallel.host_bytes
        try:
            return self._peak(replace(ONE_GPU, gpus=count, shard=SHARD, host_bytes=host_bytes))
        except UserError:
            return None

    def _peak(self, parallel: Parallel) -> int:
        scenario = replace(self._scenario, parallel=parallel)
        return Ranks.among(self._parts, scenario).worst(self._implementation, scenario.options).bytes
