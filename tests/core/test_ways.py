"""Ways to fit: each saves what a new estimate with its change says."""

from __future__ import annotations

from dataclasses import replace

from optmem_gui.core.estimate import compute
from optmem_gui.core.parallel import Parallel
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


def test_several_gpus_can_share_more() -> None:
    # of 7B parameters ZeRO-3 keeps its share and stage3_max_live_parameters, 1B
    model = synthetic_ref(7_000_000_000)
    zero2 = replace(START, model=model, batch=1, precision="bf16-master", parallel=Parallel(8, "zero2"))
    ways = {way.id: way for way in ways_to_fit(zero2, GPU)}
    assert {"shard_more", "more_gpus", "offload_optimizer"} <= set(ways)
    assert "offload_all" not in ways  # ZeRO-2 keeps its parameters on the GPU
    assert ways["shard_more"].applied(zero2).parallel.shard == "zero3"
    assert ways["more_gpus"].applied(zero2).parallel.gpus == 16
    for way in ways.values():
        assert compute(way.applied(zero2), GPU).peak_bytes == way.peak_bytes
        assert str(way.cost)
    buckets = {way.id for way in ways_to_fit(replace(START, parallel=Parallel(2, "ddp")), GPU)}
    assert {"bucket_view", "shard_more"} <= buckets
    assert "more_gpus" not in buckets  # DDP holds everything on every GPU
