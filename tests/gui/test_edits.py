from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.core.model import Source
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.gui.edits import DEFAULT_LORA, LIMIT, Inputs, apply_edit, check_options, shown_text

START = Inputs(Scenario(synthetic_ref(1_000_000), batch=1, sequence=128))


def test_a_typed_count_becomes_the_model() -> None:
    after = apply_edit(START, "params", "7B")
    assert after.scenario.model.param_count == 7_000_000_000
    assert after.scenario.model.source is Source.SYNTHETIC
    assert after.text("params") == "7B"
    assert not after.issues


@pytest.mark.parametrize(
    ("name", "text", "key"),
    [
        ("params", "", "count.empty"),
        ("params", "1.500", "count.ambiguous"),
        ("params", "seven", "count.not_a_number"),
        ("batch", "1.5", "batch.not_a_number"),
        ("batch", "0", "batch.out_of_range"),
        ("batch", "9" * 400, "batch.out_of_range"),
        ("sequence", "-4", "sequence.not_a_number"),
        ("accumulate", "", "accumulate.not_a_number"),
        ("lora.rank", "x", "lora.rank_not_a_number"),
        ("lora.targets", " , ", "lora.targets_empty"),
    ],
)
def test_what_cannot_be_read_keeps_the_last_value_and_says_why(name: str, text: str, key: str) -> None:
    after = apply_edit(START, name, text)
    assert after.scenario == START.scenario
    assert after.issues[name].key == key
    assert after.text(name) == text
    assert str(after.issues[name])  # the sentence has every value that it asks for


def test_a_corrected_field_has_no_issue_left() -> None:
    wrong = apply_edit(START, "batch", "many")
    assert not apply_edit(wrong, "batch", "4").issues


def test_an_empty_batch_leaves_activations_out() -> None:
    assert apply_edit(START, "batch", " ").scenario.batch is None


@given(st.integers(1, LIMIT))
def test_whole_numbers_are_read_with_and_without_grouping(number: int) -> None:
    assert apply_edit(START, "batch", str(number)).scenario.batch == number
    assert apply_edit(START, "batch", f"{number:,}").scenario.batch == number


@given(st.text(max_size=20), st.sampled_from(["params", "batch", "sequence", "accumulate", "lora.rank"]))
def test_no_text_breaks_a_field(text: str, name: str) -> None:
    after = apply_edit(START, name, text)
    assert after.text(name) == text
    for reason in after.issues.values():
        assert str(reason)


@given(st.integers(1, 10**18))
def test_the_text_of_a_count_reads_back_as_that_count(count: int) -> None:
    scenario = replace(START.scenario, model=synthetic_ref(count))
    assert apply_edit(START, "params", shown_text(scenario, "params")).scenario.model.param_count == count


def test_another_optimizer_forgets_the_options_of_the_last_one() -> None:
    with_option = apply_edit(START, "option.amsgrad", True)
    assert with_option.scenario.options == (("amsgrad", True),)
    assert apply_edit(with_option, "optimizer", "torch.SGD").scenario.options == ()


def test_an_option_at_its_default_is_not_kept() -> None:
    on = apply_edit(START, "option.amsgrad", True)
    assert apply_edit(on, "option.amsgrad", False).scenario.options == ()


def test_a_numeric_option_is_read_as_typed() -> None:
    sgd = apply_edit(START, "optimizer", "torch.SGD")
    assert sgd.text("option.momentum") == "0.0"
    after = apply_edit(sgd, "option.momentum", "0.9")
    assert after.scenario.options == (("momentum", 0.9),)
    refused = apply_edit(after, "option.momentum", "lots")
    assert refused.scenario.options == (("momentum", 0.9),)
    assert refused.issues["option.momentum"].key == "optimizer.option_float"


def test_options_that_cannot_go_together_are_refused_by_the_calculation() -> None:
    from optmem_gui.core.errors import UserError

    both = apply_edit(apply_edit(START, "option.foreach", True), "option.fused", True)
    with pytest.raises(UserError, match="fused"):
        check_options(both.scenario)


def test_adapters_are_switched_on_with_defaults_and_off_without_a_trace() -> None:
    on = apply_edit(START, "lora", True)
    assert on.scenario.lora == DEFAULT_LORA
    typed = apply_edit(on, "lora.rank", "64")
    assert typed.scenario.lora is not None
    assert typed.scenario.lora.rank == 64
    off = apply_edit(typed, "lora", False)
    assert off.scenario.lora is None
    assert "lora.rank" not in off.texts


def test_targets_are_names_separated_by_anything() -> None:
    after = apply_edit(apply_edit(START, "lora", True), "lora.targets", "q_proj;k_proj, v_proj  o_proj")
    assert after.scenario.lora is not None
    assert after.scenario.lora.targets == ("q_proj", "k_proj", "v_proj", "o_proj")


def test_a_model_from_elsewhere_replaces_what_was_typed() -> None:
    wrong = apply_edit(START, "params", "nonsense")
    after = apply_edit(wrong, "model", (synthetic_ref(5_000), None))
    assert not after.issues
    assert after.text("params") == "5k"
