"""Ways to fit: each saves what a new estimate with its change says."""

from __future__ import annotations

from dataclasses import replace

from optmem_gui.core.estimate import compute
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.ways import ways_to_fit
from optmem_gui.engine.gpu_table import load_gpus

GPU = load_gpus()["rtx-4090"]
START = Scenario(synthetic_ref(1_000_000_000), precision="fp32", batch=8, sequence=1024, attention="eager")


def test_each_way_saves_what_an_estimate_with_it_says() -> None:
    now = compute(START, GPU).peak_bytes
    ways = ways_to_fit(START, GPU)
    assert {"micro_batch", "checkpointing", "attention", "precision", "lora"} <= {way.id for way in ways}
    for way in ways:
        then = compute(way.applied(START), GPU)
        assert way.peak_bytes == then.peak_bytes == now - way.saved_bytes < now
        assert way.fit == then.fit
        assert str(way.cost)
    assert list(ways) == sorted(ways, key=lambda way: -way.saved_bytes)


def test_a_smaller_batch_keeps_the_step() -> None:
    way = next(way for way in ways_to_fit(replace(START, accumulate=2), GPU) if way.id == "micro_batch")
    after = way.applied(replace(START, accumulate=2))
    assert (after.batch, after.accumulate) == (1, 16)


def test_what_is_done_is_not_offered_again() -> None:
    for way in ways_to_fit(START, GPU):
        if way.id not in ("precision", "lora"):
            assert way.id not in {again.id for again in ways_to_fit(way.applied(START), GPU)}
