"""Packages of one algorithm or a few variants of it: estimated state is the real one, name by name."""

from __future__ import annotations

from importlib.metadata import version

import pytest
import torch

from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.libraries.learning_rate_free import LEARNING_RATE_FREE
from optmem_gui.core.optimizers.libraries.single_algorithm import SINGLE_ALGORITHM
from optmem_gui.core.optimizers.state import constructor_keywords, optimizer_state
from optmem_gui.core.scenario import Options
from optmem_gui.worker.update import make_optimizer
from tests.core.optimizers.package_runs import SMALL, declared, held, load, parameters_of, stepped
from tests.core.optimizers.real import MIXED, layout_of, option_sets

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
ELEMENTWISE = (*SINGLE_ALGORITHM, *LEARNING_RATE_FREE)
NOT_ON_CPU = ("capturable",)
CASES = [
    (each, options)
    for each in ELEMENTWISE
    for options in option_sets(each, together=2)
    if not any(name in NOT_ON_CPU for name, _ in options)
]


def _named(value: object) -> str | None:
    if isinstance(value, Implementation):
        return value.id
    if isinstance(value, tuple):
        return ",".join(f"{name}={setting}" for name, setting in value) or "defaults"
    return None


def _stops(implementation: Implementation, precision: str) -> type[Exception] | None:
    """What the real step raises: adamw-bf16 takes bf16 alone, DAdaptSGD's first distance is 0 in fp16."""
    if implementation.library == "adamw_bf16" and precision != "bf16":
        return AssertionError
    return ZeroDivisionError if (implementation.name, precision) == ("DAdaptSGD", "fp16") else None


@pytest.mark.parametrize("precision", list(DTYPES))
@pytest.mark.parametrize(("implementation", "options"), CASES, ids=_named)
def test_state_is_the_real_one(implementation: Implementation, options: Options, precision: str) -> None:
    stops = _stops(implementation, precision)
    if stops is not None:
        with pytest.raises(stops):
            stepped(implementation, options, parameters_of(SMALL, DTYPES[precision]))
        return
    parameters = parameters_of(SMALL, DTYPES[precision])
    optimizer = stepped(implementation, options, parameters)
    estimated = optimizer_state(implementation, options, layout_of(SMALL, precision), "cuda")
    assert declared(estimated) == held(optimizer)
    assert estimated.late_bytes == 0


@pytest.mark.parametrize("implementation", ELEMENTWISE, ids=_named)
def test_state_on_the_mixed_model(implementation: Implementation) -> None:
    """Shapes around 4096 and one large matrix, in bf16, one step."""
    shapes: tuple[Shape, ...] = MIXED
    optimizer = stepped(implementation, (), parameters_of(shapes, torch.bfloat16), steps=1)
    estimated = optimizer_state(implementation, (), layout_of(shapes, "bf16"), "cuda")
    assert declared(estimated) == held(optimizer)


@pytest.mark.parametrize("implementation", ELEMENTWISE, ids=_named)
def test_proven_with_what_is_installed(implementation: Implementation) -> None:
    distribution, _, number = implementation.proven.rpartition(" ")
    assert version(distribution) == number


@pytest.mark.parametrize("implementation", LEARNING_RATE_FREE, ids=_named)
def test_the_worker_builds_it_ready_to_step(implementation: Implementation) -> None:
    """Schedule-free optimizers refuse a step until they are told that they train."""
    parameters = parameters_of(((4, 4),), torch.float32)
    keywords = dict(constructor_keywords(implementation, ()))
    optimizer = make_optimizer(load(implementation.path), implementation.path, parameters, keywords)
    parameters[0].grad = torch.ones_like(parameters[0])
    optimizer.step(lambda: 0.0)
    assert held(optimizer)
