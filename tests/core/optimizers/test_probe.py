"""Rules hold on shapes they were not made from; where there is no rule, that is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optmem_gui.core.codec import from_json, to_json
from optmem_gui.core.errors import UserError
from optmem_gui.core.layout import place
from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.probe import (
    FITTED,
    HELD_OUT,
    infer,
    predicted_bytes,
    probe_options,
    probe_request,
)
from optmem_gui.core.optimizers.probed_rules import Condition, UserOptimizer, implementation
from optmem_gui.core.optimizers.state import optimizer_state
from optmem_gui.core.probing import ProbedParameter, ProbedTensor, ProbeReport
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref

Rule = Callable[[Shape], "int | None"]
BITS = {"fp32": 4, "bf16": 2, "uint8": 1}
REQUEST = probe_request("mine.optim:Mine", ())


def _report(
    rules: Mapping[str, Rule],
    dtype: Callable[[str], str] = lambda parameter: parameter,
    refused: Callable[[Shape], bool] = lambda _shape: False,
    **fields: object,
) -> ProbeReport:
    """What a worker would say of an optimizer that follows these rules."""
    parameters = []
    for parameter in ("fp32", "bf16"):
        for shape in FITTED + HELD_OUT:
            if refused(shape):
                parameters.append(ProbedParameter(shape, parameter, "ValueError: not such a shape"))
                continue
            sizes = {name: rule(shape) for name, rule in rules.items()}
            kept = dtype(parameter)
            tensors = tuple(
                ProbedTensor(name, (size,), kept, "cpu", size * BITS[kept])
                for name, size in sizes.items()
                if size is not None
            )
            parameters.append(ProbedParameter(shape, parameter, "", tensors))
    return ProbeReport("mine 1.0", "2.13.0", tuple(parameters), **fields)  # type: ignore[arg-type]  # as given


def _entry(rules: Mapping[str, Rule], **more: object) -> UserOptimizer:
    found = infer(REQUEST, _report(rules, **more))  # type: ignore[arg-type]  # as given
    assert found.problems == ()
    assert found.entry is not None
    return found.entry


RULES: dict[str, Rule] = {
    "full": prod,
    "scalar": lambda _shape: 1,
    "matrices only": lambda shape: prod(shape) if len(shape) == 2 else None,
    "rows": lambda shape: prod(shape) // shape[-1] if len(shape) > 1 else None,
    "columns": lambda shape: prod(shape) // shape[-2] if len(shape) > 1 else None,
    "first axis": lambda shape: shape[0],
    "blocks of 128": lambda shape: -(-prod(shape) // 128),
    "scales of large tensors": lambda shape: -(-prod(shape) // 256) if prod(shape) >= 4096 else None,
    "table of large tensors": lambda shape: 256 if prod(shape) >= 4096 else None,
    "packed": lambda shape: -(-prod(shape) // 2),
    "square": lambda shape: shape[-1] ** 2 if len(shape) == 2 else None,
    "triangle of short sides": lambda shape: shape[0] * (shape[0] + 1) // 2 if len(shape) == 2 else None,
    "rank 8, larger side": lambda shape: min(8, *shape) * max(shape) if len(shape) == 2 else prod(shape),
    "rank 3, smaller side": lambda shape: min(3, *shape) * min(shape) if len(shape) == 2 else None,
    "factored from 128": lambda shape: (
        prod(shape) // shape[-1] if len(shape) > 1 and min(shape[-2:]) >= 128 else None
    ),
    "whole blocks only": lambda shape: (
        prod(shape) // 2 if prod(shape) % 256 == 0 and prod(shape) >= 4096 else None
    ),
}
UNSEEN = (
    (3,),
    (4095,),
    (4096,),
    (8192,),
    (10, 7),
    (7, 10),
    (512, 512),
    (127, 999),
    (128, 130),
    (2, 3, 4),
    (64, 3, 7, 7),
)


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_found_and_holds_on_shapes_that_nobody_showed(name: str) -> None:
    rule = RULES[name]
    entry = _entry({"state": rule})
    for shape in UNSEEN:
        assert predicted_bytes(entry, shape, "fp32") == 4 * (rule(shape) or 0), shape
        assert predicted_bytes(entry, shape, "bf16") == 2 * (rule(shape) or 0), shape


@given(
    rank=st.integers(1, 60),
    shape=st.tuples(st.integers(1, 3000), st.integers(1, 3000)),
    blocks=st.sampled_from([32, 64, 256, 1024]),
)
def test_any_rank_and_block_is_found(rank: int, shape: Shape, blocks: int) -> None:
    low: Rule = lambda s: min(rank, *s) * max(s) if len(s) == 2 else None  # noqa: E731  # two rules side by side
    scales: Rule = lambda s: -(-prod(s) // blocks)  # noqa: E731  # as above
    entry = _entry({"low": low, "scales": scales})
    assert predicted_bytes(entry, shape, "fp32") == 4 * ((low(shape) or 0) + (scales(shape) or 0))


def test_the_type_follows_the_parameter_or_is_fixed() -> None:
    follows = _entry({"state": prod})
    fixed = _entry({"state": prod}, dtype=lambda _parameter: "fp32")
    assert [case.dtype for case in follows.states[0].cases] == ["like"]
    assert [case.dtype for case in fixed.states[0].cases] == ["fp32"]


def test_a_state_without_a_rule_is_named() -> None:
    found = infer(REQUEST, _report({"plain": prod, "odd": lambda shape: prod(shape) ** 2 % 1009 + 7}))
    assert found.entry is None
    assert [state.name for state in found.states] == ["plain"]
    assert [problem.key for problem in found.problems] == ["probe.unexplained"]
    assert "odd" in str(found.problems[0])


def test_a_rule_that_fails_where_it_was_not_made_is_not_believed() -> None:
    """Everything that rules are made from says "as many as parameters"; one held-out shape does not."""
    found = infer(REQUEST, _report({"state": lambda shape: prod(shape) + int(shape == (5000,))}))
    assert found.entry is None
    assert [problem.key for problem in found.problems] == ["probe.not_confirmed"]
    assert "5000: 5001" in str(found.problems[0])


def test_held_out_shapes_are_not_among_those_that_rules_are_made_from() -> None:
    assert not set(FITTED) & set(HELD_OUT)


def test_shapes_that_are_refused_become_a_requirement() -> None:
    entry = _entry({"state": prod}, refused=lambda shape: len(shape) != 2)
    assert entry.trains == (Condition("exactly_ndim", 2),)
    layout = place(Scenario(synthetic_ref(1_000_000), precision="fp32"))
    with pytest.raises(UserError, match="refused such parameters"):
        optimizer_state(implementation(entry), (), layout, "cuda")


def test_a_class_that_takes_nothing_is_refused_with_its_own_words() -> None:
    with pytest.raises(UserError, match="not such a shape"):
        infer(REQUEST, _report({"state": prod}, refused=lambda _shape: True))


def test_a_refusal_without_a_rule_is_a_problem() -> None:
    found = infer(REQUEST, _report({"state": prod}, refused=lambda shape: sum(shape) % 3 == 0))
    assert found.entry is None
    assert [problem.key for problem in found.problems] == ["probe.unclear_refusal"]


def test_what_is_kept_once_for_all_elsewhere_or_grows_is_a_problem() -> None:
    tensor = ProbedTensor("buffer", (1000,), "fp32", "cpu", 4000)
    for fields, key in (
        ({"together_bytes": 1}, "probe.shared"),
        ({"outside": (tensor,)}, "probe.outside"),
        ({"growing": ("state",)}, "probe.grows"),
    ):
        found = infer(REQUEST, _report({"state": prod}, **fields))
        assert found.entry is None
        assert [problem.key for problem in found.problems] == [key]


def test_no_state_at_all_is_a_rule_too() -> None:
    entry = _entry({}, together_bytes=0)
    assert entry.states == ()
    assert predicted_bytes(entry, (10, 10), "fp32") == 0


def test_a_type_nobody_tried_is_refused_by_name() -> None:
    entry = _entry({"state": prod})
    declared = implementation(replace(entry, dtypes=("fp32",)))
    layout = place(Scenario(synthetic_ref(1_000_000), precision="bf16"))
    with pytest.raises(UserError, match="not seen to train bf16"):
        optimizer_state(declared, (), layout, "cuda")


def test_an_entry_survives_json() -> None:
    entry = _entry({"state": RULES["rank 8, larger side"]}, dtype=lambda _parameter: "fp32")
    assert from_json(UserOptimizer, to_json(entry)) == entry


@pytest.mark.parametrize("given_path", ["mine.optim:Mine", " mine.optim.Mine "])
def test_both_spellings_of_a_path(given_path: str) -> None:
    assert probe_request(given_path, ()).path == "mine.optim.Mine"


@pytest.mark.parametrize("given_path", ["", "Mine", "mine..Mine", "mine.optim:", "os.system('x')", "a b.C"])
def test_what_is_no_path_is_refused(given_path: str) -> None:
    with pytest.raises(UserError, match="no import path"):
        probe_request(given_path, ())


def test_options_as_they_are_typed() -> None:
    text = "lr=1e-3 rank=8, fused=true foreach=None name=x"
    assert probe_options(text) == (
        ("lr", 0.001),
        ("rank", 8),
        ("fused", True),
        ("foreach", None),
        ("name", "x"),
    )
    for wrong in ("lr", "=3", "lr=", "a-b=1"):
        with pytest.raises(UserError, match="not name=value"):
            probe_options(wrong)
