"""Real processes over gloo, started by the program itself: every rank holds what the program says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.measuring import measure_request
from optmem_gui.core.model import Source
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.protocol import Hello
from optmem_gui.core.rank_rows import rank_notes, rank_request
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.per_rank import held_by
from optmem_gui.core.synthetic import transformer_ref
from optmem_gui.core.transformer import TransformerShape
from optmem_gui.engine.devices import CPU, Device, Devices
from optmem_gui.engine.measurement import MeasurementResult
from optmem_gui.engine.ranks import RankMeasurement, cause_of, measure_ranks, rank_devices
from tests.waiting import is_alive

SHAPE = TransformerShape(50, 20, 3, 2, 2, 10, 40, norm="rms")
"""A vocabulary and a width that 4 does not divide, so that FSDP pads."""


def scenario(parallel: Parallel, optimizer: str = "torch.AdamW") -> Scenario:
    model = transformer_ref("tiny", Source.PRESET, SHAPE)
    return Scenario(
        model,
        optimizer=optimizer,
        precision="fp32",
        batch=1,
        sequence=8,
        target="cpu",
        parallel=parallel,
    )


def unheard(rank: int, event: object) -> None:
    """Nobody listens while it runs."""


@pytest.mark.parametrize("gpus", [2, 4])
@pytest.mark.parametrize("shard", ["ddp", "zero-redundancy", "fsdp2"])
def test_every_rank_holds_what_is_said(shard: str, gpus: int) -> None:
    asked = scenario(Parallel(gpus=gpus, shard=shard))
    request = measure_request(asked, "cpu", 3)
    outcomes = measure_ranks(request, asked.parallel, ["cpu"] * gpus, unheard)
    assert len(outcomes) == gpus
    for rank, outcome in enumerate(outcomes):
        assert outcome.result is not None, (outcome.reason, outcome.detail)
        said, found = held_by(asked, rank), outcome.result.steady.categories
        assert found.weights == said.weights_bytes, rank
        assert found.gradients == said.gradients_bytes, rank
        assert found.optimizer_state == said.state_bytes, rank
        assert found.communication == said.communication_bytes, rank
        check_named(asked, outcome, said.communication_bytes)


def check_named(asked: Scenario, outcome: MeasurementResult, standing: int) -> None:
    """What is there because of other ranks is called so in the course of the run.

    Buckets stand all the time, made anew in the second step. FSDP2 leaves what lies outside the layers whole
    from forward to backward, in fp32: embedding and head of 50 x 20, rows padded to a multiple of the ranks,
    and the final norm of 20.
    """
    assert outcome.result is not None
    assert standing == compute(asked).phase("between_steps").parts.get("communication", 0)
    forward, backward, *_ = outcome.result.steady.phases
    rows = 4 * -(-50 // 4) if asked.parallel.gpus == 4 else 50
    whole = 4 * (2 * rows * 20 + 20) if asked.parallel.shard == "fsdp2" else 0
    assert forward.parts.get("communication", (0,))[-1] == standing + whole
    assert backward.parts.get("communication", (0,))[-1] == standing
    if not whole:
        courses = [phase.parts.get("communication", (0,)) for phase in outcome.phases if phase.parts]
        assert {size for course in courses[1:] for size in course} == {standing}  # after the load


def test_buckets_that_gradients_are_views_of_are_gradients() -> None:
    asked = scenario(Parallel(gpus=2, bucket_view=True))
    outcomes = measure_ranks(rank_request(asked, "cpu", 2), asked.parallel, ["cpu"] * 2, unheard)
    for outcome in outcomes:
        assert outcome.result is not None, (outcome.reason, outcome.detail)
        check_named(asked, outcome, 0)
        gradients = 4 * asked.model.param_count
        assert outcome.result.steady.categories.gradients == gradients
        assert outcome.result.first.phases[0].parts["gradients"][-1] == gradients  # before there is one


def test_a_rank_that_cannot_run_ends_the_others() -> None:
    asked = scenario(Parallel(gpus=2, shard="fsdp2"))
    request = replace(measure_request(asked, "cpu", 2), optimizer="torch.optim.NoSuch")
    outcomes = measure_ranks(request, asked.parallel, ["cpu"] * 2, unheard)
    assert {outcome.status for outcome in outcomes} <= {"failed", "cancelled"}
    assert any("NoSuch" in str(outcome.reason) for outcome in outcomes)


GPUS = tuple(Device(f"GPU-{number}", "a GPU", 1 << 34, 1 << 34) for number in range(2))
CPU_DEVICE = Device(CPU, "a CPU", 1 << 34, 1 << 34)
TWO_GPUS, NO_GPU = Devices(GPUS, CPU_DEVICE, None), Devices((), CPU_DEVICE, None)


def test_a_gpu_for_every_rank_or_the_cpu_for_all() -> None:
    assert rank_devices(TWO_GPUS, "auto", 2, None) == ("GPU-0", "GPU-1")
    assert rank_devices(TWO_GPUS, "cuda", 2, "1,0") == ("GPU-1", "GPU-0")
    assert rank_devices(TWO_GPUS, "cpu", 3, None) == ("cpu",) * 3
    assert rank_devices(NO_GPU, "auto", 4, None) == ("cpu",) * 4


@pytest.mark.parametrize(
    ("devices", "wanted", "count", "visible", "words"),
    [
        (TWO_GPUS, "auto", 3, None, "3 ranks need a GPU each and this machine shows 2"),
        (TWO_GPUS, "auto", 2, "1", "2 ranks need a GPU each and this machine shows 1"),
        (NO_GPU, "cuda", 2, None, "this machine shows 0"),
        (NO_GPU, "auto", 9, None, "9 ranks are too many for one CPU; ask for at most 8"),
    ],
)
def test_more_ranks_than_there_is_room_for_is_one_line(
    devices: Devices, wanted: str, count: int, visible: str | None, words: str
) -> None:
    with pytest.raises(UserError, match=words):
        rank_devices(devices, wanted, count, visible)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"parallel": Parallel(gpus=2, shard="zero3")}, "zero3 is not measured"),
        ({"parallel": Parallel(gpus=4, tp=2)}, "tp=2 was asked for"),
        ({"parallel": Parallel(gpus=2, shard="fsdp2", offload="all")}, "offload=all was asked for"),
        ({"batch": None}, "a transformer with a batch"),
    ],
)
def test_what_ranks_of_one_machine_do_not_run_is_one_line(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words):
        rank_request(replace(scenario(Parallel(gpus=2)), **changed), "cpu")


def test_the_padding_that_is_counted_is_said() -> None:
    """20 columns of 50 rows among 4: three parts of 13 rows and one of 11, whose storage has 13 as well."""
    notes = rank_notes(scenario(Parallel(gpus=4, shard="fsdp2")))
    assert notes[-1].values["rank"] == 3
    assert int(notes[-1].values["weights_padding_bytes"]) >= 4 * 2 * 20 * 2  # embedding and head
    assert not rank_notes(scenario(Parallel(gpus=4)))


def test_a_cancelled_run_leaves_no_process() -> None:
    asked = scenario(Parallel(gpus=2, shard="fsdp2"))
    measurement = RankMeasurement()
    pids: set[int] = set()

    def heard(rank: int, event: object) -> None:
        if isinstance(event, Hello):
            pids.add(event.pid)
            measurement.cancel()

    endless = rank_request(asked, "cpu", 1_000_000)
    outcomes = measurement.run(endless, asked.parallel, ["cpu"] * 2, heard)
    assert {outcome.status for outcome in outcomes} == {"cancelled"}
    assert pids
    assert not [pid for pid in pids if is_alive(pid)]


def test_a_run_that_was_cancelled_before_does_not_start() -> None:
    asked = scenario(Parallel(gpus=2))
    measurement = RankMeasurement()
    measurement.cancel()
    request = rank_request(asked, "cpu", 50)
    outcomes = measurement.run(request, asked.parallel, ["cpu"] * 2, unheard)
    assert {outcome.status for outcome in outcomes} == {"cancelled"}
    assert cause_of(outcomes).status == "cancelled"
