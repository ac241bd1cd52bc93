"""Keras, TensorFlow, optax: the state that was read from real builds and steps, 0 bytes apart."""

from __future__ import annotations

import pytest

from optmem_gui.core.dtypes import F32
from optmem_gui.core.estimate import compute
from optmem_gui.core.layout import Layout
from optmem_gui.core.model import ParameterTensor, Role
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.optimizers.state import optimizer_state, step_temporaries
from optmem_gui.core.reasons import render
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from tests.core.optimizers.handed import layout_of_tensors
from tests.core.optimizers.recordings import RecordedRow, rows_of, states_of

RECORDED = list(rows_of("keras", "tf_keras", "tensorflow", "optax"))
ELSEWHERE = [each for each in CATALOGUE.values() if each.runtime != "torch"]
EMBEDDING = (1000, 96)


def _layout(row: RecordedRow) -> Layout:
    """The recorded variables; the embedding is known by its name there."""
    tensors = [
        ParameterTensor(f"v{i}.weight", shape, F32, Role.EMBEDDING if shape == EMBEDDING else Role.OTHER)
        for i, shape in enumerate(row.shapes)
    ]
    return layout_of_tensors(tensors, row.dtype)


@pytest.mark.parametrize("row", RECORDED, ids=str)
def test_state_is_the_recorded_one(row: RecordedRow) -> None:
    implementation = CATALOGUE[row.id]
    assert implementation.proven == row.library
    estimated = optimizer_state(implementation, row.options, _layout(row), "cuda")
    assert states_of(estimated) == row.states


def test_every_entry_is_recorded() -> None:
    assert {each.id for each in ELSEWHERE} == {row.id for row in RECORDED}


def test_every_option_is_recorded() -> None:
    """Each option that changes the state was varied in at least one row of its library."""
    varied = {(row.id.partition(".")[0], name) for row in RECORDED for name, _ in row.options}
    offered = {(each.library, option.name) for each in ELSEWHERE for option in each.options}
    assert offered == varied


@pytest.mark.parametrize("implementation", ELSEWHERE, ids=lambda each: each.id)
def test_only_the_state_is_predicted(implementation: object) -> None:
    assert implementation in ELSEWHERE
    entry = next(each for each in ELSEWHERE if each is implementation)
    layout = layout_of_tensors([ParameterTensor("m.weight", (8, 8), F32)], "fp32")
    assert [reason.key for reason in optimizer_state(entry, (), layout, "cuda").warnings] == [
        "warn.state_only"
    ]
    step = step_temporaries(entry, (), layout, "cuda")
    assert (step.bytes, step.exact, step.why.key) == (0, False, "optimizer.temporaries.not_predicted")


def test_a_breakdown_says_that_the_rest_is_not_predicted() -> None:
    elsewhere = compute(Scenario(synthetic_ref(10**6), optimizer="keras.Adam", precision="fp32"))
    assert elsewhere.state_only
    assert elsewhere.component("optimizer_state").bytes == 8 * 10**6 + 12
    assert any("not what its step takes" in render(reason) for reason in elsewhere.warnings)
    assert not elsewhere.component("temporaries").counted
    assert not compute(Scenario(synthetic_ref(10**6), precision="fp32")).state_only
