"""Collections of optimizers: state and temporaries of every entry against the real class, stepped here."""

from __future__ import annotations

import importlib
import importlib.metadata
import re
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from optmem_gui.core.model import Shape
from optmem_gui.core.optimizers.catalogue import CATALOGUE
from optmem_gui.core.optimizers.declare import Implementation
from optmem_gui.core.optimizers.state import (
    OptimizerState,
    constructor_keywords,
    optimizer_state,
    step_temporaries,
)
from optmem_gui.core.scenario import Options
from tests.core.optimizers.live_bytes import extra_peak
from tests.core.optimizers.reachable import Kept, kept, tensors_in
from tests.core.optimizers.real import layout_of, option_sets

pytestmark = pytest.mark.filterwarnings(
    "ignore:This overload of addcmul_ is deprecated:UserWarning",  # pytorch_ranger's own calls
)

LIBRARIES = ("pytorch_optimizer", "torch_optimizer", "heavyball", "kron_torch")
ENTRIES = [each for each in CATALOGUE.values() if each.library in LIBRARIES]

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
STEPS = 3
LATE_STEPS = 12
"""Rectified steps start at the sixth, AdaShift's queue is full after the tenth."""

SLACK = 64
"""Bytes of 0-d intermediates that one parameter may add to the step."""

SHAPES: tuple[Shape, ...] = (
    (), (1, 1), (127,), (128,), (64, 64), (48, 64), (48,), (16, 8, 3, 3), (16,), (100, 24), (33,),
)  # fmt: skip
"""A number, 1 x 1, vectors, a square matrix, linear and bias, conv and bias, embedding: small for SVDs."""

NO_NUMBERS = ("AdaGC",)
"""Fail in the library's own code on a 0-d parameter of 16 bits."""


NO_16_BIT = ("torch_optimizer.Shampoo",)
"""Decompose in the type of the parameter, which LAPACK has for 32 bits only; a GPU does no more."""


NO_FP16 = ("pytorch_optimizer.Nero",)
"""Its 1e-8 is 0 in fp16: rows of one element become NaN."""

OFTEN: dict[str, dict[str, int]] = {"SPlus": {"inverse_steps": 2}, "SOAP": {"precondition_frequency": 2}}
"""What happens every so many steps happens within the few of a test."""


def _shapes(implementation: Implementation) -> tuple[Shape, ...]:
    if implementation.requirement is not None:
        return tuple(shape for shape in SHAPES if len(shape) == 2)
    if implementation.name in NO_NUMBERS:
        return tuple(shape for shape in SHAPES if shape)
    return SHAPES


def _cases(*precisions: str) -> Iterator[tuple[Implementation, Options, str]]:
    for implementation in ENTRIES:
        for options in option_sets(implementation, together=1):
            for precision in precisions:
                broken = NO_16_BIT if precision == "bf16" else (*NO_16_BIT, *NO_FP16)
                if precision == "fp16" and options:
                    continue  # the options change the same in every 16-bit type
                if precision == "fp32" or implementation.id not in broken:
                    yield implementation, options, precision


def _step_cases() -> Iterator[tuple[Implementation, Options, str]]:
    """Every set of options in fp32, the defaults in bf16."""
    for case in _cases("fp32", "bf16"):
        if case[2] == "fp32" or not case[1]:
            yield case


def _named(value: object) -> str | None:
    if isinstance(value, Implementation):
        return value.id
    if isinstance(value, tuple):
        return ",".join(f"{name}={setting}" for name, setting in value) or "defaults"
    return None


@pytest.fixture(autouse=True)
def _eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """heavyball compiles its steps; the state is the same without, and there in a second."""
    monkeypatch.setattr(importlib.import_module("heavyball.utils"), "compile_mode", None)


class _Run:
    """One real optimizer on small parameters."""

    def __init__(self, implementation: Implementation, options: Options, dtype: torch.dtype) -> None:
        torch.manual_seed(0)
        self.parameters = [
            torch.nn.Parameter((torch.randn(shape) / 10).to(dtype)) for shape in _shapes(implementation)
        ]
        module, _, name = implementation.path.rpartition(".")
        build = getattr(importlib.import_module(module), name)
        keywords: dict[str, Any] = dict(constructor_keywords(implementation, options))
        keywords |= OFTEN.get(name, {})
        self.optimizer: Any = build(self.parameters, **keywords)
        self._closure = name == "AliG"

    def step(self) -> int:
        """One step on new gradients; the most bytes alive in it beyond parameters, gradients and state."""
        for parameter in self.parameters:
            parameter.grad = torch.randn_like(parameter)
        before = self._bytes()
        call = (lambda: self.optimizer.step(lambda: torch.ones(()))) if self._closure else self.optimizer.step
        peak, _ = extra_peak(call, self._known())
        return peak - (self._bytes() - before)

    def kept(self) -> Kept:
        """Everything it keeps once the gradients are gone."""
        for parameter in self.parameters:
            parameter.grad = None
        return kept(self.optimizer, self.parameters)

    def _bytes(self) -> int:
        return sum(size for _, size in kept(self.optimizer, self.parameters).values())

    def _known(self) -> Iterator[torch.Tensor]:
        yield from self.parameters
        yield from (p.grad for p in self.parameters if p.grad is not None)
        yield from tensors_in(list(self.optimizer.state.values()))
        yield from tensors_in([group.values() for group in self.optimizer.param_groups])
        yield from tensors_in(vars(self.optimizer))


def _bare(name: str) -> str:
    """A name without the number of an axis: ``precond_0`` and ``precond_1`` are one list."""
    return re.sub(r"(::quantized|::scales|_\d+)$", "", name)


def _bare_names(kept: Kept) -> Kept:
    found: Kept = {}
    for name, (count, size) in kept.items():
        before = found.get(_bare(name), (0, 0))
        found[_bare(name)] = (before[0] + count, before[1] + size)
    return found


def _by_name(state: OptimizerState) -> Kept:
    found: Kept = {}
    for row in state.rows:
        name = _bare(row.name)
        count, size = found.get(name, (0, 0))
        found[name] = (count + row.tensor_count, size + row.bytes)
    return found


@pytest.mark.parametrize(("implementation", "options", "precision"), list(_cases(*DTYPES)), ids=_named)
def test_state_is_the_real_one(implementation: Implementation, options: Options, precision: str) -> None:
    run = _Run(implementation, options, DTYPES[precision])
    for _ in range(STEPS):
        run.step()
    layout = layout_of(_shapes(implementation), precision)
    estimated = optimizer_state(implementation, options, layout, "cpu", STEPS)
    assert _by_name(estimated) == _bare_names(run.kept())
    distribution, version = implementation.proven.split()
    assert importlib.metadata.version(distribution) == version


@pytest.mark.parametrize(("implementation", "options", "precision"), list(_step_cases()), ids=_named)
def test_temporaries_are_the_real_ones(
    implementation: Implementation, options: Options, precision: str
) -> None:
    """The highest of some later steps (a rectified start, a queue that fills): equal, or close where said."""
    run = _Run(implementation, options, DTYPES[precision])
    measured = max([run.step() for _ in range(LATE_STEPS)][STEPS:])
    layout = layout_of(_shapes(implementation), precision)
    estimated = step_temporaries(implementation, options, layout, "cpu")
    slack = SLACK * len(SHAPES)
    if estimated.exact:
        assert abs(estimated.bytes - measured) <= slack
    else:
        assert measured * 0.6 - slack <= estimated.bytes <= measured * 1.7 + slack
