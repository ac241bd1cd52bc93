"""What does not go together is refused with the two numbers that conflict."""

from __future__ import annotations

from dataclasses import replace

import pytest

from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.model import Source
from optmem_gui.core.parallel import SHARD_IDS, Parallel
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.engines import ENGINES
from optmem_gui.core.synthetic import synthetic_ref, transformer_ref
from optmem_gui.core.texts import TEMPLATES

MODEL = synthetic_ref(1_000_000_000)
SHAPE = MODEL.architecture
assert SHAPE is not None
PLAIN = Scenario(MODEL, precision="bf16")

REFUSED = [
    (Parallel(gpus=6, tp=4), "6 does not divide by 4"),
    (Parallel(gpus=8, shard="zero9"), "zero9 is not known"),
    (Parallel(gpus=8, replicas=2), "2 groups need --shard hsdp"),
    (Parallel(gpus=8, shard="hsdp", replicas=3), "8 data-parallel ranks do not divide into 3 groups"),
    (Parallel(gpus=64, pp=64), f"64 stages for {SHAPE.layers} layers"),
    (Parallel(gpus=7, tp=7), f"{SHAPE.heads} attention heads do not divide by 7"),
    (Parallel(gpus=8, ep=2), "no experts"),
    (Parallel(gpus=8, shard="ddp", offload="optimizer"), "ddp keeps everything on the GPU"),
    (Parallel(gpus=8, shard="zero2", offload="all"), "zero2 does not move parameters"),
    (Parallel(gpus=8, shard="zero2", bucket_view=True), "belongs to ddp"),
    (Parallel(gpus=8, sequence_parallel=True), "set tp above 1"),
    (Parallel(gpus=8, interleave=2), "need a pipeline"),
    (Parallel(gpus=0), "not between 1"),
    (Parallel(gpus=8, shard="zero2", offload="optimizer", host_bytes=1000), "of host memory"),
]


@pytest.mark.parametrize(("parallel", "says"), REFUSED)
def test_sizes_that_conflict_are_named(parallel: Parallel, says: str) -> None:
    with pytest.raises(UserError, match=says):
        compute(replace(PLAIN, parallel=parallel))


def test_a_width_that_tensor_parallel_cannot_split_is_named() -> None:
    assert SHAPE is not None
    odd = replace(MODEL, architecture=replace(SHAPE, ffn=5567))
    with pytest.raises(UserError, match="an MLP width of 5,567 does not divide by 2"):
        compute(replace(PLAIN, model=odd, parallel=Parallel(gpus=2, tp=2)))


@pytest.mark.parametrize(
    ("shard", "precision", "says"),
    [("zero2", "amp-bf16", "does not run amp-bf16"), ("fsdp2", "bf16-master", "not bf16-master")],
)
def test_a_scheme_the_engine_does_not_run(shard: str, precision: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        compute(replace(PLAIN, precision=precision, parallel=Parallel(gpus=4, shard=shard)))


@pytest.mark.parametrize("optimizer", ["torch.Adafactor", "torch.Muon"])
def test_a_flat_vector_has_no_rows(optimizer: str) -> None:
    scenario = replace(PLAIN, optimizer=optimizer, precision="fp32")
    with pytest.raises(UserError, match="needs whole rows and columns, but zero2"):
        compute(replace(scenario, parallel=Parallel(gpus=4, shard="zero2")))


def test_every_engine_is_offered_and_explained() -> None:
    assert set(ENGINES) == set(SHARD_IDS)
    assert all({f"shard.{name}", f"shard.{name}.buffers"} <= set(TEMPLATES) for name in ENGINES)


@pytest.mark.parametrize("shard", SHARD_IDS)
def test_parts_sum_to_the_peak(shard: str) -> None:
    precision = {"zero": "bf16-master", "mega": "megatron-bf16"}.get(shard[:4], "bf16")
    scenario = replace(PLAIN, precision=precision, batch=2, sequence=512)
    breakdown = compute(replace(scenario, parallel=Parallel(gpus=8, shard=shard)))
    assert sum(row.at_peak for row in breakdown.components) == breakdown.peak_bytes


@pytest.mark.parametrize("shard", ["zero1", "zero2", "zero3", "fsdp2", "zero-redundancy", "megatron"])
def test_more_ranks_never_hold_more(shard: str) -> None:
    precision = {"zero": "bf16-master", "mega": "megatron-bf16"}.get(shard[:4], "bf16")
    scenario = replace(PLAIN, precision=precision)
    states = []
    for gpus in (1, 2, 4, 16, 256):
        breakdown = compute(replace(scenario, parallel=Parallel(gpus=gpus, shard=shard)))
        states.append(breakdown.component("optimizer_state").bytes)
    assert states == sorted(states, reverse=True)
    assert states[-1] < states[0]


def test_the_worst_stage_decides() -> None:
    scenario = replace(PLAIN, batch=1, sequence=2048, accumulate=8)
    breakdown = compute(replace(scenario, parallel=Parallel(gpus=4, pp=4)))
    assert [row.stage for row in breakdown.ranks] == [0, 1, 3]
    assert breakdown.peak_bytes == max(row.peak_bytes for row in breakdown.ranks)
    assert breakdown.parameters.total == MODEL.param_count
    # the embedding counts on the first stage and the head on the last: nothing is lost along the way
    assert sum(row.param_count for row in breakdown.ranks) < MODEL.param_count


def test_key_and_value_heads_are_shared_evenly_or_held_by_several() -> None:
    assert SHAPE is not None
    shape = replace(SHAPE, heads=24, kv_heads=6, ffn=24 * 256)
    model = transformer_ref("grouped", Source.CONFIG, shape)
    compute(replace(PLAIN, model=model, parallel=Parallel(gpus=12, tp=12)))
    with pytest.raises(UserError, match="6 key and value heads and 4 ranks"):
        compute(replace(PLAIN, model=model, parallel=Parallel(gpus=4, tp=4)))
