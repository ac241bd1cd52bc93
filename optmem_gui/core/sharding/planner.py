"""Which layouts of a run fit, and how few GPUs are enough.

A layout keeps the batch of a data-parallel rank: more GPUs see more data at once, they do not see less
each. What the planner compares is memory alone; of layouts that fit it puts first the one that splits the
model least, because every split costs communication.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from optmem_gui.core.breakdown import Band
from optmem_gui.core.errors import UserError
from optmem_gui.core.gpus import Gpu
from optmem_gui.core.ground import Parts
from optmem_gui.core.model import ModelRef, Role
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.overhead import fit_on, process_band, reserved_band
from optmem_gui.core.parallel import ONE_GPU, Parallel
from optmem_gui.core.peaks import RankPeak, Ranks
from optmem_gui.core.precision import precision
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.mesh import expert_counts, layer_count

MOST_GPUS = 16_384
NODE_GPUS = 8
"""GPUs of one machine: tensor parallelism stays within it."""

_MOST_STAGES = 64
"""Pipelines longer than this are not looked at."""

_CONTEXT_TOKENS = 16_384
"""Sequences shorter than this are not split among context-parallel ranks."""

_ORDER = ("ddp", "zero-redundancy", "zero1", "megatron", "zero2", "fsdp2", "zero3", "hsdp", "fsdp1")
"""Ways of sharing from the least communication to the most."""

_FITS = ("yes", "tight", "no")


@dataclass(frozen=True, slots=True)
class PlannedLayout:
    """One layout and what its worst rank holds.

    Attributes:
        parallel: The layout.
        peak_bytes: Largest number allocated in a step.
        peak_phase: Phase it falls in.
        host_bytes: What a rank keeps in host memory.
        worst: Which rank that is.
        process: What the driver shows for the process.
        fits: ``yes``, ``tight`` or ``no``.
        free_bytes: Usable memory less ``process.high``.
    """

    parallel: Parallel
    peak_bytes: int
    peak_phase: str
    host_bytes: int
    worst: Reason
    process: Band
    fits: str
    free_bytes: int

    @property
    def order(self) -> tuple[int, int, int, int]:
        """Sorts layouts: those that fit first, of these those that split the model least, then the roomiest.

        Of those that do not fit, the ones that miss the least come first.
        """
        chosen = self.parallel
        if self.fits == "no":
            return (_FITS.index(self.fits), 0, 0, -self.free_bytes)
        split = chosen.tp * chosen.pp * chosen.cp * chosen.ep
        return (_FITS.index(self.fits), split, _ORDER.index(chosen.shard), -self.free_bytes)


def candidates(scenario: Scenario, gpus: int) -> Iterator[Parallel]:
    """Layouts over so many GPUs that could run, simple ones first.

    Args:
        scenario: What is trained; its own layout keeps its switches (offload, interleave, buckets).
        gpus: Ranks in all.
    """
    model = scenario.model
    if gpus == 1:
        yield ONE_GPU
        return
    layers = layer_count(model)
    for pp in _divisors(gpus, min(layers, _MOST_STAGES)):
        for tp in _tensor_ranks(model, gpus // pp):
            for cp in _divisors(gpus // (pp * tp), _context_ranks(scenario)):
                data = gpus // (pp * tp * cp)
                for ep in _expert_ranks(model, data * cp, layers):
                    for shard in engines_for(scenario):
                        if shard == "ddp" or data * cp > 1:
                            chosen = _chosen(scenario.parallel, gpus, shard)
                            yield replace(
                                chosen,
                                tp=tp,
                                pp=pp,
                                cp=cp,
                                ep=ep,
                                sequence_parallel=scenario.parallel.sequence_parallel and tp > 1,
                            )


def _chosen(base: Parallel, gpus: int, shard: str) -> Parallel:
    """So many GPUs that share in this way and split nothing, with the switches that go with it."""
    return replace(
        base,
        gpus=gpus,
        shard=shard,
        tp=1,
        pp=1,
        ep=1,
        cp=1,
        replicas=1,
        interleave=1,
        stages=(),
        sequence_parallel=False,
        bucket_view=base.bucket_view and shard == "ddp",
        offload=base.offload if shard in _OFFLOADS else "none",
    )


_OFFLOADS = ("zero2", "zero3", "fsdp2")


def engines_for(scenario: Scenario) -> tuple[str, ...]:
    """Engines that run a precision scheme: DeepSpeed where there is a master copy, else FSDP2."""
    scheme = precision(scenario.precision)
    if scheme.persistent_gradients:
        return ("ddp", "megatron")
    if scheme.master is not None:
        return ("ddp", "zero1", "zero2", "zero3")
    return ("ddp", "zero-redundancy", "fsdp2")


def splits_by_tensor(model: ModelRef) -> bool:
    """Whether tensor parallelism knows the model's parts."""
    return any(group.role is Role.ATTENTION for group in model.groups)


