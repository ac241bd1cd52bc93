"""The catalogue: complete, importable, worded, and found by any name."""

from __future__ import annotations

import importlib
import inspect
import string

import pytest
import torch

from optmem_gui.core.errors import UserError
from optmem_gui.core.layout import place
from optmem_gui.core.optimizers.catalogue import ALIASES, CATALOGUE, find, library
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.state import optimizer_state, step_temporaries
from optmem_gui.core.reasons import render
from optmem_gui.core.scenario import Scenario
from optmem_gui.core.synthetic import synthetic_ref
from optmem_gui.core.texts import TEMPLATES
from optmem_gui.core.texts.optimizers import TEXTS
from tests.core.optimizers.real import layout_of, option_sets

EVERY = list(CATALOGUE.values())


def _class_of(implementation: Implementation) -> type[torch.optim.Optimizer]:
    module, _, name = implementation.path.rpartition(".")
    found = getattr(importlib.import_module(module), name)
    assert isinstance(found, type)
    return found


def test_all_of_torch_optim_is_there() -> None:
    classes = {
        name
        for name, value in vars(torch.optim).items()
        if isinstance(value, type) and issubclass(value, torch.optim.Optimizer) and name != "Optimizer"
    }
    assert {each.name for each in EVERY if each.library == "torch"} == classes


@pytest.mark.parametrize("implementation", EVERY, ids=lambda each: each.id)
def test_options_are_the_constructors(implementation: Implementation) -> None:
    """Every option is a keyword of the real class, with the real default."""
    try:
        parameters = inspect.signature(_class_of(implementation)).parameters
    except ImportError as error:
        assert implementation.library != "torch"
        pytest.skip(f"not installed here: {error}")
    for option in implementation.options:
        if option.keyword:
            assert parameters[option.name].default == option.default
    taken = {option.name for option in implementation.options}
    if implementation.library == "torch":
        assert {"foreach", "fused", "capturable", "maximize", "amsgrad", "centered"} & set(
            parameters
        ) <= taken


@pytest.mark.parametrize("implementation", EVERY, ids=lambda each: each.id)
def test_everything_is_worded(implementation: Implementation) -> None:
    reasons = [implementation.about, *(option.help for option in implementation.options)]
    if implementation.belief_reason is not None:
        reasons.append(implementation.belief_reason)
    assert all(render(reason) for reason in reasons)
    assert implementation.belief == (f"optimizer.{implementation.id}.belief" in TEMPLATES)
    layout = layout_of(((8, 8), (4, 4)), "fp32")
    for options in option_sets(implementation, together=1):
        state = optimizer_state(implementation, options, layout, "cuda")
        step = step_temporaries(implementation, options, layout, "cuda")
        worded = [state.why, step.why, *state.warnings, *step.warnings]
        worded += [reason for row in state.rows for reason in (row.why, row.dtype_why)]
        assert all(render(reason) for reason in worded)


@pytest.mark.parametrize("key", sorted(TEXTS))
def test_templates_are_one_line(key: str) -> None:
    assert "\n" not in TEXTS[key]
    assert all(name is None or name.isidentifier() for _, name, _, _ in string.Formatter().parse(TEXTS[key]))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("torch.AdamW", "torch.AdamW"),
        ("TORCH.adamw", "torch.AdamW"),
        ("torch.optim.AdamW", "torch.AdamW"),
        ("adamw", "torch.AdamW"),
        (" SGD ", "torch.SGD"),
        ("muon", "torch.Muon"),
        ("adafactor", "torch.Adafactor"),
        ("lbfgs", "torch.LBFGS"),
    ],
)
def test_names(name: str, expected: str) -> None:
    assert find(name).id == expected
    assert library(name) == "torch"


def test_no_name_means_two_things() -> None:
    """Ids, import paths, torch's bare names and every alias: each stands for one implementation."""
    names = [name for each in EVERY for name in {each.id.lower(), each.path.lower(), *each.aliases}]
    names += [each.name.lower() for each in EVERY if each.library == "torch"]
    assert sorted(ALIASES) == sorted(names)


@pytest.mark.parametrize(
    ("given", "near"), [("admw", "torch.AdamW"), ("torch.Sgdd", "torch.SGD"), ("???", "torch.")]
)
def test_unknown_names_get_near_ones(given: str, near: str) -> None:
    with pytest.raises(UserError, match=near) as refused:
        find(given)
    assert refused.value.code == "optimizer.unknown"
    assert given in str(refused.value)


def test_a_billion_parameters_by_hand() -> None:
    """AdamW in fp32: two moments of 4 B, a 4 B counter a tensor on the host, one list of 4 B with foreach."""
    model = synthetic_ref(10**9)
    layout = place(Scenario(model, precision="fp32"))
    adamw, sgd = find("adamw"), find("sgd")
    state = optimizer_state(adamw, (), layout, "cuda")
    assert state.device_bytes == 8 * 10**9
    assert state.host_bytes == 4 * model.tensor_count
    assert step_temporaries(adamw, (), layout, "cuda").bytes == 4 * 10**9
    fused = optimizer_state(adamw, (("fused", True),), layout, "cuda")
    assert (fused.device_bytes, fused.host_bytes) == (8 * 10**9 + 4 * model.tensor_count, 0)
    assert fused.device_rounded_bytes >= 8 * 10**9 + 512 * model.tensor_count
    assert step_temporaries(adamw, (("fused", True),), layout, "cuda").bytes == 0
    assert optimizer_state(sgd, (), layout, "cuda").bytes == 0
    momentum = (("momentum", 0.9),)
    assert optimizer_state(sgd, momentum, layout, "cuda").bytes == 4 * 10**9
    assert step_temporaries(sgd, momentum, layout, "cuda").bytes == 0


def test_on_the_cpu_nothing_counts_as_host() -> None:
    layout = place(Scenario(synthetic_ref(10**6), precision="fp32"))
    cuda, cpu = (optimizer_state(find("adamw"), (), layout, target) for target in ("cuda", "cpu"))
    assert cpu.host_bytes == 0
    assert cpu.device_bytes == cpu.bytes == cuda.bytes


@pytest.mark.parametrize(
    ("precision", "bytes_per_parameter", "dtypes"),
    [
        ("fp32", 8, ["fp32", "fp32"]),
        ("bf16", 4, ["bf16", "bf16"]),
        ("bf16-master", 8, ["fp32", "fp32"]),
        ("amp-bf16", 8, ["fp32", "fp32"]),  # autocast does not touch the state
        ("msamp-o2", 3, ["fp8_e4m3", "fp16"]),  # 1 B first moment, 2 B second (FP8-LM, table 1)
    ],
)
def test_moments_follow_the_scheme(precision: str, bytes_per_parameter: int, dtypes: list[str]) -> None:
    layout = place(Scenario(synthetic_ref(10**6), precision=precision))
    state = optimizer_state(find("adam"), (), layout, "cuda")
    assert state.device_bytes == bytes_per_parameter * 10**6
    assert [row.dtype for row in state.rows if not row.host] == dtypes
