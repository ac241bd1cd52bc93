"""Several ranks, measured beside estimated: what each of them holds, and how far one is from the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from optmem_gui.core.comparison import ResultRow
from optmem_gui.core.errors import UserError
from optmem_gui.core.measuring import measure_request, runs_as_transformer
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.protocol import Result
from optmem_gui.core.reasons import Reason
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.core.result_rows import ResultChange, result_changes
from optmem_gui.core.run_defaults import DEFAULT_STEPS
from optmem_gui.core.scenario import Scenario, Target
from optmem_gui.core.sharding.per_rank import Holdings, held_by

MEASURED_SHARDS = ("ddp", "zero-redundancy", "fsdp2")
"""What torch itself runs between the ranks of one machine."""


@dataclass(frozen=True, slots=True)
class RankResult:
    """What one rank measured, beside what was said of it.

    Attributes:
        rank: Its number, 0 first.
        device: Name of the device it ran on; what was asked for where it never spoke.
        status: ``done``, ``out_of_memory``, ``failed`` or ``cancelled``.
        rows: What it holds between backward and the step, its peak and what its allocator reserved; empty
            where it did not finish.
        reason: Why it did not.
    """

    rank: int
    device: str
    status: str
    rows: tuple[ResultRow, ...] = ()
    reason: Reason | None = None

    @property
    def peak_bytes(self) -> int | None:
        """Largest number allocated in its last step; None where it did not finish."""
        return next((row.measured for row in self.rows if row.kind == "peak"), None)


@dataclass(frozen=True, slots=True)
class RankChange:
    """One measured size of one rank in two results.

    Attributes:
        rank: Its number.
        change: Bytes in the first and in the second.
    """

    rank: int
    change: ResultChange


def ranked_scenario(scenario: Scenario, device: str) -> Scenario:
    """The scenario that the ranks run: as it is, by the rules of the device.

    Raises:
        UserError: Ranks of one machine do not run it: another way of sharing, other kinds of parallelism,
            host memory, or tensors without the model around them.
    """
    parallel = scenario.parallel
    if parallel.shard not in MEASURED_SHARDS:
        raise UserError("measure.ranks", shard=parallel.shard, known=", ".join(MEASURED_SHARDS))
    others = {
        name: value
        for name, value in (
            ("tp", parallel.tp),
            ("pp", parallel.pp),
            ("ep", parallel.ep),
            ("cp", parallel.cp),
        )
        if value > 1
    }
    if others or parallel.offload != "none":
        given = [f"{name}={value}" for name, value in others.items()]
        given += [] if parallel.offload == "none" else [f"offload={parallel.offload}"]
        raise UserError("measure.data_ranks_only", given=", ".join(given))
    if scenario.batch is None or scenario.sequence is None or not runs_as_transformer(scenario.model):
        raise UserError("measure.ranks_need_transformer", model=scenario.model.title)
    implementation = find(scenario.optimizer)
    if implementation.fused_backward:
        raise UserError("measure.fused_backward", optimizer=implementation.id, given=f"gpus={parallel.gpus}")
    target: Target = "cpu" if device == "cpu" else "cuda"
    return replace(scenario, target=target, gpu=None)


def rank_request(scenario: Scenario, device: str, steps: int = DEFAULT_STEPS) -> MeasureRequest:
    """What each rank runs; which rank it is is said when it starts.

    Raises:
        UserError: As :func:`ranked_scenario`.
    """
    return measure_request(ranked_scenario(scenario, device), device, steps)


def rank_rows(scenario: Scenario, rank: int, result: Result) -> tuple[ResultRow, ...]:
    """What one rank holds between backward and the step, its peak and what its allocator reserved.

    The estimate gives the peak of the rank that holds most, not of each: here it has no estimate.

    Args:
        scenario: What ran (:func:`ranked_scenario`).
        rank: Which rank.
        result: What it measured.
    """
    said, found = held_by(scenario, rank), result.steady.categories
    pairs = (
        ("weights", said.weights_bytes, found.weights),
        ("gradients", said.gradients_bytes, found.gradients),
        ("master_weights", said.master_bytes, found.master_weights),
        ("optimizer_state", said.state_bytes, found.optimizer_state),
        ("communication", said.communication_bytes, found.communication),
    )
    held = (
        ResultRow("component", component, estimated, None, measured)
        for component, estimated, measured in pairs
        if estimated or measured
    )
    phases = result.steady.phases
    peak = ResultRow("peak", "allocated", None, None, max(phase.peak_bytes for phase in phases))
    reserved = [size for phase in (result.load, *phases) if (size := phase.peak_reserved_bytes) is not None]
    kept = [ResultRow("reserved", "reserved", None, None, max(reserved))] if reserved else []
    return (*held, peak, *kept)


def rank_changes(first: Iterable[RankResult], second: Iterable[RankResult]) -> tuple[RankChange, ...]:
    """Two results rank by rank; of a rank that only one of them has, the other side is not known.

    Args:
        first: Ranks of the first; none where it ran on one device.
        second: Ranks of the second.
    """
    one = {result.rank: result.rows for result in first}
    other = {result.rank: result.rows for result in second}
    return tuple(
        RankChange(rank, change)
        for rank in sorted({*one, *other})
        for change in result_changes(one.get(rank, ()), other.get(rank, ()))
    )


def rank_notes(scenario: Scenario) -> tuple[Reason, ...]:
    """Which storage is counted, where ranks pad theirs."""
    ranks = range(scenario.parallel.gpus)
    padded = [(rank, held) for rank in ranks if _padding(held := held_by(scenario, rank))]
    return tuple(_note(rank, held) for rank, held in padded)


def _padding(held: Holdings) -> int:
    return held.weights_padding_bytes + held.gradients_padding_bytes


def _note(rank: int, held: Holdings) -> Reason:
    return Reason(
        "measure.rank_padding",
        {
            "rank": rank,
            "weights_padding_bytes": held.weights_padding_bytes,
            "gradients_padding_bytes": held.gradients_padding_bytes,
        },
    )
