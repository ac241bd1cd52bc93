"""A transformer of exactly N parameters, for every N."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from optmem_gui.core.model import ModelRef, ModelSpec, Source, group_model
from optmem_gui.core.synthetic import (
    layer_tensors,
    shape_count,
    synthetic_model,
    synthetic_ref,
    synthetic_shape,
    transformer_ref,
    transformer_tensors,
)
from optmem_gui.core.transformer import TransformerShape
from tests.examples import examples

SMALLEST = 3_632


@given(st.integers(1, 10**18) | st.integers(0, 60).map(lambda bits: min(1 << bits, 10**18)))
@example(1)
@example(SMALLEST - 1)
@example(SMALLEST)
@example(7_000_000_000)
@example(10**18)
def test_total_is_met_exactly(param_count: int) -> None:
    reference = synthetic_ref(param_count)
    assert reference.param_count == param_count
    shape = synthetic_shape(param_count)
    assert (shape is None) == (param_count < SMALLEST)
    if shape is not None:
        assert shape_count(shape) == param_count
        assert reference.architecture == shape


def folded(reference: ModelRef) -> tuple[object, ...]:
    return reference.groups, reference.neighbours, reference.param_count, reference.fingerprint


@given(st.integers(1, 3_000_000))
@examples(60)
def test_groups_are_those_of_the_written_out_model(param_count: int) -> None:
    assert folded(synthetic_ref(param_count)) == folded(group_model(synthetic_model(param_count)))


@pytest.mark.parametrize("layers", [1, 2, 3, 17])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"norm": "rms", "qkv_biases": True, "tied_head": True},
        {"gated": False, "biases": True, "positions": 20, "tied_head": True},
        {"remainder": 5, "kv_heads": 2},
        # the last norm and the head look like those of a block
        {"vocab": 96, "ffn": 96, "heads": 6, "hidden": 96},
    ],
)
def test_counted_up_blocks_are_the_written_out_ones(layers: int, options: dict[str, object]) -> None:
    settings_: dict[str, object] = {"kv_heads": 4, **options}
    dims = {"vocab": 50, "hidden": 64, "layers": layers, "heads": 4, "head_dim": 16, "ffn": 96, **settings_}
    shape = TransformerShape(**dims)  # type: ignore[arg-type]  # values of a table of cases
    written = group_model(_spec(shape))
    assert folded(transformer_ref("x", Source.PRESET, shape)) == folded(written)


def _spec(shape: TransformerShape) -> ModelSpec:
    return ModelSpec("x", Source.PRESET, transformer_tensors(shape), architecture=shape)


def test_proportions_are_those_of_published_decoders() -> None:
    """Head size 128, an MLP of about 8/3 of the width, a layer a 128 of width: Llama's own proportions."""
    for param_count in (10**9, 7 * 10**9, 70 * 10**9):
        shape = synthetic_shape(param_count)
        assert shape is not None
        assert shape.head_dim == 128
        assert 2.5 < shape.ffn / shape.hidden < 3.2
        assert 0.9 < shape.layers / (shape.hidden / 128) < 1.7
        assert shape.vocab >= 32_000
        assert shape.remainder < 2 * shape.hidden


def test_a_layer_by_hand() -> None:
    """Hidden 64, 4 heads of 16, 2 key heads, MLP 96: 4,096 + 2 x 2,048 + 4,096 + 3 x 6,144 + 2 x 64."""
    shape = TransformerShape(50, 64, 1, 4, 2, 16, 96)
    assert sum(tensor.numel for tensor in layer_tensors(shape, 0)) == 4096 + 4096 + 4096 + 18_432 + 128
