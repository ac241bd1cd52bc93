"""Choosing what is trained by name."""

from __future__ import annotations

import pytest

from optmem_gui.core.dtypes import F32, INT8
from optmem_gui.core.errors import UserError
from optmem_gui.core.model import ModelSpec, ParameterTensor, Source, group_model
from optmem_gui.core.synthetic import synthetic_model, synthetic_ref
from optmem_gui.core.trainable import named_model, train_only, trained_ref

SPEC = ModelSpec(
    "model",
    Source.FILE,
    (
        ParameterTensor("body.0.weight", (4, 4), F32),
        ParameterTensor("body.0.bias", (4,), F32, trainable=False),
        ParameterTensor("body.0.packed", (4,), INT8, trainable=False),
        ParameterTensor("head.weight", (2, 4), F32),
    ),
)


def _trained(pattern: str) -> set[str]:
    return {tensor.name for tensor in train_only(SPEC, pattern).parameters if tensor.trainable}


def test_all_trains_every_floating_parameter_also_a_frozen_one() -> None:
    assert _trained("all") == {"body.0.weight", "body.0.bias", "head.weight"}


def test_a_pattern_is_searched_for_in_the_whole_name() -> None:
    assert _trained("head|bias$") == {"body.0.bias", "head.weight"}


def test_equal_tensors_that_are_and_are_not_trained_are_told_apart() -> None:
    twins = ModelSpec("m", Source.FILE, tuple(ParameterTensor(f"b.{i}.weight", (2,), F32) for i in range(4)))
    groups = group_model(train_only(twins, r"b\.[01]\.")).groups
    assert [(group.trainable, group.count) for group in groups] == [(True, 2), (False, 2)]


@pytest.mark.parametrize(
    ("pattern", "key"),
    [("(", "trainable.pattern"), ("nothing", "trainable.nothing"), ("packed", "trainable.nothing")],
)
def test_a_pattern_that_is_no_use_is_refused(pattern: str, key: str) -> None:
    with pytest.raises(UserError) as refused:
        train_only(SPEC, pattern)
    assert refused.value.code == key


def test_a_model_keeps_the_pattern_that_chose_what_is_trained() -> None:
    spec = synthetic_model(1_000_000)
    chosen = trained_ref(spec, "lm_head")
    assert chosen.trained == "lm_head"
    assert {group.leaf for group in chosen.groups if group.trainable} == {"lm_head"}
    assert trained_ref(spec, "") == group_model(spec)


def test_a_model_made_from_its_size_has_a_name_for_each_tensor() -> None:
    spec = named_model(1_000_000)
    assert len(spec.parameters) == synthetic_ref(1_000_000).tensor_count
    assert group_model(spec) == synthetic_ref(1_000_000)
    with pytest.raises(UserError, match="too many"):
        named_model(10**18)