class Planner:
    """Plans one run; what its layouts have in common is computed once.

    Args:
        scenario: What is trained; its own layout keeps its switches (offload, interleave, buckets).
        gpu: Every rank's GPU.
    """

    def __init__(self, scenario: Scenario, gpu: Gpu) -> None:
        self._scenario, self._gpu = scenario, gpu
        self._implementation = find(scenario.optimizer)
        self._parts = Parts(scenario, gpu, peaks_only=True)
        self._known: dict[Parallel, RankPeak] = {}

    def layouts(self, gpus: int) -> Iterator[PlannedLayout]:
        """Every layout over so many GPUs that could run, as it comes; :func:`ranked` sorts them.

        Raises:
            UserError: The scenario is impossible in every layout; the reason of the first.
        """
        first: UserError | None = None
        found = False
        for parallel in candidates(self._scenario, gpus):
            try:
                layout = self.layout(parallel)
            except UserError as error:
                first = first or error
                continue
            found = True
            yield layout
        if not found and first is not None:
            raise first

    def layout(self, parallel: Parallel) -> PlannedLayout:
        """What the worst rank of one layout holds.

        Raises:
            UserError: The scenario is impossible in this layout.
        """
        worst, target = self._worst(parallel), self._scenario.target
        process = process_band(reserved_band(worst.bytes, target), target, parallel.gpus, self._gpu)
        fit = fit_on(self._gpu, process)
        return PlannedLayout(
            parallel=parallel,
            peak_bytes=worst.bytes,
            peak_phase=worst.phase,
            host_bytes=worst.host_bytes,
            worst=worst.ground.rank.why,
            process=process,
            fits=fit.fits,
            free_bytes=fit.free,
        )

    def _worst(self, parallel: Parallel) -> RankPeak:
        same = _alike(parallel)
        known = self._known.get(same)
        if known is None:
            scenario = replace(self._scenario, parallel=same)
            found = Ranks.among(self._parts, scenario).worst(self._implementation, scenario.options)
            known = self._known[same] = found
        return known

    def smallest(self, most_gpus: int = MOST_GPUS) -> Iterator[list[PlannedLayout]]:
        """Ranked layouts for 1, 2, 4, ... GPUs, up to the first number on which one surely fits.

        Args:
            most_gpus: Where to give up.

        Yields:
            One list a number of GPUs; the last one begins with the layout to take, where there is one.

        Raises:
            UserError: The scenario is impossible in every layout.
        """
        for gpus in counts(most_gpus):
            layouts = ranked(self.layouts(gpus))
            yield layouts
            if layouts and layouts[0].fits == "yes":
                return

    def by_count(self, shard: str, most_gpus: int = MOST_GPUS) -> Iterator[PlannedLayout]:
        """One way of sharing against the number of GPUs, the model not split otherwise.

        Raises:
            UserError: The scenario is impossible with this way of sharing.
        """
        for gpus in counts(most_gpus):
            yield self.layout(_chosen(self._scenario.parallel, gpus, shard) if gpus > 1 else ONE_GPU)


def _alike(parallel: Parallel) -> Parallel:
    """A layout whose ranks hold the same: with DDP more copies of the model change nothing on each."""
    split = parallel.tp * parallel.pp * parallel.cp
    if parallel.shard != "ddp" or parallel.ep > 1 or parallel.gpus <= 2 * split:
        return parallel
    return replace(parallel, gpus=2 * split)


def ranked(layouts: Iterable[PlannedLayout]) -> list[PlannedLayout]:
    """Layouts from the best to the worst."""
    return sorted(layouts, key=lambda layout: layout.order)


def counts(most_gpus: int = MOST_GPUS) -> Sequence[int]:
    """The numbers of GPUs that are looked at: powers of two."""
    return tuple(1 << power for power in range(most_gpus.bit_length()) if 1 << power <= most_gpus)


def _divisors(number: int, most: int) -> Iterator[int]:
    """Powers of two that divide a number, and 3, 5, 7 times them, from 1 up to a limit."""
    for size in range(1, min(number, max(1, most)) + 1):
        odd = size
        while odd % 2 == 0:
            odd //= 2
        if number % size == 0 and odd in (1, 3, 5, 7):
            yield size


def _context_ranks(scenario: Scenario) -> int:
    if scenario.sequence is None or scenario.sequence < _CONTEXT_TOKENS:
        return 1
    return min(NODE_GPUS, scenario.sequence // (_CONTEXT_TOKENS // 2))


def _tensor_ranks(model: ModelRef, most: int) -> Iterator[int]:
    """Ranks of one node that divide what tensor parallelism splits."""
    if not splits_by_tensor(model):
        yield 1
        return
    shape = model.architecture
    for tp in _divisors(most, NODE_GPUS):
        if shape is None or not (shape.heads % tp or shape.ffn % tp):
            yield tp


def _expert_ranks(model: ModelRef, most: int, layers: int) -> Iterator[int]:
    """Ranks that divide the experts of a layer."""
    experts = set(expert_counts(model, layers))
    for ep in _divisors(most, max(experts, default=1)):
        if not any(count % ep for count in experts):
            yield ep
