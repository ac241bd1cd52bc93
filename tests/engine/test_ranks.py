"""Real processes over gloo, started by the program itself: every rank holds what the program says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from optmem_gui.core.measuring import measure_request
from optmem_gui.core.model import Source
from optmem_gui.core.parallel import Parallel
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.per_rank import held_by
from optmem_gui.core.synthetic import transformer_ref
from optmem_gui.core.transformer import TransformerShape
from optmem_gui.engine.ranks import measure_ranks

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


@pytest.mark.parametrize("gpus", [2, 4])
@pytest.mark.parametrize("shard", ["ddp", "zero-redundancy", "fsdp2"])
def test_every_rank_holds_what_is_said(shard: str, gpus: int) -> None:
    asked = scenario(Parallel(gpus=gpus, shard=shard))
    request = measure_request(asked, "cpu", 2)
    outcomes = measure_ranks(request, asked.parallel, ["cpu"] * gpus, lambda rank, event: None)
    assert len(outcomes) == gpus
    for rank, outcome in enumerate(outcomes):
        assert outcome.result is not None, (outcome.reason, outcome.detail)
        said, found = held_by(asked, rank), outcome.result.steady.categories
        assert found.weights == said.weights_bytes, rank
        assert found.gradients == said.gradients_bytes, rank
        assert found.optimizer_state == said.state_bytes, rank


def test_a_rank_that_cannot_run_ends_the_others() -> None:
    asked = scenario(Parallel(gpus=2, shard="fsdp2"))
    request = replace(measure_request(asked, "cpu", 2), optimizer="torch.optim.NoSuch")
    outcomes = measure_ranks(request, asked.parallel, ["cpu"] * 2, lambda rank, event: None)
    assert {outcome.status for outcome in outcomes} <= {"failed", "cancelled"}
    assert any("NoSuch" in str(outcome.reason) for outcome in outcomes)
