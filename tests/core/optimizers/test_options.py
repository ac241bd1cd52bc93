"""Options as they are typed: what is read, what is left out, what is refused and how."""

from __future__ import annotations

import pytest

from optmem_gui.core.errors import UserError
from optmem_gui.core.layout import place
from optmem_gui.core.optimizers.catalogue import find
from optmem_gui.core.optimizers.options import checked, parse_options
from optmem_gui.core.optimizers.state import constructor_keywords, optimizer_state, step_temporaries
from optmem_gui.core.scenario import Options, Scenario
from optmem_gui.core.synthetic import synthetic_ref


@pytest.mark.parametrize(
    ("name", "pairs", "expected"),
    [
        ("adamw", [], ()),
        ("adamw", ["amsgrad=true"], (("amsgrad", True),)),
        ("adamw", ["AMSGRAD = Yes".lower()], (("amsgrad", True),)),
        ("adamw", ["amsgrad=false"], ()),  # the default says nothing
        ("adamw", ["fused=false"], (("fused", False),)),  # differs from automatic: no foreach either
        ("adamw", ["fused=auto"], ()),
        ("adamw", ["foreach=none"], ()),
        ("adamw", ["weight_decay=0.01"], ()),
        ("adamw", ["weight-decay=0.1"], (("weight_decay", 0.1),)),
        ("sgd", ["nesterov=1", "momentum=0.9"], (("momentum", 0.9), ("nesterov", True))),  # sorted
        ("sgd", ["momentum=0.5", "momentum=0.9"], (("momentum", 0.9),)),  # the last one wins
        ("lbfgs", ["history_size=10"], (("history_size", 10),)),
        ("lbfgs", ["line_search_fn=strong_wolfe"], (("line_search_fn", "strong_wolfe"),)),
        ("muon", ["nesterov=off"], (("nesterov", False),)),
        ("adagrad", ["initial_accumulator_value=0.1"], (("initial_accumulator_value", 0.1),)),
    ],
)
def test_what_is_read(name: str, pairs: list[str], expected: Options) -> None:
    assert parse_options(find(name), pairs) == expected


@pytest.mark.parametrize(
    ("name", "pair", "code", "says"),
    [
        ("adamw", "amsgrad", "optimizer.option_syntax", "name=value"),
        ("adamw", "=true", "optimizer.option_syntax", "name=value"),
        ("adamw", "momentum=0.9", "optimizer.option_unknown", "amsgrad"),
        ("rmsprop", "fused=true", "optimizer.option_unknown", "centered"),
        ("muon", "foreach=true", "optimizer.option_unknown", "nesterov"),
        ("adamw", "amsgrad=maybe", "optimizer.option_bool", "true or false"),
        ("adamw", "amsgrad=auto", "optimizer.option_bool", "true or false"),
        ("sgd", "momentum=fast", "optimizer.option_float", "0.9"),
        ("sgd", "momentum=nan", "optimizer.option_float", "0.9"),
        ("sgd", "momentum=inf", "optimizer.option_float", "0.9"),
        ("sgd", "momentum=-0.1", "optimizer.option_too_small", "0 or more"),
        ("lbfgs", "history_size=2.5", "optimizer.option_int", "whole number"),
        ("lbfgs", "history_size=0", "optimizer.option_range", "1 to"),
        ("lbfgs", "line_search_fn=armijo", "optimizer.option_choice", "strong_wolfe"),
    ],
)
def test_what_is_refused(name: str, pair: str, code: str, says: str) -> None:
    with pytest.raises(UserError, match=says) as refused:
        parse_options(find(name), [pair])
    assert refused.value.code == code
    assert find(name).id in str(refused.value) or code == "optimizer.option_syntax"


@pytest.mark.parametrize(
    ("name", "pairs", "code"),
    [
        ("adamw", ["fused=true", "foreach=true"], "optimizer.fused_and_foreach"),
        ("sgd", ["fused=true", "foreach=true"], "optimizer.fused_and_foreach"),
        ("adam", ["tensor_lr=true", "foreach=true"], "optimizer.tensor_lr_needs_capturable"),
        ("sgd", ["nesterov=true"], "optimizer.nesterov_needs_momentum"),
        ("sgd", ["nesterov=true", "momentum=0.9", "dampening=0.1"], "optimizer.nesterov_needs_momentum"),
    ],
)
def test_what_cannot_go_together(name: str, pairs: list[str], code: str) -> None:
    """torch refuses each of these too, in the constructor."""
    with pytest.raises(UserError) as refused:
        parse_options(find(name), pairs)
    assert refused.value.code == code


@pytest.mark.parametrize(
    "options",
    [(("amsgrad", 1),), (("amsgrad", "true"),), (("weight_decay", True),), (("weight_decay", None),)],
)
def test_values_from_elsewhere_are_checked_too(options: Options) -> None:
    with pytest.raises(UserError):
        checked(find("adamw"), options)


def test_capturable_needs_a_gpu() -> None:
    layout = place(Scenario(synthetic_ref(10_000)))
    for call in (optimizer_state, step_temporaries):
        assert call(find("adamw"), (("capturable", True),), layout, "cuda").bytes > 0
        with pytest.raises(UserError, match="capturable"):
            call(find("adamw"), (("capturable", True),), layout, "cpu")


def test_muon_names_the_tensor_it_cannot_train() -> None:
    layout = place(Scenario(synthetic_ref(10**9)))
    with pytest.raises(UserError, match=r"input_layernorm\.weight has shape 2048") as refused:
        optimizer_state(find("muon"), (), layout, "cuda")
    assert refused.value.code == "optimizer.only_matrices"


def test_keywords_for_the_constructor() -> None:
    options = (("amsgrad", True), ("capturable", True), ("tensor_lr", True))
    assert constructor_keywords(find("adam"), options) == (("amsgrad", True), ("capturable", True))
