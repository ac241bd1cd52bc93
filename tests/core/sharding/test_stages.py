"""Layers of every pipeline stage as the user gives them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.core.errors import UserError
from optmem_gui.core.estimate import compute
from optmem_gui.core.parallel import Parallel, read_stages
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.sharding.mesh import check_stages
from optmem_gui.core.sharding.per_rank import held_by
from optmem_gui.core.sharding.stages import chunks_at, layers_at, stage_at, stages_of
from optmem_gui.core.synthetic import synthetic_ref

MODEL = synthetic_ref(1_000_000_000)
SHAPE = MODEL.architecture
assert SHAPE is not None
LAYERS = SHAPE.layers
RUN = Scenario(MODEL, precision="bf16", batch=1, sequence=1024, accumulate=8)


def _pipeline(*stages: int, interleave: int = 1) -> Parallel:
    return Parallel(gpus=len(stages), pp=len(stages), stages=stages, interleave=interleave)


def test_what_is_typed() -> None:
    assert read_stages("10,11,11") == read_stages(" 10, 11 11 ") == (10, 11, 11)
    assert read_stages("  ") == ()
    for text in ("10,,x", "10-11", "1.5,2", "-1,3", "١٠,11"):
        with pytest.raises(UserError, match="is not a list of layers"):
            read_stages(text)


@pytest.mark.parametrize(
    ("parallel", "says"),
    [
        (_pipeline(5, 6), f"11 layers in all, but the model has {LAYERS}"),
        (replace(_pipeline(5, 6), pp=1, gpus=2), "2 numbers of layers for 1 pipeline stages"),
        (_pipeline(LAYERS, 0), "stage 2 has no layer"),
        (
            _pipeline(LAYERS - 4, 4, interleave=4),
            "layers of stage 1 do not divide into 4 chunks",
        ),
    ],
)
def test_numbers_that_conflict_are_named(parallel: Parallel, says: str) -> None:
    with pytest.raises(UserError, match=says):
        compute(replace(RUN, parallel=parallel))


def test_the_embedding_and_the_head_may_stand_for_a_layer() -> None:
    """Megatron-LM's ``--account-for-embedding-in-pipeline-split``: 6 layers, 4 stages of 2 chunks.

    The first stage's chunks are the embedding alone and one layer, the last one's a layer and the loss alone.
    """
    parallel = _pipeline(1, 2, 2, 1, interleave=2)
    assert [chunks_at(held, parallel, index) for index, held in enumerate(parallel.stages)] == [
        (0, 1),
        (1, 1),
        (1, 1),
        (1, 0),
    ]
    # Narayanan et al. (interleaved): the last stage runs chunk 1 for 4 micro-batches, then chunk 2 for the
    # first and its backward, so 4 wait in its one layer; the first runs 4, 4 and 3 more before a backward
    waiting = [stage_at(6, parallel, index, micro_batches=8).waiting for index in range(4)]
    assert waiting == [4, (5 + 4) / 2, (4 + 3) / 2, 4]


def test_a_stage_between_has_no_such_layer() -> None:
    check_stages(6, _pipeline(1, 4, 1, interleave=2))
    with pytest.raises(UserError, match="the 3 layers of stage 2 do not divide into 2 chunks"):
        check_stages(7, _pipeline(2, 3, 2, interleave=2))


def test_given_evenly_nothing_changes() -> None:
    even = compute(replace(RUN, parallel=Parallel(gpus=4, pp=4)))
    stages = tuple(layers_at(LAYERS, Parallel(gpus=4, pp=4), index) for index in range(4))
    assert compute(replace(RUN, parallel=_pipeline(*stages))) == replace(even)


def test_a_rank_holds_the_layers_that_it_is_given() -> None:
    """One layer less on a stage is exactly one layer's parameters less: 2 bytes each in bf16."""
    layer = sum(g.param_count for g in MODEL.groups if g.count >= LAYERS) // LAYERS
    one = replace(RUN, parallel=_pipeline(4, 4, LAYERS - 8))
    other = replace(RUN, parallel=_pipeline(3, 4, LAYERS - 7))
    assert held_by(one, 0).weights_bytes - held_by(other, 0).weights_bytes == 2 * layer
    assert held_by(other, 2).weights_bytes - held_by(one, 2).weights_bytes == 2 * layer
    assert held_by(one, 1) == held_by(other, 1)


def test_fewer_layers_at_the_ends_lower_the_worst_rank() -> None:
    even = compute(replace(RUN, parallel=Parallel(gpus=4, pp=4)))
    each = LAYERS // 4
    lighter = compute(replace(RUN, parallel=_pipeline(each - 1, each + 1, each, LAYERS - 3 * each)))
    assert even.ranks[0].peak_bytes > lighter.ranks[0].peak_bytes


def test_a_full_stage_in_the_middle_is_found() -> None:
    held = compute(replace(RUN, parallel=_pipeline(2, 2, LAYERS - 6, 2)))
    assert [row.stage for row in held.ranks] == [0, 1, 2, 3]
    assert held.rank == 2
    assert f"{LAYERS - 6} layers" in str(held.ranks[2].why)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=12), st.integers(1, 16))
def test_no_stage_that_is_left_out_can_be_fuller(stages: list[int], micro_batches: int) -> None:
    parallel = _pipeline(*stages)
    kept = stages_of(sum(stages), parallel, micro_batches=micro_batches)
    for index in range(1, len(stages) - 1):
        stage = stage_at(sum(stages), parallel, index, micro_batches=micro_batches)
        assert any(
            other.layers >= stage.layers and other.waiting >= stage.waiting and other.index <= index
            for other in kept
            if 0 < other.index < len(stages) - 1
        )
    assert {0, len(stages) - 1} <= {stage.index for stage in kept}
