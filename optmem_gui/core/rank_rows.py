"""Several ranks, measured beside estimated: what each of them holds, and how far one is from the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from optmem_gui.core.errors import UserError
from optmem_gui.core.measuring import measure_request, runs_as_transformer
from optmem_gui.core.protocol import Result
from optmem_gui.core.reasons import Reason
from optmem_gui.core.requests import MeasureRequest
from optmem_gui.core.run_defaults import DEFAULT_STEPS
from optmem_gui.core.scenario import Scenario, Target
from optmem_gui.core.sharding.per_rank import Holdings, held_by
from optmem_gui.core.units import signed_error

MEASURED_SHARDS = ("ddp", "zero-redundancy", "fsdp2")
"""What torch itself runs between the ranks of one machine."""


@dataclass(frozen=True, slots=True)
class RankRow:
    """One component on one rank.

    Attributes:
        rank: Its number, 0 first.
        component: ``weights``, ``gradients``, ``master_weights`` or ``optimizer_state``.
        estimated: Bytes said for this rank.
        measured: Bytes of the storages behind its tensors.
    """

    rank: int
    component: str
    estimated: int
    measured: int

    @property
    def difference_bytes(self) -> int:
        """Estimate less measurement."""
        return self.estimated - self.measured

    @property
    def error(self) -> float | None:
        """(estimated - measured) / measured; None where something was estimated and nothing measured."""
        return signed_error(self.estimated, self.measured)


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
    target: Target = "cpu" if device == "cpu" else "cuda"
    return replace(scenario, target=target, gpu=None)


def rank_request(scenario: Scenario, device: str, steps: int = DEFAULT_STEPS) -> MeasureRequest:
    """What each rank runs; which rank it is is said when it starts.

    Raises:
        UserError: As :func:`ranked_scenario`.
    """
    return measure_request(ranked_scenario(scenario, device), device, steps)


def rank_rows(scenario: Scenario, rank: int, result: Result) -> tuple[RankRow, ...]:
    """What one rank holds between backward and the step.

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
    )
    return tuple(
        RankRow(rank, component, estimated, measured)
        for component, estimated, measured in pairs
        if estimated or measured
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


def finished_rows(scenario: Scenario, results: Iterable[Result | None]) -> tuple[RankRow, ...]:
    """The rows of every rank that has a result."""
    return tuple(
        row
        for rank, result in enumerate(results)
        if result is not None
        for row in rank_rows(scenario, rank, result)
    )
