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
from optmem_gui.core.model import ModelRef, Role
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.overhead import fit_on, process_band, reserved_band
from optmem_gui.core.parallel import ONE_GPU, Parallel
from optmem_gui.core.peaks import Ranks
from optmem_gui.core.precision import precision
from optmem_gui.core.reasons import Reason
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.mesh import layer_count

MOST_GPUS = 16_384
NODE_GPUS = 8
"""GPUs of one machine: tensor parallelism stays within it."""

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
        """Sorts layouts: those that fit first, then those that split the model least, then the roomiest."""
        chosen = self.parallel
        split = chosen.tp * chosen.pp * chosen.cp * chosen.ep
        return (_FITS.index(self.fits), split, _ORDER.index(chosen.shard), -self.free_bytes)


def candidates(scenario: Scenario, gpus: int) -> Iterator[Parallel]:
    """Layouts over so many GPUs that could run, simple ones first.

    Args:
        scenario: What is trained; its own layout keeps its switches (offload, interleave, buckets).
        gpus: Ranks in all.
    """
    model, base = scenario.model, scenario.parallel
    if gpus == 1:
        yield replace(ONE_GPU, bucket_view=False)
        return
    layers = layer_count(model)
    for pp in _divisors(gpus, min(layers, 64)):
        if layers % pp:
            continue
        for tp in _divisors(gpus // pp, NODE_GPUS if splits_by_tensor(model) else 1):
            for cp in _divisors(gpus // (pp * tp), _context_ranks(scenario)):
                data = gpus // (pp * tp * cp)
                for ep in _divisors(data * cp, _most_expert_ranks(model, layers)):
                    for shard in engines_for(scenario):
                        if shard == "ddp" or data * cp > 1:
                            yield replace(
                                base,
                                gpus=gpus,
                                shard=shard,
                                tp=tp,
                                pp=pp,
                                cp=cp,
                                ep=ep,
                                replicas=1,
                                interleave=1,
                                sequence_parallel=base.sequence_parallel and tp > 1,
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


def plan(scenario: Scenario, gpu: Gpu, gpus: int) -> Iterator[PlannedLayout]:
    """Every layout over so many GPUs, as it comes; :func:`ranked` sorts them.

    Raises:
        UserError: The scenario is impossible in every layout; the reason of the first.
    """
    implementation = find(scenario.optimizer)
    first: UserError | None = None
    found = False
    for parallel in candidates(scenario, gpus):
        chosen = replace(scenario, parallel=parallel)
        try:
            worst = Ranks.of(chosen, gpu).worst(implementation, scenario.options)
        except UserError as error:
            first = first or error
            continue
        found = True
        process = process_band(reserved_band(worst.bytes, scenario.target), scenario.target, ranks=gpus)
        fit = fit_on(gpu, process)
        yield PlannedLayout(
            parallel=parallel,
            peak_bytes=worst.bytes,
            peak_phase=worst.phase,
            host_bytes=worst.host_bytes,
            worst=worst.ground.rank.why,
            process=process,
            fits=fit.fits,
            free_bytes=fit.free,
        )
    if not found and first is not None:
        raise first


def ranked(layouts: Iterable[PlannedLayout]) -> list[PlannedLayout]:
    """Layouts from the best to the worst."""
    return sorted(layouts, key=lambda layout: layout.order)


def smallest(scenario: Scenario, gpu: Gpu, most_gpus: int = MOST_GPUS) -> Iterator[list[PlannedLayout]]:
    """Ranked layouts for 1, 2, 4, ... GPUs, up to the first number on which one surely fits.

    Args:
        scenario: What is trained.
        gpu: Every rank's GPU.
        most_gpus: Where to give up.

    Yields:
        One list a number of GPUs; the last one begins with the layout to take, where there is one.

    Raises:
        UserError: The scenario is impossible in every layout.
    """
    for gpus in counts(most_gpus):
        layouts = ranked(plan(scenario, gpu, gpus))
        yield layouts
        if layouts and layouts[0].fits == "yes":
            return


def counts(most_gpus: int = MOST_GPUS) -> Sequence[int]:
    """The numbers of GPUs that are looked at: powers of two."""
    return tuple(1 << power for power in range(most_gpus.bit_length()) if 1 << power <= most_gpus)


def memory_by_count(scenario: Scenario, gpu: Gpu, shard: str, most_gpus: int) -> list[tuple[int, int]]:
    """Peak of one way of sharing against the number of GPUs, the model not split otherwise.

    Raises:
        UserError: The scenario is impossible with this way of sharing.
    """
    implementation = find(scenario.optimizer)
    series = []
    for gpus in counts(most_gpus):
        parallel = replace(ONE_GPU, gpus=gpus, shard=shard)
        chosen = replace(scenario, parallel=parallel)
        series.append((gpus, Ranks.of(chosen, gpu).worst(implementation, scenario.options).bytes))
    return series


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


def _most_expert_ranks(model: ModelRef, layers: int) -> int:
    experts = [group for group in model.groups if group.role is Role.EXPERT]
    if not experts:
        return 1
    return max(group.shape[0] if len(group.shape) >= 3 else group.count // layers for group in experts)
