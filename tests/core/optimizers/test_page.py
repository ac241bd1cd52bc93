"""The page of an optimizer says what the estimate says, and what is known of it beside the figures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from optmem_gui.core.errors import UserError
from optmem_gui.core.optimizers import page as module
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.optimizers.page import optimizer_page
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref

MODEL = synthetic_ref(1_000_000_000)
FP32 = Scenario(MODEL, precision="fp32")


def test_figures_by_hand() -> None:
    """Two fp32 moments of 1e9 parameters: 4 B a parameter each; one 4-byte counter a tensor."""
    page = optimizer_page(FP32, "torch.AdamW")
    assert page.state is not None
    sizes = {row.name: row.bytes for row in page.state.rows}
    assert sizes == {"exp_avg": 4 * 10**9, "exp_avg_sq": 4 * 10**9, "step": 4 * MODEL.tensor_count}
    assert page.per_parameter(sizes["exp_avg"]) == 4.0
    assert page.temporaries is not None
    assert page.temporaries.bytes == 4 * 10**9  # one list of foreach
    assert page.absent == ("max_exp_avg_sq",)


def test_options_are_those_of_the_scenario_only_for_its_own_optimizer() -> None:
    scenario = replace(FP32, options=(("amsgrad", True),))
    own = optimizer_page(scenario, "torch.AdamW")
    assert own.absent == ()
    assert {each.option.name: each.changed for each in own.options}["amsgrad"]
    other = optimizer_page(scenario, "torch.Adam")
    assert other.absent == ("max_exp_avg_sq",)
    assert not any(each.changed for each in other.options)


def test_only_options_that_change_memory_are_told() -> None:
    names = {each.option.name for each in optimizer_page(FP32, "torch.SGD").options}
    assert "momentum" in names
    assert "dampening" not in names


def test_what_cannot_train_the_model_has_a_page_that_says_so() -> None:
    page = optimizer_page(FP32, "torch.Muon")
    assert page.refused is not None
    assert page.refused.key == "optimizer.only_matrices"
    assert (page.state, page.temporaries) == (None, None)


def test_another_runtime_has_its_state_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find", lambda _name: replace(find("torch.Adam"), runtime="jax"))
    page = optimizer_page(FP32, "optax.adam")
    assert page.state is not None
    assert page.temporaries is None
    assert page.refused is None


def test_an_unknown_optimizer_is_refused() -> None:
    with pytest.raises(UserError, match="not known"):
        optimizer_page(FP32, "torch.Nothing")
